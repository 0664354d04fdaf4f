"""The categorical distribution."""

from tfcore.distributions import util
from tfcore.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, rank, reshape, shape, transpose
from tfcore.ops.array.constants import ones, ones_like, sequence_mask
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.binary import multiply
from tfcore.ops.cwise.cast import cast
from tfcore.ops.nn.softmax import log_softmax, softmax, sparse_softmax_cross_entropy_with_logits
from tfcore.ops.random.sample import multinomial
from tfcore.ops.reduce.arg import argmax
from tfcore.ops.reduce.reduce import reduce_sum


class Categorical(Distribution):
    """The distribution of a die: class k of 0, ..., K - 1 with probability `probs[..., k]`.

    Args:
      logits: Unscaled log probabilities, a floating-point `Tensor` of shape [..., K]. Give these or `probs`.
      probs: The probabilities, of the same shape.
      dtype: The `DType` of samples.
      validate_args: Whether parameters and values are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: Both or none of `logits` and `probs` are given, or they are scalars.
      TypeError: They are not floating-point numbers.

    Example:

    >>> d = tf.distributions.Categorical(probs=[0.2, 0.3, 0.5])
    >>> print(sess.run([d.prob(2), d.mode()]))
    [np.float32(0.5), np.int32(2)]
    """

    def __init__(
        self,
        logits=None,
        probs=None,
        dtype=dtypes.int32,
        validate_args=False,
        allow_nan_stats=True,
        name="Categorical",
    ):
        parameters = dict(locals())
        with name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(logits, probs, validate_args, classes=True)
            self._logits.shape.with_rank_at_least(1)
            dims = self._logits.dims
            if dims is not None and dims[-1] is not None:
                self._event_size = convert_to_tensor(dims[-1], dtype=dtypes.int32, name="event_size")
            else:
                self._event_size = shape(self._logits)[-1]
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
    def event_size(self):
        """The number of classes, an int32 scalar."""
        return self._event_size

    @property
    def logits(self):
        """Unscaled log probabilities."""
        return self._logits

    @property
    def probs(self):
        """The probabilities."""
        return self._probs

    def _batch_shape_tensor(self):
        return shape(self.logits)[:-1]

    def _batch_shape(self):
        return self.logits.shape[:-1]

    def _event_shape_tensor(self):
        return convert_to_tensor([], dtype=dtypes.int32)

    def _event_shape(self):
        return TensorShape([])

    def _sample_n(self, n, seed=None):
        rows = self.logits if self.logits.shape.ndims == 2 else reshape(self.logits, [-1, self.event_size])
        kind = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        draws = multinomial(rows, n, seed=seed, output_dtype=kind)
        return cast(reshape(transpose(draws), concat([[n], self.batch_shape_tensor()], 0)), self.dtype)

    def _broadcast(self, k, parameter):
        """Classes and parameters of the same batch shape."""
        k = util.check_whole(k) if self.validate_args else k
        if k.dtype.is_floating:
            k = cast(k, dtypes.int32)
        elif not k.dtype.is_integer:
            raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({self.dtype})")
        if not (k.shape.is_fully_defined() and parameter.shape[:-1].is_fully_defined() and k.shape == self.batch_shape):
            parameter = parameter * expand_dims(ones_like(k, dtype=parameter.dtype), -1)
            k = multiply(k, ones(shape(parameter)[:-1], dtype=k.dtype))
            k.set_shape(parameter.shape[:-1])
        return k, parameter

    def _cdf(self, k):
        k, probs = self._broadcast(k, self.probs)
        return reduce_sum(cast(sequence_mask(k, self.event_size), probs.dtype) * probs, -1)

    def _log_prob(self, k):
        k, logits = self._broadcast(k, self.logits)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self):
        return -reduce_sum(log_softmax(self.logits) * self.probs, -1)

    def _mode(self):
        mode = cast(argmax(self.logits, axis=rank(self.logits) - 1), self.dtype)
        mode.set_shape(self.batch_shape)
        return mode


@RegisterKL(Categorical, Categorical)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_categorical_categorical", [a.logits, b.logits]):
        return reduce_sum(softmax(a.logits) * (log_softmax(a.logits) - log_softmax(b.logits)), -1)
