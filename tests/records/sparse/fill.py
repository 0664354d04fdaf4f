"""Records of elements for empty rows."""

import numpy as np
from hypothesis import strategies as st

from tests.sparse_tensors import draw_sparse
from tfcore.testing import OpRecord


def _inputs(draw, case):
    return [*draw_sparse(draw, case), draw(case.array(()))], {}


def _fill(indices, values, shape, default):
    rows = int(shape[0])
    found = [(*at, i) for i, at in enumerate(indices.tolist())]
    order = sorted(range(len(found)), key=lambda i: found[i][0])  # rows keep the order of their elements
    empty = np.array([row not in set(indices[:, 0].tolist()) for row in range(rows)], bool)
    elements = [(indices[i].tolist(), values[i], i) for i in order]
    elements += [([row] + [0] * (len(shape) - 1), default[()], None) for row in np.flatnonzero(empty).tolist()]
    elements.sort(key=lambda element: element[0][0])
    where = {i: k for k, (_, _, i) in enumerate(elements)}
    out = np.empty(len(elements), values.dtype)
    out[:] = [value for _, value, _ in elements]
    at = np.array([at for at, _, _ in elements], np.int64).reshape(-1, len(shape))
    return [at, out, empty, np.array([where[i] for i in range(len(values))], np.int64)]


def _grad_inputs(draw, case):
    grad = draw(case.array((draw(st.integers(0, 30)),)))
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    return [rng.permutation(len(grad))[: draw(st.integers(0, len(grad)))].astype(np.int64), grad], {}


def _fill_grad(places, grad):
    rest = np.delete(grad, places)
    return [grad[places], np.array(rest.sum(dtype=grad.dtype))]


def _scale(places, grad):
    return [np.abs(part) for part in _fill_grad(places, np.abs(grad))]


RECORDS = [
    OpRecord("SparseFillEmptyRows", _fill, _inputs, special=True, gradient=1, examples=5),
    OpRecord("SparseFillEmptyRowsGrad", _fill_grad, _grad_inputs, scale=_scale, examples=5),
]
