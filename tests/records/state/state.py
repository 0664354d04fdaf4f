"""Records of the ops on variables: assignments, counters."""

import operator

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import After, OpRecord


def on_variable(op):
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
    return [np.array(limit - draw(st.integers(50, 100)), case.T)], {"limit": limit}  # a random graph runs it often


RECORDS = [
    _variable_record("VariableV2"),
    _variable_record("Variable"),
    OpRecord(
        "IsVariableInitialized",
        lambda x: np.array(True),
        lambda draw, case: _one_array(draw, case, "dtype"),
        build=on_variable("IsVariableInitialized"),
        gradient=0,
    ),
    OpRecord(
        "Assign", lambda x, y, validate_shape: y, _assign_inputs, build=on_variable("Assign"), gradient=0, special=True
    ),
    OpRecord("AssignAdd", operator.add, _two_arrays, build=on_variable("AssignAdd"), gradient=0, scale="abs"),
    OpRecord(
        "AssignSub",
        operator.sub,
        _two_arrays,
        build=on_variable("AssignSub"),
        gradient=0,
        scale=lambda a, b: np.abs(a) + np.abs(b) if a.dtype.kind in "fc" else np.ones(a.shape),
    ),
    OpRecord("CountUpTo", lambda x, limit: x, _count_inputs, build=on_variable("CountUpTo"), gradient=0),
]

_DESTROYED = "tests/variables/test_resource_variable.py::test_destroyed_variables_are_uninitialized"
EXPLICIT = {
    "RefIdentity": "tests/ops/state/test_state.py::test_ref_identity",
    "RefSelect": "tests/ops/state/test_state.py::test_ref_select",
    "_DestroyVariable": _DESTROYED,
    "_ResourceVariable": "tests/ops/state/test_resource_variable.py::test_every_type_is_assigned_and_read",
}
EXPLICIT_GRADIENTS = {"RefIdentity": "tests/ops/state/test_state.py::test_ref_identity"}
