"""Shapes, joining and splitting, gathering, and what makes arrays."""

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.onnx.elementwise import choose, number, numpy_type
from tfcore.onnx.registry import converter


def _set(model, op, name, index=0):
    model.set(op.outputs[index], name)


# ---- Shapes


@converter("Shape")
def _shape(model, op):
    _set(model, op, _as(model, op, model.node("Shape", [model.value(op.inputs[0])], op)))


@converter("ShapeN")
def _shape_n(model, op):
    for i, x in enumerate(op.inputs):
        shape = model.node("Shape", [model.value(x)], op)
        _set(model, op, model.cast(shape, op.outputs[i].dtype, op), i)


@converter("Size")
def _size(model, op):
    _set(model, op, _as(model, op, model.node("Size", [model.value(op.inputs[0])], op)))


@converter("Rank")
def _rank(model, op):
    shape = model.node("Shape", [model.value(op.inputs[0])], op)
    _set(model, op, _as(model, op, model.node("Size", [shape], op)))


def _as(model, op, name):
    """A value of type int64 in the type of the output."""
    return name if op.outputs[0].dtype == dtypes.int64 else model.cast(name, op.outputs[0].dtype, op)


@converter("Reshape")
def _reshape(model, op):
    x, shape = op.inputs
    may_have_zero = True
    if model.is_static(shape):
        sizes = model.static(op, 1)
        may_have_zero = 0 in sizes
        if may_have_zero and -1 in sizes:
            raise model.unsupported(op, f"its shape {sizes.tolist()} has both 0 and -1")
    given = [model.value(x), model.as_int64(shape, op)]
    # 0 stands for a size of the input otherwise.
    _set(model, op, model.node("Reshape", given, op, allowzero=1 if may_have_zero else None))


@converter("ExpandDims")
def _expand_dims(model, op):
    axes = model.int64(model.static(op, 1).reshape(-1))
    _set(model, op, model.node("Unsqueeze", [model.value(op.inputs[0]), axes], op))


@converter("Squeeze")
def _squeeze(model, op):
    axes = list(op.get_attr("squeeze_dims"))
    if not axes and op.inputs[0].get_shape().ndims is None:
        raise model.unsupported(op, "its input has an unknown rank, and it names no dimensions")
    _set(model, op, model.node("Squeeze", [model.value(op.inputs[0]), *([model.int64(axes)] if axes else [])], op))


@converter("Transpose")
def _transpose(model, op):
    _set(model, op, model.node("Transpose", [model.value(op.inputs[0])], op, perm=model.static(op, 1).tolist()))


@converter("BroadcastTo")
def _broadcast_to(model, op):
    _set(model, op, model.node("Expand", [model.value(op.inputs[0]), model.as_int64(op.inputs[1], op)], op))


@converter("Tile")
def _tile(model, op):
    _set(model, op, model.node("Tile", [model.value(op.inputs[0]), model.as_int64(op.inputs[1], op)], op))


# ---- Joining and splitting


@converter("ConcatV2", "Concat")
def _concat(model, op):
    first = op.type == "Concat"
    axis = int(model.static(op, 0 if first else len(op.inputs) - 1))
    parts = op.inputs[1:] if first else op.inputs[:-1]
    if axis == 3 and all(model.is_channels_first(x) for x in parts):
        name = model.node("Concat", map(model.channels_first, parts), op, axis=1)
        model.set_channels_first(op.outputs[0], name)
    else:
        _set(model, op, model.node("Concat", model.values(parts), op, axis=axis))


@converter("Pack")
def _pack(model, op):
    axis = int(op.get_attr("axis"))
    parts = [model.node("Unsqueeze", [x, model.int64([axis])], op) for x in model.values(op.inputs)]
    _set(model, op, model.node("Concat", parts, op, axis=axis))


@converter("Unpack")
def _unpack(model, op):
    axis, number_of_parts = int(op.get_attr("axis")), len(op.outputs)
    parts = _split_values(model, op, model.value(op.inputs[0]), axis, [1] * number_of_parts)
    for i, part in enumerate(parts):
        _set(model, op, model.node("Squeeze", [part, model.int64([axis])], op), i)


@converter("Split")
def _split(model, op):
    axis, count = int(model.static(op, 0)), len(op.outputs)
    x = model.value(op.inputs[1])
    parts = [model.node("Identity", [x], op)] if count == 1 else _split_equally(model, op, x, axis, count)
    for i, part in enumerate(parts):
        _set(model, op, part, i)


def _split_equally(model, op, x, axis, count):
    return model.node("Split", [x], op, outputs=count, axis=axis, num_outputs=count)


