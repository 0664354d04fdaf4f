# Written by python -m tfcore.tools.stubs: do not edit.

from typing import Any as _Any

__all__ = [
'accuracy', 'auc', 'average_precision_at_k', 'false_negatives', 'false_negatives_at_thresholds', 'false_positives',
'false_positives_at_thresholds', 'mean', 'mean_absolute_error', 'mean_cosine_distance', 'mean_iou',
'mean_per_class_accuracy', 'mean_relative_error', 'mean_squared_error', 'mean_tensor', 'percentage_below', 'precision',
'precision_at_k', 'precision_at_thresholds', 'precision_at_top_k', 'recall', 'recall_at_k', 'recall_at_thresholds',
'recall_at_top_k', 'root_mean_squared_error', 'sensitivity_at_specificity', 'sparse_average_precision_at_k',
'sparse_precision_at_k', 'specificity_at_sensitivity', 'true_negatives', 'true_negatives_at_thresholds',
'true_positives', 'true_positives_at_thresholds'
]

def accuracy(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """How often predictions equal labels."""

def auc(labels: _Any, predictions: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, curve: _Any = 'ROC', name: str | None = None, summation_method: _Any = 'trapezoidal', thresholds: _Any = None) -> _Any:
    """The area under a curve, approximated at thresholds."""

def average_precision_at_k(labels: _Any, predictions: _Any, k: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The average precision of the k best predictions, which also depends on their order."""

def false_negatives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions of False where True is true."""

def false_negatives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions not above the threshold where the label is True."""

def false_positives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions of True where False is true."""

def false_positives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions above the threshold where the label is False."""

def mean(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The weighted mean of the values of all batches."""

def mean_absolute_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The mean of |predictions - labels|."""

def mean_cosine_distance(labels: _Any, predictions: _Any, dim: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The mean cosine distance 1 - sum(labels * predictions) of vectors that have unit length."""

def mean_iou(labels: _Any, predictions: _Any, num_classes: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The mean over the classes of intersection over union: tp / (tp + fp + fn)."""

def mean_per_class_accuracy(labels: _Any, predictions: _Any, num_classes: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The mean over the classes of the accuracy where that class is true."""

def mean_relative_error(labels: _Any, predictions: _Any, normalizer: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The mean of |labels - predictions| / normalizer, 0 where the normalizer is 0."""

def mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The mean of (predictions - labels)^2."""

def mean_tensor(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The weighted mean of each element over all batches."""

def percentage_below(values: _Any, threshold: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The fraction of the values that are less than a threshold."""

def precision(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The precision: how many of the predictions of True are right."""

def precision_at_k(labels: _Any, predictions: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The precision of the k best predictions: how many of them are among the labels."""

def precision_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The precision at thresholds: how many of the predictions above a threshold are right."""

def precision_at_top_k(labels: _Any, predictions_idx: _Any, k: _Any = None, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The precision of given predictions: how many of them are among the labels."""

def recall(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The recall: for how many of the labels True was predicted."""

def recall_at_k(labels: _Any, predictions: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The recall of the k best predictions: how many of the labels are among them."""

def recall_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The recall at thresholds: for how many of the labels that are True the prediction is above a threshold."""

def recall_at_top_k(labels: _Any, predictions_idx: _Any, k: _Any = None, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The recall of given predictions: how many of the labels are among them."""

def root_mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The square root of the mean of (predictions - labels)^2."""

def sensitivity_at_specificity(labels: _Any, predictions: _Any, specificity: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The sensitivity (recall of True) at the threshold where the specificity (recall of False) is nearest to a value."""

def sparse_average_precision_at_k(labels: _Any, predictions: _Any, k: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Old name of `tf.metrics.average_precision_at_k`."""

def sparse_precision_at_k(labels: _Any, predictions: _Any, k: _Any, class_id: _Any = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Old name of `tf.metrics.precision_at_k`."""

def specificity_at_sensitivity(labels: _Any, predictions: _Any, sensitivity: _Any, weights: _Any = None, num_thresholds: _Any = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """The specificity (recall of False) at the threshold where the sensitivity (recall of True) is nearest to a value."""

def true_negatives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions of False where False is true."""

def true_negatives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions not above the threshold where the label is False."""

def true_positives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions of True where True is true."""

def true_positives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> _Any:
    """Counts predictions above the threshold where the label is True."""
