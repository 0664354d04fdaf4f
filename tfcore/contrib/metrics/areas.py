"""Areas under curves: exact ones of all values, with confidence intervals, and approximate ones of histograms."""

import collections

from tfcore.composed.confusion_matrix import remove_squeezable_dimensions
from tfcore.contrib.metrics.concatenation import streaming_concat
from tfcore.framework.graph.graph import GraphKeys, control_dependencies, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.metrics.docs import documented
from tfcore.metrics.parts import match_shapes, published
from tfcore.metrics.thresholds import EPSILON, count_at_thresholds, curve_points, even_thresholds
from tfcore.ops.array import array
from tfcore.ops.array.constants import constant, ones_like, zeros_like
from tfcore.ops.array.join import stack
from tfcore.ops.array.move import pad, reverse
from tfcore.ops.array.slice import boolean_mask
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.control_flow.control import group
from tfcore.ops.cwise.binary import add, multiply, squared_difference, truediv
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, greater, greater_equal, less, logical_and, logical_or
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.special import ndtri
from tfcore.ops.cwise.unary import abs, exp, log, logical_not, sqrt, square
from tfcore.ops.debugging.check import Assert, assert_greater_equal, assert_less_equal
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.indexing.unique import unique, unique_with_counts
from tfcore.ops.reduce.histogram import histogram_fixed_width
from tfcore.ops.reduce.reduce import reduce_max, reduce_min, reduce_sum
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.reduce.segment import segment_sum
from tfcore.ops.reduce.sort import top_k
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_scope import get_variable, variable_scope


@documented
def streaming_curve_points(
    labels=None,
    predictions=None,
    weights=None,
    num_thresholds=200,
    metrics_collections=None,
    updates_collections=None,
    curve="ROC",
    name=None,
):
    """Points of a curve, at thresholds.

    Args:
      labels: A `Tensor` of any shape; converted to bool.
      predictions: A float32 `Tensor` of the shape of `labels`, with values in [0, 1].
      {weights}
      num_thresholds: How many evenly spaced thresholds to use.
      metrics_collections: Names of the collections that the value joins (optional).
      updates_collections: Names of the collections that the update joins (optional).
      curve: "ROC" (recall over false positive rate) or "PR" (precision over recall).
      name: Name of the variable scope (optional).

    Returns:
      A pair: the points so far, a float32 `Tensor` of shape [num_thresholds, 2]; an operation that adds a batch.

    Raises:
      ValueError: The static shapes don't fit together, or the curve is unknown.
    """
    with variable_scope(name, "curve_points", (labels, predictions, weights)):
        _check_curve(curve)
        values, updates = count_at_thresholds(labels, predictions, even_thresholds(num_thresholds), weights)
        points = stack(curve_points(**values, curve=curve), axis=1)
        return published(points, group(*updates.values()), metrics_collections, updates_collections)


def _check_curve(curve):
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")


# ---- Of all values


def _are_zero_or_one(labels):
    return [
        assert_greater_equal(labels, zeros_like(labels), message="labels must be 0 or 1, at least one is <0"),
        assert_less_equal(labels, ones_like(labels), message="labels must be 0 or 1, at least one is >1"),
    ]


def _exact_area(labels, predictions, weights, curve):
    """The area under the curve through all different predictions; 0 if all labels are the same."""
    if weights is None:
        weights = ones_like(labels, dtype=dtypes.float64)
    labels, predictions, weights = match_shapes(labels, predictions, weights)
    nothing = zeros_like(labels, dtype=dtypes.float64)
    positive = where(greater(labels, 0), weights, nothing)
    total, total_positive = reduce_sum(weights), reduce_sum(positive)

    def area():
        ordered, order = top_k(predictions, k=array.size(predictions))
        _, _, counts = unique_with_counts(ordered)
        # Where the groups of equal predictions end, and the weights up to there.
        ends = cast(pad(cumsum(counts), [[1, 0]]), dtypes.int32)

        def sums(values):
            return gather(pad(cumsum(gather(values, order)), [[1, 0]]), ends)

        recall = truediv(sums(positive), total_positive)
        if curve == "ROC":
            x, y = truediv(sums(where(less(labels, 1), weights, nothing)), total - total_positive), recall
        else:
            precision = truediv(sums(positive), sums(weights))
            x, y = recall, where(greater(ends, 0), precision, ones_like(recall))
        heights = add(y[1:], y[:-1]) / 2.0
        return reduce_sum(multiply(heights, abs(x[1:] - x[:-1])))

    trivial = logical_or(equal(total_positive, 0), equal(total_positive, total))
    return cond(trivial, lambda: constant(0.0, dtypes.float64), area)


