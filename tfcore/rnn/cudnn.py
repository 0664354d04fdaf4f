"""tf.contrib.cudnn_rnn: networks of several layers, in the arithmetic of cuDNN, as graph code for all devices.

The weights of all layers are one variable, `opaque_kernel`: first the matrices of each layer and direction, then the
biases, each in the order of `canonical_weight_shapes`.
"""

import math

from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.base import Layer
from tfcore.layers.input_spec import InputSpec
from tfcore.ops.array.array import reshape, shape, transpose
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat, split, stack, unstack
from tfcore.ops.array.move import reverse, reverse_sequence
from tfcore.ops.cwise.unary import sigmoid, tanh
from tfcore.ops.linalg.matmul import matmul, tensordot
from tfcore.ops.nn.activations import relu
from tfcore.ops.nn.basic import bias_add, dropout
from tfcore.rnn.base import RNNCell, input_depth
from tfcore.rnn.block_cells import LSTMBlockCell
from tfcore.rnn.cells import GRUCell
from tfcore.rnn.dynamic import dynamic_rnn
from tfcore.variables.initializers import constant_initializer, glorot_uniform_initializer, zeros_initializer

CUDNN_RNN_UNIDIRECTION = "unidirectional"
CUDNN_RNN_BIDIRECTION = "bidirectional"
CUDNN_LSTM = "lstm"
CUDNN_GRU = "gru"
CUDNN_RNN_RELU = "rnn_relu"
CUDNN_RNN_TANH = "rnn_tanh"
CUDNN_INPUT_LINEAR_MODE = "linear_input"
CUDNN_INPUT_SKIP_MODE = "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"
# Weights of the inputs and of the hidden state.
CUDNN_LSTM_PARAMS_PER_LAYER = 8
CUDNN_GRU_PARAMS_PER_LAYER = 6
CUDNN_RNN_TANH_PARAMS_PER_LAYER = 2
CUDNN_RNN_RELU_PARAMS_PER_LAYER = 2


class _Step(RNNCell):
    """A step of one layer, whose inputs have been multiplied by their weights.

    Args:
      function: A function of the product of the inputs, of that of h, and of the state, which returns the new state.
      weights: The weights of h, [units, gates * units].
      bias: The bias of that product.
      state_size: Sizes of the state, the first of them that of h.
    """

    def __init__(self, function, weights, bias, state_size):
        super().__init__(dtype=weights.dtype)
        self._function, self._weights, self._bias, self._size = function, weights, bias, state_size

    @property
    def state_size(self):
        return self._size

    @property
    def output_size(self):
        return self._size[0]

    def __call__(self, inputs, state, scope=None):
        state = self._function(inputs, bias_add(matmul(state[0], self._weights), self._bias), state)
        return state[0], state


def _lstm_step(inputs, hidden, state):
    i, f, new, o = split(inputs + hidden, 4, axis=1)
    c = sigmoid(f) * state[1] + sigmoid(i) * tanh(new)
    return sigmoid(o) * tanh(c), c


def _gru_step(inputs, hidden, state):
    (r, u, new), (r_h, u_h, new_h) = (split(x, 3, axis=1) for x in (inputs, hidden))
    u = sigmoid(u + u_h)
    return ((1 - u) * tanh(new + sigmoid(r + r_h) * new_h) + u * state[0],)


