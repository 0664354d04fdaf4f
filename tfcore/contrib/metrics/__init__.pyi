# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import confusion_matrix as confusion_matrix
from tfcore.sets import difference as set_difference
from tfcore.sets import intersection as set_intersection
from tfcore.sets import set_size as set_size
from tfcore.sets import set_union as set_union
from typing import Any as _Any

__all__ = [
'accuracy', 'aggregate_metric_map', 'aggregate_metrics', 'auc_using_histogram', 'auc_with_confidence_intervals',
'cohen_kappa', 'confusion_matrix', 'count', 'f1_score', 'precision_at_recall', 'precision_recall_at_equal_thresholds',
'recall_at_precision', 'set_difference', 'set_intersection', 'set_size', 'set_union', 'sparse_recall_at_top_k',
'streaming_accuracy', 'streaming_auc', 'streaming_concat', 'streaming_covariance', 'streaming_curve_points',
'streaming_dynamic_auc', 'streaming_false_negative_rate', 'streaming_false_negative_rate_at_thresholds',
'streaming_false_negatives', 'streaming_false_negatives_at_thresholds', 'streaming_false_positive_rate',
'streaming_false_positive_rate_at_thresholds', 'streaming_false_positives', 'streaming_false_positives_at_thresholds',
'streaming_mean', 'streaming_mean_absolute_error', 'streaming_mean_cosine_distance', 'streaming_mean_iou',
'streaming_mean_relative_error', 'streaming_mean_squared_error', 'streaming_mean_tensor',
'streaming_pearson_correlation', 'streaming_percentage_less', 'streaming_precision',
'streaming_precision_at_thresholds', 'streaming_recall', 'streaming_recall_at_k', 'streaming_recall_at_thresholds',
'streaming_root_mean_squared_error', 'streaming_sensitivity_at_specificity', 'streaming_sparse_average_precision_at_k',
'streaming_sparse_average_precision_at_top_k', 'streaming_sparse_precision_at_k', 'streaming_sparse_precision_at_top_k',
'streaming_sparse_recall_at_k', 'streaming_specificity_at_sensitivity', 'streaming_true_negatives',
'streaming_true_negatives_at_thresholds', 'streaming_true_positives', 'streaming_true_positives_at_thresholds'
]

def accuracy(predictions: _Any, labels: _Any, weights: _Any = None, name: str | None = None) -> _Any:
    """The fraction of the predictions of one batch that equal the labels."""

def aggregate_metric_map(names_to_tuples: _Any) -> _Any:
    """Sorts a dict of pairs of a value and an update into a dict of values and a dict of updates."""

def aggregate_metrics(*value_update_tuples: _Any) -> _Any:
    """Sorts pairs of a value and an update into a list of values and a list of updates."""

def auc_using_histogram(boolean_labels: _Any, scores: _Any, score_range: _Any, nbins: _Any = 100, collections: _Any = None, check_shape: _Any = True, name: str | None = None) -> _Any:
    """The area under the ROC curve, approximated by histograms of the scores."""

def auc_with_confidence_intervals(labels: _Any, predictions: _Any, weights: _Any = None, alpha: _Any = 0.95, logit_transformation: _Any = True, metrics_collections: _Any = (), updates_collections: _Any = (), name: str | None = None) -> _Any:
    """The exact area under the ROC curve of all predictions, which are kept, with a confidence interval."""

