"""Student's t distribution."""

import math

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import identity
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.special import betainc, digamma, lgamma
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.cwise.unary import log, log1p, rsqrt, square
from tfcore.ops.debugging import check
from tfcore.ops.random.random import random_normal
from tfcore.ops.random.sample import random_gamma


class StudentT(ScalarDistribution):
    """Student's t distribution, moved by `loc` and scaled by `scale`.

    Args:
      df: The degrees of freedom, a positive floating-point `Tensor`.
      loc: The mean, if it exists, a `Tensor` of the type of `df`.
      scale: The scale, a `Tensor` of the type of `df`; not the standard deviation.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `df` is not positive.

    Example:

    >>> print(sess.run(tf.distributions.StudentT(4.0, 0.0, 1.0).variance()))
    2.0
    """

    _names = ("df", "loc", "scale")

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT"):
        parameters = dict(locals())
        with name_scope(name, values=[df, loc, scale]) as name:
            checks = [check.assert_positive(df)] if validate_args else []
            self._df = util.identity_of(df, "df", checks)
            self._loc = util.identity_of(loc, "loc", checks)
            self._scale = util.identity_of(scale, "scale", checks)
            check.assert_same_float_dtype([self._df, self._loc, self._scale])
        super().__init__(
            dtype=self._scale.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._df, self._loc, self._scale],
            name=name,
        )

    @property
    def df(self):
        """The degrees of freedom."""
        return self._df

    @property
    def loc(self):
        """The location."""
        return self._loc

    @property
    def scale(self):
        """The scale."""
        return self._scale

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        normal = random_normal(sizes, dtype=self.dtype, seed=seed)
        df = self.df * self._ones()
        squares = random_gamma([n], 0.5 * df, 0.5, dtype=self.dtype, seed=util.gen_new_seed(seed, "student_t"))
        return normal * rsqrt(squares / df) * self.scale + self.loc

    def _log_prob(self, x):
        y = (x - self.loc) / self.scale
        half = 0.5 * (self.df + 1.0)
        normalization = (
            log(abs_of(self.scale))
            + 0.5 * log(self.df)
            + 0.5 * math.log(math.pi)
            + lgamma(0.5 * self.df)
            - lgamma(half)
        )
        return -half * log1p(square(y) / self.df) - normalization

    def _cdf(self, x):
        y = (x - self.loc) / abs_of(self.scale)
        tail = 0.5 * betainc(0.5 * self.df, 0.5, self.df / (square(y) + self.df))
        return where_v2(y < 0.0, tail, 1.0 - tail)

    def _entropy(self):
        df = self.df * self._ones()
        half = 0.5 * (df + 1.0)
        log_beta = lgamma(0.5 * df) + 0.5 * math.log(math.pi) - lgamma(half)
        return log(abs_of(self.scale)) + 0.5 * log(df) + log_beta + half * (digamma(half) - digamma(0.5 * df))

    def _defined(self, name, values):
        """The values where df > 1."""
        if self.allow_nan_stats:
            return util.nan_where_not(self.df > 1.0, values)
        one = convert_to_tensor(1.0, self.dtype)
        message = f"{name} not defined for components of df <= 1"
        return with_dependencies([check.assert_less(one, self.df, message=message)], values)

    def _mean(self):
        return self._defined("mean", self.loc * self._ones())

    def _variance(self):
        finite = self.df > 2.0
        rest = where_v2(finite, self.df - 2.0, convert_to_tensor(1.0, self.dtype))
        variance = self._ones() * square(self.scale) * self.df / rest
        infinite = convert_to_tensor(math.inf, self.dtype)
        return self._defined("variance", where_v2(finite, variance, infinite))

    def _mode(self):
        return identity(self.loc)
