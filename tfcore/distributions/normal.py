"""The normal and the half-normal distribution."""

import math

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.binary import maximum, squared_difference
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.special import erf, erfc, erfinv, ndtri
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log, square
from tfcore.ops.debugging import check
from tfcore.ops.random.random import random_normal


class Normal(ScalarDistribution):
    """The normal distribution with the mean `loc` and the standard deviation `scale`.

    Args:
      loc: The mean, a floating-point `Tensor`.
      scale: The standard deviation, a positive `Tensor` of the type of `loc`.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` is not positive.

    Example:

    >>> d = tf.distributions.Normal(loc=[0.0, 1.0], scale=2.0)
    >>> print(d.batch_shape, sess.run(d.cdf(1.0)).round(3))
    (2,) [0.691 0.5  ]
    """

    _names = ("loc", "scale")

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            checks = [check.assert_positive(scale)] if validate_args else []
            self._loc = util.identity_of(loc, "loc", checks)
            self._scale = util.identity_of(scale, "scale", checks)
            check.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._scale],
            name=name,
        )

    @property
    def loc(self):
        """The mean."""
        return self._loc

    @property
    def scale(self):
        """The standard deviation."""
        return self._scale

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        return random_normal(sizes, dtype=self.dtype, seed=seed) * self.scale + self.loc

    def _z(self, x):
        with name_scope("standardize", values=[x]):
            return (x - self.loc) / self.scale

    def _log_prob(self, x):
        return -0.5 * square(self._z(x)) - (0.5 * math.log(2 * math.pi) + log(self.scale))

    def _cdf(self, x):
        return util.ndtr(self._z(x))

    def _log_cdf(self, x):
        return util.log_ndtr(self._z(x))

    def _survival_function(self, x):
        return util.ndtr(-self._z(x))

    def _log_survival_function(self, x):
        return util.log_ndtr(-self._z(x))

    def _quantile(self, p):
        with name_scope("reconstruct", values=[p]):
            return ndtri(p) * self.scale + self.loc

    def _entropy(self):
        return 0.5 * math.log(2 * math.pi * math.e) + log(self.scale * self._ones())

    def _mean(self):
        return self.loc * self._ones()

    def _stddev(self):
        return self.scale * self._ones()

    def _mode(self):
        return self._mean()


@RegisterKL(Normal, Normal)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        ratio = square(a.scale) / square(b.scale)
        return squared_difference(a.loc, b.loc) / (2 * square(b.scale)) + 0.5 * (ratio - 1 - log(ratio))


class HalfNormal(ScalarDistribution):
    """The distribution of |x| for a normal x with the mean 0.

    Args:
      scale: The standard deviation of x, a positive floating-point `Tensor`.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.HalfNormal(2.0).mean()).round(3))
    1.596
    """

    _names = ("scale",)

    def __init__(self, scale, validate_args=False, allow_nan_stats=True, name="HalfNormal"):
        parameters = dict(locals())
        with name_scope(name, values=[scale]) as name:
            self._scale = util.identity_of(scale, "scale", [check.assert_positive(scale)] if validate_args else [])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._scale],
            name=name,
        )

    @property
    def scale(self):
        """The standard deviation of the normal distribution."""
        return self._scale

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        return abs_of(random_normal(sizes, dtype=self.dtype, seed=seed) * self.scale)

    def _log_prob(self, x):
        logs = 0.5 * math.log(2 / math.pi) - log(self.scale) - 0.5 * square(x / self.scale)
        return where_v2(x < 0, convert_to_tensor(-math.inf, self.dtype), logs)

    def _z(self, x):
        return maximum(x, 0) / self.scale * math.sqrt(0.5)

    def _cdf(self, x):
        return erf(self._z(x))

    def _survival_function(self, x):
        return erfc(self._z(x))

    def _log_survival_function(self, x):
        return math.log(2) + util.log_ndtr(-maximum(x, 0) / self.scale)

    def _quantile(self, p):
        return math.sqrt(2) * self.scale * erfinv(p)

    def _entropy(self):
        return 0.5 * math.log(math.pi / 2) + 0.5 + log(self.scale)

    def _mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    def _mode(self):
        return 0 * self.scale

    def _variance(self):
        return square(self.scale) * (1 - 2 / math.pi)


@RegisterKL(HalfNormal, HalfNormal)
def _half_normal_divergence(a, b, name=None):
    with name_scope(name, "kl_half_normal_half_normal", [a.scale, b.scale]):
        return log(b.scale) - log(a.scale) + (square(a.scale) / square(b.scale) - 1) / 2
