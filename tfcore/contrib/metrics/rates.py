"""Rates of errors; precision and recall at thresholds and at each other's values."""

import collections
import functools

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.metrics.counts import false_negatives, false_positives, share_of_counts, true_negatives, true_positives
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import match_shapes, metric_variable
from tfcore.metrics.thresholds import (
    EPSILON,
    count_at_thresholds,
    count_probabilities,
    even_thresholds,
    metric_of_counts,
)
from tfcore.ops.array.array import reshape
from tfcore.ops.array.constants import linspace
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.binary import div, maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import abs, floor
from tfcore.ops.debugging.check import assert_greater_equal, assert_less_equal, assert_type
from tfcore.ops.reduce.arg import argmax, argmin
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.state.scatter import scatter_add
from tfcore.variables.variable_scope import variable_scope


@documented
def streaming_false_positive_rate(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The false positive rate: for how many of the labels that are False True was predicted.

    Args:
      predictions: A `Tensor` of any shape; converted to bool.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the rate so far; `update` adds this batch and returns the new rate. 0
      if no label was False.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    arguments = labels, predictions, weights
    return share_of_counts(
        false_positives,
        true_negatives,
        "false_positive_rate",
        arguments,
        metrics_collections,
        updates_collections,
        name,
    )


@documented
def streaming_false_negative_rate(
    predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The false negative rate: for how many of the labels that are True False was predicted.

    Args:
      predictions: A `Tensor` of any shape; converted to bool.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the rate so far; `update` adds this batch and returns the new rate. 0
      if no label was True.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    arguments = labels, predictions, weights
    return share_of_counts(
        false_negatives,
        true_positives,
        "false_negative_rate",
        arguments,
        metrics_collections,
        updates_collections,
        name,
    )


@documented
def streaming_true_positives_at_thresholds(predictions, labels, thresholds, weights=None):
    """Counts predictions above the threshold where the label is True.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      thresholds: A list of numbers.
      {weights}

    Returns:
      A pair (value, update), both float32 of shape [thresholds]: a `Variable` with the counts so far; a `Tensor`, which
      adds this batch and returns the new counts.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    values, updates = count_at_thresholds(labels, predictions, thresholds, weights, ("tp",))
    return values["tp"], updates["tp"]


@documented
def streaming_true_negatives_at_thresholds(predictions, labels, thresholds, weights=None):
    """Counts predictions not above the threshold where the label is False.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      thresholds: A list of numbers.
      {weights}

    Returns:
      A pair (value, update), both float32 of shape [thresholds]: a `Variable` with the counts so far; a `Tensor`, which
      adds this batch and returns the new counts.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    values, updates = count_at_thresholds(labels, predictions, thresholds, weights, ("tn",))
    return values["tn"], updates["tn"]


@documented
def streaming_false_positives_at_thresholds(predictions, labels, thresholds, weights=None):
    """Counts predictions above the threshold where the label is False.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      thresholds: A list of numbers.
      {weights}

    Returns:
      A pair (value, update), both float32 of shape [thresholds]: a `Variable` with the counts so far; a `Tensor`, which
      adds this batch and returns the new counts.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    values, updates = count_at_thresholds(labels, predictions, thresholds, weights, ("fp",))
    return values["fp"], updates["fp"]


@documented
def streaming_false_negatives_at_thresholds(predictions, labels, thresholds, weights=None):
    """Counts predictions not above the threshold where the label is True.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      thresholds: A list of numbers.
      {weights}

    Returns:
      A pair (value, update), both float32 of shape [thresholds]: a `Variable` with the counts so far; a `Tensor`, which
      adds this batch and returns the new counts.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    values, updates = count_at_thresholds(labels, predictions, thresholds, weights, ("fn",))
    return values["fn"], updates["fn"]


def _rate(kind, rest, thresholds, arguments, metrics_collections, updates_collections, name):
    """The share of one count at thresholds in the sum of two, as a value and its update."""
    short, long = kind

    def count(labels, predictions, weights):
        return count_at_thresholds(labels, predictions, thresholds, weights, (short, rest))

    def compute(name, **counts):
        return div(counts[short], EPSILON + counts[short] + counts[rest], name=f"{short}r_{name}")

    return metric_of_counts(
        compute, count, f"{long}_rate_at_thresholds", arguments, metrics_collections, updates_collections, name
    )


@documented
def streaming_false_positive_rate_at_thresholds(
    predictions, labels, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The false positive rate at thresholds.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 `Tensor`s of shape [thresholds]: the rates so far; `update` adds this batch and
      returns the new rates.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    arguments = labels, predictions, weights
    return _rate(("fp", "false_positive"), "tn", thresholds, arguments, metrics_collections, updates_collections, name)


@documented
def streaming_false_negative_rate_at_thresholds(
    predictions, labels, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The false negative rate at thresholds.

    Args:
      predictions: A float32 `Tensor` of any shape.
      labels: A `Tensor` of the shape of `predictions`; converted to bool.
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 `Tensor`s of shape [thresholds]: the rates so far; `update` adds this batch and
      returns the new rates.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    arguments = labels, predictions, weights
    return _rate(("fn", "false_negative"), "tp", thresholds, arguments, metrics_collections, updates_collections, name)


@documented
def f1_score(
    labels,
    predictions,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The greatest F1 score, the harmonic mean of precision and recall, over all thresholds.

    Args:
      {probabilities}
      {weights}
      num_thresholds: How many evenly spaced thresholds to try.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the score so far; `update` adds this batch and returns the new score.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, a prediction is not in [0, 1].
    """

    def count(labels, predictions, weights):
        predictions, labels, weights = match_shapes(predictions, labels, weights)
        return count_probabilities(labels, predictions, even_thresholds(num_thresholds), weights, ("tp", "fp", "fn"))

    def compute(tp, fp, fn, name):
        precision = div(tp, EPSILON + tp + fp, name="precision_" + name)
        recall = div(tp, EPSILON + tp + fn, name="recall_" + name)
        return reduce_max(2.0 * precision * recall / (precision + recall + EPSILON))

    arguments = labels, predictions, weights
    return metric_of_counts(compute, count, "f1", arguments, metrics_collections, updates_collections, name)


def _recall_at_precision(wanted, strict, tp, fn, tn, fp, name):
    precisions = div(tp, tp + fp + EPSILON)
    if not strict:
        best = argmin(abs(precisions - wanted), 0, output_type=dtypes.int32)
        return div(tp[best], tp[best] + fn[best] + EPSILON, name)
    # The least precision that is not below the wanted one has the greatest inverse of the difference.
    best = argmax(div(1.0, precisions - wanted + EPSILON), 0, output_type=dtypes.int32)
    recall = div(tp[best], tp[best] + fn[best] + EPSILON, name)
    return where(precisions[best] >= wanted, recall, 0.0)


@documented
def recall_at_precision(
    labels,
    predictions,
    precision,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
    strict_mode=False,
):
    """The recall at the threshold where the precision is nearest to a value.

    Args:
      labels: A `Tensor` of any shape; converted to bool.
      predictions: A float32 `Tensor` of the shape of `labels`, with values in [0, 1].
      precision: A number in [0, 1].
      {weights}
      num_thresholds: How many evenly spaced thresholds to try.
      {names}
      strict_mode: Whether only thresholds count where the precision is not less; the recall is 0 if there is none.

    Returns:
      A pair (value, update) of float32 scalars: the recall so far; `update` adds this batch and returns the new recall.

    Raises:
      ValueError: The static shapes don't fit together, or `precision` is not in [0, 1].
    """
    if not 0 <= precision <= 1:
        raise ValueError("`precision` must be in the range [0, 1].")

    def count(labels, predictions, weights):
        return count_at_thresholds(labels, predictions, even_thresholds(num_thresholds), weights)

    compute = functools.partial(_recall_at_precision, precision, strict_mode)
    arguments = labels, predictions, weights
    return metric_of_counts(
        compute, count, "recall_at_precision", arguments, metrics_collections, updates_collections, name
    )


@documented
def precision_at_recall(
    labels,
    predictions,
    target_recall,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The precision at the greatest threshold where the recall is not less than a value.

    Args:
      labels: A `Tensor` of any shape; converted to bool.
      predictions: A float32 `Tensor` of the shape of `labels`, with values in [0, 1].
      target_recall: A number in [0, 1].
      {weights}
      num_thresholds: How many evenly spaced thresholds to try.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the precision so far; `update` adds this batch and returns the new
      precision.

    Raises:
      ValueError: The static shapes don't fit together, or `target_recall` is not in [0, 1].
    """
    if target_recall < 0 or target_recall > 1:
        raise ValueError("`target_recall` must be in the range [0, 1].")

    def count(labels, predictions, weights):
        return count_at_thresholds(labels, predictions, even_thresholds(num_thresholds), weights)

    def compute(tp, fn, tn, fp, name):
        recalls = div(tp, tp + fn + EPSILON)
        last = reduce_sum(cast(recalls >= target_recall, dtypes.int64)) - 1
        return div(tp[last] + EPSILON, tp[last] + fp[last] + EPSILON, name)

    arguments = labels, predictions, weights
    return metric_of_counts(
        compute, count, "precision_at_recall", arguments, metrics_collections, updates_collections, name
    )


_Curves = collections.namedtuple("PrecisionRecallData", ["tp", "fp", "tn", "fn", "precision", "recall", "thresholds"])


def precision_recall_at_equal_thresholds(
    labels, predictions, weights=None, num_thresholds=None, use_locking=None, name=None
):
    """All counts, precision and recall at evenly spaced thresholds, in time that does not depend on their number.

    Args:
      labels: A bool `Tensor` of any shape.
      predictions: A `Tensor` of a floating-point type and the shape of `labels`, with values in [0, 1].
      weights: A `Tensor` that broadcasts to `labels`; 1 by default.
      num_thresholds: How many thresholds; 201 by default.
      use_locking: Whether to hold the variables' locks while they change; True by default.
      name: Name of the variable scope (optional).

    Returns:
      A pair: a named tuple of `Tensor`s of the type of `predictions` and shape [num_thresholds], `tp`, `fp`, `tn`,
      `fn`, `precision`, `recall` and `thresholds`; an operation that adds a batch.

    Raises:
      TypeError: `labels` is not of type bool.
      tf.errors.InvalidArgumentError: At run time, a prediction is not in [0, 1].
    """
    count = 201 if num_thresholds is None else num_thresholds
    weights = 1.0 if weights is None else weights
    use_locking = True if use_locking is None else use_locking
    assert_type(labels, dtypes.bool)
    with variable_scope(name, "precision_recall_at_equal_thresholds", (labels, predictions, weights)):
        text = "predictions must be in [0, 1]"
        checks = [
            assert_greater_equal(predictions, cast(0.0, predictions.dtype), message=text),
            assert_less_equal(predictions, cast(1.0, predictions.dtype), message=text),
        ]
        with control_dependencies(checks):
            predictions, labels, weights = match_shapes(predictions, labels, weights)
        positive, weights = cast(labels, dtypes.float64), cast(weights, dtypes.float64)
        predictions = reshape(predictions, [-1])
        buckets = cast(floor(predictions * (count - 1)), dtypes.int32)
        with name_scope("variables"):
            tp_buckets = metric_variable([count], dtypes.float64, name="tp_buckets")
            fp_buckets = metric_variable([count], dtypes.float64, name="fp_buckets")
        with name_scope("update_op"):
            true, false = reshape(positive * weights, [-1]), reshape((1.0 - positive) * weights, [-1])
            update = group(
                scatter_add(tp_buckets, buckets, true, use_locking=use_locking),
                scatter_add(fp_buckets, buckets, false, use_locking=use_locking),
            )
        tp, fp = cumsum(tp_buckets, reverse=True, name="tp"), cumsum(fp_buckets, reverse=True, name="fp")
        tn, fn = fp[0] - fp, tp[0] - tp
        epsilon = convert_to_tensor(EPSILON, dtype=dtypes.float64)
        precision, recall = tp / maximum(epsilon, tp + fp), tp / maximum(epsilon, tp + fn)
        curves = _Curves(tp, fp, tn, fn, precision, recall, linspace(0.0, 1.0, count))
        return _Curves(*(cast(curve, predictions.dtype) for curve in curves)), update
