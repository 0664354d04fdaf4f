"""Distributions of counts: Poisson, binomial, negative binomial, geometric."""

import numpy as np

from tfcore.distributions import util
from tfcore.distributions.distribution import NOT_REPARAMETERIZED
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum, xlogy
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.special import betainc, igammac, lgamma
from tfcore.ops.cwise.unary import exp, expm1, floor, log, log1p
from tfcore.ops.debugging import check
from tfcore.ops.nn.activations import softplus
from tfcore.ops.random.random import random_uniform
from tfcore.ops.random.sample import random_gamma, random_poisson


class Poisson(ScalarDistribution):
    """The Poisson distribution of the number of events in some time.

    Args:
      rate: The mean, a positive floating-point `Tensor`.
      log_rate: The logarithm of the mean, instead of `rate`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `rate` and `log_rate` are given.
      TypeError: The type is not a floating-point type.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `rate` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Poisson(2.0).prob([0.0, 1.0])).round(3))
    [0.135 0.271]
    """

    _names = ("rate",)

    def __init__(self, rate=None, log_rate=None, validate_args=False, allow_nan_stats=True, name="Poisson"):
        parameters = dict(locals())
        with name_scope(name, values=[rate, log_rate]) as name:
            if (rate is None) == (log_rate is None):
                raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
            given = convert_to_tensor(log_rate if rate is None else rate, name="log_rate" if rate is None else "rate")
            if not given.dtype.is_floating:
                raise TypeError(f"rate.dtype ({given.dtype.name}) is not a a float-type.")
            if rate is None:
                self._log_rate, self._rate = given, exp(given)
            else:
                self._rate = util.identity_of(given, "rate", [check.assert_positive(given)] if validate_args else [])
                self._log_rate = log(self._rate, name="log_rate")
        super().__init__(
            dtype=self._rate.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._rate],
            name=name,
        )

    @property
    def rate(self):
        """The mean."""
        return self._rate

    @property
    def log_rate(self):
        """The logarithm of the mean."""
        return self._log_rate

    def _sample_n(self, n, seed=None):
        return random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

    def _log_prob(self, x):
        x = util.check_counts(x) if self.validate_args else x
        return x * self.log_rate - lgamma(1.0 + x) - self.rate

    def _cdf(self, x):
        if self.validate_args:
            x = with_dependencies([check.assert_non_negative(x)], x)
        below = igammac(1.0 + floor(maximum(x, 0)), self.rate)
        return where_v2(x < 0, convert_to_tensor(0.0, self.dtype), below)

    def _mean(self):
        return self.rate * self._ones()

    def _variance(self):
        return self._mean()

    def _mode(self):
        return floor(self.rate)


class Binomial(ScalarDistribution):
    """The binomial distribution: the number of successes in `total_count` trials. As in TensorFlow, it has no samples.

    Args:
      total_count: The number of trials, a floating-point `Tensor` of whole numbers.
      logits: Log odds of success, a `Tensor` of the same type.
      probs: Probability of success, instead of `logits`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `logits` and `probs` are given.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a count is negative or not whole, or a probability
        is not between 0 and 1.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Binomial(2.0, probs=0.5).prob([0.0, 1.0, 2.0])).round(3))
    [0.25 0.5  0.25]
    """

    _names = ("total_count", "probs")

    def __init__(
        self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Binomial"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as name:
            total_count = convert_to_tensor(total_count, name="total_count")
            self._total_count = util.check_counts(total_count) if validate_args else total_count
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=False)
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=name,
        )

    @property
    def total_count(self):
        """The number of trials."""
        return self._total_count

    @property
    def logits(self):
        """Log odds of success."""
        return self._logits

    @property
    def probs(self):
        """Probability of success."""
        return self._probs

    def _counts(self, x):
        if not self.validate_args:
            return x
        message = "counts must be itemwise less than `total_count` parameter."
        x = util.check_counts(x)
        return with_dependencies([check.assert_less_equal(x, self.total_count, message=message)], x)

    def _log_prob(self, x):
        x, n = self._counts(x), self.total_count
        combinations = lgamma(1.0 + n) - lgamma(1.0 + x) - lgamma(1.0 + n - x)
        return x * log(self.probs) + (n - x) * log1p(-self.probs) + combinations

    def _cdf(self, x):
        x, n = self._counts(x), self.total_count * self._ones()
        x = x + 0 * n
        inside = where_v2(x < n, x, n - 1)
        probability = betainc(n - inside, inside + 1, 1 - self.probs + 0 * inside)
        return where_v2(x < n, probability, convert_to_tensor(1.0, self.dtype))

    def _mean(self):
        return self.total_count * self.probs

    def _variance(self):
        return self._mean() * (1 - self.probs)

    def _mode(self):
        return floor((1.0 + self.total_count) * self.probs)


