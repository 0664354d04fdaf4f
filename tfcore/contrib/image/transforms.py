"""Projections of images: moves, rotations, perspectives."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.array.join as join
from tfcore.framework.graph.default_graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import cos, sin
from tfcore.ops.image import projective
from tfcore.ops.linalg.matmul import matmul

_IMAGE_DTYPES = (dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64)


def rotate(images, angles, interpolation="NEAREST", name=None):
    """Rotates images counterclockwise around their centres. Pixels from outside of the image are 0.

    Args:
      images: A `Tensor` of shape [batch, height, width, channels], [height, width, channels] or [height, width].
      angles: An angle in radians, or a vector with one for each image.
      interpolation: "NEAREST" or "BILINEAR".
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of the same type and shape.

    Raises:
      TypeError: Images have another type or rank.
    """
    with name_scope(name, "rotate"):
        images = convert_to_tensor(images, name="images")
        height, width = (cast(side, dtypes.float32)[None] for side in _sides(_as_batch(images)))
        return transform(images, angles_to_projective_transforms(angles, height, width), interpolation=interpolation)


def translate(images, translations, interpolation="NEAREST", name=None):
    """Moves images. Pixels from outside of the image are 0.

    Args:
      images: A `Tensor` of shape [batch, height, width, channels], [height, width, channels] or [height, width].
      translations: [dx, dy] in pixels, or one such pair for each image.
      interpolation: "NEAREST" or "BILINEAR".
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of the same type and shape.

    Raises:
      TypeError: Images have another type or rank.
    """
    with name_scope(name, "translate"):
        return transform(images, translations_to_projective_transforms(translations), interpolation=interpolation)


def transform(images, transforms, interpolation="NEAREST", output_shape=None, name=None):
    """Images in which each pixel shows the place to which its coordinates are projected.

    Pixel (x, y) of the result shows ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1, for the
    projection [a0, a1, a2, b0, b1, b2, c0, c1]. Pixels from outside of the image are 0.

    Args:
      images: A `Tensor` of shape [batch, height, width, channels], [height, width, channels] or [height, width].
      transforms: A projection, or one for each image: float32, of shape [8] or [batch, 8].
      interpolation: "NEAREST" or "BILINEAR".
      output_shape: Height and width of the result; by default those of the images.
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of the same type and rank.

    Raises:
      TypeError: Images or projections have another type or rank.
      ValueError: `output_shape` does not have two elements.
    """
    with name_scope(name, "transform"):
        images = convert_to_tensor(images, name="images")
        transforms = _rows(transforms, "transforms", "Transforms should have rank 1 or 2.")
        batch = _as_batch(images)
        size = array_ops.shape(batch)[1:3] if output_shape is None else output_shape
        size = convert_to_tensor(size, dtypes.int32, name="output_shape")
        if not size.shape.is_compatible_with([2]):
            raise ValueError(
                f"output_shape must be a 1-D Tensor of 2 elements: new_height, new_width, instead got {output_shape}"
            )
        output = projective.ImageProjectiveTransformV2(batch, transforms, size, interpolation=interpolation.upper())
        if constant_value(size) is None and output_shape is None:
            output.set_shape([None, *batch.shape[1:3], None])
        rank = images.shape.ndims
        return output if rank == 4 else output[0] if rank == 3 else output[0, :, :, 0]


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
    """The projections that rotate images around their centres.

    Args:
      angles: An angle in radians, or a vector of them.
      image_height: Height of the images.
      image_width: Width of the images.
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of shape [angles, 8].

    Raises:
      TypeError: `angles` has rank 2 or more.
    """
    with name_scope(name, "angles_to_projective_transforms"):
        angles = convert_to_tensor(angles, dtype=dtypes.float32, name="angles")
        if angles.shape.ndims not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        angles = array_ops.reshape(angles, [-1])
        c, s, right, down = cos(angles), sin(angles), image_width - 1, image_height - 1
        x = (right - (c * right - s * down)) / 2.0
        y = (down - (s * right + c * down)) / 2.0
        zeros = constants.zeros_like(c)
        return join.stack([c, -s, x, s, c, y, zeros, zeros], axis=1)


def translations_to_projective_transforms(translations, name=None):
    """The projections that move images.

    Args:
      translations: [dx, dy] in pixels, or a matrix of such rows.
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of shape [translations, 8].

    Raises:
      TypeError: `translations` has another rank.
    """
    with name_scope(name, "translations_to_projective_transforms"):
        moves = _rows(translations, "translations", "Translations should have rank 1 or 2.")
        x, y = -moves[:, 0], -moves[:, 1]
        ones, zeros = constants.ones_like(x), constants.zeros_like(x)
        return join.stack([ones, zeros, x, zeros, ones, y, zeros, zeros], axis=1)


def compose_transforms(*transforms):
    """The projection that does the same as several ones after each other.

    Args:
      *transforms: Projections of shape [8] or [batch, 8].

    Returns:
      A `Tensor` of shape [batch, 8], for `transform`.

    Raises:
      AssertionError: There are no projections.
    """
    assert transforms, "transforms cannot be empty"
    with name_scope("compose_transforms"):
        composed = projective.flat_transforms_to_matrices(convert_to_tensor(transforms[0], dtypes.float32))
        for other in transforms[1:]:
            other = projective.flat_transforms_to_matrices(convert_to_tensor(other, dtypes.float32))
            composed = matmul(composed, other)
        return projective.matrices_to_flat_transforms(composed)


def _rows(values, name, refusal):
    """A float32 `Tensor` of rank 2: a vector is one row."""
    values = convert_to_tensor(values, dtype=dtypes.float32, name=name)
    if values.shape.ndims not in (1, 2):
        raise TypeError(refusal)
    return values if values.shape.ndims == 2 else values[None]


def _as_batch(images):
    if images.dtype not in _IMAGE_DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype!r}.")
    rank = images.shape.ndims
    if rank not in (2, 3, 4):
        raise TypeError("Images should have rank between 2 and 4.")
    return images if rank == 4 else images[None] if rank == 3 else images[None, :, :, None]


def _sides(images):
    """Height and width, numbers where they are known."""
    sizes = array_ops.shape(images)
    return [sizes[i] if images.shape[i].value is None else images.shape[i].value for i in (1, 2)]
