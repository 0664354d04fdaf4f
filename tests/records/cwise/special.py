"""Records of special functions; SciPy is the reference."""

import numpy as np
import scipy.special as sp

from tfcore.testing import OpRecord, binary, unary


def _i1e(x):
    """By the power series (DLMF 10.25.2) where scipy's is up to 9 units off."""
    near = np.abs(x) <= 30
    z = np.where(near, x, 0).astype(np.longdouble)
    term = total = z / 2
    for k in range(1, 150):
        term = term * (z * z / 4 / (k * (k + 1)))
        total = total + term
    return np.where(near, (total * np.exp(-np.abs(z))).astype(np.float64), sp.i1e(x))


def _one(*args):
    """Near their zeros the functions are accurate to units of 1."""
    return np.ones(np.broadcast_shapes(*(a.shape for a in args)))


def _digamma(x):
    return np.where(x == 0, np.nan, sp.digamma(x))  # as at the other poles


def _polygamma(n, x):
    return np.where(n == 0, sp.digamma(x), sp.polygamma(n.astype(int), x))


def _order_and_point(draw, case):
    a, b = draw(case.broadcastable_shapes(2))
    return [np.round(draw(case.array(a, domain=(0, 5)))), draw(case.array(b, domain=(0.5, 8)))], {}


def _betainc_inputs(draw, case):
    shape = draw(case.shapes())
    a, b = draw(case.array(shape, domain=(0.2, 8))), draw(case.array(shape, domain=(0.2, 8)))
    return [a, b, draw(case.array(shape, domain=(0.05, 0.95)))], {}


def _long_digamma(a):
    """SciPy's has errors of some units in the last place."""
    y = a + 30
    asymptotic = np.log(y) - 1 / (2 * y) - 1 / (12 * y**2) + 1 / (120 * y**4) - 1 / (252 * y**6) + 1 / (240 * y**8)
    return asymptotic - sum(1 / (a + k) for k in range(30))


def _quantile_slope(a, x):
    """dx/da at a fixed P(a, x): minus the integral of (t/x)^(a-1) e^(x-t) (log t - digamma(a)) over t from 0 to x.

    Over t from x to infinity it is the same without the minus. The side where log t - digamma(a) has one sign is
    integrated by the double exponential rule in log(t/x).
    """
    a, x = np.broadcast_arrays(np.asarray(a, np.longdouble), np.asarray(x, np.longdouble))
    above = np.log(x) - _long_digamma(a)
    sign = np.where(above >= 0, 1, -1)
    s = np.arange(-6, 8, np.longdouble(1) / 32)
    v = np.exp(s - np.exp(-s))
    a, x, above, sign = (y[..., None] for y in (a, x, above, sign))
    with np.errstate(over="ignore", under="ignore"):
        weights = np.exp(a * sign * v - x * np.expm1(sign * v)) * v * (1 + np.exp(-s)) / 32
    return np.sum(x * weights * (v + np.abs(above)), -1).astype(np.float64)


def _igamma_grad_a(a, x):
    return -_quantile_slope(a, x) * np.exp((a - 1) * np.log(x) - x - sp.gammaln(a))


_UNIT = (0.02, 0.98)

RECORDS = [
    unary("Erf", sp.erf),
    unary("Erfc", sp.erfc, ulps=16, domain=(-6, 5), special=False),
    unary("Erfinv", sp.erfinv, domain=(-0.999, 0.999), special=False, ulps=8, gradient_domain=(-0.8, 0.8)),
    unary("Ndtri", sp.ndtri, domain=_UNIT, special=False, ulps=8, scale=_one, gradient_domain=(0.2, 0.8)),
    unary("Lgamma", sp.gammaln, domain=(-3.9, 30), special=False, ulps=16, scale=_one, gradient_domain=(0.5, 8)),
    unary(
        "Digamma",
        _digamma,
        domain=(-3.9, 30),
        special=False,
        ulps=32,
        scale=lambda x: 1 + sp.polygamma(1, x),
        gradient_domain=(0.5, 8),
    ),
    unary("BesselI0e", sp.i0e, ulps=8),
    unary("BesselI1e", _i1e, ulps=8),
    binary(
        "Igamma",
        sp.gammainc,
        domain=(0.1, 40),
        special=False,
        ulps=64,
        scale=_one,
        gradient=1,
        gradient_domain=(0.5, 8),
    ),
    binary(
        "Igammac",
        sp.gammaincc,
        domain=(0.1, 40),
        special=False,
        ulps=64,
        scale=_one,
        gradient=1,
        gradient_domain=(0.5, 8),
    ),
    binary("IgammaGradA", _igamma_grad_a, domain=(0.5, 30), special=False, ulps=64, scale=_one),
    binary("RandomGammaGrad", _quantile_slope, domain=(0.05, 40), special=False, ulps=16),
    OpRecord(
        "Zeta",
        lambda x, q: sp.zeta(x, q),
        lambda draw, case: (
            [draw(case.array(s, domain=d)) for s, d in zip(draw(case.broadcastable_shapes(2)), [(1.2, 12), (0.5, 20)])],
            {},
        ),
        ulps=16,
        differentiable=[1],
    ),
    OpRecord("Polygamma", _polygamma, _order_and_point, ulps=32, scale=_one, differentiable=[1]),
    OpRecord("Betainc", sp.betainc, _betainc_inputs, ulps=64, differentiable=[2]),
    binary("NextAfter", lambda x, y: _next_after(x, y, np.float32), types={"T": ("float",)}, ulps=0, gradient=0),
    binary("NextAfter", lambda x, y: _next_after(x, y, np.float64), types={"T": ("double",)}, ulps=0, gradient=1),
]


def _next_after(x, y, dtype):
    return np.nextafter(x.astype(dtype), y.astype(dtype))
