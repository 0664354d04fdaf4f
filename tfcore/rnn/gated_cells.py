"""Cells of tf.contrib.rnn with other gates than those of LSTM and GRU, and HighwayWrapper."""

from tfcore.framework.types import dtypes, nest
from tfcore.ops.array.array import stop_gradient
from tfcore.ops.array.join import concat, split
from tfcore.ops.cwise.binary import mod
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.clip import clip_by_value
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import exp, log, sigmoid, tanh
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.activations import relu
from tfcore.ops.nn.basic import bias_add
from tfcore.ops.random.random import random_uniform
from tfcore.rnn.base import LayerRNNCell, RNNCell, activation_function, input_depth
from tfcore.rnn.cells import LSTMStateTuple
from tfcore.rnn.contrib_cells import Linear, layer_norm
from tfcore.variables.initializers import (
    constant_initializer,
    random_uniform_initializer,
    zeros_initializer,
)
from tfcore.variables.variable_scope import get_variable, get_variable_scope, variable_scope


def _known_size(inputs):
    """The number of columns of the inputs, a matrix."""
    size = inputs.shape.with_rank(2)[1].value
    if size is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return size


class _OfUnits(RNNCell):
    """A cell whose state and output have `num_units` columns, unless a subclass says otherwise."""

    def __init__(self, num_units, reuse, **kwargs):
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units


class UGRNNCell(_OfUnits):
    """Update-gate network: one gate says how much of the state is kept.

    Source: J. Collins et al., "Capacity and Trainability in Recurrent Neural Networks", ICLR 2017.

    Args:
      num_units: An int: the size of the state and of the output.
      initializer: Initializer of the weights; that of the variable scope by default.
      forget_bias: A float added to the gate.
      activation: A function of the new values; tanh by default.
      reuse: Whether to reuse existing variables of that name.
    """

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=tanh, reuse=None):
        super().__init__(num_units, reuse)
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._linear = None

    def call(self, inputs, state):
        _known_size(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            together = concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(together, 2 * self._num_units, True)
            g, c = split(self._linear(together), 2, axis=1)
        kept = sigmoid(g + self._forget_bias)
        new_state = kept * state + (1.0 - kept) * self._activation(c)
        return new_state, new_state


class IntersectionRNNCell(_OfUnits):
    """A cell with one gate through time and one through depth, for stacks of many cells.

    Source: J. Collins et al., "Capacity and Trainability in Recurrent Neural Networks", ICLR 2017.

    Args:
      num_units: An int: the size of the state and of the output.
      num_in_proj: An int, `num_units`: inputs of another size are projected, as the first cell of a stack needs; None
        for no projection.
      initializer: Initializer of the weights; that of the variable scope by default.
      forget_bias: A float added to the gates.
      y_activation: A function of what passes through depth; relu by default.
      reuse: Whether to reuse existing variables of that name.
    """

    def __init__(self, num_units, num_in_proj=None, initializer=None, forget_bias=1.0, y_activation=relu, reuse=None):
        super().__init__(num_units, reuse)
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._num_input_proj = num_in_proj
        self._y_activation = y_activation
        self._projection = self._linear = None

    def call(self, inputs, state):
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            if _known_size(inputs) != self._num_units:
                inputs = self._project(inputs)
            together = concat([inputs, state], 1)
            if self._linear is None:
                self._linear = Linear(together, 4 * self._num_units, True)
            time_gate, h, depth_gate, y = split(self._linear(together), 4, axis=1)
        kept = sigmoid(time_gate + self._forget_bias)
        passed = sigmoid(depth_gate + self._forget_bias)
        new_state = kept * state + (1.0 - kept) * tanh(h)
        return passed * inputs + (1.0 - passed) * self._y_activation(y), new_state

    def _project(self, inputs):
        if not self._num_input_proj:
            raise ValueError(
                "Must have input size == output size for Intersection RNN. To fix, num_in_proj should be set to "
                "num_units at cell init."
            )
        with variable_scope("in_projection"):
            if self._projection is None:
                self._projection = Linear(inputs, self._num_units, True)
            return self._projection(inputs)


class NASCell(_OfUnits):
    """The cell that a search by reinforcement learning has found.

    Source: B. Zoph and Q. Le, "Neural Architecture Search with Reinforcement Learning", ICLR 2017.

    Args:
      num_units: An int: the size of c.
      num_proj: An int: the size of the projected output; None for no projection.
      use_bias: Whether there is a bias.
      reuse: Whether to reuse existing variables of that name.
      **kwargs: Further arguments of `RNNCell`, such as `name`; also `use_biases`, an old name of `use_bias`.
    """

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        self._use_bias = kwargs.pop("use_biases", use_bias)
        super().__init__(num_units, reuse, **kwargs)
        self._num_proj = num_proj

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self):
        return self._num_units if self._num_proj is None else self._num_proj

    def call(self, inputs, state):
        c, m = state
        n, dtype = self._num_units, inputs.dtype
        size = _known_size(inputs)
        from_m = matmul(m, get_variable("recurrent_kernel", [self.output_size, 8 * n], dtype))
        from_inputs = matmul(inputs, get_variable("kernel", [size, 8 * n], dtype))
        if self._use_bias:
            from_m = bias_add(from_m, get_variable("bias", [8 * n], dtype, zeros_initializer()))
        a, b = split(from_inputs, 8, axis=1), split(from_m, 8, axis=1)
        # The tree of the paper: pairs of the eight leaves, then pairs of these.
        first = tanh(sigmoid(a[0] + b[0]) * relu(a[1] + b[1]))
        second = tanh(sigmoid(a[2] + b[2]) + relu(a[3] * b[3]))
        third = tanh(tanh(a[4] + b[4]) * sigmoid(a[5] + b[5]))
        fourth = sigmoid(tanh(a[6] + b[6]) + sigmoid(a[7] + b[7]))
        new_c = tanh(first + c) * second
        new_m = tanh(new_c * tanh(third + fourth))
        if self._num_proj is not None:
            new_m = matmul(new_m, get_variable("projection_weights", [n, self._num_proj], dtype))
        return new_m, LSTMStateTuple(new_c, new_m)


