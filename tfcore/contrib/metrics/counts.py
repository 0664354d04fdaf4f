"""Accuracy of one batch, weighted counts, Cohen's kappa; several metrics together."""

from tfcore.composed.confusion_matrix import confusion_matrix
from tfcore.composed.weights_broadcast import broadcast_weights
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import match_shapes, metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like
from tfcore.ops.array.diag import diag_part
from tfcore.ops.cwise.binary import div, div_no_nan, multiply
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.reduce.reduce import reduce_mean, reduce_sum
from tfcore.ops.state.state import assign_add
from tfcore.variables.variable_scope import variable_scope


def accuracy(predictions, labels, weights=None, name=None):
    """The fraction of the predictions of one batch that equal the labels.

    Args:
      predictions: A `Tensor` of an integer type, bool or string.
      labels: A `Tensor` of the type and shape of `predictions`.
      weights: A float32 `Tensor` that broadcasts to the shape; None for equal weights.
      name: Name of the scope (optional).

    Returns:
      A float32 scalar.

    Raises:
      ValueError: The types differ, or are floating-point types.
    """
    if not (labels.dtype.is_integer or labels.dtype in (dtypes.bool, dtypes.string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(
            f"Dtypes of predictions and labels should match. Given: predictions ({predictions.dtype!r}) and labels "
            f"({labels.dtype!r})"
        )
    with name_scope(name, "accuracy", [predictions, labels]):
        correct = cast(equal(predictions, labels), dtypes.float32)
        if weights is None:
            return reduce_mean(correct)
        correct = multiply(correct, weights)
        return div(reduce_sum(correct), reduce_sum(multiply(weights, ones_like(correct))))


def aggregate_metrics(*value_update_tuples):
    """Sorts pairs of a value and an update into a list of values and a list of updates.

    Args:
      *value_update_tuples: Pairs, as metrics return them.

    Returns:
      A pair of lists: values, updates.

    Raises:
      ValueError: There are no pairs.

    Example:

    >>> values, updates = tf.contrib.metrics.aggregate_metrics(tf.metrics.mean([1.0, 3.0]), tf.metrics.mean([5.0]))
    >>> sess.run(tf.local_variables_initializer())
    >>> print(*sess.run(updates))
    2.0 5.0
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
    """Sorts a dict of pairs of a value and an update into a dict of values and a dict of updates.

    Args:
      names_to_tuples: A dict from names to pairs, as metrics return them.

    Returns:
      A pair of dicts from the names: values, updates.

    Raises:
      ValueError: There are no pairs.
    """
    values, updates = zip(*names_to_tuples.values())
    return dict(zip(names_to_tuples, values)), dict(zip(names_to_tuples, updates))


@documented
def count(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The number of elements of all batches, or their total weight.

    Args:
      values: A `Tensor` of any shape.
      weights: A `Tensor`: a scalar, or of the rank of `values`, each dimension 1 or as in `values`; a last dimension of
        size 1 may be added or missing. None for equal weights.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the count so far; `update` adds this batch and returns the new count.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with variable_scope(name, "count", (values, weights)):
        total = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = cast(array.size(values), dtypes.float32)
        else:
            values, _, weights = match_shapes(cast(values, dtypes.float32), None, weights)
            number = reduce_sum(broadcast_weights(cast(weights, dtypes.float32), values))
        with control_dependencies([values]):
            update = assign_add(total, number)
        return published(array.identity(total), update, metrics_collections, updates_collections)


def _kappa(agreed, predicted, true, name):
    """(p_o - p_e) / (1 - p_e), all multiplied by the total."""
    total = cast(reduce_sum(predicted), dtypes.float64)
    expected = reduce_sum(div_no_nan(cast(predicted * true, dtypes.float64), total))
    return div_no_nan(cast(reduce_sum(agreed), dtypes.float64) - expected, total - expected, name=name)


@documented
def cohen_kappa(
    labels, predictions_idx, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Cohen's kappa (1960): how much more often predictions agree with labels than by chance.

    (p_o - p_e) / (1 - p_e), where p_o is the share of predictions that agree, and p_e the share that would if labels
    and predictions were independent.

    Args:
      labels: An integer `Tensor` of shape [batch] or [batch, 1]: true classes.
      predictions_idx: An integer `Tensor` of shape [batch] or [batch, 1]: predicted classes.
      num_classes: The number of classes, at least 2.
      weights: A `Tensor` of the shape of `predictions_idx`; None for equal weights.
      {names}

    Returns:
      A pair (value, update) of float64 scalars: kappa so far; `update` adds this batch and returns the new kappa.

    Raises:
      ValueError: The static shapes don't fit together, or `num_classes` is less than 2.
      tf.errors.InvalidArgumentError: At run time, a class is negative or not below `num_classes`.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2.Found: {num_classes}")
    with variable_scope(name, "cohen_kappa", (labels, predictions_idx, weights)):
        labels.shape.with_rank_at_most(2)
        if labels.shape.ndims == 2:
            labels = array.squeeze(labels, axis=[-1])
        predictions, labels, weights = match_shapes(predictions_idx, labels, weights)
        dtype = dtypes.int64 if weights is None or weights.dtype.is_integer else dtypes.float32
        table = confusion_matrix(labels, predictions, num_classes, dtype, "counts_in_table", weights)
        batch = {"po": diag_part(table), "pe_row": reduce_sum(table, axis=0), "pe_col": reduce_sum(table, axis=1)}
        totals = [metric_variable((num_classes,), dtype, name=part) for part in batch]
        updates = [assign_add(total, part) for total, part in zip(totals, batch.values())]
        value, update = _kappa(*totals, name="value"), _kappa(*updates, name="update_op")
        return published(value, update, metrics_collections, updates_collections)
