"""Functions of a state and an element."""

from tfcore.data import elements
from tfcore.data.functions import TracedFunction
from tfcore.framework.definitions.op_def import get_op_def


def trace_with_state(func, state_spec, element_spec, new_state):
    """(TracedFunction, spec of the state) for a function of (state, element).

    The shape of the state is one that the function keeps: what differs between the state that it gets and the one that
    it returns is unknown.

    Args:
      new_state: a function from the function's result to the state in it.

    Raises:
      TypeError: the state has other types afterwards, or another structure.
    """
    while True:
        traced = TracedFunction(func, (state_spec, element_spec))
        found = elements.spec_of(new_state(traced.result))
        if elements.types_of(found) != elements.types_of(state_spec):
            raise TypeError(
                f"The element types for the new state must match the initial state. Expected "
                f"{elements.types_of(state_spec)}; got {elements.types_of(found)}."
            )
        weaker = elements.common_spec(state_spec, found)
        if elements.shapes_of(weaker) == elements.shapes_of(state_spec):
            return traced, state_spec
        state_spec = weaker


def reduced(dataset, initial_state, reduce_func, name):
    """See `Dataset.reduce`."""
    state = elements.to_tensors(initial_state)
    traced, spec = trace_with_state(reduce_func, elements.spec_of(state), dataset.element_spec, lambda result: result)
    found = get_op_def("ReduceDataset")(
        dataset.variant_tensor,
        elements.flat_tensors(state),
        traced.captured,
        f=traced.function,
        name=name,
        **elements.attributes_of(spec),
    )
    return elements.of_tensors(spec, found)


def scan_parts(dataset, initial_state, scan_func):
    """(the first state, TracedFunction, spec of an element) for `Dataset.scan`.

    Raises:
      TypeError: the function does not return a pair.
    """
    state = elements.to_tensors(initial_state)

    def new_state(result):
        if type(result) is not tuple or len(result) != 2:
            raise TypeError("The scan function must return a pair of a new state and an output.")
        return result[0]

    traced, _ = trace_with_state(scan_func, elements.spec_of(state), dataset.element_spec, new_state)
    spec = elements.spec_of(traced.result[1])
    return elements.flat_tensors(state), traced, spec
