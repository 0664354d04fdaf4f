"""Weights for the first dimensions of a loss, and its mean over the elements whose weight is not 0."""

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.framework.graph.graph import GraphKeys, add_to_collection, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.losses.collection import get_losses, get_regularization_losses
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones
from tfcore.ops.cwise.binary import div_no_nan, multiply
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import not_equal
from tfcore.ops.cwise.nary import add_n
from tfcore.ops.reduce.reduce import reduce_prod, reduce_sum


@add_arg_scope
def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    """Adds a loss to a collection of the default graph.

    Args:
      loss: A `Tensor`.
      loss_collection: Name of the collection; None for none.

    Raises:
      TypeError: The name cannot be the key of a collection.
    """
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_total_loss(add_regularization_losses=True, name="total_loss"):
    """The sum of the losses in the collection LOSSES and, by default, of those that regularizers added.

    Args:
      add_regularization_losses: Whether to add the losses of regularizers.
      name: Name of the sum.

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: There are no losses, or they differ in type or shape.
    """
    return add_n(get_losses() + (get_regularization_losses() if add_regularization_losses else []), name=name)


def require_ranks(**tensors):
    """Raises ValueError for a tensor of unknown rank."""
    for name, tensor in tensors.items():
        if tensor.shape.ndims is None:
            raise ValueError(f"{name}.get_shape().ndims cannot be None")


def weighted_sum(losses, weights):
    """The sum of losses times weights, which have the first dimensions of the losses."""
    axes = list(range(weights.shape.ndims, losses.shape.ndims))
    return reduce_sum(multiply(reduce_sum(losses, axis=axes), weights))


def number_present(losses, weights):
    """For each example, the number of elements whose weight is not 0."""
    rank = weights.shape.ndims
    present = cast(not_equal(weights, 0), dtypes.float32)
    if rank == 0:
        present = multiply(ones(array.shape(losses)[:1]), present)
        rank = 1
    else:
        present = reduce_sum(present, axis=list(range(1, rank)))
    return multiply(present, cast(reduce_prod(array.shape(losses)[rank:]), dtypes.float32))


def compute_weighted_loss(losses, weights=1.0, scope=None):
    """The weighted sum of losses over the number of those whose weight is not 0.

    Args:
      losses: A `Tensor` of any numeric type, with a first dimension for the examples.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `losses`.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor` of the type of `losses`, which is added to the collection LOSSES.

    Raises:
      ValueError: A rank is unknown, or the shapes don't fit together.

    Example:

    >>> print(sess.run(tf.contrib.losses.compute_weighted_loss([[2.0, 4.0], [9.0, 9.0]], weights=[1.0, 0.0])))
    3.0
    """
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses, weights = cast(losses, dtypes.float32), cast(convert_to_tensor(weights), dtypes.float32)
        require_ranks(losses=losses, weights=weights)
        if weights.shape.ndims > 1 and weights.shape.dims[-1].is_compatible_with(1):
            weights = array.squeeze(weights, [-1])
        count = reduce_sum(number_present(losses, weights))
        mean = cast(div_no_nan(weighted_sum(losses, weights), count, name="value"), dtype)
        add_loss(mean)
        return mean
