"""tf.layers: values against NumPy, names, sharing, and the bookkeeping of batch normalization."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def _run(fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def _random(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


class TestDense:
    def test_value_and_names(self):
        x = _random(5, 3)
        y = tf.layers.dense(x, 4, activation=tf.nn.relu)
        kernel, bias = tf.trainable_variables()
        assert (kernel.name, bias.name) == ("dense/kernel:0", "dense/bias:0")
        assert y.op.name == "dense/Relu" and y.shape.as_list() == [5, 4]
        value, k, b = _run([y, kernel, bias])
        np.testing.assert_allclose(value, np.maximum(x @ k + b, 0), rtol=1e-5, atol=1e-6)

    def test_higher_rank(self):
        x = _random(2, 5, 3)
        y = tf.layers.dense(x, 4, use_bias=False)
        (kernel,) = tf.trainable_variables()
        value, k = _run([y, kernel])
        assert y.shape.as_list() == [2, 5, 4]
        np.testing.assert_allclose(value, x @ k, rtol=1e-5, atol=1e-6)

    def test_each_call_of_the_function_is_a_new_layer(self):
        x = tf.zeros([1, 2])
        tf.layers.dense(x, 2)
        tf.layers.dense(x, 2)
        tf.layers.dense(x, 2, name="mine")
        assert [v.name for v in tf.global_variables()[::2]] == ["dense/kernel:0", "dense_1/kernel:0", "mine/kernel:0"]

    def test_sharing_by_name(self):
        x = tf.zeros([1, 2])
        tf.layers.dense(x, 2, name="mine")
        with pytest.raises(ValueError, match="Variable mine/kernel already exists"):
            tf.layers.dense(x, 2, name="mine")
        tf.layers.dense(x, 2, name="mine", reuse=True)
        assert len(tf.global_variables()) == 2

    def test_sharing_by_object(self):
        layer = tf.layers.Dense(2)
        a, b = layer(tf.ones([1, 3])), layer(tf.ones([4, 3]))
        assert layer.variables == tf.global_variables() == [layer.kernel, layer.bias]
        assert (layer.name, layer.scope_name) == ("dense_1", "dense")
        first, second = _run([a, b])
        np.testing.assert_allclose(second, np.repeat(first, 4, 0))

    def test_settings(self):
        y = tf.layers.dense(
            tf.ones([1, 2]),
            3,
            kernel_initializer=tf.ones_initializer(),
            bias_initializer=tf.constant_initializer(2.0),
            kernel_regularizer=lambda v: tf.reduce_sum(v),
            activity_regularizer=lambda v: tf.reduce_sum(v) * 10.0,
            trainable=False,
        )
        losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        assert not tf.trainable_variables()
        value, kernel_loss, activity_loss = _run([y, *losses])
        assert value.tolist() == [[4.0] * 3] and kernel_loss == 6.0 and activity_loss == 120.0

    def test_unknown_size(self):
        with pytest.raises(ValueError, match="The last dimension of the inputs to a Dense layer should be defined"):
            tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 3)


class TestImages:
    @pytest.mark.parametrize("padding, size", [("valid", 4), ("same", 6)])
    def test_conv2d(self, padding, size):
        x = _random(2, 6, 6, 3)
        y = tf.layers.conv2d(x, 5, 3, padding=padding, bias_initializer=tf.ones_initializer())
        kernel, bias = tf.trainable_variables()
        assert (kernel.name, kernel.shape.as_list()) == ("conv2d/kernel:0", [3, 3, 3, 5])
        assert y.shape.as_list() == [2, size, size, 5]
        value, k = _run([y, kernel])
        border = (size - 4) // 2
        padded = np.pad(x, [(0, 0), (border, border), (border, border), (0, 0)])
        expected = np.ones((2, size, size, 5))
        for i in range(3):
            for j in range(3):
                expected += padded[:, i : i + size, j : j + size] @ k[i, j]
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)

    def test_conv2d_strides_and_activation(self):
        y = tf.layers.conv2d(tf.zeros([1, 7, 9, 2]), 4, [3, 2], strides=(2, 3), activation=tf.nn.relu, name="c")
        assert y.shape.as_list() == [1, 3, 3, 4] and y.op.name == "c/Relu"

    def test_pooling(self):
        x = _random(1, 4, 4, 2)
        windows = x.reshape(1, 2, 2, 2, 2, 2)
        largest, mean = _run([tf.layers.max_pooling2d(x, 2, 2), tf.layers.average_pooling2d(x, (2, 2), 2)])
        np.testing.assert_allclose(largest, windows.max((2, 4)))
        np.testing.assert_allclose(mean, windows.mean((2, 4)), rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize(
        "arguments, message",
        [
            ({"kernel_size": (1, 2, 3)}, "`kernel_size` argument must be a tuple of 2 integers"),
            ({"kernel_size": 3, "padding": "full"}, "`padding` argument must be one of"),
            ({"kernel_size": 3, "data_format": "rows"}, "`data_format` argument must be one of"),
        ],
    )
    def test_bad_arguments(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            tf.layers.conv2d(tf.zeros([1, 4, 4, 1]), 2, **arguments)


class TestFlatten:
    def test_known(self):
        x = _random(2, 3, 4)
        y = tf.layers.flatten(x)
        assert y.shape.as_list() == [2, 12]
        np.testing.assert_array_equal(_run(y), x.reshape(2, 12))

    @pytest.mark.parametrize("shape", [[None, 3, 4], [None, None, 4], [2, None, 4], None])
    def test_unknown(self, shape):
        x = tf.placeholder(tf.float32, shape)
        value = _random(2, 3, 4)
        np.testing.assert_array_equal(_run(tf.layers.flatten(x), {x: value}), value.reshape(2, 12))

    def test_of_a_vector(self):
        assert _run(tf.layers.flatten(tf.zeros([3]))).shape == (3, 1)


class TestDropout:
    def test_constant(self):
        x = tf.ones([1000])
        kept, dropped = _run([tf.layers.dropout(x, 0.75), tf.layers.dropout(x, 0.75, training=True, seed=1)])
        assert (kept == 1).all()
        assert set(dropped) == {0.0, 4.0} and 180 < np.count_nonzero(dropped) < 320

    def test_fed(self):
        training = tf.placeholder(tf.bool, [])
        y = tf.layers.dropout(tf.ones([1000]), 0.75, training=training, seed=1)
        assert (_run(y, {training: False}) == 1).all()
        assert set(_run(y, {training: True})) == {0.0, 4.0}


class TestBatchNormalization:
    @pytest.mark.parametrize("shape", [(50, 4), (6, 3, 5, 4)])
    def test_training(self, shape):
        x = 3 * _random(*shape) + 1
        y = tf.layers.batch_normalization(x, training=True, momentum=0.75, epsilon=1e-3)
        names = [v.op.name for v in tf.global_variables()]
        assert names == [f"batch_normalization/{n}" for n in ("gamma", "beta", "moving_mean", "moving_variance")]
        assert len(tf.trainable_variables()) == 2
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        assert len(updates) == 2
        mean, variance = tf.global_variables()[2:]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            value = sess.run(y)
            sess.run(updates)
            moving_mean, moving_variance = sess.run([mean, variance])
        axes = tuple(range(len(shape) - 1))
        m, v = x.mean(axes), x.var(axes)
        np.testing.assert_allclose(value, (x - m) / np.sqrt(v + 1e-3), rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(moving_mean, 0.25 * m, rtol=1e-3, atol=1e-5)
        count = x.size // 4
        corrected = v * count / (count - 1) if len(shape) == 4 else v  # the fused operation corrects for the size
        np.testing.assert_allclose(moving_variance, 0.75 + 0.25 * corrected, rtol=1e-3)

    @pytest.mark.parametrize("shape", [(5, 4), (2, 3, 5, 4)])
    def test_inference_uses_the_moving_averages(self, shape):
        x = _random(*shape)
        y = tf.layers.batch_normalization(
            x,
            gamma_initializer=tf.constant_initializer(2.0),
            beta_initializer=tf.constant_initializer(1.0),
            moving_mean_initializer=tf.constant_initializer(0.5),
            moving_variance_initializer=tf.constant_initializer(4.0),
        )
        assert not tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        np.testing.assert_allclose(_run(y), (x - 0.5) / np.sqrt(4.001) * 2 + 1, rtol=1e-4, atol=1e-5)

    def test_training_may_be_fed(self):
        training = tf.placeholder(tf.bool, [])
        x = 3 * _random(20, 4) + 1
        y = tf.layers.batch_normalization(x, training=training, momentum=0.75)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        mean = tf.global_variables()[2]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(updates, {training: False})
            assert not sess.run(mean).any()
            np.testing.assert_allclose(sess.run(y, {training: False}), x / np.sqrt(1.001), rtol=1e-5)
            sess.run(updates, {training: True})
            np.testing.assert_allclose(sess.run(mean), 0.25 * x.mean(0), rtol=1e-5)
            np.testing.assert_allclose(sess.run(y, {training: True}).mean(0), 0, atol=1e-5)

    def test_other_axis(self):
        x = _random(6, 4, 5)
        y = tf.layers.batch_normalization(x, axis=1, training=True, center=False, scale=False)
        m, v = x.mean((0, 2), keepdims=True), x.var((0, 2), keepdims=True)
        assert not tf.trainable_variables()
        np.testing.assert_allclose(_run(y), (x - m) / np.sqrt(v + 1e-3), rtol=1e-3, atol=1e-4)

    def test_a_net_learns(self):
        x = tf.constant(_random(32, 6, 6, 1))
        labels = tf.constant(np.random.default_rng(1).integers(0, 2, 32))
        h = tf.layers.conv2d(x, 4, 3, activation=tf.nn.relu)
        h = tf.layers.batch_normalization(h, training=True)
        h = tf.layers.max_pooling2d(h, 2, 2)
        logits = tf.layers.dense(tf.layers.flatten(h), 2)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.AdamOptimizer(0.01).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            before = sess.run(loss)
            for _ in range(30):
                sess.run(train)
            assert sess.run(loss) < 0.7 * before
