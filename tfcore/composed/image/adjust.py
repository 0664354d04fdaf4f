"""Values of pixels: brightness, contrast, colours, gamma, types; the same by random amounts."""

from tfcore.composed.image.checks import image_of, require
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, identity, rank, shape
from tfcore.ops.array.constants import ones
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import tile
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import add, divide, floordiv, maximum, multiply
from tfcore.ops.cwise.cast import cast, saturate_cast
from tfcore.ops.cwise.unary import rsqrt
from tfcore.ops.debugging.check import assert_equal, assert_greater_equal
from tfcore.ops.image import color
from tfcore.ops.linalg.matmul import tensordot
from tfcore.ops.random.random import random_uniform
from tfcore.ops.reduce.reduce import reduce_mean, reduce_prod, reduce_std

# ---- Types


def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Converts images to another type, scaled: the largest integer is 1.0 in floating point.

    Args:
      image: A `Tensor` of a real type.
      dtype: The new `DType`, real, too.
      saturate: Whether values outside the range of the new type become its limits.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type `dtype` and the shape of `image`.

    Raises:
      AttributeError: A type is neither a floating-point type nor an integer.

    Example:

    >>> print(sess.run(tf.image.convert_image_dtype(tf.constant([0.0, 0.2, 1.0]), tf.uint8)))
    [  0  51 255]
    """
    image = convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == image.dtype:
        return identity(image, name=name)
    convert = saturate_cast if saturate else cast
    with name_scope(name, "convert_image", [image]) as name:
        if image.dtype.is_floating and dtype.is_floating:
            return cast(image, dtype, name=name)
        if image.dtype.is_floating:
            scaled = multiply(image, dtype.max + 0.5)  # a half more, for the cast, which cuts
            return convert(scaled, dtype, name=name)
        if dtype.is_floating:
            return multiply(cast(image, dtype), 1.0 / image.dtype.max, name=name)
        if image.dtype.max > dtype.max:
            scale = (image.dtype.max + 1) // (dtype.max + 1)
            return convert(floordiv(image, scale), dtype, name=name)
        scale = (dtype.max + 1) // (image.dtype.max + 1)
        return multiply(convert(image, dtype), scale, name=name)


def _as_float(image):
    """A float32 or half Tensor, and the function that converts back."""
    image = convert_to_tensor(image, name="image")
    original = image.dtype
    if original not in (dtypes.float16, dtypes.float32):
        image = convert_image_dtype(image, dtypes.float32)
    return image, lambda result, saturate: convert_image_dtype(result, original, saturate=saturate)


def per_image_standardization(image):
    """Scales each image to mean 0 and variance 1.

    Images whose pixels are (nearly) equal are divided by the root of 1 / (number of elements) instead of the standard
    deviation.

    Args:
      image: A `Tensor` of shape [..., height, width, channels].

    Returns:
      A `Tensor` of type float32 and the shape of `image`.

    Raises:
      ValueError: The rank is less than 3.
    """
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = cast(image_of(image), dtypes.float32)
        count = reduce_prod(shape(image)[-3:])
        mean = reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = rsqrt(cast(count, dtypes.float32))
        return divide(image - mean, maximum(deviation, least), name=scope)


# ---- Adjustments


def adjust_brightness(image, delta):
    """Adds a number to all pixels, as floats in [0, 1].

    Args:
      image: A `Tensor` of a real type.
      delta: The number, a scalar.

    Returns:
      A `Tensor` of the type and shape of `image`; integers end at the limits of their type.

    Raises:
      ValueError: Shapes don't fit together.
    """
    with name_scope(None, "adjust_brightness", [image, delta]) as name:
        image, back = _as_float(image)
        return back(add(image, cast(delta, image.dtype), name=name), True)


def adjust_contrast(images, contrast_factor):
    """Multiplies the distance of each channel to its mean over the image.

    Args:
      images: A `Tensor` of a real type and shape [..., height, width, channels].
      contrast_factor: The factor, a float32 scalar.

    Returns:
      A `Tensor` of the type and shape of `images`; integers end at the limits of their type.

    Raises:
      ValueError: The rank is less than 3.
    """
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as name:
        images, back = _as_float(images)
        return back(color.AdjustContrastv2(images, contrast_factor, name=name), True)


def adjust_gamma(image, gamma=1, gain=1):
    """Gamma correction: gain * image ** gamma, of floats in [0, 1].

    Args:
      image: A `Tensor` of a real type.
      gamma: The exponent, a number or a scalar `Tensor`, not negative.
      gain: The factor, a number or a scalar `Tensor`.

    Returns:
      A `Tensor` of the type and shape of `image`; integers end at the limits of their type.

    Raises:
      ValueError: `gamma` is negative.
      tf.errors.InvalidArgumentError: The same, if only the run tells.
    """
    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image, back = _as_float(image)
        image = require([(gamma >= 0, "Gamma should be a non-negative real number.")], image)
        return back(gain * image**gamma, True)


def adjust_hue(image, delta, name=None):
    """Turns the hue of RGB images.

    Args:
      image: A `Tensor` of a real type and shape [..., height, width, 3].
      delta: The angle in whole turns, a float32 scalar in [-1, 1].
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The rank is less than 3.
    """
    with name_scope(name, "adjust_hue", [image]):
        image, back = _as_float(image)
        return back(color.AdjustHue(image, delta), False)


def adjust_saturation(image, saturation_factor, name=None):
    """Multiplies the saturation of RGB images.

    Args:
      image: A `Tensor` of a real type and shape [..., height, width, 3].
      saturation_factor: The factor, a float32 scalar.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The rank is less than 3.
    """
    with name_scope(name, "adjust_saturation", [image]):
        image, back = _as_float(image)
        return back(color.AdjustSaturation(image, saturation_factor), False)


# ---- By random amounts


def _check_range(lower, upper):
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")


def random_brightness(image, max_delta, seed=None):
    """Adds a random number from [-max_delta, max_delta) to all pixels.

    Args:
      image: A `Tensor` of a real type.
      max_delta: The limit, a number that is not negative.
      seed: The seed of the random numbers, an int (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: `max_delta` is negative.
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image, lower, upper, seed=None):
    """Multiplies the contrast by a random number from [lower, upper).

    Args:
      image: A `Tensor` of a real type and shape [..., height, width, channels].
      lower: The lower limit, not negative.
      upper: The upper limit.
      seed: The seed of the random numbers, an int (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The limits are not in order, or negative.
    """
    _check_range(lower, upper)
    return adjust_contrast(image, random_uniform([], lower, upper, seed=seed))


