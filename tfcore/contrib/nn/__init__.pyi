# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore.nn import conv1d_transpose as conv1d_transpose
from tfcore.nn import nth_element as nth_element
from typing import Any as _Any

__all__ = [
'alpha_dropout', 'conv1d_transpose', 'deprecated_flipped_sigmoid_cross_entropy_with_logits',
'deprecated_flipped_softmax_cross_entropy_with_logits', 'deprecated_flipped_sparse_softmax_cross_entropy_with_logits',
'nth_element', 'sampled_sparse_softmax_loss', 'scaled_softplus'
]

def alpha_dropout(x: _Any, keep_prob: _Any, noise_shape: _Any = None, seed: _Any = None, name: str | None = None) -> Tensor:
    """Dropout for SELU: keeps mean and variance of its values, if they are 0 and 1."""

def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits: _Any, targets: _Any, name: str | None = None) -> Tensor:
    """`tf.nn.sigmoid_cross_entropy_with_logits` with the logits first, as before TensorFlow 1.0."""

def deprecated_flipped_softmax_cross_entropy_with_logits(logits: _Any, labels: _Any, dim: _Any = -1, name: str | None = None) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` with the logits first, as before TensorFlow 1.0."""

def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits: _Any, labels: _Any, name: str | None = None) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with the logits first, as before TensorFlow 1.0."""

def sampled_sparse_softmax_loss(weights: _Any, biases: _Any, labels: _Any, inputs: _Any, num_sampled: _Any, num_classes: _Any, sampled_values: _Any = None, remove_accidental_hits: _Any = True, partition_strategy: _Any = 'mod', name: str | None = 'sampled_sparse_softmax_loss') -> Tensor:
    """`tf.nn.sampled_softmax_loss` of examples with one class each."""

def scaled_softplus(x: _Any, alpha: _Any, clip: _Any = None, name: str | None = None) -> Tensor:
    """alpha * log(1 + exp(x / alpha)), at most `clip`: alpha says how smooth the bend at 0 is."""
