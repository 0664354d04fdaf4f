"""The categorical distribution whose values are one-hot vectors."""

from tfcore.distributions.categorical import Categorical
from tfcore.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tfcore.distributions.kullback_leibler import RegisterKL, kl_divergence
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.ops.array.array import expand_dims, shape
from tfcore.ops.array.diag import matrix_set_diag
from tfcore.ops.cwise.cast import cast
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.nn.softmax import log_softmax
from tfcore.ops.reduce.reduce import reduce_sum


class OneHotCategorical(Distribution):
    """The distribution of vectors with a one for one of several classes, and zeros.

    Args:
      logits: Unscaled log probabilities, a floating-point `Tensor` of shape [..., classes].
      probs: The probabilities, instead of `logits`.
      dtype: The `DType` of samples.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Neither or both of `logits` and `probs` are given.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: the probabilities do not sum to 1.

    Example:

    >>> d = tf.contrib.distributions.OneHotCategorical(probs=[0.25, 0.75])
    >>> print(d.event_shape, sess.run([d.prob([1, 0]), d.mode()]))
    (2,) [np.float32(0.25), array([0, 1], dtype=int32)]
    """

    def __init__(
        self,
        logits=None,
        probs=None,
        dtype=dtypes.int32,
        validate_args=False,
        allow_nan_stats=True,
        name="OneHotCategorical",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as name:
            self._classes = Categorical(logits, probs, dtypes.int32, validate_args, allow_nan_stats)
        super().__init__(
            dtype=dtypes.as_dtype(dtype),
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self.logits, self.probs],
            name=name,
        )

    @property
    def event_size(self):
        """The number of classes, an int32 scalar."""
        return self._classes.event_size

    @property
    def logits(self):
        """Unscaled log probabilities."""
        return self._classes.logits

    @property
    def probs(self):
        """The probabilities."""
        return self._classes.probs

    def _batch_shape_tensor(self):
        return shape(self.logits)[:-1]

    def _batch_shape(self):
        return self.logits.shape[:-1]

    def _event_shape_tensor(self):
        return shape(self.logits)[-1:]

    def _event_shape(self):
        return self.logits.shape[-1:]

    def _one_hot(self, classes):
        return one_hot(classes, self.event_size, dtype=self.dtype)

    def _sample_n(self, n, seed=None):
        return self._one_hot(self._classes.sample(n, seed=seed))

    def _log_prob(self, x):
        return reduce_sum(cast(x, self.logits.dtype) * log_softmax(self.logits), -1)

    def _entropy(self):
        return self._classes.entropy()

    def _mean(self):
        return self.probs

    def _variance(self):
        return self.probs * (1 - self.probs)

    def _covariance(self):
        product = expand_dims(self.probs, -1) * expand_dims(self.probs, -2)
        return matrix_set_diag(-product, self._variance())

    def _mode(self):
        return self._one_hot(self._classes.mode())


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_categorical_categorical", [a.logits, b.logits]):
        return kl_divergence(a._classes, b._classes)
