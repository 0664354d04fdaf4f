"""Posterior distributions of the mean of normal observations."""

from tfcore.distributions.normal import Normal
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import sqrt, square


def _posterior(prior, scale, s, n):
    """The mean and the variance of the mean after observations."""
    if not isinstance(prior, Normal):
        raise TypeError("Expected prior to be an instance of type Normal")
    if s.dtype != prior.dtype:
        raise TypeError(f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. {prior.dtype}")
    before, each = square(prior.scale), square(scale)
    variance = 1 / (1 / before + cast(n, prior.dtype) / each)
    return (prior.loc / before + s / each) * variance, variance


def normal_conjugates_known_scale_posterior(prior, scale, s, n):
    """The distribution of the mean of a normal distribution after observations of it.

    Args:
      prior: A `Normal`: the distribution of the mean before.
      scale: The standard deviation of observations, a `Tensor` of its type.
      s: The sum of the observations, a `Tensor` of its type.
      n: Their number, an integer `Tensor`.

    Returns:
      A `Normal`.

    Raises:
      TypeError: `prior` is not a `Normal`, or `s` has another type.
    """
    loc, variance = _posterior(prior, scale, s, n)
    return Normal(loc=loc, scale=sqrt(variance))


def normal_conjugates_known_scale_predictive(prior, scale, s, n):
    """The distribution of the next observation of a normal distribution after some of them.

    Args:
      prior: A `Normal`: the distribution of the mean before.
      scale: The standard deviation of observations, a `Tensor` of its type.
      s: The sum of the observations, a `Tensor` of its type.
      n: Their number, an integer `Tensor`.

    Returns:
      A `Normal`.

    Raises:
      TypeError: `prior` is not a `Normal`, or `s` has another type.
    """
    loc, variance = _posterior(prior, scale, s, n)
    return Normal(loc=loc, scale=sqrt(variance + square(scale)))
