# Written by python -m tfcore.tools.stubs: do not edit.

import abc
import builtins
from tfcore import DType as DType
from tfcore import Tensor as Tensor
from tfcore.rnn.rnn_cell import RNNCell as RNNCell
from typing import Any as _Any

__all__ = [
'AttentionMechanism', 'AttentionWrapper', 'AttentionWrapperState', 'BahdanauAttention', 'BahdanauMonotonicAttention',
'BasicDecoder', 'BasicDecoderOutput', 'BeamSearchDecoder', 'BeamSearchDecoderOutput', 'BeamSearchDecoderState',
'CustomHelper', 'Decoder', 'FinalBeamSearchDecoderOutput', 'GreedyEmbeddingHelper', 'Helper', 'InferenceHelper',
'LuongAttention', 'LuongMonotonicAttention', 'SampleEmbeddingHelper', 'ScheduledEmbeddingTrainingHelper',
'ScheduledOutputTrainingHelper', 'TrainingHelper', 'dynamic_decode', 'gather_tree', 'hardmax', 'monotonic_attention',
'safe_cumprod', 'sequence_loss', 'tile_batch'
]

class AttentionMechanism:
    """Interface of the attention mechanisms that an `AttentionWrapper` uses."""
    @property
    def alignments_size(self) -> _Any:
        """The memory time: the number of columns of the alignments."""
    @property
    def state_size(self) -> _Any:
        """The number of columns of the state."""

class AttentionWrapper(RNNCell):
    """Adds attention to a cell: its input is joined with the attention of the step before."""
    def __init__(self, cell: _Any, attention_mechanism: _Any, attention_layer_size: _Any = None, alignment_history: _Any = False, cell_input_fn: _Any = None, output_attention: _Any = True, initial_cell_state: _Any = None, name: str | None = None, attention_layer: _Any = None, attention_fn: _Any = None, dtype: _Any = None) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    def zero_state(self, batch_size: _Any, dtype: _Any) -> _Any:
        """The first state. Its cell_state is `initial_cell_state` if given, else zeros."""

class AttentionWrapperState(builtins.tuple):
    """State of an AttentionWrapper."""
    def __new__(_cls, cell_state: _Any, attention: _Any, time: _Any, alignments: _Any, alignment_history: _Any, attention_state: _Any) -> AttentionWrapperState:
        """Create new instance of AttentionWrapperState(cell_state, attention, time, alignments, alignment_history, attention_state)"""
    alignment_history: _Any
    alignments: _Any
    attention: _Any
    attention_state: _Any
    cell_state: _Any
    def clone(self, **kwargs: _Any) -> _Any:
        """Replaces some fields."""
    time: _Any

