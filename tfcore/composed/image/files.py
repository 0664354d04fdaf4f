"""Files of images: any format at once, and JPEG's quality as an adjustment."""

from tfcore.composed.image.adjust import convert_image_dtype
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.image.files import DecodeImage, EncodeJpegVariableQuality, decode_jpeg
from tfcore.ops.random.random import random_uniform


def decode_image(contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    """Decodes a JPEG, PNG, GIF or BMP file.

    Args:
      contents: The bytes of the file, a string scalar.
      channels: The number of channels: 0 (as in the file), 1, 3 or 4.
      dtype: The `DType` of the result; other types than uint8 are scaled as `tf.image.convert_image_dtype` does.
      name: Prefix of the names of the operations (optional).
      expand_animations: Whether GIF files give all their frames, in one dimension more than other files; else the first
        one.

    Returns:
      A `Tensor` of shape [height, width, channels], or [frames, height, width, 3].

    Raises:
      TypeError: `contents` is not a string.
      tf.errors.InvalidArgumentError: When run: the file is not an image, broken, or does not have these channels.
    """
    with name_scope(name, "decode_image"):
        channels, dtype = channels or 0, dtypes.as_dtype(dtype)
        decoded = dtype if dtype in (dtypes.float32, dtypes.uint8, dtypes.uint16) else dtypes.uint16
        image = DecodeImage(contents, channels=channels, dtype=decoded, expand_animations=expand_animations)
        if decoded != dtype:
            image = convert_image_dtype(image, dtype)
        if not expand_animations:
            image.set_shape([None, None, channels or None])
        return image


def adjust_jpeg_quality(image, jpeg_quality, dct_method="", name=None):
    """What remains of an image in a JPEG file.

    Args:
      image: A `Tensor` of a real type and shape [height, width, 1 or 3].
      jpeg_quality: The quality, an int32 scalar in [0, 100].
      dct_method: "", "INTEGER_FAST" or "INTEGER_ACCURATE".
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The rank is not 3.
      tf.errors.InvalidArgumentError: When run: the quality or the number of channels is another one.
    """
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        channels = image.shape.as_list()[-1]
        pixels = convert_image_dtype(image, dtypes.uint8, saturate=True)
        quality = convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        found = decode_jpeg(EncodeJpegVariableQuality(pixels, quality), channels=channels or 0, dct_method=dct_method)
        return convert_image_dtype(found, image.dtype, saturate=True)


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """What remains of an image in a JPEG file of a random quality.

    Args:
      image: A `Tensor` of a real type and shape [height, width, 1 or 3].
      min_jpeg_quality: The lower limit, an int in [0, 100].
      max_jpeg_quality: The upper limit, which is not drawn.
      seed: The seed of the random numbers, an int (optional).

    Returns:
      A `Tensor` of the type and shape of `image`.

    Raises:
      ValueError: The limits are not in order, or out of range.
    """
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)
