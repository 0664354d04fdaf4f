"""The distribution of a function of a random variable."""

import numpy as np

from tfcore.distributions import util
from tfcore.distributions.bijectors.elementwise import Identity
from tfcore.distributions.distribution import Distribution
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import rank, reshape, shape, size, transpose
from tfcore.ops.array.broadcast import broadcast_static_shape
from tfcore.ops.array.constants import ones_like, zeros
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import tile
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import exp
from tfcore.ops.debugging import check
from tfcore.ops.reduce.reduce import reduce_logsumexp, reduce_prod, reduce_sum


class TransformedDistribution(Distribution):
    """The distribution of bijector.forward(x) for an x of another distribution.

    Args:
      distribution: The `Distribution` of x.
      bijector: A `Bijector`; it must be an increasing function for `cdf` and `survival_function`. The identity by
        default.
      batch_shape: An integer vector: the shape of the batch, if `distribution` is a single one.
      event_shape: An integer vector: the shape of an event, if those of `distribution` are numbers. Its elements are
        drawn independently.
      validate_args: Whether shapes that are not known statically are checked in each run.
      name: Prefix of the names of the operations; by default those of the bijector and the distribution.

    Raises:
      ValueError: A shape is given, and `distribution` has one already; or it is not a vector of positive sizes.

    Example:

    >>> ds = tf.contrib.distributions
    >>> log_normal = ds.TransformedDistribution(ds.Normal(0.0, 1.0), ds.bijectors.Exp())
    >>> print(sess.run(log_normal.cdf(1.0)))
    0.5
    """

    def __init__(self, distribution, bijector=None, batch_shape=None, event_shape=None, validate_args=False, name=None):
        parameters = dict(locals())
        own_name = "" if bijector is None else bijector.name
        with name_scope(name or own_name + distribution.name.rstrip("/").rpartition("/")[2]) as name:
            bijector = Identity(validate_args) if bijector is None else bijector
            scalar = distribution.is_scalar_batch(), distribution.is_scalar_event()
            self._given_batch = _checked_shape(batch_shape, scalar[0], validate_args, "batch_shape")
            self._given_event = _checked_shape(event_shape, scalar[1], validate_args, "event_shape")
        self._distribution, self._bijector = distribution, bijector
        super().__init__(
            dtype=distribution.dtype,
            reparameterization_type=distribution.reparameterization_type,
            validate_args=validate_args,
            allow_nan_stats=distribution.allow_nan_stats,
            parameters=parameters,
            name=name,
        )

    @property
    def distribution(self):
        """The distribution of the argument of the function."""
        return self._distribution

    @property
    def bijector(self):
        """The function."""
        return self._bijector

    # ---- Shapes

    def _batch_shape_tensor(self):
        return self.distribution.batch_shape_tensor() if self._given_batch is None else self._given_batch

    def _batch_shape(self):
        given = self._given_batch
        return self.distribution.batch_shape if given is None else TensorShape(constant_value_as_shape(given))

    def _event_shape_tensor(self):
        given = self.distribution.event_shape_tensor() if self._given_event is None else self._given_event
        return self.bijector.forward_event_shape_tensor(given)

    def _event_shape(self):
        given = self._given_event
        event = self.distribution.event_shape if given is None else TensorShape(constant_value_as_shape(given))
        return self.bijector.forward_event_shape(event)

    def _event_rank(self):
        """The number of dimensions of an event: an int, or a scalar if it is not known statically."""
        known = self.event_shape.ndims
        return size(self.event_shape_tensor()) if known is None else known

    def _given_event_rank(self):
        known = self._given_event.shape.as_list()[0]
        return size(self._given_event) if known is None else known

    # An event of several elements that a batch of distributions draws is at first to the left of the batch.

    def _is_rotated(self):
        return self._given_event is not None and self._given_batch is None and self.distribution.batch_shape.ndims != 0

    def _rotated(self, x, right=False):
        if not self._is_rotated():
            return x
        dims = rank(x) if x.shape.ndims is None else x.shape.ndims
        moved = self._given_event_rank()
        first = dims - moved if right else moved
        if isinstance(dims, int) and isinstance(first, int):
            return transpose(x, [*range(first, dims), *range(first)])
        return transpose(x, concat([range_of(first, dims), range_of(0, first)], 0))

    # ---- Samples

    def _call_sample_n(self, sample_shape, seed, name, **kwargs):
        # The result is what `forward` returned, not a reshaped copy, so that `log_prob` finds its inverse again.
        with self._name_scope(name, [sample_shape]):
            sizes = convert_to_tensor(sample_shape, dtype=dtypes.int32, name="sample_shape")
            if sizes.dims is not None and len(sizes.dims) > 1:
                raise ValueError("Input is neither scalar nor vector.")
            known = util.constant_value_of(sizes)
            if sizes.dims != (None,) and (sizes.dims is None or not sizes.dims):
                sizes = reshape(sizes, [-1])
            count = reduce_prod(sizes) if known is None else int(np.prod(known, dtype=np.int64))
            x = self._base_sample(count, seed, kwargs)
            result = reshape(x, concat([sizes, shape(x)[1:]], 0))
            if known is not None and x.shape.ndims is not None:
                result.set_shape(TensorShape(known.reshape(-1).tolist()).concatenate(x.shape[1:]))
            y = self.bijector.forward(result, **kwargs.get("bijector_kwargs", {}))
            y.set_shape(self._sample_static_shape(known, sizes))
            return y

    def _base_sample(self, n, seed, kwargs):
        own = [one for one in (self._given_batch, self._given_event) if one is not None]
        sizes = concat([*own, [n]] if self._is_rotated() else [[n], *own], 0)
        x = self.distribution.sample(sizes, seed=seed, **kwargs.get("distribution_kwargs", {}))
        return self._rotated(x)

    def _sample_n(self, n, seed=None, **kwargs):
        return self.bijector.forward(self._base_sample(n, seed, kwargs), **kwargs.get("bijector_kwargs", {}))

    # ---- Functions of values

    def _log_prob(self, y, bijector_kwargs=None, distribution_kwargs=None):
        bijector_kwargs, distribution_kwargs = bijector_kwargs or {}, distribution_kwargs or {}
        x = self.bijector.inverse(y, **bijector_kwargs)
        log_dets = self.bijector.inverse_log_det_jacobian(y, self._event_rank(), **bijector_kwargs)
        if isinstance(x, tuple):  # several values have this image
            terms = [self._log_prob_of(*pair, distribution_kwargs) for pair in zip(x, log_dets)]
            return reduce_logsumexp(terms, axis=0)
        result = self._log_prob_of(x, log_dets, distribution_kwargs)
        if self._given_event is not None and y.shape.ndims is not None and self.event_shape.ndims is not None:
            result.set_shape(
                broadcast_static_shape(y.shape[: y.shape.ndims - self.event_shape.ndims], self.batch_shape)
            )
        return result

    def _log_prob_of(self, x, log_det, distribution_kwargs):
        found = self.distribution.log_prob(self._rotated(x, right=True), **distribution_kwargs)
        if self._given_event is None:
            return found + log_det
        count = self._given_event_rank()
        bounds = (0, count) if self._is_rotated() else (-count, 0)
        axes = list(range(*bounds)) if isinstance(count, int) else range_of(*bounds)
        return reduce_sum(found, axes) + log_det

    def _prob(self, y, **kwargs):
        return exp(self._log_prob(y, **kwargs))

    def _of_inverse(self, name, y, bijector_kwargs=None, distribution_kwargs=None):
        if self._given_event is not None:
            raise NotImplementedError(f"{name} is not implemented when overriding event_shape")
        x = self.bijector.inverse(y, **(bijector_kwargs or {}))
        if isinstance(x, tuple):
            raise NotImplementedError(f"{name} is not implemented when `bijector` is not injective.")
        return getattr(self.distribution, name)(x, **(distribution_kwargs or {}))

    def _cdf(self, y, **kwargs):
        return self._of_inverse("cdf", y, **kwargs)

    def _log_cdf(self, y, **kwargs):
        return self._of_inverse("log_cdf", y, **kwargs)

    def _survival_function(self, y, **kwargs):
        return self._of_inverse("survival_function", y, **kwargs)

    def _log_survival_function(self, y, **kwargs):
        return self._of_inverse("log_survival_function", y, **kwargs)

    def _quantile(self, p, bijector_kwargs=None, distribution_kwargs=None):
        if self._given_event is not None:
            raise NotImplementedError("quantile is not implemented when overriding event_shape")
        x = self.distribution.quantile(p, **(distribution_kwargs or {}))
        return self.bijector.forward(x, **(bijector_kwargs or {}))

    # ---- Statistics

    def _over_given_shapes(self, value):
        """A statistic of the other distribution, repeated for the shapes that were given here."""
        event = self.distribution.event_shape_tensor()
        if self._given_batch is not None:
            own = ones_like(self.distribution.batch_shape_tensor())
            value = reshape(value, concat([ones_like(self._given_batch), shape(value)], 0))
            value = tile(value, concat([self._given_batch, own, ones_like(event)], 0))
        if self._given_event is not None:
            lead = shape(value)
            value = reshape(value, concat([lead, ones_like(self._given_event)], 0))
            value = tile(value, concat([ones_like(lead), self._given_event], 0))
        return value

    def _mean(self):
        if not self.bijector.is_constant_jacobian:
            raise NotImplementedError("mean is not implemented for non-affine bijectors")
        result = self.bijector.forward(self._over_given_shapes(self.distribution.mean()))
        result.set_shape(self.batch_shape.concatenate(self.event_shape))
        return result

    def _entropy(self):
        if not self.bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        entropy = self.distribution.entropy()
        if self._given_event is not None:
            entropy *= cast(reduce_prod(self._given_event), entropy.dtype)
        if self._given_batch is not None:
            own = self.distribution.batch_shape_tensor()
            entropy = reshape(entropy, concat([ones_like(self._given_batch), own], 0))
            entropy = tile(entropy, concat([self._given_batch, ones_like(own)], 0))
        # a constant, of any value
        like = zeros(concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0), dtype=self.dtype)
        entropy -= self.bijector.inverse_log_det_jacobian(like, self._event_rank())
        entropy.set_shape(self.batch_shape)
        return entropy


def _checked_shape(given, is_scalar, validate_args, name):
    """A shape that replaces that of the other distribution, or None if it is empty."""
    if given is None:
        return None
    given = convert_to_tensor(given, name=name)
    known = util.constant_value_of(given)
    if known is not None and known.size == 0:
        return None
    if not given.dtype.is_integer:
        raise TypeError("shape override must be an integer")
    given = cast(given, dtypes.int32)
    if given.shape.ndims is not None and given.shape.ndims != 1:
        raise ValueError("shape override must be a vector")
    checks = []
    if known is not None:
        if (known <= 0).any():
            raise ValueError("shape override must have positive elements")
    elif validate_args:
        checks.append(check.assert_positive(given, message="shape override must have positive elements"))
    scalar = util.constant_value_of(is_scalar)
    if scalar is not None and not scalar:
        raise ValueError("base distribution not scalar")
    if scalar is None and validate_args:
        checks.append(check.assert_equal(is_scalar, True, message="base distribution not scalar"))
    return with_dependencies(checks, given) if checks else given
