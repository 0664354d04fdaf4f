# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore.rnn.rnn_cell import RNNCell as RNNCell
from typing import Any as _Any

__all__ = [
'CrfDecodeBackwardRnnCell', 'CrfDecodeForwardRnnCell', 'CrfForwardRnnCell', 'crf_binary_score', 'crf_decode',
'crf_log_likelihood', 'crf_log_norm', 'crf_multitag_sequence_score', 'crf_sequence_score', 'crf_unary_score',
'viterbi_decode'
]

class CrfDecodeBackwardRnnCell(RNNCell):
    """Follows what `CrfDecodeForwardRnnCell` returns back from the last tag: output and state are the tag before."""
    def __init__(self, num_tags: _Any) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...

class CrfDecodeForwardRnnCell(RNNCell):
    """For each tag, the tag before it in the best sequence that ends with it (output), and its score (state)."""
    def __init__(self, transition_params: _Any) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...

class CrfForwardRnnCell(RNNCell):
    """The logarithms of the sums over all sequences that end with each tag: output and state."""
    def __init__(self, transition_params: _Any) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...

def crf_binary_score(tag_indices: _Any, sequence_lengths: _Any, transition_params: _Any) -> Tensor:
    """The sum of the potentials of each sequence's transitions."""

def crf_decode(potentials: _Any, transition_params: _Any, sequence_length: _Any) -> _Any:
    """The sequence of tags with the highest score."""

def crf_log_likelihood(inputs: _Any, tag_indices: _Any, sequence_lengths: _Any, transition_params: _Any = None) -> _Any:
    """The logarithm of the probability of each sequence of tags."""

def crf_log_norm(inputs: _Any, sequence_lengths: _Any, transition_params: _Any) -> Tensor:
    """The logarithm of the sum of exp(score) over all sequences of tags; 0 for a sequence without steps."""

def crf_multitag_sequence_score(inputs: _Any, tag_bitmap: _Any, sequence_lengths: _Any, transition_params: _Any) -> Tensor:
    """The logarithm of the sum of exp(score) over all sequences of allowed tags."""

def crf_sequence_score(inputs: _Any, tag_indices: _Any, sequence_lengths: _Any, transition_params: _Any) -> Tensor:
    """The score of each sequence of tags, not normalized; 0 for a sequence without steps."""

def crf_unary_score(tag_indices: _Any, sequence_lengths: _Any, inputs: _Any) -> Tensor:
    """The sum of the unary potentials of each sequence's tags."""

def viterbi_decode(score: _Any, transition_params: _Any) -> _Any:
    """The sequence of tags with the highest score, in NumPy."""
