"""True and false positives and negatives, precision and recall of boolean predictions."""

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import as_bools, metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.cwise.binary import divide, multiply
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, greater, logical_and
from tfcore.ops.cwise.select import where
from tfcore.ops.debugging.check import assert_rank_in, assert_type
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.ops.state.state import assign_add
from tfcore.variables.variable_scope import variable_scope


def _count(condition, weights, metrics_collections, updates_collections):
    """The total weight of the elements for which a condition holds, as a variable, and its update."""
    assert_type(condition, dtypes.bool)
    count = metric_variable([], dtypes.float32, name="count")
    values = cast(condition, dtypes.float32)
    if weights is not None:
        with control_dependencies([assert_rank_in(weights, (0, array.rank(values)))]):
            values = multiply(values, cast(weights, dtypes.float32))
    update = assign_add(count, reduce_sum(values))
    return published(array.identity(count), update, metrics_collections, updates_collections)


def _count_of(label, prediction, default_name, arguments, metrics_collections, updates_collections, name):
    """How often `label` was true and `prediction` predicted; `arguments`: labels, predictions and weights."""
    labels, predictions, weights = arguments
    with variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = as_bools(predictions, labels, weights)
        found = logical_and(equal(labels, label), equal(predictions, prediction))
        return _count(found, weights, metrics_collections, updates_collections)


@documented
def true_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Counts predictions of False where False is true.

    Args:
      {booleans}
      {weights}
      {names}

    Returns:
      {count}

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights have another rank.
    """
    arguments = labels, predictions, weights
    return _count_of(False, False, "true_negatives", arguments, metrics_collections, updates_collections, name)


@documented
def true_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Counts predictions of True where True is true.

    Args:
      {booleans}
      {weights}
      {names}

    Returns:
      {count}

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights have another rank.
    """
    arguments = labels, predictions, weights
    return _count_of(True, True, "true_positives", arguments, metrics_collections, updates_collections, name)


@documented
def false_negatives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Counts predictions of False where True is true.

    Args:
      {booleans}
      {weights}
      {names}

    Returns:
      {count}

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights have another rank.
    """
    arguments = labels, predictions, weights
    return _count_of(True, False, "false_negatives", arguments, metrics_collections, updates_collections, name)


@documented
def false_positives(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """Counts predictions of True where False is true.

    Args:
      {booleans}
      {weights}
      {names}

    Returns:
      {count}

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights have another rank.
    """
    arguments = labels, predictions, weights
    return _count_of(False, True, "false_positives", arguments, metrics_collections, updates_collections, name)


def _share(part, rest, name):
    """part / (part + rest), 0 where both are 0."""
    return where(greater(part + rest, 0), divide(part, part + rest), 0.0, name)


def share_of_counts(first, second, default_name, arguments, metrics_collections, updates_collections, name):
    """The share of one count in the sum of two, as a value and its update.

    Args:
      first: A function such as `true_positives`: the count.
      second: A function such as `false_positives`: the count of the others.
      default_name: Name of the variable scope if `name` is None.
      arguments: Labels, predictions and weights.
      metrics_collections: Names of the collections that the value joins.
      updates_collections: Names of the collections that the update joins.
      name: Name of the variable scope, or None.

    Returns:
      A pair of float32 scalars.
    """
    labels, predictions, weights = arguments
    with variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = as_bools(predictions, labels, weights)
        part, update_part = first(labels, predictions, weights)
        rest, update_rest = second(labels, predictions, weights)
        value, update = _share(part, rest, "value"), _share(update_part, update_rest, "update_op")
        return published(value, update, metrics_collections, updates_collections)


@documented
def precision(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The precision: how many of the predictions of True are right.

    Args:
      {booleans}
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the precision so far; `update` adds this batch and returns the new
      precision. 0 if True was never predicted.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.

    Example:

    >>> value, update = tf.metrics.precision(labels=[1, 0, 1, 0], predictions=[1, 1, 0, 0])
    >>> sess.run(tf.local_variables_initializer())
    >>> print(sess.run(update))
    0.5
    """
    arguments = labels, predictions, weights
    return share_of_counts(
        true_positives, false_positives, "precision", arguments, metrics_collections, updates_collections, name
    )


@documented
def recall(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The recall: for how many of the labels True was predicted.

    Args:
      {booleans}
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the recall so far; `update` adds this batch and returns the new recall.
      0 if no label was True.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.

    Example:

    >>> value, update = tf.metrics.recall(labels=[1, 1, 1, 0], predictions=[1, 1, 0, 1])
    >>> sess.run(tf.local_variables_initializer())
    >>> print(f"{sess.run(update):.3f}")
    0.667
    """
    arguments = labels, predictions, weights
    return share_of_counts(
        true_positives, false_negatives, "recall", arguments, metrics_collections, updates_collections, name
    )
