"""Convolutional LSTM cells of tf.contrib.rnn."""

from tfcore.composed.nn.conv_nd import conv1d
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.ops.array.join import concat, split
from tfcore.ops.conv.conv import conv2d
from tfcore.ops.conv.conv_3d import conv3d
from tfcore.ops.cwise.unary import sigmoid, tanh
from tfcore.rnn.base import RNNCell
from tfcore.rnn.cells import LSTMStateTuple
from tfcore.variables.initializers import constant_initializer
from tfcore.variables.variable_scope import get_variable


class ConvLSTMCell(RNNCell):
    """LSTM whose state is a map and whose products are convolutions.

    Source: X. Shi et al., "Convolutional LSTM Network: A Machine Learning Approach for Precipitation Nowcasting", NIPS
    2015.

    Args:
      conv_ndims: 1, 2 or 3: the number of dimensions along which kernels move.
      input_shape: The shape of an input without the batch, as a list of ints, channels last.
      output_channels: An int: the number of channels of the state.
      kernel_shape: The size of the kernel in each dimension, a list of ints.
      use_bias: Whether there is a bias.
      skip_connection: Whether the output has the input beside it.
      forget_bias: A float added to the forget gate.
      initializers: Ignored, as in TensorFlow.
      name: Name of the cell and of its variable scope.

    Raises:
      ValueError: `input_shape` has not one dimension more than `conv_ndims`.
    """

    def __init__(
        self,
        conv_ndims,
        input_shape,
        output_channels,
        kernel_shape,
        use_bias=True,
        skip_connection=False,
        forget_bias=1.0,
        initializers=None,
        name="conv_lstm_cell",
    ):
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims = conv_ndims
        self._input_shape = list(input_shape)
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._skip_connection = skip_connection
        self._forget_bias = forget_bias

    @property
    def state_size(self):
        shape = TensorShape([*self._input_shape[:-1], self._output_channels])
        return LSTMStateTuple(shape, shape)

    @property
    def output_size(self):
        channels = self._output_channels + (self._input_shape[-1] if self._skip_connection else 0)
        return TensorShape([*self._input_shape[:-1], channels])

    def _convolve(self, x):
        channels = 4 * self._output_channels
        kernel = get_variable("kernel", [*self._kernel_shape, x.shape[-1].value, channels], x.dtype)
        if self._conv_ndims == 1:
            y = conv1d(x, kernel, 1, "SAME")
        else:
            y = (conv2d if self._conv_ndims == 2 else conv3d)(x, kernel, [1] * (self._conv_ndims + 2), "SAME")
        if not self._use_bias:
            return y
        return y + get_variable("biases", [channels], x.dtype, constant_initializer(0.0, dtype=x.dtype))

    def call(self, inputs, state, scope=None):
        c, h = state
        axis = self._conv_ndims + 1
        i, j, f, o = split(self._convolve(concat([inputs, h], axis)), 4, axis=axis)
        new_c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * tanh(j)
        new_h = tanh(new_c) * sigmoid(o)
        # TensorFlow's h has the inputs, too, and is then wider than `state_size`: no loop takes it.
        output = concat([new_h, inputs], -1) if self._skip_connection else new_h
        return output, LSTMStateTuple(new_c, new_h)


class Conv1DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` along one dimension.

    Args:
      name: Name of the cell; ignored, as in TensorFlow.
      **kwargs: The arguments of `ConvLSTMCell` but `conv_ndims`.
    """

    def __init__(self, name="conv_1d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=1, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` along two dimensions.

    Args:
      name: Name of the cell; ignored, as in TensorFlow.
      **kwargs: The arguments of `ConvLSTMCell` but `conv_ndims`.
    """

    def __init__(self, name="conv_2d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=2, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` along three dimensions.

    Args:
      name: Name of the cell; ignored, as in TensorFlow.
      **kwargs: The arguments of `ConvLSTMCell` but `conv_ndims`.
    """

    def __init__(self, name="conv_3d_lstm_cell", **kwargs):
        super().__init__(conv_ndims=3, **kwargs)
