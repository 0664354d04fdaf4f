"""Records of a sparse and a dense tensor element by element."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_shape, draw_sparse
from tfcore.testing import OpRecord


def _add_inputs(draw, case):
    indices, values, shape = draw_sparse(draw, case)
    kind = case.Tindices
    return [indices.astype(kind), values, shape.astype(kind), draw(case.array(tuple(shape)))], {}


def _add(indices, values, shape, b):
    out = b.copy()
    np.add.at(out, tuple(indices.T), values)
    return out


def _cwise_inputs(nonzero=False):
    def inputs(draw, case):
        sizes = [max(size, 2) if draw(st.booleans()) else size for size in draw_shape(draw, case, max_rank=3)]
        parts = draw_sparse(draw, case, tuple(sizes))
        first = draw(st.integers(0, len(sizes)))
        dense = draw(case.array([1 if size > 1 and draw(st.booleans()) else size for size in sizes[first:]]))
        if nonzero:
            dense = np.where(np.abs(dense) < 1, np.ones((), dense.dtype), dense)
        return [*parts, dense], {}

    return inputs


def _at(indices, shape, dense):
    return np.broadcast_to(dense, tuple(shape))[tuple(indices.T)]


def _cwise(function):
    return lambda indices, values, shape, dense: function(values, _at(indices, shape, dense))


def _divide(x, y):
    if x.dtype.kind not in "iu":
        return x / y
    wide = [(abs(int(a)) // abs(int(b))) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)]
    bits = 8 * x.dtype.itemsize
    return np.array([q % 2**bits for q in wide], f"u{x.dtype.itemsize}").astype(x.dtype)


RECORDS = [
    OpRecord("SparseTensorDenseAdd", _add, _add_inputs, differentiable=[1, 3], examples=5),
    OpRecord("SparseDenseCwiseAdd", _cwise(np.add), _cwise_inputs(), gradient=0, examples=5),
    OpRecord("SparseDenseCwiseMul", _cwise(np.multiply), _cwise_inputs(), differentiable=[1, 3], examples=5),
    OpRecord("SparseDenseCwiseDiv", _cwise(_divide), _cwise_inputs(True), differentiable=[1, 3], examples=5),
]
EXPLICIT_GRADIENTS = {"SparseDenseCwiseAdd": "tests/composed/test_sparse_math.py::test_without_gradient"}
