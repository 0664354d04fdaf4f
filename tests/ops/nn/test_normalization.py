"""Normalization: gradients (the kernels are float32 only), errors, wrappers."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.nn import normalization as records

R = np.random.default_rng(5)


def array(*shape, low=-2.0, high=2.0):
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


def compare(function, reference, values, indices, shapes):
    weights = [R.uniform(-1, 1, s) for s in shapes]
    for index, grad in zip(indices, _symbolic(function, values, indices, weights), strict=True):
        expected = _numeric(reference, values, index, weights)
        np.testing.assert_allclose(grad, expected, atol=2e-5 * (1 + np.abs(expected).max()), err_msg=str(index))


# ---- Local response normalization


@pytest.mark.parametrize("radius, beta", [(0, 0.5), (2, 0.75), (9, 0.3)])
def test_lrn_gradients(radius, beta):
    attrs = {"depth_radius": radius, "bias": 1.5, "alpha": 0.5, "beta": beta}
    x, dy = array(1, 2, 2, 7), array(1, 2, 2, 7)
    compare(lambda x: tf.nn.lrn(x, **attrs), lambda x: records.lrn(x, **attrs), [x], [0], [x.shape])
    y = records.lrn(x, **attrs).astype(np.float32)
    compare(
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


# ---- Compositions


def _run(values):
    with tf.Session() as session:
        return session.run(values)


def test_batch_normalization():
    x, mean, variance, offset, scale = array(2, 3, 4), array(4), array(4, low=0.5), array(4), array(4)
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
    x, weights = array(3, 4, 5), array(3, 4, 1, low=0.5)
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
    x, shift = array(3, 4, 5), array(5)
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
    x = array(3, 4)
    x[1] = 0
    with tf.Graph().as_default():
        rows, everything = _run([tf.nn.l2_normalize(x, 1), tf.math.l2_normalize(x, dim=[0, 1])])
        assert tf.nn.l2_normalize(x, 0).op.name == "l2_normalize_2"
    lengths = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-6)
    np.testing.assert_allclose(rows, x / lengths, atol=1e-6)
    np.testing.assert_allclose(everything, x / np.linalg.norm(x), atol=1e-6)
