# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore.data import Dataset as Dataset
from tfcore.data import FixedLengthRecordDataset as FixedLengthRecordDataset
from tfcore.data import Iterator as Iterator
from tfcore.data import TFRecordDataset as TFRecordDataset
from tfcore.data import TextLineDataset as TextLineDataset
from tfcore.data.experimental import Counter as Counter
from tfcore.data.experimental import CsvDataset as CsvDataset
from tfcore.data.experimental import Optional as Optional
from tfcore.data.experimental import RandomDataset as RandomDataset
from tfcore.data.experimental import Reducer as Reducer
from tfcore.data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from tfcore.data.experimental import choose_from_datasets as choose_from_datasets
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
from tfcore.data.experimental import rejection_resample as rejection_resample
from tfcore.data.experimental import sample_from_datasets as sample_from_datasets
from tfcore.data.experimental import scan as scan
from tfcore.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from tfcore.data.experimental import unbatch as unbatch
from tfcore.data.experimental import unique as unique
from typing import Any as _Any

__all__ = [
'AUTOTUNE', 'Counter', 'CsvDataset', 'Dataset', 'FixedLengthRecordDataset', 'Iterator', 'LMDBDataset', 'Optional',
'RandomDataset', 'Reducer', 'TFRecordDataset', 'TextLineDataset', 'batch_and_drop_remainder',
'bucket_by_sequence_length', 'choose_from_datasets', 'enumerate_dataset', 'get_next_as_optional', 'get_single_element',
'group_by_reducer', 'group_by_window', 'ignore_errors', 'make_batched_features_dataset', 'make_csv_dataset',
'make_saveable_from_iterator', 'map_and_batch', 'parallel_interleave', 'parse_example_dataset', 'rejection_resample',
'sample_from_datasets', 'scan', 'shuffle_and_repeat', 'unbatch', 'unique'
]

AUTOTUNE: int

class LMDBDataset(Dataset):
    """The pairs (key, value) of LMDB databases, in the order of the keys. Nobody may write to them meanwhile."""
    def __init__(self, filenames: _Any) -> None: ...

def batch_and_drop_remainder(batch_size: _Any) -> _Any:
    """Batches without a smaller rest, for `Dataset.apply`."""
