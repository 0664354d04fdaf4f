"""Counts of true and false predictions at thresholds, and what follows from them: rates, areas under curves."""

import functools
import warnings

from tfcore.composed.weights_broadcast import broadcast_weights
from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import match_shapes, metric_variable, published
from tfcore.ops.array import array
from tfcore.ops.array.constants import ones_like
from tfcore.ops.cwise.binary import div_no_nan, divide, maximum, minimum, multiply
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, greater, logical_and
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import abs, log, logical_not
from tfcore.ops.debugging.check import assert_greater_equal, assert_less_equal
from tfcore.ops.reduce.arg import argmax, argmin
from tfcore.ops.reduce.reduce import reduce_min, reduce_sum
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.state.state import assign_add
from tfcore.variables.variable_scope import variable_scope

EPSILON = 1e-7

# The name of the variable, whether the label is True, whether the prediction is.
_KINDS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}


def even_thresholds(count, last=1.0 + EPSILON):
    """`count` thresholds over [0, 1], the outer ones just outside, so that all predictions are between them."""
    inner = [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]
    return [0.0 - EPSILON, *inner, last]


def count_at_thresholds(labels, predictions, thresholds, weights, includes=tuple(_KINDS)):
    """Counts of true and false predictions, where a prediction is positive if it is greater than a threshold.

    Args:
      labels: A `Tensor`; converted to bool.
      predictions: A float32 `Tensor` of the shape of `labels`.
      thresholds: A list of numbers.
      weights: A `Tensor` that broadcasts to `predictions`, or None.
      includes: Which counts: "tp", "fn", "tn", "fp".

    Returns:
      A pair of dicts from these names: the variables, of shape [thresholds], and their values after this batch.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    return _count_matched(*match_shapes(predictions, labels, weights), thresholds, includes)


def _count_matched(predictions, labels, weights, thresholds, includes):
    above = greater(array.reshape(predictions, [1, -1]), array.expand_dims(constant(thresholds), [1]))
    label = array.reshape(cast(labels, dtypes.bool), [1, -1])
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), predictions)
        weights = array.reshape(weights, [1, -1])
    values, updates = {}, {}
    for kind in (kind for kind in _KINDS if kind in includes):
        name, positive_label, positive = _KINDS[kind]
        variable = metric_variable([len(thresholds)], dtypes.float32, name=name)
        found = logical_and(label if positive_label else logical_not(label), above if positive else logical_not(above))
        found = cast(found, dtypes.float32)
        if weights is not None:
            found *= weights
        updates[kind] = assign_add(variable, reduce_sum(found, 1))
        values[kind] = variable
    return values, updates


def count_probabilities(labels, predictions, thresholds, weights, includes=tuple(_KINDS)):
    """`count_at_thresholds` of predictions of any type that must be in [0, 1]."""
    text = "predictions must be in [0, 1]"
    checks = [
        assert_greater_equal(predictions, cast(0.0, predictions.dtype), message=text),
        assert_less_equal(predictions, cast(1.0, predictions.dtype), message=text),
    ]
    with control_dependencies(checks):
        # As in TensorFlow, only what is added here waits for the checks: nothing if neither type nor shape changes.
        matched = match_shapes(cast(predictions, dtypes.float32), cast(labels, dtypes.bool), weights)
    return _count_matched(*matched, thresholds, includes)


def _count_of(kind, labels, predictions, thresholds, weights, metrics_collections, updates_collections, name):
    with variable_scope(name, _KINDS[kind][0], (predictions, labels, weights)):
        values, updates = count_probabilities(labels, predictions, thresholds, weights, (kind,))
        return published(array.identity(values[kind]), updates[kind], metrics_collections, updates_collections)


@documented
def true_positives_at_thresholds(
    labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Counts predictions above the threshold where the label is True.

    Args:
      {probabilities}
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      {counts}

    Raises:
      {probability_errors}
    """
    return _count_of("tp", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)


