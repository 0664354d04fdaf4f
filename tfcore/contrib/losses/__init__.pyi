# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore.contrib.losses import metric_learning as metric_learning
from tfcore.losses import get_losses as get_losses
from tfcore.losses import get_regularization_losses as get_regularization_losses
from typing import Any as _Any

__all__ = [
'absolute_difference', 'add_loss', 'compute_weighted_loss', 'cosine_distance', 'get_losses',
'get_regularization_losses', 'get_total_loss', 'hinge_loss', 'log_loss', 'mean_pairwise_squared_error',
'mean_squared_error', 'metric_learning', 'sigmoid_cross_entropy', 'softmax_cross_entropy',
'sparse_softmax_cross_entropy'
]

def absolute_difference(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, scope: _Any = None) -> Tensor:
    """The absolute difference |predictions - labels|."""

def add_loss(loss: _Any, loss_collection: _Any = 'losses') -> _Any:
    """Adds a loss to a collection of the default graph."""

def compute_weighted_loss(losses: _Any, weights: _Any = 1.0, scope: _Any = None) -> Tensor:
    """The weighted sum of losses over the number of those whose weight is not 0."""

def cosine_distance(predictions: _Any, labels: _Any = None, axis: _Any = None, weights: _Any = 1.0, scope: _Any = None, dim: _Any = None) -> Tensor:
    """The cosine distance 1 - sum(labels * predictions) of vectors that have unit length."""

def get_total_loss(add_regularization_losses: _Any = True, name: str | None = 'total_loss') -> Tensor:
    """The sum of the losses in the collection LOSSES and, by default, of those that regularizers added."""

def hinge_loss(logits: _Any, labels: _Any = None, scope: _Any = None) -> Tensor:
    """The hinge loss of each element: max(0, 1 - logits) where the label is 1, max(0, 1 + logits) where it is 0."""

def log_loss(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, epsilon: _Any = 1e-07, scope: _Any = None) -> Tensor:
    """The logarithmic loss -labels * log(predictions) - (1 - labels) * log(1 - predictions)."""

def mean_pairwise_squared_error(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, scope: _Any = None) -> Tensor:
    """The squares of how far differences between two predictions are from those of their labels, for all pairs."""

def mean_squared_error(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, scope: _Any = None) -> Tensor:
    """The square (predictions - labels)^2."""

def sigmoid_cross_entropy(logits: _Any, multi_class_labels: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: _Any = None) -> Tensor:
    """The cross-entropy of independent classes."""

def softmax_cross_entropy(logits: _Any, onehot_labels: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: _Any = None) -> Tensor:
    """The cross-entropy of classes of which one is right."""

def sparse_softmax_cross_entropy(logits: _Any, labels: _Any, weights: _Any = 1.0, scope: _Any = None) -> Tensor:
    """The cross-entropy of classes of which one is right, given by its index."""
