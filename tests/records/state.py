"""Records of the ops on variables: assignments, counters, updates of slices."""

import math
import operator

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import After, OpRecord


def _on_variable(op):
    """Builds the op on a variable whose initial value is the first input."""

    def build(tensors, attrs):
        import tfcore as tf

        variable = tf.Variable(tensors[0], validate_shape=False)
        names = [arg.name for arg in getattr(tf.raw_ops, op).inputs]

        def outputs():
            return getattr(tf.raw_ops, op)(**dict(zip(names, [variable._ref(), *tensors[1:]])), **attrs)

        return After([variable.initializer], outputs)

    return build


def _read_variable(op):
    """Builds a variable op, assigns to it and reads it."""

    def build(tensors, attrs):
        import tfcore as tf

        ref = getattr(tf.raw_ops, op)(shape=tensors[0].shape, dtype=attrs["dtype"])
        return After([tf.assign(ref, tensors[0], validate_shape=False)], lambda: tf.identity(ref))

    return build


def _one_array(draw, case, dtype="T"):
    return [draw(case.array(draw(case.shapes()), dtype=case[dtype]))], {}


def _variable_record(op):
    return OpRecord(
        op,
        lambda x, dtype=None: x,
        lambda draw, case: _one_array(draw, case, "dtype"),
        build=_read_variable(op),
        gradient=0,
    )


def _two_arrays(draw, case):
    shape = draw(case.shapes())
    return [draw(case.array(shape)), draw(case.array(shape))], {}


def _assign_inputs(draw, case):
    old, new = draw(case.shapes()), draw(case.shapes())
    validate = draw(st.booleans())
    values = [draw(case.array(old)), draw(case.array(old if validate else new))]
    return values, {"validate_shape": validate}


def _count_inputs(draw, case):
    limit = draw(st.integers(-100, 100))
    return [np.array(limit - draw(st.integers(1, 50)), case.T)], {"limit": limit}


# ---- Updates of slices

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
        build=_on_variable(op),
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
        build=_on_variable(op),
        gradient=0,
        scale=scale,
        ulps=8,
        examples=5,
    )


RECORDS = [
    _variable_record("VariableV2"),
    _variable_record("Variable"),
    OpRecord(
        "IsVariableInitialized",
        lambda x: np.array(True),
        lambda draw, case: _one_array(draw, case, "dtype"),
        build=_on_variable("IsVariableInitialized"),
        gradient=0,
    ),
    OpRecord(
        "Assign", lambda x, y, validate_shape: y, _assign_inputs, build=_on_variable("Assign"), gradient=0, special=True
    ),
    OpRecord("AssignAdd", operator.add, _two_arrays, build=_on_variable("AssignAdd"), gradient=0, scale="abs"),
    OpRecord(
        "AssignSub",
        operator.sub,
        _two_arrays,
        build=_on_variable("AssignSub"),
        gradient=0,
        scale=lambda a, b: np.abs(a) + np.abs(b) if a.dtype.kind in "fc" else np.ones(a.shape),
    ),
    OpRecord("CountUpTo", lambda x, limit: x, _count_inputs, build=_on_variable("CountUpTo"), gradient=0),
    *[_scatter(kind) for kind in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")],
    *[_scatter_nd(kind) for kind in ("Update", "Add", "Sub", "Min", "Max")],
]

EXPLICIT = {"RefIdentity": "tests/ops/test_state.py::test_ref_identity"}
EXPLICIT_GRADIENTS = {"RefIdentity": "tests/ops/test_state.py::test_ref_identity"}
