"""How images differ, and edges in them."""

import numpy as np

from tfcore.composed.image.adjust import convert_image_dtype
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, identity, reshape, shape, shape_n, size
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.constants import zeros_like
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.move import pad, tile
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.conv.depthwise import depthwise_conv2d
from tfcore.ops.cwise.binary import pow as power
from tfcore.ops.cwise.binary import squared_difference, subtract
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, greater_equal, not_equal
from tfcore.ops.cwise.unary import abs as magnitude
from tfcore.ops.cwise.unary import log, square
from tfcore.ops.debugging.check import Assert
from tfcore.ops.nn.activations import relu
from tfcore.ops.nn.softmax import softmax
from tfcore.ops.pooling.pooling import avg_pool
from tfcore.ops.reduce.reduce import reduce_all, reduce_any, reduce_mean, reduce_prod, reduce_sum


def total_variation(images, name=None):
    """The sum of the absolute differences between neighbouring pixels.

    Args:
      images: A `Tensor` of shape [height, width, channels] or [batch, height, width, channels].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor`, a scalar or of shape [batch].

    Raises:
      ValueError: The rank is not 3 or 4.
    """
    with name_scope(name, "total_variation"):
        images = convert_to_tensor(images, name="images")
        if images.shape.ndims not in (3, 4):
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        down = images[..., 1:, :, :] - images[..., :-1, :, :]
        right = images[..., 1:, :] - images[..., :-1, :]
        axes = [-3, -2, -1]
        return reduce_sum(magnitude(down), axes) + reduce_sum(magnitude(right), axes)


# ---- Ratio of signal to noise, structural similarity


def _compatible(a, b):
    """Operations that check that two batches of images fit together.

    Raises:
      ValueError: The static shapes say that they don't.
    """
    shapes = [x.shape.with_rank_at_least(3) for x in (a, b)]
    shapes[0][-3:].assert_is_compatible_with(shapes[1][-3:])
    if shapes[0].ndims is not None and shapes[1].ndims is not None:
        for x, y in zip(reversed(shapes[0].dims[:-3]), reversed(shapes[1].dims[:-3])):
            if not (x == 1 or y == 1 or x.is_compatible_with(y)):
                raise ValueError(f"Two images are not compatible: {shapes[0]} and {shapes[1]}")
    first, second = shape_n([a, b])
    return [
        Assert(greater_equal(size(first), 3), [first, second], summarize=10),
        Assert(reduce_all(equal(first[-3:], second[-3:])), [first, second], summarize=10),
    ]


def psnr(a, b, max_val, name=None):
    """The peak signal-to-noise ratio of two images, in decibels.

    Args:
      a: A `Tensor` of a real type and shape [..., height, width, channels].
      b: The same.
      max_val: The largest value that pixels may have, a number.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type float32, a number for each pair of images.

    Raises:
      ValueError: The shapes don't fit together.
      tf.errors.InvalidArgumentError: The same, if only the run tells.
    """
    with name_scope(name, "PSNR", [a, b]):
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        most = convert_image_dtype(cast(max_val, a.dtype), dtypes.float32)
        a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
        error = reduce_mean(squared_difference(a, b), [-3, -2, -1])
        ratio = subtract(20 * log(most) / log(10.0), np.float32(10 / np.log(10)) * log(error), name="psnr")
        with control_dependencies(_compatible(a, b)):
            return identity(ratio)


def _gaussian(filter_size, sigma, channels):
    """A window of shape [filter_size, filter_size, channels, 1] whose sum is 1 in each channel."""
    at = cast(range_of(filter_size), sigma.dtype) - cast(filter_size - 1, sigma.dtype) / 2.0
    exponents = square(at) * (-0.5 / square(sigma))
    window = softmax(reshape(reshape(exponents, [1, -1]) + reshape(exponents, [-1, 1]), [1, -1]))
    return tile(reshape(window, [filter_size, filter_size, 1, 1]), stack([1, 1, channels, 1]))


def _similarity(x, y, mean, most, k1, k2):
    """Similarity of luminance, and of contrast and structure, by windows."""
    c1, c2 = (k1 * most) ** 2, (k2 * most) ** 2
    mean_x, mean_y = mean(x), mean(y)
    both, squares = mean_x * mean_y * 2.0, square(mean_x) + square(mean_y)
    luminance = (both + c1) / (squares + c1)
    contrast = (mean(x * y) * 2.0 - both + c2) / (mean(square(x) + square(y)) - squares + c2)
    return luminance, contrast


def _ssim_per_channel(x, y, most, filter_size, filter_sigma, k1, k2, return_index_map=False):
    filter_size = constant(filter_size, dtype=dtypes.int32)
    sigma = constant(filter_sigma, dtype=x.dtype)
    shapes = shape_n([x, y])
    checks = [
        Assert(reduce_all(greater_equal(dims[-3:-1], filter_size)), [dims, filter_size], summarize=8) for dims in shapes
    ]
    with control_dependencies(checks):
        x = identity(x)
    window = _gaussian(filter_size, sigma, shapes[0][-1])

    def mean(values):
        dims = shape(values)
        flat = reshape(values, concat([[-1], dims[-3:]], 0))
        means = depthwise_conv2d(flat, window, strides=[1, 1, 1, 1], padding="VALID")
        return reshape(means, concat([dims[:-3], shape(means)[1:]], 0))

    luminance, contrast = _similarity(x, y, mean, most, k1, k2)
    if return_index_map:
        return luminance * contrast, contrast
    return reduce_mean(luminance * contrast, [-3, -2]), reduce_mean(contrast, [-3, -2])


