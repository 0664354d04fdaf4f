"""Cells of tf.contrib.rnn that TensorFlow computes by one op a step, and networks that it computes by one op in all.

Here they are graph code, with the variables and the results of those ops. TensorFlow's ops do not know of the clipping
in their gradients: what is clipped passes them on unchanged.
"""

import abc

from tfcore.framework.types import dtypes, nest
from tfcore.layers.base import Layer
from tfcore.layers.input_spec import InputSpec
from tfcore.ops.array.array import stop_gradient
from tfcore.ops.array.join import concat, split, stack, unstack
from tfcore.ops.array.move import reverse, reverse_sequence
from tfcore.ops.cwise.clip import clip_by_value
from tfcore.ops.cwise.unary import sigmoid, tanh
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.basic import bias_add
from tfcore.rnn.base import LayerRNNCell, RNNCell
from tfcore.rnn.cells import LSTMStateTuple
from tfcore.rnn.dynamic import dynamic_rnn
from tfcore.rnn.static import static_rnn
from tfcore.variables.initializers import constant_initializer


class _LSTMVariables:
    """The variables of an LSTM, and its step.

    Args:
      layer: The `Layer` that gets the variables.
      depth: An int, the size of the inputs.
      num_units: An int, the size of c and of h.
      forget_bias: A float added to the forget gate.
      cell_clip: A float, or None: c is clipped to [-cell_clip, cell_clip] if it is positive.
      use_peephole: Whether c is an input of the gates.
    """

    def __init__(self, layer, depth, num_units, forget_bias, cell_clip, use_peephole):
        self._forget_bias, self._cell_clip = forget_bias, cell_clip
        zeros = constant_initializer(0.0)
        self._kernel = layer.add_variable("kernel", [depth + num_units, 4 * num_units])
        self._bias = layer.add_variable("bias", [4 * num_units], initializer=zeros)
        names = ("w_i_diag", "w_f_diag", "w_o_diag") if use_peephole else ()
        self._peepholes = [layer.add_variable(name, [num_units]) for name in names]

    def step(self, inputs, state):
        """The new c and h."""
        c, h = state
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, axis=1)
        if self._peepholes:
            w_i, w_f, w_o = self._peepholes
            i, f = i + w_i * c, f + w_f * c
        c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * tanh(j)
        if self._cell_clip is not None and self._cell_clip > 0:
            clipped = clip_by_value(c, -self._cell_clip, self._cell_clip)
            c = stop_gradient(clipped) + (c - stop_gradient(c))
        if self._peepholes:
            o += w_o * c
        return c, sigmoid(o) * tanh(c)


class LSTMBlockCell(LayerRNNCell):
    """Long short-term memory with optional peepholes and clipping.

    Like `LSTMCell` with an activation of tanh, without projections.

    Args:
      num_units: An int: the size of c and of h.
      forget_bias: A float added to the forget gate, so that an untrained cell remembers.
      cell_clip: A float: c is clipped to [-cell_clip, cell_clip] if it is positive.
      use_peephole: Whether c is an input of the gates.
      dtype: Type of the variables; that of the inputs by default.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope.

    Example:

    >>> cell = tf.contrib.rnn.LSTMBlockCell(8)
    >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    >>> print(output.shape, state.c.shape)
    (2, 8) (2, 8)
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        cell_clip=None,
        use_peephole=False,
        dtype=None,
        reuse=None,
        name="lstm_cell",
    ):
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._options = (forget_bias, cell_clip, use_peephole)

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def build(self, inputs_shape):
        self._variables = _LSTMVariables(self, _depth(inputs_shape, 1), self._num_units, *self._options)

    def call(self, inputs, state):
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        c, h = self._variables.step(inputs, state)
        return h, LSTMStateTuple(c, h)


class GRUBlockCell(LayerRNNCell):
    """Gated recurrent unit, like `GRUCell` with an activation of tanh, with variables of other names.

    Args:
      num_units: An int: the size of the state and of the output.
      cell_size: Deprecated; the same as `num_units`.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope.

    Raises:
      ValueError: Neither or both of `num_units` and `cell_size` are given.
    """

    _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(self, num_units=None, cell_size=None, reuse=None, name="gru_cell"):
        super().__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        self._num_units = cell_size if num_units is None else num_units
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def build(self, input_shape):
        n = self._num_units
        rows = _depth(input_shape, 1) + n
        kernel, bias, candidate_kernel, candidate_bias = self._NAMES
        self._gate_kernel = self.add_variable(kernel, [rows, 2 * n])
        self._gate_bias = self.add_variable(bias, [2 * n], initializer=constant_initializer(1.0))
        self._candidate_kernel = self.add_variable(candidate_kernel, [rows, n])
        self._candidate_bias = self.add_variable(candidate_bias, [n], initializer=constant_initializer(0.0))

    def call(self, inputs, h_prev):
        gates = bias_add(matmul(concat([inputs, h_prev], 1), self._gate_kernel), self._gate_bias)
        r, u = split(sigmoid(gates), 2, axis=1)
        candidate = matmul(concat([inputs, r * h_prev], 1), self._candidate_kernel)
        h = u * h_prev + (1 - u) * tanh(bias_add(candidate, self._candidate_bias))
        return h, h


class GRUBlockCellV2(GRUBlockCell):
    """Gated recurrent unit, like `GRUCell` with an activation of tanh; also its variables have those names.

    Args:
      num_units: An int: the size of the state and of the output.
      cell_size: Deprecated; the same as `num_units`.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope.

    Raises:
      ValueError: Neither or both of `num_units` and `cell_size` are given.
    """

    _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


class _Step(RNNCell):
    """One step of a fused network as a cell, for a loop."""

    def __init__(self, variables, num_units, dtype):
        super().__init__(dtype=dtype)
        self._variables, self._num_units = variables, num_units

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def __call__(self, inputs, state, scope=None):
        c, h = self._variables.step(inputs, state)
        return h, LSTMStateTuple(c, h)


class LSTMBlockFusedCell(Layer):
    """A whole network of one LSTM over time.

    Args:
      num_units: An int: the size of c and of h.
      forget_bias: A float added to the forget gate, so that an untrained cell remembers.
      cell_clip: A float: c is clipped to [-cell_clip, cell_clip] if it is positive.
      use_peephole: Whether c is an input of the gates.
      reuse: Whether to reuse existing variables of that name.
      dtype: Type of the variables; that of the inputs by default.
      name: Name of the layer and of its variable scope.

    Example:

    >>> network = tf.contrib.rnn.LSTMBlockFusedCell(8)
    >>> outputs, state = network(tf.ones([5, 2, 3]), dtype=tf.float32)  # [time, batch, depth]
    >>> print(outputs.shape, state.c.shape)
    (5, 2, 8) (2, 8)
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        cell_clip=None,
        use_peephole=False,
        reuse=None,
        dtype=None,
        name="lstm_fused_cell",
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=3)
        self._num_units = num_units
        self._options = (forget_bias, cell_clip, use_peephole)

    @property
    def num_units(self):
        """The size of c and of h."""
        return self._num_units

    def build(self, input_shape):
        self._variables = _LSTMVariables(self, _depth(input_shape, 2), self._num_units, *self._options)

    def __call__(self, inputs, *args, **kwargs):
        """Runs the network.

        Args:
          inputs: A `Tensor` of shape [time, batch, depth], or a list of `Tensor`s of shape [batch, depth].
          initial_state: The c and h before the first step, `Tensor`s of shape [batch, num_units]; zeros by default.
          dtype: Type of c and h; needed if there is no `initial_state`.
          sequence_length: An integer `Tensor` of shape [batch]: the steps of each sequence; all by default.

        Returns:
          outputs: Like `inputs`, with the last dimension `num_units`; zeros after the end of a sequence.
          state: An `LSTMStateTuple`: c and h at the end of each sequence.

        Raises:
          ValueError: Neither `initial_state` nor `dtype` is given.
        """
        is_list = isinstance(inputs, list)
        outputs, state = super().__call__(stack(inputs) if is_list else inputs, *args, **kwargs)
        return (unstack(outputs) if is_list else outputs), state

    def call(self, inputs, initial_state=None, dtype=None, sequence_length=None):
        if initial_state is None and dtype is None:
            raise ValueError("Either initial_state or dtype needs to be specified")
        if initial_state is not None:
            if len(initial_state) != 2:
                raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
            initial_state = LSTMStateTuple(*initial_state)
        dtype = inputs.dtype if dtype is None else dtypes.as_dtype(dtype)
        cell = _Step(self._variables, self._num_units, dtype)
        return dynamic_rnn(cell, inputs, sequence_length, initial_state, dtype, time_major=True)


