"""Bijectors of vectors and of shapes."""

import numpy as np

from tfcore.distributions import util
from tfcore.distributions.bijectors.bijector import Bijector
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, as_shape
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import invert_permutation, rank, reshape, shape, size
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.constants import zeros, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.cwise.unary import exp, log
from tfcore.ops.debugging import check
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.nn.activations import softplus
from tfcore.ops.nn.softmax import softmax
from tfcore.ops.reduce.reduce import reduce_logsumexp, reduce_prod, reduce_sum
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.reduce.sort import top_k


class Ordered(Bijector):
    """Takes an increasing vector to any vector: the first element, and the logarithms of the differences.

    Args:
      validate_args: Whether arguments are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      tf.errors.InvalidArgumentError: When run, with `validate_args`: `forward` is given one that does not increase.
    """

    def __init__(self, validate_args=False, name="ordered"):
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _valid(self, x):
        if not self.validate_args:
            return x
        message = "Forward transformation input must be strictly increasing."
        return with_dependencies([check.assert_positive(x[..., 1:] - x[..., :-1], message=message)], x)

    def _forward(self, x):
        x = self._valid(x)
        return concat([x[..., :1], log(x[..., 1:] - x[..., :-1])], -1)

    def _inverse(self, y):
        return cumsum(concat([y[..., :1], exp(y[..., 1:])], -1), axis=-1)

    def _inverse_log_det_jacobian(self, y):
        return reduce_sum(y[..., 1:], -1)

    def _forward_log_det_jacobian(self, x):
        x = self._valid(x)
        return -reduce_sum(log(x[..., 1:] - x[..., :-1]), -1)


class Permute(Bijector):
    """Permutes a dimension.

    Args:
      permutation: An integer vector with each of 0, ..., n - 1 once: y[..., i] = x[..., permutation[i]].
      axis: The dimension, a negative int.
      validate_args: Whether a permutation that is not known statically is checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      TypeError: `permutation` has no integers.
      ValueError: It is not a permutation, or `axis` is not negative.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> print(sess.run(b.Permute([2, 0, 1]).forward([1.0, 2.0, 3.0])))
    [3. 1. 2.]
    """

    def __init__(self, permutation, axis=-1, validate_args=False, name=None):
        with name_scope(name, "permute", values=[permutation]):
            permutation = convert_to_tensor(permutation, name="permutation")
            if not permutation.dtype.is_integer:
                raise TypeError(f"permutation.dtype ({permutation.dtype.name}) should be `int`-like.")
            known = util.constant_value_of(permutation)
            message = "Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`."
            if known is not None:
                if not np.array_equal(np.sort(known), np.arange(known.size)):
                    raise ValueError(message)
            elif validate_args:
                increasing = -top_k(-permutation, k=size(permutation), sorted=True)[0]
                numbers = range_of(size(permutation))
                valid = check.assert_equal(increasing, cast(numbers, permutation.dtype), message=message)
                permutation = with_dependencies([valid], permutation)
            axis = util.constant_value_of(axis)
            if axis is None or axis >= 0:
                raise ValueError(f"`axis` must be negative and known statically (saw: {axis})")
            self._permutation, self._axis = permutation, int(axis)
        super().__init__(
            graph_parents=[permutation],
            forward_min_event_ndims=-self._axis,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "permute",
        )

    @property
    def permutation(self):
        """The permutation, an integer vector."""
        return self._permutation

    @property
    def axis(self):
        """The dimension, a negative int."""
        return self._axis

    def _forward(self, x):
        return gather(x, self.permutation, axis=self.axis)

    def _inverse(self, y):
        return gather(y, invert_permutation(self.permutation), axis=self.axis)

    def _forward_log_det_jacobian(self, x):
        return zeros([], dtype=x.dtype)

    def _inverse_log_det_jacobian(self, y):
        return zeros([], dtype=y.dtype)


