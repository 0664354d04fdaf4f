"""Weighted means over batches: of values, of errors, of what is right."""

from tfcore.composed.confusion_matrix import remove_squeezable_dimensions
from tfcore.composed.weights_broadcast import broadcast_weights
from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import match_shapes, metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.cwise.binary import div_no_nan, divide, maximum, multiply, squared_difference, subtract
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, less
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import abs, sqrt
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.ops.state.state import assign_add
from tfcore.variables.variable_scope import variable_scope


def _ratio(total, count, name):
    """total / count; 0 where the count is 0, as it is before the first batch."""
    return div_no_nan(total, maximum(count, 0), name=name)


def _weighted(values, weights):
    """The values multiplied by the weights, and the weights in their shape."""
    values, _, weights = match_shapes(values, None, weights)
    weights = broadcast_weights(cast(weights, dtypes.float32), values)
    return multiply(values, weights), weights


@documented
def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The weighted mean of the values of all batches.

    Args:
      values: A `Tensor` of any numeric type and shape.
      weights: A `Tensor`: a scalar, or of the rank of `values`, each dimension 1 or as in `values`; a last dimension of
        size 1 may be added or missing. None for equal weights.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the mean so far; `update` adds this batch and returns the new mean.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.

    Example:

    >>> x = tf.placeholder(tf.float32, [None])
    >>> value, update = tf.metrics.mean(x)
    >>> sess.run(tf.local_variables_initializer())
    >>> print(sess.run(update, {x: [1.0, 2.0]}), sess.run(update, {x: [6.0]}), sess.run(value))
    1.5 3.0 3.0
    """
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name="total")
        count = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = cast(array.size(values), dtypes.float32)
        else:
            values, weights = _weighted(values, weights)
            number = reduce_sum(weights)
        update_total = assign_add(total, reduce_sum(values))
        with control_dependencies([values]):  # without valid values nothing is counted
            update_count = assign_add(count, number)
        value = _ratio(total, count, "value")
        update = _ratio(update_total, update_count, "update_op")
        return published(value, update, metrics_collections, updates_collections)


@documented
def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The weighted mean of each element over all batches.

    Args:
      values: A `Tensor` of any numeric type, of the same, statically known shape in each batch.
      weights: A `Tensor`: a scalar, or of the rank of `values`, each dimension 1 or as in `values`; a last dimension of
        size 1 may be added or missing. None for equal weights.
      {names}

    Returns:
      A pair (value, update) of float32 `Tensor`s of the shape of `values`: the means so far; `update` adds this batch
      and returns the new means.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.
    """
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, name="total_tensor")
        count = metric_variable(values.shape, dtypes.float32, name="count_tensor")
        number = ones_like(values)
        if weights is not None:
            values, weights = _weighted(values, weights)
            number = multiply(number, weights)
        update_total = assign_add(total, values)
        with control_dependencies([values]):
            update_count = assign_add(count, number)
        value = _ratio(total, count, "value")
        update = _ratio(update_total, update_count, "update_op")
        return published(value, update, metrics_collections, updates_collections)


@documented
def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often predictions equal labels.

    Args:
      labels: A `Tensor` of any type and shape.
      predictions: A `Tensor` of the shape of `labels`; converted to its type.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the accuracy so far; `update` adds this batch and returns the new
      accuracy.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.

    Example:

    >>> value, update = tf.metrics.accuracy(labels=[1, 2, 3, 4], predictions=[1, 2, 0, 4])
    >>> sess.run(tf.local_variables_initializer())
    >>> print(sess.run(update))
    0.75
    """
    predictions, labels, weights = match_shapes(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = cast(predictions, labels.dtype)
    correct = cast(equal(predictions, labels), dtypes.float32)
    return mean(correct, weights, metrics_collections, updates_collections, name or "accuracy")


@documented
def mean_absolute_error(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of |predictions - labels|.

    Args:
      labels: A `Tensor` of any numeric type and shape.
      predictions: A `Tensor` of the type and shape of `labels`.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the error so far; `update` adds this batch and returns the new error.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.
    """
    predictions, labels, weights = match_shapes(predictions, labels, weights)
    errors = abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


@documented
def mean_cosine_distance(
    labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean cosine distance 1 - sum(labels * predictions) of vectors that have unit length.

    Args:
      labels: A `Tensor` of a floating-point type and any shape.
      predictions: A `Tensor` of the type and shape of `labels`.
      dim: The axis of the vectors.
      weights: A `Tensor`: a scalar, or of the rank of `labels`, of size 1 along `dim`; None for equal weights.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the distance so far; `update` adds this batch and returns the new
      distance.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.
    """
    predictions, labels, weights = match_shapes(predictions, labels, weights)
    products = reduce_sum(multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    return published(subtract(1.0, value), subtract(1.0, update), metrics_collections, updates_collections)


@documented
def mean_relative_error(
    labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of |labels - predictions| / normalizer, 0 where the normalizer is 0.

    Args:
      labels: A `Tensor` of a floating-point type and any shape.
      predictions: A `Tensor` of the type and shape of `labels`.
      normalizer: A `Tensor` of the type and shape of `labels`.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the error so far; `update` adds this batch and returns the new error.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.
    """
    predictions, labels, weights = match_shapes(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = divide(abs(labels - predictions), normalizer)
    errors = where(equal(normalizer, 0.0), zeros_like(labels), errors)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


@documented
def mean_squared_error(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The mean of (predictions - labels)^2.

    Args:
      labels: A `Tensor` of any numeric type and shape.
      predictions: A `Tensor` of the type and shape of `labels`.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the error so far; `update` adds this batch and returns the new error.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.
    """
    predictions, labels, weights = match_shapes(predictions, labels, weights)
    errors = squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


@documented
def root_mean_squared_error(
    labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The square root of the mean of (predictions - labels)^2.

    Args:
      labels: A `Tensor` of any numeric type and shape.
      predictions: A `Tensor` of the type and shape of `labels`.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the error so far; `update` adds this batch and returns the new error.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.
    """
    predictions, labels, weights = match_shapes(predictions, labels, weights)
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return published(sqrt(value), sqrt(update), metrics_collections, updates_collections)


@documented
def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The fraction of the values that are less than a threshold.

    Args:
      values: A `Tensor` of any numeric type and shape.
      threshold: A scalar of the type of `values`.
      weights: A `Tensor`: a scalar, or of the rank of `values`, each dimension 1 or as in `values`; a last dimension of
        size 1 may be added or missing. None for equal weights.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the fraction so far; `update` adds this batch and returns the new
      fraction.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the weights don't fit.
    """
    below = cast(less(values, threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")