class CoupledInputForgetGateLSTMCell(_OfUnits):
    """LSTM whose input gate is one minus its forget gate.

    Source: K. Greff et al., "LSTM: A Search Space Odyssey", 2015.

    Args:
      num_units: An int: the size of c.
      use_peepholes: Whether c is an input of the gates.
      initializer: Ignored, as in TensorFlow: that of the variable scope counts.
      num_proj: An int: the size of the projected output; None for no projection.
      proj_clip: A float: the projection is clipped to [-proj_clip, proj_clip].
      num_unit_shards: An int: how many variables the weights are split into.
      num_proj_shards: An int: how many variables the projection is split into.
      forget_bias: A float added to the forget gate.
      state_is_tuple: Whether the state is an `LSTMStateTuple` (c, h), not one `Tensor` with both.
      activation: A function of the inner states; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      layer_norm: Whether to normalize gates and c.
      norm_gain: Initial value of the gains.
      norm_shift: Initial value of the shifts.
    """

    def __init__(
        self,
        num_units,
        use_peepholes=False,
        initializer=None,
        num_proj=None,
        proj_clip=None,
        num_unit_shards=1,
        num_proj_shards=1,
        forget_bias=1.0,
        state_is_tuple=True,
        activation=tanh,
        reuse=None,
        layer_norm=False,
        norm_gain=1.0,
        norm_shift=0.0,
    ):
        super().__init__(num_units, reuse)
        self._use_peepholes = use_peepholes
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._shards, self._proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation
        self._layer_norm = layer_norm
        self._norm_gain, self._norm_shift = norm_gain, norm_shift

    @property
    def state_size(self):
        c, h = self._num_units, self.output_size
        return LSTMStateTuple(c, h) if self._state_is_tuple else c + h

    @property
    def output_size(self):
        return self._num_proj or self._num_units

    def _norm(self, x, scope):
        return layer_norm(x, scope, self._norm_gain, self._norm_shift) if self._layer_norm else x

    def call(self, inputs, state):
        n, dtype, activation = self._num_units, inputs.dtype, self._activation
        c, m = state if self._state_is_tuple else split(state, [n, self.output_size], axis=1)
        size = _known_size(inputs)
        kernel = _sharded("W", [size + self.output_size, 3 * n], dtype, self._shards)
        bias = get_variable("B", [3 * n], dtype, zeros_initializer())
        gates = matmul(concat([inputs, m], 1), kernel)
        j, f, o = split(gates if self._layer_norm else bias_add(gates, bias), 3, axis=1)
        j, f, o = self._norm(j, "transform"), self._norm(f, "forget"), self._norm(o, "output")
        if self._use_peepholes:
            f_diagonal, o_diagonal = (get_variable(name, [n], dtype) for name in ("W_F_diag", "W_O_diag"))
        kept = sigmoid(f + self._forget_bias + f_diagonal * c if self._use_peepholes else f + self._forget_bias)
        new_c = self._norm(kept * c + (1 - kept) * activation(j), "state")
        new_m = sigmoid(o + o_diagonal * new_c if self._use_peepholes else o) * activation(new_c)
        if self._num_proj is not None:
            new_m = matmul(new_m, _sharded("W_P", [n, self._num_proj], dtype, self._proj_shards))
            if self._proj_clip is not None:
                new_m = clip_by_value(new_m, -self._proj_clip, self._proj_clip)
        return new_m, LSTMStateTuple(new_c, new_m) if self._state_is_tuple else concat([new_c, new_m], 1)