def cohen_kappa(labels: _Any, predictions_idx: _Any, num_classes: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Cohen's kappa (1960): how much more often predictions agree with labels than by chance."""

def count(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The number of elements of all batches, or their total weight."""

def f1_score(labels: _Any, predictions: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The greatest F1 score, the harmonic mean of precision and recall, over all thresholds."""

def precision_at_recall(labels: _Any, predictions: _Any, target_recall: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The precision at the greatest threshold where the recall is not less than a value."""

def precision_recall_at_equal_thresholds(labels: _Any, predictions: _Any, weights: _Any = None, num_thresholds: _Any = None, use_locking: _Any = None, name: str | None = None) -> _Any:
    """All counts, precision and recall at evenly spaced thresholds, in time that does not depend on their number."""

def recall_at_precision(labels: _Any, predictions: _Any, precision: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None, strict_mode: _Any = False) -> _Any:
    """The recall at the threshold where the precision is nearest to a value."""

def sparse_recall_at_top_k(labels: _Any, top_k_predictions: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.recall_at_top_k`."""

def streaming_accuracy(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.accuracy`."""

def streaming_auc(predictions: _Any, labels: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, curve: _Any = 'ROC', name: str | None = None) -> _Any:
    """Older name of `tf.metrics.auc`."""

def streaming_concat(values: _Any, axis: _Any = 0, max_size: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Joins the values of all batches along an axis."""

def streaming_covariance(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The unbiased sample covariance of predictions and labels."""

def streaming_curve_points(labels: _Any = None, predictions: _Any = None, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, curve: _Any = 'ROC', name: str | None = None) -> _Any:
    """Points of a curve, at thresholds."""

def streaming_dynamic_auc(labels: _Any, predictions: _Any, curve: _Any = 'ROC', metrics_collections: _Any = (), updates_collections: _Any = (), name: str | None = None, weights: _Any = None) -> _Any:
    """The exact area under the curve of all predictions, which are kept."""

def streaming_false_negative_rate(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The false negative rate: for how many of the labels that are True False was predicted."""

def streaming_false_negative_rate_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The false negative rate at thresholds."""

def streaming_false_negatives(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.false_negatives`."""

def streaming_false_negatives_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None) -> _Any:
    """Counts predictions not above the threshold where the label is True."""

def streaming_false_positive_rate(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The false positive rate: for how many of the labels that are False True was predicted."""

def streaming_false_positive_rate_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The false positive rate at thresholds."""

def streaming_false_positives(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.false_positives`."""

def streaming_false_positives_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None) -> _Any:
    """Counts predictions above the threshold where the label is False."""

def streaming_mean(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.mean`."""

def streaming_mean_absolute_error(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.mean_absolute_error`."""

def streaming_mean_cosine_distance(predictions: _Any, labels: _Any, dim: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.mean_cosine_distance`."""

def streaming_mean_iou(predictions: _Any, labels: _Any, num_classes: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.mean_iou`."""

def streaming_mean_relative_error(predictions: _Any, labels: _Any, normalizer: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.mean_relative_error`."""

def streaming_mean_squared_error(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.mean_squared_error`."""

def streaming_mean_tensor(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.mean_tensor`."""

def streaming_pearson_correlation(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Pearson's correlation coefficient of predictions and labels."""

def streaming_percentage_less(values: _Any, threshold: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.percentage_below`."""

def streaming_precision(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.precision`."""

def streaming_precision_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.precision_at_thresholds`."""

def streaming_recall(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.recall`."""

def streaming_recall_at_k(predictions: _Any, labels: _Any, k: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """How often the one label of an example is among the k best predictions."""

def streaming_recall_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.recall_at_thresholds`."""

def streaming_root_mean_squared_error(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.root_mean_squared_error`."""

def streaming_sensitivity_at_specificity(predictions: _Any, labels: _Any, specificity: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.sensitivity_at_specificity`."""

def streaming_sparse_average_precision_at_k(predictions: _Any, labels: _Any, k: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.average_precision_at_k`."""

def streaming_sparse_average_precision_at_top_k(top_k_predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The mean average precision of given predictions, the best first; see `tf.metrics.average_precision_at_k`."""

def streaming_sparse_precision_at_k(predictions: _Any, labels: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.precision_at_k`."""

def streaming_sparse_precision_at_top_k(top_k_predictions: _Any, labels: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.precision_at_top_k`."""

def streaming_sparse_recall_at_k(predictions: _Any, labels: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.recall_at_k`."""

def streaming_specificity_at_sensitivity(predictions: _Any, labels: _Any, sensitivity: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.specificity_at_sensitivity`."""

def streaming_true_negatives(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.true_negatives`."""

def streaming_true_negatives_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None) -> _Any:
    """Counts predictions not above the threshold where the label is False."""

def streaming_true_positives(predictions: _Any, labels: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Older name of `tf.metrics.true_positives`."""

def streaming_true_positives_at_thresholds(predictions: _Any, labels: _Any, thresholds: _Any, weights: _Any = None) -> _Any:
    """Counts predictions above the threshold where the label is True."""
