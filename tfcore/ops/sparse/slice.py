"""Slices of sparse tensors: SparseSlice."""

from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import num_elements, with_rank


def _slice_shape(op):
    shape = op.inputs[2].dims
    return [(None, num_elements(shape)), (None,), shape]


SparseSlice = define_op(
    "SparseSlice",
    inputs=["indices: int64", "values: T", "shape: int64", "start: int64", "size: int64"],
    outputs=["output_indices: int64", "output_values: T", "output_shape: int64"],
    attrs=["T: type"],
    shape=_slice_shape,
    doc="The part of a sparse tensor from `start` on, of at most `size`.",
)


def _slice_grad_shape(op):
    return [with_rank(op.inputs[1].dims, 2)[:1]]


SparseSliceGrad = define_op(
    "SparseSliceGrad",
    inputs=["backprop_val_grad: T", "input_indices: int64", "input_start: int64", "output_indices: int64"],
    outputs=["val_grad: T"],
    attrs=["T: numbertype"],
    shape=_slice_grad_shape,
    doc="The gradient of the values of SparseSlice: 0 for elements outside of the slice.",
)
undefined_gradient("SparseSliceGrad")


@gradient("SparseSlice")
def _slice_grad(op, _, grad, __):
    return None, SparseSliceGrad(grad, op.inputs[0], op.inputs[3], op.outputs[0]), None, None, None
