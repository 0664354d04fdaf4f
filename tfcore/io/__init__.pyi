# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import decode_base64 as decode_base64
from tfcore import decode_raw as decode_raw
from tfcore import encode_base64 as encode_base64
from tfcore import matching_files as matching_files
from tfcore import read_file as read_file
from tfcore import write_file as write_file
from tfcore.platform import io_gfile as gfile
from typing import Any as _Any

__all__ = [
'TFRecordCompressionType', 'TFRecordOptions', 'TFRecordWriter', 'decode_base64', 'decode_raw', 'encode_base64', 'gfile',
'match_filenames_once', 'matching_files', 'read_file', 'read_graph', 'tf_record_iterator', 'write_file', 'write_graph'
]

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

def read_graph(path: _Any) -> _Any:
    """Reads a GraphDef with all constants from a file that `write_graph` or TensorFlow wrote, in text or binary format."""

def tf_record_iterator(path: _Any, options: _Any = None) -> _Any:
    """Iterates over the records of a file."""

def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> str:
    """Writes a graph to a file, creating the folder if needed."""
