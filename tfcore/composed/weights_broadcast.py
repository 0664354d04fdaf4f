"""Weights of losses and metrics: a scalar, or a tensor that differs from the values in dimensions of size 1 only."""

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like
from tfcore.ops.control_flow import cond, control
from tfcore.ops.cwise.binary import multiply
from tfcore.ops.cwise.compare import equal, logical_or
from tfcore.ops.debugging import check
from tfcore.ops.reduce.reduce import reduce_all

_REFUSED = "weights can not be broadcast to values."


def assert_broadcastable(weights, values):
    """An operation that fails unless weights are a scalar or broadcast to values of the same rank.

    Args:
      weights: A `Tensor` of any type.
      values: A `Tensor` of any type.

    Returns:
      The `Operation`; it does nothing if the static shapes suffice.

    Raises:
      ValueError: By their static shapes the weights don't fit.
      tf.errors.InvalidArgumentError: The same at run time.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        with name_scope(None, "weights", [weights]) as name:
            weights = convert_to_tensor(weights, name=name)
        with name_scope(None, "values", [values]) as name:
            values = convert_to_tensor(values, name=name)
        if weights.dims == () and values.dims is not None:
            return control.no_op(name="static_scalar_check_success")
        if None not in (weights.dims, values.dims):
            _check_static(weights, values)
            if None not in (*weights.dims, *values.dims):
                return control.no_op(name="static_dims_check_success")
        return _dynamic_check(weights, values, scope)


def _check_static(weights, values):
    received = f" Received weights={weights}, values={values}"
    if len(weights.dims) != len(values.dims):
        raise ValueError(
            f"{_REFUSED} values.rank={len(values.dims)}. weights.rank={len(weights.dims)}. values.shape={values.shape}."
            f" weights.shape={weights.shape}.{received}"
        )
    if None in (*weights.dims, *values.dims):
        return
    for i, (weight, value) in enumerate(zip(weights.dims, values.dims)):
        if weight not in (1, value):
            raise ValueError(
                f"{_REFUSED} Mismatch at dim {i}. values.shape={list(values.dims)}, weights.shape={list(weights.dims)}."
                f"{received}"
            )


def _dynamic_check(weights, values, scope):
    weights_shape, values_shape = array.shape(weights), array.shape(values)
    is_scalar = equal(0, array.rank(weights), name="is_scalar")

    def dimensions_fit():
        return reduce_all(logical_or(equal(weights_shape, 1), equal(weights_shape, values_shape)))

    if None not in (weights.dims, values.dims):
        fits = dimensions_fit()
    else:
        same_rank = equal(array.rank(values), array.rank(weights), name="is_same_rank")
        fits = cond.cond(same_rank, dimensions_fit, lambda: is_scalar, name="is_valid_shape")
    data = [_REFUSED, "weights.shape=", weights.name, weights_shape, "values.shape=", values.name, values_shape]
    return check.Assert(fits, [*data, "is_scalar=", is_scalar], name=scope)


def broadcast_weights(weights, values):
    """Weights of the shape of the values.

    Args:
      weights: A `Tensor` of the type of the values: a scalar, or of their rank, each dimension 1 or as in the values.
      values: A `Tensor`.

    Returns:
      A `Tensor` of the shape and type of the values.

    Raises:
      ValueError: By their static shapes the weights don't fit.
      tf.errors.InvalidArgumentError: The same at run time.
    """
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        if weights.shape.is_fully_defined() and weights.dims == values.dims:
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return multiply(weights, ones_like(values), name=scope)