def _sharded(name, shape, dtype, shards):
    """A matrix that is made of `shards` variables, blocks of its rows."""
    if shards > shape[0]:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={shards}")
    rows = [shape[0] // shards + (i < shape[0] % shards) for i in range(shards)]
    parts = [get_variable(f"{name}_{i}", [n, shape[1]], dtype) for i, n in enumerate(rows)]
    return parts[0] if shards == 1 else concat(parts, 0)


class PhasedLSTMCell(_OfUnits):
    """LSTM whose units are open for a part of a cycle of time only. Inputs are (times [batch, 1], features).

    Source: D. Neil et al., "Phased LSTM: Accelerating Recurrent Network Training for Long or Event-based Sequences",
    NIPS 2016.

    Args:
      num_units: An int: the size of the state and of the output.
      use_peepholes: Whether c is an input of the gates.
      leak: A float: how much a closed unit changes.
      ratio_on: A float: the part of the period in which a unit is open, at first.
      trainable_ratio_on: Whether this part is trained.
      period_init_min: The least period, at first: their logarithms are drawn uniformly.
      period_init_max: The greatest period, at first.
      reuse: Whether to reuse existing variables of that name.
    """

    def __init__(
        self,
        num_units,
        use_peepholes=False,
        leak=0.001,
        ratio_on=0.1,
        trainable_ratio_on=True,
        period_init_min=1.0,
        period_init_max=1000.0,
        reuse=None,
    ):
        super().__init__(num_units, reuse)
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._periods = period_init_min, period_init_max
        self._linear = {}

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units)

    def _gates(self, scope, args, size):
        with variable_scope(scope):
            if scope not in self._linear:
                self._linear[scope] = Linear(args, size, True)
            return self._linear[scope](args)

    def call(self, inputs, state):
        c, h = state
        time, x = inputs
        n = self._num_units
        gates = sigmoid(self._gates("mask_gates", [x, h, c] if self._use_peepholes else [x, h], 2 * n))
        input_gate, forget_gate = split(gates, 2, axis=1)
        new_c = c * forget_gate + input_gate * tanh(self._gates("new_input", [x, h], n))
        output_gate = sigmoid(self._gates("output_gate", [x, h, new_c] if self._use_peepholes else [x, h], n))
        new_h = tanh(new_c) * output_gate
        openness = self._openness(time)
        new_c = openness * new_c + (1 - openness) * c
        new_h = openness * new_h + (1 - openness) * h
        return new_h, LSTMStateTuple(new_c, new_h)

    def _openness(self, time):
        """k of the paper: rises from 0 to 1 and falls again while a unit is open, then leaks."""

        def periods(shape, dtype=dtypes.float32, partition_info=None):
            low, high = (log(float(bound)) for bound in self._periods)
            return exp(random_uniform(shape, low, high, dtype))

        shape = [self._num_units]
        period = get_variable("period", shape, initializer=periods)
        phase = get_variable("phase", shape, initializer=random_uniform_initializer(0.0, period.initial_value))
        on = get_variable(
            "ratio_on", shape, initializer=constant_initializer(self._ratio_on), trainable=self._trainable_ratio_on
        )
        since = time - cast(phase, time.dtype)
        length = cast(period, time.dtype)
        # The remainder, whose gradient is that of `since`.
        cycle = cast((stop_gradient(mod(since, length) - since) + since) / length, dtypes.float32)
        rising = 2 * cycle / on
        k = where(cycle < on, 2 - rising, self._leak * cycle)
        return where(cycle < 0.5 * on, rising, k)


