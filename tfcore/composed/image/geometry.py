"""Where pixels are: flips, rotations, crops, pads."""

from tfcore.composed.image.checks import as_batch, image_of, known, larger, rank_of, require, smaller
from tfcore.composed.sizes import size_of
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity, rank, reshape, shape
from tfcore.ops.array.array import transpose as permute
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.move import pad, reverse
from tfcore.ops.array.slice import slice as slice_of
from tfcore.ops.control_flow.case import case
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.cwise.binary import mod
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, less, logical_and
from tfcore.ops.cwise.unary import round as round_of
from tfcore.ops.random.random import random_uniform


def _same_shape(image, result):
    result.set_shape([None] * 3 if image.dims is None else image.shape)
    return result


def _flip(image, axis, name):
    with name_scope(None, name, [image]):
        image = image_of(image)
        rank_of(image)
        axis = axis - 3 if image.dims is None else axis - 3 + len(image.dims)
        return reverse(image, [axis])


def flip_left_right(image):
    """Flips images along their width.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The shape of `image` is not supported.
    """
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image):
    """Flips images along their height.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The shape of `image` is not supported.
    """
    return _flip(image, 0, "flip_up_down")


def _random_flip(image, axis, seed, name):
    with name_scope(None, name, [image]) as scope:
        image = image_of(image)

        def one():
            draw = random_uniform([], 0, 1.0, seed=seed)
            flipped = cond(less(draw, 0.5), lambda: reverse(image, [axis]), lambda: image, name=scope)
            return _same_shape(image, flipped)

        def several():
            size = shape(image)[0]
            draws = random_uniform([size], 0, 1.0, seed=seed)
            flips = cast(round_of(reshape(draws, [size, 1, 1, 1])), image.dtype)
            return flips * reverse(image, [axis + 1]) + (1 - flips) * image

        if rank_of(image) is None:
            return cond(equal(rank(image), 3), one, several)
        return one() if len(image.dims) == 3 else several()


def random_flip_left_right(image, seed=None):
    """Flips each image along its width, with probability 1/2.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      seed: The seed of the random numbers, an int (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The shape of `image` is not supported.
    """
    return _random_flip(image, 1, seed, "random_flip_left_right")


def random_flip_up_down(image, seed=None):
    """Flips each image along its height, with probability 1/2.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      seed: The seed of the random numbers, an int (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The shape of `image` is not supported.
    """
    return _random_flip(image, 0, seed, "random_flip_up_down")


def _transposed(image, name=None):
    if image.dims is not None:
        return permute(image, [1, 0, 2] if len(image.dims) == 3 else [0, 2, 1, 3], name=name)
    n = rank(image)
    return permute(image, concat([range_of(n - 3), stack([n - 2, n - 3, n - 1])], 0), name=name)


def transpose(image, name=None):
    """Exchanges height and width of images.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of shape [width, height, channels] or [batch, width, height, channels].

    Raises:
      ValueError: The shape of `image` is not supported.
    """
    with name_scope(name, "transpose", [image]):
        image = image_of(image)
        rank_of(image)
        return _transposed(image, name)


def rot90(image, k=1, name=None):
    """Turns images counter-clockwise by a multiple of 90 degrees.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      k: How many times 90 degrees, an int32 scalar.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `image`.

    Raises:
      ValueError: The shape of `image` or of `k` is not supported.
    """
    with name_scope(name, "rot90", [image, k]) as scope:
        image = image_of(image)
        rank_of(image)
        k = convert_to_tensor(k, dtype=dtypes.int32, name="k")
        k.shape.assert_has_rank(0)
        height, width = (-3, -2) if image.dims is None else (len(image.dims) - 3, len(image.dims) - 2)
        turns = [
            lambda: identity(image),
            lambda: _transposed(reverse(image, [width])),
            lambda: reverse(image, [height, width]),
            lambda: reverse(_transposed(image), [width]),
        ]
        value = constant_value(k)
        if value is not None:
            return turns[int(value) % 4]()
        k = mod(k, 4)
        result = case([(equal(k, i), turns[i]) for i in (1, 2, 3)], turns[0], exclusive=True, name=scope)
        if image.dims is not None:
            result.set_shape([*image.dims[:-3], None, None, image.dims[-1]])
        return result


# ---- Crops and pads


def _crop(batch, top, left, height, width):
    depth = batch.dims[3]
    cropped = slice_of(batch, stack([0, top, left, 0]), stack([-1, height, width, -1]))
    cropped.set_shape([batch.dims[0], *known(height, width), depth])
    return cropped


