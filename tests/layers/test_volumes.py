"""tf.layers and tf.contrib.layers of volumes, and functions of any number of dimensions, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.records.conv import conv_3d
from tests.records.pooling import pooling_3d

LAYOUTS = {"channels_last": "NDHWC", "channels_first": "NCDHW"}

drawn = {
    "size": st.tuples(*[st.integers(4, 7)] * 3),
    "window": st.tuples(*[st.integers(1, 3)] * 3),
    "stride": st.tuples(*[st.integers(1, 2)] * 3),
    "padding": st.sampled_from(["same", "valid"]),
    "data_format": st.sampled_from(sorted(LAYOUTS)),
}


def _volume(size, data_format, channels=3):
    shape = conv_3d.in_order([2, *size, channels], LAYOUTS[data_format])
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def _attrs(stride, padding, data_format, **more):
    layout = LAYOUTS[data_format]
    more = {name: conv_3d.in_order([1, *value, 1], layout) for name, value in more.items()}
    return {
        "strides": conv_3d.in_order([1, *stride, 1], layout), "padding": padding.upper(), "data_format": layout, **more
    }  # fmt: skip


def _run(build):
    """The outputs and the values of the variables, which are drawn."""
    with tf.Graph().as_default(), tf.Session() as sess:
        outputs = build()
        for v in tf.global_variables():
            v.load(np.random.default_rng(1).normal(size=v.shape.as_list()), sess)
        value = sess.run(outputs)
        assert outputs.shape.is_compatible_with(value.shape)
        return value, [sess.run(v) for v in tf.global_variables()]


def _biased(y, bias, data_format):
    return y + (bias if data_format == "channels_last" else bias[:, None, None, None])


@settings(max_examples=25, deadline=None)
@given(**drawn)
def test_conv3d(size, window, stride, padding, data_format):
    x = _volume(size, data_format)
    value, (kernel, bias) = _run(lambda: tf.layers.conv3d(x, 4, window, stride, padding, data_format))
    assert kernel.shape == (*window, 3, 4)
    attrs = _attrs(stride, padding, data_format, dilations=[1, 1, 1])
    np.testing.assert_allclose(value, _biased(conv_3d.conv3d(x, kernel, **attrs), bias, data_format), atol=2e-4)


@settings(max_examples=25, deadline=None)
@given(**drawn)
def test_conv3d_transpose(size, window, stride, padding, data_format):
    x = _volume(size, data_format)
    value, (kernel, bias) = _run(lambda: tf.layers.conv3d_transpose(x, 4, window, stride, padding, data_format))
    assert kernel.shape == (*window, 4, 3)
    extra = [max(w - s, 0) if padding == "valid" else 0 for w, s in zip(window, stride)]
    sizes = [2, *(n * s + e for n, s, e in zip(size, stride, extra)), 4]
    attrs = _attrs(stride, padding, data_format, dilations=[1, 1, 1])
    expected = conv_3d.conv3d_backprop_input(conv_3d.in_order(sizes, LAYOUTS[data_format]), kernel, x, **attrs)
    np.testing.assert_allclose(value, _biased(expected, bias, data_format), atol=2e-4)


@settings(max_examples=25, deadline=None)
@given(**drawn, mean=st.booleans())
def test_pooling(size, window, stride, padding, data_format, mean):
    x = _volume(size, data_format)
    attrs = _attrs(stride, padding, data_format, ksize=window)
    expected = (pooling_3d.avg_pool3d if mean else pooling_3d.max_pool3d)(x, **attrs)
    layers = tf.layers
    pool = layers.average_pooling3d if mean else layers.max_pooling3d
    layer = (layers.AveragePooling3D if mean else layers.MaxPooling3D)(window, stride, padding, data_format)
    for build in (lambda: pool(x, window, stride, padding, data_format), lambda: layer(tf.constant(x))):
        np.testing.assert_allclose(_run(build)[0], expected, atol=1e-5)
    assert layer.compute_output_shape(x.shape).as_list() == list(expected.shape)
    function = tf.nn.avg_pool_v2 if mean else tf.nn.max_pool_v2
    value, _ = _run(lambda: function(x, window, stride, padding.upper(), LAYOUTS[data_format]))
    np.testing.assert_allclose(value, expected, atol=1e-5)


@pytest.mark.parametrize("kind", ["MAX", "AVG"])
def test_dilated_pool(kind):
    """Each grid of every second row is pooled by itself."""
    x = _volume((5, 7, 6), "channels_last")
    value, _ = _run(lambda: tf.nn.pool(x, [2, 2, 3], kind, "VALID", dilation_rate=[1, 2, 1]))
    pool = pooling_3d.max_pool3d if kind == "MAX" else pooling_3d.avg_pool3d
    attrs = _attrs([1, 1, 1], "valid", "channels_last", ksize=[2, 2, 3])
    for start in range(2):
        np.testing.assert_allclose(value[:, :, start::2], pool(x[:, :, start::2], **attrs), atol=1e-6)


def test_dilated_convolution_of_a_layer():
    x = _volume((5, 7, 6), "channels_last")
    value, (kernel, bias) = _run(lambda: tf.layers.conv3d(x, 2, 2, dilation_rate=(1, 2, 3)))
    attrs = _attrs([1, 1, 1], "valid", "channels_last", dilations=[1, 2, 3])
    np.testing.assert_allclose(value, conv_3d.conv3d(x, kernel, **attrs) + bias, atol=1e-4)


def test_classes_are_used_again():
    with tf.Graph().as_default():
        conv, transposed = tf.layers.Conv3D(3, 2, padding="same"), tf.layers.Conv3DTranspose(3, 2, padding="same")
        for _ in range(2):
            transposed(conv(tf.zeros([1, 4, 4, 4, 3])))
        names = [v.op.name for v in tf.trainable_variables()]
    assert names == ["conv3d/kernel", "conv3d/bias", "conv3d_transpose/kernel", "conv3d_transpose/bias"]


def test_contrib():
    layers = tf.contrib.layers
    assert layers.conv3d is layers.convolution3d and layers.conv3d_transpose is layers.convolution3d_transpose
    x = _volume((5, 6, 7), "channels_last")

    def build(data_format="NDHWC"):
        x_in = x if data_format == "NDHWC" else np.moveaxis(x, -1, 1)
        y = layers.conv3d(x_in, 4, 3, stride=(1, 2, 2), data_format=data_format)
        y = layers.max_pool3d(y, (1, 2, 2), (1, 1, 2), "SAME", data_format)
        y = layers.conv3d_transpose(y, 5, 2, 2, data_format=data_format, activation_fn=None)
        y = layers.avg_pool3d(y, 2, data_format=data_format, outputs_collections=["outs"], scope="p")
        assert [y] == tf.get_collection("outs")
        names = ["Conv/weights", "Conv/biases", "Conv3d_transpose/weights", "Conv3d_transpose/biases"]
        assert [v.op.name for v in tf.trainable_variables()] == names
        return y

    last, _ = _run(build)
    assert last.shape == (2, 5, 3, 2, 5)
    first, _ = _run(lambda: build("NCDHW"))
    np.testing.assert_allclose(np.moveaxis(first, 1, -1), last, atol=1e-4)


X = np.zeros((1, 4, 4, 4, 2), np.float32)


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: tf.layers.conv3d(X[0], 2, 2), "expected min_ndim=5, found ndim=4"),
        (lambda: tf.layers.conv3d(X, 2, (2, 2)), "must be a tuple of 3 integers"),
        (lambda: tf.layers.conv3d(X, 2, 6), "One of the dimensions in the output is <= 0 due to downsampling"),
        (lambda: tf.layers.conv3d(X, 2, 2, padding="causal"), "Causal padding is only supported"),
        (lambda: tf.layers.conv3d(X, 2, 2, 2, dilation_rate=2), "not supported in conjunction with"),
        (lambda: tf.layers.max_pooling3d(X[0], 2, 2), "expected ndim=5, found ndim=4"),
        (lambda: tf.layers.max_pooling3d(X, 2, None), "Argument `strides` must not be None."),
        (lambda: tf.contrib.layers.max_pool3d(X, 2, data_format="NHWC"), "data_format has to be either NCDHW or NDHWC"),
        (lambda: tf.contrib.layers.conv3d(X[0], 2, 2), "Convolution expects input with rank 5, got 4"),
        (lambda: tf.contrib.layers.conv3d_transpose(X, 2, 2, data_format="X"), "has to be either NCDHW or NDHWC"),
        (lambda: tf.nn.pool(X, [2] * 4, "MAX", "SAME"), "must be 1, 2, or 3"),
        (lambda: tf.nn.max_pool_v2(X[None], 2, 2, "SAME"), "must be 3, 4 or 5"),
        (lambda: tf.nn.convolution(X[None], X[None], "SAME"), "must have 1, 2 or 3 spatial dimensions"),
    ],
)
def test_refused(build, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        build()
