"""Convolutions of images that are mirrored at their borders, and resized before, in frozen graphs."""

import tfcore.ops.conv.conv as conv
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import add, merge, with_rank
from tfcore.framework.values.constant import constant_value, constant_value_as_shape


def _padded_dims(dims, paddings):
    merge(with_rank(paddings.dims, 2), (4, 2))
    known = constant_value(paddings)
    if known is None:
        return (dims[0], None, None, dims[3])
    if (known < 0).any():
        raise ValueError("Paddings must be non-negative")
    return tuple(add(d, int(sum(pads))) for d, pads in zip(dims, known, strict=True))


def _convolved(op, dims, paddings, filters):
    strides, filters = op.attrs["strides"], with_rank(filters.dims, 4)
    if len(strides) != 4:
        raise ValueError(f"Operation requires the stride attribute to contain 4 values, but got: {len(strides)}")
    dims = _padded_dims(dims, paddings)
    space = zip(dims[1:3], filters[:2], strides[1:3], strict=True)
    sizes = [conv.window_size(size, window, stride, 1, op.attrs["padding"]) for size, window, stride in space]
    return [(dims[0], *sizes, filters[3])]


def _pad_shape(op):
    images, paddings, filters = op.inputs
    return _convolved(op, with_rank(images.dims, 4), paddings, filters)


def _resize_shape(op):
    images, size, paddings, filters = op.inputs
    dims = with_rank(images.dims, 4)
    merge(size.dims, (2,))
    height, width = constant_value_as_shape(size) or (None, None)
    return _convolved(op, (dims[0], height, width, dims[3]), paddings, filters)


_ATTRS = ["mode: {'REFLECT', 'SYMMETRIC'}", "strides: list(int)", "padding: {'SAME', 'VALID'}"]

FusedPadConv2D = define_op(
    "FusedPadConv2D",
    inputs=["input: T", "paddings: int32", "filter: T"],
    outputs=["output: T"],
    attrs=["T: {half, bfloat16, float, double}", *_ATTRS],
    shape=_pad_shape,
    doc="Conv2D of images that MirrorPad has padded.",
)
FusedResizeAndPadConv2D = define_op(
    "FusedResizeAndPadConv2D",
    inputs=["input: T", "size: int32", "paddings: int32", "filter: T"],
    outputs=["output: T"],
    attrs=["T: {half, float, double}", "resize_align_corners: bool = false", *_ATTRS],
    shape=_resize_shape,
    doc="Conv2D of images that ResizeBilinear has resized, and MirrorPad has padded.",
)
undefined_gradient("FusedPadConv2D", "FusedResizeAndPadConv2D")
