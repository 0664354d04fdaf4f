# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import Operation as Operation
from tfcore import Tensor as Tensor
from tfcore import TypeSpec as TypeSpec
from tfcore.data import experimental as experimental
from typing import Any as _Any

__all__ = [
'AUTOTUNE', 'Dataset', 'DatasetSpec', 'FixedLengthRecordDataset', 'INFINITE_CARDINALITY', 'Iterator', 'Options',
'TFRecordDataset', 'TextLineDataset', 'ThreadingOptions', 'UNKNOWN_CARDINALITY', 'experimental', 'get_output_classes',
'get_output_shapes', 'get_output_types', 'make_initializable_iterator', 'make_one_shot_iterator'
]

AUTOTUNE: int

class Dataset:
    """A potentially large set of elements, which a pipeline of operations makes one after the other."""
    def __init__(self) -> None: ...
    def __iter__(self) -> _Any: ...
    def apply(self, transformation_func: _Any) -> _Any:
        """What a function makes of this dataset."""
    def batch(self, batch_size: _Any, drop_remainder: _Any = False, num_parallel_calls: _Any = None, deterministic: _Any = None, name: str | None = None) -> _Any:
        """Stacks elements: a batch has one more dimension, the first."""
    def bucket_by_sequence_length(self, element_length_func: _Any, bucket_boundaries: _Any, bucket_batch_sizes: _Any, padded_shapes: _Any = None, padding_values: _Any = None, pad_to_bucket_boundary: _Any = False, no_padding: _Any = False, drop_remainder: _Any = False, name: str | None = None) -> _Any:
        """Batches of elements of similar lengths, which are padded to the longest of them."""
    def cache(self, filename: _Any = '', name: str | None = None) -> _Any:
        """The elements, which are computed once and then kept in memory or in a file."""
    def cardinality(self, name: str | None = None) -> Tensor:
        """The number of elements, as far as it is known without making them."""
    @staticmethod
    def choose_from_datasets(datasets: _Any, choice_dataset: _Any, stop_on_empty_dataset: _Any = True) -> _Any:
        """Elements of datasets that a dataset of numbers chooses."""
    def concatenate(self, dataset: _Any, name: str | None = None) -> _Any:
        """The elements of this dataset, then those of another one."""
    @property
    def element_spec(self) -> _Any:
        """The structure of an element, with `TensorSpec`s as leaves; `DatasetSpec`s for datasets."""
    def enumerate(self, start: _Any = 0, name: str | None = None) -> _Any:
        """Pairs of a number and an element."""
    def filter(self, predicate: _Any, name: str | None = None) -> _Any:
        """The elements for which a function returns true."""
    def filter_with_legacy_function(self, predicate: _Any) -> _Any:
        """`filter`, by the name that TensorFlow has for functions which create state."""
    def flat_map(self, map_func: _Any, name: str | None = None) -> _Any:
        """The elements of the datasets that a function makes of the elements, one dataset after the other."""
    @staticmethod
    def from_generator(generator: _Any, output_types: _Any = None, output_shapes: _Any = None, args: _Any = None, output_signature: _Any = None, name: str | None = None) -> _Any:
        """A dataset of what a Python function yields. It runs anew for each iteration."""
    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: _Any) -> _Any:
        """A dataset with an element for each row of a sparse tensor. Old form of `from_tensor_slices`."""
    @staticmethod
    def from_tensor_slices(tensors: _Any, name: str | None = None) -> _Any:
        """A dataset with an element for each row of the tensors: their slices along the first dimension."""
    @staticmethod
    def from_tensors(tensors: _Any, name: str | None = None) -> _Any:
        """A dataset with one element."""
    def get_single_element(self, name: str | None = None) -> _Any:
        """The only element, without an iterator."""
    def group_by_window(self, key_func: _Any, reduce_func: _Any, window_size: _Any = None, window_size_func: _Any = None, name: str | None = None) -> _Any:
        """Collects elements with the same key in windows, and gives the elements of what a function makes of each."""
    def ignore_errors(self, log_warning: _Any = False, name: str | None = None) -> _Any:
        """The elements without those at which the dataset fails, for example because a file is damaged."""
    def interleave(self, map_func: _Any, cycle_length: _Any = None, block_length: _Any = None, num_parallel_calls: _Any = None, deterministic: _Any = None, name: str | None = None) -> _Any:
        """The elements of the datasets that a function makes of the elements, a few of each in turn."""
    @staticmethod
    def list_files(file_pattern: _Any, shuffle: _Any = None, seed: _Any = None, name: str | None = None) -> _Any:
        """The names of the files that match a pattern."""
    def make_initializable_iterator(self, shared_name: _Any = None) -> _Any:
        """An iterator that has elements once its initializer has run."""
    def make_one_shot_iterator(self) -> _Any:
        """An iterator that needs no initialization."""
    def map(self, map_func: _Any, num_parallel_calls: _Any = None, deterministic: _Any = None, synchronous: _Any = None, use_unbounded_threadpool: _Any = False, name: str | None = None) -> _Any:
        """What a function returns for each element."""
    def map_with_legacy_function(self, map_func: _Any, num_parallel_calls: _Any = None, deterministic: _Any = None, use_unbounded_threadpool: _Any = False) -> _Any:
        """`map`, by the name that TensorFlow has for functions which create state."""
    def options(self) -> _Any:
        """What `with_options` has set, here and for the datasets that this one is made from."""
    @property
    def output_classes(self) -> _Any:
        """The structure of an element, with classes of values as leaves."""
    @property
    def output_shapes(self) -> _Any:
        """The structure of an element, with `TensorShape`s as leaves."""
    @property
    def output_types(self) -> _Any:
        """The structure of an element, with `DType`s as leaves."""
    def padded_batch(self, batch_size: _Any, padded_shapes: _Any = None, padding_values: _Any = None, drop_remainder: _Any = False, name: str | None = None) -> _Any:
        """Stacks elements of different sizes: smaller ones are padded at the end of each dimension."""
    def prefetch(self, buffer_size: _Any, name: str | None = None) -> _Any:
        """The elements, of which some are made ahead of time by another thread."""
    @staticmethod
    def random(seed: _Any = None, rerandomize_each_iteration: _Any = None, name: str | None = None) -> _Any:
        """Random numbers from 0 to 2**32 - 1, without an end."""
    @staticmethod
    def range(*args: _Any, **kwargs: _Any) -> _Any:
        """A dataset of numbers."""
    def reduce(self, initial_state: _Any, reduce_func: _Any, name: str | None = None) -> _Any:
        """What a function makes of all elements: it gets a state and an element, and returns the next state."""
    def rejection_resample(self, class_func: _Any, target_dist: _Any, initial_dist: _Any = None, seed: _Any = None, name: str | None = None) -> _Any:
        """Leaves out or repeats elements until classes have given frequencies; gives pairs of a class and an element."""
    def repeat(self, count: _Any = None, name: str | None = None) -> _Any:
        """The elements, several times."""
    @staticmethod
    def sample_from_datasets(datasets: _Any, weights: _Any = None, seed: _Any = None, stop_on_empty_dataset: _Any = False, rerandomize_each_iteration: _Any = None) -> _Any:
        """Elements of datasets that are chosen at random."""
    def scan(self, initial_state: _Any, scan_func: _Any, name: str | None = None) -> _Any:
        """What a function makes of each element and of a state."""
    def shard(self, num_shards: _Any, index: _Any, name: str | None = None) -> _Any:
        """Every `num_shards`-th element, beginning with element `index`: one worker's part."""
    def shuffle(self, buffer_size: _Any, seed: _Any = None, reshuffle_each_iteration: _Any = True, name: str | None = None) -> _Any:
        """The elements in random order: each is taken from a buffer of the next ones."""
    def skip(self, count: _Any, name: str | None = None) -> _Any:
        """All but the first elements."""
    def take(self, count: _Any, name: str | None = None) -> _Any:
        """The first elements."""
    def take_while(self, predicate: _Any, name: str | None = None) -> _Any:
        """The elements up to, but without, the first for which a function returns false."""
    def unbatch(self, name: str | None = None) -> _Any:
        """The rows of the elements as elements."""
    def unique(self, name: str | None = None) -> _Any:
        """The distinct elements, in the order in which each first occurs."""
    variant_tensor: _Any
    def window(self, size: _Any, shift: _Any = None, stride: _Any = 1, drop_remainder: _Any = False, name: str | None = None) -> _Any:
        """Datasets of consecutive elements; an element of several components becomes a dataset for each of them."""
    def with_options(self, options: _Any, name: str | None = None) -> _Any:
        """The same dataset with options. They have no effect, but `options` returns them."""
    @staticmethod
    def zip(*args: _Any, datasets: _Any = None, name: str | None = None) -> _Any:
        """A dataset of tuples with an element of each dataset. It ends with the shortest."""

