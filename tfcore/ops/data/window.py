"""Datasets of windows of elements."""

from tfcore.ops.data.define import define_dataset

define_dataset(
    "WindowDataset",
    ["input_dataset", "size: int64", "shift: int64", "stride: int64", "drop_remainder: bool"],
    doc="Elements whose components are datasets: of `size` elements each, every `stride`-th; the next one begins "
    "`shift` elements later.",
)
