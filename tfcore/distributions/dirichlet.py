"""The Dirichlet distribution."""

from tfcore.composed.special import lbeta
from tfcore.distributions import util
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.diag import matrix_set_diag
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import xlogy
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.special import digamma
from tfcore.ops.cwise.unary import rsqrt
from tfcore.ops.debugging import check
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.random.sample import random_gamma
from tfcore.ops.reduce.reduce import reduce_all, reduce_sum


class Dirichlet(Distribution):
    """The Dirichlet distribution of K probabilities, with a density proportional to the product of x ** (a - 1).

    Args:
      concentration: The parameters a, a positive floating-point `Tensor` of shape [..., K].
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: With `validate_args`, there are fewer than two classes.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive.

    Example:

    >>> d = tf.distributions.Dirichlet([1.0, 1.0, 2.0])
    >>> print(sess.run(d.mean()))
    [0.25 0.25 0.5 ]
    """

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
        parameters = dict(locals())
        with name_scope(name, values=[concentration]) as name:
            concentration = convert_to_tensor(concentration, name="concentration")
            self._concentration = _checked(concentration) if validate_args else concentration
            self._total_concentration = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._concentration, self._total_concentration],
            name=name,
        )

    @property
    def concentration(self):
        """The parameters."""
        return self._concentration

    @property
    def total_concentration(self):
        """The sum of the parameters of each distribution."""
        return self._total_concentration

    def _batch_shape_tensor(self):
        return shape(self.total_concentration)

    def _batch_shape(self):
        return self.total_concentration.shape

    def _event_shape_tensor(self):
        return shape(self.concentration)[-1:]

    def _event_shape(self):
        return self.concentration.shape.with_rank_at_least(1)[-1:]

    def _sample_n(self, n, seed=None):
        draws = random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return draws / reduce_sum(draws, -1, keepdims=True)

    def _log_prob(self, x):
        if self.validate_args:
            one = convert_to_tensor(1.0, self.dtype)
            checks = [
                check.assert_positive(x, message="samples must be positive"),
                check.assert_near(one, reduce_sum(x, -1), message="sample last-dimension must sum to `1`"),
            ]
            x = with_dependencies(checks, x)
        return reduce_sum(xlogy(self.concentration - 1.0, x), -1) - lbeta(self.concentration)

    def _classes(self):
        return cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self):
        a, total = self.concentration, self.total_concentration
        return lbeta(a) + (total - self._classes()) * digamma(total) - reduce_sum((a - 1.0) * digamma(a), -1)

    def _mean(self):
        return self.concentration / expand_dims(self.total_concentration, -1)

    def _scale(self):
        return rsqrt(1.0 + expand_dims(self.total_concentration, -1))

    def _variance(self):
        scale = self._scale()
        x = scale * self._mean()
        return x * (scale - x)

    def _covariance(self):
        x = self._scale() * self._mean()
        return matrix_set_diag(-matmul(expand_dims(x, -1), expand_dims(x, -2)), self._variance())

    def _mode(self):
        mode = (self.concentration - 1.0) / (expand_dims(self.total_concentration, -1) - self._classes())
        if self.allow_nan_stats:
            return util.nan_where_not(reduce_all(self.concentration > 1.0, -1, keepdims=True), mode)
        one = convert_to_tensor(1.0, self.dtype)
        message = "Mode undefined when any concentration <= 1"
        return with_dependencies([check.assert_less(one, self.concentration, message=message)], mode)


def _checked(concentration):
    checks = [
        check.assert_positive(concentration, message="Concentration parameter must be positive."),
        check.assert_rank_at_least(concentration, 1, message="Concentration parameter must have >=1 dimensions."),
        check.assert_less(1, shape(concentration)[-1], message="Concentration parameter must have event_size >= 2."),
    ]
    return with_dependencies(checks, concentration)


@RegisterKL(Dirichlet, Dirichlet)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_dirichlet_dirichlet", [a.concentration, b.concentration]):
        slope = digamma(a.concentration) - digamma(reduce_sum(a.concentration, -1, keepdims=True))
        difference = a.concentration - b.concentration
        return reduce_sum(difference * slope, -1) - lbeta(a.concentration) + lbeta(b.concentration)
