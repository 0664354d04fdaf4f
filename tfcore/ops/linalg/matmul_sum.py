"""Sums of matrix products accumulated in loops: ops that only the compiler makes (tfcore/compiler/accumulators.py)."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable

_TYPE = "T: {float, double}"
_TRANSPOSES = ["transpose_a: bool = false", "transpose_b: bool = false"]


def _handle_shape(op):
    return [()]


def _add_shape(op):
    for t in op.inputs[1:]:
        shapes.with_rank(t.dims, 2)
    return [(), None]


def _value_shape(op):
    return [(None, None)]


define_op(
    "_ProductSum",
    inputs=["start: T"],
    outputs=["sum: resource"],
    attrs=[_TYPE],
    shape=_handle_shape,
    stateful=True,
    doc="A new sum of matrix products that starts with the matrix `start`.",
)
define_op(
    "_ProductSumOfZeros",
    inputs=["dims: int32"],
    outputs=["sum: resource"],
    attrs=[_TYPE],
    shape=_handle_shape,
    stateful=True,
    doc="A new sum of matrix products that starts with zeros of shape `dims`.",
)
define_op(
    "_ProductSumAdd",
    inputs=["sum: resource", "a: T", "b: T"],
    outputs=["result: resource", "memory: T"],
    attrs=[_TYPE, *_TRANSPOSES],
    shape=_add_shape,
    stateful=True,
    doc="Adds MatMul(a, b) to a sum and returns the sum. The second output has no meaning.",
)
define_op(
    "_ProductSumValue",
    inputs=["sum: resource"],
    outputs=["value: T"],
    attrs=[_TYPE, *_TRANSPOSES],
    shape=_value_shape,
    stateful=True,
    doc="The value of a sum, with the same bits as separate products and additions.",
)
not_differentiable("_ProductSum", "_ProductSumOfZeros", "_ProductSumAdd", "_ProductSumValue")
