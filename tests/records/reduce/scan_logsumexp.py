"""Records of cumulative logarithms of sums of exponentials."""

import numpy as np

from tests.records.reduce.scan import _inputs, _scan
from tfcore.testing import OpRecord


def _scale(x, axis, exclusive, reverse):
    """exp of a difference is as exact as the difference; sums of many numbers lose a little more."""
    return np.full(x.shape, 10 + np.max(np.abs(x), initial=0), x.dtype)


def _finite_inputs(draw, case):
    """The first of exclusive sums is -inf, which has no numeric derivative."""
    inputs, attrs = _inputs(draw, case)
    return inputs, {**attrs, "exclusive": attrs["exclusive"] and not case.smooth}


def _reference(x, axis, exclusive, reverse):
    scan = _scan(lambda y, axis, dtype: np.logaddexp.accumulate(y, axis=axis, dtype=dtype), -np.inf)
    return scan(x, axis, exclusive, reverse)


RECORDS = [
    OpRecord(
        "CumulativeLogsumexp",
        _reference,
        _finite_inputs,
        scale=_scale,
        ulps=70,
        domain=(-20, 20),
        gradient_domain=(-3, 3),
        special=False,
    ),
]
