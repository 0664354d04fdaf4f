"""Records of comparisons and logic."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _with_equals(draw, case):
    """Two tensors that agree in about half of their elements."""
    a, b = draw(case.broadcastable_shapes(2))
    x, y = draw(case.array(a)), draw(case.array(b))
    if a == b:
        y = np.where(np.arange(y.size).reshape(y.shape) % 2 == 0, x, y)
    return [x, y], {}


def _equality(op, reference):
    def call(x, y):
        return np.asarray(reference(x, y), bool)

    return OpRecord(op, call, _with_equals, special=True)


def _comparison(op, reference):
    return OpRecord(op, reference, _with_equals, special=True)


def _approximate_inputs(draw, case):
    shape = draw(case.shapes())
    return [draw(case.array(shape)) for _ in range(2)], {"tolerance": draw(st.sampled_from([0.5, 2.0]))}


def _approximate(x, y, tolerance):
    if x.dtype.kind in "iu":
        x, y = x.astype(object), y.astype(object)
        return np.asarray(np.abs(x - y) <= tolerance, bool)
    return np.abs(x - y) <= tolerance


def _bools(draw, case):
    a, b = draw(case.broadcastable_shapes(2))
    return [draw(case.array(a, dtype=np.bool_)), draw(case.array(b, dtype=np.bool_))], {}


RECORDS = [
    _comparison("Less", np.less),
    _comparison("LessEqual", np.less_equal),
    _comparison("Greater", np.greater),
    _comparison("GreaterEqual", np.greater_equal),
    _equality("Equal", np.equal),
    _equality("NotEqual", np.not_equal),
    OpRecord("ApproximateEqual", _approximate, _approximate_inputs, special=True),
    OpRecord("LogicalAnd", np.logical_and, _bools),
    OpRecord("LogicalOr", np.logical_or, _bools),
]
