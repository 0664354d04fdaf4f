"""The Laplace distribution."""

import math

import numpy as np

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import exp, log, log1p, sign
from tfcore.ops.debugging import check
from tfcore.ops.random.random import random_uniform


class Laplace(ScalarDistribution):
    """The Laplace distribution, with the density exp(-abs(x - loc) / scale) / (2 * scale).

    Args:
      loc: The mean, a floating-point `Tensor`.
      scale: A positive `Tensor` of the type of `loc`.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `scale` is not positive.

    Example:

    >>> print(sess.run(tf.distributions.Laplace(0.0, 1.0).prob(0.0)))
    0.5
    """

    _names = ("loc", "scale")

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace"):
        parameters = dict(locals())
        with name_scope(name, values=[loc, scale]) as name:
            checks = [check.assert_positive(scale)] if validate_args else []
            self._loc = util.identity_of(loc, "loc", checks)
            self._scale = util.identity_of(scale, "scale", checks)
            check.assert_same_float_dtype([self._loc, self._scale])
        super().__init__(
            dtype=self._loc.dtype,
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
        """The mean distance from the mean."""
        return self._scale

    def _sample_n(self, n, seed=None):
        kind = self.dtype.as_numpy_dtype
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        # not from -1, where the logarithm is infinite
        least = np.nextafter(kind(-1.0), kind(0.0))
        u = random_uniform(sizes, minval=least, maxval=1.0, dtype=self.dtype, seed=seed)
        return self.loc - self.scale * sign(u) * log1p(-abs_of(u))

    def _z(self, x):
        return (x - self.loc) / self.scale

    def _log_prob(self, x):
        return -abs_of(self._z(x)) - (math.log(2.0) + log(self.scale))

    def _cdf(self, x):
        z = self._z(x)
        return 0.5 + 0.5 * sign(z) * (1.0 - exp(-abs_of(z)))

    def _log_cdf(self, x):
        return util.log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x):
        return util.log_cdf_laplace(-self._z(x))

    def _entropy(self):
        return math.log(2.0) + 1.0 + log(self.scale * self._ones())

    def _mean(self):
        return self.loc * self._ones()

    def _stddev(self):
        return math.sqrt(2.0) * self.scale * self._ones()

    def _mode(self):
        return self._mean()
