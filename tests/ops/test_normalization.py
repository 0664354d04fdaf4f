"""Normalization: gradients (the kernels are float32 only), errors, wrappers."""

import numpy as np
import pytest

import tfcore as tf
from tests.records import normalization as records

R = np.random.default_rng(5)


def _array(*shape, low=-2.0, high=2.0):
    return R.uniform(low, high, shape).astype(np.float32)


def _numeric(function, values, index, weights):
    """Gradient of sum(weights * function(*values)) in float64, by central differences."""
    values = [np.asarray(v, np.float64) for v in values]
    x, result, step = values[index], np.zeros(values[index].shape), 1e-5
    for at in np.ndindex(*x.shape):
        ends = []
        for sign in (1, -1):
            values[index] = x.copy()
            values[index][at] += sign * step
            outputs = function(*values)
            outputs = outputs if isinstance(outputs, list) else [outputs]
            ends.append(sum(float((w * y).sum()) for w, y in zip(weights, outputs, strict=True)))
        result[at] = (ends[0] - ends[1]) / (2 * step)
        values[index] = x
    return result


def _symbolic(function, values, indices, weights):
    """The same from tf.gradients."""
    with tf.Graph().as_default() as graph:
        tensors = [tf.placeholder(tf.float32, v.shape) for v in values]
        outputs = function(*tensors)
        outputs = outputs if isinstance(outputs, list) else [outputs]
        seeds = [tf.constant(w, tf.float32) for w in weights]
        grads = tf.gradients(outputs, [tensors[i] for i in indices], seeds)
        with tf.Session(graph=graph) as session:
            return session.run(grads, dict(zip(tensors, values, strict=True)))


def _compare(function, reference, values, indices, shapes):
    weights = [R.uniform(-1, 1, s) for s in shapes]
    for index, grad in zip(indices, _symbolic(function, values, indices, weights), strict=True):
        expected = _numeric(reference, values, index, weights)
        np.testing.assert_allclose(grad, expected, atol=2e-5 * (1 + np.abs(expected).max()), err_msg=str(index))


# ---- Local response normalization


@pytest.mark.parametrize("radius, beta", [(0, 0.5), (2, 0.75), (9, 0.3)])
def test_lrn_gradients(radius, beta):
    attrs = {"depth_radius": radius, "bias": 1.5, "alpha": 0.5, "beta": beta}
    x, dy = _array(1, 2, 2, 7), _array(1, 2, 2, 7)
    _compare(lambda x: tf.nn.lrn(x, **attrs), lambda x: records.lrn(x, **attrs), [x], [0], [x.shape])
    y = records.lrn(x, **attrs).astype(np.float32)
    _compare(
        lambda *values: tf.raw_ops.LRNGrad(*values, **attrs),
        lambda *values: records.lrn_grad(*values, **attrs),
        [dy, x, y],
        [0, 1, 2],
        [x.shape],
    )


def test_lrn_errors():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Shape must be rank 4 but is rank 3"):
        tf.nn.lrn(tf.placeholder(tf.float32, [1, 2, 3]))
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32)
        y = tf.nn.lrn(x)
        with tf.Session(graph=graph) as session:
            with pytest.raises(tf.errors.InvalidArgumentError, match="in must be 4-dimensional"):
                session.run(y, {x: np.zeros((2, 3), np.float32)})


# ---- Fused batch normalization


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
    x, dy, scale, offset = _array(*shape), _array(*shape), _array(n), _array(n)
    mean, variance = (np.zeros(0, np.float32),) * 2 if training else (_array(n), _array(n, low=0.5))
    op = getattr(tf.raw_ops, f"FusedBatchNorm{version}")

    def forward(x, scale, offset):
        return op(x, scale, offset, mean, variance, **attrs)[0]

    def forward_reference(x, scale, offset):
        return _forward(version)(x, scale, offset, mean, variance, exponential_avg_factor=1.0, **attrs)[0]

    _compare(forward, forward_reference, [x, scale, offset], [0, 1, 2], [shape])

    axes, _ = records._axes(x, data_format)

    def statistics(x):
        return (x.mean(axis=axes), x.var(axis=axes)) if training else (mean, variance)

    def backward(dy, x, scale):
        y = op(x, scale, offset, mean, variance, **attrs)
        return tf.gradients(y[0], [x, scale], dy)

    def backward_reference(dy, x, scale):
        return records.batch_norm_grad(dy, x, scale, *statistics(x), **attrs)[:2]

    _compare(backward, backward_reference, [dy, x, scale], [0, 1, 2], [shape, (n,)])


