# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import FixedLenFeature as FixedLenFeature
from tfcore import FixedLenSequenceFeature as FixedLenSequenceFeature
from tfcore import SparseFeature as SparseFeature
from tfcore import VarLenFeature as VarLenFeature
from tfcore import decode_base64 as decode_base64
from tfcore import decode_csv as decode_csv
from tfcore import decode_json_example as decode_json_example
from tfcore import decode_raw as decode_raw
from tfcore import deserialize_many_sparse as deserialize_many_sparse
from tfcore import encode_base64 as encode_base64
from tfcore import parse_example as parse_example
from tfcore import parse_single_example as parse_single_example
from tfcore import parse_single_sequence_example as parse_single_sequence_example
from tfcore import parse_tensor as parse_tensor
from tfcore import serialize_many_sparse as serialize_many_sparse
from tfcore import serialize_sparse as serialize_sparse
from tfcore import serialize_tensor as serialize_tensor
from tfcore.platform import io_gfile as gfile
from typing import Any as _Any

__all__ = [
'FixedLenFeature', 'FixedLenSequenceFeature', 'SparseFeature', 'VarLenFeature', 'decode_base64', 'decode_csv',
'decode_json_example', 'decode_raw', 'deserialize_many_sparse', 'encode_base64', 'gfile', 'parse_example',
'parse_sequence_example', 'parse_single_example', 'parse_single_sequence_example', 'parse_tensor', 'read_graph',
'serialize_many_sparse', 'serialize_sparse', 'serialize_tensor', 'write_graph'
]

def parse_sequence_example(serialized: _Any, context_features: _Any = None, sequence_features: _Any = None, example_names: _Any = None, name: str | None = None) -> _Any:
    """Parses a batch of serialized messages `tf.train.SequenceExample`."""

def read_graph(path: _Any) -> _Any:
    """Reads a GraphDef with all constants from a file that `write_graph` or TensorFlow wrote, in text or binary format."""

def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> str:
    """Writes a graph to a file, creating the folder if needed."""
