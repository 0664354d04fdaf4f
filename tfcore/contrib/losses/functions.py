"""The losses: each computes a loss per element, weights it and takes the mean.

The weights of all have the first dimensions of the predictions, or none. The results are added to the collection
LOSSES.
"""

from tfcore.contrib.losses.weighting import (
    add_loss,
    compute_weighted_loss,
    number_present,
    require_ranks,
    weighted_sum,
)
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like, zeros_like
from tfcore.ops.cwise.binary import div_no_nan, multiply, squared_difference, subtract
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import abs, log, square
from tfcore.ops.nn import softmax
from tfcore.ops.nn.activations import relu
from tfcore.ops.reduce.reduce import reduce_sum


def _as_floats(predictions, labels):
    """Both as float32, of compatible static shapes."""
    predictions.shape.assert_is_compatible_with(labels.shape)
    return cast(predictions, dtypes.float32), cast(labels, dtypes.float32)


def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    """The absolute difference |predictions - labels|.

    Args:
      predictions: A `Tensor` of any numeric type.
      labels: A `Tensor` of the shape of `predictions`.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `predictions`.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together, or a rank is unknown.
    """
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        return compute_weighted_loss(abs(subtract(predictions, labels)), weights, scope=scope)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """The square (predictions - labels)^2.

    Args:
      predictions: A `Tensor` of any numeric type.
      labels: A `Tensor` of the shape of `predictions`.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `predictions`.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together, or a rank is unknown.
    """
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        return compute_weighted_loss(squared_difference(predictions, labels), weights, scope=scope)


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    """The logarithmic loss -labels * log(predictions) - (1 - labels) * log(1 - predictions).

    Args:
      predictions: A `Tensor` of any numeric type.
      labels: A `Tensor` of the shape of `predictions`.
      epsilon: A number that is added before logarithms are taken.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `predictions`.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together, or a rank is unknown.
    """
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        of_ones = multiply(labels, log(predictions + epsilon))
        of_zeros = multiply(1 - labels, log(1 - predictions + epsilon))
        return compute_weighted_loss(-of_ones - of_zeros, weights, scope=scope)


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    """The cross-entropy of independent classes.

    Args:
      logits: A `Tensor` of floats `[batch_size, num_classes]`.
      multi_class_labels: A `Tensor` of the shape of `logits`: 0 or 1.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `logits`.
      label_smoothing: How far labels are moved towards 1/2: from 0 to 1.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together, or a rank is unknown.
    """
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits.shape.assert_is_compatible_with(multi_class_labels.shape)
        labels = cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = softmax.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    """The cross-entropy of classes of which one is right.

    Args:
      logits: A `Tensor` of floats `[batch_size, num_classes]`.
      onehot_labels: A `Tensor` of the shape of `logits`.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `logits`.
      label_smoothing: How far labels are moved towards 1 / num_classes: from 0 to 1.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together, or a rank is unknown.
    """
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits.shape.assert_is_compatible_with(onehot_labels.shape)
        labels = cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            classes = cast(array.shape(labels)[1], logits.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        losses = softmax.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    """The cross-entropy of classes of which one is right, given by its index.

    Args:
      logits: A `Tensor` of floats `[batch_size, num_classes]`.
      labels: A `Tensor` of integers, `[batch_size]` or `[batch_size, 1]`.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `logits`.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together, or a rank is unknown.
    """
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels = array.reshape(labels, [array.shape(labels)[0]])
        losses = softmax.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def hinge_loss(logits, labels=None, scope=None):
    """The hinge loss of each element: max(0, 1 - logits) where the label is 1, max(0, 1 + logits) where it is 0.

    Args:
      logits: A `Tensor` of floats: above 0 for a prediction of 1.
      labels: A `Tensor` of the shape of `logits`: 0 or 1.
      scope: Name of the scope (optional).

    Returns:
      A `Tensor` of the shape of `logits`, in no collection.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(scope, "hinge_loss", [logits, labels]):
        logits.shape.assert_is_compatible_with(labels.shape)
        labels = cast(labels, dtypes.float32)
        ones = ones_like(labels)
        return relu(subtract(ones, multiply(subtract(2 * labels, ones), logits)))


def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """The squares of how far differences between two predictions are from those of their labels, for all pairs.

    Args:
      predictions: A `Tensor` of any numeric type.
      labels: A `Tensor` of the shape of `predictions`.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `predictions`.
      scope: Name of the scope (optional).

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: The static shapes don't fit together, or a rank is unknown.
    """
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        weights = cast(convert_to_tensor(weights), dtypes.float32)
        diffs = subtract(predictions, labels)
        require_ranks(diffs=diffs, weights=weights)
        # The mean over all pairs of (a - b)^2 is twice the mean of a^2 less twice the square of the mean.
        axes = list(range(1, diffs.shape.ndims))
        count = number_present(diffs, weights)
        squares = 2.0 * div_no_nan(reduce_sum(square(diffs), axis=axes), count)
        squared_sums = 2.0 * div_no_nan(square(reduce_sum(diffs, axis=axes)), square(count))
        total = weighted_sum(subtract(squares, squared_sums), weights)
        loss = where(reduce_sum(count) > 0, total, zeros_like(total), name="value")
        add_loss(loss)
        return loss


def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    """The cosine distance 1 - sum(labels * predictions) of vectors that have unit length.

    Args:
      predictions: A `Tensor` of any numeric type.
      labels: A `Tensor` of the shape of `predictions`.
      axis: The axis of the vectors.
      weights: A `Tensor` or number: a scalar, or with the first dimensions of `predictions`.
      scope: Name of the scope (optional).
      dim: Old name of `axis`.

    Returns:
      A scalar `Tensor`.

    Raises:
      ValueError: Both names of the axis are given, or none; the static shapes don't fit together, or a rank is unknown.
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'")
        axis = dim
    if axis is None:
        raise ValueError("`axis` and `dim` cannot both be None.")
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _as_floats(predictions, labels)
        losses = 1 - reduce_sum(multiply(predictions, labels), axis=[axis])
        return compute_weighted_loss(losses, weights, scope=scope)
