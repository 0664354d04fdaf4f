"""The multinomial distribution, and the one whose probabilities are themselves random."""

from tfcore.composed.special import lbeta
from tfcore.distributions import util
from tfcore.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, identity, reshape, shape, transpose
from tfcore.ops.array.constants import ones_like
from tfcore.ops.array.diag import matrix_set_diag
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.control_flow.functional import map_fn
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import log, sqrt
from tfcore.ops.debugging import check
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.softmax import log_softmax
from tfcore.ops.random.sample import multinomial, random_gamma
from tfcore.ops.reduce.reduce import reduce_sum


class Multinomial(Distribution):
    """The distribution of the counts of each class in `total_count` draws.

    Args:
      total_count: Number of draws, a floating-point `Tensor` of the batch shape.
      logits: Unscaled log probabilities of the classes, a `Tensor` of shape [..., K]. Give these or `probs`.
      probs: The probabilities, of the same shape.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Both or none of `logits` and `probs` are given.
      TypeError: They are not floating-point numbers.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: counts are negative or not whole, or don't sum to
        `total_count`.

    Example:

    >>> d = tf.distributions.Multinomial(total_count=4.0, probs=[0.25, 0.75])
    >>> print(sess.run(d.mean()), round(float(sess.run(d.prob([0.0, 4.0]))), 4))
    [1. 3.] 0.3164
    """

    def __init__(
        self,
        total_count,
        logits=None,
        probs=None,
        validate_args=False,
        allow_nan_stats=True,
        name="Multinomial",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as name:
            total_count = convert_to_tensor(total_count, name="total_count")
            self._total_count = util.check_counts(total_count) if validate_args else total_count
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=True)
            self._mean_value = expand_dims(self._total_count, -1) * self._probs
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
        """The number of draws."""
        return self._total_count

    @property
    def logits(self):
        """Unscaled log probabilities of the classes."""
        return self._logits

    @property
    def probs(self):
        """The probabilities of the classes."""
        return self._probs

    def _batch_shape_tensor(self):
        return shape(self._mean_value)[:-1]

    def _batch_shape(self):
        return self._mean_value.shape.with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self):
        return shape(self._mean_value)[-1:]

    def _event_shape(self):
        return self._mean_value.shape.with_rank_at_least(1)[-1:]

    def _sample_n(self, n, seed=None):
        classes = self.event_shape_tensor()[0]
        draws = ones_like(self.logits[..., 0], dtype=dtypes.int32) * cast(self.total_count, dtypes.int32)
        logits = expand_dims(ones_like(draws, dtype=self.logits.dtype), -1) * self.logits

        def sample_of(distribution):
            row, count = distribution
            found = reshape(multinomial(expand_dims(row, 0), n * count, seed), [n, -1])
            return reduce_sum(one_hot(found, depth=classes, dtype=self.dtype), -2)

        rows = [reshape(logits, [-1, classes]), reshape(draws, [-1])]
        counts = transpose(map_fn(sample_of, rows, dtype=self.dtype), [1, 0, 2])
        return reshape(counts, concat([[n], self.batch_shape_tensor(), [classes]], 0))

    def _log_prob(self, counts):
        counts = _checked(self, counts, "counts must sum to `self.total_count`")
        likelihood = reduce_sum(counts * log_softmax(self.logits), -1)
        return likelihood + util.log_combinations(self.total_count, counts)

    def _mean(self):
        return identity(self._mean_value)

    def _variance(self):
        return self._mean_value - self._mean_value * self.probs

    def _covariance(self):
        probs = self.probs * expand_dims(ones_like(self.total_count), -1)
        products = matmul(expand_dims(self._mean_value, -1), expand_dims(probs, -2))
        return matrix_set_diag(-products, self._variance())


class DirichletMultinomial(Distribution):
    """The distribution of the counts of each class in `total_count` draws, whose probabilities are one Dirichlet draw.

    Args:
      total_count: Number of draws, a floating-point `Tensor` of the batch shape.
      concentration: The parameters of the Dirichlet distribution, a positive `Tensor` of shape [..., K].
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: With `validate_args`, there are fewer than two classes.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: a parameter is not positive, or counts don't sum
        to `total_count`.

    Example:

    >>> d = tf.distributions.DirichletMultinomial(2.0, [1.0, 1.0])
    >>> print(sess.run(d.prob([[0.0, 2.0], [1.0, 1.0]])).round(3))
    [0.333 0.333]
    """

    def __init__(
        self,
        total_count,
        concentration,
        validate_args=False,
        allow_nan_stats=True,
        name="DirichletMultinomial",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[total_count, concentration]) as name:
            total_count = convert_to_tensor(total_count, name="total_count")
            self._total_count = util.check_counts(total_count) if validate_args else total_count
            concentration = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                concentration = util.check_classes(concentration)
                message = "Concentration parameter must be positive."
                concentration = with_dependencies(
                    [check.assert_positive(concentration, message=message)], concentration
                )
            self._concentration = concentration
            self._total_concentration = reduce_sum(self._concentration, -1)
        super().__init__(
            dtype=self._concentration.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._total_count, self._concentration],
            name=name,
        )

    @property
    def total_count(self):
        """The number of draws."""
        return self._total_count

    @property
    def concentration(self):
        """The parameters of the Dirichlet distribution."""
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
        count, classes = cast(self.total_count, dtypes.int32), self.event_shape_tensor()[0]
        gamma = random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        draws = multinomial(
            reshape(log(gamma), [-1, classes]), count, seed=util.gen_new_seed(seed, "dirichlet_multinomial")
        )
        counts = reduce_sum(one_hot(draws, depth=classes, dtype=self.dtype), -2)
        return reshape(counts, concat([[n], self.batch_shape_tensor(), [classes]], 0))

    def _log_prob(self, counts):
        counts = _checked(self, counts, "counts last-dimension must sum to `self.total_count`")
        ordered = lbeta(self.concentration + counts) - lbeta(self.concentration)
        return ordered + util.log_combinations(self.total_count, counts)

    def _mean(self):
        return self.total_count * (self.concentration / expand_dims(self.total_concentration, -1))

    def _scale(self):
        total = expand_dims(self.total_concentration, -1)
        return sqrt((1.0 + total / self.total_count) / (1.0 + total))

    def _variance(self):
        scale = self._scale()
        x = scale * self._mean()
        return x * (self.total_count * scale - x)

    def _covariance(self):
        x = self._scale() * self._mean()
        return matrix_set_diag(-matmul(expand_dims(x, -1), expand_dims(x, -2)), self._variance())


def _checked(distribution, counts, message):
    """The counts, with checks that they are possible."""
    if not distribution.validate_args:
        return counts
    counts = util.check_counts(counts)
    same = check.assert_equal(distribution.total_count, reduce_sum(counts, -1), message=message)
    return with_dependencies([same], counts)
