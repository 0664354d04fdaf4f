"""Stacked bidirectional networks: the inputs of each layer are the outputs of both directions of the layer below."""

from tfcore.ops.array.join import concat
from tfcore.rnn.dynamic import bidirectional_dynamic_rnn
from tfcore.rnn.static import static_bidirectional_rnn
from tfcore.variables.variable_scope import variable_scope


def _check_layers(cells_fw, cells_bw, states_fw, states_bw):
    if cells_fw is None:
        raise ValueError("Must specify at least one fw cell for BidirectionalRNN.")
    if cells_bw is None:
        raise ValueError("Must specify at least one bw cell for BidirectionalRNN.")
    if not isinstance(cells_fw, list):
        raise ValueError("cells_fw must be a list of RNNCells (one per layer).")
    if not isinstance(cells_bw, list):
        raise ValueError("cells_bw must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for name, states, cells in (("fw", states_fw, cells_fw), ("bw", states_bw, cells_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells)):
            raise ValueError(f"initial_states_{name} must be a list of state tensors (one per layer).")


def _run_layers(layer, cells_fw, cells_bw, states_fw, states_bw, inputs, scope):
    """Calls layer(cell_fw, cell_bw, inputs, state_fw, state_bw) for each layer; it returns outputs and two states."""
    _check_layers(cells_fw, cells_bw, states_fw, states_bw)
    count = len(cells_fw)
    finals = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i in range(count):
            with variable_scope(f"cell_{i}"):
                inputs, *states = layer(
                    cells_fw[i], cells_bw[i], inputs, states_fw and states_fw[i], states_bw and states_bw[i]
                )
            for final, state in zip(finals, states):
                final.append(state)
    return inputs, tuple(finals[0]), tuple(finals[1])


def stack_bidirectional_rnn(
    cells_fw,
    cells_bw,
    inputs,
    initial_states_fw=None,
    initial_states_bw=None,
    dtype=None,
    sequence_length=None,
    scope=None,
):
    """Stacks layers of `static_bidirectional_rnn`.

    Args:
      cells_fw: A list of cells that run forward, one for each layer.
      cells_bw: A list of cells that run backward.
      inputs: A list of `Tensor`s of shape [batch, input_size], one for each step, or of nests of them.
      initial_states_fw: A list of initial states, one for each layer; zeros by default.
      initial_states_bw: The initial states of `cells_bw`, given like `initial_states_fw`.
      dtype: The type of the initial states; needed where one is missing.
      sequence_length: An int32 or int64 vector of size batch: after that many steps an example outputs zeros and keeps
        its state.
      scope: A variable scope or its name; "stack_bidirectional_rnn" by default.

    Returns:
      A tuple (outputs, states_fw, states_bw): a list of a `Tensor` for each step, the outputs of the last layer, and
      tuples of the final states of the layers.

    Raises:
      ValueError: The lists are missing, are not lists or have different lengths; or as for one layer.
      TypeError: A cell is not a cell.
    """

    def layer(cell_fw, cell_bw, inputs, state_fw, state_bw):
        return static_bidirectional_rnn(cell_fw, cell_bw, inputs, state_fw, state_bw, dtype, sequence_length)

    return _run_layers(layer, cells_fw, cells_bw, initial_states_fw, initial_states_bw, inputs, scope)


def stack_bidirectional_dynamic_rnn(
    cells_fw,
    cells_bw,
    inputs,
    initial_states_fw=None,
    initial_states_bw=None,
    dtype=None,
    sequence_length=None,
    parallel_iterations=None,
    time_major=False,
    scope=None,
    swap_memory=False,
):
    """Stacks layers of `bidirectional_dynamic_rnn`.

    Args:
      cells_fw: A list of cells that run forward, one for each layer.
      cells_bw: A list of cells that run backward.
      inputs: A `Tensor` of shape [batch, time, ...], or [time, batch, ...] with `time_major`, or a nest of them.
      initial_states_fw: A list of initial states, one for each layer; zeros by default.
      initial_states_bw: The initial states of `cells_bw`, given like `initial_states_fw`.
      dtype: The type of the initial states; needed where one is missing.
      sequence_length: An int32 or int64 vector of size batch: after that many steps an example outputs zeros and keeps
        its state.
      parallel_iterations: An int: how many steps may run at the same time; 32 by default.
      time_major: Whether time is the first dimension of inputs and outputs, which saves transposing them.
      scope: A variable scope or its name; "stack_bidirectional_rnn" by default.
      swap_memory: As for `tf.while_loop`.

    Returns:
      A tuple (outputs, states_fw, states_bw): a `Tensor` with the outputs of both directions of the last layer side by
      side, and tuples of the final states of the layers.

    Raises:
      ValueError: The lists are missing, are not lists or have different lengths; or as for one layer.
      TypeError: A cell is not a cell.
    """

    def layer(cell_fw, cell_bw, inputs, state_fw, state_bw):
        outputs, states = bidirectional_dynamic_rnn(
            cell_fw,
            cell_bw,
            inputs,
            sequence_length,
            state_fw,
            state_bw,
            dtype,
            parallel_iterations,
            swap_memory,
            time_major,
        )
        return concat(outputs, 2), *states

    return _run_layers(layer, cells_fw, cells_bw, initial_states_fw, initial_states_bw, inputs, scope)
