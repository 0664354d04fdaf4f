"""Records of products with a sparse matrix."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_indices
from tfcore.testing import OpRecord


def _inputs(draw, case):
    most = 4 if case.smooth else 40
    rows, inner = draw(st.integers(0, most)), draw(st.integers(0, most))
    cols = draw(st.integers(0, 4 if case.smooth else 20) | st.sampled_from([1, 7, 33, 130] if not case.smooth else [3]))
    adjoint_a, adjoint_b = draw(st.booleans()), draw(st.booleans())
    shape = (inner, rows) if adjoint_a else (rows, inner)
    indices = draw_indices(draw, shape, ordered=draw(st.booleans()))
    values = draw(case.array((len(indices),)))
    b = draw(case.array((cols, inner) if adjoint_b else (inner, cols)))
    attrs = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
    return [indices.astype(case.Tindices), values, np.array(shape, np.int64), b], attrs


def _product(indices, values, shape, b, adjoint_a, adjoint_b):
    a = np.zeros(tuple(shape), values.dtype)
    a[tuple(indices.T)] = values
    return (a.conj().T if adjoint_a else a) @ (b.conj().T if adjoint_b else b)


def _scale(indices, values, shape, b, adjoint_a, adjoint_b):
    return _product(indices, np.abs(values), shape, np.abs(b), adjoint_a, adjoint_b)


RECORDS = [OpRecord("SparseTensorDenseMatMul", _product, _inputs, scale=_scale, differentiable=[1, 3], examples=8)]


def _matmul_inputs(draw, case):
    n, k, m = (draw(st.integers(0, 4 if case.smooth else 40)) for _ in range(3))
    ta, tb = draw(st.booleans()), draw(st.booleans())
    attrs = {"transpose_a": ta, "transpose_b": tb, "a_is_sparse": draw(st.booleans())}
    a = draw(case.array((k, n) if ta else (n, k), dtype=case.Ta))
    return [a, draw(case.array((m, k) if tb else (k, m), dtype=case.Tb))], attrs


def _matmul(a, b, transpose_a, transpose_b, a_is_sparse):
    return (a.T if transpose_a else a) @ (b.T if transpose_b else b)


RECORDS.append(OpRecord("SparseMatMul", _matmul, _matmul_inputs, scale="abs", examples=8))
