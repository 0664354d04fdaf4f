"""Datasets of batches."""

from tfcore.ops.data.define import ELEMENTS, METADATA, define_dataset

_SIZE, _DROP = "batch_size: int64", "drop_remainder: bool"
_COPY = "parallel_copy: bool = false"
_PADDED = ["padded_shapes: N * int64", "padding_values: Toutput_types"]
_PADDED_ELEMENTS = ["Toutput_types: list(type) >= 1", ELEMENTS[1], "N: int >= 1"]

define_dataset("BatchDataset", ["input_dataset", _SIZE], doc="Stacks up to `batch_size` elements.")
define_dataset(
    "BatchDatasetV2",
    ["input_dataset", _SIZE, _DROP],
    [_COPY],
    doc="Stacks `batch_size` elements. A smaller rest is a batch as well, or is dropped.",
)
define_dataset(
    "ParallelBatchDataset",
    ["input_dataset", _SIZE, "num_parallel_calls: int64", _DROP],
    [_COPY],
    after=["deterministic: string = 'default'", METADATA],
    doc="BatchDatasetV2. The number of calls has no effect.",
)
define_dataset(
    "PaddedBatchDataset",
    ["input_dataset", _SIZE, *_PADDED],
    elements=_PADDED_ELEMENTS,
    doc="Stacks elements of different sizes: they are padded to a given size, or to the largest of the batch (-1).",
)
define_dataset(
    "PaddedBatchDatasetV2",
    ["input_dataset", _SIZE, *_PADDED, _DROP],
    [_COPY],
    elements=_PADDED_ELEMENTS,
    doc="PaddedBatchDataset that may drop a smaller rest.",
)
define_dataset("UnbatchDataset", ["input_dataset"], doc="The rows of elements as elements.")
