"""A distribution with dimensions of the batch as dimensions of an event."""

from tfcore.distributions import util
from tfcore.distributions.distribution import Distribution
from tfcore.distributions.kullback_leibler import RegisterKL, kl_divergence
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.debugging import check
from tfcore.ops.reduce.reduce import reduce_sum


class Independent(Distribution):
    """Treats the last batch dimensions of a distribution as event dimensions.

    Args:
      distribution: The `Distribution`.
      reinterpreted_batch_ndims: How many dimensions of its batch are those of an event: an int or an integer scalar; by
        default all but the first one.
      validate_args: Whether numbers that are not known statically are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The batch has fewer dimensions.

    Example:

    >>> ds = tf.contrib.distributions
    >>> d = ds.Independent(ds.Normal([[0.0, 1.0, 2.0]], 1.0), 1)
    >>> print(d.batch_shape, d.event_shape)
    (1,) (3,)
    """

    def __init__(self, distribution, reinterpreted_batch_ndims=None, validate_args=False, name=None):
        parameters = dict(locals())
        self._distribution = distribution
        with name_scope(name or "Independent" + distribution.name.rstrip("/").rpartition("/")[2]) as name:
            if reinterpreted_batch_ndims is None:
                known = distribution.batch_shape.ndims
                reinterpreted_batch_ndims = (
                    maximum(0, shape(distribution.batch_shape_tensor())[0] - 1) if known is None else max(0, known - 1)
                )
            ndims = convert_to_tensor(reinterpreted_batch_ndims, dtype=dtypes.int32, name="reinterpreted_batch_ndims")
            known = util.constant_value_of(ndims)
            self._reinterpreted_batch_ndims = ndims if known is None else int(known)
            self._check_ndims(ndims, known, validate_args)
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    def _check_ndims(self, ndims, known, validate_args):
        rank = self.distribution.batch_shape.ndims
        message = "reinterpreted_batch_ndims({}) cannot exceed distribution.batch_ndims({})"
        if known is not None and rank is not None:
            if known > rank:
                raise ValueError(message.format(known, rank))
        elif validate_args:
            rank = shape(self.distribution.batch_shape_tensor())[0]
            message = "reinterpreted_batch_ndims cannot exceed distribution.batch_ndims"
            checked = with_dependencies([check.assert_less_equal(ndims, rank, message=message)], ndims)
            self._reinterpreted_batch_ndims = checked

    @property
    def distribution(self):
        """The distribution whose batch this one divides."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self):
        """How many dimensions of its batch are those of an event."""
        return self._reinterpreted_batch_ndims

    def _batch_shape_tensor(self):
        batch = self.distribution.batch_shape_tensor()
        return batch[: shape(batch)[0] - self.reinterpreted_batch_ndims]

    def _batch_shape(self):
        return self._parts()[0]

    def _event_shape_tensor(self):
        batch = self.distribution.batch_shape_tensor()
        return concat(
            [batch[shape(batch)[0] - self.reinterpreted_batch_ndims :], self.distribution.event_shape_tensor()], 0
        )

    def _event_shape(self):
        return self._parts()[1]

    def _parts(self):
        batch, ndims = self.distribution.batch_shape, self.reinterpreted_batch_ndims
        if batch.ndims is None or not isinstance(ndims, int):
            return TensorShape(None), TensorShape(None)
        first = batch.ndims - ndims
        return batch[:first], batch[first:].concatenate(self.distribution.event_shape)

    def _sample_n(self, n, seed=None):
        return self.distribution.sample(n, seed=seed)

    def _sum(self, value):
        ndims = self.reinterpreted_batch_ndims
        return reduce_sum(value, list(range(-ndims, 0)) if isinstance(ndims, int) else range_of(-ndims, 0))

    def _log_prob(self, x):
        return self._sum(self.distribution.log_prob(x))

    def _entropy(self):
        return self._sum(self.distribution.entropy())

    def _mean(self):
        return self.distribution.mean()

    def _variance(self):
        return self.distribution.variance()

    def _stddev(self):
        return self.distribution.stddev()

    def _mode(self):
        return self.distribution.mode()


@RegisterKL(Independent, Independent)
def _divergence(a, b, name="kl_independent"):
    """The sum of the divergences of the independent elements."""
    p, q = a.distribution, b.distribution
    if not (a.event_shape.is_fully_defined() and b.event_shape.is_fully_defined()):
        raise ValueError("Event shapes are not static.")
    if a.event_shape != b.event_shape:
        raise ValueError("Event shapes do not match.")
    if p.event_shape != q.event_shape:
        raise NotImplementedError("KL between Independents with different event shapes not supported.")
    count = a.event_shape.ndims - p.event_shape.ndims
    with name_scope(name or "kl_independent"):
        return reduce_sum(kl_divergence(p, q), list(range(-count, 0)))
