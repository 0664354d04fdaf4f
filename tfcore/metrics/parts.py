"""What metrics share: their variables, the shapes of their arguments, their collections."""

from tfcore.composed.confusion_matrix import may_squeeze_last, remove_squeezable_dimensions
from tfcore.framework.graph.graph import GraphKeys, add_to_collections, get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import zeros
from tfcore.ops.control_flow import cond
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.variables.copies import VariableAggregation, VariableSynchronization
from tfcore.variables.variables import Variable


def metric_variable(shape, dtype, validate_shape=True, name=None):
    """A variable of zeros in the collections LOCAL_VARIABLES and METRIC_VARIABLES.

    Args:
      shape: Its shape.
      dtype: Its `DType`.
      validate_shape: Whether its shape is fixed.
      name: Its name.

    Returns:
      A `Variable`.
    """
    return Variable(
        lambda: zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
        name=name,
    )


def add_to(collections, value):
    """Adds a value to collections, if there are any."""
    if collections:
        add_to_collections(collections, value)


def published(value, update, metrics_collections, updates_collections):
    """Adds a value and its update to their collections, and returns the pair."""
    mode = get_default_graph().scopes.strategy_mode
    if mode is not None:  # replicas share the variables, so one value is that of all
        value = mode.value_of_first_replica(value)
    add_to(metrics_collections, value)
    add_to(updates_collections, update)
    return value, update


def match_shapes(predictions, labels, weights):
    """Gives predictions, labels and weights the same rank, by a last dimension of size 1.

    Args:
      predictions: A `Tensor`.
      labels: A `Tensor` of the shape of `predictions`, or with one dimension of size 1 more or less; or None.
      weights: A `Tensor`: a scalar, or of a rank that differs by at most 1; or None.

    Returns:
      A triple of `Tensor`s (None where the argument was).

    Raises:
      ValueError: The static shapes don't fit together.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is not None:
        weights = _match_weights(convert_to_tensor(weights), predictions)
    return predictions, labels, weights


def _match_weights(weights, predictions):
    if weights.dims == ():
        return weights
    if None not in (weights.dims, predictions.dims):
        extra = len(weights.dims) - len(predictions.dims)
        if extra == 1:
            return array.squeeze(weights, [-1])
        return array.expand_dims(weights, [-1]) if extra == -1 else weights
    rank = array.rank(weights)
    extra = rank - array.rank(predictions)

    def squeezed():
        return array.squeeze(weights, [-1]) if may_squeeze_last(weights) else weights

    def expanded():
        return cond.cond(equal(extra, -1), lambda: array.expand_dims(weights, [-1]), lambda: weights)

    return cond.cond(equal(rank, 0), lambda: weights, lambda: cond.cond(equal(extra, 1), squeezed, expanded))


def as_bools(predictions, labels, weights):
    """`match_shapes` of predictions and labels that become boolean: 0 is False."""
    return match_shapes(cast(predictions, dtypes.bool), cast(labels, dtypes.bool), weights)
