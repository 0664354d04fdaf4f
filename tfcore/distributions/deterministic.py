"""Distributions of one value."""

from tfcore.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tfcore.distributions.kullback_leibler import RegisterKL
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import zeros, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import broadcast_to
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.unary import abs as abs_of
from tfcore.ops.debugging import check
from tfcore.ops.reduce.reduce import reduce_all


class _Deterministic(Distribution):
    """The base: `_ndims` dimensions of `loc` are those of an event."""

    _ndims = 0

    def _set_up(self, loc, atol, rtol, validate_args, allow_nan_stats, parameters, name):
        with name_scope(name, values=[loc, atol, rtol]) as name:
            loc = convert_to_tensor(loc, name="loc")
            if self._ndims:
                message = "Argument loc must be at least rank 1."
                if loc.shape.ndims is not None:
                    if loc.shape.ndims < 1:
                        raise ValueError(message)
                elif validate_args:
                    loc = with_dependencies([check.assert_rank_at_least(loc, 1, message=message)], loc)
            self._loc = loc
            self._atol = self._tolerance(atol, "atol", validate_args)
            self._rtol = self._tolerance(rtol, "rtol", validate_args)
        super().__init__(
            dtype=self._loc.dtype,
            reparameterization_type=FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self._loc, self._atol, self._rtol],
            name=name,
        )

    def _tolerance(self, value, name, validate_args):
        if value is None:
            return zeros([], dtype=self._loc.dtype)
        value = convert_to_tensor(value, dtype=self._loc.dtype, name=name)
        if not validate_args:
            return value
        return with_dependencies([check.assert_non_negative(value, message=f'Argument "{name}" must be >= 0')], value)

    @property
    def loc(self):
        """The value."""
        return self._loc

    @property
    def atol(self):
        """How far values may be from `loc`."""
        return self._atol

    @property
    def rtol(self):
        """How far values may be from `loc`, as a part of it."""
        return self._rtol

    def _batch_shape_tensor(self):
        return shape(self.loc)[:-1] if self._ndims else shape(self.loc)

    def _batch_shape(self):
        return self.loc.shape[:-1] if self._ndims else self.loc.shape

    def _event_shape_tensor(self):
        return shape(self.loc)[-1:] if self._ndims else convert_to_tensor([], dtype="int32")

    def _event_shape(self):
        return self.loc.shape[-1:] if self._ndims else TensorShape([])

    def _sample_n(self, n, seed=None):
        return broadcast_to(self.loc, concat([[n], shape(self.loc)], 0))

    def _is_near(self, x):
        slack = self.atol + self.rtol * abs_of(self.loc)
        return abs_of(x - self.loc) <= slack

    def _entropy(self):
        return zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self):
        return self.loc + zeros_like(self.loc)

    def _variance(self):
        return zeros_like(self.loc)

    def _mode(self):
        return self._mean()


class Deterministic(_Deterministic):
    """The distribution of the number `loc`: its probability is 1.

    Args:
      loc: The value, a `Tensor` of numbers.
      atol: How far values may be from `loc`; 0 by default.
      rtol: How far values may be from `loc`, as a part of it; 0 by default.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `atol` or `rtol` is negative.

    Example:

    >>> print(sess.run(tf.contrib.distributions.Deterministic(2.0).prob([1.0, 2.0])))
    [0. 1.]
    """

    def __init__(self, loc, atol=None, rtol=None, validate_args=False, allow_nan_stats=True, name="Deterministic"):
        self._set_up(loc, atol, rtol, validate_args, allow_nan_stats, dict(locals()), name)

    def _prob(self, x):
        return cast(self._is_near(x), self.dtype)

    def _cdf(self, x):
        return cast(x >= self.loc - (self.atol + self.rtol * abs_of(self.loc)), self.dtype)


class VectorDeterministic(_Deterministic):
    """The distribution of the vector `loc`: its probability is 1.

    Args:
      loc: The value, a `Tensor` of shape [..., k].
      atol: How far elements may be from those of `loc`; 0 by default.
      rtol: How far elements may be from those of `loc`, as a part of them; 0 by default.
      validate_args: Whether parameters are checked in each run.
      allow_nan_stats: Whether undefined statistics are NaN; otherwise they are errors when run.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: `loc` is a scalar.
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `atol` or `rtol` is negative, or a value has
        another length.

    Example:

    >>> print(sess.run(tf.contrib.distributions.VectorDeterministic([1.0, 2.0]).prob([[1.0, 2.0], [1.0, 0.0]])))
    [1. 0.]
    """

    _ndims = 1

    def __init__(
        self, loc, atol=None, rtol=None, validate_args=False, allow_nan_stats=True, name="VectorDeterministic"
    ):
        self._set_up(loc, atol, rtol, validate_args, allow_nan_stats, dict(locals()), name)

    def _prob(self, x):
        if self.validate_args:
            message = "Argument x not defined in the same space as parameter loc"
            checks = [
                check.assert_rank_at_least(x, 1),
                check.assert_equal(shape(x)[-1], shape(self.loc)[-1], message=message),
            ]
            x = with_dependencies(checks, x)
        return cast(reduce_all(self._is_near(x), -1), self.dtype)


@RegisterKL(_Deterministic, Distribution)
def _divergence(a, b, name=None):
    with name_scope(name, "kl_deterministic_distribution", [a.loc]):
        return -b.log_prob(a.loc)