class FusedRNNCell(abc.ABC):
    """Interface of networks that compute all steps at once, such as `LSTMBlockFusedCell`."""

    @abc.abstractmethod
    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Runs the network.

        Args:
          inputs: A `Tensor` of shape [time, batch, depth], or a list of the `Tensor`s of each step.
          initial_state: The state before the first step.
          dtype: Type of the state; needed if there is no `initial_state`.
          sequence_length: An integer `Tensor` of shape [batch]: the steps of each sequence; all by default.
          scope: A variable scope or its name.

        Returns:
          The outputs, in the form of the inputs, and the last state.
        """


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell as a network that computes all steps.

    Args:
      cell: The `RNNCell`.
      use_dynamic_rnn: Whether it runs in a loop; else its steps are unrolled, and their number must be known.
    """

    def __init__(self, cell, use_dynamic_rnn=False):
        self._cell, self._use_dynamic_rnn = cell, use_dynamic_rnn

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            steps = stack(inputs) if is_list else inputs
            outputs, state = dynamic_rnn(
                self._cell, steps, sequence_length, initial_state, dtype, time_major=True, scope=scope
            )
            return unstack(outputs) if is_list else outputs, state
        steps = inputs if is_list else unstack(inputs)
        outputs, state = static_rnn(self._cell, steps, initial_state, dtype, sequence_length, scope)
        return outputs if is_list else stack(outputs), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A network that reads its inputs from the end, such as `LSTMBlockFusedCell`: for bidirectional networks.

    Args:
      cell: The network.
    """

    def __init__(self, cell):
        self._cell = cell

    def _reversed(self, tensors, lengths):
        def reversed_in_time(x):
            return reverse(x, [0]) if lengths is None else reverse_sequence(x, lengths, seq_axis=0, batch_axis=1)

        return nest.map_structure(reversed_in_time, tensors)

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        """Runs the network over the reversed inputs.

        Args:
          inputs: A `Tensor` of shape [time, batch, depth].
          initial_state: The state before the last step.
          dtype: Type of the state; needed if there is no `initial_state`.
          sequence_length: An integer `Tensor` of shape [batch]: the steps of each sequence; all by default.
          scope: Name of the variable scope, which the network may ignore.

        Returns:
          The outputs, in the order of the inputs, and the state after the first step.
        """
        inputs = self._reversed(inputs, sequence_length)
        options = {} if scope is None else {"scope": scope}
        outputs, state = self._cell(
            inputs, initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, **options
        )
        return self._reversed(outputs, sequence_length), state


def _depth(shape, axis):
    """The size of the inputs, which must be known."""
    if shape[axis].value is None:
        raise ValueError(f"Expecting inputs_shape[{axis}] to be set: {shape}")
    return shape[axis].value
