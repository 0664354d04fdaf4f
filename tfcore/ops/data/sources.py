"""Datasets of what is in memory."""

from tfcore.ops.data.define import ELEMENTS, METADATA, define_dataset

_SPLIT = "replicate_on_split: bool = false"

define_dataset(
    "RangeDataset",
    ["start: int64", "stop: int64", "step: int64"],
    after=[METADATA, _SPLIT],
    stateful=True,
    doc="The numbers from `start` up to, but without, `stop`, in steps of `step`.",
)
define_dataset(
    "TensorDataset",
    ["components: Toutput_types"],
    elements=["Toutput_types: list(type) >= 1", ELEMENTS[1]],
    stateful=True,
    doc="One element: the components.",
)
define_dataset(
    "TensorSliceDataset",
    ["components: Toutput_types"],
    elements=["Toutput_types: list(type) >= 1", ELEMENTS[1], "is_files: bool = false"],
    after=[METADATA, _SPLIT],
    stateful=True,
    doc="An element for each row of the components.",
)
define_dataset(
    "SparseTensorSliceDataset",
    ["indices: int64", "values: Tvalues", "dense_shape: int64"],
    elements=["Tvalues: type"],
    after=[],
    stateful=True,
    doc="The rows of a sparse tensor, each as indices, values and a dense shape.",
)
define_dataset(
    "RandomDataset",
    ["seed: int64", "seed2: int64"],
    stateful=True,
    doc="Random numbers from 0 to 2**32 - 1 without an end, the same in each iteration.",
)
define_dataset(
    "RandomDatasetV2",
    ["seed: int64", "seed2: int64", "seed_generator: resource"],
    ["rerandomize_each_iteration: bool = false"],
    stateful=True,
    doc="RandomDataset that may have other numbers in each iteration: the generator is that of DummySeedGenerator.",
)
