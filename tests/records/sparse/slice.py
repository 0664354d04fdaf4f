"""Records of slices of sparse tensors."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_sparse
from tfcore.testing import OpRecord


def _inputs(draw, case):
    parts = draw_sparse(draw, case)
    start = [draw(st.integers(0, int(size) + 1)) for size in parts[2]]
    size = [draw(st.integers(0, int(size) + 2) | st.just(2**62)) for size in parts[2]]
    return [*parts, np.array(start, np.int64), np.array(size, np.int64)], {}


def _inside(indices, start, size):
    return ((indices >= start) & (indices - start < size)).all(1)


def _slice(indices, values, shape, start, size):
    here = _inside(indices, start, size)
    return [indices[here] - start, values[here], np.clip(shape - start, 0, size)]


def _grad_inputs(draw, case):
    (indices, values, _, start, size), _ = _inputs(draw, case)
    here = _inside(indices, start, size)
    return [values[here], indices, start, indices[here] - start], {}


def _slice_grad(grad, indices, start, out):
    places = {tuple(at): value for at, value in zip((out + start).tolist(), grad)}
    return np.array([places.get(tuple(at), 0) for at in indices.tolist()], grad.dtype)


RECORDS = [
    OpRecord("SparseSlice", _slice, _inputs, special=True, gradient=1, examples=5),
    OpRecord("SparseSliceGrad", _slice_grad, _grad_inputs, examples=5),
]