class Reshape(Bijector):
    """Gives events another shape.

    Args:
      event_shape_out: The shape of an event of `forward`, an integer vector; one size may be -1.
      event_shape_in: The shape of an event that it is given; [-1] by default.
      validate_args: Whether shapes are checked in each run.
      name: Prefix of the names of the operations.

    Raises:
      TypeError: A shape has no integers.
      ValueError: A shape is not a vector of a known length, or has more than one -1, or shapes have different sizes.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> print(sess.run(b.Reshape([2, 2], [4]).forward([1.0, 2.0, 3.0, 4.0])).tolist())
    [[1.0, 2.0], [3.0, 4.0]]
    """

    def __init__(self, event_shape_out, event_shape_in=(-1,), validate_args=False, name=None):
        with name_scope(name, "reshape", values=[event_shape_out, event_shape_in]):
            given, parents = {"event_shape_out": event_shape_out, "event_shape_in": event_shape_in}, []
            for key, value in given.items():
                given[key] = self._checked_shape(convert_to_tensor(value, dtypes.int32, name=key), key, validate_args)
                parents.append(given[key])
            self._event_shape_out, self._event_shape_in = given["event_shape_out"], given["event_shape_in"]
            known = [util.constant_value_of(value) for value in parents]
            if all(value is not None and (value >= 0).all() for value in known) and len({v.prod() for v in known}) > 1:
                raise ValueError(f"Input/output sizes do not match: {known[1].tolist()} and {known[0].tolist()}")
        super().__init__(
            graph_parents=parents,
            is_constant_jacobian=True,
            validate_args=validate_args,
            forward_min_event_ndims=_length(self._event_shape_in),
            inverse_min_event_ndims=_length(self._event_shape_out),
            name=name or "reshape",
        )

    @staticmethod
    def _checked_shape(sizes, name, validate_args):
        if sizes.shape.ndims != 1 or not sizes.shape.is_fully_defined():
            raise ValueError(f"`{name}` must be a vector whose length is known statically: {sizes}")
        known = util.constant_value_of(sizes)
        if known is not None:
            if (known == -1).sum() > 1:
                raise ValueError(f"`{name}` must have at most one unknown (provided {known.tolist()})")
            if (known < -1).any():
                raise ValueError(f"`{name}` elements must be either positive integers or `-1` (provided "
                                 f"{known.tolist()})")  # fmt: skip
            return sizes
        if not validate_args:
            return sizes
        unknown = reduce_sum(cast(sizes < 0, dtypes.int32))
        checks = [
            check.assert_less_equal(unknown, 1, message=f"`{name}` must have at most one unknown"),
            check.assert_greater_equal(sizes, -1, message=f"`{name}` elements must be positive integers or `-1`"),
        ]
        return with_dependencies(checks, sizes)

    def _reshape(self, value, old, new):
        dims = rank(value) if value.shape.ndims is None else value.shape.ndims
        batch = shape(value)[: dims - _length(old)]
        event = shape(value)[dims - _length(old) :]
        if self.validate_args:
            event = with_dependencies([_assert_fits(event, old)], event)
            batch = with_dependencies([event], batch)
        result = reshape(value, concat([batch, _filled_tensor(event, new)], 0))
        if value.shape.ndims is not None:
            static = self._static(value.shape[value.shape.ndims - _length(old) :], old, new)
            result.set_shape(value.shape[: value.shape.ndims - _length(old)].concatenate(static))
        return result

    def _static(self, event, old, new):
        sizes = TensorShape(constant_value_as_shape(old))
        if not event.is_compatible_with(sizes):
            raise ValueError(f"Input event shape {event} does not match {sizes}.")
        dims = TensorShape(constant_value_as_shape(new)).as_list()
        if dims.count(None) == 1 and event.is_fully_defined() and util.constant_value_of(new) is not None:
            rest = int(np.prod([d for d in dims if d is not None]))
            total = int(np.prod(event.as_list()))
            if rest == 0 or total % rest:
                raise ValueError(f"Cannot reshape an event of shape {event} to {util.constant_value_of(new).tolist()}.")
            dims[dims.index(None)] = total // rest
        return TensorShape(dims)

    def _forward(self, x):
        return self._reshape(x, self._event_shape_in, self._event_shape_out)

    def _inverse(self, y):
        return self._reshape(y, self._event_shape_out, self._event_shape_in)

    def _forward_log_det_jacobian(self, x):
        return zeros([], dtype=x.dtype)

    def _inverse_log_det_jacobian(self, y):
        return zeros([], dtype=y.dtype)

    def _forward_event_shape(self, input_shape):
        return self._changed(input_shape, self._event_shape_in, self._event_shape_out)

    def _inverse_event_shape(self, output_shape):
        return self._changed(output_shape, self._event_shape_out, self._event_shape_in)

    def _changed(self, event, old, new):
        if event.ndims is None:
            return TensorShape([None] * _length(new))
        lead = event.ndims - _length(old)
        if lead < 0:
            raise ValueError(f"Input ndims ({event.ndims}) must be at least {_length(old)}.")
        return event[:lead].concatenate(self._static(event[lead:], old, new))

    def _forward_event_shape_tensor(self, input_shape):
        return self._changed_tensor(input_shape, self._event_shape_in, self._event_shape_out)

    def _inverse_event_shape_tensor(self, output_shape):
        return self._changed_tensor(output_shape, self._event_shape_out, self._event_shape_in)

    def _changed_tensor(self, event, old, new):
        lead = shape(event)[0] - _length(old)
        return concat([event[:lead], _filled_tensor(event[lead:], new)], 0)