@documented
def true_negatives_at_thresholds(
    labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Counts predictions not above the threshold where the label is False.

    Args:
      {probabilities}
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      {counts}

    Raises:
      {probability_errors}
    """
    return _count_of("tn", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)


@documented
def false_positives_at_thresholds(
    labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Counts predictions above the threshold where the label is False.

    Args:
      {probabilities}
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      {counts}

    Raises:
      {probability_errors}
    """
    return _count_of("fp", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)


@documented
def false_negatives_at_thresholds(
    labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """Counts predictions not above the threshold where the label is True.

    Args:
      {probabilities}
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      {counts}

    Raises:
      {probability_errors}
    """
    return _count_of("fn", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)


def metric_of_counts(compute, count, default_name, arguments, metrics_collections, updates_collections, name):
    """A metric that is a function of counts at thresholds, as a value and its update.

    Args:
      compute: A function of the counts, given by their names, and of a `name`.
      count: A function of labels, predictions and weights that returns counts and their updates.
      default_name: Name of the variable scope if `name` is None.
      arguments: Labels, predictions and weights.
      metrics_collections: Names of the collections that the value joins.
      updates_collections: Names of the collections that the update joins.
      name: Name of the variable scope, or None.

    Returns:
      A pair of float32 `Tensor`s.
    """
    labels, predictions, weights = arguments
    with variable_scope(name, default_name, (predictions, labels, weights)):
        values, updates = count(labels, predictions, weights)
        value, update = compute(**values, name="value"), compute(**updates, name="update_op")
        return published(value, update, metrics_collections, updates_collections)


@documented
def precision_at_thresholds(
    labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The precision at thresholds: how many of the predictions above a threshold are right.

    Args:
      {probabilities}
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 `Tensor`s of shape [thresholds]: the precision so far; `update` adds this batch
      and returns the new precision.

    Raises:
      {probability_errors}
    """

    def count(labels, predictions, weights):
        return count_probabilities(labels, predictions, thresholds, weights, ("tp", "fp"))

    def compute(tp, fp, name):
        return divide(tp, EPSILON + tp + fp, name="precision_" + name)

    arguments = labels, predictions, weights
    return metric_of_counts(
        compute, count, "precision_at_thresholds", arguments, metrics_collections, updates_collections, name
    )


@documented
def recall_at_thresholds(
    labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None
):
    """The recall at thresholds: for how many of the labels that are True the prediction is above a threshold.

    Args:
      {probabilities}
      thresholds: A list of numbers.
      {weights}
      {names}

    Returns:
      A pair (value, update) of float32 `Tensor`s of shape [thresholds]: the recall so far; `update` adds this batch and
      returns the new recall.

    Raises:
      {probability_errors}
    """

    def count(labels, predictions, weights):
        return count_probabilities(labels, predictions, thresholds, weights, ("tp", "fn"))

    def compute(tp, fn, name):
        return divide(tp, EPSILON + tp + fn, name="recall_" + name)

    arguments = labels, predictions, weights
    return metric_of_counts(
        compute, count, "recall_at_thresholds", arguments, metrics_collections, updates_collections, name
    )


def _require_fraction(name, value):
    if value < 0 or value > 1:
        raise ValueError(f"`{name}` must be in the range [0, 1]. Currently, `{name}` is {value}.")


@documented
def sensitivity_at_specificity(
    labels,
    predictions,
    specificity,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The sensitivity (recall of True) at the threshold where the specificity (recall of False) is nearest to a value.

    Args:
      {probabilities}
      specificity: A number in [0, 1].
      {weights}
      num_thresholds: How many thresholds to try.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the sensitivity so far; `update` adds this batch and returns the new
      sensitivity.

    Raises:
      ValueError: The static shapes don't fit together, or `specificity` is not in [0, 1].
      tf.errors.InvalidArgumentError: At run time, a prediction is not in [0, 1], or the weights don't fit.
    """
    _require_fraction("specificity", specificity)

    def count(labels, predictions, weights):
        return count_probabilities(labels, predictions, even_thresholds(num_thresholds), weights)

    def compute(tp, tn, fp, fn, name):
        specificities = divide(tn, tn + fp + EPSILON)
        best = cast(argmin(abs(specificities - specificity), 0), dtypes.int32)
        return divide(tp[best], tp[best] + fn[best] + EPSILON, name)

    arguments = labels, predictions, weights
    return metric_of_counts(
        compute, count, "sensitivity_at_specificity", arguments, metrics_collections, updates_collections, name
    )


@documented
def specificity_at_sensitivity(
    labels,
    predictions,
    sensitivity,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    name=None,
):
    """The specificity (recall of False) at the threshold where the sensitivity (recall of True) is nearest to a value.

    Of several such thresholds the greatest counts.

    Args:
      {probabilities}
      sensitivity: A number in [0, 1].
      {weights}
      num_thresholds: How many thresholds to try.
      {names}

    Returns:
      A pair (value, update) of float32 scalars: the specificity so far; `update` adds this batch and returns the new
      specificity.

    Raises:
      ValueError: The static shapes don't fit together, or `sensitivity` is not in [0, 1].
      tf.errors.InvalidArgumentError: At run time, a prediction is not in [0, 1], or the weights don't fit.
    """
    _require_fraction("sensitivity", sensitivity)

    def count(labels, predictions, weights):
        return count_probabilities(labels, predictions, even_thresholds(num_thresholds, last=1.0 - EPSILON), weights)

    def compute(tp, tn, fp, fn, name):
        distances = abs(divide(tp, tp + fn + EPSILON) - sensitivity)
        nearest = cast(equal(distances, reduce_min(distances)), dtypes.int64)
        best = cast(argmax(cumsum(nearest), 0), dtypes.int32)  # the last of the nearest
        return divide(tn[best], tn[best] + fp[best] + EPSILON, name)

    arguments = labels, predictions, weights
    return metric_of_counts(
        compute, count, "specificity_at_sensitivity", arguments, metrics_collections, updates_collections, name
    )


# ---- Areas under curves

_SMALL = 1e-6  # makes the ends of the curves defined


def curve_points(tp, fn, tn, fp, curve):
    """The coordinates of a curve at the thresholds: false positive rate and recall (ROC), or recall and precision."""
    recall = divide(tp + _SMALL, tp + fn + _SMALL)
    if curve == "ROC":
        return divide(fp, fp + tn + _SMALL), recall
    return recall, divide(tp + _SMALL, tp + fp + _SMALL)


# How high the area is between two neighbours.
_HEIGHTS = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "careful_interpolation": lambda a, b: (a + b) / 2.0,
    "minoring": minimum,
    "majoring": maximum,
}


def _area(x, y, summation_method, name):
    if summation_method not in _HEIGHTS:
        raise ValueError(
            f"Invalid summation_method: {summation_method} summation_method should be 'trapezoidal', "
            "'careful_interpolation', 'minoring', or 'majoring'."
        )
    heights = _HEIGHTS[summation_method](y[:-1], y[1:])
    return reduce_sum(multiply(x[:-1] - x[1:], heights), name=name)


def _interpolated_area(tp, fp, fn):
    """The area under a precision-recall curve, after J. Davis and M. Goadrich, ICML 2006.

    Between two thresholds, tp and fp are linear functions of each other; the integral of the precision over the recall
    is then known.
    """
    tp_gain = tp[:-1] - tp[1:]
    p = tp + fp
    slope = div_no_nan(tp_gain, maximum(p[:-1] - p[1:], 0), name="prec_slope")
    intercept = tp[1:] - multiply(slope, p[1:])
    both = logical_and(p[:-1] > 0, p[1:] > 0)
    ratio = div_no_nan(p[:-1], maximum(p[1:], 0), name="recall_relative_ratio")
    ratio = where(both, ratio, ones_like(p[1:]))
    increments = div_no_nan(
        slope * (tp_gain + intercept * log(ratio)), maximum(tp[1:] + fn[1:], 0), name="pr_auc_increment"
    )
    return reduce_sum(increments, name="interpolate_pr_auc")


def _area_under(curve, summation_method, tp, fn, tn, fp, name):
    if curve == "PR" and summation_method == "careful_interpolation":
        return _interpolated_area(tp, fp, fn)
    return _area(*curve_points(tp, fn, tn, fp, curve), summation_method, name)


@documented
def auc(
    labels,
    predictions,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    curve="ROC",
    name=None,
    summation_method="trapezoidal",
    thresholds=None,
):
    """The area under a curve, approximated at thresholds.

    Args:
      {probabilities}
      {weights}
      num_thresholds: How many evenly spaced thresholds to use.
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      curve: "ROC" (recall over false positive rate) or "PR" (precision over recall).
      name: Name of the variable scope (optional).
      summation_method: "trapezoidal"; "careful_interpolation" (right for PR curves, after J. Davis and M. Goadrich,
        2006); "minoring" or "majoring" for a lower or upper sum.
      thresholds: A list of thresholds between 0 and 1, instead of even ones; two at the ends are added.

    Returns:
      A pair (value, update) of float32 scalars: the area so far; `update` adds this batch and returns the new area.

    Raises:
      ValueError: The static shapes don't fit together, or the curve or the method is unknown.
      tf.errors.InvalidArgumentError: At run time, a prediction is not in [0, 1], or the weights don't fit.

    Example:

    >>> labels, predictions = tf.constant([0, 0, 1, 1]), tf.constant([0.1, 0.4, 0.35, 0.8])
    >>> value, update = tf.metrics.auc(labels, predictions)
    >>> sess.run(tf.local_variables_initializer())
    >>> print(f"{sess.run(update):.3f}")
    0.750
    """
    if thresholds is None:
        thresholds = even_thresholds(num_thresholds)
    else:
        thresholds = [0.0 - EPSILON, *sorted(thresholds), 1.0 + EPSILON]

    def count(labels, predictions, weights):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        return count_probabilities(labels, predictions, thresholds, weights)

    if curve == "PR" and summation_method == "trapezoidal":
        warnings.warn(
            'Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "careful_interpolation" instead.',
            stacklevel=2,
        )
    compute = functools.partial(_area_under, curve, summation_method)
    arguments = labels, predictions, weights
    return metric_of_counts(compute, count, "auc", arguments, metrics_collections, updates_collections, name)
