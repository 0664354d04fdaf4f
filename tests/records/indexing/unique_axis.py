"""Records of the distinct slices along an axis."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _inputs(draw, case):
    shape = draw(case.shapes(min_rank=1, max_rank=3, max_elements=40))
    x = draw(case.array(shape, domain=(0, 2)))
    axes = list(range(-len(shape), len(shape)))
    axis = draw(st.sampled_from(axes if len(shape) > 1 else [*axes, None]))
    return [x, np.array([] if axis is None else [axis], case.Taxis)], {}


def _slices(x, axis):
    return np.moveaxis(x, axis[0] if axis.size else 0, 0)


def _reference(x, axis, out_idx=None):
    slices = _slices(x, axis)
    firsts, numbers = [], []
    for one in slices:
        same = [k for k, first in enumerate(firsts) if np.array_equal(one, slices[first])]
        if not same:
            firsts.append(len(numbers))
        numbers.append(same[0] if same else len(firsts) - 1)
    y = np.moveaxis(slices[firsts], 0, axis[0] if axis.size else 0)
    counts = np.bincount(numbers, minlength=len(firsts)) if firsts else np.zeros(0, int)
    return [y, np.array(numbers, out_idx), counts.astype(out_idx)]


RECORDS = [
    OpRecord("UniqueV2", lambda *inputs, **attrs: _reference(*inputs, **attrs)[:2], _inputs),
    OpRecord("UniqueWithCountsV2", _reference, _inputs),
]
