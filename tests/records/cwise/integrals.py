"""Records of functions that are integrals."""

import scipy.special as sp

from tests.records.cwise.special import _one
from tests.records.cwise.special import unary as _unary

_OPTIONS = {"special": False, "gradient_domain": (0.2, 3)}

RECORDS = [
    _unary("Dawsn", sp.dawsn, domain=(-30, 30), ulps=64, **_OPTIONS),  # SciPy's are not exact for small numbers
    _unary("Expint", sp.expi, domain=(0.02, 10), ulps=16, scale=lambda x: 1 + abs(sp.expi(x)), **_OPTIONS),
    _unary("FresnelCos", lambda x: sp.fresnel(x)[1], domain=(-12, 12), ulps=64, scale=_one, **_OPTIONS),
    _unary("FresnelSin", lambda x: sp.fresnel(x)[0], domain=(-12, 12), ulps=64, scale=_one, **_OPTIONS),
    _unary("Spence", sp.spence, domain=(0.0, 50), ulps=16, scale=lambda x: 1 + abs(sp.spence(x)), **_OPTIONS),
]
