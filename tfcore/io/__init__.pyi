# Written by python -m tfcore.tools.stubs: do not edit.

from tfcore import decode_base64 as decode_base64
from tfcore import decode_raw as decode_raw
from tfcore import encode_base64 as encode_base64
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
'decode_and_crop_jpeg', 'decode_base64', 'decode_bmp', 'decode_gif', 'decode_image', 'decode_jpeg', 'decode_png',
'decode_raw', 'encode_base64', 'encode_jpeg', 'encode_png', 'extract_jpeg_shape', 'gfile', 'is_jpeg', 'read_graph',
'write_graph'
]

def read_graph(path: _Any) -> _Any:
    """Reads a GraphDef with all constants from a file that `write_graph` or TensorFlow wrote, in text or binary format."""

def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> str:
    """Writes a graph to a file, creating the folder if needed."""
