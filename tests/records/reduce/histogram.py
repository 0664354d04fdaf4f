"""Records of counting values."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _bincount(draw, case):
    shape = draw(case.shapes(max_rank=3))
    arr = draw(case.array(shape, dtype=np.dtype(np.int32), domain=(0, 12)))
    weights = draw(case.array(shape, domain=(-50, 50))) if draw(st.booleans()) else np.zeros(0, case.T)
    return [arr, np.array(draw(st.integers(0, 15)), np.int32), weights], {}


def _bincount_reference(arr, size, weights):
    out = np.zeros(13, weights.dtype)
    np.add.at(out, arr.reshape(-1), weights.reshape(-1) if weights.size else 1)
    return np.resize(np.concatenate([out, np.zeros(3, out.dtype)])[: int(size)], int(size))


def _histogram(draw, case):
    low, bins = draw(st.integers(-4, 4)), draw(st.integers(1, 9))
    high = low + bins * draw(st.sampled_from([1, 2, 4]))  # the width of a bin is exact
    x = draw(case.array(draw(case.shapes(max_rank=3)), domain=(-20, 20)))
    return [x, np.array([low, high], case.T), np.array(bins, np.int32)], {}


def _histogram_reference(x, limits, bins, dtype):
    low, high = (float(v) for v in limits)
    at = np.floor((x.astype(np.float64) - low) / ((high - low) / int(bins)))
    at = np.clip(at, 0, int(bins) - 1).astype(int).reshape(-1)
    return np.bincount(at, minlength=int(bins)).astype(dtype)


RECORDS = [
    OpRecord(
        "Bincount",
        _bincount_reference,
        _bincount,
        scale=lambda arr, size, weights: _bincount_reference(arr, size, np.abs(weights)),
        ulps=70,
    ),  # fmt: skip
    OpRecord("HistogramFixedWidth", _histogram_reference, _histogram),
]
