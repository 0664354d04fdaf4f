"""Records of sums of many tensors and cross products."""

import functools

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _many(draw, case):
    shape = draw(case.shapes())
    return [[draw(case.array(shape)) for _ in range(draw(st.integers(1, 5)))]], {}


def _many_with_shape(draw, case):
    inputs, _ = _many(draw, case)
    return inputs, {"shape": inputs[0][0].shape}


def _sum(inputs, shape=None):
    return functools.reduce(np.add, inputs)


def _vectors(draw, case):
    shape = (*draw(case.shapes(max_rank=4, max_elements=case.max_elements // 3)), 3)
    return [draw(case.array(shape)) for _ in range(2)], {}


def _cross(a, b):
    # By hand: np.cross computes in the type of the inputs only for some types.
    a, b = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return np.stack(parts, axis=-1)


def _cross_scale(a, b):
    a, b = np.moveaxis(np.abs(a), -1, 0), np.moveaxis(np.abs(b), -1, 0)
    return np.stack([a[1] * b[2] + a[2] * b[1], a[2] * b[0] + a[0] * b[2], a[0] * b[1] + a[1] * b[0]], axis=-1)


RECORDS = [
    OpRecord("AddN", _sum, _many, scale="abs"),
    OpRecord("AccumulateNV2", _sum, _many_with_shape, scale="abs"),
    OpRecord("Cross", _cross, _vectors, scale=_cross_scale),
]
