"""Weights of losses, and their reduction to a scalar."""

from tfcore.composed.weights_broadcast import assert_broadcastable, broadcast_weights
from tfcore.framework.graph.graph import GraphKeys, control_dependencies, get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.losses.collection import add_loss
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like, range, zeros_like
from tfcore.ops.cwise.binary import div_no_nan, multiply
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.cwise.select import where
from tfcore.ops.reduce.reduce import reduce_sum


class Reduction:
    """How a loss per element becomes one number.

    `NONE`: not at all. `SUM`: the weighted sum. `MEAN`: that sum over the sum of the weights.
    `SUM_BY_NONZERO_WEIGHTS`, the default of all losses (also called `SUM_OVER_NONZERO_WEIGHTS`): over the number of
    weights that are not 0. `SUM_OVER_BATCH_SIZE`: over the number of elements.
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls):
        """All reductions.

        Returns:
          A tuple of strings.
        """
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key):
        """Checks that a value is a reduction.

        Args:
          key: A string.

        Raises:
          ValueError: It is not one.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def number_of_elements(losses):
    """The number of elements, in their type."""
    with name_scope(None, "num_elements", [losses]) as scope:
        return cast(array.size(losses, name=scope), losses.dtype)


def number_present(losses, weights, per_example=False):
    """The number of elements whose weight is not 0; with `per_example` for each index of the first dimension."""
    if weights.dims == () and constant_value(weights) and not per_example:
        return number_of_elements(losses)  # the usual case: one weight for all, known and not 0
    with name_scope(None, "num_present", [losses, weights]) as scope:
        present = where(equal(weights, 0.0), zeros_like(weights), ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_example:
            return reduce_sum(present, axis=range(1, array.rank(present)), keepdims=True, name=scope)
        return reduce_sum(present, name=scope)


def compute_weighted_loss(
    losses,
    weights=1.0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """Weights a loss per element and reduces it.

    Args:
      losses: A `Tensor` of any numeric type and shape.
      weights: A `Tensor` or number: a scalar, or of the rank of `losses`, each dimension 1 or as in `losses`.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the result joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A `Tensor` of the type of `losses`: a scalar, or of the shape of `losses` if `reduction` is NONE.

    Raises:
      ValueError: The weights don't fit, or `reduction` is unknown.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.

    Example:

    >>> print(sess.run(tf.losses.compute_weighted_loss([2.0, 4.0, 9.0], weights=[1.0, 1.0, 0.0])))
    3.0
    """
    Reduction.validate(reduction)
    mode = get_default_graph().scopes.strategy_mode
    if mode is not None:
        mode.note_reduction(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        with control_dependencies([assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            dtype = losses.dtype
            losses, weights = cast(losses, dtypes.float32), cast(weights, dtypes.float32)
            loss = multiply(losses, weights)
            if reduction != Reduction.NONE:
                loss = reduce_sum(loss)
            if reduction == Reduction.MEAN:
                loss = _mean(loss, reduce_sum(ones_like(losses) * weights))
            elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                loss = _mean(loss, number_present(losses, weights))
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                loss = _mean(loss, number_of_elements(losses))
            loss = cast(loss, dtype)
            add_loss(loss, loss_collection)
            return loss


def _mean(total, count):
    return div_no_nan(total, count, name="value")
