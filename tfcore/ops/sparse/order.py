"""Ops that change the order or the indices of a sparse tensor's elements: SparseReorder, SparseReshape."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank


def _reorder_shape(op):
    indices, values, shape = (t.dims for t in op.inputs)
    with_rank(shape, 1)
    return [with_rank(indices, 2), with_rank(values, 1)]


SparseReorder = define_op(
    "SparseReorder",
    inputs=["input_indices: int64", "input_values: T", "input_shape: int64"],
    outputs=["output_indices: int64", "output_values: T"],
    attrs=["T: type"],
    shape=_reorder_shape,
    doc="The elements of a sparse tensor in row-major order.",
)


@gradient("SparseReorder")
def _reorder_grad(op, _, grad):
    """The same sort applied to the numbers of the elements tells where each went."""
    indices, _, shape = op.inputs
    numbers = constants.range(array_ops.shape(indices)[0])
    _, order = SparseReorder(indices, numbers, shape)
    return None, get_op_def("GatherV2")(grad, array_ops.invert_permutation(order), 0), None


def _reshape_shape(op):
    indices, shape, new_shape = (t.dims for t in op.inputs)
    (count, _), (rank,) = with_rank(indices, 2), with_rank(new_shape, 1)
    with_rank(shape, 1)
    return [(count, rank), (rank,)]


SparseReshape = define_op(
    "SparseReshape",
    inputs=["input_indices: int64", "input_shape: int64", "new_shape: int64"],
    outputs=["output_indices: int64", "output_shape: int64"],
    shape=_reshape_shape,
    doc="The indices of a sparse tensor's elements after a reshape; one size may be -1.",
)
undefined_gradient("SparseReshape")
