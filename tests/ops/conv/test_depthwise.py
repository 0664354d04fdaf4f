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
