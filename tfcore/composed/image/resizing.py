"""Resizing by any method."""

from tfcore.composed.image.checks import as_batch, image_of, larger, require
from tfcore.composed.image.geometry import pad_to_bounding_box
from tfcore.composed.sizes import size_of
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.join import stack
from tfcore.ops.cwise.binary import minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import floor
from tfcore.ops.cwise.unary import round as round_of
from tfcore.ops.image.resize import resize_area, resize_bicubic, resize_bilinear, resize_nearest_neighbor


class ResizeMethod:
    """The methods of `tf.image.resize_images`."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS = {
    ResizeMethod.BILINEAR: resize_bilinear,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethod.BICUBIC: resize_bicubic,
    ResizeMethod.AREA: resize_area,
    "bilinear": resize_bilinear,  # the names of TensorFlow 2
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}


def _fitting(size, height, width):
    """The largest size within `size` in which the sides keep their ratio."""
    height, width = cast(height, dtypes.float32), cast(width, dtypes.float32)
    scale = minimum(cast(size[0], dtypes.float32) / height, cast(size[1], dtypes.float32) / width)
    return stack([cast(round_of(scale * side), dtypes.int32) for side in (height, width)])


def resize_images(
    images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None
):
    """Resizes images. The result is float, unless pixels are only copied.

    Args:
      images: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      size: Height and width of the result, an int32 `Tensor` of two elements.
      method: A member of `tf.image.ResizeMethod`.
      align_corners: Whether the centres of the corner pixels stay in the corners.
      preserve_aspect_ratio: Whether `size` is a limit, within which the sides keep their ratio.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the rank of `images`; `images` itself if it is known to have this size.

    Raises:
      ValueError: The rank of `images` is not 3 or 4, `size` does not have two elements, or the method is unknown.

    Example:

    >>> image = [[[0.0], [2.0]], [[4.0], [6.0]]]
    >>> print(sess.run(tf.image.resize_images(image, [2, 4]))[:, :, 0])
    [[0. 1. 2. 2.]
     [4. 5. 6. 6.]]
    """
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        if images.dims is None:
            raise ValueError("'images' contains no shape.")
        if len(images.dims) not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        batch, undo = as_batch(images)
        try:
            size = convert_to_tensor(size, dtypes.int32, name="size")
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
        if not size.shape.is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _fitting(size, size_of(batch, 1), size_of(batch, 2))
        sizes = constant_value_as_shape(size)
        if None not in sizes and tuple(sizes) == tuple(batch.dims[1:3]):
            return images
        if method not in _METHODS:
            raise ValueError(f"Resize method is not implemented: {method}")
        resized = _METHODS[method](batch, size, align_corners=align_corners)
        resized.set_shape([None, *sizes, None])
        return undo(resized)


def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, align_corners=False):
    """Resizes images so that they fit, sides in ratio, and pads them with 0 to a given size.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      target_height: The height of the result, an int or an int32 scalar.
      target_width: The width of the result.
      method: A member of `tf.image.ResizeMethod`.
      align_corners: Whether the centres of the corner pixels stay in the corners.

    Returns:
      A `Tensor` of the rank of `image`.

    Raises:
      ValueError: A size is not positive, or the rank not 3 or 4.
      tf.errors.InvalidArgumentError: The same, if only the run tells.
    """
    with name_scope(None, "resize_image_with_pad", [image]):
        batch, undo = as_batch(image)
        checks = [
            (target_width > 0, "target_width must be > 0."),
            (target_height > 0, "target_height must be > 0."),
        ]
        batch = require(checks, image_of(batch))
        sides = [cast(size_of(batch, axis), dtypes.float32) for axis in (1, 2)]
        targets = [cast(target, dtypes.float32) for target in (target_height, target_width)]
        ratio = larger(sides[1] / targets[1], sides[0] / targets[0])
        fitting = [side / ratio for side in sides]
        size = [cast(floor(side), dtypes.int32) for side in fitting]
        top, left = (
            larger(0, cast(floor((target - side) / 2), dtypes.int32)) for target, side in zip(targets, fitting)
        )
        resized = resize_images(batch, size, method, align_corners=align_corners)
        return undo(pad_to_bounding_box(resized, top, left, target_height, target_width))
