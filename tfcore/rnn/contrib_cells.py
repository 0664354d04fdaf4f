"""Cells of tf.contrib.rnn: layer normalization, projections, embeddings, attention to the last outputs."""

import math

from tfcore.composed.nn.embedding import embedding_lookup
from tfcore.framework.graph.graph import device, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import nest
from tfcore.ops.array import slice as array_slice
from tfcore.ops.array.array import expand_dims, reshape
from tfcore.ops.array.join import concat, split
from tfcore.ops.conv.conv import conv2d
from tfcore.ops.cwise.unary import sigmoid, tanh
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.basic import bias_add, dropout
from tfcore.ops.nn.normalization import batch_normalization, moments
from tfcore.ops.nn.softmax import softmax
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.rnn.base import RNNCell, activation_function, assert_like_rnncell
from tfcore.rnn.cells import LSTMStateTuple
from tfcore.variables.initializers import constant_initializer, random_uniform_initializer
from tfcore.variables.variable_scope import get_variable, get_variable_scope, variable_scope


def layer_norm(x, scope, gain, shift):
    """Each row normalized: gamma * (x - mean) / deviation + beta, whose variables begin at `gain` and `shift`."""
    shape = x.shape[-1:]
    with variable_scope(scope):
        gamma = get_variable("gamma", shape, x.dtype, constant_initializer(gain))
        beta = get_variable("beta", shape, x.dtype, constant_initializer(shift))
    mean, variance = moments(x, [1], keep_dims=True)
    return batch_normalization(x, mean, variance, beta, gamma, 1e-12)


