"""Values at the ends of domains, which are TensorFlow's, and far from where records draw."""

import numpy as np
import pytest
import scipy.special as sp

import tfcore as tf
from tfcore.testing import evaluate

INF, NAN = np.inf, np.nan
X = np.array([-INF, -2, 0, 2, INF, NAN])


@pytest.mark.parametrize(
    "op, want",
    [
        ("BesselI0", [NAN, sp.i0(2), 1, sp.i0(2), NAN, NAN]),
        ("BesselI1", [NAN, -sp.i1(2), 0, sp.i1(2), NAN, NAN]),
        ("BesselJ0", [NAN, sp.j0(2), 1, sp.j0(2), NAN, NAN]),
        ("BesselJ1", [NAN, -sp.j1(2), 0, sp.j1(2), NAN, NAN]),
        ("BesselK0", [INF, INF, INF, sp.k0(2), 0, NAN]),
        ("BesselK0e", [INF, INF, INF, sp.k0e(2), 0, NAN]),
        ("BesselK1", [INF, INF, INF, sp.k1(2), 0, NAN]),
        ("BesselK1e", [INF, INF, INF, sp.k1e(2), 0, NAN]),
        ("BesselY0", [-INF, -INF, -INF, sp.y0(2), NAN, NAN]),
        ("BesselY1", [-INF, -INF, -INF, sp.y1(2), NAN, NAN]),
        ("Dawsn", [0, -sp.dawsn(2), 0, sp.dawsn(2), 0, NAN]),
        ("Expint", [NAN, NAN, -INF, sp.expi(2), NAN, NAN]),
        ("FresnelCos", [-0.5, -sp.fresnel(2)[1], 0, sp.fresnel(2)[1], 0.5, NAN]),
        ("FresnelSin", [-0.5, -sp.fresnel(2)[0], 0, sp.fresnel(2)[0], 0.5, NAN]),
        ("Spence", [NAN, NAN, sp.spence(0), sp.spence(2), NAN, NAN]),
    ],
)
def test_ends_of_domains(op, want):
    np.testing.assert_allclose(evaluate(op, X), want, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(evaluate(op, X.astype(np.float32)), np.float32(want), rtol=1e-6)


def test_far_values():
    for op, reference, x in (
        ("BesselI0", sp.i0, [31.0, 300.0, 700.0]),
        ("BesselI1", sp.i1, [1e-9, 31.0, 700.0]),
        ("BesselK0", sp.k0, [1e-300, 1e-9, 50.0, 700.0]),
        ("BesselK1", sp.k1, [1e-300, 1e-9, 50.0, 700.0]),
        ("BesselK0e", sp.k0e, [1e-300, 35.0, 1e3, 1e6, 1e12]),
        ("BesselK1e", sp.k1e, [1e-9, 35.0, 1e3, 1e6, 1e12]),
        ("Dawsn", sp.dawsn, [1e-300, 0.999, 1.001, 1e5, 1e9]),
        ("Expint", sp.expi, [1e-300, 44.9, 45.1, 700.0]),
        ("Spence", sp.spence, [1e-300, 0.5, 1.0, 1.5, 1e9, 1e300]),
        ("FresnelCos", lambda x: sp.fresnel(x)[1], [1e-9, 2.49, 2.51, 100.0, 1e7, 1e100]),
        ("FresnelSin", lambda x: sp.fresnel(x)[0], [1e-9, 2.49, 2.51, 100.0, 1e7, 1e100]),
    ):
        np.testing.assert_allclose(evaluate(op, np.array(x)), reference(np.array(x)), rtol=1e-12, err_msg=op)
    for op in ("FresnelCos", "FresnelSin"):  # SciPy has NaN where the square of x is infinite
        np.testing.assert_array_equal(evaluate(op, np.array([1e155, -1e155, 1e308])), [0.5, -0.5, 0.5])


def test_gradients_at_ends():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([0.0, 1.0], tf.float64)
        special = tf.math.special
        for function, want in (
            (special.bessel_i1, [0.5, sp.ivp(1, 1)]),
            (special.bessel_j1, [0.5, sp.jvp(1, 1)]),
            (special.spence, [-INF, -1]),
            (special.dawsn, [1, 1 - 2 * sp.dawsn(1)]),
        ):
            np.testing.assert_allclose(sess.run(tf.gradients(function(x), x)[0]), want, rtol=1e-13)


def test_cumulative_logsumexp_of_infinities():
    x = np.array([-INF, -INF, 1, INF, -INF, NAN, 2.0])
    for dtype in (np.float32, np.float64):
        found = evaluate("CumulativeLogsumexp", x.astype(dtype), 0)
        np.testing.assert_array_equal(found, [-INF, -INF, 1, INF, INF, NAN, NAN])
    assert evaluate("CumulativeLogsumexp", x[:2], 0, exclusive=True).tolist() == [-INF, -INF]
    large = np.array([1e300, 1e300 + 1e290, 1e5])
    np.testing.assert_allclose(evaluate("CumulativeLogsumexp", large, 0), np.logaddexp.accumulate(large))
    with tf.Graph().as_default(), tf.Session() as sess:
        t = tf.constant([1000.0, 1001.0, 990.0])
        y = tf.math.cumulative_logsumexp(t)
        slope = sess.run(tf.gradients(y, t, [tf.constant([1.0, -1.0, 2.0])])[0])
        e = np.exp([0, 1.0, -10])
        s = np.cumsum(e)
        want = [e[0] * (1 / s[0] - 1 / s[1] + 2 / s[2]), e[1] * (-1 / s[1] + 2 / s[2]), 2 * e[2] / s[2]]
        np.testing.assert_allclose(slope, want, rtol=2e-3)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected scan axis in the range"):
            axis = tf.placeholder_with_default(3, [])
            sess.run(tf.math.cumulative_logsumexp(t, axis))