class NegativeBinomial(ScalarDistribution):
    """The negative binomial distribution: the number of successes before `total_count` failures.

    Args:
      total_count: The number of failures, a positive floating-point `Tensor`.
      logits: Log odds of success, a `Tensor` of the same type.
      probs: Probability of success, instead of `logits`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `logits` and `probs` are given.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `total_count` is not positive, a probability is
        not between 0 and 1, or a value is not a whole number from 0.

    Example:

    >>> print(sess.run(tf.contrib.distributions.NegativeBinomial(2.0, probs=0.5).prob([0.0, 1.0])).round(3))
    [0.25 0.25]
    """

    _names = ("total_count", "probs")

    def __init__(
        self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="NegativeBinomial"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=False)
            total_count = convert_to_tensor(total_count, dtype=self._probs.dtype)
            checks = [check.assert_positive(total_count)] if validate_args else []
            self._total_count = util.identity_of(total_count, "total_count", checks)
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._logits, self._probs],
            name=name,
        )

    @property
    def total_count(self):
        """The number of failures."""
        return self._total_count

    @property
    def logits(self):
        """Log odds of success."""
        return self._logits

    @property
    def probs(self):
        """Probability of success."""
        return self._probs

    def _sample_n(self, n, seed=None):
        # Poisson numbers whose mean is drawn from a gamma distribution
        rate = random_gamma([n], self.total_count, exp(-self.logits), dtype=self.dtype, seed=seed)
        return random_poisson(rate, [], dtype=self.dtype, seed=util.gen_new_seed(seed, "negative_binom"))

    def _counts(self, x):
        return util.check_counts(x) if self.validate_args else x

    def _log_prob(self, x):
        x, n = self._counts(x), self.total_count
        # log(probs) and log(1 - probs), also where one of them is 0 in this precision
        weighted = -n * softplus(self.logits) - x * softplus(-self.logits)
        return weighted - (lgamma(1.0 + x) + lgamma(n) - lgamma(n + x))

    def _cdf(self, x):
        if self.validate_args:
            x = with_dependencies([check.assert_non_negative(x)], x)
        x = floor(x) + 0 * self.probs
        inside = betainc(self.total_count + 0 * x, 1.0 + maximum(x, 0), 1 - self.probs + 0 * x)
        return where_v2(x < 0, convert_to_tensor(0.0, self.dtype), inside)

    def _mean(self):
        return self.total_count * exp(self.logits)

    def _variance(self):
        return self._mean() / (1 - self.probs)

    def _mode(self):
        return maximum(convert_to_tensor(0.0, self.dtype), floor(exp(self.logits) * (self.total_count - 1.0)))


class Geometric(ScalarDistribution):
    """The geometric distribution: the number of failures before the first success.

    Args:
      logits: Log odds of success, a floating-point `Tensor`.
      probs: Probability of success, instead of `logits`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `logits` and `probs` are given.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a probability is not positive, or a value is not a
        whole number from 0.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Geometric(probs=0.5).prob([0.0, 1.0])))
    [0.5  0.25]
    """

    _names = ("probs",)

    def __init__(self, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Geometric"):
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=False)
            checks = [check.assert_positive(self._probs)] if validate_args else []
            self._probs = util.identity_of(self._probs, "probs", checks)
        super().__init__(
            dtype=self._probs.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._probs, self._logits],
            name=name,
        )

    @property
    def logits(self):
        """Log odds of success."""
        return self._logits

    @property
    def probs(self):
        """Probability of success."""
        return self._probs

    def _sample_n(self, n, seed=None):
        # not from 0, whose logarithm is infinite
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        uniform = random_uniform(sizes, minval=least, maxval=1.0, seed=seed, dtype=self.dtype)
        return floor(log(uniform) / log1p(-self.probs))

    def _cdf(self, x):
        if self.validate_args:
            x = with_dependencies([check.assert_non_negative(x)], x)
        else:
            x = floor(x)
        below = -expm1((1.0 + maximum(x, 0)) * log1p(-self.probs))
        return where_v2(x < 0, convert_to_tensor(0.0, self.dtype), below)

    def _log_prob(self, x):
        x = util.check_counts(x) if self.validate_args else floor(x)
        x = x + 0 * self.probs
        return xlogy(x, 1 - self.probs) + log(self.probs)

    def _entropy(self):
        p = self.probs
        return -(xlogy(1 - p, 1 - p) + xlogy(p, p)) / p

    def _mean(self):
        return exp(-self.logits)

    def _variance(self):
        return self._mean() / self.probs

    def _mode(self):
        return 0 * self.probs