def _start(size, fraction):
    """Where the central part of a dimension begins."""
    if not isinstance(size, Tensor) and not isinstance(fraction, Tensor):
        return int((float(size) - float(size) * fraction) / 2)
    size = cast(size, dtypes.float64)
    return cast((size - size * cast(fraction, dtypes.float64)) / 2, dtypes.int32)


def central_crop(image, central_fraction):
    """The central part of images.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      central_fraction: The part of each side that remains, a float in (0, 1] or a scalar `Tensor`.

    Returns:
      A `Tensor` of the type and rank of `image`.

    Raises:
      ValueError: The fraction is not within (0, 1], or the rank not 3 or 4.
    """
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        fraction = central_fraction
        if isinstance(fraction, Tensor) and constant_value(fraction) is not None:
            fraction = constant_value(fraction)
        text = "central_fraction must be within (0, 1]"
        if isinstance(fraction, Tensor):
            image = require([(logical_and(fraction > 0.0, fraction <= 1.0), text)], image)
        elif not 0.0 < fraction <= 1.0:
            raise ValueError(text)
        elif fraction == 1.0:
            return image
        image = image_of(image)
        if image.dims is None or len(image.dims) not in (3, 4):
            found = None if image.dims is None else len(image.dims)
            raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {found}.")
        batch, undo = as_batch(image)
        height, width = size_of(batch, 1), size_of(batch, 2)
        top, left = _start(height, fraction), _start(width, fraction)
        return undo(_crop(batch, top, left, height - 2 * top, width - 2 * left))


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The part of images within a box.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      offset_height: The first row of the box, an int or an int32 scalar.
      offset_width: The first column of the box.
      target_height: The height of the box.
      target_width: The width of the box.

    Returns:
      A `Tensor` of the type and rank of `image`.

    Raises:
      ValueError: The box does not lie within the image, or the rank is not 3 or 4.
      tf.errors.InvalidArgumentError: The same, if only the run tells.
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        batch, undo = as_batch(image)
        batch = image_of(batch)
        height, width = size_of(batch, 1), size_of(batch, 2)
        checks = [
            (offset_width >= 0, "offset_width must be >= 0."),
            (offset_height >= 0, "offset_height must be >= 0."),
            (target_width > 0, "target_width must be > 0."),
            (target_height > 0, "target_height must be > 0."),
            (width >= target_width + offset_width, "width must be >= target + offset."),
            (height >= target_height + offset_height, "height must be >= target + offset."),
        ]
        return undo(_crop(require(checks, batch), offset_height, offset_width, target_height, target_width))


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """Puts images into a larger one that is 0 elsewhere.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      offset_height: The number of rows above, an int or an int32 scalar.
      offset_width: The number of columns on the left.
      target_height: The height of the result.
      target_width: The width of the result.

    Returns:
      A `Tensor` of the type and rank of `image`.

    Raises:
      ValueError: The image does not lie within the result, or the rank is not 3 or 4.
      tf.errors.InvalidArgumentError: The same, if only the run tells.
    """
    with name_scope(None, "pad_to_bounding_box", [image]):
        batch, undo = as_batch(image)
        batch = image_of(batch)
        below = target_height - offset_height - size_of(batch, 1)
        right = target_width - offset_width - size_of(batch, 2)
        checks = [
            (offset_height >= 0, "offset_height must be >= 0"),
            (offset_width >= 0, "offset_width must be >= 0"),
            (right >= 0, "width must be <= target - offset"),
            (below >= 0, "height must be <= target - offset"),
        ]
        batch = require(checks, batch)
        paddings = reshape(stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = pad(batch, paddings)
        padded.set_shape([batch.dims[0], *known(target_height, target_width), batch.dims[3]])
        return undo(padded)


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """Crops images, or pads them with 0, around their centres.

    Args:
      image: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      target_height: The height of the result, an int or an int32 scalar.
      target_width: The width of the result.

    Returns:
      A `Tensor` of the type and rank of `image`.

    Raises:
      ValueError: A size is not positive, or the rank not 3 or 4.
      tf.errors.InvalidArgumentError: The same, if only the run tells.
    """
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        batch, undo = as_batch(image)
        checks = [
            (target_width > 0, "target_width must be > 0."),
            (target_height > 0, "target_height must be > 0."),
        ]
        batch = require(checks, image_of(batch))
        height, width = size_of(batch, 1), size_of(batch, 2)
        more_rows, more_columns = target_height - height, target_width - width
        cropped = crop_to_bounding_box(
            batch,
            larger(-more_rows // 2, 0),
            larger(-more_columns // 2, 0),
            smaller(target_height, height),
            smaller(target_width, width),
        )
        top, left = larger(more_rows // 2, 0), larger(more_columns // 2, 0)
        return undo(pad_to_bounding_box(cropped, top, left, target_height, target_width))
