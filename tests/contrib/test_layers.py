"""tf.contrib.layers: values against NumPy, names of variables, collections, arg_scope, sharing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf

layers = tf.contrib.layers
arg_scope = tf.contrib.framework.arg_scope
IMAGES = np.random.default_rng(0).normal(1, 2, size=(4, 8, 6, 4)).astype(np.float32)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def evaluate(fetches, feeds=None, values=None):
    """Runs in a new session; `values` maps names of variables to what they hold."""
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for v in tf.global_variables():
            if v.op.name in (values or {}):
                v.load(values[v.op.name], sess)
        return sess.run(fetches, feeds)


def names(variables=None):
    return [v.op.name for v in (tf.global_variables() if variables is None else variables)]


class TestVariablesAndCollections:
    @pytest.mark.parametrize(
        "build, expected",
        [
            (lambda x: layers.conv2d(x, 3, 3), ["Conv/weights", "Conv/biases"]),
            (lambda x: layers.conv2d_transpose(x, 3, 3), ["Conv2d_transpose/weights", "Conv2d_transpose/biases"]),
            (lambda x: layers.conv2d_in_plane(x, 3), ["ConvInPlane/weights", "ConvInPlane/biases"]),
            (lambda x: layers.conv1d(x[0], 3, 3), ["Conv/weights", "Conv/biases"]),
            (
                lambda x: layers.separable_conv2d(x, 3, 3),
                [f"SeparableConv2d/{n}" for n in ("depthwise_weights", "pointwise_weights", "biases")],
            ),
            (
                lambda x: layers.separable_conv2d(x, None, 3),
                ["SeparableConv2d/depthwise_weights", "SeparableConv2d/biases"],
            ),
            (lambda x: layers.fully_connected(x, 3), ["fully_connected/weights", "fully_connected/biases"]),
            (lambda x: layers.linear(x, 3, biases_initializer=None), ["fully_connected/weights"]),
            (
                lambda x: layers.batch_norm(x, scale=True),
                [f"BatchNorm/{n}" for n in ("gamma", "beta", "moving_mean", "moving_variance")],
            ),
            (
                lambda x: layers.batch_norm(x, updates_collections=None),
                [f"BatchNorm/{n}" for n in ("beta", "moving_mean", "moving_variance")],
            ),
            (layers.layer_norm, ["LayerNorm/beta", "LayerNorm/gamma"]),
            (layers.instance_norm, ["InstanceNorm/beta", "InstanceNorm/gamma"]),
            (lambda x: layers.group_norm(x, 2), ["GroupNorm/beta", "GroupNorm/gamma"]),
            (layers.bias_add, ["BiasAdd/biases"]),
            (layers.spatial_softmax, ["spatial_softmax/temperature"]),
        ],
    )
    def test_names_and_collections(self, build, expected):
        build(tf.constant(IMAGES))
        assert names() == expected == names(tf.model_variables())
        moving = [n for n in expected if "moving" in n]
        assert names(tf.trainable_variables()) == [n for n in expected if n not in moving]

    def test_collections_by_kind(self):
        kinds = {"weights": ["w", "all"], "biases": ["b", "all"]}
        y = layers.conv2d(IMAGES, 3, 3, variables_collections=kinds, outputs_collections="outs", scope="c")
        assert [names(tf.get_collection(key)) for key in ("w", "b", "all")] == [
            ["c/weights"],
            ["c/biases"],
            ["c/weights", "c/biases"],
        ]
        assert tf.get_collection("outs") == [y] and y.aliases == ["c"]
        pooled = layers.max_pool2d(y, 2, outputs_collections=["outs"], scope="p")
        assert tf.get_collection("outs") == [y, pooled] and pooled.aliases == ["p"]

    def test_sharing(self):
        x = tf.constant([[1.0, 2.0]])
        first = layers.fully_connected(x, 3, scope="f")
        again = layers.fully_connected(x, 3, scope="f", reuse=True)
        with pytest.raises(ValueError, match="Variable f/weights already exists"):
            layers.fully_connected(x, 3, scope="f")
        with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
            for _ in range(2):
                layers.batch_norm(layers.fully_connected(x, 3, scope="f"), scope="b")
        assert len(tf.global_variables()) == 7
        a, b = evaluate([first, again])
        np.testing.assert_array_equal(a, b)

    def test_regularizers(self):
        with arg_scope([layers.conv2d, layers.fully_connected], weights_regularizer=layers.l2_regularizer(0.5)):
            layers.fully_connected(layers.flatten(layers.conv2d(IMAGES, 2, 1)), 2, biases_initializer=None)
        losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        weights = [v for v in tf.global_variables() if "weights" in v.name]
        found, values = evaluate([losses, weights])
        np.testing.assert_allclose(found, [0.25 * (v**2).sum() for v in values], rtol=1e-5)

    def test_arg_scope_sets_what_calls_leave_open(self):
        with arg_scope([layers.conv2d], padding="VALID", activation_fn=None):
            y = layers.conv2d(IMAGES, 3, 3)
            z = layers.conv2d(IMAGES, 3, 3, padding="SAME")
        assert y.shape.as_list() == [4, 6, 4, 3] and y.op.type == "BiasAdd" and z.shape.as_list() == [4, 8, 6, 3]
        with arg_scope([layers.fully_connected], biases_initializer=None):
            layers.relu(tf.zeros([1, 2]), 3, scope="r")
        assert "r/biases" not in names()


class TestDenseAndConvolutions:
    @pytest.mark.parametrize(
        "layer, activation",
        [
            (layers.fully_connected, lambda x: np.maximum(x, 0)),
            (layers.relu, lambda x: np.maximum(x, 0)),
            (layers.relu6, lambda x: np.clip(x, 0, 6)),
            (layers.elu, lambda x: np.where(x > 0, x, np.exp(x) - 1)),
            (layers.linear, lambda x: x),
        ],
    )
    def test_fully_connected(self, layer, activation):
        y = layer(IMAGES, 3, biases_initializer=tf.ones_initializer())
        value, w = evaluate([y, tf.global_variables()[0]])
        np.testing.assert_allclose(value, activation(IMAGES @ w + 1), rtol=1e-4, atol=1e-5)

    def test_legacy(self):
        y = layers.legacy_relu(IMAGES, 3)
        assert names() == ["fully_connected/weights", "fully_connected/bias"]
        assert tf.get_collection(tf.GraphKeys.ACTIVATIONS) == [y] and y.shape.as_list() == [4, 8, 6, 3]
        assert names(tf.get_collection(tf.GraphKeys.WEIGHTS)) == ["fully_connected/weights"]
        value, w = evaluate([y, tf.global_variables()[0]])
        np.testing.assert_allclose(value, np.maximum(IMAGES @ w, 0), rtol=1e-4, atol=1e-5)

    def test_in_plane_is_the_same_for_all_channels(self):
        y = layers.conv2d_in_plane(IMAGES, [2, 1], padding="VALID", activation_fn=None)
        value, w = evaluate([y, tf.global_variables()[0]])
        expected = IMAGES[:, :-1] * w[0, 0, 0, 0] + IMAGES[:, 1:] * w[1, 0, 0, 0]
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)

    def test_normalizer_replaces_biases(self):
        layers.conv2d(IMAGES, 3, 3, normalizer_fn=layers.batch_norm, normalizer_params={"center": False}, scope="c")
        assert names() == ["c/weights", "c/BatchNorm/moving_mean", "c/BatchNorm/moving_variance"]

    def test_stack_and_repeat(self):
        y = layers.stack(tf.constant(IMAGES), layers.conv2d, [(3, 1), (5, [3, 3])], scope="s")
        assert names()[::2] == ["s/s_1/weights", "s/s_2/weights"] and y.shape.as_list() == [4, 8, 6, 5]
        layers.repeat(tf.constant(IMAGES), 2, layers.conv2d, 3, 1)
        assert names()[4::2] == ["Repeat/convolution2d_1/weights", "Repeat/convolution2d_2/weights"]

    @pytest.mark.parametrize(
        "call, error, text",
        [
            (lambda: layers.fully_connected(tf.zeros([1, 2]), 2.5), ValueError, "num_outputs type should be one of"),
            (lambda: layers.conv2d(tf.zeros([2, 3]), 1, 1), ValueError, "Convolution expects input with rank 4, got 2"),
            (lambda: layers.convolution(tf.zeros([2, 3]), 1, 1), ValueError, "Convolution not supported for input"),
            (lambda: layers.conv2d(IMAGES, 1, 1, data_format="X"), ValueError, "Invalid data_format: 'X'"),
            (lambda: layers.max_pool2d(IMAGES, 1, data_format="X"), ValueError, "data_format has to be either NCHW or"),
            (lambda: layers.stack(tf.zeros([1, 2]), layers.relu, 3), ValueError, "stack_args need to be a list"),
            (lambda: layers.xavier_initializer(dtype=tf.int32), TypeError, "non-floating point type"),
            (lambda: layers.variance_scaling_initializer(mode="X"), TypeError, "Unknown mode"),
            (lambda: layers.l1_regularizer(1), ValueError, "scale cannot be an integer"),
            (lambda: layers.l2_regularizer(-1.0), ValueError, "Setting a scale less than 0 on a regularizer: -1"),
            (lambda: layers.apply_regularization(layers.l2_regularizer(0.5)), ValueError, "No weights to regularize"),
            (lambda: layers.two_element_tuple([1]), ValueError, "Must be a list with 2 elements"),
            (lambda: layers.n_positive_integers(2, [1]), ValueError, "Expected sequence of 2 positive integers"),
            (lambda: layers.unit_norm(tf.zeros([1, 2]), 2), ValueError, "dim must be positive but smaller"),
            (lambda: layers.maxout(tf.zeros([1, 5]), 2), ValueError, "is not a multiple of num_units"),
            (lambda: layers.group_norm(IMAGES, 3), ValueError, "4 channels is not commensurate with 3 groups"),
            (lambda: layers.group_norm(IMAGES), ValueError, "Invalid groups 32 for 4 channels"),
            (lambda: layers.layer_norm(tf.zeros([1, 2]), begin_norm_axis=2), ValueError, "must be < rank"),
            (lambda: layers.batch_norm(IMAGES, renorm=True, updates_collections=None), ValueError, "renorm is not"),
            (
                lambda: layers.batch_norm(tf.placeholder(tf.float32, [2, None])),
                ValueError,
                "`C` dimension must be known",
            ),
            (lambda: layers.embed_sequence(tf.zeros([1, 2], tf.int32)), ValueError, "Must specify vocab size"),
            (lambda: layers.gdn(tf.zeros([1, 2])), ValueError, "expected min_ndim=3, found ndim=2"),
        ],
    )
    def test_errors(self, call, error, text):
        with pytest.raises(error, match=text):
            call()


@settings(max_examples=25, deadline=None)
@given(
    shape=st.lists(st.integers(1, 5), max_size=4),
    mode=st.sampled_from(["FAN_IN", "FAN_OUT", "FAN_AVG"]),
    uniform=st.booleans(),
)
def test_initializers_stay_in_their_limits(shape, mode, uniform):
    field = np.prod(shape[:-2])
    fan_in = field * (shape[-2] if len(shape) > 1 else shape[-1] if shape else 1)
    fan_out = field * (shape[-1] if shape else 1)
    n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2}[mode]
    with tf.Graph().as_default(), tf.Session() as sess:
        value = sess.run(layers.variance_scaling_initializer(2.0, mode, uniform, seed=1)(shape))
    limit = np.sqrt(6 / n) if uniform else 2 * np.sqrt(2.6 / n)
    assert value.shape == tuple(shape) and (np.abs(value) <= limit * 1.0001).all()


class TestNormalization:
    @pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
    @pytest.mark.parametrize("collections", ["update_ops", "mine", None])
    @pytest.mark.parametrize("fused", [None, False])
    @pytest.mark.parametrize("rank", [2, 3, 4])
    def test_batch_norm(self, rank, fused, collections, data_format):
        x = IMAGES[(slice(None),) * rank + (0,) * (4 - rank)]
        axes = tuple(a for a in range(rank) if a != (1 if data_format == "NCHW" else rank - 1))
        training = tf.placeholder(tf.bool, [])
        y = layers.batch_norm(
            x, 0.75, fused=fused, updates_collections=collections, is_training=training, data_format=data_format
        )
        updates = tf.get_collection(collections) if collections else []
        assert len(updates) == (2 if collections else 0)
        mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        moving = [v for v in tf.global_variables() if "moving" in v.name]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            value = sess.run([y, *updates], {training: True})[0]
            np.testing.assert_allclose(value, (x - mean) / np.sqrt(variance + 1e-3), rtol=1e-3, atol=1e-3)
            moved = sess.run(moving)
            np.testing.assert_allclose(moved[0], 0.25 * mean.ravel(), rtol=1e-3, atol=1e-4)
            before = [m.reshape(mean.shape) for m in moved]
            value = sess.run([y, *updates], {training: False})[0]
            np.testing.assert_allclose(value, (x - before[0]) / np.sqrt(before[1] + 1e-3), rtol=1e-3, atol=1e-3)
            np.testing.assert_array_equal(sess.run(moving), moved)

    def test_weights_of_examples(self):
        weights = np.array([1.0, 0.0, 2.0, 0.0], np.float32)
        y = layers.batch_norm(IMAGES, batch_weights=weights)
        x = IMAGES[[0, 2, 2]]
        expected = (IMAGES - x.mean((0, 1, 2))) / np.sqrt(x.var((0, 1, 2)) + 1e-3)
        np.testing.assert_allclose(evaluate(y), expected, rtol=1e-3, atol=1e-3)

    @pytest.mark.parametrize(
        "build, axes",
        [
            (layers.layer_norm, (1, 2, 3)),
            (lambda x: layers.layer_norm(x, begin_norm_axis=-1), (3,)),
            (layers.instance_norm, (1, 2)),
            (lambda x: layers.instance_norm(x, data_format="NCHW"), (2, 3)),
            (lambda x: layers.group_norm(x, groups=4), (1, 2)),
            (lambda x: layers.group_norm(x, groups=1, mean_close_to_zero=True), (1, 2, 3)),
        ],
    )
    def test_of_each_example(self, build, axes):
        expected = (IMAGES - IMAGES.mean(axes, keepdims=True)) / IMAGES.std(axes, keepdims=True)
        np.testing.assert_allclose(evaluate(build(tf.constant(IMAGES))), expected, rtol=1e-3, atol=1e-3)

    def test_group_norm_of_unknown_batch(self):
        x = tf.placeholder(tf.float32, [None, 8, 6, 4])
        y = layers.group_norm(x, groups=2, center=False, scale=False)
        groups = IMAGES.reshape(4, 8, 6, 2, 2)
        expected = (groups - groups.mean((1, 2, 4), keepdims=True)) / groups.std((1, 2, 4), keepdims=True)
        assert y.shape.as_list() == [None, 8, 6, 4]
        np.testing.assert_allclose(evaluate(y, {x: IMAGES}), expected.reshape(IMAGES.shape), rtol=1e-3, atol=1e-3)

    def test_unit_norm(self):
        expected = IMAGES / np.linalg.norm(IMAGES, axis=1, keepdims=True)
        np.testing.assert_allclose(evaluate(layers.unit_norm(tf.constant(IMAGES), 1)), expected, rtol=1e-4)

    @pytest.mark.parametrize("inverse", [False, True])
    @pytest.mark.parametrize("first", [False, True])
    @pytest.mark.parametrize("rank", [3, 4, 5])
    def test_gdn(self, rank, first, inverse):
        x = IMAGES[0] if rank == 3 else IMAGES if rank == 4 else IMAGES[:, None]
        beta, gamma = np.array([1.0, 2, 3, 4]), np.arange(16.0).reshape(4, 4) / 16
        data = np.moveaxis(x, -1, 1) if first else x
        y = layers.gdn(data, inverse, data_format="channels_first" if first else "channels_last", name="g")
        held = {"g/reparam_beta": np.sqrt(beta), "g/reparam_gamma": np.sqrt(gamma)}
        norm = np.sqrt(x**2 @ gamma + beta)
        expected = x * norm if inverse else x / norm
        value = evaluate(y, values=held)
        np.testing.assert_allclose(np.moveaxis(value, 1, -1) if first else value, expected, rtol=1e-4)

    def test_gdn_keeps_its_bounds(self):
        loss = tf.reduce_sum(layers.gdn(IMAGES, name="g"))
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(20):
                sess.run(step)
                assert np.isfinite(sess.run(loss))


class TestTransforms:
    def test_shapes_and_values(self):
        x = tf.constant(IMAGES)
        results = {
            "flatten": layers.flatten(x),
            "kept": layers.dropout(x, is_training=False),
            "sequence": layers.images_to_sequence(x),
            "images": layers.sequence_to_images(layers.images_to_sequence(x), 8),
            "maxout": layers.maxout(x, 2),
            "softmax": layers.softmax(x),
            "one_hot": layers.one_hot_encoding([2, 0], 3, on_value=5.0),
            "average": layers.avg_pool2d(x, 2),
            "maximum": layers.pool(x, 2, "MAX", stride=2),
            "sparse": layers.dense_to_sparse(tf.constant([[1, 0], [2, 3]])),
        }
        found = evaluate(results)
        windows = IMAGES.reshape(4, 4, 2, 3, 2, 4)
        np.testing.assert_array_equal(found["flatten"], IMAGES.reshape(4, -1))
        np.testing.assert_array_equal(found["kept"], IMAGES)
        np.testing.assert_array_equal(found["sequence"], IMAGES.transpose(2, 0, 1, 3).reshape(6, 32, 4))
        np.testing.assert_array_equal(found["images"], IMAGES)
        np.testing.assert_array_equal(found["maxout"], IMAGES.reshape(4, 8, 6, 2, 2).max(-1))
        exp = np.exp(IMAGES)
        np.testing.assert_allclose(found["softmax"], exp / exp.sum(-1, keepdims=True), rtol=1e-5)
        assert found["one_hot"].tolist() == [[0, 0, 5], [5, 0, 0]]
        np.testing.assert_allclose(found["average"], windows.mean((2, 4)), rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(found["maximum"], windows.max((2, 4)))
        assert found["sparse"].indices.tolist() == [[0, 0], [1, 0], [1, 1]] and found["sparse"].values.tolist() == [
            1,
            2,
            3,
        ]

    @pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
    def test_spatial_softmax_finds_a_peak(self, data_format):
        image = np.zeros((1, 5, 9, 2), np.float32)
        image[0, 0, 8, 0] = image[0, 4, 2, 1] = 50.0
        data = image.transpose(0, 3, 1, 2) if data_format == "NCHW" else image
        y = layers.spatial_softmax(tf.constant(data), data_format=data_format)
        np.testing.assert_allclose(evaluate(y), [[-1, 1, 1, -0.5]], atol=1e-4)

    def test_dropout(self):
        value = evaluate(layers.dropout(tf.ones([1000]), 0.25, seed=1))
        assert set(value) == {0.0, 4.0} and 180 < np.count_nonzero(value) < 320

    def test_scale_gradient(self):
        x = tf.constant(3.0)
        y = layers.scale_gradient(x, tf.constant(0.5))
        assert evaluate([y, tf.gradients(y * y, x)[0]]) == [3.0, 3.0]


class TestEmbeddings:
    def test_of_sequences(self):
        ids = tf.constant([[1, 2, 1], [0, 0, 3]])
        y = layers.embed_sequence(ids, 4, 5, scope="e")
        z = layers.embed_sequence(ids, scope="e", reuse=True, unique=True)
        a, b, table = evaluate([y, z, tf.global_variables()[0]])
        np.testing.assert_array_equal(a, table[[[1, 2, 1], [0, 0, 3]]])
        np.testing.assert_array_equal(a, b)
        assert names() == ["e/embeddings"] and z.shape.as_list() == [2, 3, 5]

    def test_of_bags(self):
        ids = [[1, 2, 0], [0, 0, 0]]
        y = layers.bow_encoder(tf.constant(ids), 4, 5, scope="b")
        z = layers.bow_encoder(tf.constant(ids), 4, 5, scope="b", reuse=True, sparse_lookup=False)
        a, b, table = evaluate([y, z, tf.global_variables()[0]])
        np.testing.assert_allclose(a, [(table[1] + table[2]) / 2, table[0]], rtol=1e-6)
        np.testing.assert_allclose(b, table[ids].mean(1), rtol=1e-5)

    @settings(max_examples=40, deadline=None)
    @given(
        rows=st.lists(st.lists(st.tuples(st.integers(-1, 5), st.sampled_from([0.5, 1.0, 2.0, 0.0, -1.0])), max_size=3),
                      min_size=1, max_size=6),
        combiner=st.sampled_from(["sum", "mean", "sqrtn"]),
        default=st.sampled_from([None, 0, 3]),
        weighted=st.booleans(),
        outer=st.booleans(),
    )  # fmt: skip
    def test_safe_lookup(self, rows, combiner, default, weighted, outer):
        table = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
        expected = []
        for row in rows:
            row = [(i, w if weighted else 1.0) for i, w in row if i >= 0]
            if weighted and combiner != "sum":
                row = [(i, w) for i, w in row if w > 0]
            if not row:
                expected.append(np.zeros(3) if default is None else table[default])
                continue
            total = sum(w * table[i] for i, w in row)
            weights = np.array([w for _, w in row])
            expected.append(total / {"sum": 1, "mean": weights.sum(), "sqrtn": np.sqrt((weights**2).sum())}[combiner])
        index = [([0, r, c] if outer else [r, c]) for r, row in enumerate(rows) for c in range(len(row))]
        shape = [1, len(rows), 3] if outer else [len(rows), 3]
        index = np.array(index, np.int64).reshape(-1, len(shape))
        values = [entry for row in rows for entry in row]
        with tf.Graph().as_default(), tf.Session() as sess:
            ids = tf.SparseTensor(index, np.array([i for i, _ in values], np.int64), shape)
            weights = tf.SparseTensor(index, np.array([w for _, w in values], np.float32), shape) if weighted else None
            y = layers.safe_embedding_lookup_sparse(tf.constant(table), ids, weights, combiner, default)
            result = sess.run(y)
        assert result.shape == (*shape[:-1], 3)
        np.testing.assert_allclose(result.reshape(-1, 3), expected, rtol=1e-4, atol=1e-5)


class TestReversible:
    @staticmethod
    def f(x, side=None):
        y = layers.fully_connected(x, 3, tf.tanh)
        return y + side[0] if side else y

    @pytest.mark.parametrize("side", [False, True])
    def test_gradients_are_those_of_the_plain_block(self, side):
        x1, x2 = tf.constant(IMAGES[0, 0, :, :3]), tf.constant(IMAGES[0, 1, :, :3])
        sides = [tf.constant(IMAGES[0, 2, :, :3])] if side else None
        found = []
        for plain in (False, True):
            with tf.variable_scope("b", reuse=plain):
                block = layers.RevBlock(
                    self.f, self.f, 3, sides, sides, use_efficient_backprop=not plain, _reuse=plain or None
                )
                y1, y2 = block.forward(x1, x2)
            targets = [x1, x2, *tf.trainable_variables(), *(sides or [])]
            found.append([y1, y2, *tf.gradients(tf.reduce_sum(y1 * y2), targets)])
            if not plain:
                assert len(block.trainable_variables) == 12 and "b/revblock/revlayer_2/g/" in block.weights[-1].name
                inverse = block.backward(y1, y2)
        a, b, (i1, i2), given = evaluate([*found, inverse, (x1, x2)])
        for x, y in zip(a, b):
            np.testing.assert_allclose(x, y, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(i1, given[0], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(i2, given[1], rtol=1e-3, atol=1e-4)

    def test_function_of_both(self):
        y1, y2 = layers.rev_block(tf.ones([2, 3]), tf.ones([2, 3]), self.f, self.f, num_layers=2, is_training=False)
        assert y1.shape.as_list() == [2, 3] == y2.shape.as_list()
        with pytest.raises(ValueError, match="f has 1 functions for 2 layers"):
            layers.rev_block(y1, y2, [self.f], self.f, 2)

    @pytest.mark.parametrize("tupleize", [False, True])
    def test_recompute_grad(self, tupleize):
        runs = []

        @layers.recompute_grad if not tupleize else (lambda fn: layers.recompute_grad(fn, tupleize_grads=True))
        def function(x, is_recomputing=False):
            runs.append(is_recomputing)
            with tf.variable_scope("fn"):
                return tf.nn.relu(x * tf.get_variable("w", [3], initializer=tf.constant_initializer(2.0)))

        x = tf.constant([1.0, -2.0, 3.0])
        y = function(x)
        (w,) = tf.trainable_variables()
        of_x, of_w = tf.gradients(y * y, [x, w])
        assert runs == [False, True]
        values = evaluate([y, of_x, of_w])
        np.testing.assert_allclose(values, [[2, 0, 6], [8, 0, 24], [4, 0, 36]])
        with pytest.raises(ValueError, match="closes over Tensor"):
            layers.recompute_grad(lambda z: z + y)
        with pytest.raises(ValueError, match="All inputs to function must be Tensors"):
            function(3.0)


def test_small_functions():
    assert layers.two_element_tuple(3) == (3, 3) and layers.n_positive_integers(2, [4, 5]) == (4, 5)
    shape = tf.TensorShape([None, 3, 5])
    assert layers.last_dimension(shape) == 5 and layers.channel_dimension(shape, "channels_first") == 3
    assert layers.static_cond(False, lambda: 1, lambda: 2) == 2
    assert layers.smart_cond(tf.constant(True), lambda: 1, lambda: 2) == 1
    assert layers.constant_value(tf.Variable(True)) is None
    w = tf.Variable([3.0, -4.0])
    tf.add_to_collection(tf.GraphKeys.WEIGHTS, w)
    total = layers.apply_regularization(layers.l1_l2_regularizer(0.5, 2.0))
    assert evaluate([total, layers.l1_l2_regularizer(0.0, 2.0)(w)]) == [28.5, 25.0]
    assert layers.sum_regularizer([None]) is None and layers.l1_regularizer(0.0)(w) is None


class TestSummaries:
    def tags(self, summary):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values = tf.Summary.FromString(sess.run(summary)).value
        return {v.tag: v.simple_value if v.HasField("simple_value") else v.histo.num for v in values}

    def test_activations(self):
        x = tf.constant([-1.0, 3.0, 7.0, 8.0])
        outputs = [tf.nn.relu(x, name="a"), tf.nn.relu6(x, name="b"), tf.tanh(x, name="c")]
        for output in outputs:
            tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, output)
        assert len(layers.summarize_activations()) == 3
        wanted = {"a/zeros": 0.25, "a/activation": 4, "b/zeros": 0.25, "b/sixes": 0.5, "b/activation": 4}
        assert self.tags(tf.summary.merge_all()) == wanted | {"c/activation": 4}

    def test_tensors(self):
        one, two = tf.constant(1.0, name="one"), tf.constant([1.0, 2.0], name="two")
        assert self.tags(layers.summarize_tensor(one)) == {"one_summary": 1}
        assert self.tags(layers.summarize_tensor(two, "mine")) == {"mine": 2}
        assert layers.summarize_tensors([tf.constant("a"), tf.constant(True)]) == [None, None]
        assert layers.summarize_tensors([one, two], lambda t: t.op.name) == ["one", "two"]

    def test_collections(self):
        layers.fully_connected(tf.ones([2, 3]), 4, scope="first")
        layers.fully_connected(tf.ones([2, 3]), 4, scope="second")
        assert len(layers.summarize_variables()) == 4
        [summary] = layers.summarize_variables("first/b")
        assert self.tags(summary) == {"first/biases_summary_1": 4}
        for variable in tf.global_variables("first"):
            tf.add_to_collection(variable.op.name.rpartition("/")[2], variable)
        assert layers.summarize_weights(summarizer=lambda v: v.op.name) == ["first/weights"]
        assert layers.summarize_biases(summarizer=lambda v: v.op.name) == ["first/biases"]
