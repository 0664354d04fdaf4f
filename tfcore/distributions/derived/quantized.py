"""Whole numbers from a continuous distribution."""

import math

from tfcore.distributions import util
from tfcore.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum, minimum
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import ceil, exp, floor, log1p
from tfcore.ops.debugging import check


class QuantizedDistribution(Distribution):
    """The distribution of ceil(x), cut off at `low` and `high`, for an x of another distribution.

    Args:
      distribution: The `Distribution` of x, which has numbers as events and `cdf`.
      low: A whole number: the least value (optional).
      high: A whole number: the greatest value (optional).
      validate_args: Whether `low`, `high` and values are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a number is not whole, or `low` is not less than
        `high`.

    Example:

    >>> ds = tf.contrib.distributions
    >>> print(sess.run(ds.QuantizedDistribution(ds.Uniform(0.0, 4.0)).prob([1.0, 2.0])))
    [0.25 0.25]
    """

    def __init__(self, distribution, low=None, high=None, validate_args=False, name="QuantizedDistribution"):
        parameters = dict(locals())
        self._distribution = distribution
        with name_scope(name, values=[low, high]) as name:
            low = None if low is None else convert_to_tensor(low, dtype=distribution.dtype, name="low")
            high = None if high is None else convert_to_tensor(high, dtype=distribution.dtype, name="high")
            self._checks_whole = validate_args
            self._low = None if low is None else self._whole(low)
            self._high = None if high is None else self._whole(high)
            if validate_args and low is not None and high is not None:
                message = "low must be strictly less than high."
                self._low = with_dependencies([check.assert_less(low, high, message=message)], self._low)
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    @property
    def distribution(self):
        """The continuous distribution."""
        return self._distribution

    @property
    def low(self):
        """The least value, or None."""
        return self._low

    @property
    def high(self):
        """The greatest value, or None."""
        return self._high

    def _whole(self, value):
        return util.check_whole(value, "value has non-integer components.") if self._checks_whole else value

    def _batch_shape_tensor(self):
        return self.distribution.batch_shape_tensor()

    def _batch_shape(self):
        return self.distribution.batch_shape

    def _event_shape_tensor(self):
        return self.distribution.event_shape_tensor()

    def _event_shape(self):
        return self.distribution.event_shape

    def _sample_n(self, n, seed=None):
        with name_scope("transform"):
            values = ceil(self.distribution.sample(n, seed=seed))
            values = values if self.low is None else maximum(values, self.low)
            return values if self.high is None else minimum(values, self.high)

    def _cut(self, function, j, below, above):
        """A function of x <= j or x > j, with its limits where j is outside of [low, high)."""
        result = function(j)
        j = j + zeros_like(result)
        if self.low is not None:
            result = where_v2(j < self.low, below * ones_like(result), result)
        if self.high is not None:
            result = where_v2(j >= self.high, above * ones_like(result), result)
        return result

    def _cdf(self, y):
        return self._cut(self.distribution.cdf, floor(y), 0.0, 1.0)

    def _log_cdf(self, y):
        return self._cut(self.distribution.log_cdf, floor(y), -math.inf, 0.0)

    def _survival_function(self, y):
        return self._cut(self.distribution.survival_function, ceil(y), 1.0, 0.0)

    def _log_survival_function(self, y):
        return self._cut(self.distribution.log_survival_function, ceil(y), 0.0, -math.inf)

    # Differences are taken on the side of the median where they lose less.

    def _prob(self, y):
        y = self._whole(y)
        above, below = self.survival_function(y), self.cdf(y)
        right = self.survival_function(y - 1) - above
        return where_v2(above < below, right, below - self.cdf(y - 1))

    def _log_prob(self, y):
        y = self._whole(y)
        above, below = self.log_survival_function(y), self.log_cdf(y)
        right = above < below
        large = where_v2(right, self.log_survival_function(y - 1), below)
        small = where_v2(right, above, self.log_cdf(y - 1))
        return _log_difference(large, small)


def _log_difference(large, small):
    """log(exp(large) - exp(small))."""
    # of two infinite numbers the difference would be NaN
    gap = where_v2(small > -math.inf, small - where_v2(small > -math.inf, large, ones_like(large)), -math.inf)
    return large + log1p(-exp(gap))
