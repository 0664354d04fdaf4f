"""Distributions of loc + scale * z for numbers z of a fixed distribution: Cauchy, Gumbel, logistic."""

import math

import numpy as np

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.special import lgamma
from tfcore.ops.cwise.unary import atan, exp, expm1, log, log1p, sigmoid, square, tan
from tfcore.ops.debugging import check
from tfcore.ops.nn.activations import softplus
from tfcore.ops.random.random import random_uniform

_EULER = float(np.euler_gamma)


class LocationScale(ScalarDistribution):
    """The base: a subclass has the functions of z."""

    _names = ("loc", "scale")

    def _set_up(self, loc, scale, validate_args, allow_nan_stats, parameters, name):
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
        """What is added to z."""
        return self._loc

    @property
    def scale(self):
        """The factor of z."""
        return self._scale

    def _z(self, x):
        with name_scope("standardize", values=[x]):
            return (x - self.loc) / self.scale

    def _uniform(self, n, seed, least=None):
        """Numbers between `least`, by default the smallest one above 0, and 1."""
        least = np.finfo(self.dtype.as_numpy_dtype).tiny if least is None else least
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        return random_uniform(sizes, minval=least, maxval=1.0, dtype=self.dtype, seed=seed)

    def _everywhere(self, value):
        return value * self._ones()


class Cauchy(LocationScale):
    """The Cauchy distribution, which has neither a mean nor a variance.

    Args:
      loc: The median and mode, a floating-point `Tensor`.
      scale: Half the distance of the quartiles, a positive `Tensor` of the type of `loc`.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Cauchy(1.0, 2.0).cdf([1.0, 3.0])))
    [0.5  0.75]
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Cauchy"):
        self._set_up(loc, scale, validate_args, allow_nan_stats, dict(locals()), name)

    def _sample_n(self, n, seed=None):
        return self._quantile(self._uniform(n, seed, 0.0))

    def _log_prob(self, x):
        return -log1p(square(self._z(x))) - (math.log(math.pi) + log(self.scale))

    def _cdf(self, x):
        z = self._z(x)
        # far to the left 0.5 would absorb the angle
        left = z < -1
        return where_v2(left, -atan(1 / where_v2(left, z, -1)) / math.pi, atan(z) / math.pi + 0.5)

    def _log_cdf(self, x):
        return log(self._cdf(x))

    def _survival_function(self, x):
        return self._cdf(2 * self.loc - x)

    def _log_survival_function(self, x):
        return log(self._survival_function(x))

    def _quantile(self, p):
        return self.loc + self.scale * tan(math.pi * (p - 0.5))

    def _entropy(self):
        return self._everywhere(math.log(4 * math.pi) + log(self.scale))

    def _mode(self):
        return self._everywhere(self.loc)

    def _undefined(self, name):
        if self.allow_nan_stats:
            return self._everywhere(convert_to_tensor(math.nan, self.dtype))
        raise ValueError(f"`{name}` is undefined for Cauchy distribution.")

    def _mean(self):
        return self._undefined("mean")

    def _variance(self):
        return self._undefined("variance")

    def _stddev(self):
        return self._undefined("stddev")


class Gumbel(LocationScale):
    """The Gumbel distribution of maxima, with the distribution function exp(-exp(-(x - loc) / scale)).

    Args:
      loc: The mode, a floating-point `Tensor`.
      scale: The scale, a positive `Tensor` of the type of `loc`.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Gumbel(1.0, 2.0).mode()))
    1.0
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Gumbel"):
        self._set_up(loc, scale, validate_args, allow_nan_stats, dict(locals()), name)

    def _sample_n(self, n, seed=None):
        return self._quantile(self._uniform(n, seed))

    def _log_prob(self, x):
        z = self._z(x)
        return -(z + exp(-z)) - log(self.scale)

    def _log_cdf(self, x):
        return -exp(-self._z(x))

    def _cdf(self, x):
        return exp(self._log_cdf(x))

    def _survival_function(self, x):
        return -expm1(self._log_cdf(x))

    def _quantile(self, p):
        return self.loc - self.scale * log(-log(p))

    def _entropy(self):
        return self._everywhere(1 + log(self.scale) + _EULER)

    def _mean(self):
        return self._everywhere(self.loc + self.scale * _EULER)

    def _stddev(self):
        return self._everywhere(self.scale * (math.pi / math.sqrt(6)))

    def _mode(self):
        return self._everywhere(self.loc)


@RegisterKL(Gumbel, Gumbel)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_gumbel_gumbel", [a.loc, b.loc]):
        ratio, distance = a.scale / b.scale, (a.loc - b.loc) / b.scale
        spread = exp(-distance + lgamma(ratio + 1.0))
        return log(b.scale) - log(a.scale) + _EULER * (ratio - 1.0) + distance + spread - 1.0


class Logistic(LocationScale):
    """The logistic distribution, with the distribution function sigmoid((x - loc) / scale).

    Args:
      loc: The mean, a floating-point `Tensor`.
      scale: The scale, a positive `Tensor` of the type of `loc`.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Logistic(1.0, 2.0).cdf(1.0)))
    0.5
    """

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Logistic"):
        self._set_up(loc, scale, validate_args, allow_nan_stats, dict(locals()), name)

    def _sample_n(self, n, seed=None):
        return self._quantile(self._uniform(n, seed))

    def _log_prob(self, x):
        z = self._z(x)
        return -z - 2 * softplus(-z) - log(self.scale)

    def _log_cdf(self, x):
        return -softplus(-self._z(x))

    def _cdf(self, x):
        return sigmoid(self._z(x))

    def _log_survival_function(self, x):
        return -softplus(self._z(x))

    def _survival_function(self, x):
        return sigmoid(-self._z(x))

    def _quantile(self, p):
        return self.loc + self.scale * (log(p) - log1p(-p))

    def _entropy(self):
        return self._everywhere(2 + log(self.scale))

    def _mean(self):
        return self._everywhere(self.loc)

    def _stddev(self):
        return self._everywhere(self.scale * (math.pi / math.sqrt(3)))

    def _mode(self):
        return self._everywhere(self.loc)
