"""Initializers that keep the scale of activations from layer to layer."""

import math

from tfcore.framework.types import dtypes
from tfcore.ops.random.random import random_uniform, truncated_normal


def xavier_initializer(uniform=True, seed=None, dtype=dtypes.float32):
    """The initializer that keeps the variance of activations and of gradients about equal in all layers.

    Source: X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural networks",
    AISTATS 2010.

    Args:
      uniform: Whether to draw from a uniform distribution instead of a truncated normal one.
      seed: An int, the seed for drawing.
      dtype: The default `DType`, a floating-point type.

    Returns:
      A function of (shape, dtype) that returns a `Tensor`.

    Raises:
      TypeError: The type is not a floating-point type.
    """
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=dtypes.float32):
    """An initializer whose variance is `factor` / n, where n is the number of inputs or outputs of a unit.

    Source: K. He et al., "Delving Deep into Rectifiers", ICCV 2015 (the default: `factor=2.0, mode="FAN_IN"`).

    Args:
      factor: A float.
      mode: What n is: "FAN_IN", "FAN_OUT", or "FAN_AVG" for their mean.
      uniform: Whether to draw from a uniform distribution instead of a truncated normal one.
      seed: An int, the seed for drawing.
      dtype: The default `DType`, a floating-point type.

    Returns:
      A function of (shape, dtype) that returns a `Tensor`.

    Raises:
      TypeError: `mode` is not known, or the type is not a floating-point type.
    """
    default = dtype
    _check_float(default)
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError("Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]", mode)

    def initialize(shape, dtype=default, partition_info=None):
        _check_float(dtype)
        field = math.prod(float(d) for d in shape[:-2])
        fan_in = field * (float(shape[-2]) if len(shape) > 1 else float(shape[-1]) if shape else 1.0)
        fan_out = field * (float(shape[-1]) if shape else 1.0)
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_uniform(shape, -limit, limit, dtype, seed=seed)
        # Truncation makes the variance smaller.
        return truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

    return initialize


def _check_float(dtype):
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
