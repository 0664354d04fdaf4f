# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from typing import Any as _Any

__all__ = [
'attention_decoder', 'basic_rnn_seq2seq', 'embedding_attention_decoder', 'embedding_attention_seq2seq',
'embedding_rnn_decoder', 'embedding_rnn_seq2seq', 'embedding_tied_rnn_seq2seq', 'model_with_buckets',
'one2many_rnn_seq2seq', 'rnn_decoder', 'sequence_loss', 'sequence_loss_by_example', 'tied_rnn_seq2seq'
]

def attention_decoder(decoder_inputs: _Any, initial_state: _Any, attention_states: _Any, cell: _Any, output_size: _Any = None, num_heads: _Any = 1, loop_function: _Any = None, dtype: _Any = None, scope: _Any = None, initial_state_attention: _Any = False) -> _Any:
    """Runs a cell over a list of inputs, each with what attention to given states read after the step before."""

def basic_rnn_seq2seq(encoder_inputs: _Any, decoder_inputs: _Any, cell: _Any, dtype: _Any = ..., scope: _Any = None) -> _Any:
    """Encodes a list of inputs into a state, and decodes another list from it."""

def embedding_attention_decoder(decoder_inputs: _Any, initial_state: _Any, attention_states: _Any, cell: _Any, num_symbols: _Any, embedding_size: _Any, num_heads: _Any = 1, output_size: _Any = None, output_projection: _Any = None, feed_previous: _Any = False, update_embedding_for_previous: _Any = True, dtype: _Any = None, scope: _Any = None, initial_state_attention: _Any = False) -> _Any:
    """`attention_decoder` over symbols, whose embedding is the variable "embedding"."""

def embedding_attention_seq2seq(encoder_inputs: _Any, decoder_inputs: _Any, cell: _Any, num_encoder_symbols: _Any, num_decoder_symbols: _Any, embedding_size: _Any, num_heads: _Any = 1, output_projection: _Any = None, feed_previous: _Any = False, dtype: _Any = None, scope: _Any = None, initial_state_attention: _Any = False) -> _Any:
    """`embedding_rnn_seq2seq` whose decoder attends to the outputs of the encoder."""

def embedding_rnn_decoder(decoder_inputs: _Any, initial_state: _Any, cell: _Any, num_symbols: _Any, embedding_size: _Any, output_projection: _Any = None, feed_previous: _Any = False, update_embedding_for_previous: _Any = True, scope: _Any = None) -> _Any:
    """`rnn_decoder` over symbols, whose embedding is the variable "embedding"."""

def embedding_rnn_seq2seq(encoder_inputs: _Any, decoder_inputs: _Any, cell: _Any, num_encoder_symbols: _Any, num_decoder_symbols: _Any, embedding_size: _Any, output_projection: _Any = None, feed_previous: _Any = False, dtype: _Any = None, scope: _Any = None) -> _Any:
    """`basic_rnn_seq2seq` over symbols; encoder and decoder have embeddings of their own."""

def embedding_tied_rnn_seq2seq(encoder_inputs: _Any, decoder_inputs: _Any, cell: _Any, num_symbols: _Any, embedding_size: _Any, num_decoder_symbols: _Any = None, output_projection: _Any = None, feed_previous: _Any = False, dtype: _Any = None, scope: _Any = None) -> _Any:
    """`tied_rnn_seq2seq` over symbols; encoder and decoder share the embedding, too."""

def model_with_buckets(encoder_inputs: _Any, decoder_inputs: _Any, targets: _Any, weights: _Any, buckets: _Any, seq2seq: _Any, softmax_loss_function: _Any = None, per_example_loss: _Any = False, name: str | None = None) -> _Any:
    """A model for sequences of several lengths: for each bucket of lengths its outputs and loss, with shared variables."""

def one2many_rnn_seq2seq(encoder_inputs: _Any, decoder_inputs_dict: _Any, enc_cell: _Any, dec_cells_dict: _Any, num_encoder_symbols: _Any, num_decoder_symbols_dict: _Any, embedding_size: _Any, feed_previous: _Any = False, dtype: _Any = None, scope: _Any = None) -> _Any:
    """`embedding_rnn_seq2seq` with one encoder and several decoders."""

def rnn_decoder(decoder_inputs: _Any, initial_state: _Any, cell: _Any, loop_function: _Any = None, scope: _Any = None) -> _Any:
    """Runs a cell over a list of inputs, or over what a function makes of its outputs."""

def sequence_loss(logits: _Any, targets: _Any, weights: _Any, average_across_timesteps: _Any = True, average_across_batch: _Any = True, softmax_loss_function: _Any = None, name: str | None = None) -> Tensor:
    """Weighted cross entropy of all sequences together."""

def sequence_loss_by_example(logits: _Any, targets: _Any, weights: _Any, average_across_timesteps: _Any = True, softmax_loss_function: _Any = None, name: str | None = None) -> Tensor:
    """Weighted cross entropy of each sequence."""

def tied_rnn_seq2seq(encoder_inputs: _Any, decoder_inputs: _Any, cell: _Any, loop_function: _Any = None, dtype: _Any = ..., scope: _Any = None) -> _Any:
    """`basic_rnn_seq2seq` whose encoder and decoder share their variables."""