@documented
def streaming_dynamic_auc(
    labels, predictions, curve="ROC", metrics_collections=(), updates_collections=(), name=None, weights=None
):
    """The exact area under the curve of all predictions, which are kept.

    Args:
      labels: A `Tensor` of any shape; 0 or 1.
      predictions: A `Tensor` of a floating-point type and the shape of `labels`.
      curve: "ROC" (recall over false positive rate) or "PR" (precision over recall).
      {names}
      weights: A `Tensor` of the shape of `labels`; None for equal weights.

    Returns:
      A pair: the area so far, a float64 scalar, 0 if all labels are the same; an operation that adds a batch.

    Raises:
      ValueError: The static shapes don't fit together, or the curve is unknown.
      tf.errors.InvalidArgumentError: At run time, a label is not 0 or 1.
    """
    _check_curve(curve)
    with variable_scope(name, default_name="dynamic_auc"):
        labels.shape.assert_is_compatible_with(predictions.shape)
        predictions = array.reshape(cast(predictions, dtypes.float64), [-1])
        labels = array.reshape(cast(labels, dtypes.int64), [-1])
        with control_dependencies(_are_zero_or_one(labels)):
            all_predictions, update_predictions = streaming_concat(predictions, name="concat_preds")
            all_labels, update_labels = streaming_concat(labels, name="concat_labels")
            updates, all_weights = [update_labels, update_predictions], None
            if weights is not None:
                weights = array.reshape(cast(weights, dtypes.float64), [-1])
                all_weights, update_weights = streaming_concat(weights, name="concat_weights")
                updates.append(update_weights)
            area = _exact_area(all_labels, all_predictions, all_weights, curve)
            return published(area, group(*updates), metrics_collections, updates_collections)


_Interval = collections.namedtuple("AucData", ["auc", "lower", "upper"])


def _placements(labels, predictions, weights):
    """For each value, in ascending order, the weighted share of values of the other class that are below it.

    Ties count half. Returns the labels and weights in this order, too.
    """
    ascending = reverse(top_k(predictions, k=array.size(predictions)).indices, [0])
    labels, weights = cast(gather(labels, ascending), dtypes.float32), gather(weights, ascending)
    _, groups = unique(gather(predictions, ascending))

    def below(weights):
        totals = segment_sum(weights, groups)
        shares = (cumsum(totals, exclusive=True) + totals / 2.0) / (reduce_sum(totals) + EPSILON)
        return gather(shares, groups)

    positive, negative = weights * labels, weights * (1.0 - labels)
    return below(negative) * labels + below(positive) * (1.0 - labels), negative, positive


def _interval(area, error, alpha, logit_transformation):
    """The bounds of a confidence interval of an area with a standard error."""
    z = ndtri(constant((1.0 - alpha) / 2.0))
    if not logit_transformation:
        return area + z * error, area - z * error
    logit = log(area / (1.0 - area + EPSILON))
    error = error / (area * (1.0 - area + EPSILON))
    return tuple(1.0 / (1.0 + exp(-x) + EPSILON) for x in (logit + z * error, logit - z * error))


def _placement_area(labels, predictions, weights, alpha, logit_transformation):
    placements, weights_0, weights_1 = _placements(labels, predictions, weights)
    total_0, total_1 = reduce_sum(weights_0), reduce_sum(weights_1)
    area_0 = reduce_sum(weights_0 * (1.0 - placements)) / (total_0 + EPSILON)
    area_1 = reduce_sum(weights_1 * placements) / (total_1 + EPSILON)
    area = where(less(total_0, total_1), area_1, area_0)
    variance_0 = reduce_sum(weights_0 * square(1.0 - placements - area_0)) / (total_0 - 1.0 + EPSILON)
    variance_1 = reduce_sum(weights_1 * squared_difference(placements, area_1)) / (total_1 - 1.0 + EPSILON)
    error = sqrt(variance_0 / (total_0 + EPSILON) + variance_1 / (total_1 + EPSILON))
    lower, upper = _interval(area, error, alpha, logit_transformation)
    extreme = logical_or(equal(area, 1.0), equal(area, 0.0))
    return _Interval(area, where(extreme, area, lower), where(extreme, area, upper))


