# Written by python -m tfcore.tools.stubs: do not edit.

import enum
from tfcore import Operation as Operation
from tfcore import OptionalSpec as OptionalStructure
from tfcore import SparseTensorSpec as SparseTensorStructure
from tfcore import Tensor as Tensor
from tfcore import TensorSpec as TensorStructure
from tfcore import TypeSpec as Structure
from tfcore.data import Dataset as Dataset
from tfcore.data import DatasetSpec as DatasetStructure
from tfcore.data import ThreadingOptions as ThreadingOptions
from tfcore.lookup import KeyValueTensorInitializer as KeyValueTensorInitializer
from tfcore.train import SessionRunHook as SessionRunHook
from typing import Any as _Any

__all__ = [
'AUTOTUNE', 'AutoShardPolicy', 'AutotuneAlgorithm', 'AutotuneOptions', 'CheckpointInputPipelineHook', 'Counter',
'CsvDataset', 'DatasetInitializer', 'DatasetStructure', 'DistributeOptions', 'ExternalStatePolicy',
'INFINITE_CARDINALITY', 'OptimizationOptions', 'Optional', 'OptionalStructure', 'RandomDataset', 'Reducer',
'SparseTensorStructure', 'SqlDataset', 'StatsOptions', 'Structure', 'TFRecordWriter', 'TensorStructure',
'ThreadingOptions', 'UNKNOWN_CARDINALITY', 'assert_cardinality', 'bucket_by_sequence_length', 'bytes_produced_stats',
'cardinality', 'choose_from_datasets', 'copy_to_device', 'dense_to_sparse_batch', 'enumerate_dataset', 'from_list',
'from_variant', 'get_next_as_optional', 'get_single_element', 'get_structure', 'group_by_reducer', 'group_by_window',
'ignore_errors', 'index_table_from_dataset', 'latency_stats', 'make_batched_features_dataset', 'make_csv_dataset',
'make_saveable_from_iterator', 'map_and_batch', 'pad_to_cardinality', 'parallel_interleave', 'parse_example_dataset',
'prefetch_to_device', 'rejection_resample', 'sample_from_datasets', 'scan', 'shuffle_and_repeat', 'table_from_dataset',
'take_while', 'to_variant', 'unbatch', 'unique'
]

AUTOTUNE: int

class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers; has no effect."""
    AUTO = 0
    DATA = 2
    FILE = 1
    HINT = 3
    OFF = -1
    def __new__(cls, value: _Any) -> AutoShardPolicy: ...

class AutotuneAlgorithm(enum.Enum):
    """How AUTOTUNE searches; has no effect."""
    DEFAULT = 0
    GRADIENT_DESCENT = 2
    HILL_CLIMB = 1
    MAX_PARALLELISM = 3
    STAGE_BASED = 4
    def __new__(cls, value: _Any) -> AutotuneAlgorithm: ...

class AutotuneOptions:
    """Options for AUTOTUNE: numbers of threads and sizes of buffers. They have no effect."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self) -> None: ...

class CheckpointInputPipelineHook(SessionRunHook):
    """Saves the positions of a graph's iterators every so many steps or seconds, and restores them."""
    def __init__(self, estimator: _Any, external_state_policy: _Any = None) -> None: ...
    def after_create_session(self, session: _Any, coord: _Any) -> _Any: ...
    def after_run(self, run_context: _Any, run_values: _Any) -> _Any: ...
    def before_run(self, run_context: _Any) -> _Any: ...
    def begin(self) -> _Any: ...
    def end(self, session: _Any) -> _Any: ...

def Counter(start: _Any = 0, step: _Any = 1, dtype: _Any = ...) -> _Any:
    """A dataset of numbers without an end."""

class CsvDataset(Dataset):
    """The records of CSV files: a tuple with a scalar for each column."""
    def __init__(self, filenames: _Any, record_defaults: _Any, compression_type: _Any = None, buffer_size: _Any = None, header: _Any = False, field_delim: _Any = ',', use_quote_delim: _Any = True, na_value: _Any = '', select_cols: _Any = None, exclude_cols: _Any = None) -> None: ...

class DatasetInitializer(KeyValueTensorInitializer):
    """Fills a static table with the elements of a dataset."""
    def __init__(self, dataset: _Any) -> None: ...

class DistributeOptions:
    """Options for dividing a dataset among workers. They have no effect."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self) -> None: ...

class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of a dataset that is saved."""
    FAIL = 2
    IGNORE = 1
    WARN = 0
    def __new__(cls, value: _Any) -> ExternalStatePolicy: ...

INFINITE_CARDINALITY: int