def random_saturation(image, lower, upper, seed=None):
    """Multiplies the saturation by a random number from [lower, upper).

    Args:
      image: A `Tensor` of a real type and shape [..., height, width, 3].
      lower: The lower limit, not negative.
      upper: The upper limit.
      seed: The seed of the random numbers, an int (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The limits are not in order, or negative.
    """
    _check_range(lower, upper)
    return adjust_saturation(image, random_uniform([], lower, upper, seed=seed))


def random_hue(image, max_delta, seed=None):
    """Turns the hue by a random angle from [-max_delta, max_delta).

    Args:
      image: A `Tensor` of a real type and shape [..., height, width, 3].
      max_delta: The limit in whole turns, in [0, 0.5].
      seed: The seed of the random numbers, an int (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: `max_delta` is not within [0, 0.5].
    """
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, random_uniform([], -max_delta, max_delta, seed=seed))


# ---- Colour spaces


def rgb_to_grayscale(images, name=None):
    """The luminance of RGB images.

    Args:
      images: A `Tensor` of a real type whose last dimension is 3.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `images` whose last dimension is 1.

    Raises:
      ValueError: The last dimension is not 3.
    """
    with name_scope(name, "rgb_to_grayscale", [images]) as name:
        images = convert_to_tensor(images, name="images")
        gray = tensordot(convert_image_dtype(images, dtypes.float32), [0.2989, 0.5870, 0.1140], [-1, -1])
        return convert_image_dtype(expand_dims(gray, -1), images.dtype, name=name)


def _gray(images):
    """Checks that the last dimension is 1."""
    if images.dims is not None and len(images.dims) < 2:
        raise ValueError(f"A grayscale image (shape {images.shape}) must be at least two-dimensional.")
    text = "Last dimension of a grayscale image should be size 1."
    if images.shape.is_fully_defined():
        if images.dims[-1] != 1:
            raise ValueError(text)
        return images
    checks = [
        assert_equal(shape(images)[-1], 1, message=text),
        assert_greater_equal(rank(images), 3, message="A grayscale image must be at least two-dimensional."),
    ]
    return with_dependencies(checks, images)


def grayscale_to_rgb(images, name=None):
    """Three equal channels of gray images.

    Args:
      images: A `Tensor` whose last dimension is 1.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `images` whose last dimension is 3.

    Raises:
      ValueError: The last dimension is not 1.
      tf.errors.InvalidArgumentError: The same, if only the run tells.
    """
    with name_scope(name, "grayscale_to_rgb", [images]) as name:
        images = _gray(convert_to_tensor(images, name="images"))
        others = expand_dims(rank(images) - 1, 0)
        rgb = tile(images, concat([ones(others, dtypes.int32), [3]], 0), name=name)
        rgb.set_shape(images.shape[:-1].concatenate([3]))
        return rgb


def _changed(images, kernel):
    images = convert_to_tensor(images, name="images")
    kernel = constant(kernel, dtype=images.dtype, name="kernel")
    return tensordot(images, kernel, [[-1], [0]])


def _color_space(name, kernel, doc):
    def function(images):
        return _changed(images, kernel)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    Args:
      images: A `Tensor` of a floating-point type whose last dimension is 3.

    Returns:
      A `Tensor` of the type and shape of `images`.

    Raises:
      ValueError: The last dimension is not 3.
    """
    return function


_RGB_TO_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_YIQ_TO_RGB = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
_YUV_TO_RGB = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]

rgb_to_yiq = _color_space("rgb_to_yiq", _RGB_TO_YIQ, "Converts RGB images to YIQ.")
yiq_to_rgb = _color_space("yiq_to_rgb", _YIQ_TO_RGB, "Converts YIQ images to RGB.")
rgb_to_yuv = _color_space("rgb_to_yuv", _RGB_TO_YUV, "Converts RGB images to YUV.")
yuv_to_rgb = _color_space("yuv_to_rgb", _YUV_TO_RGB, "Converts YUV images to RGB.")
