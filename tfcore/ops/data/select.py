"""Datasets that pass on elements of others."""

from tfcore.ops.data.define import ELEMENTS, METADATA, define_dataset

_CONFIGS = ["optimization_configs: list(string) = []"]

define_dataset("TakeDataset", ["input_dataset", "count: int64"], doc="The first `count` elements; below 0: all.")
define_dataset(
    "SkipDataset", ["input_dataset", "count: int64"], doc="All but the first `count` elements; below 0: none."
)
define_dataset(
    "RepeatDataset",
    ["input_dataset", "count: int64"],
    doc="The elements of the input, `count` times; below 0: without an end.",
)
define_dataset(
    "ShardDataset",
    ["input_dataset", "num_shards: int64", "index: int64"],
    ["require_non_empty: bool = false"],
    doc="The elements whose number, counted from 0, leaves the rest `index` when divided by `num_shards`.",
)
define_dataset(
    "ConcatenateDataset",
    ["input_dataset", "another_dataset: variant"],
    doc="The elements of one dataset, then those of the other.",
)
define_dataset(
    "ZipDataset",
    ["input_datasets: N * variant"],
    elements=[*ELEMENTS, "N: int >= 1"],
    doc="Elements that have the components of one element of each input.",
)
define_dataset(
    "IgnoreErrorsDataset",
    ["input_dataset"],
    after=["log_warning: bool = false"],
    doc="The elements without those at which the input fails.",
)
for _name, _inputs, _before, _attrs, _metadata in (
    ("OptionsDataset", [], ["serialized_options: string"], [], [METADATA]),
    ("ModelDataset", [], ["algorithm: int = 0", "cpu_budget: int = 0", "ram_budget: int = 0"], [], []),
    ("OptimizeDataset", ["optimizations: string"], [], _CONFIGS, []),
    (
        "OptimizeDatasetV2",
        [f"optimizations_{which}: string" for which in ("enabled", "disabled", "default")],
        *([], _CONFIGS, []),
    ),
    ("RewriteDataset", ["rewrite_name: string"], [], [], []),
):
    define_dataset(
        _name,
        ["input_dataset", *_inputs],
        _before,
        [*ELEMENTS, *_attrs],
        _metadata,
        doc="The input: what TensorFlow says here about how to run it has no effect.",
    )
