"""Crops of images at boxes, resized: crop_and_resize."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value, constant_value_as_shape

_TYPES = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}"
_BOTH = "method: {'bilinear', 'nearest'} = 'bilinear'"


def _crops_shape(op):
    image, boxes, image_of, size = (with_rank(t.dims, rank) for t, rank in zip(op.inputs, (4, 2, 1, 1)))
    if boxes[1] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[1]}")
    if size[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size[0]}")
    sides = constant_value(op.inputs[3])
    height, width = (None, None) if sides is None else (None if s < 0 else int(s) for s in sides)
    return [(merge_dim(boxes[0], image_of[0]), height, width, image[3])]


CropAndResize = define_op(
    "CropAndResize",
    inputs=["image: T", "boxes: float", "box_ind: int32", "crop_size: int32"],
    outputs=["crops: float"],
    attrs=[_TYPES, _BOTH, "extrapolation_value: float = 0"],
    shape=_crops_shape,
    doc="Crops of images at boxes [y1, x1, y2, x2], in parts of the image's sides, resized to one size.",
)
CropAndResizeGradImage = define_op(
    "CropAndResizeGradImage",
    inputs=["grads: float", "boxes: float", "box_ind: int32", "image_size: int32"],
    outputs=["output: T"],
    attrs=["T: {float, half, double}", _BOTH],
    shape=lambda op: [with_rank(constant_value_as_shape(op.inputs[3]), 4)],
    doc="Gradient of CropAndResize for the images.",
)
CropAndResizeGradBoxes = define_op(
    "CropAndResizeGradBoxes",
    inputs=["grads: float", "image: T", "boxes: float", "box_ind: int32"],
    outputs=["output: float"],
    attrs=[_TYPES, "method: {'bilinear'} = 'bilinear'"],
    shape=lambda op: [with_rank(op.inputs[2].dims, 2)],
    doc="Gradient of CropAndResize for the boxes, as if interpolated linearly.",
)
undefined_gradient("CropAndResizeGradImage", "CropAndResizeGradBoxes")


@gradient("CropAndResize")
def _crop_and_resize_grad(op, grad):
    image, boxes, image_of = op.inputs[:3]
    to_image = None
    if image.dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
        to_image = CropAndResizeGradImage(
            grad, boxes, image_of, array_ops.shape(image), T=image.dtype, method=op.get_attr("method")
        )
    return [to_image, CropAndResizeGradBoxes(grad, image, boxes, image_of), None, None]


def crop_and_resize(
    image,
    boxes,
    box_ind=None,
    crop_size=None,
    method="bilinear",
    extrapolation_value=0,
    name=None,
    box_indices=None,
):
    """Crops images at boxes and resizes the crops to one size.

    Args:
      image: A `Tensor` of a real type and shape [batch, height, width, channels].
      boxes: A float32 `Tensor` of shape [boxes, 4]: y1, x1, y2, x2, where 0 and 1 are the centres of the first and last
        pixels. A box with y1 > y2 or x1 > x2 is flipped.
      box_ind: The image of each box, int32.
      crop_size: Height and width of the crops, int32.
      method: "bilinear" or "nearest".
      extrapolation_value: The value outside of the image.
      name: Name of the operation (optional).
      box_indices: Other name of `box_ind`.

    Returns:
      A `Tensor` of type float32 and shape [boxes, crop_height, crop_width, channels].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.OutOfRangeError: When run: a box has an image that does not exist.
    """
    if box_indices is not None:
        if box_ind is not None:
            raise ValueError("Cannot specify both 'box_indices' and 'box_ind'.")
        box_ind = box_indices
    return CropAndResize(
        image, boxes, box_ind, crop_size, method=method, extrapolation_value=extrapolation_value, name=name
    )