class OptimizationOptions:
    """Options for rewriting datasets. They have no effect."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self) -> None: ...

class Optional:
    """A value that may be there or not, such as the next element of an iterator that may have ended."""
    def __init__(self, variant_tensor: _Any, element_spec: _Any) -> None: ...
    @property
    def element_spec(self) -> _Any:
        """The structure of the value, with `TypeSpec`s as leaves."""
    @staticmethod
    def empty(element_spec: _Any) -> _Any:
        """An `Optional` that has no value."""
    @staticmethod
    def from_value(value: _Any) -> _Any:
        """An `Optional` that has a value."""
    def get_value(self, name: str | None = None) -> _Any:
        """The value. Running it fails with InvalidArgumentError if it is not there."""
    def has_value(self, name: str | None = None) -> Tensor:
        """Whether the value is there."""
    @staticmethod
    def none_from_structure(element_spec: _Any) -> _Any:
        """An `Optional` that has no value."""
    @property
    def value_structure(self) -> _Any:
        """The structure of the value, with `TypeSpec`s as leaves."""
    @property
    def variant_tensor(self) -> Tensor:
        """The `Tensor` that stands for it."""

def RandomDataset(seed: _Any = None, rerandomize_each_iteration: _Any = None, name: str | None = None) -> _Any:
    """Random numbers from 0 to 2**32 - 1, without an end, see `Dataset.random`."""

class Reducer:
    """Three functions that make one element of all that have the same key, for `group_by_reducer`."""
    def __init__(self, init_func: _Any, reduce_func: _Any, finalize_func: _Any) -> None: ...
    @property
    def finalize_func(self) -> _Any:
        """The function that makes an element."""
    @property
    def init_func(self) -> _Any:
        """The function that makes the first state."""
    @property
    def reduce_func(self) -> _Any:
        """The function that makes the next state."""

class SqlDataset(Dataset):
    """The rows of the result of a query, as tuples, from a database of SQLite."""
    def __init__(self, driver_name: _Any, data_source_name: _Any, query: _Any, output_types: _Any) -> None: ...

class StatsOptions:
    """Options for statistics of datasets. They have no effect."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self) -> None: ...

class TFRecordWriter:
    """Writes the elements of a dataset to a file of records."""
    def __init__(self, filename: _Any, compression_type: _Any = None) -> None: ...
    def write(self, dataset: _Any) -> Operation:
        """Writes all elements. What the file had is lost; if the dataset fails, the file has the elements before that."""

UNKNOWN_CARDINALITY: int

def assert_cardinality(expected_cardinality: _Any) -> _Any:
    """States the number of elements, for `Dataset.apply`. Another number is a `FailedPreconditionError` at run time."""

def bucket_by_sequence_length(element_length_func: _Any, bucket_boundaries: _Any, bucket_batch_sizes: _Any, padded_shapes: _Any = None, padding_values: _Any = None, pad_to_bucket_boundary: _Any = False, no_padding: _Any = False, drop_remainder: _Any = False) -> _Any:
    """Batches of elements of similar lengths, for `Dataset.apply`; see `Dataset.bucket_by_sequence_length`."""

def bytes_produced_stats(tag: _Any) -> _Any:
    """A dataset with the same elements, for `Dataset.apply`. Nothing is recorded: see `tf.summary.input_pipeline`."""

def cardinality(dataset: _Any) -> Tensor:
    """The number of elements, see `Dataset.cardinality`."""

def choose_from_datasets(datasets: _Any, choice_dataset: _Any, stop_on_empty_dataset: _Any = False) -> _Any:
    """Elements of datasets that a dataset of numbers chooses, see `Dataset.choose_from_datasets`."""

def copy_to_device(target_device: _Any, source_device: _Any = '/cpu:0') -> _Any:
    """A dataset with the same elements, for `Dataset.apply`: a step copies them to where they are used."""

def dense_to_sparse_batch(batch_size: _Any, row_shape: _Any) -> _Any:
    """Batches of tensors of different shapes as `SparseTensor`s, for `Dataset.apply`."""

def enumerate_dataset(start: _Any = 0) -> _Any:
    """Pairs of a number and an element, for `Dataset.apply`."""

def from_list(elements: _Any, name: str | None = None) -> _Any:
    """A dataset of the elements of a list."""

def from_variant(variant: _Any, structure: _Any) -> _Any:
    """The dataset that a tensor stands for."""

def get_next_as_optional(iterator: _Any) -> _Any:
    """The next element of an iterator; there is none after the last one, instead of an error."""

def get_single_element(dataset: _Any) -> _Any:
    """The only element of a dataset, see `Dataset.get_single_element`."""

def get_structure(dataset_or_iterator: _Any) -> _Any:
    """The structure of an element."""

def group_by_reducer(key_func: _Any, reducer: _Any) -> _Any:
    """One element for each key, for `Dataset.apply`. They come at the end, in the order of keys."""

def group_by_window(key_func: _Any, reduce_func: _Any, window_size: _Any = None, window_size_func: _Any = None) -> _Any:
    """What a function makes of windows of elements with the same key, for `Dataset.apply`."""

