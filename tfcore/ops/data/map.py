"""Datasets that call functions of the graph."""

from tfcore.ops.data.define import CALLS, ELEMENTS, define_dataset

_ARGUMENTS = "other_arguments: Targuments"
_CYCLES = ["cycle_length: int64", "block_length: int64"]

define_dataset(
    "MapDataset",
    ["input_dataset", _ARGUMENTS],
    CALLS,
    [
        *ELEMENTS,
        "use_inter_op_parallelism: bool = true",
        "preserve_cardinality: bool = false",
        "force_synchronous: bool = false",
    ],
    doc="What `f` returns for each element. It also gets `other_arguments`.",
)
define_dataset(
    "FilterDataset",
    ["input_dataset", _ARGUMENTS],
    ["predicate: func", CALLS[1]],
    doc="The elements for which `predicate` returns true.",
)
define_dataset(
    "TakeWhileDataset",
    ["input_dataset", _ARGUMENTS],
    ["predicate: func", CALLS[1]],
    doc="The elements up to, but without, the first for which `predicate` returns false.",
)
define_dataset(
    "FlatMapDataset",
    ["input_dataset", _ARGUMENTS],
    CALLS,
    doc="The elements of the datasets that `f` makes of the elements, one dataset after the other.",
)
define_dataset(
    "InterleaveDataset",
    ["input_dataset", _ARGUMENTS, *_CYCLES],
    CALLS,
    doc="Elements of the datasets that `f` makes of the elements: `block_length` of each of `cycle_length` datasets "
    "in turn.",
)
