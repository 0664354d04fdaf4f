"""Checkpoints to and from the safetensors format, which other libraries read: a header in JSON, then the bytes."""

import json
import math
import os

import numpy as np

from tfcore.client.session import Session
from tfcore.framework import errors
from tfcore.framework.exchange.graph_io import write_atomically
from tfcore.framework.graph.graph import Graph
from tfcore.framework.types import dtypes
from tfcore.ops.array.constants import placeholder
from tfcore.ops.checkpoint.checkpoint import SaveV2
from tfcore.train.checkpoints.checkpoint_utils import load_checkpoint

_NAMES = {
    dtypes.bool: "BOOL", dtypes.int8: "I8", dtypes.int16: "I16", dtypes.int32: "I32", dtypes.int64: "I64",
    dtypes.uint8: "U8", dtypes.uint16: "U16", dtypes.uint32: "U32", dtypes.uint64: "U64", dtypes.float16: "F16",
    dtypes.bfloat16: "BF16", dtypes.float32: "F32", dtypes.float64: "F64", dtypes.complex64: "C64",
}  # fmt: skip
_TYPES = {name: dtype for dtype, name in _NAMES.items()}
_MOST_HEADER = 100_000_000  # bytes, as other readers have it
_METADATA = "__metadata__"


def checkpoint_to_safetensors(ckpt_dir_or_file, path, names=None):
    """Writes the tensors of a checkpoint to a safetensors file.

    Args:
      ckpt_dir_or_file: The checkpoint's prefix, or a folder, whose latest checkpoint it is.
      path: Path of the file.
      names: A list of the tensors' names; all by default.

    Raises:
      ValueError: The folder has no checkpoint.
      tf.errors.UnimplementedError: safetensors has no such type: strings and complex128.
      tf.errors.NotFoundError: There is no such checkpoint, or it lacks one of `names`.
      tf.errors.DataLossError: The checkpoint is damaged.
      OSError: The file can't be written.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    types, shapes = reader.get_variable_to_dtype_map(), reader.get_variable_to_shape_map()
    header, end = {}, 0
    for name in sorted(types if names is None else names):
        if name not in types:
            reader.get_tensor(name)  # raises the error
        dtype = types[name]
        if dtype not in _NAMES or name == _METADATA:
            raise errors.UnimplementedError(
                None, None, f"{path}: safetensors can't hold tensor '{name}' of type {dtype.name}"
            )
        begin, end = end, end + math.prod(shapes[name]) * dtype.size
        header[name] = {"dtype": _NAMES[dtype], "shape": shapes[name], "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode("utf-8", "surrogateescape")
    text += b" " * (-len(text) % 8)  # so that the data is aligned

    def write(temporary):
        with open(temporary, "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for name in header:  # one tensor at a time is in memory
                file.write(np.ascontiguousarray(reader.get_tensor(name)).reshape(-1).view(np.uint8))

    write_atomically(os.fspath(path), write)


def safetensors_to_checkpoint(path, prefix, names=None):
    """Writes the tensors of a safetensors file as a checkpoint.

    Args:
      path: Path of the file.
      prefix: Prefix of the checkpoint.
      names: A list of the tensors' names; all by default.

    Returns:
      The prefix, a string, for `tf.train.Saver.restore` and `tf.train.init_from_checkpoint`.

    Raises:
      tf.errors.DataLossError: It is not a safetensors file, or damaged.
      tf.errors.NotFoundError: The file lacks one of `names`.
      tf.errors.UnimplementedError: A tensor has a type that checkpoints lack, such as F8_E4M3.
      OSError: There is no such file.
      tf.errors.OpError: The checkpoint can't be written.
    """
    data = np.memmap(path, np.uint8, "r") if os.path.getsize(path) else np.zeros(0, np.uint8)
    header, begin = _header(data, path)
    _check_ranges(header, len(data) - begin, path)
    if missing := [name for name in names or () if name not in header]:
        raise errors.NotFoundError(None, None, f"{path} has no tensor '{missing[0]}'")
    chosen = sorted(header if names is None else names)
    arrays = [_array(data[begin:], name, header[name], path) for name in chosen]
    prefix = os.fspath(prefix)
    with Graph().as_default(), Session() as session:
        inputs = [placeholder(dtypes.as_dtype(a.dtype), a.shape) for a in arrays]
        session.run(SaveV2(prefix, chosen, [""] * len(chosen), inputs), dict(zip(inputs, arrays)))
    return prefix


def _damaged(path, what):
    return errors.DataLossError(None, None, f"{path} is not a safetensors file, or damaged: {what}")


def _header(data, path):
    """The header without its metadata, and where the data begins."""
    size = int.from_bytes(data[:8].tobytes(), "little")
    if len(data) < 8 or size > min(len(data) - 8, _MOST_HEADER):
        raise _damaged(path, "its header is longer than the file")
    try:
        header = json.loads(data[8 : 8 + size].tobytes().decode())
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"its header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise _damaged(path, "its header is not a JSON object")
    header.pop(_METADATA, None)
    return header, 8 + size


def _description(entry, name, path):
    """(type, shape, begin, end) of a tensor."""
    try:
        kind, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        wrong = not all(type(x) is int and x >= 0 for x in (*shape, begin, end)) or not isinstance(kind, str)
    except (TypeError, KeyError, ValueError):
        wrong = True
    if wrong:
        raise _damaged(path, f"tensor '{name}' is described by {entry}")
    return kind, shape, begin, end


def _check_ranges(header, size, path):
    """The format allows neither holes nor data of two tensors: a file that has them was cut, extended or mixed up."""
    at = 0
    for begin, end, name in sorted((*_description(entry, name, path)[2:], name) for name, entry in header.items()):
        if begin != at:
            raise _damaged(path, f"the data of tensor '{name}' begins at byte {begin}, not {at}")
        at = end
    if at != size:
        raise _damaged(path, f"its tensors have {at} bytes, but there are {size}")


def _array(data, name, entry, path):
    kind, shape, begin, end = _description(entry, name, path)
    if kind not in _TYPES:
        raise errors.UnimplementedError(
            None, None, f"{path}: tensor '{name}' has the type {kind}, which checkpoints lack"
        )
    dtype = _TYPES[kind]
    if begin > end or end > len(data) or end - begin != math.prod(shape) * dtype.size:
        raise _damaged(path, f"tensor '{name}' is described by {entry}")
    return np.frombuffer(data[begin:end].tobytes(), dtype.as_numpy_dtype).reshape(shape)
