"""The gamma and exponential distributions."""

import numpy as np

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import ones
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import xlogy
from tfcore.ops.cwise.special import digamma, igamma, lgamma
from tfcore.ops.cwise.unary import log, sqrt, square
from tfcore.ops.debugging import check
from tfcore.ops.random.random import random_uniform
from tfcore.ops.random.sample import random_gamma


class Gamma(ScalarDistribution):
    """The gamma distribution, with a density proportional to x ** (concentration - 1) * exp(-x * rate).

    Args:
      concentration: A positive floating-point `Tensor`.
      rate: The inverse scale, a positive `Tensor` of the same type.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive.

    Example:

    >>> d = tf.distributions.Gamma(3.0, 2.0)
    >>> print(sess.run([d.mean(), d.variance()]))
    [np.float32(1.5), np.float32(0.75)]
    """

    _names = ("concentration", "rate")

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma"):
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            checks = [check.assert_positive(concentration), check.assert_positive(rate)] if validate_args else []
            self._concentration = util.identity_of(concentration, "concentration", checks)
            self._rate = util.identity_of(rate, "rate", checks)
            check.assert_same_float_dtype([self._concentration, self._rate])
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration, self._rate],
            name=name,
        )

    @property
    def concentration(self):
        """The shape parameter."""
        return self._concentration

    @property
    def rate(self):
        """The inverse of the scale."""
        return self._rate

    def _sample_n(self, n, seed=None):
        return random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _checked(self, x):
        check.assert_same_float_dtype([x], self.dtype)
        return with_dependencies([check.assert_positive(x)], x) if self.validate_args else x

    def _log_prob(self, x):
        x = self._checked(x)
        normalization = lgamma(self.concentration) - self.concentration * log(self.rate)
        return xlogy(self.concentration - 1.0, x) - self.rate * x - normalization

    def _cdf(self, x):
        return igamma(self.concentration, self.rate * self._checked(x))

    def _entropy(self):
        a = self.concentration
        return a - log(self.rate) + lgamma(a) + (1.0 - a) * digamma(a)

    def _mean(self):
        return self.concentration / self.rate

    def _variance(self):
        return self.concentration / square(self.rate)

    def _stddev(self):
        return sqrt(self.concentration) / self.rate

    def _mode(self):
        mode = (self.concentration - 1.0) / self.rate
        if self.allow_nan_stats:
            return util.nan_where_not(self.concentration > 1.0, mode)
        one = convert_to_tensor(1.0, self.dtype)
        message = "mode not defined when any concentration <= 1"
        return with_dependencies([check.assert_less(one, self.concentration, message=message)], mode)


class Exponential(Gamma):
    """The exponential distribution, with the density rate * exp(-x * rate).

    Args:
      rate: The inverse of the mean, a positive floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `rate` is not positive.

    Example:

    >>> print(sess.run(tf.distributions.Exponential(2.0).mean()))
    0.5
    """

    _names = ("rate",)

    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="Exponential"):
        parameters = dict(locals())
        with name_scope(name, values=[rate]) as name:
            rate = convert_to_tensor(rate, name="rate")
        super().__init__(ones([], dtype=rate.dtype), rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    def _log_survival_function(self, value):
        return self._log_prob(value) - log(self.rate)

    def _sample_n(self, n, seed=None):
        # not from 0, whose logarithm is infinite
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        sizes = concat([[n], shape(self.rate)], 0)
        return -log(random_uniform(sizes, minval=least, maxval=1.0, seed=seed, dtype=self.dtype)) / self.rate


@RegisterKL(Gamma, Gamma)
def _divergence(p, q, name=None):
    with name_scope(name, "kl_gamma_gamma", [p.concentration, p.rate, q.concentration, q.rate]):
        a, b = p.concentration, q.concentration
        return (
            (a - b) * digamma(a)
            + lgamma(b)
            - lgamma(a)
            + b * log(p.rate)
            - b * log(q.rate)
            + a * (q.rate / p.rate - 1.0)
        )
