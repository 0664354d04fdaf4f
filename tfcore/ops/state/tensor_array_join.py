"""Ops on many elements of a tensor array at once: gather, scatter, concat and split."""

import tfcore.ops.state.tensor_array as tensor_array
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.shapes import merge, merge_dim, with_rank, with_rank_at_least


def gather_shape(op):
    tensor_array.scalars(op, 2)
    count = with_rank(op.inputs[1].dims, 1)
    element = merge(tensor_array.element_dims(op.inputs[0]), op.attrs["element_shape"])
    return [None if element is None else (*count, *element)]


def scatter_shape(op):
    tensor_array.scalars(op, 3)
    count, value = with_rank(op.inputs[1].dims, 1), op.inputs[2].dims
    if value is not None:
        with_rank_at_least(value, 1)
        merge_dim(value[0], count[0])
        merge(tensor_array.element_dims(op.inputs[0]), value[1:])
    return [()]


def concat_shape(op):
    tensor_array.scalars(op, 1)
    rest = op.attrs["element_shape_except0"]
    return [None if rest is None else (None, *rest), (None,)]


def split_shape(op):
    with_rank_at_least(op.inputs[1].dims, 1)
    with_rank(op.inputs[2].dims, 1)
    tensor_array.scalars(op, 3)
    return [()]


TensorArrayGatherV3 = define_op(
    "TensorArrayGatherV3",
    inputs=["handle: resource", "indices: int32", "flow_in: float"],
    outputs=["value: dtype"],
    attrs=["dtype: type", "element_shape: shape = { unknown_rank: true }"],
    shape=gather_shape,
    stateful=True,
    doc="Reads the elements at `indices`, all of one shape, as the rows of one tensor.",
)


TensorArrayScatterV3 = define_op(
    "TensorArrayScatterV3",
    inputs=["handle: resource", "indices: int32", "value: T", "flow_in: float"],
    outputs=["flow_out: float"],
    attrs=["T: type"],
    shape=scatter_shape,
    stateful=True,
    doc="Writes the rows of `value` to the elements at `indices`. They stay views of it.",
)


TensorArrayConcatV3 = define_op(
    "TensorArrayConcatV3",
    inputs=["handle: resource", "flow_in: float"],
    outputs=["value: dtype", "lengths: int64"],
    attrs=["dtype: type", "element_shape_except0: shape = { unknown_rank: true }"],
    shape=concat_shape,
    stateful=True,
    doc="Reads all elements, joined along their first dimensions, which may differ: `lengths`.",
)


TensorArraySplitV3 = define_op(
    "TensorArraySplitV3",
    inputs=["handle: resource", "value: T", "lengths: int64", "flow_in: float"],
    outputs=["flow_out: float"],
    attrs=["T: type"],
    shape=split_shape,
    stateful=True,
    doc="Writes `value`, cut along its first dimension into pieces of these lengths, to the elements in order.",
)


@gradient("TensorArrayGatherV3", "TensorArrayGatherV2", "TensorArrayGather")
def _gather_grad(op, grad):
    array = tensor_array.gradient_array(op, op.get_attr("dtype"), 2)
    return [None, None, array.scatter(op.inputs[1], grad).flow]


@gradient("TensorArrayScatterV3", "TensorArrayScatterV2", "TensorArrayScatter")
def _scatter_grad(op, flow):
    array = tensor_array.gradient_array(op, op.get_attr("T"), 3, flow)
    value = array.gather(op.inputs[1])
    value.set_shape(op.inputs[2].shape)
    return [None, None, value, array.flow]


@gradient("TensorArrayConcatV3", "TensorArrayConcatV2", "TensorArrayConcat")
def _concat_grad(op, grad, lengths_grad):
    array = tensor_array.gradient_array(op, op.get_attr("dtype"), 1)
    return [None, array.split(grad, lengths=op.outputs[1]).flow]


@gradient("TensorArraySplitV3", "TensorArraySplitV2", "TensorArraySplit")
def _split_grad(op, flow):
    array = tensor_array.gradient_array(op, op.get_attr("T"), 3, flow)
    value = array.concat()
    value.set_shape(op.inputs[1].shape)
    return [None, value, None, array.flow]
