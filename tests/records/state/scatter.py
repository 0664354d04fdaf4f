"""Records of updates of slices of variables."""

import math
import operator

import numpy as np
from hypothesis import strategies as st

from tests.records.state.state import on_variable
from tfcore.testing import OpRecord

_OPS = {
    "Update": lambda old, new: new,
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": lambda a, b: a / b if a.dtype.kind in "fc" else _truncated(a, b),
    "Min": np.minimum,
    "Max": np.maximum,
}


def _truncated(a, b):
    """Integer quotients as C rounds them."""
    quotient = a // b
    if a.dtype.kind == "i":
        quotient = quotient + ((a % b != 0) & ((a < 0) != (b < 0))).astype(a.dtype)
    return quotient


def _index_array(draw, shape, size, dtype):
    return np.array([draw(st.integers(0, size - 1)) for _ in range(math.prod(shape))], dtype).reshape(shape)


def _scatter_inputs(kind):
    def inputs(draw, case):
        shape = draw(case.shapes(min_rank=1, max_rank=4, max_elements=600))
        batch = draw(st.sampled_from([(), (0,), (1,), (3,), (2, 3)])) if shape[0] else (0,)
        indices = _index_array(draw, batch, shape[0], case.Tindices)
        updates_shape = () if draw(st.integers(0, 3)) == 0 else (*batch, *shape[1:])
        updates = draw(case.array(updates_shape, nonzero=kind == "Div"))
        return [draw(case.array(shape)), indices, updates], {}

    return inputs


def _scatter_reference(kind):
    combine = _OPS[kind]

    def reference(ref, indices, updates):
        result = ref.copy()
        updates = np.broadcast_to(updates, indices.shape + ref.shape[1:])
        for position in np.ndindex(indices.shape):
            row = indices[position]
            result[row] = combine(result[row], updates[position])
        return result

    return reference


def _scatter_nd_inputs(draw, case):
    shape = draw(case.shapes(min_rank=1, max_rank=4, max_elements=600))
    depth = draw(st.integers(1, len(shape)))
    batch = draw(st.sampled_from([(0,), (1,), (4,), (2, 3)])) if math.prod(shape[:depth]) else (0,)
    columns = [_index_array(draw, batch, max(d, 1), case.Tindices) for d in shape[:depth]]
    updates = draw(case.array((*batch, *shape[depth:])))
    return [draw(case.array(shape)), np.stack(columns, -1), updates], {}


def _scatter_nd_reference(kind):
    combine = _OPS[kind]

    def reference(ref, indices, updates):
        result = ref.copy()
        for position in np.ndindex(indices.shape[:-1]):
            at = tuple(indices[position])
            result[at] = combine(result[at], updates[position])
        return result

    return reference


def _sub_scale(kind):
    """For subtraction, what is added up in magnitude."""

    def scale(ref, indices, updates):
        make = _scatter_nd_reference if kind.startswith("Nd") else _scatter_reference
        return make("Add")(np.abs(ref), indices, np.abs(updates)) if ref.dtype.kind in "fc" else np.ones(ref.shape)

    return scale


def _scatter(kind):
    scale = _sub_scale(kind) if kind in ("Add", "Sub") else None
    op = f"Scatter{kind}"
    return OpRecord(
        op,
        _scatter_reference(kind),
        _scatter_inputs(kind),
        build=on_variable(op),
        gradient=0,
        scale=scale,
        ulps=16 if kind in ("Mul", "Div") else 8,
        domain=(-4, 4) if kind in ("Mul", "Div") else None,
        special=kind == "Update",
        examples=5,
    )


def _scatter_nd(kind):
    scale = _sub_scale("Nd" + kind) if kind in ("Add", "Sub") else None
    op = f"ScatterNd{kind}"
    return OpRecord(
        op,
        _scatter_nd_reference(kind),
        _scatter_nd_inputs,
        build=on_variable(op),
        gradient=0,
        scale=scale,
        ulps=8,
        examples=5,
    )


RECORDS = [
    *[_scatter(kind) for kind in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")],
    *[_scatter_nd(kind) for kind in ("Update", "Add", "Sub", "Min", "Max")],
]
