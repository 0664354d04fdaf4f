"""Dropout and activations of tf.contrib.nn."""

import numbers

from tfcore.framework.graph.default_graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.cwise.binary import minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.nn.activations import softplus
from tfcore.ops.random.random import random_uniform

_DROPPED = -1.7580993408473766  # what SELU approaches for very negative numbers


def alpha_dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    """Dropout for SELU: keeps mean and variance of its values, if they are 0 and 1.

    Source: G. Klambauer et al., "Self-Normalizing Neural Networks", NIPS 2017.

    Args:
      x: A floating-point `Tensor`.
      keep_prob: The probability of keeping an element: a float, or a scalar `Tensor`.
      noise_shape: Shape of the choices, which are broadcast; by default that of `x`.
      seed: The seed of the choices.
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      ValueError: `keep_prob` is not in (0, 1].
    """
    with name_scope(name, "alpha_dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if isinstance(keep_prob, numbers.Real) and not 0 < keep_prob <= 1:
            raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob:g}")
        keep = convert_to_tensor(keep_prob, dtype=x.dtype, name="keep_prob")
        if keep.shape.ndims not in (None, 0):
            raise ValueError(f"keep_prob must be a scalar, got shape {keep.shape}")
        if isinstance(keep_prob, numbers.Real) and keep_prob == 1:
            return x
        chance = random_uniform(shape(x) if noise_shape is None else noise_shape, seed=seed, dtype=x.dtype)
        kept = cast(chance >= 1 - keep, x.dtype)
        scale = (keep + keep * (1 - keep) * _DROPPED**2) ** -0.5
        result = scale * (x * kept + _DROPPED * (1 - kept)) - scale * _DROPPED * (1 - keep)
        result.set_shape(x.shape)
        return result


def scaled_softplus(x, alpha, clip=None, name=None):
    """alpha * log(1 + exp(x / alpha)), at most `clip`: alpha says how smooth the bend at 0 is.

    Args:
      x: A floating-point `Tensor`.
      alpha: A `Tensor` of this type, which broadcasts.
      clip: The largest value (optional).
      name: Name of the operations (optional).

    Returns:
      A `Tensor` of the type of `x`.

    Raises:
      ValueError: The shapes do not broadcast.
    """
    with name_scope(name, "scaled_softplus", [x, alpha]):
        x = convert_to_tensor(x, name="x")
        alpha = convert_to_tensor(alpha, dtype=x.dtype, name="alpha")
        result = alpha * softplus(x / alpha)
        return result if clip is None else minimum(result, convert_to_tensor(clip, dtype=x.dtype, name="clip"))
