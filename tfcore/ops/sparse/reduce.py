"""Reductions of sparse tensors: SparseReduceSum, SparseReduceMax, and those whose result is sparse."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, undefined_gradient
from tfcore.framework.types import dtypes

_INPUTS = ["input_indices: int64", "input_values: T", "input_shape: int64", "reduction_axes: int32"]


def _define(name, types, doc):
    attrs = ["keep_dims: bool = false", f"T: {types}"]
    dense = define_op(name, _INPUTS, ["output: T"], attrs, shapes.unknown, doc=f"{doc}; 0 where it has none.")
    sparse = define_op(
        f"{name}Sparse",
        _INPUTS,
        ["output_indices: int64", "output_values: T", "output_shape: int64"],
        attrs,
        shapes.unknown,
        doc=f"{doc}, as a sparse tensor.",
    )
    return dense, sparse


SparseReduceSum, SparseReduceSumSparse = _define(
    "SparseReduceSum", "numbertype", "The sum of a sparse tensor's elements along axes"
)
SparseReduceMax, SparseReduceMaxSparse = _define(
    "SparseReduceMax", "realnumbertype", "The greatest of a sparse tensor's elements along axes"
)
undefined_gradient("SparseReduceSumSparse", "SparseReduceMax", "SparseReduceMaxSparse")


@gradient("SparseReduceSum")
def _sum_grad(op, grad):
    """Each element has the gradient of its sum, found by its index with 0 along the reduced axes."""
    indices, _, shape, axes = op.inputs
    raw = get_op_def
    axes = array_ops.reshape(axes, [-1])
    rank = array_ops.size(shape)
    places = raw("FloorMod")(axes + rank, rank)
    ones = constants.Fill(array_ops.shape(axes), constants.ones([], dtypes.int64))
    sizes = raw("DynamicStitch")([constants.range(0, rank), places], [shape, ones])
    stays = raw("Cast")(raw("Equal")(sizes, shape), DstT=dtypes.int64)
    return None, raw("GatherNd")(array_ops.reshape(grad, sizes), indices * stays), None, None
