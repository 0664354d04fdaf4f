"""Hue, saturation and value of images, adjusted in the colour space YIQ."""

import numpy as np

import tfcore.ops.array.join as join
from tfcore.composed.image.adjust import convert_image_dtype
from tfcore.framework.graph.default_graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.cwise.unary import cos, sin
from tfcore.ops.linalg.matmul import matmul, tensordot
from tfcore.ops.random.random import random_uniform

_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]], np.float32)
_FROM_YIQ = np.array(
    [[1, 0.95617069, 0.62143257], [1, -0.2726886, -0.64681324], [1, -1.103744, 1.70062309]], np.float32
)


def adjust_hsv_in_yiq(image, delta_hue=0, scale_saturation=1, scale_value=1, name=None):
    """Turns the hue of images around the luminance, and scales saturation and value.

    Args:
      image: A `Tensor` of RGB colours: its last dimension is 3.
      delta_hue: An angle in radians.
      scale_saturation: The factor of the chrominance.
      scale_value: The factor of all components.
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of the same type and shape.

    Raises:
      ValueError: The last dimension is not 3.
    """
    with name_scope(name, "adjust_hsv_in_yiq"):
        image = convert_to_tensor(image, name="image")
        colors = convert_image_dtype(image, dtypes.float32)
        hue, saturation, value = (
            convert_to_tensor(x, dtypes.float32) for x in (delta_hue, scale_saturation, scale_value)
        )
        u, w, zero = value * saturation * cos(hue), value * saturation * sin(hue), 0.0 * value
        in_yiq = join.stack([[value, zero, zero], [zero, u, -w], [zero, w, u]])
        matrix = matmul(matmul(_FROM_YIQ, in_yiq), _TO_YIQ)
        result = tensordot(colors, matrix, [[-1], [1]])
        result.set_shape(image.shape)
        return convert_image_dtype(result, image.dtype)


def random_hsv_in_yiq(
    image, max_delta_hue=0, lower_saturation=1, upper_saturation=1, lower_value=1, upper_value=1, seed=None
):
    """`adjust_hsv_in_yiq` with random amounts.

    Args:
      image: A `Tensor` of RGB colours: its last dimension is 3.
      max_delta_hue: The hue turns by at most this angle in radians, either way.
      lower_saturation: The least factor of the chrominance.
      upper_saturation: The greatest one.
      lower_value: The least factor of all components.
      upper_value: The greatest one.
      seed: Seed of the operations.

    Returns:
      A `Tensor` of the same type and shape.

    Raises:
      ValueError: A bound is negative, or a lower one is above the upper one.
    """
    if max_delta_hue < 0:
        raise ValueError("max_delta must be non-negative.")
    for name, lower, upper in (
        ("saturation", lower_saturation, upper_saturation),
        ("value", lower_value, upper_value),
    ):
        if lower < 0:
            raise ValueError(f"lower_{name} must be non-negative.")
        if lower > upper:
            raise ValueError(f"lower_{name} must be < upper_{name}.")
    bounds = (-max_delta_hue, max_delta_hue), (lower_saturation, upper_saturation), (lower_value, upper_value)
    amounts = [low if low == high else random_uniform([], low, high, seed=seed) for low, high in bounds]
    return adjust_hsv_in_yiq(image, *amounts)
