"""tf.nn.experimental: dropout with random numbers of the program's choice."""

import functools

from tfcore.ops.nn.basic import dropped
from tfcore.ops.random.random import stateless_uniform


def general_dropout(x, rate, uniform_sampler, noise_shape=None, name=None):
    """Dropout with random numbers that a function draws.

    Args:
      x: A `Tensor` of a floating-point type.
      rate: The probability that an element is dropped, a number in [0, 1) or a scalar `Tensor`.
      uniform_sampler: A function `f(shape=..., dtype=...)` that returns numbers, uniform in [0, 1).
      noise_shape: Shape of the random choice, which broadcasts to that of `x`.
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      ValueError: The rate is outside of [0, 1), or `x` is not of a floating-point type.
    """
    return dropped(x, rate, noise_shape, uniform_sampler, name, "general_dropout")


def stateless_dropout(x, rate, seed, rng_alg=None, noise_shape=None, name=None):
    """Dropout that depends on `seed` alone: each run drops the same elements.

    Args:
      x: A `Tensor` of a floating-point type.
      rate: The probability that an element is dropped, a number in [0, 1) or a scalar `Tensor`.
      seed: Two integers, a `Tensor` of type int32 or int64 and shape [2].
      rng_alg: The generator, "philox" or "auto_select", which is the same.
      noise_shape: Shape of the random choice, which broadcasts to that of `x`.
      name: Name of the scope (optional).

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      ValueError: The rate is outside of [0, 1), or `x` is not of a floating-point type.
    """
    sample = functools.partial(stateless_uniform, seed=seed, alg="auto_select" if rng_alg is None else rng_alg)
    return dropped(x, rate, noise_shape, sample, name, "stateless_dropout")