def _length(vector):
    return vector.shape.as_list()[0]


def _filled_tensor(event, new):
    """The new shape, with the size for -1 that the old one leaves."""
    known = util.constant_value_of(new)
    if known is not None and (known >= 0).all():
        return new
    rest = -reduce_prod(new)  # -1 once, so that its sign is changed
    return where_v2(new < 0, reduce_prod(event) // where_v2(rest > 0, rest, 1), new)


def _assert_fits(event, sizes):
    return check.assert_equal(where_v2(sizes < 0, event, sizes), event, message="Input event shape does not match.")


class SoftmaxCentered(Bijector):
    """The softmax of a vector with a zero at its end, which has one element more.

    Args:
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.
      event_ndims: How many dimensions log determinants are summed over by default, as before TensorFlow 1.6.

    Example:

    >>> b = tf.contrib.distributions.bijectors
    >>> print(sess.run(b.SoftmaxCentered().forward([0.0])))
    [0.5 0.5]
    """

    def __init__(self, validate_args=False, name="softmax_centered", event_ndims=0):
        self._default_event_ndims = event_ndims
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape):
        return _longer(input_shape, 1)

    def _inverse_event_shape(self, output_shape):
        return _longer(output_shape, -1)

    def _forward_event_shape_tensor(self, input_shape):
        return concat([input_shape[:-1], input_shape[-1:] + 1], 0)

    def _inverse_event_shape_tensor(self, output_shape):
        return concat([output_shape[:-1], output_shape[-1:] - 1], 0)

    def _forward(self, x):
        return softmax(concat([x, zeros_like(x[..., :1])], -1))

    def _inverse(self, y):
        logs = log(y)
        return logs[..., :-1] - logs[..., -1:]

    def _inverse_log_det_jacobian(self, y):
        return -reduce_sum(log(y), -1)

    def _forward_log_det_jacobian(self, x):
        # log(1 + sum(exp(x))), by which each of the n + 1 elements is divided
        total = softplus(reduce_logsumexp(x, -1))
        return reduce_sum(x, -1) - cast(shape(x)[-1] + 1, x.dtype) * total


def _longer(event, by):
    event = as_shape(event)
    if event.ndims is None or event.ndims == 0:
        return event
    *lead, last = event.as_list()
    return TensorShape([*lead, None if last is None else last + by])
