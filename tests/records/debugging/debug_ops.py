"""Records of what a debugger sees, without the files: tests look at those."""

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.testing import OpRecord

_ATTRS = {"tensor_name": "a:0"}


def _any(draw, case):
    return [draw(case.array(draw(case.shapes(max_rank=5))))], _ATTRS


def _summary(kind):
    def reference(x, tensor_name):
        numbers = x.astype(np.float64).ravel()
        finite = numbers[np.isfinite(numbers)]
        counts = [np.isnan(numbers), np.isneginf(numbers), finite < 0, finite == 0, finite > 0, np.isposinf(numbers)]
        moments = (
            [finite.min(), finite.max(), finite.mean(), finite.var()]
            if finite.size
            else [np.inf, -np.inf, *[np.nan] * 2]
        )
        head = [1, x.size, *(np.count_nonzero(c) for c in counts), *moments]
        return np.array([*head, dtypes.as_dtype(kind).as_datatype_enum, x.ndim, *x.shape], np.float64)

    return reference


def _magnitude(kind):
    """Moments are sums of up to 3000 numbers, one after the other."""

    def scale(x, tensor_name):
        numbers = np.abs(x.astype(np.float64).ravel())
        finite = numbers[np.isfinite(numbers)]
        largest = finite.max() if finite.size else 0
        return np.array([0] * 10 + [largest, largest**2, 0, 0] + [0] * x.ndim, np.float64)

    return scale


_SUMMARIZED = "bool float double int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
RECORDS = [
    OpRecord("DebugIdentity", lambda x, tensor_name: x, _any, special=True),
    OpRecord("DebugNanCount", lambda x, tensor_name: np.array([np.count_nonzero(x != x)]), _any, special=True),
    *(
        OpRecord(
            "DebugNumericSummary",
            _summary(kind),
            _any,
            types={"T": kind},
            scale=_magnitude(kind),
            domain=(-1e6, 1e6),
            ulps=1000,
        )
        for kind in _SUMMARIZED
    ),
]
