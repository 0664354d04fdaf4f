# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Tensor as Tensor
from tfcore.nn import static_bidirectional_rnn as static_bidirectional_rnn
from tfcore.nn import static_rnn as static_rnn
from tfcore.nn import static_state_saving_rnn as static_state_saving_rnn
from tfcore.rnn.rnn_cell import BasicLSTMCell as BasicLSTMCell
from tfcore.rnn.rnn_cell import BasicRNNCell as BasicRNNCell
from tfcore.rnn.rnn_cell import DeviceWrapper as DeviceWrapper
from tfcore.rnn.rnn_cell import DropoutWrapper as DropoutWrapper
from tfcore.rnn.rnn_cell import GRUCell as GRUCell
from tfcore.rnn.rnn_cell import LSTMCell as LSTMCell
from tfcore.rnn.rnn_cell import LSTMStateTuple as LSTMStateTuple
from tfcore.rnn.rnn_cell import MultiRNNCell as MultiRNNCell
from tfcore.rnn.rnn_cell import RNNCell as RNNCell
from tfcore.rnn.rnn_cell import ResidualWrapper as ResidualWrapper
from typing import Any as _Any

__all__ = [
'AttentionCellWrapper', 'BasicLSTMCell', 'BasicRNNCell', 'DeviceWrapper', 'DropoutWrapper', 'EmbeddingWrapper',
'GRUBlockCell', 'GRUBlockCellV2', 'GRUCell', 'InputProjectionWrapper', 'LSTMBlockCell', 'LSTMBlockFusedCell',
'LSTMCell', 'LSTMStateTuple', 'LayerNormBasicLSTMCell', 'MultiRNNCell', 'OutputProjectionWrapper', 'RNNCell',
'ResidualWrapper', 'stack_bidirectional_dynamic_rnn', 'stack_bidirectional_rnn', 'static_bidirectional_rnn',
'static_rnn', 'static_state_saving_rnn', 'transpose_batch_time'
]

class AttentionCellWrapper(RNNCell):
    """Adds attention to the states of the last `attn_length` steps."""
    def __init__(self, cell: _Any, attn_length: _Any, attn_size: _Any = None, attn_vec_size: _Any = None, input_size: _Any = None, state_is_tuple: _Any = True, reuse: _Any = None) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...

class EmbeddingWrapper(RNNCell):
    """Looks up its inputs, ids of shape [batch] or [batch, 1], in an embedding matrix."""
    def __init__(self, cell: _Any, embedding_classes: _Any, embedding_size: _Any, initializer: _Any = None, reuse: _Any = None) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    def zero_state(self, batch_size: _Any, dtype: _Any) -> _Any: ...

class GRUBlockCell(GRUBlockCellV2):
    """A `GRUCell` whose variables are called w_ru, b_ru, w_c and b_c."""

class GRUBlockCellV2(GRUCell):
    """A `GRUCell`, whose variables and values it has."""
    def __init__(self, num_units: _Any = None, cell_size: _Any = None, reuse: _Any = None, name: str | None = 'gru_cell') -> None: ...

class InputProjectionWrapper(RNNCell):
    """Projects the inputs of a cell to `num_proj` columns."""
    def __init__(self, cell: _Any, num_proj: _Any, activation: _Any = None, input_size: _Any = None, reuse: _Any = None) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    def zero_state(self, batch_size: _Any, dtype: _Any) -> _Any: ...

class LSTMBlockCell(LSTMCell):
    """An `LSTMCell`, whose variables and values it has."""
    def __init__(self, num_units: _Any, forget_bias: _Any = 1.0, cell_clip: _Any = None, use_peephole: _Any = False, dtype: _Any = None, reuse: _Any = None, name: str | None = 'lstm_cell') -> None: ...

class LSTMBlockFusedCell(LSTMBlockCell):
    """An LSTM over whole sequences: `outputs, state = cell(inputs, dtype=tf.float32)`."""
    def __call__(self, inputs: _Any, initial_state: _Any = None, dtype: _Any = None, sequence_length: _Any = None, scope: _Any = None) -> _Any:
        """Computes all steps."""
    def __init__(self, num_units: _Any, forget_bias: _Any = 1.0, cell_clip: _Any = None, use_peephole: _Any = False, reuse: _Any = None, dtype: _Any = None, name: str | None = 'lstm_fused_cell') -> None: ...
    def build(self, inputs_shape: _Any) -> _Any: ...
    def call(self, inputs: _Any, state: _Any, state_dtype: _Any, lengths: _Any) -> _Any: ...

class LayerNormBasicLSTMCell(RNNCell):
    """LSTM with layer normalization of the gates and recurrent dropout of the candidate."""
    def __init__(self, num_units: _Any, forget_bias: _Any = 1.0, input_size: _Any = None, activation: _Any = ..., layer_norm: _Any = True, norm_gain: _Any = 1.0, norm_shift: _Any = 0.0, dropout_keep_prob: _Any = 1.0, dropout_prob_seed: _Any = None, reuse: _Any = None) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...

class OutputProjectionWrapper(RNNCell):
    """Projects the outputs of a cell to `output_size` columns."""
    def __init__(self, cell: _Any, output_size: _Any, activation: _Any = None, reuse: _Any = None) -> None: ...
    def call(self, inputs: _Any, state: _Any) -> _Any: ...
    @property
    def output_size(self) -> _Any: ...
    @property
    def state_size(self) -> _Any: ...
    def zero_state(self, batch_size: _Any, dtype: _Any) -> _Any: ...

def stack_bidirectional_dynamic_rnn(cells_fw: _Any, cells_bw: _Any, inputs: _Any, initial_states_fw: _Any = None, initial_states_bw: _Any = None, dtype: _Any = None, sequence_length: _Any = None, parallel_iterations: _Any = None, time_major: _Any = False, scope: _Any = None, swap_memory: _Any = False) -> _Any:
    """Stacks layers of `bidirectional_dynamic_rnn`."""

def stack_bidirectional_rnn(cells_fw: _Any, cells_bw: _Any, inputs: _Any, initial_states_fw: _Any = None, initial_states_bw: _Any = None, dtype: _Any = None, sequence_length: _Any = None, scope: _Any = None) -> _Any:
    """Stacks layers of `static_bidirectional_rnn`."""

def transpose_batch_time(x: _Any) -> Tensor:
    """Swaps the first two dimensions: [batch, time, ...] becomes [time, batch, ...], and back."""
