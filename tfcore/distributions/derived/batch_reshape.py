"""A distribution whose batch has another shape."""

import numpy as np

from tfcore.distributions import util
from tfcore.distributions.distribution import Distribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import rank, reshape, shape, size
from tfcore.ops.array.broadcast import broadcast_dynamic_shape
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import broadcast_to
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.debugging import check
from tfcore.ops.reduce.reduce import reduce_prod, reduce_sum


class BatchReshape(Distribution):
    """A batch of distributions in another shape.

    Args:
      distribution: The `Distribution`.
      batch_shape: The shape of the batch, an integer vector; one size may be -1.
      validate_args: Whether sizes that are not known statically are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The shape is not a vector, has more than one -1, or another number of elements.

    Example:

    >>> ds = tf.contrib.distributions
    >>> print(ds.BatchReshape(ds.Normal([0.0, 1.0, 2.0, 3.0], 1.0), [2, -1]).batch_shape)
    (2, 2)
    """

    def __init__(self, distribution, batch_shape, validate_args=False, allow_nan_stats=True, name=None):
        parameters = dict(locals())
        self._distribution = distribution
        with name_scope(name or "BatchReshape" + distribution.name.rstrip("/").rpartition("/")[2]) as name:
            given = convert_to_tensor(batch_shape, dtype=dtypes.int32, name="batch_shape")
            self._new_shape, self._static_new_shape = self._calculate(given, validate_args)
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    def _calculate(self, given, validate_args):
        """The shape without -1, as a tensor and as a TensorShape."""
        if given.shape.ndims is not None and given.shape.ndims != 1:
            raise ValueError("`batch_shape` must be a vector.")
        old, known = self.distribution.batch_shape, util.constant_value_of(given)
        if known is not None:
            if (known < -1).any():
                raise ValueError("`batch_shape` elements must be >=-1.")
            if (known == -1).sum() > 1:
                raise ValueError("`batch_shape` elements must have at most one `-1`.")
            if old.is_fully_defined():
                total, rest = int(np.prod(old.as_list())), int(np.prod(known[known >= 0]))
                sizes = [total // max(rest, 1) if d == -1 else int(d) for d in known]
                new = int(np.prod(sizes))
                if new != total:
                    raise ValueError(
                        f"`batch_shape` size ({new}) must match `distribution.batch_shape` size ({total})."
                    )
                return convert_to_tensor(sizes, dtype=dtypes.int32), TensorShape(sizes)
        total = reduce_prod(self.distribution.batch_shape_tensor())
        unknown = cast(given < 0, dtypes.int32)
        rest = reduce_prod(where_v2(given < 0, 1, given))
        sizes = where_v2(given < 0, total // where_v2(rest > 0, rest, 1), given)
        if validate_args:
            checks = [
                check.assert_greater_equal(given, -1, message="`batch_shape` elements must be >=-1."),
                check.assert_less_equal(reduce_sum(unknown), 1, message="`batch_shape` has more than one `-1`."),
                check.assert_equal(reduce_prod(sizes), total, message="`batch_shape` size must match that before."),
            ]
            sizes = with_dependencies(checks, sizes)
        return sizes, TensorShape(constant_value_as_shape(given))

    @property
    def distribution(self):
        """The distribution whose batch has the shape from before."""
        return self._distribution

    def _batch_shape_tensor(self):
        return self._new_shape

    def _batch_shape(self):
        return self._static_new_shape

    def _event_shape_tensor(self):
        return self.distribution.event_shape_tensor()

    def _event_shape(self):
        return self.distribution.event_shape

    # ---- From one shape to the other

    def _sample_n(self, n, seed=None):
        x = self.distribution.sample(n, seed=seed)
        return reshape(x, concat([[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0))

    def _old_value(self, x):
        """(a value for the batch as it was before, the shape of a result for the new one)."""
        event, batch = self.event_shape_tensor(), self.batch_shape_tensor()
        expected = size(batch) + size(event)
        # a value of fewer dimensions is one for all distributions of the batch
        padded = broadcast_to(x, broadcast_dynamic_shape(shape(x), concat([batch, event], 0)))
        lead = shape(padded)[: rank(padded) - expected]
        old = concat([lead, self.distribution.batch_shape_tensor(), event], 0)
        return reshape(padded, old), concat([lead, batch], 0)

    def _of_old(self, function, x):
        old, new = self._old_value(x)
        result = reshape(function(old), new)
        event, batch = self.event_shape.ndims, self.batch_shape
        if x.shape.ndims is not None and event is not None and batch.ndims is not None:
            lead = x.shape.ndims - event - batch.ndims
            result.set_shape(x.shape[: max(lead, 0)].concatenate(batch))
        return result

    def _log_prob(self, x):
        return self._of_old(self.distribution.log_prob, x)

    def _prob(self, x):
        return self._of_old(self.distribution.prob, x)

    def _log_cdf(self, x):
        return self._of_old(self.distribution.log_cdf, x)

    def _cdf(self, x):
        return self._of_old(self.distribution.cdf, x)

    def _log_survival_function(self, x):
        return self._of_old(self.distribution.log_survival_function, x)

    def _survival_function(self, x):
        return self._of_old(self.distribution.survival_function, x)

    def _statistic(self, value, *event):
        result = reshape(value, concat([self.batch_shape_tensor(), *event], 0))
        if not event:
            result.set_shape(self.batch_shape)
        return result

    def _entropy(self):
        return self._statistic(self.distribution.entropy())

    def _mean(self):
        return self._statistic(self.distribution.mean(), self.event_shape_tensor())

    def _mode(self):
        return self._statistic(self.distribution.mode(), self.event_shape_tensor())

    def _stddev(self):
        return self._statistic(self.distribution.stddev(), self.event_shape_tensor())

    def _variance(self):
        return self._statistic(self.distribution.variance(), self.event_shape_tensor())

    def _covariance(self):
        event = self.event_shape_tensor()
        return self._statistic(self.distribution.covariance(), event, event)