def test_fused_batch_norm_wrapper():
    x, scale, offset = _array(4, 3, 3, 5), _array(5), _array(5)
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
    x = _array(64, 8, 8, 3) + np.float32(1000)
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


# ---- Compositions


def _run(values):
    with tf.Session() as session:
        return session.run(values)


def test_batch_normalization():
    x, mean, variance, offset, scale = _array(2, 3, 4), _array(4), _array(4, low=0.5), _array(4), _array(4)
    plain = (x - mean) / np.sqrt(variance + 0.25)
    with tf.Graph().as_default():
        cases = [(offset, scale), (None, scale), (offset, None), (None, None)]
        results = _run([tf.nn.batch_normalization(x, mean, variance, o, s, 0.25) for o, s in cases])
        image = x[None]
        old = [
            tf.nn.batch_norm_with_global_normalization(image, mean, variance, offset, scale, 0.25, after)
            for after in (True, False)
        ]
        with_scale, without = _run(old)
    for (o, s), result in zip(cases, results, strict=True):
        expected = plain * (1 if s is None else s) + (0 if o is None else o)
        np.testing.assert_allclose(result, expected, atol=1e-5)
    np.testing.assert_allclose(with_scale[0], plain * scale + offset, atol=1e-5)
    np.testing.assert_allclose(without[0], plain + offset, atol=1e-5)


@pytest.mark.parametrize("keep", [False, True])
def test_moments(keep):
    x, weights = _array(3, 4, 5), _array(3, 4, 1, low=0.5)
    with tf.Graph().as_default():
        mean, variance = _run(tf.nn.moments(x, [0, 1], keep_dims=keep))
        half = _run(tf.nn.moments(x.astype(np.float16), [0], keepdims=keep))
        weighted = _run(tf.nn.weighted_moments(x, [0, 1], weights, keepdims=keep))
    np.testing.assert_allclose(mean, x.mean(axis=(0, 1), keepdims=keep), atol=1e-6)
    np.testing.assert_allclose(variance, x.var(axis=(0, 1), keepdims=keep), atol=1e-5)
    assert half[0].dtype == half[1].dtype == np.float16
    total = weights.sum() * np.ones(5)
    average = (x * weights).sum(axis=(0, 1)) / total
    spread = (weights * (x - average) ** 2).sum(axis=(0, 1)) / total
    np.testing.assert_allclose(weighted[0].ravel(), average, atol=1e-5)
    np.testing.assert_allclose(weighted[1].ravel(), spread, atol=1e-5)
    assert weighted[0].ndim == (3 if keep else 1)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("shifted", [True, False])
def test_statistics_and_moments_from_them(known, shifted):
    x, shift = _array(3, 4, 5), _array(5)
    with tf.Graph().as_default() as graph:
        values = tf.placeholder(tf.float32, x.shape if known else [None] * 3)
        statistics = tf.nn.sufficient_statistics(values, [0, 1], shift if shifted else None)
        moments = tf.nn.normalize_moments(*statistics)
        with tf.Session(graph=graph) as session:
            count, (mean, variance) = session.run([statistics[0], moments], {values: x})
    assert count == 12
    np.testing.assert_allclose(mean, x.mean(axis=(0, 1)), atol=1e-5)
    np.testing.assert_allclose(variance, x.var(axis=(0, 1)), atol=1e-5)


def test_l2_normalize():
    x = _array(3, 4)
    x[1] = 0
    with tf.Graph().as_default():
        rows, everything = _run([tf.nn.l2_normalize(x, 1), tf.math.l2_normalize(x, dim=[0, 1])])
        assert tf.nn.l2_normalize(x, 0).op.name == "l2_normalize_2"
    lengths = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-6)
    np.testing.assert_allclose(rows, x / lengths, atol=1e-6)
    np.testing.assert_allclose(everything, x / np.linalg.norm(x), atol=1e-6)
