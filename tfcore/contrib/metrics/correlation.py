"""Covariance and Pearson's correlation of streams, from moments that each batch updates.

The update is that of two samples that are joined (T. Chan, G. Golub and R. LeVeque, 1979), which stays precise where
the difference of two large sums would not.
"""

from tfcore.composed.weights_broadcast import broadcast_weights
from tfcore.framework.types import dtypes
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import match_shapes, metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.cwise.binary import div_no_nan, multiply, truediv
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import less_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import sqrt
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.ops.state.state import assign_add
from tfcore.variables.variable_scope import variable_scope


def _update_mean(mean, values, weights, batch_count, count):
    """Adds a batch to a mean. Returns the mean of the batch, and the mean before the batch was added."""
    total = reduce_sum(values if weights is None else multiply(values, weights))
    batch_mean = div_no_nan(total, batch_count)
    step = div_no_nan((batch_mean - mean) * batch_count, count)
    return batch_mean, assign_add(mean, step) - step


def _unbiased(comoment, count, name):
    return where(less_equal(count, 1.0), float("nan"), truediv(comoment, count - 1), name=name)


@documented
def streaming_covariance(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The unbiased sample covariance of predictions and labels.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A float32 `Tensor` of the shape of `predictions`.
      weights: A float32 `Tensor` that broadcasts to `labels`, how often each element counts; None for once.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the covariance so far; `update` adds this batch and returns the new
      covariance. NaN below two elements.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with variable_scope(name, "covariance", (predictions, labels, weights)):
        predictions, labels, weights = match_shapes(predictions, labels, weights)
        count, mean_prediction, mean_label, comoment = (
            metric_variable([], dtypes.float32, name=name)
            for name in ("count", "mean_prediction", "mean_label", "comoment")
        )
        if weights is None:
            batch_count = cast(array.size(labels), dtypes.float32)
        else:
            weights = broadcast_weights(weights, labels)
            batch_count = reduce_sum(weights)
        new_count = assign_add(count, batch_count)
        batch_prediction, old_prediction = _update_mean(mean_prediction, predictions, weights, batch_count, new_count)
        batch_label, old_label = _update_mean(mean_label, labels, weights, batch_count, new_count)
        products = (predictions - batch_prediction) * (labels - batch_label)
        products = reduce_sum(products if weights is None else products * weights)
        between = (old_prediction - batch_prediction) * (old_label - batch_label)
        between *= (new_count - batch_count) * batch_count / new_count
        new_comoment = assign_add(comoment, products + between)
        value = _unbiased(comoment, count, "covariance")
        update = _unbiased(new_comoment, new_count, "update_op")
    return published(value, update, metrics_collections, updates_collections)


@documented
def streaming_pearson_correlation(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Pearson's correlation coefficient of predictions and labels.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A float32 `Tensor` of the shape of `predictions`.
      weights: A float32 `Tensor` that broadcasts to `labels`, how often each element counts; None for once.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the correlation so far; `update` adds this batch and returns the new
      correlation. NaN below two elements.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with variable_scope(name, "pearson_r", (predictions, labels, weights)):
        predictions, labels, weights = match_shapes(predictions, labels, weights)
        if weights is not None:
            weights = broadcast_weights(weights, labels)
        together = streaming_covariance(predictions, labels, weights, name="covariance")
        of_predictions = streaming_covariance(predictions, predictions, weights, name="variance_predictions")
        of_labels = streaming_covariance(labels, labels, weights, name="variance_labels")
        value, update = (
            truediv(covariance, multiply(sqrt(a), sqrt(b)), name=name)
            for covariance, a, b, name in zip(together, of_predictions, of_labels, ("pearson_r", "update_op"))
        )
    return published(value, update, metrics_collections, updates_collections)
