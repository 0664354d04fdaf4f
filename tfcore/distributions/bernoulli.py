"""The Bernoulli distribution."""

from tfcore.distributions import util
from tfcore.distributions.distribution import NOT_REPARAMETERIZED
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.distributions.scalar import ScalarDistribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.ops.array.array import identity
from tfcore.ops.array.constants import ones_like
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import less
from tfcore.ops.cwise.unary import sigmoid
from tfcore.ops.nn.activations import softplus
from tfcore.ops.nn.softmax import sigmoid_cross_entropy_with_logits
from tfcore.ops.random.random import random_uniform


class Bernoulli(ScalarDistribution):
    """The distribution of a coin: 1 with probability `probs`, else 0.

    Args:
      logits: The log-odds log(p / (1 - p)), a floating-point `Tensor`. Give these or `probs`.
      probs: The probabilities of 1.
      dtype: The `DType` of samples.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Both or none of `logits` and `probs` are given.
      TypeError: They are not floating-point numbers.

    Example:

    >>> coin = tf.distributions.Bernoulli(probs=0.25)
    >>> print(sess.run(coin.prob([0, 1])))
    [0.75 0.25]
    """

    _names = ("logits",)

    def __init__(
        self,
        logits=None,
        probs=None,
        dtype=dtypes.int32,
        validate_args=False,
        allow_nan_stats=True,
        name="Bernoulli",
    ):
        parameters = dict(locals())
        with name_scope(name) as name:
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=False)
        super().__init__(
            dtype=dtypes.as_dtype(dtype),
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._logits, self._probs],
            name=name,
        )

    @property
    def logits(self):
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self):
        """The probability of 1."""
        return self._probs

    def _sample_n(self, n, seed=None):
        sizes = concat([[n], self.batch_shape_tensor()], 0)
        return cast(less(random_uniform(sizes, seed=seed, dtype=self.probs.dtype), self.probs), self.dtype)

    def _log_prob(self, event):
        event = util.check_whole(event) if self.validate_args else event
        event = cast(event, self.logits.dtype)
        logits = ones_like(event) * self.logits
        return -sigmoid_cross_entropy_with_logits(labels=ones_like(logits) * event, logits=logits)

    def _entropy(self):
        return -self.logits * (sigmoid(self.logits) - 1) + softplus(-self.logits)

    def _mean(self):
        return identity(self.probs)

    def _variance(self):
        return self.probs * (1.0 - self.probs)

    def _mode(self):
        return cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_bernoulli_bernoulli", [a.logits, b.logits]):
        zero = softplus(-b.logits) - softplus(-a.logits)
        one = softplus(b.logits) - softplus(a.logits)
        return sigmoid(a.logits) * zero + sigmoid(-a.logits) * one