class _CudnnRNN(Layer):
    """A network of several layers. Subclasses say which.

    Args:
      num_layers: An int.
      num_units: An int: the size of each layer, in each direction.
      input_mode: "linear_input": inputs are multiplied by weights. The other modes of TensorFlow are refused.
      direction: "unidirectional" or "bidirectional".
      dropout: The rate of dropout between layers, while training.
      seed: The seed of initializers and dropout.
      dtype: tf.float16, tf.float32 or tf.float64.
      kernel_initializer: Initializer of each matrix; Glorot's uniform one by default.
      bias_initializer: Initializer of each bias; zeros by default.
      name: Name of the layer.

    Raises:
      ValueError: A mode, direction or type is unknown.
      NotImplementedError: Inputs would skip the weights.
    """

    _gates, _states, _mode, _function = 1, 1, None, None

    def __init__(
        self,
        num_layers,
        num_units,
        input_mode=CUDNN_INPUT_LINEAR_MODE,
        direction=CUDNN_RNN_UNIDIRECTION,
        dropout=0.0,
        seed=None,
        dtype=dtypes.float32,
        kernel_initializer=None,
        bias_initializer=None,
        name=None,
    ):
        super().__init__(dtype=dtype, name=name)
        _check_known("direction", direction, (CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION))
        modes = (CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE, CUDNN_INPUT_AUTO_MODE)
        _check_known("input_mode", input_mode, modes)
        if dtypes.as_dtype(dtype) not in (dtypes.float16, dtypes.float32, dtypes.float64):
            raise ValueError(f"Only support float16, float32, float64, provided {dtype}")
        if input_mode == CUDNN_INPUT_SKIP_MODE:
            raise NotImplementedError("tfcore does not have input_mode='skip_input': use 'linear_input'")
        self._layers, self._units, self._input_mode, self._direction = num_layers, num_units, input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._kernel_initializer = kernel_initializer or glorot_uniform_initializer(seed=seed)
        self._bias_initializer = bias_initializer or zeros_initializer()
        self._input_size = None

    @property
    def num_layers(self):
        """The number of layers."""
        return self._layers

    @property
    def num_units(self):
        """The size of a layer, in each direction."""
        return self._units

    @property
    def input_mode(self):
        """How the inputs get to the first layer."""
        return self._input_mode

    @property
    def input_size(self):
        """The size of an input, once the layer is built."""
        if self._input_size is None:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._input_size

    @property
    def rnn_mode(self):
        """The kind of the network: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
        return self._mode

    @property
    def direction(self):
        """ "unidirectional" or "bidirectional"."""
        return self._direction

    @property
    def num_dirs(self):
        """The number of directions."""
        return 1 if self._direction == CUDNN_RNN_UNIDIRECTION else 2

    @property
    def canonical_weight_shapes(self):
        """The shapes of all matrices: of a layer and a direction, those of the inputs, then those of h."""
        sizes = [self.input_size] + [self.num_dirs * self._units] * (self._layers - 1)
        return [
            (self._units, depth)
            for size in sizes
            for _ in range(self.num_dirs)
            for depth in [size] * self._gates + [self._units] * self._gates
        ]

    @property
    def canonical_bias_shapes(self):
        """The shapes of all biases, in the same order."""
        return [[self._units]] * (2 * self._gates * self.num_dirs * self._layers)

    def state_shape(self, batch_size):
        """The shapes of the state.

        Args:
          batch_size: The size of a batch.

        Returns:
          A tuple with a list for each part of the state.
        """
        return ([self._layers * self.num_dirs, batch_size, self._units],) * self._states

    def build(self, input_shape):
        """Creates the variable.

        Args:
          input_shape: Shape of the inputs: three dimensions, of which the last is known.
        """
        dims = TensorShape(input_shape)
        if dims.ndims != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {dims.ndims}")
        if dims[-1].value is None:
            raise ValueError("The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`.")
        self._input_size = dims[-1].value
        if self._input_mode == CUDNN_INPUT_AUTO_MODE and self._input_size == self._units:
            raise NotImplementedError(
                "tfcore does not have input_mode='auto_select' for inputs of num_units columns, which would skip the "
                "weights: use 'linear_input'"
            )
        self.input_spec = InputSpec(ndim=3, axes={-1: self._input_size})
        weights, biases = self.canonical_weight_shapes, self.canonical_bias_shapes
        size = sum(math.prod(dims) for dims in weights + biases)

        def initial(_, dtype=None, partition_info=None):
            parts = [self._kernel_initializer(dims, dtype=dtype) for dims in weights]
            parts += [self._bias_initializer(dims, dtype=dtype) for dims in biases]
            return concat([reshape(part, [-1]) for part in parts], 0)

        self.kernel = self.add_variable("opaque_kernel", [size], initializer=initial)
        self.built = True

    def call(self, inputs, initial_state=None, sequence_lengths=None, time_major=True, training=True):
        """Runs the network.

        Args:
          inputs: A `Tensor` of shape [time, batch, depth], or [batch, time, depth] if not `time_major`.
          initial_state: A tuple of `Tensor`s of shape [layers * directions, batch, units], or [batch, layers *
            directions, units] if not `time_major`: h, and c of an LSTM. Zeros by default.
          sequence_lengths: int32 lengths of the sequences (optional). Outputs behind them are 0.
          time_major: Whether time is the first dimension.
          training: Whether there is dropout.

        Returns:
          The outputs of the last layer, of shape [time, batch, directions * units], and a tuple: the last state.

        Raises:
          TypeError: `initial_state` is not a tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        x = convert_to_tensor(inputs, dtype=self.dtype)
        if not time_major:
            x = transpose(x, [1, 0, 2])
        if initial_state is None:
            state = [zeros(dims, self.dtype) for dims in self.state_shape(shape(x)[1])]
        else:
            state = [convert_to_tensor(part, dtype=self.dtype) for part in initial_state]
            state = state if time_major else [transpose(part, [1, 0, 2]) for part in state]
        outputs, states = self._run(
            x, [unstack(part, self._layers * self.num_dirs) for part in state], sequence_lengths, training
        )
        if not time_major:
            outputs, states = transpose(outputs, [1, 0, 2]), tuple(transpose(part, [1, 0, 2]) for part in states)
        return outputs, states

    def _run(self, x, state, lengths, training):
        rows, biases = self._parts()
        last = []
        for layer in range(self._layers):
            if layer and self._dropout and training:
                x = dropout(x, rate=self._dropout, seed=self._seed)
            outputs = []
            for direction in range(self.num_dirs):
                i = layer * self.num_dirs + direction
                start = 2 * self._gates * i
                parts = [values[start : start + 2 * self._gates] for values in (rows, biases)]
                output, new = self._run_one(x, parts, [part[i] for part in state], lengths, backward=direction == 1)
                outputs.append(output)
                last.append(new)
            x = concat(outputs, 2) if len(outputs) > 1 else outputs[0]
        return x, tuple(stack(part) for part in zip(*last))

    def _parts(self):
        """The matrices and biases in the variable."""
        shapes = self.canonical_weight_shapes + self.canonical_bias_shapes
        parts = split(self.kernel, [math.prod(dims) for dims in shapes])
        parts = [reshape(part, dims) for part, dims in zip(parts, shapes)]
        count = len(self.canonical_weight_shapes)
        return parts[:count], parts[count:]

    def _run_one(self, x, parts, state, lengths, backward):
        """One layer in one direction. Inputs of all steps are multiplied by their weights at once."""
        weights, biases = ([concat(part, 0) for part in (p[: self._gates], p[self._gates :])] for p in parts)
        if backward:
            x = self._backward(x, lengths)
        products = tensordot(x, weights[0], [[2], [1]]) + biases[0]
        products.set_shape([*x.shape[:2], self._gates * self._units])
        cell = _Step(type(self)._function, transpose(weights[1]), biases[1], (self._units,) * self._states)
        outputs, last = dynamic_rnn(cell, products, lengths, tuple(state), time_major=True)
        return self._backward(outputs, lengths) if backward else outputs, last

    def _backward(self, x, lengths):
        return reverse(x, [0]) if lengths is None else reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)


