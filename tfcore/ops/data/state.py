"""Functions that also get what they returned for the element before; the only element of a dataset."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.ops.data.define import CALLS, ELEMENTS, METADATA, define_dataset

_STATE = [CALLS[0], "Tstate: list(type) >= 1", CALLS[1]]
_INPUTS = ["initial_state: Tstate", "other_arguments: Targuments"]

define_dataset(
    "ScanDataset",
    ["input_dataset", *_INPUTS],
    _STATE,
    [*ELEMENTS, "preserve_cardinality: bool = false", "use_default_device: bool = true"],
    doc="`f` gets a state and an element, and returns the next state and an element of this dataset.",
)
define_op(
    "ReduceDataset",
    inputs=["input_dataset: variant", *_INPUTS],
    outputs=["components: output_types"],
    attrs=[*_STATE, *ELEMENTS, "use_inter_op_parallelism: bool = true", METADATA],
    shape=lambda op: list(op.attrs["output_shapes"]),
    stateful=True,
    doc="The last state: `f` gets a state and an element, and returns the next state.",
)
define_op(
    "DatasetToSingleElement",
    inputs=["dataset: variant"],
    outputs=["components: output_types"],
    attrs=[*ELEMENTS, METADATA],
    shape=lambda op: list(op.attrs["output_shapes"]),
    stateful=True,
    doc="The only element of a dataset.",
)
not_differentiable("ReduceDataset", "DatasetToSingleElement")
