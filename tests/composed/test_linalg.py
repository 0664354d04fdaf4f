"""Functions of matrices, beside NumPy and SciPy."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def matrices(seed, *shape, scale=1.0):
    return np.random.RandomState(seed).randn(*shape) * scale


@given(st.integers(0, 99), st.integers(1, 5), st.sampled_from([1e-3, 0.3, 1.0, 4.0, 20.0]))
def test_expm(seed, n, scale):
    a = matrices(seed, 2, n, n, scale=scale / n)
    want = np.stack([scipy.linalg.expm(m) for m in a])
    size = abs(want).max()
    np.testing.assert_allclose(run(lambda: tf.linalg.expm(a)), want, atol=1e-11 * size)
    np.testing.assert_allclose(run(lambda: tf.linalg.expm(a.astype(np.float32))), want, atol=3e-4 * size)


def test_expm_of_other_matrices():
    a = matrices(1, 3, 3)
    np.testing.assert_allclose(run(lambda: tf.linalg.expm(1j * a)), scipy.linalg.expm(1j * a), atol=1e-12)
    both = np.stack([a, np.full_like(a, np.inf), a * 0])
    got = run(lambda: tf.linalg.expm(both))
    assert np.isnan(got[1]).all() and np.isfinite(got[0]).all()
    np.testing.assert_allclose(got[2], np.eye(3))
    assert run(lambda: tf.linalg.expm(np.zeros([2, 0, 0]))).shape == (2, 0, 0)
    with pytest.raises(ValueError, match="does not support matrices of type"):
        tf.linalg.expm(np.eye(2, dtype=np.int32))


def test_the_gradient_of_expm():
    a, direction = matrices(2, 3, 3, scale=3.0), matrices(3, 3, 3)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(a)
        slope = sess.run(tf.gradients(tf.linalg.expm(x), x)[0])
    want = (scipy.linalg.expm(a + 1e-6 * direction) - scipy.linalg.expm(a - 1e-6 * direction)).sum() / 2e-6
    np.testing.assert_allclose((slope * direction).sum(), want, rtol=1e-6)


@given(st.integers(0, 99), st.integers(1, 5))
def test_logdet(seed, n):
    a = matrices(seed, 2, n, n)
    positive = a @ a.transpose(0, 2, 1) + np.eye(n)
    np.testing.assert_allclose(run(lambda: tf.linalg.logdet(positive)), np.linalg.slogdet(positive)[1], atol=1e-9)


@given(st.integers(0, 99), st.integers(1, 4), st.integers(1, 4))
def test_traces_and_adjoints(seed, m, n):
    a = matrices(seed, 2, m, n) + 1j * matrices(seed + 1, 2, m, n)
    np.testing.assert_allclose(run(lambda: tf.trace(a)), np.trace(a, axis1=1, axis2=2))
    np.testing.assert_array_equal(run(lambda: tf.linalg.adjoint(a)), a.conj().transpose(0, 2, 1))
    np.testing.assert_array_equal(run(lambda: tf.linalg.transpose(a)), a.transpose(0, 2, 1))


@pytest.mark.parametrize("ord, axis", [("euclidean", None), (1, 0), (np.inf, 1), ("fro", (0, 1))])
def test_normalize(ord, axis):
    a = matrices(5, 3, 4)
    values, length = run(lambda: tf.linalg.normalize(a, ord, axis))
    want = np.linalg.norm(a.ravel() if axis is None else a, None if ord == "euclidean" else ord, axis, keepdims=True)
    np.testing.assert_allclose(length, want.reshape(length.shape))
    np.testing.assert_allclose(values * length, a)
