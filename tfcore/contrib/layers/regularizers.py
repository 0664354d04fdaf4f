"""Penalties on weights."""

from tfcore.framework.graph.graph import GraphKeys, add_to_collection, get_collection, name_scope
from tfcore.framework.values.constant import constant
from tfcore.ops.cwise.nary import add_n


def apply_regularization(regularizer, weights_list=None):
    """Adds the sum of the penalties on some weights to the collection REGULARIZATION_LOSSES.

    Args:
      regularizer: A function of a weight that returns a scalar `Tensor`, or None for no loss.
      weights_list: A list of `Tensor`s or `Variable`s; the collection WEIGHTS by default.

    Returns:
      The sum, a scalar `Tensor`.

    Raises:
      ValueError: There are no weights, or a loss is not a scalar.
    """
    weights_list = weights_list or get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with name_scope(None, "get_regularization_penalty", weights_list) as scope:
        penalties = [regularizer(w) for w in weights_list]
        penalties = [constant(0.0) if p is None else p for p in penalties]
        for penalty in penalties:
            if penalty.shape.ndims != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank {penalty.shape.ndims}."
                )
        total = add_n(penalties, name=scope)
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
