"""Losses: each computes a loss per element, weights and reduces it."""

from tfcore.composed.confusion_matrix import may_squeeze_last, remove_squeezable_dimensions, squeeze_last_if
from tfcore.composed.weights_broadcast import assert_broadcastable
from tfcore.framework.graph.graph import GraphKeys, control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.losses.collection import add_loss
from tfcore.losses.reduction import Reduction, compute_weighted_loss, number_present
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like, range, zeros_like
from tfcore.ops.cwise.binary import add, div_no_nan, maximum, minimum, multiply, squared_difference, subtract
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import abs, log, square
from tfcore.ops.nn import softmax
from tfcore.ops.nn.activations import relu
from tfcore.ops.reduce.reduce import reduce_sum


def _require(**arguments):
    for name, value in arguments.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def _as_floats(labels, predictions):
    """Both as float32, of compatible static shapes."""
    predictions, labels = cast(predictions, dtypes.float32), cast(labels, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


def absolute_difference(
    labels,
    predictions,
    weights=1.0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """The absolute difference |predictions - labels|.

    Args:
      labels: A `Tensor` of any numeric type and shape.
      predictions: A `Tensor` of the shape of `labels`.
      weights: A `Tensor` or number: a scalar, or of the rank of `labels`, each dimension 1 or as in `labels`.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A float32 `Tensor`: a scalar, or of the shape of `labels` if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        losses = abs(subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels,
    predictions,
    axis=None,
    weights=1.0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim=None,
):
    """The cosine distance 1 - sum(labels * predictions) of vectors that have unit length.

    Args:
      labels: A `Tensor` of any numeric type and shape.
      predictions: A `Tensor` of the shape of `labels`.
      axis: The axis of the vectors.
      weights: A `Tensor` or number: a scalar, or of the rank of `labels`; size 1 along `axis`, each other dimension 1
        or as in `labels`.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.
      dim: Old name of `axis`.

    Returns:
      A float32 `Tensor`: a scalar, or, if `reduction` is NONE, of the shape of `labels` with size 1 along `axis`.

    Raises:
      ValueError: An argument is None, both names of the axis are given, the static shapes don't fit together, or
        `reduction` is unknown.
    """
    axis = array.alias(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        losses = 1 - reduce_sum(multiply(predictions, labels), axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels,
    logits,
    weights=1.0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """The hinge loss max(0, 1 - logits) where the label is 1, max(0, 1 + logits) where it is 0.

    Args:
      labels: A `Tensor` of any numeric type and shape; 0 or 1.
      logits: A `Tensor` of the shape of `labels`: above 0 for a prediction of 1.
      weights: A `Tensor` or number: a scalar, or of the rank of `labels`, each dimension 1 or as in `labels`.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A float32 `Tensor`: a scalar, or of the shape of `labels` if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.
    """
    _require(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss", [logits, labels, weights]) as scope:
        labels, logits = _as_floats(labels, logits)
        ones = ones_like(labels)
        signs = subtract(2 * labels, ones)
        losses = relu(subtract(ones, multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels,
    predictions,
    weights=1.0,
    delta=1.0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """Huber's loss (1964): with error e, e^2 / 2 where |e| <= delta, delta * |e| - delta^2 / 2 elsewhere.

    Args:
      labels: A `Tensor` of any numeric type and shape.
      predictions: A `Tensor` of the shape of `labels`.
      weights: A `Tensor` or number: a scalar, or of the rank of `labels`, each dimension 1 or as in `labels`.
      delta: A number: the greatest error whose square counts.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A float32 `Tensor`: a scalar, or of the shape of `labels` if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.

    Example:

    >>> print(sess.run(tf.losses.huber_loss([0.0, 0.0], [0.5, 3.0], reduction=tf.losses.Reduction.NONE)))
    [0.125 2.5  ]
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        error = abs(subtract(predictions, labels))
        # The gradient of min is 0 where delta is the smaller, that of the rest is then delta.
        quadratic = minimum(error, delta)
        linear = subtract(error, quadratic)
        losses = add(multiply(0.5, multiply(quadratic, quadratic)), multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels,
    predictions,
    weights=1.0,
    epsilon=1e-7,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """The logarithmic loss -labels * log(predictions) - (1 - labels) * log(1 - predictions).

    Args:
      labels: A `Tensor` of any numeric type and shape; 0 or 1.
      predictions: A `Tensor` of the shape of `labels`: probabilities.
      weights: A `Tensor` or number: a scalar, or of the rank of `labels`, each dimension 1 or as in `labels`.
      epsilon: A number that is added before logarithms are taken.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A float32 `Tensor`: a scalar, or of the shape of `labels` if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        positive = multiply(labels, log(predictions + epsilon))
        losses = -positive - multiply(1 - labels, log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES):
    """The mean squared difference of the errors of all pairs of elements, summed over the examples.

    For the errors d of an example, the mean over the pairs i < j of (d[i] - d[j])^2: predictions may be off by a
    constant.

    Args:
      labels: A `Tensor` of any numeric type and shape; the first dimension is that of the examples.
      predictions: A `Tensor` of the shape of `labels`.
      weights: A `Tensor` or number: a scalar, or of the rank of `labels`: [batch, 1, ...].
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.

    Returns:
      A float32 scalar.

    Raises:
      ValueError: An argument is None, or the static shapes don't fit together.
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights, labels = cast(weights, dtypes.float32), cast(labels, dtypes.float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = cast(predictions, dtypes.float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            errors = subtract(predictions, labels)
            others = range(1, array.rank(errors))
            count = number_present(errors, weights, per_example=True)
            squares = reduce_sum(square(errors), axis=others, keepdims=True)
            total = reduce_sum(errors, axis=others, keepdims=True)
            # sum over i < j of (d[i] - d[j])^2 = n * sum(d^2) - sum(d)^2; there are n * (n - 1) / 2 pairs.
            first = 2.0 * div_no_nan(squares, maximum(count - 1, 0), name="value")
            second = 2.0 * div_no_nan(square(total), maximum(multiply(count, count - 1), 0), name="value")
            loss = reduce_sum(multiply(first - second, weights))
            loss = where(reduce_sum(count) > 0, loss, zeros_like(loss), name="value")
            add_loss(loss, loss_collection)
            return loss


def mean_squared_error(
    labels,
    predictions,
    weights=1.0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """The squared difference (predictions - labels)^2.

    Args:
      labels: A `Tensor` of any numeric type and shape.
      predictions: A `Tensor` of the shape of `labels`.
      weights: A `Tensor` or number: a scalar, or of the rank of `labels`, each dimension 1 or as in `labels`.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A float32 `Tensor`: a scalar, or of the shape of `labels` if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.

    Example:

    >>> print(sess.run(tf.losses.mean_squared_error(labels=[1.0, 2.0], predictions=[1.0, 5.0])))
    4.5
    """
    _require(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        labels, predictions = _as_floats(labels, predictions)
        losses = squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _labels_like(labels, logits):
    """Both as tensors of the type of the logits, of compatible static shapes."""
    logits = convert_to_tensor(logits)
    labels = cast(labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    return labels, logits


def sigmoid_cross_entropy(
    multi_class_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """The cross entropy of independent labels and the sigmoid of logits.

    Args:
      multi_class_labels: A `Tensor` of any numeric type, of shape [batch, classes]: probabilities, usually 0 or 1.
      logits: A `Tensor` of a floating-point type and the shape of the labels.
      weights: A `Tensor` or number: a scalar, or of the rank of the labels, each dimension 1 or as in the labels.
      label_smoothing: A number s; if it is above 0, labels become labels * (1 - s) + s / 2.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A `Tensor` of the type of `logits`: a scalar, or of the shape of `logits` if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.
    """
    _require(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        labels, logits = _labels_like(multi_class_labels, logits)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = softmax.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels,
    logits,
    weights=1.0,
    label_smoothing=0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """The cross entropy of the labels' distributions and the softmax of logits.

    Args:
      onehot_labels: A `Tensor` of any numeric type, of shape [batch, classes]: a distribution in each row, usually one
        1 and zeros. No gradient flows back to it.
      logits: A `Tensor` of a floating-point type and the shape of the labels.
      weights: A `Tensor` or number: a scalar, or of shape [batch].
      label_smoothing: A number s; if it is above 0, labels become labels * (1 - s) + s / classes.
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A `Tensor` of the type of `logits`: a scalar, or of shape [batch] if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.

    Example:

    >>> loss = tf.losses.softmax_cross_entropy(onehot_labels=[[1, 0], [0, 1]], logits=[[0.0, 0.0], [-50.0, 50.0]])
    >>> print(f"{sess.run(loss):.4f}")
    0.3466
    """
    _require(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        labels, logits = _labels_like(onehot_labels, logits)
        if label_smoothing > 0:
            classes = cast(array.shape(labels)[-1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
        labels = array.stop_gradient(labels, name="labels_stop_gradient")
        losses = softmax.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _squeeze_weights(weights, labels):
    """The weights, without their last dimension if they have one more than the labels."""
    weights = convert_to_tensor(weights)
    if None not in (weights.dims, labels.dims):
        return array.squeeze(weights, [-1]) if len(weights.dims) == len(labels.dims) + 1 else weights
    if not may_squeeze_last(weights):
        return weights
    return squeeze_last_if(equal(1, array.rank(weights) - array.rank(labels)), weights)


def sparse_softmax_cross_entropy(
    labels,
    logits,
    weights=1.0,
    scope=None,
    loss_collection=GraphKeys.LOSSES,
    reduction=Reduction.SUM_BY_NONZERO_WEIGHTS,
):
    """The cross entropy of the labels' classes and the softmax of logits.

    Args:
      labels: An int32 or int64 `Tensor` of shape [batch] or [batch, 1]: classes.
      logits: A `Tensor` of a floating-point type and shape [batch, classes].
      weights: A `Tensor` or number: a scalar, or of shape [batch] or [batch, 1].
      scope: Name of the scope (optional).
      loss_collection: Name of the collection that the loss joins; None for none.
      reduction: A `tf.losses.Reduction`.

    Returns:
      A `Tensor` of the type of `logits`: a scalar, or of shape [batch] if `reduction` is NONE.

    Raises:
      ValueError: An argument is None, the static shapes don't fit together, or `reduction` is unknown.
      tf.errors.InvalidArgumentError: At run time, a label is negative or no class.

    Example:

    >>> loss = tf.losses.sparse_softmax_cross_entropy(labels=[0, 1], logits=[[0.0, 0.0], [-50.0, 50.0]])
    >>> print(f"{sess.run(loss):.4f}")
    0.3466
    """
    _require(labels=labels, logits=logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        if weights is not None:
            weights = _squeeze_weights(weights, labels)
        losses = softmax.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
