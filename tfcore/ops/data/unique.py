"""Datasets without repetitions."""

from tfcore.ops.data.define import define_dataset

define_dataset("UniqueDataset", ["input_dataset"], doc="The elements that did not come before.")
