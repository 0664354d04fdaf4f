"""Metrics of several classes: from the confusion matrix, or per class."""

from tfcore.composed.confusion_matrix import confusion_matrix
from tfcore.framework.types import dtypes
from tfcore.metrics.parts import metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones, ones_like
from tfcore.ops.array.diag import diag_part
from tfcore.ops.cwise.binary import div_no_nan, divide, maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, greater, not_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.reduce.reduce import reduce_mean, reduce_sum
from tfcore.ops.state.scatter import scatter_add
from tfcore.ops.state.state import assign_add
from tfcore.variables.variable_scope import variable_scope


def _flat(tensor):
    """A tensor of more than one dimension, as a vector."""
    return array.reshape(tensor, [-1]) if tensor.shape.ndims > 1 else tensor


def _counted_confusions(labels, predictions, num_classes, weights):
    """The confusion matrix of all batches, as a variable, and its update."""
    total = metric_variable([num_classes, num_classes], dtypes.float64, name="total_confusion_matrix")
    predictions, labels = _flat(cast(predictions, dtypes.int64)), _flat(cast(labels, dtypes.int64))
    if weights is not None:
        weights = _flat(weights)
    current = confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=dtypes.float64)
    return total, assign_add(total, current)


def mean_iou(
    labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean over the classes of intersection over union: tp / (tp + fp + fn).

    Classes that were neither true nor predicted don't count.

    Args:
      labels: A `Tensor` of an integer type and known rank: true classes.
      predictions: A `Tensor` of the shape of `labels`: predicted classes.
      num_classes: The number of classes.
      weights: A `Tensor` of the shape of `labels`; None for equal weights.
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      name: Name of the variable scope (optional).

    Returns:
      A pair (value, update): the mean so far, a float32 scalar; `update` adds this batch and returns the new confusion
      matrix, of type float64 and shape [num_classes, num_classes].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, a class is negative or not below `num_classes`.

    Example:

    >>> value, update = tf.metrics.mean_iou(labels=tf.constant([0, 0, 1]), predictions=tf.constant([0, 1, 1]),
    ...                                     num_classes=2)
    >>> sess.run(tf.local_variables_initializer())
    >>> print(sess.run(update))
    [[1. 1.]
     [0. 1.]]
    >>> print(sess.run(value))
    0.5
    """
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        predictions.shape.assert_is_compatible_with(labels.shape)
        total, update = _counted_confusions(labels, predictions, num_classes, weights)
        predicted = cast(reduce_sum(total, 0), dtypes.float32)
        true = cast(reduce_sum(total, 1), dtypes.float32)
        intersection = cast(diag_part(total), dtypes.float32)
        union = predicted + true - intersection
        present = reduce_sum(cast(not_equal(union, 0), dtypes.float32))
        iou = divide(intersection, where(greater(union, 0), union, ones_like(union)))
        value = where(greater(present, 0), reduce_sum(iou, name="mean_iou") / present, 0.0)
        return published(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean over the classes of the accuracy where that class is true.

    Args:
      labels: A `Tensor` of an integer type and known rank: true classes.
      predictions: A `Tensor` of the shape of `labels`: predicted classes.
      num_classes: The number of classes.
      weights: A `Tensor` of the shape of `labels`; None for equal weights.
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      name: Name of the variable scope (optional).

    Returns:
      A pair (value, update): the mean so far, a float32 scalar; `update` adds this batch and returns the new accuracies
      of the classes, of shape [num_classes].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, a label is negative or not below `num_classes`.
    """
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels = _flat(cast(labels, dtypes.int64))
        predictions = _flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        number = ones([array.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = cast(predictions, labels.dtype)
        correct = cast(equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = cast(_flat(weights), dtypes.float32)
            correct *= weights
            number *= weights
        update_total, update_count = scatter_add(total, labels, number), scatter_add(count, labels, correct)
        value = reduce_mean(div_no_nan(count, maximum(total, 0)), name="mean_accuracy")
        update = div_no_nan(update_count, maximum(update_total, 0), name="update_op")
        return published(value, update, metrics_collections, updates_collections)
