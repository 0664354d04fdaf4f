"""Networks that are unrolled at graph construction: one copy of the cell for each input."""

from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.array import join as array_join
from tfcore.ops.array.move import reverse_sequence
from tfcore.ops.cwise.cast import cast
from tfcore.rnn.base import assert_like_rnncell, zeros_of
from tfcore.rnn.step import Lengths, cache_variables, initial_state_of, masked_step, state_dtype
from tfcore.variables.variable_scope import variable_scope


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Runs a cell over a list of inputs, unrolled: each step adds its operations to the graph.

    Args:
      cell: The cell, an `RNNCell`.
      inputs: A list of `Tensor`s of shape [batch, input_size], one for each step, or of nests of them.
      initial_state: A `Tensor` of shape [batch, size] for each size in `cell.state_size`; zeros by default.
      dtype: The type of the initial state and the outputs; needed without `initial_state`.
      sequence_length: An int32 or int64 vector of size batch: after that many steps an example outputs zeros and keeps
        its state.
      scope: A variable scope or its name; "rnn" by default.

    Returns:
      A tuple (outputs, state): a list of a `Tensor` for each step, and the final state.

    Raises:
      TypeError: `cell` is not a cell, or `inputs` is not a list.
      ValueError: There are no inputs, or a size is unknown.

    Example:

    >>> cell = tf.nn.rnn_cell.GRUCell(4)
    >>> outputs, state = tf.nn.static_rnn(cell, [tf.ones([2, 3])] * 5, dtype=tf.float32)
    >>> print(len(outputs), outputs[0].shape, state.shape)
    5 (2, 4) (2, 4)
    """
    assert_like_rnncell("cell", cell)
    _check_list(inputs)
    with variable_scope(scope or "rnn") as current:
        cache_variables(current)
        batch = _batch_dimension(inputs)
        batch_size = batch.value or array.shape(nest.flatten(inputs)[0])[0]
        state = initial_state_of(cell, initial_state, batch_size, dtype)
        lengths = zero_output = None
        if sequence_length is not None:
            lengths, zero_output = _prepare_masks(cell, sequence_length, batch_size, dtype, state)
        outputs = []
        for time, value in enumerate(inputs):
            if time > 0:
                current.reuse_variables()
            if lengths is None:
                output, state = cell(value, state)
            else:
                output, state = masked_step(time, lengths, zero_output, state, lambda v=value, s=state: cell(v, s))
            outputs.append(output)
        return outputs, state


def _check_list(inputs):
    if not nest.is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")


def _batch_dimension(inputs):
    """The common batch size of all inputs. Their other dimensions must be known."""
    flat = nest.flatten(inputs)
    if flat[0].shape.ndims == 1:  # ids, for cells that look up embeddings
        return flat[0].shape[0]
    batch = flat[0].shape.with_rank_at_least(2)[0]
    for value in flat:
        shape = value.shape.with_rank_at_least(2)
        batch.assert_is_compatible_with(shape[0])
        for i, size in enumerate(shape[1:].as_list()):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {i} of input {value}) must be accessible via shape inference, but saw "
                    "value None."
                )
    return batch


def _prepare_masks(cell, sequence_length, batch_size, dtype, state):
    lengths = convert_to_tensor(sequence_length, name="sequence_length")
    if lengths.shape.ndims not in (None, 1):
        raise ValueError(
            f"Argument `sequence_length` must be a vector of length {batch_size}. Received sequence_length={lengths}."
        )
    kind = state_dtype(dtype, state)
    zero_output = nest.map_structure(lambda size: zeros_of(batch_size, size, kind), cell.output_size)
    return Lengths(cast(lengths, dtypes.int32)), zero_output


def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
    """Runs `static_rnn` over a part of a sequence, starting from a saved state, and saves the final state.

    Args:
      cell: The cell, an `RNNCell`.
      inputs: A list of `Tensor`s of shape [batch, input_size], one for each step, or of nests of them.
      state_saver: An object with the methods `state(name)`, which returns a `Tensor`, and `save_state(name, tensor)`,
        which returns an `Operation`.
      state_name: The name of the state; a structure of names where `cell.state_size` is one.
      sequence_length: An int32 or int64 vector of size batch: after that many steps an example outputs zeros and keeps
        its state.
      scope: A variable scope or its name; "rnn" by default.

    Returns:
      A tuple (outputs, state): a list of a `Tensor` for each step, and the final state. Fetching the last output or the
      state saves the state.

    Raises:
      TypeError: `cell` is not a cell, or `inputs` is not a list.
      ValueError: The structure of `state_name` is not that of the state.
    """
    state_size = cell.state_size
    if nest.is_nested(state_size) != nest.is_nested(state_name):
        raise ValueError(
            "Argument `state_name` should be the same type as `cell.state_size`. Received: "
            f"state_name={state_name}, cell.state_size={state_size}."
        )
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(state_size)):
        raise ValueError(
            "Number of elements in argument `state_name` and `cell.state_size` are mismatched. Received "
            f"state_name={state_name} with {len(names)} elements and cell.state_size={state_size} with "
            f"{len(nest.flatten(state_size))} elements."
        )
    initial_state = nest.pack_sequence_as(state_size, [state_saver.state(name) for name in names])
    outputs, state = static_rnn(cell, inputs, initial_state, sequence_length=sequence_length, scope=scope)
    saved = [state_saver.save_state(name, part) for name, part in zip(names, nest.flatten(state))]
    with control_dependencies(saved):
        outputs[-1] = nest.map_structure(array.identity, outputs[-1])
        return outputs, nest.map_structure(array.identity, state)


def static_bidirectional_rnn(
    cell_fw,
    cell_bw,
    inputs,
    initial_state_fw=None,
    initial_state_bw=None,
    dtype=None,
    sequence_length=None,
    scope=None,
):
    """Runs one cell forward and one backward over a list of inputs and concatenates their outputs.

    Args:
      cell_fw: The cell that runs forward.
      cell_bw: The cell that runs backward.
      inputs: A list of `Tensor`s of shape [batch, input_size], one for each step, or of nests of them.
      initial_state_fw: The initial state of `cell_fw`; zeros by default.
      initial_state_bw: The initial state of `cell_bw`; zeros by default.
      dtype: The type of the initial states; needed where one is missing.
      sequence_length: An int32 or int64 vector of size batch: after that many steps an example outputs zeros and keeps
        its state. Each sequence is reversed separately.
      scope: A variable scope or its name; "bidirectional_rnn" by default.

    Returns:
      A tuple (outputs, state_fw, state_bw): a list of a `Tensor` of shape [batch, cell_fw.output_size +
      cell_bw.output_size] for each step, and both final states.

    Raises:
      TypeError: A cell is not a cell, or `inputs` is not a list.
      ValueError: There are no inputs, or a size is unknown.
    """
    assert_like_rnncell("cell_fw", cell_fw)
    assert_like_rnncell("cell_bw", cell_bw)
    _check_list(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inner:
            forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=inner)
        with variable_scope("bw") as inner:
            mirrored = _reversed(inputs, sequence_length)
            backward, state_bw = static_rnn(cell_bw, mirrored, initial_state_bw, dtype, sequence_length, scope=inner)
    backward = _reversed(backward, sequence_length)
    pairs = zip(nest.flatten(forward), nest.flatten(backward))
    outputs = nest.pack_sequence_as(forward, [array_join.concat([fw, bw], 1) for fw, bw in pairs])
    return outputs, state_fw, state_bw


def _reversed(steps, lengths):
    """A list of tensors (or nests) in reverse order; with lengths, each example of the batch separately."""
    if lengths is None:
        return list(reversed(steps))
    columns = []
    for values in zip(*[nest.flatten(step) for step in steps]):
        shape = TensorShape([None] * values[0].shape.ndims) if values[0].shape.ndims is not None else TensorShape(None)
        for value in values:
            shape = shape.merge_with(value.shape)
        flipped = array_join.unstack(reverse_sequence(array_join.stack(values), lengths, 0, 1))
        for value in flipped:
            value.set_shape(shape)
        columns.append(flipped)
    return [nest.pack_sequence_as(step, list(flat)) for step, flat in zip(steps, zip(*columns))]
