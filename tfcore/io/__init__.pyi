# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import decode_base64 as decode_base64
from tfcore import decode_raw as decode_raw
from tfcore import encode_base64 as encode_base64
from tfcore.platform import io_gfile as gfile
from typing import Any as _Any

__all__ = [
'decode_base64', 'decode_raw', 'encode_base64', 'gfile', 'read_graph', 'write_graph'
]

def read_graph(path: _Any) -> _Any:
    """Reads a GraphDef with all constants from a file that `write_graph` or TensorFlow wrote, in text or binary format."""

def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> str:
    """Writes a graph to a file, creating the folder if needed."""
