"""Interleaved datasets whose elements other threads make ahead of time."""

from tfcore.ops.data.define import CALLS, ELEMENTS, define_dataset

_INPUTS = ["input_dataset", "other_arguments: Targuments", "cycle_length: int64", "block_length: int64"]
_BUFFERS = ["buffer_output_elements: int64", "prefetch_input_elements: int64"]
_ORDER = "deterministic: string = 'default'"

for _name, _inputs, _attrs, _elements in (
    ("ParallelInterleaveDatasetV2", [], CALLS, (*ELEMENTS, "sloppy: bool = false")),
    ("ParallelInterleaveDatasetV3", [], (CALLS[0], _ORDER, CALLS[1]), ELEMENTS),
    ("ParallelInterleaveDatasetV4", _BUFFERS, (CALLS[0], _ORDER, CALLS[1]), ELEMENTS),
):
    define_dataset(
        _name,
        [*_INPUTS, *_inputs, "num_parallel_calls: int64"],
        _attrs,
        _elements,
        doc="Elements of the datasets that `f` makes of the elements: `block_length` of each of `cycle_length` "
        "datasets in turn. They are made ahead of time, by up to `num_parallel_calls` datasets at the same time.",
    )
for _name, _more, _attrs in (
    ("ParallelInterleaveDataset", ["sloppy: bool"], CALLS),
    ("LegacyParallelInterleaveDatasetV2", [], (CALLS[0], _ORDER, CALLS[1])),
):
    define_dataset(
        _name,
        [*_INPUTS, *_more, *_BUFFERS],
        _attrs,
        doc="ParallelInterleaveDatasetV4 as it was before: all datasets of the cycle make elements at the same time.",
    )
