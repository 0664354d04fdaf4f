"""Datasets that group elements by a key."""

from tfcore.ops.data.define import define_dataset


def _define(name, parts, stateful=False, **options):
    """parts: the names of its functions."""
    define_dataset(
        name,
        ["input_dataset", *(f"{part}_func_other_arguments: T{part}_func_other_arguments" for part in parts)],
        [
            *(f"{part}_func: func" for part in parts),
            *(f"T{part}_func_other_arguments: list(type) >= 0" for part in parts),
        ],
        stateful=stateful,
        **options,
    )


_define(
    "GroupByWindowDataset",
    ("key", "reduce", "window_size"),
    doc="The elements of the datasets that `reduce_func` makes of windows: datasets of as many elements with one key "
    "as `window_size_func` returns for it.",
)
_define(
    "GroupByReducerDataset",
    ("key", "init", "reduce", "finalize"),
    after=(),
    stateful=True,
    doc="An element for each key: what `finalize_func` makes of the last state, after `reduce_func` had each element.",
)