class DatasetSpec(TypeSpec):
    """What is known of a `tf.data.Dataset`: the structure of its elements."""
    def __init__(self, element_spec: _Any, dataset_shape: _Any = ()) -> None: ...
    @property
    def dtype(self) -> _Any:
        """That of the `Tensor` that stands for the dataset."""
    @property
    def element_spec(self) -> _Any:
        """The structure of an element of the dataset."""
    @property
    def shape(self) -> _Any:
        """That of the `Tensor` that stands for the dataset."""
    @property
    def value_type(self) -> _Any:
        """`tf.data.Dataset`."""

class FixedLengthRecordDataset(Dataset):
    """Pieces of files that have the same number of bytes."""
    def __init__(self, filenames: _Any, record_bytes: _Any, header_bytes: _Any = None, footer_bytes: _Any = None, buffer_size: _Any = None, compression_type: _Any = None, num_parallel_reads: _Any = None, name: str | None = None) -> None: ...

INFINITE_CARDINALITY: int

class Iterator:
    """Gives the elements of a dataset, one with each step."""
    def __init__(self, iterator_resource: _Any, initializer: _Any, output_types: _Any, output_shapes: _Any, output_classes: _Any) -> None: ...
    @property
    def element_spec(self) -> _Any:
        """The structure of an element, with `TensorSpec`s as leaves."""
    @staticmethod
    def from_string_handle(string_handle: _Any, output_types: _Any, output_shapes: _Any = None, output_classes: _Any = None) -> _Any:
        """The iterator that a string stands for, which may be fed."""
    @staticmethod
    def from_structure(output_types: _Any, output_shapes: _Any = None, shared_name: _Any = None, output_classes: _Any = None) -> _Any:
        """An iterator without a dataset: `make_initializer` gives it one."""
    def get_next(self, name: str | None = None) -> _Any:
        """The next element. Each run of its tensors takes one. After the last, runs fail with `OutOfRangeError`."""
    def get_next_as_optional(self, name: str | None = None) -> _Any:
        """The next element as a `tf.data.experimental.Optional`, which has no value after the last one."""
    @property
    def initializer(self) -> Operation:
        """The `Operation` that sets the iterator to the beginning of its dataset."""
    def make_initializer(self, dataset: _Any, name: str | None = None) -> Operation:
        """The operation that sets the iterator to the beginning of a dataset."""
    @property
    def output_classes(self) -> _Any:
        """The structure of an element, with classes of values as leaves."""
    @property
    def output_shapes(self) -> _Any:
        """The structure of an element, with `TensorShape`s as leaves."""
    @property
    def output_types(self) -> _Any:
        """The structure of an element, with `DType`s as leaves."""
    def statistics(self, name: str | None = None) -> _Any:
        """How full the pipeline is, see `tf.summary.input_pipeline`."""
    def string_handle(self, name: str | None = None) -> Tensor:
        """A string that stands for the iterator, to be fed to `from_string_handle`."""

