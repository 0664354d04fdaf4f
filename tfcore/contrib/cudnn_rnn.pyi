# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.contrib.rnn import LSTMBlockCell as LSTMBlockCell
from tfcore.layers import Layer as Layer
from tfcore.rnn.rnn_cell import GRUCell as GRUCell
from typing import Any as _Any

__all__ = [
'CUDNN_GRU', 'CUDNN_GRU_PARAMS_PER_LAYER', 'CUDNN_INPUT_AUTO_MODE', 'CUDNN_INPUT_LINEAR_MODE', 'CUDNN_INPUT_SKIP_MODE',
'CUDNN_LSTM', 'CUDNN_LSTM_PARAMS_PER_LAYER', 'CUDNN_RNN_BIDIRECTION', 'CUDNN_RNN_RELU',
'CUDNN_RNN_RELU_PARAMS_PER_LAYER', 'CUDNN_RNN_TANH', 'CUDNN_RNN_TANH_PARAMS_PER_LAYER', 'CUDNN_RNN_UNIDIRECTION',
'CudnnCompatibleGRUCell', 'CudnnCompatibleLSTMCell', 'CudnnGRU', 'CudnnLSTM', 'CudnnRNNRelu', 'CudnnRNNTanh'
]

CUDNN_GRU: str

CUDNN_GRU_PARAMS_PER_LAYER: int

CUDNN_INPUT_AUTO_MODE: str

CUDNN_INPUT_LINEAR_MODE: str

CUDNN_INPUT_SKIP_MODE: str

CUDNN_LSTM: str

CUDNN_LSTM_PARAMS_PER_LAYER: int

CUDNN_RNN_BIDIRECTION: str

CUDNN_RNN_RELU: str

CUDNN_RNN_RELU_PARAMS_PER_LAYER: int

CUDNN_RNN_TANH: str

CUDNN_RNN_TANH_PARAMS_PER_LAYER: int

CUDNN_RNN_UNIDIRECTION: str

class CudnnCompatibleGRUCell(GRUCell):
    """The cell of a layer of `CudnnGRU`: a GRU whose reset gate acts on the product of h."""
    def __init__(self, num_units: _Any, reuse: _Any = None, kernel_initializer: _Any = None) -> None: ...
    def build(self, inputs_shape: _Any) -> _Any: ...
    built: _Any
    def call(self, inputs: _Any, state: _Any) -> _Any: ...

class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The cell of a layer of `CudnnLSTM`: an `LSTMBlockCell` without a bias of the forget gate."""
    def __init__(self, num_units: _Any, reuse: _Any = None) -> None: ...

class CudnnGRU(Layer):
    """GRU of several layers. Unlike in `GRUCell`, the reset gate acts on the product of h."""
    def __init__(self, num_layers: _Any, num_units: _Any, input_mode: _Any = 'linear_input', direction: _Any = 'unidirectional', dropout: _Any = 0.0, seed: _Any = None, dtype: _Any = ..., kernel_initializer: _Any = None, bias_initializer: _Any = None, name: str | None = None) -> None: ...
    def build(self, input_shape: _Any) -> _Any:
        """Creates the variable."""
    built: _Any
    def call(self, inputs: _Any, initial_state: _Any = None, sequence_lengths: _Any = None, time_major: _Any = True, training: _Any = True) -> _Any:
        """Runs the network."""
    @property
    def canonical_bias_shapes(self) -> _Any:
        """The shapes of all biases, in the same order."""
    @property
    def canonical_weight_shapes(self) -> _Any:
        """The shapes of all matrices: of a layer and a direction, those of the inputs, then those of h."""
    @property
    def direction(self) -> _Any:
        """"unidirectional" or "bidirectional"."""
    @property
    def input_mode(self) -> _Any:
        """How the inputs get to the first layer."""
    @property
    def input_size(self) -> _Any:
        """The size of an input, once the layer is built."""
    input_spec: _Any
    kernel: _Any
    @property
    def num_dirs(self) -> _Any:
        """The number of directions."""
    @property
    def num_layers(self) -> _Any:
        """The number of layers."""
    @property
    def num_units(self) -> _Any:
        """The size of a layer, in each direction."""
    @property
    def rnn_mode(self) -> _Any:
        """The kind of the network: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
    def state_shape(self, batch_size: _Any) -> _Any:
        """The shapes of the state."""

