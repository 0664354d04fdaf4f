"""Datasets whose elements are made ahead of time."""

from tfcore.ops.data.define import CALLS, ELEMENTS, define_dataset

define_dataset(
    "PrefetchDataset",
    ["input_dataset", "buffer_size: int64"],
    elements=[*ELEMENTS, "slack_period: int = 0", "legacy_autotune: bool = true", "buffer_size_min: int = 0"],
    doc="The elements; up to `buffer_size` are made before they are needed.",
)
for _name, _calls, _order, _more in (
    ("ParallelMapDataset", "int32", "sloppy: bool = false", ()),
    ("ParallelMapDatasetV2", "int64", "deterministic: string = 'default'", ("use_unbounded_threadpool: bool = false",)),
):
    define_dataset(
        _name,
        ["input_dataset", "other_arguments: Targuments", f"num_parallel_calls: {_calls}"],
        CALLS,
        [
            *ELEMENTS,
            "use_inter_op_parallelism: bool = true",
            _order,
            "preserve_cardinality: bool = false",
            *_more,
        ],
        doc="What `f` returns for each element, in order; up to `num_parallel_calls` calls run at the same time.",
    )
define_dataset(
    "MapAndBatchDataset",
    [
        *("input_dataset", "other_arguments: Targuments", "batch_size: int64", "num_parallel_calls: int64"),
        "drop_remainder: bool",
    ],
    CALLS,
    [*ELEMENTS, "preserve_cardinality: bool = false"],
    doc="The batches of ParallelMapDataset.",
)
