"""Numbers of normal distributions between bounds."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.shapes import with_rank_at_most
from tfcore.ops.random.random import SEEDS, shape_from_first_input


def _truncated_shape(op):
    for parameter in op.inputs[1:]:
        with_rank_at_most(parameter.dims, 1)
    return shape_from_first_input(op)


ParameterizedTruncatedNormal = define_op(
    "ParameterizedTruncatedNormal",
    inputs=["shape: T", "means: dtype", "stdevs: dtype", "minvals: dtype", "maxvals: dtype"],
    outputs=["output: dtype"],
    attrs=[*SEEDS, "dtype: {half, bfloat16, float, double}", "T: {int32, int64}"],
    shape=_truncated_shape,
    stateful=True,
    doc="Random numbers of normal distributions, between bounds; each row may have other parameters.",
)
not_differentiable("ParameterizedTruncatedNormal")
