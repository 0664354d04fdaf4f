"""tf.layers: convolutions and pooling of sequences and images, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf


def run(build):
    """The outputs and the values of the variables of a new graph."""
    with tf.Graph().as_default(), tf.Session() as sess:
        outputs = build()
        for v in tf.global_variables():
            v.load(np.random.default_rng(1).normal(size=v.shape.as_list()), sess)
        assert sess.run(outputs).shape == tuple(outputs.shape.as_list())
        return sess.run(outputs), [sess.run(v) for v in tf.global_variables()]


def padded(x, kernel, stride, rate, padding):
    size, field = x.shape[1], (kernel - 1) * rate + 1
    if padding == "valid":
        return x
    total = field - 1 if padding == "causal" else max((-(-size // stride) - 1) * stride + field - size, 0)
    before = total if padding == "causal" else total // 2
    return np.pad(x, [(0, 0), (before, total - before), (0, 0)])


def correlate(x, kernel, stride, rate):
    """[batch, width, in], [k, in, out] -> [batch, out_width, out]"""
    count = (x.shape[1] - (len(kernel) - 1) * rate - 1) // stride + 1
    return sum(x[:, i * rate : i * rate + (count - 1) * stride + 1 : stride] @ tap for i, tap in enumerate(kernel))


sizes = {
    "width": st.integers(5, 9),
    "kernel": st.integers(1, 3),
    "step": st.sampled_from([(1, 1), (2, 1), (3, 1), (1, 2)]),
    "padding": st.sampled_from(["same", "valid", "causal"]),
    "first": st.booleans(),
}


@settings(max_examples=30, deadline=None)
@given(**sizes)
def test_conv1d(width, kernel, step, padding, first):
    x = np.random.default_rng(0).normal(size=(2, width, 3)).astype(np.float32)
    stride, rate = step

    def build():
        data = x.transpose(0, 2, 1) if first else x
        layout = "channels_first" if first else "channels_last"
        return tf.layers.conv1d(data, 4, kernel, stride, padding, layout, rate, activation="tanh")

    value, (weights, bias) = run(build)
    expected = np.tanh(correlate(padded(x, kernel, stride, rate, padding), weights, stride, rate) + bias)
    np.testing.assert_allclose(value, expected.transpose(0, 2, 1) if first else expected, rtol=1e-4, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(**sizes)
def test_separable_conv1d(width, kernel, step, padding, first):
    x = np.random.default_rng(0).normal(size=(2, width, 3)).astype(np.float32)
    stride, rate = step

    def build():
        data = x.transpose(0, 2, 1) if first else x
        layout = "channels_first" if first else "channels_last"
        return tf.layers.separable_conv1d(data, 4, kernel, stride, padding, layout, rate, depth_multiplier=2)

    value, (depthwise, pointwise, bias) = run(build)
    data = padded(x, kernel, stride, rate, padding)
    channels = [correlate(data[..., c : c + 1], depthwise[:, c : c + 1], stride, rate) for c in range(3)]
    expected = np.concatenate(channels, -1) @ pointwise[0] + bias
    np.testing.assert_allclose(value, expected.transpose(0, 2, 1) if first else expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("stride", [1, 2, (2, 3)])
def test_conv2d_transpose_is_the_transpose(padding, stride):
    """<conv(x), y> = <x, transpose(y)> with the same kernel."""
    x = np.random.default_rng(0).normal(size=(2, 5, 6, 3)).astype(np.float32)
    y, (kernel, bias) = run(lambda: tf.layers.conv2d_transpose(x, 4, (3, 2), stride, padding))
    assert kernel.shape == (3, 2, 4, 3)
    z = np.random.default_rng(2).normal(size=y.shape).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        strides = [1, *np.broadcast_to(stride, 2).tolist(), 1]
        back = sess.run(tf.nn.conv2d(z, kernel, strides, padding.upper()))
    np.testing.assert_allclose(((y - bias) * z).sum(), (x * back).sum(), rtol=1e-4)


def test_conv2d_transpose_of_unknown_size():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, None, 4, 3])
        y = tf.layers.conv2d_transpose(x, 2, 3, strides=2, activation=tf.nn.relu)
        assert y.shape.as_list() == [None, None, 9, 2]
        sess.run(tf.global_variables_initializer())
        assert sess.run(y, {x: np.zeros((2, 5, 4, 3))}).shape == (2, 11, 9, 2)


def test_separable_conv2d_is_two_convolutions():
    x = np.random.default_rng(0).normal(size=(2, 6, 5, 3)).astype(np.float32)
    value, (depthwise, pointwise, bias) = run(lambda: tf.layers.separable_conv2d(x, 4, (3, 2), 2, depth_multiplier=2))
    with tf.Graph().as_default(), tf.Session() as sess:
        first = tf.nn.depthwise_conv2d(x, depthwise, [1, 2, 2, 1], "VALID")
        np.testing.assert_allclose(value, sess.run(first) @ pointwise[0, 0] + bias, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("name, reduce", [("max", np.nanmax), ("average", np.nanmean)])
def test_pooling1d(name, reduce, padding):
    x = np.random.default_rng(0).normal(size=(2, 7, 3)).astype(np.float32)
    value, _ = run(lambda: getattr(tf.layers, f"{name}_pooling1d")(x, 3, 2, padding))
    data = np.pad(x, [(0, 0), (1, 1), (0, 0)], constant_values=np.nan) if padding == "same" else x
    windows = np.lib.stride_tricks.sliding_window_view(data, 3, 1)[:, ::2]
    np.testing.assert_allclose(value, reduce(windows, -1), rtol=1e-5, atol=1e-6)


def test_output_shapes():
    assert tf.layers.Conv2D(4, 3, 2).compute_output_shape([None, 9, None, 3]).as_list() == [None, 4, None, 4]
    assert tf.layers.Conv2DTranspose(4, 3, 2).compute_output_shape([2, 9, 9, 3]).as_list() == [2, 19, 19, 4]
    assert tf.layers.MaxPooling2D(3, 2, "same").compute_output_shape([2, 9, 8, 3]).as_list() == [2, 5, 4, 3]
    assert tf.layers.Dense(7).compute_output_shape([2, None, 3]).as_list() == [2, None, 7]
    assert tf.layers.Flatten().compute_output_shape([None, 2, 3]).as_list() == [None, 6]


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda x: tf.layers.conv2d(x, 3, 5), "One of the dimensions in the output is <= 0"),
        (lambda x: tf.layers.conv2d(x, -1, 1), "Expected a strictly positive value"),
        (lambda x: tf.layers.conv2d(x, 1, 0), "`kernel_size` argument must be a tuple of 2 integers"),
        (lambda x: tf.layers.conv2d(x, 1, 1, strides=2, dilation_rate=2), "`strides > 1` not supported"),
        (lambda x: tf.layers.conv2d(x, 1, 1, padding="causal"), "Causal padding is only supported"),
        (lambda x: tf.layers.conv1d(x[0, 0], 1, 1), "expected min_ndim=3, found ndim=2"),
        (lambda x: tf.layers.max_pooling1d(x, 1, 1), "expected ndim=3, found ndim=4"),
        (lambda x: tf.layers.conv2d(tf.placeholder(tf.float32, [1, 2, 2, None]), 1, 1), "The channel dimension"),
    ],
)
def test_errors(call, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        call(tf.zeros([1, 2, 2, 3]))
