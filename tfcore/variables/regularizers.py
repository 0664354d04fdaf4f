"""Penalties on weights: functions for the `regularizer` argument of get_variable and variable_scope.

Their results go to the collection REGULARIZATION_LOSSES; add `get_regularization_loss()` to the loss.
"""

import math
import numbers

from tfcore.framework.constant import constant
from tfcore.framework.graph import GraphKeys, get_collection, name_scope
from tfcore.ops import cwise_unary
from tfcore.ops.cwise_binary import multiply
from tfcore.ops.cwise_nary import add_n
from tfcore.ops.nn_basic import l2_loss
from tfcore.ops.reduce import reduce_sum

__all__ = []


def _check_scale(scale):
    if isinstance(scale, numbers.Integral) and not isinstance(scale, bool):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0 or math.isnan(scale):
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale}.")


def l1_regularizer(scale, scope=None):
    """`scale` times the sum of absolute values; 0.0 gives no loss."""
    _check_scale(scale)
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return lambda _: None

    def l1(weights):
        with name_scope(scope, "l1_regularizer", [weights]) as name:
            factor = constant(scale, weights.dtype._base, name="scale")
            return multiply(factor, reduce_sum(cwise_unary.abs(weights)), name=name)

    return l1


def l2_regularizer(scale, scope=None):
    """`scale` times half the sum of squares; 0.0 gives no loss."""
    _check_scale(scale)
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return lambda _: None

    def l2(weights):
        with name_scope(scope, "l2_regularizer", [weights]) as name:
            factor = constant(scale, weights.dtype._base, name="scale")
            return multiply(factor, l2_loss(weights), name=name)

    return l2


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """The sum of both penalties."""
    scope = scope or "l1_l2_regularizer"
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list, scope=None):
    """The sum of several regularizers."""
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
