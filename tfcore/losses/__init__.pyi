# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'Reduction', 'absolute_difference', 'add_loss', 'compute_weighted_loss', 'cosine_distance', 'get_losses',
'get_regularization_loss', 'get_regularization_losses', 'get_total_loss', 'hinge_loss', 'huber_loss', 'log_loss',
'mean_pairwise_squared_error', 'mean_squared_error', 'sigmoid_cross_entropy', 'softmax_cross_entropy',
'sparse_softmax_cross_entropy'
]

class Reduction:
    """How a loss per element becomes one number."""
    MEAN: _Any
    NONE: _Any
    SUM: _Any
    SUM_BY_NONZERO_WEIGHTS: _Any
    SUM_OVER_BATCH_SIZE: _Any
    SUM_OVER_NONZERO_WEIGHTS: _Any
    @classmethod
    def all(cls) -> _Any:
        """All reductions."""
    @classmethod
    def validate(cls, key: _Any) -> _Any:
        """Checks that a value is a reduction."""

def absolute_difference(labels: _Any, predictions: _Any, weights: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The absolute difference |predictions - labels|."""

def add_loss(loss: _Any, loss_collection: _Any = 'losses') -> _Any:
    """Adds a loss to a collection of the default graph."""

def compute_weighted_loss(losses: _Any, weights: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> Tensor:
    """Weights a loss per element and reduces it."""

def cosine_distance(labels: _Any, predictions: _Any, axis: _Any = None, weights: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights', dim: _Any = None) -> _Any:
    """The cosine distance 1 - sum(labels * predictions) of vectors that have unit length."""

def get_losses(scope: _Any = None, loss_collection: _Any = 'losses') -> list[Tensor]:
    """The losses in a collection of the default graph."""

def get_regularization_loss(scope: _Any = None, name: str | None = 'total_regularization_loss') -> Tensor:
    """The sum of the losses that regularizers added."""

def get_regularization_losses(scope: _Any = None) -> list[Tensor]:
    """The losses that regularizers of variables and layers added."""

def get_total_loss(add_regularization_losses: _Any = True, name: str | None = 'total_loss', scope: _Any = None) -> Tensor:
    """The sum of the losses in the collection LOSSES and, by default, of those that regularizers added."""

def hinge_loss(labels: _Any, logits: _Any, weights: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The hinge loss max(0, 1 - logits) where the label is 1, max(0, 1 + logits) where it is 0."""

def huber_loss(labels: _Any, predictions: _Any, weights: _Any = 1.0, delta: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """Huber's loss (1964): with error e, e^2 / 2 where |e| <= delta, delta * |e| - delta^2 / 2 elsewhere."""

def log_loss(labels: _Any, predictions: _Any, weights: _Any = 1.0, epsilon: _Any = 1e-07, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The logarithmic loss -labels * log(predictions) - (1 - labels) * log(1 - predictions)."""

def mean_pairwise_squared_error(labels: _Any, predictions: _Any, weights: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses') -> _Any:
    """The mean squared difference of the errors of all pairs of elements, summed over the examples."""

def mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> _Any:
    """The squared difference (predictions - labels)^2."""

def sigmoid_cross_entropy(multi_class_labels: _Any, logits: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> Tensor:
    """The cross entropy of independent labels and the sigmoid of logits."""

def softmax_cross_entropy(onehot_labels: _Any, logits: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> Tensor:
    """The cross entropy of the labels' distributions and the softmax of logits."""

def sparse_softmax_cross_entropy(labels: _Any, logits: _Any, weights: _Any = 1.0, scope: _Any = None, loss_collection: _Any = 'losses', reduction: _Any = 'weighted_sum_by_nonzero_weights') -> Tensor:
    """The cross entropy of the labels' classes and the softmax of logits."""
