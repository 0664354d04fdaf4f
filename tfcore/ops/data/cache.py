"""Datasets that keep elements."""

from tfcore.ops.data.define import define_dataset, define_unshared

define_dataset(
    "CacheDataset",
    ["input_dataset", "filename: string"],
    doc="The elements, which are computed once and then kept in memory, or in a file.",
)
define_dataset(
    "CacheDatasetV2",
    ["input_dataset", "filename: string", "cache: resource"],
    stateful=True,
    doc="CacheDataset whose memory is not shared: the cache is that of DummyMemoryCache.",
)
define_unshared("DummyMemoryCache", "A memory cache for datasets that share none.")
