"""Records of Bessel functions."""

import scipy.special as sp

from tests.records.cwise.special import _one
from tests.records.cwise.special import unary as _unary

_POSITIVE = {"domain": (0.02, 60), "special": False, "gradient_domain": (0.3, 6)}


def _any(name, reference, **more):
    options = {"domain": (-30, 30), "special": False, "gradient_domain": (-4, 4), **more}
    return _unary(name, reference, **options)


RECORDS = [
    _any("BesselI0", sp.i0, domain=(-10, 10), ulps=16),
    _any("BesselI1", sp.i1, domain=(-10, 10), ulps=16),
    _any("BesselJ0", sp.j0, ulps=16, scale=_one),
    _any("BesselJ1", sp.j1, ulps=16, scale=_one),
    _unary("BesselK0", sp.k0, ulps=32, **(_POSITIVE | {"domain": (0.02, 9)})),
    _unary("BesselK1", sp.k1, ulps=32, **(_POSITIVE | {"domain": (0.02, 9)})),
    _unary("BesselK0e", sp.k0e, ulps=16, **_POSITIVE),
    _unary("BesselK1e", sp.k1e, ulps=16, **_POSITIVE),
    _unary("BesselY0", sp.y0, ulps=32, scale=lambda x: 1 + abs(sp.y0(x)), **_POSITIVE),
    _unary("BesselY1", sp.y1, ulps=32, scale=lambda x: 1 + abs(sp.y1(x)), **_POSITIVE),
]
