"""Fused batch normalization: gradients (the kernels are float32 only), errors, the wrapper."""

import numpy as np
import pytest

import tfcore as tf
from tests.ops.nn.test_normalization import array, compare
from tests.records.nn import fused_batch_norm as records


def _forward(version):
    outputs = 6 if version == "V3" else 5
    reference, _ = records._batch_norm(outputs)
    return reference


@pytest.mark.parametrize("version", ["", "V2", "V3"])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("training", [True, False])
def test_fused_batch_norm_gradients(version, data_format, training):
    attrs = {"epsilon": 0.125, "data_format": data_format, "is_training": training}
    n = 3
    shape = (2, 2, 3, n) if data_format == "NHWC" else (2, n, 2, 3)
    x, dy, scale, offset = array(*shape), array(*shape), array(n), array(n)
    mean, variance = (np.zeros(0, np.float32),) * 2 if training else (array(n), array(n, low=0.5))
    op = getattr(tf.raw_ops, f"FusedBatchNorm{version}")

    def forward(x, scale, offset):
        return op(x, scale, offset, mean, variance, **attrs)[0]

    def forward_reference(x, scale, offset):
        return _forward(version)(x, scale, offset, mean, variance, exponential_avg_factor=1.0, **attrs)[0]

    compare(forward, forward_reference, [x, scale, offset], [0, 1, 2], [shape])

    axes, _ = records._axes(x, data_format)

    def statistics(x):
        return (x.mean(axis=axes), x.var(axis=axes)) if training else (mean, variance)

    def backward(dy, x, scale):
        y = op(x, scale, offset, mean, variance, **attrs)
        return tf.gradients(y[0], [x, scale], dy)

    def backward_reference(dy, x, scale):
        return records.batch_norm_grad(dy, x, scale, *statistics(x), **attrs)[:2]

    compare(backward, backward_reference, [dy, x, scale], [0, 1, 2], [shape, (n,)])


def test_fused_batch_norm_wrapper():
    x, scale, offset = array(4, 3, 3, 5), array(5), array(5)
    with tf.Graph().as_default() as graph:
        y, mean, variance = tf.nn.fused_batch_norm(x, scale, offset)
        assert y.op.type == "FusedBatchNormV3"
        again = tf.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)[0]
        with pytest.raises(ValueError, match="must be a 1D tensor"):
            tf.nn.fused_batch_norm(x, scale, offset, is_training=False)
        with tf.Session(graph=graph) as session:
            y, mean, variance, again = session.run([y, mean, variance, again])
    np.testing.assert_allclose(mean, x.mean(axis=(0, 1, 2)), atol=1e-5)
    np.testing.assert_allclose(variance, x.var(axis=(0, 1, 2), ddof=1), rtol=1e-5)
    np.testing.assert_allclose(again, (x - mean) / np.sqrt(variance + 0.001) * scale + offset, atol=1e-5)
    assert np.abs(y - again).max() > 1e-4  # the batch's own variance has a bias


def test_large_mean_keeps_the_variance():
    x = array(64, 8, 8, 3) + np.float32(1000)
    with tf.Graph().as_default() as graph:
        variance = tf.nn.fused_batch_norm(x, np.ones(3, np.float32), np.zeros(3, np.float32))[2]
        with tf.Session(graph=graph) as session:
            result = session.run(variance)
    np.testing.assert_allclose(result, x.astype(np.float64).var(axis=(0, 1, 2), ddof=1), rtol=1e-4)


def test_fused_batch_norm_errors():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 4"):
        tf.nn.fused_batch_norm(tf.placeholder(tf.float32, [1, 2, 2, 3]), tf.ones([4]), tf.ones([4]))
    with tf.Graph().as_default() as graph:
        scale = tf.placeholder(tf.float32)
        y = tf.nn.fused_batch_norm(tf.ones([1, 2, 2, 3]), scale, tf.ones([3]))[0]
        with tf.Session(graph=graph) as session:
            for bad in (np.ones(4, np.float32), np.ones((3, 1), np.float32)):
                with pytest.raises(tf.errors.InvalidArgumentError, match="scale must"):
                    session.run(y, {scale: bad})
