"""Shared by static and dynamic loops: masks by sequence length, dtypes, batch sizes."""

from tfcore.framework.graph.control_flow_util import containing_while_context
from tfcore.framework.graph.graph import colocate_with, get_default_graph
from tfcore.framework.types import nest
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.cwise.select import where
from tfcore.ops.reduce.reduce import reduce_max, reduce_min
from tfcore.ops.state.tensor_array import TensorArray


def cache_variables(scope):
    """Makes variables under `scope` be read once for all steps, unless this network itself is in a loop."""
    context = get_default_graph()._get_control_flow_context()
    in_loop = containing_while_context(context) is not None
    if not in_loop and scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def state_dtype(dtype, state):
    """`dtype` if given, else that of the tensors of `state`.

    Raises:
      ValueError: `state` has no tensors, or tensors of several types.
    """
    if dtype is not None:
        return dtype
    if not nest.is_nested(state):
        return state.dtype
    found = [tensor.dtype for tensor in nest.flatten(state)]
    if not found:
        raise ValueError(f"Unable to infer dtype from argument state={state}.")
    if any(other != found[0] for other in found):
        raise ValueError(
            f"Argument state={state} has tensors of different inferred dtypes. Unable to infer a single representative "
            f"dtype. Dtypes received: {found}"
        )
    return found[0]


def initial_state_of(cell, initial_state, batch_size, dtype):
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def copy_through(finished, old, new):
    """Selects rows of `old` where `finished`, else of `new`, in two nests; scalars and TensorArrays are always new."""

    def choose(before, after):
        if isinstance(before, TensorArray) or before.shape.ndims == 0:
            return after
        with colocate_with(after):
            return where(finished, before, after)

    return [choose(before, after) for before, after in zip(nest.flatten(old), nest.flatten(new))]


class Lengths:
    """The lengths of the sequences of a batch: a vector, its minimum and maximum."""

    def __init__(self, lengths):
        self.all = lengths
        self.min = reduce_min(lengths)
        self.max = reduce_max(lengths)


def masked_step(time, lengths, zero_output, state, call_cell, skip_conditionals=False):
    """One step: rows whose sequence has ended by `time` keep their state and output zeros.

    Args:
      time: int or int32 scalar.
      lengths: a `Lengths`.
      zero_output: zeros of the shapes of the outputs.
      call_cell: function that returns the output and the new state.
      skip_conditionals: mask in every step; otherwise conditionals skip the masking before the first sequence ends and
        the cell after the last one.
    """

    def checked_call():
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return output, new_state

    def copy_some(output, new_state):
        finished = time >= lengths.all
        return copy_through(finished, zero_output, output) + copy_through(finished, state, new_state)

    def copy_some_or_none():
        output, new_state = checked_call()
        return cond(
            time < lengths.min,
            lambda: nest.flatten(output) + nest.flatten(new_state),
            lambda: copy_some(output, new_state),
        )

    flat_zeros, flat_state = nest.flatten(zero_output), nest.flatten(state)
    if skip_conditionals:
        results = copy_some(*checked_call())
    else:
        results = cond(time >= lengths.max, lambda: flat_zeros + flat_state, copy_some_or_none)
    for new, old in zip(results, flat_zeros + flat_state):
        if not isinstance(new, TensorArray):
            new.set_shape(old.shape)
    output = nest.pack_sequence_as(zero_output, results[: len(flat_zeros)])
    return output, nest.pack_sequence_as(state, results[len(flat_zeros) :])
