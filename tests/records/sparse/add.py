"""Records of two sparse tensors element by element."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_shape, draw_sparse
from tfcore.testing import OpRecord

_PLAIN = ("int8", "int16", "int32", "int64")


def _pair(draw, case):
    shape = draw_shape(draw, case)
    return [*draw_sparse(draw, case, shape, True), *draw_sparse(draw, case, shape, True)]


def _extreme_inputs(draw, case):
    return _pair(draw, case), {}


def _add_inputs(draw, case):
    threshold = 0 if case.smooth else draw(st.sampled_from([0, 1, 20]))
    return [*_pair(draw, case), np.array(threshold, case.Treal)], {}


def _elements(a_indices, a_values, b_indices, b_values):
    """(index, element of a or None, element of b or None) in row-major order."""
    a = dict(zip(map(tuple, a_indices.tolist()), a_values))
    b = dict(zip(map(tuple, b_indices.tolist()), b_values))
    return [(at, a.get(at), b.get(at)) for at in sorted({*a, *b})]


def _outputs(found, indices, values):
    at = np.array([index for index, _ in found], np.int64).reshape(-1, indices.shape[1])
    return [at, np.array([value for _, value in found], values.dtype)]


def _add(a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh):
    found = []
    for at, x, y in _elements(a_indices, a_values, b_indices, b_values):
        if x is not None and y is not None:
            total = np.array([x], a_values.dtype) + np.array([y], a_values.dtype)
            kind = (
                object if a_values.dtype.kind == "i" else None
            )  # the magnitude of the least number needs a wider type
            if not thresh <= np.abs(total.astype(kind) if kind else total)[0]:
                continue
            found.append((at, total[0]))
        else:
            found.append((at, y if x is None else x))
    return [*_outputs(found, a_indices, a_values), a_shape]


def _extreme(function):
    def reference(a_indices, a_values, a_shape, b_indices, b_values, b_shape):
        zero = a_values.dtype.type(0)
        found = [
            (at, function(zero if x is None else x, zero if y is None else y))
            for at, x, y in _elements(a_indices, a_values, b_indices, b_values)
        ]
        return _outputs(found, a_indices, a_values)

    return reference


def _grad_inputs(draw, case):
    a, _, _, b, _, _ = _pair(draw, case)
    sums = np.array(sorted({*map(tuple, a.tolist()), *map(tuple, b.tolist())}), np.int64).reshape(-1, a.shape[1])
    kept = draw(st.lists(st.booleans(), min_size=len(sums), max_size=len(sums)))
    sums = sums[np.array(kept, bool)]
    return [draw(case.array((len(sums),))), a, b, sums], {}


def _add_grad(grad, a_indices, b_indices, sum_indices):
    known = dict(zip(map(tuple, sum_indices.tolist()), grad))
    return [
        np.array([known.get(tuple(at), 0) for at in indices.tolist()], grad.dtype) for indices in (a_indices, b_indices)
    ]


def _add_record(types, real):
    types = {"T": types, "Treal": real}
    return OpRecord("SparseAdd", _add, _add_inputs, types=types, gradient=1, differentiable=[1, 4], examples=10)


RECORDS = [
    _add_record(("float", "complex64"), "float"),
    _add_record(("double", "complex128"), "double"),
    *(_add_record(name, name) for name in _PLAIN),
    OpRecord("SparseAddGrad", _add_grad, _grad_inputs, examples=10),
    OpRecord("SparseSparseMaximum", _extreme(np.maximum), _extreme_inputs, gradient=0, examples=5),
    OpRecord("SparseSparseMinimum", _extreme(np.minimum), _extreme_inputs, gradient=0, examples=5),
]
EXPLICIT_GRADIENTS = dict.fromkeys(
    ("SparseSparseMaximum", "SparseSparseMinimum"), "tests/composed/test_sparse_math.py::test_without_gradient"
)
