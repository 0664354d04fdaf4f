"""The metrics of tf.metrics under their older names, with predictions before labels."""

import inspect

import tfcore.metrics as metrics
from tfcore.framework.types import dtypes
from tfcore.metrics.docs import documented
from tfcore.metrics.top_k import at_k_name, average_precision_at_top_k
from tfcore.ops.cwise.cast import cast
from tfcore.ops.nn.basic import in_top_k

# The older name of each function of tf.metrics that else differs only in the order of its first two parameters.
_NAMES = {
    "streaming_accuracy": metrics.accuracy,
    "streaming_false_negatives": metrics.false_negatives,
    "streaming_false_positives": metrics.false_positives,
    "streaming_mean": metrics.mean,
    "streaming_mean_absolute_error": metrics.mean_absolute_error,
    "streaming_mean_cosine_distance": metrics.mean_cosine_distance,
    "streaming_mean_iou": metrics.mean_iou,
    "streaming_mean_relative_error": metrics.mean_relative_error,
    "streaming_mean_squared_error": metrics.mean_squared_error,
    "streaming_mean_tensor": metrics.mean_tensor,
    "streaming_percentage_less": metrics.percentage_below,
    "streaming_precision": metrics.precision,
    "streaming_precision_at_thresholds": metrics.precision_at_thresholds,
    "streaming_recall": metrics.recall,
    "streaming_recall_at_thresholds": metrics.recall_at_thresholds,
    "streaming_root_mean_squared_error": metrics.root_mean_squared_error,
    "streaming_sensitivity_at_specificity": metrics.sensitivity_at_specificity,
    "streaming_sparse_average_precision_at_k": metrics.average_precision_at_k,
    "streaming_sparse_precision_at_k": metrics.precision_at_k,
    "streaming_sparse_recall_at_k": metrics.recall_at_k,
    "streaming_specificity_at_sensitivity": metrics.specificity_at_sensitivity,
    "streaming_true_negatives": metrics.true_negatives,
    "streaming_true_positives": metrics.true_positives,
}


def _older(name, function):
    """A function of tf.metrics under its older name, with predictions before labels."""
    signature = inspect.signature(function)
    order = list(signature.parameters.values())
    if order[0].name == "labels":
        order[:2] = order[1::-1]
    signature = signature.replace(parameters=order)

    def streaming(*args, **kwargs):
        return function(**signature.bind(*args, **kwargs).arguments)

    streaming.__name__ = streaming.__qualname__ = name
    streaming.__signature__ = signature
    description = function.__doc__.partition("    Example:\n")[0]
    streaming.__doc__ = f"Older name of `tf.metrics.{function.__name__}`.\n\n    {description}"
    return streaming


for _name, _function in _NAMES.items():
    globals()[_name] = _older(_name, _function)


def streaming_auc(
    predictions,
    labels,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    curve="ROC",
    name=None,
):
    """Older name of `tf.metrics.auc`.

    Args:
      predictions: A `Tensor` of a floating-point type, with values in [0, 1].
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      weights: A `Tensor` that broadcasts to `labels`; None for equal weights.
      num_thresholds: How many evenly spaced thresholds to use.
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      curve: "ROC" or "PR".
      name: Name of the variable scope (optional).

    Returns:
      A pair (value, update) of float32 scalars: the area so far; `update` adds this batch and returns the new area.

    Raises:
      ValueError: The static shapes don't fit together, or the curve is unknown.
    """
    return metrics.auc(
        labels, predictions, weights, num_thresholds, metrics_collections, updates_collections, curve, name
    )


@documented
def streaming_recall_at_k(
    predictions, labels, k, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """How often the one label of an example is among the k best predictions.

    Args:
      predictions: A float32 `Tensor` of shape [batch, classes]: scores.
      labels: An int32 or int64 `Tensor` of shape [batch]: true classes.
      k: How many of the best predictions count, an integer.
      weights: A `Tensor`: a scalar, or of shape [batch]; None for equal weights.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the recall so far; `update` adds this batch and returns the new recall.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    found = cast(in_top_k(predictions, labels, k), dtypes.float32)
    return metrics.mean(found, weights, metrics_collections, updates_collections, name or at_k_name("recall", k))


@documented
def streaming_sparse_precision_at_top_k(
    top_k_predictions,
    labels,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Older name of `tf.metrics.precision_at_top_k`.

    Args:
      top_k_predictions: A `Tensor` of an integer type and shape [..., k]: the predicted classes.
      labels: An int64 `Tensor` or `SparseTensor` of shape [..., labels] or [...]: true classes.
      class_id: Only this class counts, if it is given.
      {weights_of_rows}
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      name: Name of the scope (optional).

    Returns:
      A pair (value, update) of float64 scalars: the precision so far; `update` adds this batch and returns the new
      precision.

    Raises:
      ValueError: The static shapes don't fit together.
      TypeError: The labels are not int64.
    """
    return metrics.precision_at_top_k(
        labels, top_k_predictions, None, class_id, weights, metrics_collections, updates_collections, name
    )


@documented
def sparse_recall_at_top_k(
    labels,
    top_k_predictions,
    class_id=None,
    weights=None,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """Older name of `tf.metrics.recall_at_top_k`.

    Args:
      labels: An int64 `Tensor` or `SparseTensor` of shape [..., labels] or [...]: true classes.
      top_k_predictions: A `Tensor` of an integer type and shape [..., k]: the predicted classes.
      class_id: Only this class counts, if it is given.
      {weights_of_rows}
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      name: Name of the scope (optional).

    Returns:
      A pair (value, update) of float64 scalars: the recall so far; `update` adds this batch and returns the new recall.

    Raises:
      ValueError: The static shapes don't fit together.
      TypeError: The labels are not int64.
    """
    return metrics.recall_at_top_k(
        labels, top_k_predictions, None, class_id, weights, metrics_collections, updates_collections, name
    )


@documented
def streaming_sparse_average_precision_at_top_k(
    top_k_predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean average precision of given predictions, the best first; see `tf.metrics.average_precision_at_k`.

    Args:
      top_k_predictions: A `Tensor` of an integer type and shape [..., k]: the predicted classes.
      labels: An int64 `Tensor` or `SparseTensor` of shape [..., labels] or [...]: true classes.
      {weights_of_rows}
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      name: Name of the scope (optional).

    Returns:
      A pair (value, update) of float64 scalars: the mean average precision so far; `update` adds this batch and returns
      the new mean average precision.

    Raises:
      ValueError: The static shapes don't fit together, or k is not known.
      TypeError: The labels are not int64.
    """
    return average_precision_at_top_k(
        labels, top_k_predictions, weights, metrics_collections, updates_collections, name
    )
