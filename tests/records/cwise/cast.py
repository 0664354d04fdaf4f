"""Records of type changes."""

import numpy as np

from tfcore.testing import OpRecord
from tfcore.testing.oracle import is_float


def _cast_inputs(draw, case):
    # Half of the range that every target holds, so that what C leaves undefined does not happen.
    source, target = case.SrcT, case.DstT
    high = 100.0
    low = 0.0 if target.kind == "u" else -100.0
    shape = draw(case.shapes())
    limited = target.kind in "iu" and source.kind not in "iub"
    domain = (low, high) if limited else (-100, 100) if source.kind not in "iub" else None
    return [draw(case.array(shape, dtype=source, domain=domain, special=not limited and source.kind != "c"))], {}


def _cast(x, DstT):  # noqa: N803  the op's name
    target = np.dtype(DstT)
    if x.dtype.kind == "c" and target.kind != "c":
        x = x.real
    if target.kind == "b":
        return x != 0
    if target.kind in "iu" and x.dtype.kind == "f":
        return np.trunc(x).astype(np.int64).astype(target)
    if is_float(target) and x.dtype.kind in "iu":
        return x.astype(np.float64)
    return x.astype(target) if target.kind in "iu" else x.astype(np.complex128 if target.kind == "c" else np.float64)


RECORDS = [
    OpRecord("Cast", _cast, _cast_inputs, ulps=1, gradient=0, examples=2),
]

EXPLICIT = {"Bitcast": "tests/ops/cwise/test_cast.py::test_bitcast"}
EXPLICIT_GRADIENTS = {"Cast": "tests/ops/cwise/test_cast.py::test_cast_gradient"}
