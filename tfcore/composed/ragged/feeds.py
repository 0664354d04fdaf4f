"""What sessions fetch and feed of ragged tensors."""

from tfcore.composed.ragged.tensor import RaggedTensor, is_ragged
from tfcore.composed.ragged.value import RaggedTensorValue
from tfcore.framework.values.run_conversions import conversions, register_session_run_conversion_functions


def _components_and_value(ragged):
    return ragged.components(), lambda values: RaggedTensorValue.from_components(values[0], values[1:])


def _fed_components(ragged, value):
    if not is_ragged(value):
        raise TypeError(f"The value fed for a RaggedTensor must be a RaggedTensorValue, not {type(value).__name__}.")
    if value.ragged_rank != ragged.ragged_rank:
        raise ValueError(
            f"The value fed for a RaggedTensor of ragged_rank {ragged.ragged_rank} has ragged_rank {value.ragged_rank}."
        )
    return zip(ragged.components(), (value.flat_values, *value.nested_row_splits), strict=True)


if not any(conversion.type is RaggedTensor for conversion in conversions):  # so that the import can be tried again
    register_session_run_conversion_functions(
        RaggedTensor, _components_and_value, _fed_components, RaggedTensor.components
    )