@documented
def auc_with_confidence_intervals(
    labels,
    predictions,
    weights=None,
    alpha=0.95,
    logit_transformation=True,
    metrics_collections=(),
    updates_collections=(),
    name=None,
):
    """The exact area under the ROC curve of all predictions, which are kept, with a confidence interval.

    The area is the mean of placement values; the interval follows from their variance, after E. DeLong et al., 1988.

    Args:
      labels: A `Tensor` of any shape; 0 or 1.
      predictions: A float32 `Tensor` of the shape of `labels`.
      weights: A float32 `Tensor` of the shape of `labels`; None for equal weights.
      alpha: The confidence, a number between 0 and 1.
      logit_transformation: Whether the interval is symmetric in the logit of the area, and so inside of [0, 1].
      {names}

    Returns:
      A pair: a named tuple of float32 scalars `auc`, `lower` and `upper`, which are 0 unless the batch has labels of
      both kinds and a total weight of at least 1; an operation that adds a batch.

    Raises:
      ValueError: The static shapes don't fit together, or `alpha` is not between 0 and 1.
      tf.errors.InvalidArgumentError: At run time, a label is not 0 or 1.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.02f}")
    if weights is None:
        weights = ones_like(predictions)
    with variable_scope(name, "auc_with_confidence_intervals", [labels, predictions, weights]):
        predictions, labels, weights = match_shapes(predictions, labels, weights)
        total = reduce_sum(weights)
        weights = array.reshape(weights, [-1])
        predictions = array.reshape(cast(predictions, dtypes.float64), [-1])
        labels = array.reshape(cast(labels, dtypes.int64), [-1])
        with control_dependencies(_are_zero_or_one(labels)):
            all_predictions, update_predictions = streaming_concat(predictions, name="concat_preds")
            all_labels, update_labels = streaming_concat(labels, name="concat_labels")
            all_weights, update_weights = streaming_concat(weights, name="concat_weights")
            both = logical_and(equal(reduce_min(labels), 0), equal(reduce_max(labels), 1))
            valid = logical_and(both, greater_equal(total, 1.0))
            areas = _placement_area(all_labels, all_predictions, all_weights, alpha, logit_transformation)
            areas = _Interval(*(where(valid, area, zeros_like(area)) for area in areas))
            update = group(update_labels, update_predictions, update_weights)
            return published(areas, update, metrics_collections, updates_collections)


# ---- Of histograms


def _check_histogram_arguments(labels, scores, check_shape):
    with name_scope("_check_labels_and_scores", values=[labels, scores]):
        labels, scores = convert_to_tensor(labels, name="boolean_labels"), convert_to_tensor(scores, name="scores")
        if labels.dtype != dtypes.bool:
            raise ValueError("Argument boolean_labels should have dtype bool.  Found: %s", labels.dtype)
        if not check_shape:
            return labels, scores
        checks = [
            Assert(
                equal(1, array.rank(tensor)),
                [f"Argument {name} should have rank 1.  Found: ", tensor.name, array.shape(tensor)],
            )
            for name, tensor in (("boolean_labels", labels), ("scores", scores))
        ]
        with control_dependencies(checks):
            return array.identity(labels), array.identity(scores)


def _histogram_area(true, false):
    """The area under the ROC curve through the bounds of the bins, from the highest scores down."""
    dy = cast(reverse(truediv(true, reduce_sum(true)), [0]), dtypes.float32)
    dx = cast(reverse(truediv(false, reduce_sum(false)), [0]), dtypes.float32)
    return reduce_sum(dx * (cumsum(dy) - dy / 2.0), name="auc")


def auc_using_histogram(boolean_labels, scores, score_range, nbins=100, collections=None, check_shape=True, name=None):
    """The area under the ROC curve, approximated by histograms of the scores.

    Args:
      boolean_labels: A bool `Tensor` of shape [batch].
      scores: A `Tensor` of type float32, float64, int32 or int64 and shape [batch].
      score_range: A `Tensor` of the type of `scores` and shape [2]: the range of the scores; those outside count for
        the outer bins.
      nbins: How many bins.
      collections: Names of the collections that the variables join; [LOCAL_VARIABLES] by default.
      check_shape: Whether the ranks are checked when it runs.
      name: Name of the variable scope (optional).

    Returns:
      A pair: the area so far, a float32 scalar; an operation that adds a batch.

    Raises:
      ValueError: The labels are not of type bool.
      tf.errors.InvalidArgumentError: At run time, a rank is not 1.
    """
    with variable_scope(name, "auc_using_histogram", [boolean_labels, scores, score_range]):
        scores, labels = remove_squeezable_dimensions(scores, boolean_labels)
        score_range = convert_to_tensor(score_range, name="score_range")
        labels, scores = _check_histogram_arguments(labels, scores, check_shape)
        totals, updates = [], []
        with variable_scope(None, "hist_accumulate", [labels, scores]):
            for kind, chosen in (("hist_true", labels), ("hist_false", logical_not(labels))):
                batch = histogram_fixed_width(boolean_mask(scores, chosen), score_range, nbins, dtypes.int64, name=kind)
                total = get_variable(
                    f"{kind}_acc",
                    shape=[nbins],
                    dtype=dtypes.int64,
                    initializer=Zeros(),
                    collections=[GraphKeys.LOCAL_VARIABLES] if collections is None else collections,
                    trainable=False,
                )
                totals.append(total)
                updates.append(total.assign_add(batch))
            update = group(*updates, name="update_op")
        return _histogram_area(*totals), update
