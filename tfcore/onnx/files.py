"""Files of models: the ModelProto, and large constants beside it."""

import hashlib
import os
import re

from tfcore.framework.graph_io import write_atomically
from tfcore.onnx.model import MAX_CONSTANT_BYTES, constant_bytes, onnx_package

_MIN_BESIDE_BYTES = 1 << 10
_HASH_BYTES = 16


def write_model(model, path):
    """Writes a ModelProto, which stays as it is; readers see the old model or the new one, with its constants.

    Raises:
      ValueError: What cannot be in another file, such as strings, takes more than 2 GB.
      OSError: A file cannot be written.
    """
    from google.protobuf.message import EncodeError

    beside = None
    if constant_bytes(model) > MAX_CONSTANT_BYTES:
        arrays = [a for a in model.graph.initializer if len(a.raw_data) >= _MIN_BESIDE_BYTES]
        beside = f"{os.path.basename(path)}.{_hash(arrays)}.data"
        write_atomically(os.path.join(os.path.dirname(path), beside), lambda temporary: _write_bytes(arrays, temporary))
        model = _with_constants_in(model, beside)
    try:
        content = model.SerializeToString(deterministic=True)
    except EncodeError as error:
        raise ValueError(f"The model is larger than the 2 GB of a protocol buffer: {error}") from None

    def write(temporary):
        with open(temporary, "wb") as file:
            file.write(content)

    write_atomically(path, write)
    _remove_others(path, beside)


def _hash(arrays):
    result = hashlib.blake2b(digest_size=_HASH_BYTES)
    for array in arrays:
        result.update(array.raw_data)
    return result.hexdigest()


def _write_bytes(arrays, path):
    with open(path, "wb") as file:
        for array in arrays:
            file.write(array.raw_data)


def _with_constants_in(model, name):
    """The model with the place of its large constants in a file instead of their bytes, which are never copied."""
    onnx = onnx_package()
    graph, offset = onnx.GraphProto(), 0
    for field, value in model.graph.ListFields():
        if field.name != "initializer":
            graph.MergeFrom(onnx.GraphProto(**{field.name: value}))
    for array in model.graph.initializer:
        if len(array.raw_data) < _MIN_BESIDE_BYTES:
            graph.initializer.add().CopyFrom(array)
            continue
        stored = graph.initializer.add(name=array.name, dims=array.dims, data_type=array.data_type)
        stored.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", name), ("offset", offset), ("length", len(array.raw_data))):
            stored.external_data.add(key=key, value=str(value))
        offset += len(array.raw_data)
    result = onnx.ModelProto(graph=graph)
    for field, value in model.ListFields():
        if field.name != "graph":
            result.MergeFrom(onnx.ModelProto(**{field.name: value}))
    return result


def _remove_others(path, name):
    """Removes files with constants of earlier models of the same path."""
    folder = os.path.dirname(path) or "."
    pattern = re.compile(re.escape(os.path.basename(path)) + rf"\.[0-9a-f]{{{2 * _HASH_BYTES}}}\.data")
    for other in os.listdir(folder):
        if other != name and pattern.fullmatch(other):
            os.remove(os.path.join(folder, other))
