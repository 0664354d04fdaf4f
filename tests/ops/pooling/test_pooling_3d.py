"""Pools of volumes: ties, special values, shapes, refusals, threads."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.pooling import pooling_3d as records
from tfcore.testing import cpu_level, cpu_levels, evaluate

R = np.random.default_rng(3)


def _run(tensors, feeds=None, **config):
    with tf.Session(config=tf.ConfigProto(**config)) as session:
        return session.run(tensors, feeds)


def test_all_values_close_to_the_maximum_get_the_gradient():
    """As in TensorFlow, and unlike the pools of images."""
    x = np.float32([1, 1, 1 + 5e-6, 1 - 2e-5, 0.5, -3, np.nan, 0]).reshape(1, 2, 2, 2, 1)
    with tf.Graph().as_default():
        x = tf.constant(np.repeat(x, 40, axis=4))
        y = tf.nn.max_pool3d(x, 2, 2, "SAME")
        grad = tf.gradients(y, x, tf.fill(y.shape, 7.0))[0]
        for level in cpu_levels():
            with cpu_level(level):
                value = _run(grad)
            expected = np.float32([7, 7, 7, 0, 0, 0, 0, 0]).reshape(1, 2, 2, 2, 1)
            np.testing.assert_array_equal(value, np.repeat(expected, 40, axis=4))


def test_second_gradient_is_at_the_first_maximum():
    x = np.float32([2, 1, 2, 0, 2, 2, 1, 0]).reshape(1, 2, 2, 2, 1)
    with tf.Graph().as_default():
        x = tf.constant(x)
        y = tf.nn.max_pool3d(x, 2, 2, "VALID")
        out = tf.ones_like(y)
        grad = tf.gradients(y, x, out)[0]
        second = tf.gradients(grad, out, tf.reshape(tf.range(3.0, 11.0), [1, 2, 2, 2, 1]))[0]
        assert _run(second).ravel() == [3]


def test_special_values():
    nan, inf = np.nan, np.inf
    x = np.float32([nan, 1, nan, inf, nan, nan, -inf, nan]).reshape(1, 2, 2, 2, 1)
    with tf.Graph().as_default():
        value = _run(tf.nn.max_pool3d(x, [1, 1, 2], 1, "VALID")).ravel()
    np.testing.assert_array_equal(value, np.float32([1, inf, np.finfo(np.float32).min, -np.finfo(np.float32).max]))


@pytest.mark.parametrize("channels", [1, 16, 50])
def test_threads_change_nothing(channels):
    x = R.normal(size=(2, 9, 20, 21, channels)).astype(np.float32)
    with tf.Graph().as_default():
        x = tf.constant(x)
        values = []
        for pool in (tf.nn.max_pool3d, tf.nn.avg_pool3d):
            y = pool(x, [2, 3, 3], [1, 2, 2], "SAME")
            values += [y, tf.gradients(y * y, x)[0]]
        for one, three in zip(*(_run(values, intra_op_parallelism_threads=n) for n in (1, 3))):
            np.testing.assert_array_equal(one, three)


def test_empty_batch():
    attrs = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
    x, y = np.zeros((0, 4, 4, 4, 3), np.float32), np.zeros((0, 2, 2, 2, 3), np.float32)
    assert evaluate("MaxPool3D", x, **attrs).shape == y.shape
    assert evaluate("AvgPool3D", x, **attrs).shape == y.shape
    assert evaluate("MaxPool3DGrad", x, y, y, **attrs).shape == x.shape
    assert evaluate("MaxPool3DGradGrad", x, y, x, **attrs).shape == y.shape
    assert evaluate("AvgPool3DGrad", np.array(x.shape, np.int32), y, **attrs).shape == x.shape


def test_large_windows():
    """More values in a window than a byte counts, and a window of the whole volume."""
    x = R.normal(size=(1, 8, 9, 10, 20)).astype(np.float32)
    for window, padding in (([8, 9, 10], "VALID"), ([7, 7, 7], "SAME"), ([20, 20, 20], "SAME")):
        attrs = {"ksize": [1, *window, 1], "strides": [1, 2, 3, 1, 1], "padding": padding, "data_format": "NDHWC"}
        np.testing.assert_array_equal(evaluate("MaxPool3D", x, **attrs), records.max_pool3d(x, **attrs))
        mean = records.avg_pool3d(x.astype(np.float64), **attrs)
        np.testing.assert_allclose(evaluate("AvgPool3D", x, **attrs), mean, atol=1e-5)


# ---- Shapes


def test_shapes_with_unknown_sizes():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        assert tf.nn.max_pool3d(x, 2, 2, "SAME").shape.as_list() == [None] * 5
        x = tf.placeholder(tf.float32, [None, 5, None, 7, 3])
        y = tf.nn.avg_pool3d(x, [2, 1, 3], [2, 1, 1], "VALID")
        assert y.shape.as_list() == [None, 2, None, 5, 3]
        assert tf.gradients(y, x)[0].shape.as_list() == [None, 5, None, 7, 3]


# ---- Refusals


@pytest.mark.parametrize(
    "shape, ksize, strides, padding, text",
    [
        ((2, 2, 2, 2), 2, 1, "SAME", "Shape must be rank 5 but is rank 4"),
        ((1, 2, 2, 2, 2), [1, 2, 2, 1], 1, "SAME", "ksize should be of length 1, 3 or 5"),
        ((1, 2, 2, 2, 2), 2, [1, 2], "SAME", "strides should be of length 1, 3 or 5"),
        ((1, 2, 2, 2, 2), 2, [1, 0, 1, 1, 1], "SAME", "Stride must be > 0, but got 0"),
        ((1, 2, 2, 2, 2), 3, 1, "VALID", "Negative dimension size caused by subtracting 3 from 2"),
        ((1, 2, 2, 2, 2), 2, 1, "EXPLICIT", "is not in the list of allowed values"),
    ],
)
@pytest.mark.parametrize("pool", ["max_pool3d", "avg_pool3d"])
def test_refused_when_built(pool, shape, ksize, strides, padding, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        getattr(tf.nn, pool)(tf.ones(shape), ksize, strides, padding)


@pytest.mark.parametrize(
    "shape, ksize, error, text",
    [
        ((2, 2, 2, 2), 2, tf.errors.InvalidArgumentError, "tensor_in must be 5-dimensional"),
        ((1, 2, 2, 2, 2), [2, 1, 1, 1, 1], tf.errors.UnimplementedError, "not yet supported on the batch dimension"),
        ((1, 2, 2, 2, 2), [1, 1, 1, 1, 2], tf.errors.UnimplementedError, "not yet supported on the depth dimension"),
        ((1, 2, 2, 2, 2), [1, 0, 1, 1, 1], tf.errors.InvalidArgumentError, "Sliding window ksize must be positive"),
        ((1, 2, 2, 2, 2), 4, tf.errors.InvalidArgumentError, "Computed output size would be negative"),
    ],
)
@pytest.mark.parametrize("pool", ["max_pool3d", "avg_pool3d"])
def test_refused_when_run(pool, shape, ksize, error, text):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        y = getattr(tf.nn, pool)(x, ksize, 1, "VALID")
        with pytest.raises(error, match=text):
            _run(y, {x: np.ones(shape)})


WINDOW = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}


@pytest.mark.parametrize(
    "op, shapes, text",
    [
        ("MaxPool3DGrad", [(1, 4, 4, 4, 1), (1, 2, 2, 3, 1), (1, 2, 2, 2, 1)], "Expected orig_output shape to be"),
        ("MaxPool3DGrad", [(1, 4, 4, 4, 1), (1, 2, 2, 2, 1), (1, 2, 2, 3, 1)], "Expected grad shape to be"),
        ("MaxPool3DGrad", [(1, 4, 4, 4, 1), (1, 2, 2, 2, 1), (8,)], "out_backprop must be 5-dimensional"),
        ("MaxPool3DGradGrad", [(1, 4, 4, 4, 1), (1, 2, 2, 3, 1), (1, 4, 4, 4, 1)], "Expected orig_output shape to be"),
        ("MaxPool3DGradGrad", [(1, 4, 4, 4, 1), (1, 2, 2, 2, 1), (1, 4, 4, 3, 1)], "Expected grad shape to be"),
    ],
)
def test_wrong_shapes_of_gradients(op, shapes, text):
    with tf.Graph().as_default():
        feeds = {tf.placeholder(tf.float32): np.ones(shape) for shape in shapes}
        y = getattr(tf.raw_ops, op)(*feeds, **WINDOW)
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(y, feeds)


@pytest.mark.parametrize(
    "sizes, text",
    [
        ([1, 4, 4, 4], "orig_input must be 1-dimensional and 5 elements"),
        ([1, -4, 4, 4, 1], "negative or too large"),
        ([2**31 - 1] * 5, "negative or too large"),
        ([1, 5, 4, 4, 1], "Expected grad shape to be"),
    ],
)
def test_wrong_sizes_of_means(sizes, text):
    with tf.Graph().as_default():
        where = tf.placeholder(tf.int32)
        y = tf.raw_ops.AvgPool3DGrad(where, tf.ones([1, 2, 2, 2, 1]), **WINDOW)
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(y, {where: sizes})


def test_types():
    with tf.Graph().as_default():
        for dtype in (tf.int32, tf.float64):
            with pytest.raises(TypeError, match=f"has DataType {dtype.name} not in list of allowed values"):
                tf.nn.max_pool3d(tf.ones([1, 2, 2, 2, 1], dtype), 2, 1, "SAME")
