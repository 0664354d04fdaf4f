"""Functions composed of special functions, beside SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import tfcore as tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


@given(st.lists(st.floats(0.05, 30), max_size=5))
def test_lbeta(z):
    got = run(lambda: tf.lbeta(np.array(z)))
    if not z:
        assert got == -np.inf
    else:
        np.testing.assert_allclose(got, special.gammaln(z).sum() - special.gammaln(np.sum(z)), rtol=1e-10, atol=1e-10)
    if len(z) == 2:
        np.testing.assert_allclose(got, special.betaln(*z), rtol=1e-10, atol=1e-10)


@given(st.floats(-20, 20))
def test_bessel(x):
    np.testing.assert_allclose(run(lambda: tf.math.bessel_i0(np.float64(x))), special.i0(x), rtol=1e-10)
    np.testing.assert_allclose(run(lambda: tf.math.bessel_i1(np.float64(x))), special.i1(x), rtol=1e-10, atol=1e-300)


@given(st.floats(1e-10, 2 - 1e-10))
def test_erfcinv(x):
    np.testing.assert_allclose(run(lambda: tf.math.erfcinv(np.float64(x))), special.erfcinv(x), rtol=1e-7, atol=1e-12)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5), st.floats(-2, 2))
def test_polyval(coefficients, x):
    got = run(lambda: tf.math.polyval([np.float64(c) for c in coefficients], np.float64(x)))
    np.testing.assert_allclose(got, np.polyval(coefficients, x), atol=1e-12)


def test_polynomials_without_coefficients():
    assert run(lambda: tf.math.polyval([], [2.0])).tolist() == [0]
    with pytest.raises(ValueError, match="Argument coeffs must be list type"):
        tf.math.polyval(3.0, 2.0)


def test_reciprocal_no_nan():
    x = tf.constant([2.0, 0.0])
    with tf.Session() as sess:
        y = tf.math.reciprocal_no_nan(x)
        assert sess.run([y, tf.gradients(y, x)[0]])[0].tolist() == [0.5, 0]
        assert sess.run(tf.gradients(y, x)[0]).tolist() == [-0.25, 0]
    with pytest.raises(TypeError, match="int32"):
        tf.math.reciprocal_no_nan([1, 0])
