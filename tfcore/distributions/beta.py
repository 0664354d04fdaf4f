"""The beta distribution."""

from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import xlogy
from tfcore.ops.cwise.compare import logical_and
from tfcore.ops.cwise.special import betainc, digamma, lgamma
from tfcore.ops.cwise.unary import log1p
from tfcore.ops.debugging import check
from tfcore.ops.random.sample import random_gamma


class Beta(ScalarDistribution):
    """The beta distribution on (0, 1), with a density proportional to x ** (a - 1) * (1 - x) ** (b - 1).

    Args:
      concentration1: The parameter a, a positive floating-point `Tensor`.
      concentration0: The parameter b, of the type of `concentration1`.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The types differ, or are not floating-point types.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive.

    Example:

    >>> d = tf.distributions.Beta(2.0, 2.0)
    >>> print(sess.run([d.mean(), d.prob(0.5)]))
    [np.float32(0.5), np.float32(1.5)]
    """

    _names = ("concentration1", "concentration0")

    def __init__(
        self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as name:
            self._concentration1 = _positive(concentration1, "concentration1", validate_args)
            self._concentration0 = _positive(concentration0, "concentration0", validate_args)
            check.assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration = self._concentration1 + self._concentration0
        super().__init__(
            dtype=self._total_concentration.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration1, self._concentration0, self._total_concentration],
            name=name,
        )

    @property
    def concentration1(self):
        """The parameter of x."""
        return self._concentration1

    @property
    def concentration0(self):
        """The parameter of 1 - x."""
        return self._concentration0

    @property
    def total_concentration(self):
        """The sum of the two parameters."""
        return self._total_concentration

    def _sample_n(self, n, seed=None):
        ones, kind = self._ones(), self.dtype
        one = random_gamma([n], ones * self.concentration1, dtype=kind, seed=seed)
        zero = random_gamma([n], ones * self.concentration0, dtype=kind, seed=util.gen_new_seed(seed, "beta"))
        return one / (one + zero)

    def _log_prob(self, x):
        if self.validate_args:
            one = convert_to_tensor(1.0, self.dtype)
            checks = [
                check.assert_positive(x, message="sample must be positive"),
                check.assert_less(x, one, message="sample must be less than `1`."),
            ]
            x = with_dependencies(checks, x)
        unnormalized = xlogy(self.concentration1 - 1.0, x) + (self.concentration0 - 1.0) * log1p(-x)
        return unnormalized - self._log_normalization()

    def _cdf(self, x):
        return betainc(self.concentration1, self.concentration0, x)

    def _log_normalization(self):
        return lgamma(self.concentration1) + lgamma(self.concentration0) - lgamma(self.total_concentration)

    def _entropy(self):
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        return (
            self._log_normalization() - (a - 1.0) * digamma(a) - (b - 1.0) * digamma(b) + (total - 2.0) * digamma(total)
        )

    def _mean(self):
        return self.concentration1 / self.total_concentration

    def _variance(self):
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self):
        mode = (self.concentration1 - 1.0) / (self.total_concentration - 2.0)
        if self.allow_nan_stats:
            return util.nan_where_not(logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0), mode)
        one = convert_to_tensor(1.0, self.dtype)
        checks = [
            check.assert_less(one, self.concentration1, message="Mode undefined for concentration1 <= 1."),
            check.assert_less(one, self.concentration0, message="Mode undefined for concentration0 <= 1."),
        ]
        return with_dependencies(checks, mode)


def _positive(value, name, validate):
    value = convert_to_tensor(value, name=name)
    if not validate:
        return value
    return with_dependencies([check.assert_positive(value, message="Concentration parameter must be positive.")], value)


@RegisterKL(Beta, Beta)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_beta_beta"):
        return (
            b._log_normalization()
            - a._log_normalization()
            - digamma(a.concentration1) * (b.concentration1 - a.concentration1)
            - digamma(a.concentration0) * (b.concentration0 - a.concentration0)
            + digamma(a.total_concentration) * (b.total_concentration - a.total_concentration)
        )
