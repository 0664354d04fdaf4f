"""The inverse gamma distribution, and the chi-squared distribution."""

from tfcore.distributions import util
from tfcore.distributions.distribution import NOT_REPARAMETERIZED
from tfcore.distributions.gamma import Gamma
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.special import digamma, igammac, lgamma
from tfcore.ops.cwise.unary import log, square
from tfcore.ops.debugging import check
from tfcore.ops.random.sample import random_gamma


class InverseGamma(ScalarDistribution):
    """The distribution of 1 / x for an x with the gamma distribution.

    Args:
      concentration: A positive floating-point `Tensor`.
      rate: The scale, a positive `Tensor` of the same type.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive.

    Example:

    >>> d = tf.contrib.distributions.InverseGamma(3.0, 2.0)
    >>> print(sess.run([d.mean(), d.mode()]))
    [np.float32(1.0), np.float32(0.5)]
    """

    _names = ("concentration", "rate")

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="InverseGamma"):
        parameters = dict(locals())
        with name_scope(name, values=[concentration, rate]) as name:
            checks = [check.assert_positive(concentration), check.assert_positive(rate)] if validate_args else []
            self._concentration = util.identity_of(concentration, "concentration", checks)
            self._rate = util.identity_of(rate, "rate", checks)
            check.assert_same_float_dtype([self._concentration, self._rate])
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
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
        """The rate of the gamma distribution of 1 / x, which is the scale of this one."""
        return self._rate

    def _sample_n(self, n, seed=None):
        return 1.0 / random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _checked(self, x):
        return with_dependencies([check.assert_positive(x)], x) if self.validate_args else x

    def _log_prob(self, x):
        x, a = self._checked(x), self.concentration
        return a * log(self.rate) - lgamma(a) - (1.0 + a) * log(x) - self.rate / x

    def _cdf(self, x):
        return igammac(self.concentration, self.rate / self._checked(x))

    def _entropy(self):
        a = self.concentration
        return a + log(self.rate) + lgamma(a) - (1.0 + a) * digamma(a)

    def _mean(self):
        return self._defined_above(1.0, self.rate / (self.concentration - 1.0), "mean")

    def _variance(self):
        a = self.concentration
        return self._defined_above(2.0, square(self.rate) / square(a - 1.0) / (a - 2.0), "variance")

    def _defined_above(self, least, values, name):
        if self.allow_nan_stats:
            return util.nan_where_not(self.concentration > least, values)
        message = f"{name} undefined when any concentration <= {least:g}"
        least = convert_to_tensor(least, self.dtype)
        return with_dependencies([check.assert_less(least, self.concentration, message=message)], values)

    def _mode(self):
        return self.rate / (1.0 + self.concentration)


class Chi2(Gamma):
    """The chi-squared distribution: that of the sum of `df` squares of standard normal numbers.

    Args:
      df: The degrees of freedom, a positive floating-point `Tensor`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `df` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Chi2(3.0).mean()))
    3.0
    """

    _names = ("df",)

    def __init__(self, df, validate_args=False, allow_nan_stats=True, name="Chi2"):
        parameters = dict(locals())
        with name_scope(name, values=[df]) as name:
            self._df = util.identity_of(df, "df", [check.assert_positive(df)] if validate_args else [])
            half = convert_to_tensor(0.5, self._df.dtype)
            super().__init__(half * self._df, half, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    @property
    def df(self):
        """The degrees of freedom."""
        return self._df
