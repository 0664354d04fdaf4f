"""Networks that loop inside the graph, over tensors with a time dimension."""

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant, constant_value, constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array as array_ops
from tfcore.ops.array import constants
from tfcore.ops.array import join as array_join
from tfcore.ops.array.move import reverse, reverse_sequence
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.binary import maximum, minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.debugging.check import Assert
from tfcore.ops.reduce.reduce import reduce_all
from tfcore.ops.state.tensor_array import TensorArray
from tfcore.rnn.base import assert_like_rnncell, joined_shape, static_shape
from tfcore.rnn.step import Lengths, cache_variables, initial_state_of, masked_step, state_dtype
from tfcore.variables.variable_scope import variable_scope


def dynamic_rnn(
    cell,
    inputs,
    sequence_length=None,
    initial_state=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """Runs a cell over sequences in a loop inside the graph.

    Args:
      cell: The cell, an `RNNCell`.
      inputs: A `Tensor` of shape [batch, time, ...], or [time, batch, ...] with `time_major`, or a nest of them.
      sequence_length: An int32 or int64 vector of size batch: after that many steps an example outputs zeros and keeps
        its state.
      initial_state: A `Tensor` of shape [batch, size] for each size in `cell.state_size`; zeros by default.
      dtype: The type of the initial state and the outputs; needed without `initial_state`.
      parallel_iterations: An int: how many steps may run at the same time; 32 by default.
      swap_memory: As for `tf.while_loop`.
      time_major: Whether time is the first dimension of inputs and outputs, which saves transposing them.
      scope: A variable scope or its name; "rnn" by default.

    Returns:
      A tuple (outputs, state): a `Tensor` of shape [batch, time, cell.output_size], or [time, batch, cell.output_size]
      with `time_major`, and the final state.

    Raises:
      TypeError: `cell` is not a cell.
      ValueError: A size is unknown, the shapes don't fit together, or there is neither an initial state nor a dtype.

    Example:

    >>> cell = tf.nn.rnn_cell.BasicLSTMCell(4)
    >>> outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 3]), sequence_length=[5, 2], dtype=tf.float32)
    >>> print(outputs.shape, state.h.shape)
    (2, 5, 4) (2, 4)
    """
    assert_like_rnncell("cell", cell)
    with variable_scope(scope or "rnn") as current:
        cache_variables(current)
        flat_inputs = [convert_to_tensor(value) for value in nest.flatten(inputs)]
        if not time_major:
            flat_inputs = [transpose_batch_time(value) for value in flat_inputs]
        lengths = None
        if sequence_length is not None:
            lengths = _length_vector(sequence_length)
        batch_size = _batch_size(flat_inputs)
        state = initial_state_of(cell, initial_state, batch_size, dtype)
        if lengths is not None:
            with control_dependencies([_assert_shape(lengths, [batch_size])]):
                lengths = array_ops.identity(lengths, name="CheckSeqLen")
        loop = _Loop(cell, nest.pack_sequence_as(inputs, flat_inputs), batch_size, lengths, state_dtype(dtype, state))
        outputs, state = loop.run(state, parallel_iterations or 32, swap_memory)
        return outputs if time_major else nest.map_structure(transpose_batch_time, outputs), state


def transpose_batch_time(x):
    """Swaps the first two dimensions: [batch, time, ...] becomes [time, batch, ...], and back.

    Args:
      x: A `Tensor`; one with less than two dimensions is returned as it is.

    Returns:
      A `Tensor` of the type of `x`.

    Raises:
      AttributeError: `x` is not a `Tensor`.
    """
    shape = x.shape
    if shape.ndims is not None and shape.ndims < 2:
        return x
    result = array_ops.transpose(x, array_join.concat([[1, 0], constants.range(2, array_ops.rank(x))], axis=0))
    if shape.ndims is not None:
        result.set_shape(TensorShape([shape[1], shape[0]]).concatenate(shape[2:]))
    return result


def _length_vector(sequence_length):
    lengths = cast(sequence_length, dtypes.int32)
    if lengths.shape.ndims not in (None, 1):
        raise ValueError(
            "Argument sequence_length must be a vector of length batch_size. Received "
            f"sequence_length={lengths} of shape: {lengths.shape}"
        )
    return array_ops.identity(lengths, name="sequence_length")


def _assert_shape(x, shape):
    actual, wanted = array_ops.shape(x), array_join.stack(shape)
    text = [f"Expected shape for Tensor {x.name} is ", wanted, " but saw shape: ", actual]
    return Assert(reduce_all(equal(actual, wanted)), text)


def _batch_size(flat_inputs):
    """The size of the second dimension: an int if it is statically known, else a scalar tensor."""
    for value in flat_inputs:
        shape = value.shape
        if shape.ndims is None:
            continue
        if shape.ndims < 2:
            raise ValueError(f"Input tensor should have rank >= 2. Received input={value} of rank {shape.ndims}")
        if shape[1].value is not None:
            return shape[1].value
    return array_ops.shape(flat_inputs[0])[1]


def known_size(size):
    """A size, of one or more dimensions, as a TensorShape; of a tensor, as far as its value is statically known."""
    if not isinstance(size, Tensor):
        return TensorShape(size)
    return TensorShape([constant_value(size)]) if size.shape.ndims == 0 else TensorShape(constant_value_as_shape(size))


class _Loop:
    """The loop over time-major inputs."""

    def __init__(self, cell, inputs, batch_size, lengths, dtype):
        self._cell, self._inputs, self._dtype = cell, inputs, dtype
        self._flat_inputs = nest.flatten(inputs)
        self._flat_sizes = nest.flatten(cell.output_size)
        self._shapes = [value.shape.with_rank_at_least(3) for value in self._flat_inputs]
        self._check_shapes()
        self._steps = array_ops.shape(self._flat_inputs[0])[0]
        self._zero_output = nest.map_structure(
            lambda s: constants.zeros(joined_shape(batch_size, s), dtype), cell.output_size
        )
        self._lengths = None if lengths is None else Lengths(lengths)

    def _check_shapes(self):
        steps, batch = self._shapes[0].as_list()[:2]
        for value, shape in zip(self._flat_inputs, self._shapes):
            if not shape[2:].is_fully_defined():
                raise ValueError(
                    "Input size (depth of inputs) must be accessible via shape inference, but saw value None for "
                    f"input={value}."
                )
            own_steps, own_batch = shape.as_list()[:2]
            if own_steps != steps:
                raise ValueError(
                    "Time steps is not the same for all the elements in the input in a batch. Received time "
                    f"steps={own_steps} for input={value}."
                )
            if own_batch != batch:
                raise ValueError(
                    "Batch_size is not the same for all the elements in the input. Received batch "
                    f"size={own_batch} for input={value}."
                )

    def run(self, state, parallel_iterations, swap_memory):
        """Outputs, stacked over time, and the final state."""
        time = constant(0, dtype=dtypes.int32, name="time")
        with name_scope("dynamic_rnn") as base_name:
            pass
        steps, batch = self._shapes[0].as_list()[:2]
        outputs = tuple(
            self._array(f"{base_name}output_{i}", TensorShape([batch]).concatenate(known_size(size)), self._dtype)
            for i, size in enumerate(self._flat_sizes)
        )
        self._input_arrays = [
            self._array(f"{base_name}input_{i}", value.shape[1:], value.dtype)
            for i, value in enumerate(self._flat_inputs)
        ]
        self._input_arrays = [a.unstack(value) for a, value in zip(self._input_arrays, self._flat_inputs)]
        longest = self._steps if self._lengths is None else self._lengths.max
        bound = minimum(self._steps, maximum(1, longest))
        _, outputs, state = while_loop(
            cond=lambda time, *_: time < bound,
            body=self._step,
            loop_vars=(time, outputs, state),
            parallel_iterations=parallel_iterations,
            maximum_iterations=self._steps,
            swap_memory=swap_memory,
        )
        results = [array.stack() for array in outputs]
        for result, size in zip(results, self._flat_sizes):
            result.set_shape(static_shape([steps, batch], size))
        return nest.pack_sequence_as(self._cell.output_size, results), state

    def _array(self, name, shape, dtype):
        return TensorArray(dtype=dtype, size=self._steps, element_shape=shape, tensor_array_name=name)

    def _step(self, time, outputs, state):
        flat = [array.read(time) for array in self._input_arrays]
        for value, shape in zip(flat, self._shapes):
            value.set_shape(shape[1:])
        inputs = nest.pack_sequence_as(self._inputs, flat)
        if self._lengths is None:
            output, new_state = self._cell(inputs, state)
        else:
            output, new_state = masked_step(
                time, self._lengths, self._zero_output, state, lambda: self._cell(inputs, state), skip_conditionals=True
            )
        written = tuple(array.write(time, value) for array, value in zip(outputs, nest.flatten(output)))
        return time + 1, written, new_state


def bidirectional_dynamic_rnn(
    cell_fw,
    cell_bw,
    inputs,
    sequence_length=None,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    parallel_iterations=None,
    swap_memory=False,
    time_major=False,
    scope=None,
):
    """Runs one cell forward and one backward over a sequence.

    Args:
      cell_fw: An RNNCell.
      cell_bw: An RNNCell.
      inputs: A tensor or nest of tensors, as for `tf.nn.dynamic_rnn`.
      sequence_length: Lengths of the sequences, int [batch] (optional). Each sequence is reversed separately.
      initial_state_fw: The state of `cell_fw` before the first step; zeros by default.
      initial_state_bw: The state of `cell_bw` before the last step; zeros by default.
      dtype: Type of the states, if there is no initial state.
      parallel_iterations: How many steps may run at the same time (default: 32).
      swap_memory: As for `tf.while_loop`.
      time_major: Whether the inputs are [time, batch, ...] instead of [batch, time, ...].
      scope: Variable scope; "bidirectional_rnn" by default.

    Returns:
      (outputs forward, outputs backward), both in the order of the inputs, and (state forward, state backward).

    Raises:
      TypeError: A cell is not an RNNCell.
      ValueError: There is neither an initial state nor `dtype`, or the shapes of the inputs do not fit.
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)
    options = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }

    def flip(x):
        if sequence_length is None:
            return reverse(x, axis=[time_axis])
        return reverse_sequence(x, sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = dynamic_rnn(cell_fw, inputs, initial_state=initial_state_fw, scope=inner, **options)
        with variable_scope("bw") as inner:
            mirrored = nest.map_structure(flip, inputs)
            backward, state_bw = dynamic_rnn(cell_bw, mirrored, initial_state=initial_state_bw, scope=inner, **options)
    return (forward, nest.map_structure(flip, backward)), (state_fw, state_bw)
