"""Records of reductions of sparse tensors."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_sparse, in_order
from tfcore.testing import OpRecord


def _inputs(draw, case):
    parts = draw_sparse(draw, case)
    rank = len(parts[2])
    axes = draw(st.lists(st.integers(-rank, rank - 1), max_size=rank + 1))
    return [*parts, np.array(axes, np.int32)], {"keep_dims": draw(st.booleans())}


def _groups(indices, values, shape, axes, keep_dims):
    """The elements by the index of their result, and the result's shape."""
    reduced = {int(axis) % len(shape) for axis in np.atleast_1d(axes)} if len(shape) else set()
    found = {}
    for index, value in zip(indices.tolist(), values):
        at = [0 if d in reduced else i for d, i in enumerate(index) if keep_dims or d not in reduced]
        found.setdefault(tuple(at), []).append(value)
    sizes = [1 if d in reduced else int(n) for d, n in enumerate(shape) if keep_dims or d not in reduced]
    return found, sizes


def _dense(function):
    def reference(indices, values, shape, axes, keep_dims):
        found, sizes = _groups(indices, values, shape, axes, keep_dims)
        out = np.zeros(sizes, values.dtype)
        for at, group in found.items():
            out[at] = function(np.array(group))
        return out

    return reference


def _sparse(function):
    def reference(indices, values, shape, axes, keep_dims):
        found, sizes = _groups(indices, values, shape, axes, keep_dims)
        at = np.array(list(found), np.int64).reshape(len(found), len(sizes))
        results = np.array([function(np.array(group)) for group in found.values()], values.dtype)
        return [*in_order(at, results), np.array(sizes, np.int64)]

    return reference


def _sum(x):
    return x.sum(dtype=x.dtype)


def _scale(make):
    def scale(indices, values, shape, axes, keep_dims):
        result = make(_sum)(indices, np.abs(values), shape, axes, keep_dims)
        if isinstance(result, list):
            return [np.abs(part) for part in result]
        return result

    return scale


RECORDS = [
    OpRecord("SparseReduceSum", _dense(_sum), _inputs, scale=_scale(_dense), examples=5),
    OpRecord("SparseReduceSumSparse", _sparse(_sum), _inputs, scale=_scale(_sparse), examples=5),
    OpRecord("SparseReduceMax", _dense(np.max), _inputs, examples=5),
    OpRecord("SparseReduceMaxSparse", _sparse(np.max), _inputs, examples=5),
]
