"""Datasets of what functions with state make."""

from tfcore.ops.data.define import define_dataset

_PARTS = ("init", "next", "finalize")

define_dataset(
    "GeneratorDataset",
    [f"{part}_func_other_args: T{part}_func_args" for part in _PARTS],
    [*(f"{part}_func: func" for part in _PARTS), *(f"T{part}_func_args: list(type) >= 0" for part in _PARTS)],
    stateful=True,
    doc="What `next_func` makes of the state that `init_func` returns, until it fails with OUT_OF_RANGE. "
    "`finalize_func` gets the state when an iterator ends.",
)
