"""Penalties on weights: functions for the `regularizer` argument of get_variable and variable_scope.

Their results go to the collection REGULARIZATION_LOSSES; add `get_regularization_loss()` to the loss.
"""

import math
import numbers

from tfcore.framework.graph.graph import GraphKeys, get_collection, name_scope
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.cwise import unary as cwise_unary
from tfcore.ops.cwise.binary import multiply
from tfcore.ops.cwise.nary import add_n
from tfcore.ops.nn.basic import l2_loss
from tfcore.ops.reduce.reduce import reduce_sum


def _check_scale(scale, name="scale"):
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0 or math.isnan(scale):
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}.")


def _scaled(scale, scope, default_name, penalty):
    _check_scale(scale)
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return lambda _: None

    def regularize(weights):
        with name_scope(scope, default_name, [weights]) as name:
            factor = convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return multiply(factor, penalty(weights), name=name)

    return regularize


def l1_regularizer(scale, scope=None):
    """A penalty on weights: `scale` times the sum of their absolute values.

    Args:
      scale: A float or scalar `Tensor`; 0.0 for no loss.
      scope: Prefix of the names of the operations.

    Returns:
      A function of the weights that returns a scalar `Tensor`, or None for no loss.

    Raises:
      ValueError: `scale` is an integer or negative.

    Example:

    >>> print(sess.run(tf.contrib.layers.l1_regularizer(0.5)(tf.constant([1.0, -3.0]))))
    2.0
    """
    return _scaled(scale, scope, "l1_regularizer", lambda weights: reduce_sum(cwise_unary.abs(weights)))


def l2_regularizer(scale, scope=None):
    """A penalty on weights: `scale` times half the sum of their squares.

    Args:
      scale: A float or scalar `Tensor`; 0.0 for no loss.
      scope: Prefix of the names of the operations.

    Returns:
      A function of the weights that returns a scalar `Tensor`, or None for no loss.

    Raises:
      ValueError: `scale` is an integer or negative.

    Example:

    >>> print(sess.run(tf.contrib.layers.l2_regularizer(0.5)(tf.constant([1.0, -3.0]))))
    2.5
    """
    return _scaled(scale, scope, "l2_regularizer", l2_loss)


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """The sum of both penalties on weights.

    Args:
      scale_l1: A float or scalar `Tensor`: the scale of the absolute values.
      scale_l2: A float or scalar `Tensor`: the scale of the squares.
      scope: Prefix of the names of the operations.

    Returns:
      A function of the weights that returns a scalar `Tensor`, or None for no loss.

    Raises:
      ValueError: A scale is an integer or negative.
    """
    _check_scale(scale_l1, "scale_l1")
    _check_scale(scale_l2, "scale_l2")
    scope = scope or "l1_l2_regularizer"
    if isinstance(scale_l1, numbers.Real) and scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if isinstance(scale_l2, numbers.Real) and scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list, scope=None):
    """The sum of several penalties on weights.

    Args:
      regularizer_list: A list of functions of the weights that return a loss; None is skipped.
      scope: Prefix of the names of the operations.

    Returns:
      A function of the weights that returns a scalar `Tensor`, or None for no loss; None if there are no functions.

    Raises:
      TypeError: A function can't be called, when the sum is.
    """
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def total(weights):
        with name_scope(scope, "sum_regularizer", [weights]) as name:
            losses = [loss for loss in (r(weights) for r in regularizers) if loss is not None]
            return add_n(losses, name=name) if losses else None

    return total


def get_regularization_losses(scope=None):
    """The collected losses of regularizers (`tf.losses.get_regularization_losses`)."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    """The sum of all regularization losses, 0.0 if there is none."""
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)
