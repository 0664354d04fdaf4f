"""The uniform distribution."""

import math

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.compare import logical_or
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import is_nan, log, square
from tfcore.ops.debugging import check
from tfcore.ops.random.random import random_uniform


class Uniform(ScalarDistribution):
    """The uniform distribution on [low, high).

    Args:
      low: The lower bound, included, a floating-point `Tensor`.
      high: The upper bound, excluded, a `Tensor` of the same type.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `low` is not less than `high`.

    Example:

    >>> print(sess.run(tf.distributions.Uniform(0.0, 4.0).prob([1.0, 5.0])))
    [0.25 0.  ]
    """

    _names = ("low", "high")

    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
        parameters = dict(locals())
        with name_scope(name, values=[low, high]) as name:
            message = "uniform not defined when low >= high."
            checks = [check.assert_less(low, high, message=message)] if validate_args else []
            self._low = util.identity_of(low, "low", checks)
            self._high = util.identity_of(high, "high", checks)
            check.assert_same_float_dtype([self._low, self._high])
        super().__init__(
            dtype=self._low.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._low, self._high],
            name=name,
        )

    @property
    def low(self):
        """The lower bound."""
        return self._low

    @property
    def high(self):
        """The upper bound."""
        return self._high

    def range(self, name="range"):
        """The length of the interval.

        Args:
          name: Name of the scope.

        Returns:
          A `Tensor` of the batch shape.
        """
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        return self.low + self.range() * random_uniform(sizes, dtype=self.dtype, seed=seed)

    def _prob(self, x):
        x = x * self._ones()
        density = where_v2(logical_or(x < self.low, x >= self.high), zeros_like(x), ones_like(x) / self.range())
        return where_v2(is_nan(x), x, density)

    def _cdf(self, x):
        inside = (x - self.low) / self.range()
        return where_v2(x >= self.high, ones_like(inside), where_v2(x < self.low, zeros_like(inside), inside))

    def _quantile(self, p):
        return self.low + self.range() * p

    def _entropy(self):
        return log(self.range())

    def _mean(self):
        return (self.low + self.high) / 2.0

    def _variance(self):
        return square(self.range()) / 12.0

    def _stddev(self):
        return self.range() / math.sqrt(12.0)