class _Independent(LayerRNNCell):
    """A cell whose units see of the state only their own: its matrix is a vector."""

    def __init__(self, num_units, activation, reuse, name, dtype, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units = num_units
        self._activation = activation_function(activation, tanh)

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def _add(self, prefix, depth, gates, kernel=None, bias=None):
        """(w, u, bias) of some gates."""
        size = gates * self._num_units
        between = random_uniform_initializer(-1, 1, dtype=self.dtype)
        return (
            self.add_variable(prefix + "kernel_w", [depth, size], initializer=kernel),
            self.add_variable(prefix + "kernel_u", [size], initializer=kernel or between),
            self.add_variable(prefix + "bias", [size], initializer=bias or zeros_initializer(dtype=self.dtype)),
        )

    @staticmethod
    def _sum(weights, inputs, *states):
        w, u, bias = weights
        return bias_add(matmul(inputs, w) + (states[0] if len(states) == 1 else concat(states, 1)) * u, bias)


class IndRNNCell(_Independent):
    """The basic cell with independent units.

    Source: S. Li et al., "Independently Recurrent Neural Network (IndRNN)", CVPR 2018.

    Args:
      num_units: An int: the size of the state and of the output.
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None):
        super().__init__(num_units, activation, reuse, name, dtype)

    def build(self, inputs_shape):
        self._weights = self._add("", input_depth(inputs_shape), 1)
        self.built = True

    def call(self, inputs, state):
        output = self._activation(self._sum(self._weights, inputs, state))
        return output, output


class IndyGRUCell(_Independent):
    """GRU with independent units.

    Source: S. Li et al., "Independently Recurrent Neural Network (IndRNN)", CVPR 2018.

    Args:
      num_units: An int: the size of the state and of the output.
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      kernel_initializer: Initializer of the weights; that of the variable scope by default, and uniform in [-1, 1] for
        those of the state.
      bias_initializer: Initializer of the biases; ones for the gates and zeros by default.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
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
    ):
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def build(self, inputs_shape):
        depth = input_depth(inputs_shape)
        kernel, bias = self._kernel_initializer, self._bias_initializer
        ones = constant_initializer(1.0, dtype=self.dtype)
        self._gate_weights = self._add("gates/", depth, 2, kernel, bias or ones)
        self._candidate_weights = self._add("candidate/", depth, 1, kernel, bias)
        self.built = True

    def call(self, inputs, state):
        reset, update = split(sigmoid(self._sum(self._gate_weights, inputs, state, state)), 2, axis=1)
        candidate = self._activation(self._sum(self._candidate_weights, inputs, reset * state))
        new = update * state + (1 - update) * candidate
        return new, new


