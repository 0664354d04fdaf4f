"""The distinct slices of a tensor along an axis."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.values.constant import constant_value


def _shape(op):
    x, axis = op.inputs[0].dims, constant_value(op.inputs[1])
    counts = [(None,)] * (len(op.outputs) - 2)
    if x is None or axis is None or axis.ndim != 1 or axis.size > 1:
        return [None if x is None else (None,) * len(x), (None,), *counts]
    if not axis.size:
        return [(None,), with_rank(x, 1), *counts]
    at = int(axis[0]) + (len(x) if axis[0] < 0 else 0)
    if not 0 <= at < len(x):
        raise ValueError(f"axis has to be between [0, {len(x)})")
    return [(*x[:at], None, *x[at + 1 :]), (x[at],), *counts]


_ATTRS = ["T: type", "Taxis: {int32, int64} = DT_INT64", "out_idx: {int32, int64} = DT_INT32"]

UniqueV2 = define_op(
    "UniqueV2",
    inputs=["x: T", "axis: Taxis"],
    outputs=["y: T", "idx: out_idx"],
    attrs=_ATTRS,
    shape=_shape,
    doc="""The distinct slices along an axis in order of appearance, and for each slice of x the index of its equal.

    axis: a vector with one entry, or none if x is a vector.""",
)
UniqueWithCountsV2 = define_op(
    "UniqueWithCountsV2",
    inputs=["x: T", "axis: Taxis"],
    outputs=["y: T", "idx: out_idx", "count: out_idx"],
    attrs=_ATTRS,
    shape=_shape,
    doc="UniqueV2, and how often each slice occurs.",
)
undefined_gradient("UniqueV2", "UniqueWithCountsV2")
