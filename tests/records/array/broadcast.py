"""Records of the arithmetic of shapes."""

import numpy as np

from tfcore.testing import OpRecord


def _shape_pair(draw, case):
    a, b = draw(case.broadcastable_shapes(2))
    return [np.array(a, case.T), np.array(b, case.T)], {}


def _broadcast_args(a, b):
    return np.array(np.broadcast_shapes(tuple(a), tuple(b)), a.dtype)


def _gradient_args(a, b):
    if np.array_equal(a, b):
        return [np.array([], a.dtype)] * 2
    rank = max(len(a), len(b))
    full = [np.concatenate([np.ones(rank - len(s), s.dtype), s]) for s in (a, b)]
    return [np.flatnonzero(shape == 1).astype(a.dtype) for shape in full]


RECORDS = [
    OpRecord("BroadcastArgs", _broadcast_args, _shape_pair),
    OpRecord("BroadcastGradientArgs", _gradient_args, _shape_pair),
]
