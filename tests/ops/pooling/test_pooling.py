"""Pooling: error texts, NaN, wrappers."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.pooling import pooling as records
from tfcore.testing import cpu_level, cpu_levels, evaluate

R = np.random.default_rng(4)
TWO = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}


def _image(*shape):
    return R.uniform(-1, 1, shape).astype(np.float32)


def _run(tensor, feeds=None):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor, feeds)


def _window(values):
    """One window of 2x2, in 17 channels so that vectors and their rest are both used."""
    return np.repeat(np.array(values, np.float32).reshape(1, 2, 2, 1), 17, axis=3)


@pytest.mark.parametrize("size", [0, -1])
@pytest.mark.parametrize("pool", [tf.nn.max_pool, tf.nn.avg_pool, tf.nn.max_pool_with_argmax])
def test_empty_windows_are_refused_when_building(pool, size):
    for shape in ([1, 8, 8, 3], None):
        with tf.Graph().as_default(), pytest.raises(ValueError, match=rf"`ksize` cannot be zero.*\[1, {size}, 2, 1\]"):
            pool(tf.placeholder(tf.float32, shape), [1, size, 2, 1], [1, 1, 1, 1], "SAME")
        with tf.Graph().as_default(), pytest.raises(ValueError, match=rf"Stride must be > 0, but got {size}"):
            pool(tf.placeholder(tf.float32, shape), [1, 2, 2, 1], [1, size, 1, 1], "SAME")


# ---- Values that comparisons treat in their own way


LOWEST = np.finfo(np.float32).min


@pytest.mark.parametrize(
    "values, expected",
    [
        ([1, np.nan, 3, 2], 3),
        ([np.nan, 1, 3, 2], 3),
        ([1, 2, 3, np.nan], 3),
        ([np.nan] * 4, LOWEST),
        ([-np.inf] * 4, LOWEST),
        ([-np.inf, np.inf, 0, 1], np.inf),
    ],
)
def test_max_of_nan_and_infinity(values, expected):
    y = evaluate("MaxPool", _window(values), **TWO)
    np.testing.assert_array_equal(y, np.full((1, 1, 1, 17), expected, np.float32))


@pytest.mark.parametrize("values, at", [([1, 3, 3, 2], 1), ([1, np.nan, 3, np.nan], 2), ([2, 2, 2, 2], 0)])
def test_gradient_goes_to_the_first_maximum(values, at):
    x, one = _window(values), np.ones((1, 1, 1, 17), np.float32)
    dx = evaluate("MaxPoolGrad", x, one, one, **TWO)
    expected = np.zeros((4, 17), np.float32)
    expected[at] = 1
    np.testing.assert_array_equal(dx.reshape(4, 17), expected)


@pytest.mark.parametrize("channels", [16, 17, 64])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_gradient_in_the_memory_of_the_input(channels, padding):
    attrs = {**TWO, "padding": padding, "data_format": "NHWC"}
    values = _image(3, 7, 8, channels)
    x = tf.placeholder(tf.float32, values.shape)
    layer = tf.nn.relu(x * 2.0)  # needed by the gradient alone, once the pool is done
    y = tf.nn.max_pool(layer, **attrs)
    g = R.standard_normal(y.shape.as_list()).astype(np.float32)
    (dx,) = tf.gradients(y, x, [tf.constant(g)])
    kept = np.maximum(values * 2, 0)
    expected = np.where(kept > 0, records._max_pool_grad(kept, None, g, **attrs), 0) * 2
    for level in cpu_levels():
        with cpu_level(level), tf.Session() as session:
            np.testing.assert_array_equal(session.run(dx, {x: values}), expected)
            both = session.run([dx, layer], {x: values})  # now the input is needed afterwards too
            np.testing.assert_array_equal(both[0], expected)
            np.testing.assert_array_equal(both[1], kept)


def test_fused_gradient_of_nan():
    """NaN is not positive, so nothing goes there; a NaN that comes back is passed on."""
    x = _window([np.nan, np.nan, np.nan, np.nan])
    one = np.ones((1, 1, 1, 17), np.float32)
    assert not evaluate("_MaxPoolGradRelu", x, one, one, **TWO).any()
    dx = evaluate("_MaxPoolGradRelu", _window([0, 2, 1, 2]), one, one * np.nan, **TWO)
    assert np.isnan(dx[0, 0, 1]).all() and not dx[0, 1].any() and not dx[0, 0, 0].any()


def test_fused_gradient_has_no_gradient():
    one = tf.placeholder(tf.float32, [1, 1, 1, 17])
    y = tf.raw_ops._MaxPoolGradRelu(_window([0, 1, 2, 3]), one, one, **TWO)
    with pytest.raises(LookupError, match="_MaxPoolGradRelu is made by the compiler"):
        tf.gradients(y, one)


def test_windows_that_overlap_in_many_channels():
    x, g = _image(2, 9, 9, 70), _image(2, 9, 9, 70)
    attrs = {"ksize": [1, 3, 3, 1], "strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC"}
    y = records.max_pool(x, **attrs)
    dx = evaluate("MaxPoolGrad", x, y, g, **attrs)
    np.testing.assert_allclose(dx, records._max_pool_grad(x, y, g, **attrs), atol=1e-5)


def test_a_window_of_more_pixels_than_a_byte_counts():
    x = R.integers(-100, 100, (1, 14, 13, 64)).astype(np.int8)
    attrs = {"ksize": [1, 14, 13, 1], "strides": [1, 14, 13, 1], "padding": "VALID", "data_format": "NHWC"}
    y, g = records.max_pool(x, **attrs), np.full((1, 1, 1, 64), 7, np.int8)
    dx = evaluate("MaxPoolGrad", x, y, g, **attrs)
    np.testing.assert_array_equal(dx, records._max_pool_grad(x, y, g, **attrs))


def test_pool_over_depth():
    x = _image(2, 3, 3, 6)
    y = evaluate("MaxPool", x, ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="SAME")
    np.testing.assert_array_equal(y, x.reshape(2, 3, 3, 2, 3).max(axis=4))


def test_explicit_padding():
    x = _image(1, 4, 4, 3) - 2
    attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "EXPLICIT"}
    y = evaluate("MaxPool", x, explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0], **attrs)
    padded = np.pad(x, ((0, 0), (1, 0), (0, 1), (0, 0)), constant_values=-9)
    np.testing.assert_array_equal(
        y, records.max_pool(padded, ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
    )
    with tf.Graph().as_default():
        t = tf.constant(x)
        loss = tf.nn.max_pool(t, 2, 1, [[0, 0], [1, 0], [0, 1], [0, 0]])
        assert _run(tf.gradients(loss, t)[0]).sum() == y.size


# ---- Errors


GRAPH_ERRORS = [
    ([1, 2, 3], {}, "Shape must be rank 4 but is rank 3"),
    (
        [1, 1, 1, 3],
        {"ksize": [1, 3, 3, 1], "padding": "VALID"},
        "Negative dimension size caused by subtracting 3 from 1",
    ),
    ([1, 4, 4, 3], {"strides": [1, 0, 3, 1]}, "Stride must be > 0, but got 0"),
    ([1, 4, 4, 3], {"ksize": [1, 2, 2]}, "less than minimum 4"),
]


@pytest.mark.parametrize("op", ["MaxPool", "AvgPool"])
@pytest.mark.parametrize("shape, changes, text", GRAPH_ERRORS)
def test_graph_errors(op, shape, changes, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        getattr(tf.raw_ops, op)(tf.placeholder(tf.float32, shape), **{**TWO, **changes})


RUN_ERRORS = [
    ([1, 2, 3], {}, tf.errors.InvalidArgumentError, "must be 4-dimensional"),
    (
        [4, 4, 4, 3],
        {"ksize": [2, 2, 2, 1]},
        tf.errors.UnimplementedError,
        "Pooling is not yet supported on the batch dimension",
    ),
    ([4, 4, 4, 3], {"strides": [2, 1, 1, 1]}, tf.errors.UnimplementedError, "not yet supported on the batch"),
    (
        [1, 1, 1, 3],
        {"ksize": [1, 4, 3, 1], "padding": "VALID"},
        tf.errors.InvalidArgumentError,
        "Computed output size would be negative",
    ),
    ([1, 4, 4, 4], {"ksize": [1, 2, 2, 2]}, tf.errors.UnimplementedError, "depth"),
]


@pytest.mark.parametrize("op", ["MaxPool", "AvgPool"])
@pytest.mark.parametrize("shape, changes, kind, text", RUN_ERRORS)
def test_run_errors(op, shape, changes, kind, text):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        y = getattr(tf.raw_ops, op)(x, **{**TWO, **changes})
        with pytest.raises(kind, match=text):
            _run(y, {x: np.zeros(shape, np.float32)})


def test_empty_window_that_is_known_only_when_running():
    with tf.Graph().as_default():
        ksize = tf.placeholder(tf.int32, [4])
        y = tf.raw_ops.MaxPoolV2(tf.ones([1, 4, 4, 3]), ksize, [1, 1, 1, 1], padding="SAME")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Sliding window ksize must be positive"):
            _run(y, {ksize: [1, 0, 3, 1]})


def test_depth_windows_must_divide():
    with tf.Graph().as_default():
        x = tf.constant(_image(1, 2, 2, 4))
        window = [1, 1, 1, 3]
        y = tf.raw_ops.MaxPool(x, ksize=window, strides=window, padding="VALID")
        with pytest.raises(tf.errors.UnimplementedError, match="evenly divide the input depth"):
            _run(y)


GRADIENT_ERRORS = [
    ([1, 2, 2, 1], [1, 2, 1, 1], r"Expected grad shape to be \[1,2,2,1\], but got \[1,2,1,1\]"),
    ([1, 2, 1, 1], [1, 2, 2, 1], r"Expected orig_output shape to be \[1,2,2,1\], but got \[1,2,1,1\]"),
]


@pytest.mark.parametrize("output, grad, text", GRADIENT_ERRORS)
def test_gradient_errors(output, grad, text):
    with tf.Graph().as_default():
        y = tf.raw_ops.MaxPoolGrad(_image(1, 4, 4, 1), _image(*output), _image(*grad), **TWO)
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(y)


@pytest.mark.parametrize("index", [-1, 16])
def test_argmax_outside_of_the_image(index):
    with tf.Graph().as_default():
        x, g = _image(1, 4, 4, 1), _image(1, 2, 2, 1)
        at = np.full((1, 2, 2, 1), index, np.int64)
        with pytest.raises(tf.errors.InvalidArgumentError, match="output_index"):
            _run(tf.raw_ops.MaxPoolGradWithArgmax(x, g, at, **TWO))


# ---- Wrappers


def test_names_and_shapes():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 5, None, 3])
        for op in ("max_pool", "avg_pool"):
            y = getattr(tf.nn, op)(x, 2, 2, "SAME")
            assert y.op.name == y.op.type == {"max_pool": "MaxPool", "avg_pool": "AvgPool"}[op]
            assert y.shape.as_list() == [None, 3, None, 3]
        assert tf.nn.max_pool(x, [1, 2, 2, 1], [1, 1, 1, 1], "VALID", name="here").op.name == "here"
        values, positions = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        assert values.shape.as_list() == positions.shape.as_list() == [None, 3, None, 3]
        assert positions.dtype == tf.int64


def test_pools_of_sequences():
    x = _image(2, 9, 3)
    window = {"ksize": [1, 1, 2, 1], "strides": [1, 1, 2, 1], "padding": "SAME", "data_format": "NHWC"}
    with tf.Graph().as_default():
        ys = [
            tf.nn.max_pool1d(x, 2, 2, "SAME"),
            tf.nn.max_pool_v2(x, 2, 2, "SAME"),
            tf.nn.pool(x, [2], "MAX", "SAME", strides=[2]),
            tf.nn.avg_pool1d(x, 2, 2, "SAME"),
            tf.nn.avg_pool1d(x.transpose(0, 2, 1), 2, 2, "SAME", data_format="NCW"),
        ]
        with tf.Session() as session:
            *maxima, means, turned = session.run(ys)
    for y in maxima:
        np.testing.assert_array_equal(y, records.max_pool(x[:, None], **window)[:, 0])
    np.testing.assert_allclose(means, records._avg_pool(x[:, None], **window)[:, 0], rtol=1e-6)
    np.testing.assert_array_equal(turned, means.transpose(0, 2, 1))


def test_pool_arguments():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1, 5, 5, 3])
        assert tf.nn.pool(x, [2, 2], "AVG", "SAME").op.type == "AvgPool"
        with pytest.raises(ValueError, match="not supported in conjunction"):
            tf.nn.pool(x, [2, 2], "MAX", "VALID", strides=[2, 2], dilation_rate=[2, 2])
        with pytest.raises(ValueError, match="'SAME' padding is not implemented"):
            tf.nn.pool(x, [2, 2], "MAX", "SAME", dilation_rate=[2, 2])
        with pytest.raises(ValueError, match="pooling_type"):
            tf.nn.pool(x, [2, 2], "MEDIAN", "SAME")


@pytest.mark.parametrize("kind, reference", [("MAX", np.max), ("AVG", np.mean)])
@pytest.mark.parametrize("shape", [(2, 9, 8, 3), (1, 7, 11, 2)])
def test_dilated_pool(kind, reference, shape):
    x = _image(*shape)
    with tf.Graph().as_default():
        pooled = tf.nn.pool(x, [2, 3], kind, "VALID", dilation_rate=[2, 3])
        first = x.transpose(0, 3, 1, 2)
        turned = tf.nn.pool(first, [2, 3], kind, "VALID", dilation_rate=[2, 3], data_format="NCHW")
        y, channels_first = _run(pooled), _run(turned)
    h, w = shape[1] - 2, shape[2] - 6
    assert pooled.shape.as_list() == [shape[0], h, w, shape[3]]
    assert turned.shape.as_list() == [shape[0], shape[3], h, w]
    np.testing.assert_array_equal(channels_first.transpose(0, 2, 3, 1), y)
    views = [x[:, 2 * i : 2 * i + h, 3 * j : 3 * j + w] for i in range(2) for j in range(3)]
    np.testing.assert_allclose(y, reference(np.stack(views), axis=0), atol=1e-6)
