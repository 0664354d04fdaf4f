"""Datasets that choose between others."""

from tfcore.ops.data.define import ELEMENTS, define_dataset

define_dataset(
    "DirectedInterleaveDataset",
    ["selector_input_dataset: variant", "data_input_datasets: N * variant"],
    elements=[*ELEMENTS, "N: int >= 1"],
    after=["stop_on_empty_dataset: bool = false"],
    doc="Elements of the inputs: the numbers in `selector_input_dataset` say of which.",
)
