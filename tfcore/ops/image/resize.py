"""Resizing of images: bilinear, bicubic, by area, to the nearest pixel."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value

# ---- Shapes


def _size(op):
    """Height and width that the second input says."""
    dims = with_rank(op.inputs[1].dims, 1)
    if dims[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {dims[0]}")
    size = constant_value(op.inputs[1])
    if size is None:
        return None, None
    return tuple(None if s < 0 else int(s) for s in size)  # the kernel refuses what is not positive


def _resized(op):
    batch, _, _, channels = with_rank(op.inputs[0].dims, 4)
    return [(batch, *_size(op), channels)]


# ---- Ops

_TYPES = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}"
_TYPES_OF_BILINEAR = "T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double, bfloat16}"
_CORNERS = "align_corners: bool = false"
_CENTERS = "half_pixel_centers: bool = false"


def _define(name, types, doc, output="float", attrs=(_CORNERS, _CENTERS)):
    return define_op(
        name,
        inputs=["images: T", "size: int32"],
        outputs=[f"resized_images: {output}"],
        attrs=[types, *attrs],
        shape=_resized,
        doc=doc,
    )


def _define_grad(name, types, doc):
    return define_op(
        name,
        inputs=["grads: float", "original_image: T"],
        outputs=["output: T"],
        attrs=[f"T: {types}", _CORNERS, _CENTERS],
        shape=shapes.same_as_input(1),
        doc=doc,
    )


ResizeBilinear = _define("ResizeBilinear", _TYPES_OF_BILINEAR, "Images of another size, interpolated linearly.")
ResizeBicubic = _define("ResizeBicubic", _TYPES, "Images of another size, interpolated by cubic polynomials.")
ResizeArea = _define(
    "ResizeArea", _TYPES, "Images of another size; a pixel is the mean of the area it covers.", attrs=[_CORNERS]
)
ResizeNearestNeighbor = _define(
    "ResizeNearestNeighbor", _TYPES, "Images of another size, each pixel a copy of the nearest one.", "T"
)
ResizeBilinearGrad = _define_grad(
    "ResizeBilinearGrad", "{float, bfloat16, half, double}", "Gradient of ResizeBilinear."
)
ResizeBicubicGrad = _define_grad("ResizeBicubicGrad", "{float, double}", "Gradient of ResizeBicubic.")


def _nearest_grad_shape(op):
    batch, _, _, channels = with_rank(op.inputs[0].dims, 4)
    return [(batch, *_size(op), channels)]


ResizeNearestNeighborGrad = define_op(
    "ResizeNearestNeighborGrad",
    inputs=["grads: T", "size: int32"],
    outputs=["output: T"],
    attrs=["T: {uint8, int8, int32, half, float, double, bfloat16}", _CORNERS, _CENTERS],
    shape=_nearest_grad_shape,
    doc="Gradient of ResizeNearestNeighbor.",
)
undefined_gradient("ResizeArea", "ResizeBilinearGrad", "ResizeBicubicGrad", "ResizeNearestNeighborGrad")


# ---- Gradients


def _same_attrs(op):
    return {name: op.get_attr(name) for name in ("align_corners", "half_pixel_centers")}


@gradient("ResizeBilinear")
def _bilinear_grad(op, grad):
    return [ResizeBilinearGrad(grad, op.inputs[0], **_same_attrs(op)), None]


@gradient("ResizeBicubic")
def _bicubic_grad(op, grad):
    image = op.inputs[0]
    if image.dtype not in (dtypes.float32, dtypes.float64):
        return [None, None]
    return [ResizeBicubicGrad(grad, image, **_same_attrs(op)), None]


@gradient("ResizeNearestNeighbor")
def _nearest_grad(op, grad):
    size = array_ops.shape(op.inputs[0])[1:3]
    return [ResizeNearestNeighborGrad(grad, size, **_same_attrs(op)), None]


# ---- Wrappers


@described(ResizeBilinear)
def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images with linear interpolation."""
    return ResizeBilinear(images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name)


@described(ResizeBicubic)
def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images with cubic interpolation."""
    return ResizeBicubic(images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name)


@described(ResizeNearestNeighbor)
def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    """Resizes images by copying, for each pixel, the nearest one."""
    return ResizeNearestNeighbor(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


@described(ResizeArea)
def resize_area(images, size, align_corners=False, name=None):
    """Resizes images; each pixel becomes the mean of the area that it covers."""
    return ResizeArea(images, size, align_corners=align_corners, name=name)
