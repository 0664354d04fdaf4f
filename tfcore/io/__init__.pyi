# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore import FixedLenFeature as FixedLenFeature
from tfcore import FixedLenSequenceFeature as FixedLenSequenceFeature
from tfcore import PaddingFIFOQueue as PaddingFIFOQueue
from tfcore import PriorityQueue as PriorityQueue
from tfcore import QueueBase as QueueBase
from tfcore import RandomShuffleQueue as RandomShuffleQueue
from tfcore import SparseFeature as SparseFeature
from tfcore import VarLenFeature as VarLenFeature
from tfcore import decode_base64 as decode_base64
from tfcore import decode_compressed as decode_compressed
from tfcore import decode_csv as decode_csv
from tfcore import decode_json_example as decode_json_example
from tfcore import decode_raw as decode_raw
from tfcore import deserialize_many_sparse as deserialize_many_sparse
from tfcore import encode_base64 as encode_base64
from tfcore import matching_files as matching_files
from tfcore import parse_example as parse_example
from tfcore import parse_single_example as parse_single_example
from tfcore import parse_single_sequence_example as parse_single_sequence_example
from tfcore import parse_tensor as parse_tensor
from tfcore import read_file as read_file
from tfcore import serialize_many_sparse as serialize_many_sparse
from tfcore import serialize_sparse as serialize_sparse
from tfcore import serialize_tensor as serialize_tensor
from tfcore import write_file as write_file
from tfcore.image import decode_and_crop_jpeg as decode_and_crop_jpeg
from tfcore.image import decode_bmp as decode_bmp
from tfcore.image import decode_gif as decode_gif
from tfcore.image import decode_image as decode_image
from tfcore.image import decode_jpeg as decode_jpeg
from tfcore.image import decode_png as decode_png
from tfcore.image import encode_jpeg as encode_jpeg
from tfcore.image import encode_png as encode_png
from tfcore.image import extract_jpeg_shape as extract_jpeg_shape
from tfcore.image import is_jpeg as is_jpeg
from tfcore.platform import io_gfile as gfile
from typing import Any as _Any

__all__ = [
'FixedLenFeature', 'FixedLenSequenceFeature', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RaggedFeature',
'RandomShuffleQueue', 'SparseFeature', 'TFRecordCompressionType', 'TFRecordOptions', 'TFRecordWriter', 'VarLenFeature',
'decode_and_crop_jpeg', 'decode_base64', 'decode_bmp', 'decode_compressed', 'decode_csv', 'decode_gif', 'decode_image',
'decode_jpeg', 'decode_json_example', 'decode_png', 'decode_raw', 'deserialize_many_sparse', 'encode_base64',
'encode_jpeg', 'encode_png', 'extract_jpeg_shape', 'gfile', 'is_jpeg', 'match_filenames_once', 'matching_files',
'parse_example', 'parse_sequence_example', 'parse_single_example', 'parse_single_sequence_example', 'parse_tensor',
'read_file', 'read_graph', 'serialize_many_sparse', 'serialize_sparse', 'serialize_tensor', 'tf_record_iterator',
'write_file', 'write_graph'
]

class RaggedFeature(builtins.tuple):
    """A feature with any number of values, which becomes a `RaggedTensor`."""
    RowLengths: _Any
    RowLimits: _Any
    RowSplits: _Any
    RowStarts: _Any
    UniformRowLength: _Any
    ValueRowIds: _Any
    def __new__(cls, dtype: _Any, value_key: _Any = None, partitions: _Any = (), row_splits_dtype: _Any = ..., validate: _Any = False) -> RaggedFeature: ...
    dtype: _Any
    partitions: _Any
    row_splits_dtype: _Any
    validate: _Any
    value_key: _Any

class TFRecordCompressionType:
    """How the records of a file are compressed."""
    GZIP: _Any
    NONE: _Any
    ZLIB: _Any

class TFRecordOptions:
    """How a file of records is compressed."""
    def __init__(self, compression_type: _Any = None, flush_mode: _Any = None, input_buffer_size: _Any = None, output_buffer_size: _Any = None, window_bits: _Any = None, compression_level: _Any = None, compression_method: _Any = None, mem_level: _Any = None, compression_strategy: _Any = None) -> None: ...
    compression_level: _Any
    compression_method: _Any
    compression_strategy: _Any
    compression_type: _Any
    compression_type_map: _Any
    def compressor(self) -> _Any:
        """Makes what compresses as these options say."""
    flush_mode: _Any
    @classmethod
    def get_compression_type_string(cls, options: _Any) -> str:
        """The name of a compression: "", "ZLIB" or "GZIP"."""
    input_buffer_size: _Any
    mem_level: _Any
    output_buffer_size: _Any
    window_bits: _Any

class TFRecordWriter:
    """Writes a file of records. A `with` statement closes it."""
    def __enter__(self) -> TFRecordWriter: ...
    def __exit__(self, *exception: _Any) -> None: ...
    def __init__(self, path: _Any, options: _Any = None) -> None: ...
    def close(self) -> _Any:
        """Closes the file. Does nothing if it is closed."""
    def flush(self) -> _Any:
        """Hands over to the system what was written, so that readers see it."""
    def write(self, record: _Any) -> _Any:
        """Appends a record."""

def match_filenames_once(pattern: _Any, name: str | None = None) -> _Any:
    """A local variable with the names of files that match a pattern when it is initialized."""

def parse_sequence_example(serialized: _Any, context_features: _Any = None, sequence_features: _Any = None, example_names: _Any = None, name: str | None = None) -> _Any:
    """Parses a batch of serialized messages `tf.train.SequenceExample`."""

def read_graph(path: _Any) -> _Any:
    """Reads a GraphDef with all constants from a file that `write_graph` or TensorFlow wrote, in text or binary format."""

def tf_record_iterator(path: _Any, options: _Any = None) -> _Any:
    """Iterates over the records of a file."""

def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> str:
    """Writes a graph to a file, creating the folder if needed."""