def _check_known(what, value, known):
    if value not in known:
        raise ValueError(f"Invalid {what}: {value}, expecting one of {', '.join(known)}")


class CudnnLSTM(_CudnnRNN):
    __doc__ = _CudnnRNN.__doc__.replace("A network of several layers. Subclasses say which.", "LSTM of several layers.")
    _mode, _gates, _states, _function = CUDNN_LSTM, 4, 2, staticmethod(_lstm_step)


class CudnnGRU(_CudnnRNN):
    __doc__ = _CudnnRNN.__doc__.replace(
        "A network of several layers. Subclasses say which.",
        "GRU of several layers. Unlike in `GRUCell`, the reset gate acts on the product of h.",
    )
    _mode, _gates, _function = CUDNN_GRU, 3, staticmethod(_gru_step)


class CudnnRNNTanh(_CudnnRNN):
    __doc__ = _CudnnRNN.__doc__.replace(
        "A network of several layers. Subclasses say which.", "Plain network of several layers, with tanh."
    )
    _mode, _function = CUDNN_RNN_TANH, staticmethod(lambda inputs, hidden, _: (tanh(inputs + hidden),))


class CudnnRNNRelu(_CudnnRNN):
    __doc__ = _CudnnRNN.__doc__.replace(
        "A network of several layers. Subclasses say which.", "Plain network of several layers, with ReLU."
    )
    _mode, _function = CUDNN_RNN_RELU, staticmethod(lambda inputs, hidden, _: (relu(inputs + hidden),))


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The cell of a layer of `CudnnLSTM`: an `LSTMBlockCell` without a bias of the forget gate.

    Args:
      num_units: An int: the size of c and of h.
      reuse: Whether to reuse existing variables of that name.
    """

    def __init__(self, num_units, reuse=None):
        super().__init__(num_units, forget_bias=0, cell_clip=None, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
    """The cell of a layer of `CudnnGRU`: a GRU whose reset gate acts on the product of h.

    Args:
      num_units: An int: the size of the state.
      reuse: Whether to reuse existing variables of that name.
      kernel_initializer: Initializer of the weights; that of the variable scope by default.
    """

    def __init__(self, num_units, reuse=None, kernel_initializer=None):
        super().__init__(
            num_units, reuse=reuse, kernel_initializer=kernel_initializer, name="cudnn_compatible_gru_cell"
        )

    def build(self, inputs_shape):
        depth, units, init = input_depth(inputs_shape), self._num_units, self._kernel_initializer
        gates = self._bias_initializer or constant_initializer(1.0)
        bias = self._bias_initializer or zeros_initializer()
        self._gates = [
            self.add_variable("gates/kernel", [depth + units, 2 * units], initializer=init),
            self.add_variable("gates/bias", [2 * units], initializer=gates),
        ]
        kernels = [
            self.add_variable(f"candidate/{name}_projection/kernel", [rows, units], initializer=init)
            for name, rows in (("input", depth), ("hidden", units))
        ]
        biases = [
            self.add_variable(f"candidate/{name}_projection/bias", [units], initializer=bias)
            for name in ("input", "hidden")
        ]
        self._candidates = list(zip(kernels, biases))
        self.built = True

    def call(self, inputs, state):
        kernel, bias = self._gates
        r, u = split(sigmoid(bias_add(matmul(concat([inputs, state], 1), kernel), bias)), 2, axis=1)
        new, hidden = (
            bias_add(matmul(x, kernel), bias) for x, (kernel, bias) in zip((inputs, state), self._candidates)
        )
        h = (1 - u) * self._activation(new + r * hidden) + u * state
        return h, h
