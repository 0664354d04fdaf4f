"""Continuous relaxations of the Bernoulli and the one-hot categorical distribution."""

from tfcore.distributions import scales, util
from tfcore.distributions.bijectors.elementwise import Exp, Sigmoid
from tfcore.distributions.derived.transformed import TransformedDistribution
from tfcore.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tfcore.distributions.location_scale import Gumbel, Logistic
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.broadcast import broadcast_dynamic_shape, broadcast_static_shape
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.special import lgamma
from tfcore.ops.cwise.unary import exp, log
from tfcore.ops.debugging import check
from tfcore.ops.nn.softmax import log_softmax
from tfcore.ops.reduce.reduce import reduce_sum


def _positive(temperature, dtype, validate_args):
    temperature = convert_to_tensor(temperature, dtype=dtype, name="temperature")
    return with_dependencies([check.assert_positive(temperature)], temperature) if validate_args else temperature


class RelaxedBernoulli(TransformedDistribution):
    """The distribution of sigmoid((logits + z) / temperature), for a z of the standard logistic distribution.

    Args:
      temperature: A positive floating-point `Tensor`; near 0, samples are near 0 or 1.
      logits: Log odds of 1, a floating-point `Tensor`.
      probs: The probability of 1, instead of `logits`.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `logits` and `probs` are given.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `temperature` is not positive.

    Example:

    >>> print(sess.run(tf.contrib.distributions.RelaxedBernoulli(0.5, probs=0.5).cdf(0.5)))
    0.5
    """

    def __init__(
        self, temperature, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="RelaxedBernoulli"
    ):
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as name:
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=False)
            self._temperature = _positive(temperature, self._logits.dtype, validate_args)
            base = Logistic(
                self._logits / self._temperature, 1.0 / self._temperature, allow_nan_stats=allow_nan_stats,
            )  # fmt: skip
            super().__init__(base, Sigmoid(validate_args=validate_args), validate_args=validate_args, name=name)
        self._parameters = parameters

    @property
    def temperature(self):
        """How far samples are from 0 and 1."""
        return self._temperature

    @property
    def logits(self):
        """Log odds of 1."""
        return self._logits

    @property
    def probs(self):
        """The probability of 1."""
        return self._probs


class ExpRelaxedOneHotCategorical(Distribution):
    """The distribution of log_softmax((logits + z) / temperature), for a vector z of standard Gumbel numbers.

    Args:
      temperature: A positive floating-point `Tensor` of the shape of the batch.
      logits: Unscaled log probabilities, a floating-point `Tensor` of shape [..., classes].
      probs: The probabilities, instead of `logits`.
      dtype: The `DType` of samples; by default that of the probabilities.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `logits` and `probs` are given.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `temperature` is not positive, or a value is not
        the logarithm of a vector whose sum is 1.
    """

    def __init__(
        self,
        temperature,
        logits=None,
        probs=None,
        dtype=None,
        validate_args=False,
        allow_nan_stats=True,
        name="ExpRelaxedOneHotCategorical",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as name:
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=True)
            self._temperature = _positive(temperature, self._logits.dtype, validate_args)
            size = scales.last_dimension(self._logits)
            self._event_size = convert_to_tensor(size, dtype=dtypes.int32, name="event_size")
        super().__init__(
            dtype=self._logits.dtype if dtype is None else dtypes.as_dtype(dtype),
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs, self._temperature],
            name=name,
        )

    @property
    def event_size(self):
        """The number of classes, an int32 scalar."""
        return self._event_size

    @property
    def temperature(self):
        """How far samples are from one-hot vectors."""
        return self._temperature

    @property
    def logits(self):
        """Unscaled log probabilities."""
        return self._logits

    @property
    def probs(self):
        """The probabilities."""
        return self._probs

    def _batch_shape_tensor(self):
        return broadcast_dynamic_shape(shape(self.temperature), shape(self.logits)[:-1])

    def _batch_shape(self):
        return broadcast_static_shape(self.temperature.shape, self.logits.shape[:-1])

    def _event_shape_tensor(self):
        return shape(self.logits)[-1:]

    def _event_shape(self):
        return self.logits.shape[-1:]

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        kind = self.logits.dtype
        noise = Gumbel(zeros([], dtype=kind), ones([], dtype=kind)).sample(sizes, seed=seed)
        return cast(log_softmax((self.logits + noise) / expand_dims(self.temperature, -1)), self.dtype)

    def _log_prob(self, x):
        x = cast(x, self.logits.dtype)
        if self.validate_args:
            total = reduce_sum(exp(x), -1)
            one = ones([], dtype=total.dtype)
            message = "Input must be in log-simplex: exp of it must sum to 1."
            x = with_dependencies([check.assert_near(total, one, message=message, atol=1e-4)], x)
        count = cast(self.event_size, x.dtype)
        constant = lgamma(count) + (count - 1.0) * log(self.temperature)
        return constant + reduce_sum(log_softmax(self.logits - x * expand_dims(self.temperature, -1)), -1)


class RelaxedOneHotCategorical(TransformedDistribution):
    """The distribution of softmax((logits + z) / temperature), for a vector z of standard Gumbel numbers.

    Args:
      temperature: A positive floating-point `Tensor` of the shape of the batch; near 0, samples are near one-hot
        vectors.
      logits: Unscaled log probabilities, a floating-point `Tensor` of shape [..., classes].
      probs: The probabilities, instead of `logits`.
      dtype: The `DType` of samples; by default that of the probabilities.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `logits` and `probs` are given.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `temperature` is not positive.

    Example:

    >>> d = tf.contrib.distributions.RelaxedOneHotCategorical(0.5, probs=[0.2, 0.3, 0.5])
    >>> print(d.event_shape, sess.run(tf.reduce_sum(d.sample(seed=1))).round(5))
    (3,) 1.0
    """

    def __init__(
        self,
        temperature,
        logits=None,
        probs=None,
        dtype=None,
        validate_args=False,
        allow_nan_stats=True,
        name="RelaxedOneHotCategorical",
    ):
        parameters = dict(locals())
        base = ExpRelaxedOneHotCategorical(temperature, logits, probs, dtype, validate_args, allow_nan_stats)
        super().__init__(base, Exp(validate_args=validate_args), validate_args=validate_args, name=name)
        self._parameters = parameters

    @property
    def event_size(self):
        """The number of classes, an int32 scalar."""
        return self.distribution.event_size

    @property
    def temperature(self):
        """How far samples are from one-hot vectors."""
        return self.distribution.temperature

    @property
    def logits(self):
        """Unscaled log probabilities."""
        return self.distribution.logits

    @property
    def probs(self):
        """The probabilities."""
        return self.distribution.probs
