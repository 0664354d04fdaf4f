"""raw_rnn: a loop that is controlled by a function."""

from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.compare import logical_or
from tfcore.ops.cwise.unary import logical_not
from tfcore.ops.reduce.reduce import reduce_all
from tfcore.ops.state.tensor_array import TensorArray
from tfcore.rnn.base import assert_like_rnncell, zeros_of
from tfcore.rnn.dynamic import known_size
from tfcore.rnn.step import cache_variables, copy_through
from tfcore.variables.variable_scope import variable_scope


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """Runs a cell in a loop; a function determines its inputs, states, outputs and end.

    Args:
      cell: An RNNCell.
      loop_fn: function of (time, cell_output, cell_state, loop_state) that returns (finished, next_input,
        next_cell_state, emit_output, next_loop_state). The first call has time 0 and None for all other arguments; it
        returns the initial input and state, and its emit_output gives the structure and sizes of the outputs (None: as
        cell.output_size). finished: bool [batch]; an example that is finished keeps its state and outputs zeros.
        loop_state: any nest of tensors and TensorArrays, or None.
      parallel_iterations: how many steps may run at the same time (default: 32).
      swap_memory: as for `tf.while_loop`.
      scope: variable scope; default: "rnn".

    Returns:
      TensorArrays of the outputs, the final state, and the final loop_state.

    Raises:
      TypeError: `cell` is not a cell, or loop_fn is not callable.
    """
    assert_like_rnncell("cell", cell)
    if not callable(loop_fn):
        raise TypeError(f"Argument `loop_fn` must be a callable. Received: {loop_fn}.")
    with variable_scope(scope or "rnn") as current:
        cache_variables(current)
        time = constant(0, dtype=dtypes.int32)
        finished, inputs, state, emitted, first_loop_state = loop_fn(time, None, None, None)
        loop_state = constant(0, dtype=dtypes.int32) if first_loop_state is None else first_loop_state
        nest.assert_same_structure(state, cell.state_size)
        state = nest.map_structure(convert_to_tensor, state)
        arrays, zeros = _emit_arrays(cell, inputs, state, emitted)

        def body(time, finished, inputs, arrays, state, loop_state):
            output, cell_state = cell(inputs, state)
            nest.assert_same_structure(state, cell_state)
            nest.assert_same_structure(cell.output_size, output)
            next_time = time + 1
            now_finished, next_inputs, next_state, emit, next_loop_state = loop_fn(
                next_time, output, cell_state, loop_state
            )
            nest.assert_same_structure(state, next_state)
            nest.assert_same_structure(inputs, next_inputs)
            nest.assert_same_structure(arrays, emit)
            emit = copy_through(finished, zeros, emit)
            next_state = nest.pack_sequence_as(state, copy_through(finished, state, next_state))
            written = [array.write(time, value) for array, value in zip(nest.flatten(arrays), emit)]
            arrays = nest.pack_sequence_as(arrays, written)
            finished = logical_or(finished, now_finished)
            loop_state = loop_state if next_loop_state is None else next_loop_state
            return next_time, finished, next_inputs, arrays, next_state, loop_state

        *_, arrays, state, loop_state = while_loop(
            lambda time, finished, *_: logical_not(reduce_all(finished)),
            body,
            loop_vars=[time, finished, inputs, arrays, state, loop_state],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        return arrays, state, None if first_loop_state is None else loop_state


def _emit_arrays(cell, inputs, state, emitted):
    """TensorArrays for the outputs, and zeros of the shapes of one step, both as nests."""
    flat_inputs = nest.flatten(inputs)
    batch = TensorShape([None])
    for value in flat_inputs:
        batch = batch.merge_with(value.shape[:1])
    batch_size = batch[0].value
    if batch_size is None:
        batch_size = shape(flat_inputs[0])[0]
    if emitted is None:
        structure = cell.output_size
        sizes = nest.flatten(structure)
        kinds = [nest.flatten(state)[0].dtype] * len(sizes)
    else:
        structure = emitted
        flat = nest.flatten(emitted)
        sizes = [value.shape if value.shape.is_fully_defined() else shape(value) for value in flat]
        kinds = [value.dtype for value in flat]
    arrays = [
        TensorArray(
            dtype=kind,
            dynamic_size=True,
            element_shape=batch.concatenate(known_size(size)),
            size=0,
            name=f"rnn_output_{i}",
        )
        for i, (size, kind) in enumerate(zip(sizes, kinds))
    ]
    zeros = [zeros_of(batch_size, size, kind) for size, kind in zip(sizes, kinds)]
    return nest.pack_sequence_as(structure, arrays), nest.pack_sequence_as(structure, zeros)