@converter("SplitV")
def _split_v(model, op):
    axis, sizes = int(model.static(op, 2)), model.static(op, 1)
    if -1 in sizes:
        size = op.inputs[0].get_shape()[axis].value
        if size is None:
            raise model.unsupported(op, "the size of the dimension that is split is unknown")
        sizes = np.where(sizes == -1, size - (sizes.sum() + 1), sizes)
    for i, part in enumerate(_split_values(model, op, model.value(op.inputs[0]), axis, sizes)):
        _set(model, op, part, i)


def _split_values(model, op, x, axis, sizes):
    if len(sizes) == 1:
        return [model.node("Identity", [x], op)]
    return model.node("Split", [x, model.int64(sizes)], op, outputs=len(sizes), axis=axis)


# ---- Gathering


@converter("Gather")
def _gather(model, op):
    _set(model, op, model.node("Gather", model.values(op.inputs), op, axis=0))


@converter("ResourceGather")
def _resource_gather(model, op):
    if op.get_attr("batch_dims"):
        raise model.unsupported(op, "it has batch dimensions")
    _gather(model, op)


@converter("GatherV2")
def _gather_v2(model, op):
    if op.get_attr("batch_dims"):
        raise model.unsupported(op, "it has batch dimensions")
    given = model.values(op.inputs[:2])
    _set(model, op, model.node("Gather", given, op, axis=int(model.static(op, 2))))


@converter("GatherNd", "ResourceGatherNd")
def _gather_nd(model, op):
    given = [model.value(op.inputs[0]), model.as_int64(op.inputs[1], op)]
    _set(model, op, model.node("GatherND", given, op))


@converter("Where")
def _where(model, op):
    x = model.value(op.inputs[0])
    if model.rank(op.inputs[0], op) == 0:
        raise model.unsupported(op, "its input is a scalar")
    if op.inputs[0].dtype != dtypes.bool:
        x = model.cast(x, dtypes.bool, op)
    _set(model, op, model.node("Transpose", [model.node("NonZero", [x], op)], op))


@converter("OneHot")
def _one_hot(model, op):
    """ONNX's own node counts negative places from the end; here they select nothing."""
    indices, depth, on, off = op.inputs
    rank, axis = model.rank(indices, op), int(op.get_attr("axis"))
    axis = rank if axis == -1 else axis
    zero, one = model.int64(0), model.int64(1)
    places = model.node("Range", [zero, model.as_int64(depth, op), one], op)
    if rank > axis:
        places = model.node("Unsqueeze", [places, model.int64(np.arange(1, rank - axis + 1))], op)
    wanted = model.node("Unsqueeze", [model.as_int64(indices, op), model.int64([axis])], op)
    is_there = model.node("Equal", [wanted, places], op)
    _set(model, op, choose(model, op, is_there, *model.values((on, off)), on.dtype))


# ---- What makes arrays


@converter("Fill")
def _fill(model, op):
    _set(model, op, model.node("Expand", [model.value(op.inputs[1]), model.as_int64(op.inputs[0], op)], op))


@converter("Range")
def _range(model, op):
    _set(model, op, model.node("Range", model.values(op.inputs), op))


@converter("Pad", "PadV2", "MirrorPad")
def _pad(model, op):
    x = op.inputs[0]
    mode = "constant"
    if op.type == "MirrorPad":
        if op.get_attr("mode") != b"REFLECT":
            raise model.unsupported(op, "ONNX has no symmetric padding")
        mode = "reflect"
    if model.is_static(op.inputs[1]):
        pads = model.int64(model.static(op, 1).T.reshape(-1))
    else:
        by_side = model.node("Transpose", [model.as_int64(op.inputs[1], op)], op, perm=[1, 0])
        pads = model.node("Reshape", [by_side, model.int64([-1])], op)
    value = [model.value(op.inputs[2]) if op.type == "PadV2" else number(model, x, 0)] if mode == "constant" else []
    _set(model, op, model.node("Pad", [model.value(x), pads, *value], op, mode=mode))


@converter("MatrixDiag")
def _matrix_diag(model, op):
    """Rows of zeros with the elements in their places."""
    x = op.inputs[0]
    size = x.get_shape()[-1].value if x.get_shape().ndims else None
    if size is None:
        raise model.unsupported(op, "the length of the diagonal is unknown")
    column = model.node("Unsqueeze", [model.value(x), model.int64([-1])], op)
    is_diagonal = model.constant(np.eye(size, dtype=bool))
    zero = model.constant(np.zeros([], numpy_type(x)))
    _set(model, op, choose(model, op, is_diagonal, column, zero, x.dtype))
