"""Ops on many elements of a tensor list: rows of a tensor become elements, and elements become one tensor."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as array_join
import tfcore.ops.array.slice as array_slice
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable
from tfcore.framework.definitions.shapes import merge, with_rank, with_rank_at_least
from tfcore.ops.state.tensor_list import SHAPE_TYPE, element_dims, reserve_like, shape_of, stated_dims


def _from_tensor_shape(op):
    rows = with_rank_at_least(op.inputs[0].dims, 1)
    if rows is not None:
        merge(rows[1:], stated_dims(op.inputs[1]))
    return [()]


def _split_shape(op):
    with_rank_at_least(op.inputs[0].dims, 1)
    with_rank(op.inputs[2].dims, 1)
    return [()]


def _stack_shape(op):
    element = merge(element_dims(op.inputs[0]), stated_dims(op.inputs[1]))
    count = op.attrs["num_elements"]
    return [None if element is None else (None if count < 0 else count, *element)]


def _gather_shape(op):
    element, indices = merge(element_dims(op.inputs[0]), stated_dims(op.inputs[2])), op.inputs[1].dims
    return [None if element is None else (indices[0] if indices else None, *element)]


def _concat_shape(op):
    stated = op.attrs["element_shape"] if op.type == "TensorListConcat" else stated_dims(op.inputs[1])
    element = merge(stated, element_dims(op.inputs[0]))
    return [(None, *element[1:]) if element else None, (None,)]


def _push_shape(op):
    lists = with_rank(op.inputs[0].dims, 1)
    rows = with_rank_at_least(op.inputs[1].dims, 1)
    return [lists if rows is None else merge(lists, rows[:1])]


TensorListFromTensor = define_op(
    "TensorListFromTensor",
    inputs=["tensor: element_dtype", "element_shape: shape_type"],
    outputs=["output_handle: variant"],
    attrs=["element_dtype: type", SHAPE_TYPE],
    shape=_from_tensor_shape,
    doc="A list of the rows of a tensor, which stay views of it.",
)
TensorListSplit = define_op(
    "TensorListSplit",
    inputs=["tensor: element_dtype", "element_shape: shape_type", "lengths: int64"],
    outputs=["output_handle: variant"],
    attrs=["element_dtype: type", SHAPE_TYPE],
    shape=_split_shape,
    doc="A list of pieces of a tensor, cut along its first dimension: `lengths` says how long each is.",
)
TensorListScatter = define_op(
    "TensorListScatter",
    inputs=["tensor: element_dtype", "indices: int32", "element_shape: shape_type"],
    outputs=["output_handle: variant"],
    attrs=["element_dtype: type", SHAPE_TYPE],
    shape=shapes.scalar,
    doc="A list with the rows of a tensor at these indices; the other elements have no values.",
)
TensorListScatterV2 = define_op(
    "TensorListScatterV2",
    inputs=["tensor: element_dtype", "indices: int32", "element_shape: shape_type", "num_elements: int32"],
    outputs=["output_handle: variant"],
    attrs=["element_dtype: type", SHAPE_TYPE],
    shape=shapes.scalar,
    doc="A list with the rows of a tensor at these indices, of `num_elements` elements if that is not -1.",
)
TensorListScatterIntoExistingList = define_op(
    "TensorListScatterIntoExistingList",
    inputs=["input_handle: variant", "tensor: element_dtype", "indices: int32"],
    outputs=["output_handle: variant"],
    attrs=["element_dtype: type"],
    shape=shapes.scalar,
    doc="The list with the rows of a tensor at these indices.",
)
TensorListStack = define_op(
    "TensorListStack",
    inputs=["input_handle: variant", "element_shape: int32"],
    outputs=["tensor: element_dtype"],
    attrs=["element_dtype: type", "num_elements: int = -1"],
    shape=_stack_shape,
    doc="The elements of a list, all of one shape, as the rows of a tensor. Those without values are zeros.",
)
TensorListGather = define_op(
    "TensorListGather",
    inputs=["input_handle: variant", "indices: int32", "element_shape: int32"],
    outputs=["values: element_dtype"],
    attrs=["element_dtype: type"],
    shape=_gather_shape,
    doc="The elements of a list at these indices, all of one shape, as the rows of a tensor.",
)
TensorListConcat = define_op(
    "TensorListConcat",
    inputs=["input_handle: variant"],
    outputs=["tensor: element_dtype", "lengths: int64"],
    attrs=["element_dtype: type", "element_shape: shape = { unknown_rank: true }"],
    shape=_concat_shape,
    doc="The elements of a list, joined along their first dimensions, which may differ: `lengths`.",
)
TensorListConcatV2 = define_op(
    "TensorListConcatV2",
    inputs=["input_handle: variant", "element_shape: shape_type", "leading_dims: int64"],
    outputs=["tensor: element_dtype", "lengths: int64"],
    attrs=["element_dtype: type", SHAPE_TYPE],
    shape=_concat_shape,
    doc="""The elements of a list, joined along their first dimensions, which may differ: `lengths`. `leading_dims` has
    those of elements without values, which are zeros.""",
)
TensorListPushBackBatch = define_op(
    "TensorListPushBackBatch",
    inputs=["input_handles: variant", "tensor: element_dtype"],
    outputs=["output_handles: variant"],
    attrs=["element_dtype: type"],
    shape=_push_shape,
    doc="A vector of lists, each with one more element: a row of a tensor.",
)
TensorListConcatLists = define_op(
    "TensorListConcatLists",
    inputs=["input_a: variant", "input_b: variant"],
    outputs=["output: variant"],
    attrs=["element_dtype: type"],
    shape=shapes.merge_all,
    doc="A list with the elements of a list, and after them those of another one; or several such lists.",
)
not_differentiable("TensorListPushBackBatch", "TensorListConcatLists")

# ---- Gradients


def _rest(tensor):
    """The shape of the rows of a tensor, at run time."""
    return array_slice.slice(array_ops.shape(tensor), [1], [-1])


@gradient("TensorListFromTensor")
def _from_tensor_grad(op, grad):
    tensor = op.inputs[0]
    count = tensor.dims[0] if tensor.dims else None
    rows = TensorListStack(grad, _rest(tensor), element_dtype=tensor.dtype, num_elements=-1 if count is None else count)
    return rows, None


@gradient("TensorListSplit")
def _split_grad(op, grad):
    tensor, _, lengths = op.inputs
    element = array_join.concat([[-1], _rest(tensor)], axis=0)
    return TensorListConcatV2(grad, element, lengths, element_dtype=tensor.dtype)[0], None, None


@gradient("TensorListScatter", "TensorListScatterV2")
def _scatter_grad(op, grad):
    tensor, indices = op.inputs[:2]
    rows = TensorListGather(grad, indices, _rest(tensor), element_dtype=tensor.dtype)
    return [rows] + [None] * (len(op.inputs) - 1)


@gradient("TensorListScatterIntoExistingList")
def _scatter_into_grad(op, grad):
    _, tensor, indices = op.inputs
    rows = TensorListGather(grad, indices, _rest(tensor), element_dtype=tensor.dtype)
    return TensorListScatterIntoExistingList(grad, constants.zeros_like(tensor), indices), rows, None


@gradient("TensorListStack")
def _stack_grad(op, grad):
    element = np.array([-1 if d is None else d for d in grad.dims[1:]] if grad.dims else -1, np.int32)
    return TensorListFromTensor(grad, element), None


@gradient("TensorListGather")
def _gather_grad(op, grad):
    return TensorListScatterIntoExistingList(reserve_like(op.inputs[0], grad.dtype), grad, op.inputs[1]), None, None


@gradient("TensorListConcat", "TensorListConcatV2")
def _concat_grad(op, grad, lengths_grad):
    pieces = TensorListSplit(grad, shape_of(op.inputs[0]), op.outputs[1])
    return [pieces] + [None] * (len(op.inputs) - 1)
