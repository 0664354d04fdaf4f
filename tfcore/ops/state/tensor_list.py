"""Tensor lists: values that are lists of tensors, which TensorFlow 2's loops carry instead of tensor arrays.

An op that changes a list gives another one, which shares the elements of the first. Gradients of lists are lists.
"""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable, undefined_gradient
from tfcore.framework.definitions.shapes import merge, with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value

SHAPE_TYPE = "shape_type: {int32, int64}"

# ---- Static shapes of the elements

_FORWARDING = ("Identity", "Enter", "Switch", "NextIteration", "Exit", "TensorListSetItem")
_FORWARDING += ("TensorListPushBack", "TensorListPopBack", "TensorListResize", "TensorListScatterIntoExistingList")
_SHAPE_INPUT = {"EmptyTensorList": 0, "TensorListReserve": 0, "TensorListFromTensor": 1, "TensorListSplit": 1}
_SHAPE_INPUT |= {"TensorListScatter": 2, "TensorListScatterV2": 2}


def stated_dims(shape):
    """What is known of a shape that a tensor states: a vector in which -1 is unknown, or the scalar -1."""
    value = constant_value(shape)
    if value is None:
        return (None,) * shape.dims[0] if shape.dims and shape.dims[0] is not None else None
    return tuple(None if d < 0 else int(d) for d in value) if value.ndim == 1 else None


def element_dims(handle):
    """The static shape of the elements of a list, or None: what the lists that a Merge may pass on have in common."""
    found, seen, todo = [], set(), [handle.op]
    while todo:
        op = todo.pop()
        if op in seen:
            continue
        seen.add(op)
        if op.type == "Merge":
            todo.extend(tensor.op for tensor in op.inputs)
        elif op.type in _FORWARDING and op.inputs:
            todo.append(op.inputs[0].op)
        else:
            found.append(stated_dims(op.inputs[_SHAPE_INPUT[op.type]]) if op.type in _SHAPE_INPUT else None)
    if not found or None in found or len({len(dims) for dims in found}) > 1:
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*found))


def _scalars(*indices):
    """A shape function: these inputs must be scalars, and so is the output."""

    def shape(op):
        for i in indices:
            with_rank(op.inputs[i].dims, 0)
        return [()]

    return shape


def _element_shape_shape(op):
    dims = element_dims(op.inputs[0])
    return [None if dims is None else (len(dims),)]


def _pop_shape(op):
    return [(), element_dims(op.inputs[0])]


def _get_shape(op):
    return [merge(element_dims(op.inputs[0]), stated_dims(op.inputs[2]))]


# ---- Operations

EmptyTensorList = define_op(
    "EmptyTensorList",
    inputs=["element_shape: shape_type", "max_num_elements: int32"],
    outputs=["handle: variant"],
    attrs=["element_dtype: type", SHAPE_TYPE],
    shape=shapes.scalar,
    doc="""A list without elements, for tensors of a shape in which -1 is unknown (the scalar -1: all shapes).
    `max_num_elements` may be pushed, if it is not -1.""",
)
TensorListReserve = define_op(
    "TensorListReserve",
    inputs=["element_shape: shape_type", "num_elements: int32"],
    outputs=["handle: variant"],
    attrs=["element_dtype: type", SHAPE_TYPE],
    shape=shapes.scalar,
    doc="A list of elements without values, which are read as zeros.",
)
TensorListLength = define_op(
    "TensorListLength",
    inputs=["input_handle: variant"],
    outputs=["length: int32"],
    shape=shapes.scalar,
    doc="The number of elements of a list.",
)
TensorListElementShape = define_op(
    "TensorListElementShape",
    inputs=["input_handle: variant"],
    outputs=["element_shape: shape_type"],
    attrs=[SHAPE_TYPE],
    shape=_element_shape_shape,
    doc="The shape that the elements of a list must have, with -1 for what is unknown; -1 if nothing is known.",
)
TensorListResize = define_op(
    "TensorListResize",
    inputs=["input_handle: variant", "size: int32"],
    outputs=["output_handle: variant"],
    shape=shapes.scalar,
    doc="The list with `size` elements: the last ones are left out, or elements without values are added.",
)
TensorListGetItem = define_op(
    "TensorListGetItem",
    inputs=["input_handle: variant", "index: int32", "element_shape: Tshape"],
    outputs=["item: element_dtype"],
    attrs=["element_dtype: type", "Tshape: {int32, int64} = DT_INT32"],
    shape=_get_shape,
    doc="An element of a list; zeros of `element_shape` if it has no value.",
)
TensorListSetItem = define_op(
    "TensorListSetItem",
    inputs=["input_handle: variant", "index: int32", "item: element_dtype"],
    outputs=["output_handle: variant"],
    attrs=["element_dtype: type", "resize_if_index_out_of_bounds: bool = false"],
    shape=_scalars(1),
    doc="The list with another element at `index`.",
)
TensorListPushBack = define_op(
    "TensorListPushBack",
    inputs=["input_handle: variant", "tensor: element_dtype"],
    outputs=["output_handle: variant"],
    attrs=["element_dtype: type"],
    shape=shapes.scalar,
    doc="The list with one more element at its end.",
)
TensorListPopBack = define_op(
    "TensorListPopBack",
    inputs=["input_handle: variant", "element_shape: int32"],
    outputs=["output_handle: variant", "tensor: element_dtype"],
    attrs=["element_dtype: type"],
    shape=_pop_shape,
    doc="The list without its last element, and that element; zeros of `element_shape` if it has no value.",
)
not_differentiable("TensorListLength", "TensorListElementShape")
undefined_gradient("EmptyTensorList", "TensorListReserve")

# ---- Gradients


def shape_of(handle):
    """The tensor that states the shape of a list's elements."""
    return TensorListElementShape(handle, shape_type=dtypes.int32)


def reserve_like(handle, dtype):
    """A list without values, of the size and shape of another list."""
    return TensorListReserve(shape_of(handle), TensorListLength(handle), element_dtype=dtype)


@gradient("TensorListPushBack")
def _push_back_grad(op, grad):
    return TensorListPopBack(grad, array_ops.shape(op.inputs[1]), element_dtype=op.get_attr("element_dtype"))


@gradient("TensorListPopBack")
def _pop_back_grad(op, list_grad, grad):
    if list_grad is None:
        list_grad = EmptyTensorList(shape_of(op.outputs[0]), -1, element_dtype=grad.dtype)
    if grad is None:
        grad = constants.zeros_like(op.outputs[1])
    return TensorListPushBack(list_grad, grad), None


@gradient("TensorListGetItem")
def _get_item_grad(op, grad):
    return TensorListSetItem(reserve_like(op.inputs[0], grad.dtype), op.inputs[1], grad), None, None


@gradient("TensorListSetItem")
def _set_item_grad(op, grad):
    handle, index, item = op.inputs
    item_grad = TensorListGetItem(grad, index, array_ops.shape(item), element_dtype=item.dtype)
    list_grad = TensorListSetItem(grad, index, constants.zeros_like(item))
    if op.get_attr("resize_if_index_out_of_bounds"):
        list_grad = TensorListResize(list_grad, TensorListLength(handle))
    return list_grad, None, item_grad


@gradient("TensorListResize")
def _resize_grad(op, grad):
    return TensorListResize(grad, TensorListLength(op.inputs[0])), None