class LayerNormBasicLSTMCell(RNNCell):
    """LSTM with layer normalization of the gates and recurrent dropout of the candidate.

    Source: J. L. Ba et al., "Layer Normalization", 2016; S. Semeniuta et al., "Recurrent Dropout without Memory Loss",
    2016.

    Args:
      num_units: An int: the size of c and of h.
      forget_bias: A float added to the forget gate.
      input_size: Ignored; kept for compatibility.
      activation: A function of the inner states; tanh by default.
      layer_norm: Whether to normalize.
      norm_gain: Initial value of the gains.
      norm_shift: Initial value of the shifts.
      dropout_keep_prob: A float or scalar `Tensor`: the fraction that is kept; 1 for no dropout.
      dropout_prob_seed: An int, the seed for drawing the mask.
      reuse: Whether to reuse existing variables of that name.
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        input_size=None,
        activation=tanh,
        layer_norm=True,
        norm_gain=1.0,
        norm_shift=0.0,
        dropout_keep_prob=1.0,
        dropout_prob_seed=None,
        reuse=None,
    ):
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._activation = activation_function(activation, tanh)
        self._layer_norm = layer_norm
        self._norm_gain, self._norm_shift = norm_gain, norm_shift
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def _norm(self, x, scope):
        return layer_norm(x, scope, self._norm_gain, self._norm_shift)

    def _gates(self, args):
        kernel = get_variable("kernel", [args.shape[-1].value, 4 * self._num_units], args.dtype)
        gates = matmul(args, kernel)
        if self._layer_norm:
            return gates
        return bias_add(gates, get_variable("bias", [4 * self._num_units], args.dtype))

    def call(self, inputs, state):
        c, h = state
        i, j, f, o = split(self._gates(concat([inputs, h], 1)), 4, axis=1)
        if self._layer_norm:
            i, j = self._norm(i, "input"), self._norm(j, "transform")
            f, o = self._norm(f, "forget"), self._norm(o, "output")
        g = self._activation(j)
        if isinstance(self._keep_prob, Tensor) or self._keep_prob < 1:
            g = dropout(g, keep_prob=self._keep_prob, seed=self._seed)
        new_c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * g
        if self._layer_norm:
            new_c = self._norm(new_c, "state")
        new_h = self._activation(new_c) * sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class Linear:
    """concat(args) * kernel + bias, with the variables "kernel" and "bias" of the scope in which it is made.

    Args:
      args: A `Tensor` of shape [batch, any], or a list of them, like those that it is called with.
      size: An int, the size of the output.
      bias: Whether there is a bias.
      bias_initializer: An initializer; zeros by default.
      kernel_initializer: An initializer; that of the variable scope by default.

    Raises:
      ValueError: There are no args, or one of them is not a matrix whose size is known.
    """

    def __init__(self, args, size, bias, bias_initializer=None, kernel_initializer=None):
        args = nest.flatten(args)
        if not args or any(value is None for value in args):
            raise ValueError("`args` must be specified")
        for value in args:
            if value.shape.ndims != 2:
                raise ValueError(f"linear is expecting 2D arguments: {[v.shape for v in args]}")
            if value.shape[1].value is None:
                raise ValueError(
                    f"linear expects shape[1] to be provided for shape {value.shape}, but saw {value.shape[1]}"
                )
        depth, dtype = sum(value.shape[1].value for value in args), args[0].dtype
        self._kernel = get_variable("kernel", [depth, size], dtype, kernel_initializer)
        self._bias = None
        if bias:
            initializer = constant_initializer(0.0, dtype=dtype) if bias_initializer is None else bias_initializer
            self._bias = get_variable("bias", [size], dtype, initializer)

    def __call__(self, args):
        args = nest.flatten(args)
        product = matmul(args[0] if len(args) == 1 else concat(args, 1), self._kernel)
        return product if self._bias is None else bias_add(product, self._bias)


def linear(args, size, bias=True, bias_initializer=None, kernel_initializer=None):
    """concat(args) * kernel + bias, with variables "kernel" and "bias" of the current scope."""
    return Linear(args, size, bias, bias_initializer, kernel_initializer)(args)


class _Projection(RNNCell):
    """A cell with a linear projection of its inputs or outputs."""

    def __init__(self, cell, activation, reuse):
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        self._cell = cell
        self._activation = activation_function(activation, None)

    @property
    def state_size(self):
        return self._cell.state_size

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def _project(self, x, size):
        projected = linear(x, size)
        return projected if self._activation is None else self._activation(projected)


class InputProjectionWrapper(_Projection):
    """Projects the inputs of a cell to `num_proj` columns.

    Args:
      cell: The cell, an `RNNCell`.
      num_proj: An int: the size of the projected inputs.
      activation: A function of the projected inputs; None for none.
      input_size: Ignored; kept for compatibility.
      reuse: Whether to reuse existing variables of that name.
    """

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell, activation, reuse)
        self._num_proj = num_proj

    @property
    def output_size(self):
        return self._cell.output_size

    def call(self, inputs, state):
        return self._cell(self._project(inputs, self._num_proj), state)


class OutputProjectionWrapper(_Projection):
    """Projects the outputs of a cell to `output_size` columns.

    Args:
      cell: The cell, an `RNNCell`.
      output_size: An int: the size of the projected outputs.
      activation: A function of the projected outputs; None for none.
      reuse: Whether to reuse existing variables of that name.
    """

    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell, activation, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size

    @property
    def output_size(self):
        return self._output_size

    def call(self, inputs, state):
        output, new_state = self._cell(inputs, state)
        return self._project(output, self._output_size), new_state


class EmbeddingWrapper(RNNCell):
    """Looks up its inputs, ids of shape [batch] or [batch, 1], in an embedding matrix.

    Args:
      cell: The cell, an `RNNCell`.
      embedding_classes: An int: the number of ids.
      embedding_size: An int: the size of their vectors.
      initializer: Initializer of the matrix; that of the variable scope by default, else uniform with variance 1.
      reuse: Whether to reuse existing variables of that name.

    Raises:
      ValueError: A number is not positive.
    """

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}."
            )
        self._cell = cell
        self._shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        with device("/cpu:0"):
            initializer = self._initializer or get_variable_scope().initializer
            if initializer is None:
                initializer = random_uniform_initializer(-math.sqrt(3), math.sqrt(3))
            dtype = nest.flatten(state)[0].dtype
            embedding = get_variable("embedding", self._shape, dtype, initializer)
            embedded = embedding_lookup(embedding, reshape(inputs, [-1]))
        return self._cell(embedded, state)


class AttentionCellWrapper(RNNCell):
    """Adds attention to the states of the last `attn_length` steps.

    Source: D. Bahdanau et al., "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015.

    Args:
      cell: The cell, an `RNNCell`.
      attn_length: An int: how many states to attend to.
      attn_size: An int: the size of the attention; that of the output of the cell by default.
      attn_vec_size: An int: the size of the hidden layer; `attn_size` by default.
      input_size: An int: the size that inputs and attention are projected to; that of the inputs by default.
      state_is_tuple: Must be True: the state is (state of the cell, attention, window).
      reuse: Whether to reuse existing variables of that name.

    Raises:
      ValueError: `attn_length` is not positive, or `state_is_tuple` is False.
    """

    def __init__(
        self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None, state_is_tuple=True, reuse=None
    ):
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        if not state_is_tuple:
            raise ValueError("AttentionCellWrapper supports only states that are tuples: state_is_tuple=True")
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._cell, self._attn_length = cell, attn_length
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size

    @property
    def state_size(self):
        return (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)

    @property
    def output_size(self):
        return self._attn_size

    def call(self, inputs, state):
        cell_state, attns, window = state
        window = reshape(window, [-1, self._attn_length, self._attn_size])
        size = inputs.shape[1].value if self._input_size is None else self._input_size
        with variable_scope("attn_input_projection"):
            inputs = linear([inputs, attns], size)
        cell_output, new_cell_state = self._cell(inputs, cell_state)
        query = concat(nest.flatten(new_cell_state), 1)
        attns, rest = self._attention(query, window)
        with variable_scope("attn_output_projection"):
            output = linear([cell_output, attns], self._attn_size)
        window = concat([rest, expand_dims(output, 1)], 1)
        return output, (new_cell_state, attns, reshape(window, [-1, self._attn_length * self._attn_size]))

    def _attention(self, query, window):
        """The attention over the window, and the window without its oldest step."""
        with variable_scope("attention"):
            k = get_variable("attn_w", [1, 1, self._attn_size, self._attn_vec_size], query.dtype)
            v = get_variable("attn_v", [self._attn_vec_size], query.dtype)
            hidden = reshape(window, [-1, self._attn_length, 1, self._attn_size])
            features = conv2d(hidden, k, [1, 1, 1, 1], "SAME")
            y = reshape(linear(query, self._attn_vec_size), [-1, 1, 1, self._attn_vec_size])
            weights = softmax(reduce_sum(v * tanh(features + y), [2, 3]))
            attended = reduce_sum(reshape(weights, [-1, self._attn_length, 1, 1]) * hidden, [1, 2])
            return reshape(attended, [-1, self._attn_size]), array_slice.slice(window, [0, 1, 0], [-1, -1, -1])
