"""The recurrent cells of tf.nn.rnn_cell."""

import collections

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes, nest
from tfcore.framework.values.constant import constant
from tfcore.layers.base import Layer
from tfcore.layers.input_spec import InputSpec
from tfcore.ops.array import slice as array_slice
from tfcore.ops.array.join import concat, split
from tfcore.ops.cwise.binary import add, multiply
from tfcore.ops.cwise.clip import clip_by_value
from tfcore.ops.cwise.unary import sigmoid, tanh
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.basic import bias_add
from tfcore.rnn.base import LayerRNNCell, RNNCell, activation_function, check_float, check_float_inputs, input_depth
from tfcore.variables.initializers import constant_initializer, zeros_initializer
from tfcore.variables.partitioned import fixed_size_partitioner
from tfcore.variables.variable_scope import variable_scope


class _Units(LayerRNNCell):
    """A cell with `num_units` units, an activation function, and inputs of rank 2."""

    def __init__(self, num_units, activation, reuse, name, dtype, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_float(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_function(activation, tanh)

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def _add_zeros(self, name, shape):
        return self.add_variable(name, shape, initializer=zeros_initializer(dtype=dtypes.as_dtype(self.dtype)))


class BasicRNNCell(_Units):
    """Basic recurrent cell: output = new state = activation(kernel * [inputs, state] + bias).

    Args:
      num_units: An int: the size of the state and of the output.
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
      **kwargs: Further arguments of `Layer`, such as `trainable`.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)

    def build(self, inputs_shape):
        depth = input_depth(inputs_shape)
        check_float(self.dtype)
        self._kernel = self.add_variable("kernel", [depth + self._num_units, self._num_units])
        self._bias = self._add_zeros("bias", [self._num_units])

    def call(self, inputs, state):
        check_float_inputs(inputs, state)
        gates = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(gates)
        return output, output


class GRUCell(_Units):
    """Gated recurrent unit.

    With gates r and u between 0 and 1, the candidate is c = activation(kernel * [inputs, r * state] + bias) and the new
    state, which is also the output, u * state + (1 - u) * c.

    Source: K. Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine
    Translation", EMNLP 2014.

    Args:
      num_units: An int: the size of the state and of the output.
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
      **kwargs: Further arguments of `Layer`, such as `trainable`.
      kernel_initializer: Initializer of the kernels; that of the variable scope by default.
      bias_initializer: Initializer of the biases; by default 1 for the gates and 0 for the candidate.

    Example:

    >>> cell = tf.nn.rnn_cell.GRUCell(4)
    >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    >>> print(output.shape, state.shape)
    (2, 4) (2, 4)
    """

    def __init__(
        self,
        num_units,
        activation=None,
        reuse=None,
        kernel_initializer=None,
        bias_initializer=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, inputs_shape):
        rows = input_depth(inputs_shape) + self._num_units
        check_float(self.dtype)
        ones = constant_initializer(1.0, dtype=dtypes.as_dtype(self.dtype))
        zeros = zeros_initializer(dtype=dtypes.as_dtype(self.dtype))
        self._gate_kernel, self._gate_bias = self._add_product("gates", rows, 2 * self._num_units, ones)
        self._candidate_kernel, self._candidate_bias = self._add_product("candidate", rows, self._num_units, zeros)

    def _add_product(self, name, rows, columns, bias_initializer):
        if self._bias_initializer is not None:
            bias_initializer = self._bias_initializer
        kernel = self.add_variable(name + "/kernel", [rows, columns], initializer=self._kernel_initializer)
        return kernel, self.add_variable(name + "/bias", [columns], initializer=bias_initializer)

    def call(self, inputs, state):
        check_float_inputs(inputs, state)
        gates = bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        r, u = split(sigmoid(gates), 2, axis=1)
        r_state = r * state
        candidate = matmul(concat([inputs, r_state], 1), self._candidate_kernel)
        c = self._activation(bias_add(candidate, self._candidate_bias))
        new_h = u * state + (1 - u) * c
        return new_h, new_h


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ("c", "h"))):
    """State of an LSTM: (c, h), where c is the cell state and h its output."""

    __slots__ = ()

    @property
    def dtype(self):
        """The type of the state; TypeError if c and h differ."""
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


class BasicLSTMCell(_Units):
    """Long short-term memory without clipping, projection or peepholes.

    Source: W. Zaremba et al., "Recurrent Neural Network Regularization", 2014.

    Args:
      num_units: An int: the size of c, of h and of the output.
      forget_bias: A float added to the forget gate, so that an untrained cell remembers.
      state_is_tuple: Whether the state is an `LSTMStateTuple` (c, h), not one `Tensor` of shape [batch, 2 * num_units].
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
      **kwargs: Further arguments of `Layer`, such as `trainable`.

    Example:

    >>> cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    >>> print(output.shape, state.c.shape, state.h.shape)
    (2, 4) (2, 4) (2, 4)
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self):
        n = self._num_units
        return LSTMStateTuple(n, n) if self._state_is_tuple else 2 * n

    def build(self, inputs_shape):
        depth = input_depth(inputs_shape)
        check_float(self.dtype)
        self._kernel = self.add_variable("kernel", [depth + self._num_units, 4 * self._num_units])
        self._bias = self._add_zeros("bias", [4 * self._num_units])

    def call(self, inputs, state):
        check_float_inputs(inputs, state)
        axis = constant(1, dtype=dtypes.int32)
        c, h = state if self._state_is_tuple else split(state, 2, axis=axis)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        # input gate, new input, forget gate, output gate
        i, j, f, o = split(gates, 4, axis=axis)
        forget_bias = constant(self._forget_bias, dtype=f.dtype)
        new_c = add(multiply(c, sigmoid(add(f, forget_bias))), multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._state_is_tuple else concat([new_c, new_h], 1)


class LSTMCell(_Units):
    """Long short-term memory with optional peepholes, clipping and projection.

    Source: H. Sak et al., "Long Short-Term Memory Recurrent Neural Network Architectures for Large Scale Acoustic
    Modeling", INTERSPEECH 2014.

    Args:
      num_units: An int: the size of c.
      use_peepholes: Whether c is an input of the gates.
      cell_clip: A float: c is clipped to [-cell_clip, cell_clip].
      initializer: Initializer of the weights and projections; that of the variable scope by default.
      num_proj: An int: the size of h and of the output, by a projection matrix; `num_units` and no projection by
        default.
      proj_clip: A float: the projection is clipped to [-proj_clip, proj_clip].
      num_unit_shards: An int: how many variables the weights are split into.
      num_proj_shards: An int: how many variables the projection is split into.
      forget_bias: A float added to the forget gate, so that an untrained cell remembers.
      state_is_tuple: Whether the state is an `LSTMStateTuple` (c, h), not one `Tensor` with both.
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
      **kwargs: Further arguments of `Layer`, such as `trainable`.

    Example:

    >>> cell = tf.nn.rnn_cell.LSTMCell(8, num_proj=4)
    >>> output, state = cell(tf.ones([2, 3]), cell.zero_state(2, tf.float32))
    >>> print(output.shape, state.c.shape, state.h.shape)
    (2, 4) (2, 8) (2, 4)
    """

    def __init__(
        self,
        num_units,
        use_peepholes=False,
        cell_clip=None,
        initializer=None,
        num_proj=None,
        proj_clip=None,
        num_unit_shards=None,
        num_proj_shards=None,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=None,
        reuse=None,
        name=None,
        dtype=None,
        **kwargs,
    ):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self):
        c, h = self._num_units, self.output_size
        return LSTMStateTuple(c, h) if self._state_is_tuple else c + h

    @property
    def output_size(self):
        return self._num_proj or self._num_units

    def build(self, inputs_shape):
        depth, n = input_depth(inputs_shape), self._num_units
        check_float(self.dtype)
        self._kernel = self._add_weights("kernel", [depth + self.output_size, 4 * n], self._num_unit_shards)
        self._bias = self._add_zeros("bias", [4 * n])
        if self._use_peepholes:
            self._w_f_diag = self._add_weights("w_f_diag", [n])
            self._w_i_diag = self._add_weights("w_i_diag", [n])
            self._w_o_diag = self._add_weights("w_o_diag", [n])
        if self._num_proj is not None:
            self._proj_kernel = self._add_weights("projection/kernel", [n, self._num_proj], self._num_proj_shards)

    def _add_weights(self, name, shape, shards=None):
        partitioner = None if shards is None else fixed_size_partitioner(shards)
        return self.add_variable(name, shape, initializer=self._initializer, partitioner=partitioner)

    def call(self, inputs, state):
        check_float_inputs(inputs, state)
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = array_slice.slice(state, [0, 0], [-1, self._num_units])
            m_prev = array_slice.slice(state, [0, self._num_units], [-1, self.output_size])
        if inputs.shape.with_rank(2)[1].value is None:
            raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
        gates = bias_add(matmul(concat([inputs, m_prev], 1), self._kernel), self._bias)
        # input gate, new input, forget gate, output gate
        i, j, f, o = split(gates, 4, axis=1)
        c = self._new_c(i, j, f, c_prev)
        if self._use_peepholes:
            m = sigmoid(o + self._w_o_diag * c) * self._activation(c)
        else:
            m = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else concat([c, m], 1)

    def _new_c(self, i, j, f, c_prev):
        if self._use_peepholes:
            c = sigmoid(f + self._forget_bias + self._w_f_diag * c_prev) * c_prev + sigmoid(
                i + self._w_i_diag * c_prev
            ) * self._activation(j)
        else:
            c = sigmoid(f + self._forget_bias) * c_prev + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_by_value(c, -self._cell_clip, self._cell_clip)
        return c


class MultiRNNCell(RNNCell):
    """Stacks cells: the output of each is the input of the next.

    Args:
      cells: A list of cells, from the first to the last.
      state_is_tuple: Whether the state is a tuple of the states of the cells, not one `Tensor` with the states side by
        side.

    Raises:
      ValueError: There are no cells, or a cell has a tuple as state and `state_is_tuple` is False.
      TypeError: `cells` is not a list or tuple.

    Example:

    >>> cells = [tf.nn.rnn_cell.GRUCell(size) for size in (8, 4)]
    >>> stack = tf.nn.rnn_cell.MultiRNNCell(cells)
    >>> output, states = stack(tf.ones([2, 3]), stack.zero_state(2, tf.float32))
    >>> print(output.shape, [s.shape.as_list() for s in states])
    (2, 4) [[2, 8], [2, 4]]
    """

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_nested(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells = cells
        for number, cell in enumerate(cells):
            self._track_trackable(cell, f"cell-{number}")
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_nested(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes are: "
                f"{[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        return self._cells[-1].output_size

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self):
        """List of the trainable variables of the cells."""
        return self._weights_of_cells("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self):
        """List of the other variables of the cells."""
        weights = self._weights_of_cells("non_trainable_weights")
        return weights if self.trainable else self._weights_of_cells("trainable_weights") + weights

    trainable_variables, non_trainable_variables = trainable_weights, non_trainable_weights

    def _weights_of_cells(self, kind):
        return [v for cell in self._cells if isinstance(cell, Layer) for v in getattr(cell, kind)]

    def call(self, inputs, state):
        new_states, position = [], 0
        for number, cell in enumerate(self._cells):
            with variable_scope(f"cell_{number}"):
                if self._state_is_tuple:
                    if not nest.is_nested(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}"
                        )
                    cell_state = state[number]
                else:
                    cell_state = array_slice.slice(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                inputs, new_state = cell(inputs, cell_state)
                new_states.append(new_state)
        return inputs, tuple(new_states) if self._state_is_tuple else concat(new_states, 1)
