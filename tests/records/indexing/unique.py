"""Records of unique values and differences of sets."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _vector(draw, case):
    return draw(case.array((draw(st.integers(0, 80)),)))


def _unique(draw, case):
    return [_vector(draw, case)], {}


def _unique_reference(x, out_idx):
    values, places, counts = [], [], []
    for item in x.tolist():
        if item in values and item == item:  # `in` finds an identical NaN object
            at = values.index(item)
        else:
            at = len(values)
            values.append(item)
            counts.append(0)
        places.append(at)
        counts[at] += 1
    found = np.empty(len(values), x.dtype)
    found[:] = values
    return [found, np.array(places, out_idx), np.array(counts, out_idx)]


def _list_diff(draw, case):
    return [_vector(draw, case), _vector(draw, case)], {}


def _list_diff_reference(x, y, out_idx):
    known = y.tolist()
    left = [i for i, v in enumerate(x.tolist()) if v not in known or v != v]
    return [x[np.array(left, int)], np.array(left, out_idx)]


RECORDS = [
    OpRecord("Unique", lambda x, out_idx: _unique_reference(x, out_idx)[:2], _unique, examples=4),
    OpRecord("UniqueWithCounts", _unique_reference, _unique, examples=4),
    OpRecord("ListDiff", _list_diff_reference, _list_diff, examples=4),
]