class Options:
    """How a dataset may be run, for `Dataset.with_options`."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self) -> None: ...
    def merge(self, options: _Any) -> _Any:
        """New options: these, or those of other ones where they are set."""

class TFRecordDataset(Dataset):
    """The records of TFRecord files."""
    def __init__(self, filenames: _Any, compression_type: _Any = None, buffer_size: _Any = None, num_parallel_reads: _Any = None, name: str | None = None, *, skip_damaged: _Any = False) -> None: ...

class TextLineDataset(Dataset):
    """The lines of text files, without line ends."""
    def __init__(self, filenames: _Any, compression_type: _Any = None, buffer_size: _Any = None, num_parallel_reads: _Any = None, name: str | None = None) -> None: ...

class ThreadingOptions:
    """Options for the threads that make elements. They have no effect."""
    def __getattr__(self, name: _Any) -> _Any: ...
    def __init__(self) -> None: ...

UNKNOWN_CARDINALITY: int

def get_output_classes(dataset_or_iterator: _Any) -> _Any:
    """The structure of an element, with classes of values as leaves."""

def get_output_shapes(dataset_or_iterator: _Any) -> _Any:
    """The structure of an element, with `TensorShape`s as leaves."""

def get_output_types(dataset_or_iterator: _Any) -> _Any:
    """The structure of an element, with `DType`s as leaves."""

def make_initializable_iterator(dataset: _Any, shared_name: _Any = None) -> _Any:
    """An iterator that has elements once its initializer has run."""

def make_one_shot_iterator(dataset: _Any) -> _Any:
    """An iterator that needs no initialization, see `Dataset.make_one_shot_iterator`."""