def ignore_errors(log_warning: _Any = False) -> _Any:
    """Leaves out the elements at which a dataset fails, for `Dataset.apply`."""

def index_table_from_dataset(dataset: _Any = None, num_oov_buckets: _Any = 0, vocab_size: _Any = None, default_value: _Any = -1, hasher_spec: _Any = ..., key_dtype: _Any = ..., name: str | None = None) -> _Any:
    """A table from the elements of a dataset to their numbers."""

latency_stats = bytes_produced_stats

def make_batched_features_dataset(file_pattern: _Any, batch_size: _Any, features: _Any, reader: _Any = ..., label_key: _Any = None, reader_args: _Any = None, num_epochs: _Any = None, shuffle: _Any = True, shuffle_buffer_size: _Any = 10000, shuffle_seed: _Any = None, prefetch_buffer_size: _Any = None, reader_num_threads: _Any = None, parser_num_threads: _Any = None, sloppy_ordering: _Any = False, drop_final_batch: _Any = False) -> _Any:
    """Batches of the features of files of `tf.train.Example`: dictionaries, or pairs of a dictionary and labels."""

def make_csv_dataset(file_pattern: _Any, batch_size: _Any, column_names: _Any = None, column_defaults: _Any = None, label_name: _Any = None, select_columns: _Any = None, field_delim: _Any = ',', use_quote_delim: _Any = True, na_value: _Any = '', header: _Any = True, num_epochs: _Any = None, shuffle: _Any = True, shuffle_buffer_size: _Any = 10000, shuffle_seed: _Any = None, prefetch_buffer_size: _Any = None, num_parallel_reads: _Any = None, sloppy: _Any = False, num_rows_for_inference: _Any = 100, compression_type: _Any = None, ignore_errors: _Any = False, encoding: _Any = 'utf-8') -> _Any:
    """Batches of the records of CSV files: dictionaries of columns, or pairs of a dictionary and labels."""

def make_saveable_from_iterator(iterator: _Any, external_state_policy: _Any = None) -> _Any:
    """What saves the position of an iterator with a checkpoint: buffers of shuffles, offsets in files, and so on."""

def map_and_batch(map_func: _Any, batch_size: _Any, num_parallel_batches: _Any = None, drop_remainder: _Any = False, num_parallel_calls: _Any = None) -> _Any:
    """`map`, then `batch`, for `Dataset.apply`."""

def pad_to_cardinality(cardinality: _Any, mask_key: _Any = 'valid') -> _Any:
    """Fills a dataset up to a number of elements, for `Dataset.apply`; a component says which elements are its own."""

def parallel_interleave(map_func: _Any, cycle_length: _Any, block_length: _Any = 1, sloppy: _Any = False, buffer_output_elements: _Any = None, prefetch_input_elements: _Any = None) -> _Any:
    """`interleave` with elements that are made ahead of time, for `Dataset.apply`."""

def parse_example_dataset(features: _Any, num_parallel_calls: _Any = 1, deterministic: _Any = None) -> _Any:
    """Parses batches of serialized messages `tf.train.Example`, for `Dataset.apply`."""

def prefetch_to_device(device: _Any, buffer_size: _Any = None) -> _Any:
    """Makes elements ahead of time, for `Dataset.apply`; a step copies them to the device that uses them."""

def rejection_resample(class_func: _Any, target_dist: _Any, initial_dist: _Any = None, seed: _Any = None) -> _Any:
    """Leaves out or repeats elements until classes have given frequencies, for `Dataset.apply`."""

def sample_from_datasets(datasets: _Any, weights: _Any = None, seed: _Any = None, stop_on_empty_dataset: _Any = False) -> _Any:
    """Elements of datasets that are chosen at random, see `Dataset.sample_from_datasets`."""

def scan(initial_state: _Any, scan_func: _Any) -> _Any:
    """What a function makes of each element and of a state, for `Dataset.apply`."""

def shuffle_and_repeat(buffer_size: _Any, count: _Any = None, seed: _Any = None) -> _Any:
    """`shuffle`, then `repeat`, for `Dataset.apply`."""

def table_from_dataset(dataset: _Any = None, num_oov_buckets: _Any = 0, vocab_size: _Any = None, default_value: _Any = None, hasher_spec: _Any = ..., key_dtype: _Any = ..., name: str | None = None) -> _Any:
    """A table of the elements of a dataset."""

def take_while(predicate: _Any) -> _Any:
    """The elements up to, but without, the first for which a function returns false, for `Dataset.apply`."""

def to_variant(dataset: _Any) -> Tensor:
    """The tensor that stands for a dataset."""

def unbatch() -> _Any:
    """The rows of the elements as elements, for `Dataset.apply`."""

def unique() -> _Any:
    """The distinct elements, in the order in which each first occurs, for `Dataset.apply`."""
