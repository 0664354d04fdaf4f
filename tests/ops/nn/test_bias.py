"""Adding a bias: formats, errors, gradients of every size."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import evaluate


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def test_bias_add_formats():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 2, 2)
    last, second = np.array([1, 2], np.float32), np.array([1, 2, 3], np.float32)
    assert (_run(tf.nn.bias_add(x, last)) == x + last).all()
    assert (_run(tf.nn.bias_add(x, second, "NCHW")) == x + second[:, None, None]).all()
    assert (_run(tf.nn.bias_add(x[:, :, 0], second, "NCW")) == x[:, :, 0] + second[:, None]).all()
    with pytest.raises(ValueError, match="data_format must be of the form"):
        tf.nn.bias_add(x, last, "HWCN")


def test_bias_errors():
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
        tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([2]))
    with pytest.raises(ValueError, match="Shape must be at least rank 2"):
        tf.nn.bias_add(tf.zeros([3]), tf.zeros([3]))
    x, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.bias_add(x, b)
    for value, bias, text in (
        (np.zeros((2, 3)), np.zeros(2), "Must provide as many biases as the last dimension"),
        (np.zeros(3), np.zeros(3), "Input tensor must be at least 2D"),
        (np.zeros((2, 3)), np.zeros((3, 1)), "Biases must be 1D"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(y, {x: value, b: bias})


@pytest.mark.parametrize("shape", [(1, 1), (100, 10), (1000, 7), (5000, 64), (3, 3000), (2, 5, 33, 4)])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_bias_gradient_of_every_size(shape, data_format):
    x = np.random.default_rng(2).integers(-50, 50, shape).astype(np.float32)
    axis = 1 if data_format == "NCHW" else len(shape) - 1
    expected = x.sum(axis=tuple(i for i in range(len(shape)) if i != axis))
    np.testing.assert_array_equal(evaluate("BiasAddGrad", x, data_format=data_format), expected)
