"""Datasets in random order."""

from tfcore.ops.data.define import define_dataset

define_dataset(
    "ShuffleDataset",
    ["input_dataset", "buffer_size: int64", "seed: int64", "seed2: int64"],
    ["reshuffle_each_iteration: bool = true"],
    doc="The elements in random order: each is taken from a buffer of the next `buffer_size` elements.",
)
