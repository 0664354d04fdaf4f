# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.data import Dataset as Dataset
from tfcore.data import FixedLengthRecordDataset as FixedLengthRecordDataset
from tfcore.data import Iterator as Iterator
from tfcore.data import TFRecordDataset as TFRecordDataset
from tfcore.data import TextLineDataset as TextLineDataset
from tfcore.data.experimental import CheckpointInputPipelineHook as CheckpointInputPipelineHook
from tfcore.data.experimental import Counter as Counter
from tfcore.data.experimental import CsvDataset as CsvDataset
from tfcore.data.experimental import Optional as Optional
from tfcore.data.experimental import RandomDataset as RandomDataset
from tfcore.data.experimental import Reducer as Reducer
from tfcore.data.experimental import SqlDataset as SqlDataset
from tfcore.data.experimental import TFRecordWriter as TFRecordWriter
from tfcore.data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from tfcore.data.experimental import bytes_produced_stats as bytes_produced_stats
from tfcore.data.experimental import bytes_produced_stats as latency_stats
from tfcore.data.experimental import choose_from_datasets as choose_from_datasets
from tfcore.data.experimental import copy_to_device as copy_to_device
from tfcore.data.experimental import dense_to_sparse_batch as dense_to_sparse_batch
from tfcore.data.experimental import enumerate_dataset as enumerate_dataset
from tfcore.data.experimental import get_next_as_optional as get_next_as_optional
from tfcore.data.experimental import get_single_element as get_single_element
from tfcore.data.experimental import group_by_reducer as group_by_reducer
from tfcore.data.experimental import group_by_window as group_by_window
from tfcore.data.experimental import ignore_errors as ignore_errors
from tfcore.data.experimental import make_batched_features_dataset as make_batched_features_dataset
from tfcore.data.experimental import make_csv_dataset as make_csv_dataset
from tfcore.data.experimental import make_saveable_from_iterator as make_saveable_from_iterator
from tfcore.data.experimental import map_and_batch as map_and_batch
from tfcore.data.experimental import parallel_interleave as parallel_interleave
from tfcore.data.experimental import parse_example_dataset as parse_example_dataset
from tfcore.data.experimental import prefetch_to_device as prefetch_to_device
from tfcore.data.experimental import rejection_resample as rejection_resample
from tfcore.data.experimental import sample_from_datasets as sample_from_datasets
from tfcore.data.experimental import scan as scan
from tfcore.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from tfcore.data.experimental import unbatch as unbatch
from tfcore.data.experimental import unique as unique
from typing import Any as _Any

__all__ = [
'AUTOTUNE', 'CheckpointInputPipelineHook', 'Counter', 'CsvDataset', 'Dataset', 'FixedLengthRecordDataset', 'Iterator',
'LMDBDataset', 'Optional', 'RandomDataset', 'Reducer', 'SqlDataset', 'TFRecordDataset', 'TFRecordWriter',
'TextLineDataset', 'assert_element_shape', 'batch_and_drop_remainder', 'bucket_by_sequence_length',
'bytes_produced_stats', 'choose_from_datasets', 'copy_to_device', 'dense_to_sparse_batch', 'dynamic_shards',
'enumerate_dataset', 'get_next_as_optional', 'get_single_element', 'group_by_reducer', 'group_by_window',
'ignore_errors', 'latency_stats', 'make_batched_features_dataset', 'make_csv_dataset', 'make_saveable_from_iterator',
'map_and_batch', 'padded_batch_and_drop_remainder', 'parallel_interleave', 'parse_example_dataset',
'prefetch_to_device', 'reduce_dataset', 'rejection_resample', 'reshard', 'sample_from_datasets', 'scan',
'shuffle_and_repeat', 'sliding_window_batch', 'sloppy_interleave', 'unbatch', 'unique'
]

AUTOTUNE: int

class LMDBDataset(Dataset):
    """The pairs (key, value) of LMDB databases, in the order of the keys. Nobody may write to them meanwhile."""
    def __init__(self, filenames: _Any) -> None: ...

def assert_element_shape(expected_shapes: _Any) -> _Any:
    """Checks that elements have these shapes, for `Dataset.apply`."""

def batch_and_drop_remainder(batch_size: _Any) -> _Any:
    """Batches without a smaller rest, for `Dataset.apply`."""

def dynamic_shards(make: _Any, num_shards: _Any, server: _Any, num_epochs: _Any = 1, name: str | None = 'dynamic_shards') -> _Any:
    """The elements of the shards that this worker takes, one after another, while others take other shards."""

def padded_batch_and_drop_remainder(batch_size: _Any, padded_shapes: _Any, padding_values: _Any = None) -> _Any:
    """Padded batches without a smaller last one, for `Dataset.apply`."""

def reduce_dataset(dataset: _Any, reducer: _Any) -> _Any:
    """What a `Reducer` makes of all elements."""

def reshard(make: _Any, positions: _Any, num_shards: _Any, index: _Any) -> _Any:
    """One worker's share of the elements that a different number of workers left unread."""

def sliding_window_batch(window_size: _Any, stride: _Any = None, window_shift: _Any = None, window_stride: _Any = 1) -> _Any:
    """Batches that begin every `window_shift` elements, for `Dataset.apply`."""

def sloppy_interleave(map_func: _Any, cycle_length: _Any, block_length: _Any = 1) -> _Any:
    """`parallel_interleave` whose order is not fixed, for `Dataset.apply`."""