class CudnnLSTM(Layer):
    """LSTM of several layers."""
    def __init__(self, num_layers: _Any, num_units: _Any, input_mode: _Any = 'linear_input', direction: _Any = 'unidirectional', dropout: _Any = 0.0, seed: _Any = None, dtype: _Any = ..., kernel_initializer: _Any = None, bias_initializer: _Any = None, name: str | None = None) -> None: ...
    def build(self, input_shape: _Any) -> _Any:
        """Creates the variable."""
    built: _Any
    def call(self, inputs: _Any, initial_state: _Any = None, sequence_lengths: _Any = None, time_major: _Any = True, training: _Any = True) -> _Any:
        """Runs the network."""
    @property
    def canonical_bias_shapes(self) -> _Any:
        """The shapes of all biases, in the same order."""
    @property
    def canonical_weight_shapes(self) -> _Any:
        """The shapes of all matrices: of a layer and a direction, those of the inputs, then those of h."""
    @property
    def direction(self) -> _Any:
        """"unidirectional" or "bidirectional"."""
    @property
    def input_mode(self) -> _Any:
        """How the inputs get to the first layer."""
    @property
    def input_size(self) -> _Any:
        """The size of an input, once the layer is built."""
    input_spec: _Any
    kernel: _Any
    @property
    def num_dirs(self) -> _Any:
        """The number of directions."""
    @property
    def num_layers(self) -> _Any:
        """The number of layers."""
    @property
    def num_units(self) -> _Any:
        """The size of a layer, in each direction."""
    @property
    def rnn_mode(self) -> _Any:
        """The kind of the network: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
    def state_shape(self, batch_size: _Any) -> _Any:
        """The shapes of the state."""

class CudnnRNNRelu(Layer):
    """Plain network of several layers, with ReLU."""
    def __init__(self, num_layers: _Any, num_units: _Any, input_mode: _Any = 'linear_input', direction: _Any = 'unidirectional', dropout: _Any = 0.0, seed: _Any = None, dtype: _Any = ..., kernel_initializer: _Any = None, bias_initializer: _Any = None, name: str | None = None) -> None: ...
    def build(self, input_shape: _Any) -> _Any:
        """Creates the variable."""
    built: _Any
    def call(self, inputs: _Any, initial_state: _Any = None, sequence_lengths: _Any = None, time_major: _Any = True, training: _Any = True) -> _Any:
        """Runs the network."""
    @property
    def canonical_bias_shapes(self) -> _Any:
        """The shapes of all biases, in the same order."""
    @property
    def canonical_weight_shapes(self) -> _Any:
        """The shapes of all matrices: of a layer and a direction, those of the inputs, then those of h."""
    @property
    def direction(self) -> _Any:
        """"unidirectional" or "bidirectional"."""
    @property
    def input_mode(self) -> _Any:
        """How the inputs get to the first layer."""
    @property
    def input_size(self) -> _Any:
        """The size of an input, once the layer is built."""
    input_spec: _Any
    kernel: _Any
    @property
    def num_dirs(self) -> _Any:
        """The number of directions."""
    @property
    def num_layers(self) -> _Any:
        """The number of layers."""
    @property
    def num_units(self) -> _Any:
        """The size of a layer, in each direction."""
    @property
    def rnn_mode(self) -> _Any:
        """The kind of the network: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
    def state_shape(self, batch_size: _Any) -> _Any:
        """The shapes of the state."""

class CudnnRNNTanh(Layer):
    """Plain network of several layers, with tanh."""
    def __init__(self, num_layers: _Any, num_units: _Any, input_mode: _Any = 'linear_input', direction: _Any = 'unidirectional', dropout: _Any = 0.0, seed: _Any = None, dtype: _Any = ..., kernel_initializer: _Any = None, bias_initializer: _Any = None, name: str | None = None) -> None: ...
    def build(self, input_shape: _Any) -> _Any:
        """Creates the variable."""
    built: _Any
    def call(self, inputs: _Any, initial_state: _Any = None, sequence_lengths: _Any = None, time_major: _Any = True, training: _Any = True) -> _Any:
        """Runs the network."""
    @property
    def canonical_bias_shapes(self) -> _Any:
        """The shapes of all biases, in the same order."""
    @property
    def canonical_weight_shapes(self) -> _Any:
        """The shapes of all matrices: of a layer and a direction, those of the inputs, then those of h."""
    @property
    def direction(self) -> _Any:
        """"unidirectional" or "bidirectional"."""
    @property
    def input_mode(self) -> _Any:
        """How the inputs get to the first layer."""
    @property
    def input_size(self) -> _Any:
        """The size of an input, once the layer is built."""
    input_spec: _Any
    kernel: _Any
    @property
    def num_dirs(self) -> _Any:
        """The number of directions."""
    @property
    def num_layers(self) -> _Any:
        """The number of layers."""
    @property
    def num_units(self) -> _Any:
        """The size of a layer, in each direction."""
    @property
    def rnn_mode(self) -> _Any:
        """The kind of the network: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
    def state_shape(self, batch_size: _Any) -> _Any:
        """The shapes of the state."""
