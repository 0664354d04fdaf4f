"""Depthwise and separable convolutions: shapes, wrappers."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.conv import depthwise as records

R = np.random.default_rng(3)


def test_depths_must_agree():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
        image, filters = tf.placeholder(tf.float32, [1, 5, 5, 3]), tf.placeholder(tf.float32, [3, 3, 2, 4])
        tf.nn.depthwise_conv2d(image, filters, strides=[1, 1, 1, 1], padding="SAME")


def test_separable():
    x, depth, point = (R.uniform(-1, 1, s).astype(np.float32) for s in ((1, 6, 6, 3), (3, 3, 3, 2), (1, 1, 6, 4)))
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME", "data_format": "NHWC", "dilations": [1, 1, 1, 1]}
    middle = records._depthwise(x, depth, explicit_paddings=[], **attrs)
    with tf.Graph().as_default(), tf.Session() as session:
        result = session.run(tf.nn.separable_conv2d(x, depth, point, [1, 1, 1, 1], "SAME"))
    np.testing.assert_allclose(result, middle @ point[0, 0], atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [7, 40, 150])
@pytest.mark.parametrize("channels", [1, 2, 3, 5, 12, 24])
def test_few_channels(channels, width, dtype):
    """Columns with all taps in the image are computed together, as one long row."""
    for step, rate, padding in ((1, 1, "SAME"), (1, 2, "SAME"), (1, 1, "VALID"), (2, 1, "SAME")):
        x = R.uniform(-1, 1, (2, 9, width, channels)).astype(dtype)
        f = R.uniform(-1, 1, (4, 3, channels, 1)).astype(dtype)
        attrs = {"strides": [1, step, step, 1], "padding": padding, "data_format": "NHWC"}
        attrs |= {"dilations": [1, rate, rate, 1], "explicit_paddings": []}
        expected = records._depthwise(x, f, **attrs)
        g = R.uniform(-1, 1, expected.shape).astype(dtype)
        expected_grad = records._depthwise_backprop_input(x.shape, f, g, **attrs)
        with tf.Graph().as_default(), tf.Session() as session:
            result = tf.raw_ops.DepthwiseConv2dNative(input=x, filter=f, **attrs)
            grad = tf.raw_ops.DepthwiseConv2dNativeBackpropInput(input_sizes=x.shape, filter=f, out_backprop=g, **attrs)
            result, grad = session.run([result, grad])
        np.testing.assert_allclose(result, expected, atol=1e-5)
        np.testing.assert_allclose(grad, expected_grad, atol=1e-5)