def _as_floats(img1, img2, max_val):
    """Both images and the largest value as float32; the images wait for the checks of their shapes."""
    img1, img2 = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
    with control_dependencies(_compatible(img1, img2)):
        img1 = identity(img1)
    most = convert_image_dtype(cast(max_val, img1.dtype), dtypes.float32)
    return convert_image_dtype(img1, dtypes.float32), convert_image_dtype(img2, dtypes.float32), most


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    """The structural similarity of two images (Wang and others, 2004), by Gaussian windows.

    Args:
      img1: A `Tensor` of a real type and shape [..., height, width, channels].
      img2: The same.
      max_val: The largest value that pixels may have, a number.
      filter_size: The size of the windows.
      filter_sigma: The standard deviation of the windows.
      k1: The constant of the luminance's similarity.
      k2: The constant of the contrast's similarity.
      return_index_map: Whether to return a number for each window, not their mean.

    Returns:
      A `Tensor` of type float32, a number for each pair of images.

    Raises:
      ValueError: The shapes don't fit together.
      tf.errors.InvalidArgumentError: The same, if only the run tells, or images are smaller than the windows.
    """
    with name_scope(None, "SSIM", [img1, img2]):
        img1, img2, most = _as_floats(img1, img2, max_val)
        found, _ = _ssim_per_channel(img1, img2, most, filter_size, filter_sigma, k1, k2, return_index_map)
        return reduce_mean(found, [-1])


def _halved(images, tail, head):
    """Batches of images of half the size: means of 2 x 2 pixels, and their last three dimensions."""
    flat = [reshape(x, concat([[-1], tail], 0)) for x in images]
    rest = tail % constant([2, 2, 1])
    paddings = pad(expand_dims(rest, -1), [[1, 0], [1, 0]])
    padded = cond(
        reduce_any(not_equal(rest, 0)), lambda: [pad(x, paddings, mode="SYMMETRIC") for x in flat], lambda: flat
    )
    halves = [avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID") for x in padded]
    new_tail = shape(halves[0])[1:]
    return [reshape(x, concat([h, new_tail], 0)) for x, h in zip(halves, head)], new_tail


def ssim_multiscale(
    img1,
    img2,
    max_val,
    power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size=11,
    filter_sigma=1.5,
    k1=0.01,
    k2=0.03,
):
    """The structural similarity of two images at several scales (Wang and others, 2003).

    Args:
      img1: A `Tensor` of a real type and shape [..., height, width, channels].
      img2: The same.
      max_val: The largest value that pixels may have, a number.
      power_factors: The weights of the scales, each half of the one before, as exponents.
      filter_size: The size of the windows.
      filter_sigma: The standard deviation of the windows.
      k1: The constant of the luminance's similarity.
      k2: The constant of the contrast's similarity.

    Returns:
      A `Tensor` of type float32, a number for each pair of images.

    Raises:
      ValueError: The shapes don't fit together.
      tf.errors.InvalidArgumentError: The same, if only the run tells, or the last scale is smaller than the windows.
    """
    with name_scope(None, "MS-SSIM", [img1, img2]):
        *images, most = _as_floats(img1, img2, max_val)
        heads = [shape(x)[:-3] for x in images]
        tail, contrasts = shape(images[0])[-3:], []
        for k in range(len(power_factors)):
            with name_scope(None, f"Scale{k}", images):
                if k:
                    images, tail = _halved(images, tail, heads)
                found, contrast = _ssim_per_channel(*images, most, filter_size, filter_sigma, k1, k2)
                contrasts.append(relu(contrast))
        scales = stack([*contrasts[:-1], relu(found)], axis=-1)
        return reduce_mean(reduce_prod(power(scales, power_factors), [-1]), [-1])


# ---- Edges


def image_gradients(image):
    """Differences between neighbouring pixels, 0 in the last row and column.

    Args:
      image: A `Tensor` of shape [batch, height, width, channels].

    Returns:
      A pair (dy, dx) of `Tensor`s of the type and shape of `image`.

    Raises:
      ValueError: The rank is not 4.
    """
    if image.shape.ndims != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.shape}.")
    dy = concat([image[:, 1:] - image[:, :-1], zeros_like(image[:, :1])], 1)
    dx = concat([image[:, :, 1:] - image[:, :, :-1], zeros_like(image[:, :, :1])], 2)
    dims = shape(image)
    return reshape(dy, dims), reshape(dx, dims)


_SOBEL = [[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]]


def sobel_edges(image):
    """Sobel's filters.

    Args:
      image: A `Tensor` of a floating-point type and shape [batch, height, width, channels].

    Returns:
      A `Tensor` of shape [batch, height, width, channels, 2]: the vertical and horizontal change of each pixel.

    Raises:
      ValueError: The rank is not 4.
    """
    dims = shape(image)
    filters = constant(np.expand_dims(np.transpose(_SOBEL, (1, 2, 0)), -2), dtype=image.dtype)
    filters = tile(filters, stack([1, 1, dims[-1], 1]), name="sobel_filters")
    padded = pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    edges = reshape(depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID"), concat([dims, [2]], 0))
    edges.set_shape(image.shape.concatenate([2]))
    return edges