class BahdanauAttention(AttentionMechanism):
    """Additive attention: score = v . tanh(memory_layer(memory) + query_layer(query))."""
    def __call__(self, query: _Any, state: _Any) -> _Any: ...
    def __init__(self, num_units: _Any, memory: _Any, memory_sequence_length: _Any = None, normalize: _Any = False, probability_fn: _Any = None, score_mask_value: _Any = None, dtype: _Any = None, custom_key_value_fn: _Any = None, name: str | None = 'BahdanauAttention') -> None: ...
    @property
    def alignments_size(self) -> _Any: ...
    @property
    def batch_size(self) -> _Any: ...
    dtype: _Any
    def initial_alignments(self, batch_size: _Any, dtype: _Any) -> _Any:
        """Zeros [batch, time]."""
    def initial_state(self, batch_size: _Any, dtype: _Any) -> _Any: ...
    @property
    def keys(self) -> _Any: ...
    @property
    def memory_layer(self) -> _Any: ...
    @property
    def query_layer(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    @property
    def values(self) -> _Any: ...

class BahdanauMonotonicAttention(AttentionMechanism):
    """Monotonic attention with the score of `BahdanauAttention` and a bias, "attention_score_bias"."""
    def __call__(self, query: _Any, state: _Any) -> _Any: ...
    def __init__(self, num_units: _Any, memory: _Any, memory_sequence_length: _Any = None, normalize: _Any = False, score_mask_value: _Any = None, sigmoid_noise: _Any = 0.0, sigmoid_noise_seed: _Any = None, score_bias_init: _Any = 0.0, mode: _Any = 'parallel', dtype: _Any = None, name: str | None = 'BahdanauMonotonicAttention') -> None: ...
    @property
    def alignments_size(self) -> _Any: ...
    @property
    def batch_size(self) -> _Any: ...
    dtype: _Any
    def initial_alignments(self, batch_size: _Any, dtype: _Any) -> _Any: ...
    def initial_state(self, batch_size: _Any, dtype: _Any) -> _Any: ...
    @property
    def keys(self) -> _Any: ...
    @property
    def memory_layer(self) -> _Any: ...
    @property
    def query_layer(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    @property
    def values(self) -> _Any: ...

class BasicDecoder(Decoder):
    """Decodes with one sample in each step."""
    def __init__(self, cell: _Any, helper: _Any, initial_state: _Any, output_layer: _Any = None) -> None: ...
    @property
    def batch_size(self) -> _Any: ...
    def initialize(self, name: str | None = None) -> _Any: ...
    @property
    def output_dtype(self) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    def step(self, time: _Any, inputs: _Any, state: _Any, name: str | None = None) -> _Any: ...

class BasicDecoderOutput(builtins.tuple):
    """BasicDecoderOutput(rnn_output, sample_id)"""
    def __new__(_cls, rnn_output: _Any, sample_id: _Any) -> BasicDecoderOutput:
        """Create new instance of BasicDecoderOutput(rnn_output, sample_id)"""
    rnn_output: _Any
    sample_id: _Any

class BeamSearchDecoder(Decoder):
    """Decodes the `beam_width` most likely sequences of each example."""
    def __init__(self, cell: _Any, embedding: _Any, start_tokens: _Any, end_token: _Any, initial_state: _Any, beam_width: _Any, output_layer: _Any = None, length_penalty_weight: _Any = 0.0, coverage_penalty_weight: _Any = 0.0, reorder_tensor_arrays: _Any = True) -> None: ...
    @property
    def batch_size(self) -> _Any: ...
    def finalize(self, outputs: _Any, final_state: _Any, sequence_lengths: _Any) -> _Any: ...
    def initialize(self, name: str | None = None) -> _Any: ...
    @property
    def output_dtype(self) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    def step(self, time: _Any, inputs: _Any, state: _Any, name: str | None = None) -> _Any: ...
    @property
    def tracks_own_finished(self) -> _Any: ...

class BeamSearchDecoderOutput(builtins.tuple):
    """BeamSearchDecoderOutput(scores, predicted_ids, parent_ids)"""
    def __new__(_cls, scores: _Any, predicted_ids: _Any, parent_ids: _Any) -> BeamSearchDecoderOutput:
        """Create new instance of BeamSearchDecoderOutput(scores, predicted_ids, parent_ids)"""
    parent_ids: _Any
    predicted_ids: _Any
    scores: _Any

class BeamSearchDecoderState(builtins.tuple):
    """BeamSearchDecoderState(cell_state, log_probs, finished, lengths)"""
    def __new__(_cls, cell_state: _Any, log_probs: _Any, finished: _Any, lengths: _Any) -> BeamSearchDecoderState:
        """Create new instance of BeamSearchDecoderState(cell_state, log_probs, finished, lengths)"""
    cell_state: _Any
    finished: _Any
    lengths: _Any
    log_probs: _Any

class CustomHelper(Helper):
    """A helper defined by three functions."""
    def __init__(self, initialize_fn: _Any, sample_fn: _Any, next_inputs_fn: _Any, sample_ids_shape: _Any = None, sample_ids_dtype: _Any = None) -> None: ...
    @property
    def batch_size(self) -> _Any: ...
    def initialize(self, name: str | None = None) -> _Any: ...
    def next_inputs(self, time: _Any, outputs: _Any, state: _Any, sample_ids: _Any, name: str | None = None) -> _Any: ...
    def sample(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None) -> _Any: ...
    @property
    def sample_ids_dtype(self) -> DType:
        """The `DType` of the samples."""
    @property
    def sample_ids_shape(self) -> _Any: ...

class Decoder(abc.ABC):
    """Interface of the decoders that `dynamic_decode` runs."""
    @property
    def batch_size(self) -> _Any:
        """The number of sequences that are decoded together: an int32 scalar."""
    def finalize(self, outputs: _Any, final_state: _Any, sequence_lengths: _Any) -> _Any:
        """Called after the last step."""
    def initialize(self, name: str | None = None) -> _Any:
        """Called before the first step."""
    @property
    def output_dtype(self) -> _Any:
        """Types of the outputs of a step, nested as output_size."""
    @property
    def output_size(self) -> _Any:
        """Sizes of the outputs of a step, without the batch: a nest of ints and TensorShapes."""
    def step(self, time: _Any, inputs: _Any, state: _Any, name: str | None = None) -> _Any:
        """Runs one step."""
    @property
    def tracks_own_finished(self) -> builtins.bool:
        """Whether `finished` of a step replaces that of earlier steps, as sequences may swap places between steps."""

class FinalBeamSearchDecoderOutput(builtins.tuple):
    """predicted_ids: int32 [batch, time, beam], the best first; beam_search_decoder_output: the steps' outputs."""
    def __new__(_cls, predicted_ids: _Any, beam_search_decoder_output: _Any) -> FinalBeamSearchDecoderOutput:
        """Create new instance of FinalBeamSearchDecoderOutput(predicted_ids, beam_search_decoder_output)"""
    beam_search_decoder_output: _Any
    predicted_ids: _Any

class GreedyEmbeddingHelper(Helper):
    """Feeds the embedding of the most likely id."""
    def __init__(self, embedding: _Any, start_tokens: _Any, end_token: _Any) -> None: ...
    @property
    def batch_size(self) -> _Any: ...
    def initialize(self, name: str | None = None) -> _Any: ...
    def next_inputs(self, time: _Any, outputs: _Any, state: _Any, sample_ids: _Any, name: str | None = None) -> _Any: ...
    def sample(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None) -> _Any: ...

class Helper(abc.ABC):
    """Interface of the helpers that draw samples and choose the next inputs for a `BasicDecoder`."""
    @property
    def batch_size(self) -> _Any:
        """int32 scalar."""
    def initialize(self, name: str | None = None) -> _Any:
        """Called before the first step."""
    def next_inputs(self, time: _Any, outputs: _Any, state: _Any, sample_ids: _Any, name: str | None = None) -> _Any:
        """Chooses the inputs of the next step."""
    def sample(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None) -> Tensor:
        """Draws samples from the outputs of a step."""
    @property
    def sample_ids_dtype(self) -> DType:
        """The `DType` of the samples."""
    @property
    def sample_ids_shape(self) -> _Any:
        """Shape of one sample, without the batch."""

class InferenceHelper(Helper):
    """Feeds samples drawn by a function."""
    def __init__(self, sample_fn: _Any, sample_shape: _Any, sample_dtype: _Any, start_inputs: _Any, end_fn: _Any, next_inputs_fn: _Any = None) -> None: ...
    @property
    def batch_size(self) -> _Any: ...
    def initialize(self, name: str | None = None) -> _Any: ...
    def next_inputs(self, time: _Any, outputs: _Any, state: _Any, sample_ids: _Any, name: str | None = None) -> _Any: ...
    def sample(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None) -> _Any: ...
    @property
    def sample_ids_dtype(self) -> DType:
        """The `DType` of the samples."""
    @property
    def sample_ids_shape(self) -> _Any: ...

class LuongAttention(AttentionMechanism):
    """Multiplicative attention: score = query . memory_layer(memory)."""
    def __call__(self, query: _Any, state: _Any) -> _Any: ...
    def __init__(self, num_units: _Any, memory: _Any, memory_sequence_length: _Any = None, scale: _Any = False, probability_fn: _Any = None, score_mask_value: _Any = None, dtype: _Any = None, custom_key_value_fn: _Any = None, name: str | None = 'LuongAttention') -> None: ...
    @property
    def alignments_size(self) -> _Any: ...
    @property
    def batch_size(self) -> _Any: ...
    dtype: _Any
    def initial_alignments(self, batch_size: _Any, dtype: _Any) -> _Any:
        """Zeros [batch, time]."""
    def initial_state(self, batch_size: _Any, dtype: _Any) -> _Any: ...
    @property
    def keys(self) -> _Any: ...
    @property
    def memory_layer(self) -> _Any: ...
    @property
    def query_layer(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    @property
    def values(self) -> _Any: ...

class LuongMonotonicAttention(AttentionMechanism):
    """Monotonic attention with the score of `LuongAttention` and a bias, "attention_score_bias"."""
    def __call__(self, query: _Any, state: _Any) -> _Any: ...
    def __init__(self, num_units: _Any, memory: _Any, memory_sequence_length: _Any = None, scale: _Any = False, score_mask_value: _Any = None, sigmoid_noise: _Any = 0.0, sigmoid_noise_seed: _Any = None, score_bias_init: _Any = 0.0, mode: _Any = 'parallel', dtype: _Any = None, name: str | None = 'LuongMonotonicAttention') -> None: ...
    @property
    def alignments_size(self) -> _Any: ...
    @property
    def batch_size(self) -> _Any: ...
    dtype: _Any
    def initial_alignments(self, batch_size: _Any, dtype: _Any) -> _Any: ...
    def initial_state(self, batch_size: _Any, dtype: _Any) -> _Any: ...
    @property
    def keys(self) -> _Any: ...
    @property
    def memory_layer(self) -> _Any: ...
    @property
    def query_layer(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    @property
    def values(self) -> _Any: ...

class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds the embedding of an id drawn with the probabilities softmax(outputs)."""
    def __init__(self, embedding: _Any, start_tokens: _Any, end_token: _Any, softmax_temperature: _Any = None, seed: _Any = None) -> None: ...
    def sample(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None) -> _Any: ...

class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds the given inputs, but for some examples of each step the embeddings of sampled ids."""
    def __init__(self, inputs: _Any, sequence_length: _Any, embedding: _Any, sampling_probability: _Any, time_major: _Any = False, seed: _Any = None, scheduling_seed: _Any = None, name: str | None = None) -> None: ...
    def next_inputs(self, time: _Any, outputs: _Any, state: _Any, sample_ids: _Any, name: str | None = None) -> _Any: ...
    def sample(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None) -> _Any: ...

class ScheduledOutputTrainingHelper(TrainingHelper):
    """Feeds the given inputs, but for some examples of each step the outputs of the step before."""
    def __init__(self, inputs: _Any, sequence_length: _Any, sampling_probability: _Any, time_major: _Any = False, seed: _Any = None, next_inputs_fn: _Any = None, auxiliary_inputs: _Any = None, name: str | None = None) -> None: ...
    def next_inputs(self, time: _Any, outputs: _Any, state: _Any, sample_ids: _Any, name: str | None = None) -> _Any: ...
    def sample(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None) -> _Any: ...

class TrainingHelper(Helper):
    """Feeds the given inputs regardless of what is decoded; the samples are the most likely ids."""
    def __init__(self, inputs: _Any, sequence_length: _Any, time_major: _Any = False, name: str | None = None) -> None: ...
    @property
    def batch_size(self) -> _Any: ...
    def initialize(self, name: str | None = None) -> _Any: ...
    @property
    def inputs(self) -> _Any:
        """The inputs that the constructor was given, as `Tensor`s."""
    def next_inputs(self, time: _Any, outputs: _Any, state: _Any, name: str | None = None, **unused_kwargs: _Any) -> _Any: ...
    def sample(self, time: _Any, outputs: _Any, name: str | None = None, **unused_kwargs: _Any) -> _Any: ...
    @property
    def sequence_length(self) -> _Any:
        """The lengths of the sequences, an int32 `Tensor`."""

def dynamic_decode(decoder: _Any, output_time_major: _Any = False, impute_finished: _Any = False, maximum_iterations: _Any = None, parallel_iterations: _Any = 32, swap_memory: _Any = False, scope: _Any = None, **kwargs: _Any) -> _Any:
    """Calls `initialize` of a decoder, then `step` until all sequences are finished."""

def gather_tree(step_ids: _Any, parent_ids: _Any, max_sequence_lengths: _Any, end_token: _Any, name: str | None = None) -> Tensor:
    """Follows the beams of a beam search back from the last step and returns their sequences."""

def hardmax(logits: _Any, name: str | None = None) -> Tensor:
    """One-hot vector of the largest logit along the last dimension."""

def monotonic_attention(p_choose_i: _Any, previous_attention: _Any, mode: _Any) -> Tensor:
    """The attention to each step of a memory that is read from left to right."""

def safe_cumprod(x: _Any, *args: _Any, **kwargs: _Any) -> Tensor:
    """The cumulative product of numbers in [0, 1], as a sum of logarithms: small ones do not make it 0."""

def sequence_loss(logits: _Any, targets: _Any, weights: _Any, average_across_timesteps: _Any = True, average_across_batch: _Any = True, sum_over_timesteps: _Any = False, sum_over_batch: _Any = False, softmax_loss_function: _Any = None, name: str | None = None) -> Tensor:
    """Weighted cross entropy of sequences."""

def tile_batch(t: _Any, multiplier: _Any, name: str | None = None) -> Tensor:
    """Repeats each example of a batch: [batch, ...] becomes [batch * multiplier, ...]."""
