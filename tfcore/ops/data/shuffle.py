"""Datasets in random order."""

from tfcore.ops.data.define import ELEMENTS, define_dataset, define_unshared

_SEEDED = ["buffer_size: int64", "seed: int64", "seed2: int64"]
_RESHUFFLES = "reshuffle_each_iteration: bool = true"

define_dataset(
    "ShuffleDataset",
    ["input_dataset", *_SEEDED],
    [_RESHUFFLES],
    doc="The elements in random order: each is taken from a buffer of the next `buffer_size` elements.",
)
define_dataset(
    "ShuffleAndRepeatDataset",
    ["input_dataset", *_SEEDED, "count: int64"],
    elements=[*ELEMENTS, _RESHUFFLES],
    doc="The elements in random order, `count` times (-1: without an end): the buffer is full also while one pass ends "
    "and the next one begins.",
)
for _name, _more in (("ShuffleDatasetV3", []), ("ShuffleAndRepeatDatasetV2", ["count: int64"])):
    define_dataset(
        _name,
        ["input_dataset", *_SEEDED, *_more, "seed_generator: resource"],
        [_RESHUFFLES],
        stateful=True,
        doc=f"{_name[:-2]} whose seeds are not shared: the generator is that of DummySeedGenerator.",
    )
define_unshared("DummySeedGenerator", "A seed generator for datasets that share none.")
