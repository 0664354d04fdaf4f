"""What functions of images check: ranks, sizes, when the graph is built or else in a run."""

from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, rank, shape, squeeze
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum, minimum
from tfcore.ops.debugging.check import Assert, assert_greater_equal, assert_positive


def image_of(image):
    """A Tensor of at least three dimensions, the last three of which are not empty.

    Raises:
      ValueError: The static shape says otherwise.
    """
    image = convert_to_tensor(image, name="image")
    if image.dims is not None and len(image.dims) < 3:
        raise ValueError(f"'image' (shape {image.shape}) must be at least three-dimensional.")
    last = (None,) * 3 if image.dims is None else image.dims[-3:]
    if 0 in last:
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    if None not in last:
        return image
    checks = [assert_positive(shape(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."])]
    if image.dims is None:
        checks.append(assert_greater_equal(rank(image), 3, message="'image' must be at least three-dimensional."))
    return with_dependencies(checks, image)


def rank_of(image):
    """3 or 4, or None if it is unknown.

    Raises:
      ValueError: The rank is another one.
    """
    if image.dims is None:
        return None
    if len(image.dims) not in (3, 4):
        raise ValueError(f"'image' (shape {image.shape}) must have either 3 or 4 dimensions.")
    return len(image.dims)


def as_batch(image):
    """A batch of images, and a function that makes its argument as `image` was: an image or a batch.

    An image of unknown rank counts as one image.

    Raises:
      ValueError: The rank is not 3 or 4.
    """
    image = convert_to_tensor(image, name="image")
    if rank_of(image) == 4:
        return image, lambda result: result
    batch = expand_dims(image, 0)
    batch.set_shape([None] * 4)
    return batch, lambda result: squeeze(result, [0])


def require(checks, image):
    """The image, with checks (condition, text) that it waits for.

    Raises:
      ValueError: A condition is known to be false.
    """
    waits = []
    for condition, text in checks:
        if isinstance(condition, Tensor):
            waits.append(Assert(condition, [text]))
        elif not condition:
            raise ValueError(text)
    return with_dependencies(waits, image) if waits else image


def larger(x, y):
    return maximum(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else max(x, y)


def smaller(x, y):
    return minimum(x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else min(x, y)


def known(*sizes):
    """Sizes as far as they are known, for `set_shape`."""
    return [None if isinstance(size, Tensor) else size for size in sizes]