class IndyLSTMCell(_Independent):
    """LSTM with independent units.

    Source: P. Gonnet and T. Deselaers, "IndyLSTMs: Independently Recurrent LSTMs", 2019.

    Args:
      num_units: An int: the size of c, of h and of the output.
      forget_bias: A float added to the forget gate.
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      kernel_initializer: Initializer of the weights; that of the variable scope by default, and uniform in [-1, 1] for
        those of the state.
      bias_initializer: Initializer of the bias; zeros by default.
      name: Name of the cell and of its variable scope; made from the class if None.
      dtype: Type of the variables; that of the inputs by default.
    """

    def __init__(
        self,
        num_units,
        forget_bias=1.0,
        activation=None,
        reuse=None,
        kernel_initializer=None,
        bias_initializer=None,
        name=None,
        dtype=None,
    ):
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    @property
    def state_size(self):
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape):
        self._weights = self._add("", input_depth(inputs_shape), 4, self._kernel_initializer, self._bias_initializer)
        self.built = True

    def call(self, inputs, state):
        c, h = state
        i, j, f, o = split(self._sum(self._weights, inputs, h, h, h, h), 4, axis=1)
        new_c = c * sigmoid(f + self._forget_bias) + sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class SRUCell(_Independent):
    """Simple recurrent unit: the state is not multiplied by a matrix.

    Source: T. Lei et al., "Training RNNs as Fast as CNNs", 2017.

    Args:
      num_units: An int: the size of the state and of the output.
      activation: A function or its name; tanh by default.
      reuse: Whether to reuse existing variables of that name.
      name: Name of the cell and of its variable scope; made from the class if None.
      **kwargs: Further arguments of `RNNCell`, such as `dtype`.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, kwargs.pop("dtype", None), **kwargs)

    def build(self, inputs_shape):
        self._kernel = self.add_variable("kernel", [input_depth(inputs_shape), 4 * self._num_units])
        zeros = constant_initializer(0.0, dtype=self.dtype)
        self._bias = self.add_variable("bias", [2 * self._num_units], initializer=zeros)
        self.built = True

    def call(self, inputs, state):
        n = self._num_units
        candidate, gates, passed = split(matmul(inputs, self._kernel), [n, 2 * n, n], axis=1)
        forget, reset = split(sigmoid(bias_add(gates, self._bias)), 2, axis=1)
        c = forget * state + (1.0 - forget) * candidate
        return reset * self._activation(c) + (1.0 - reset) * passed, c


class HighwayWrapper(RNNCell):
    """Mixes the outputs of a cell with its inputs, by a gate.

    Source: R. Srivastava et al., "Highway Networks", 2015.

    Args:
      cell: The cell, an `RNNCell`, whose output is as large as its inputs.
      couple_carry_transform_gates: Whether the outputs have one minus the gate of the inputs, not their own.
      carry_bias_init: A float, the first bias of the gate of the inputs.
    """

    def __init__(self, cell, couple_carry_transform_gates=True, carry_bias_init=1.0):
        super().__init__()
        self._cell = cell
        self._couple = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        outputs, new_state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        nest.map_structure(lambda i, o: i.shape.assert_is_compatible_with(o.shape), inputs, outputs)
        return nest.map_structure(self._mix, inputs, outputs), new_state

    def _gate(self, name, x, bias):
        size = x.shape[-1].value
        kernel = get_variable(f"{name}_w", [size, size])
        return sigmoid(bias_add(matmul(x, kernel), get_variable(f"{name}_b", [size], initializer=bias)))

    def _mix(self, inputs, outputs):
        carry = self._gate("carry", inputs, constant_initializer(self._carry_bias_init))
        if self._couple:
            return inputs * carry + outputs * (1 - carry)
        return inputs * carry + outputs * self._gate("transform", inputs, constant_initializer(-self._carry_bias_init))
