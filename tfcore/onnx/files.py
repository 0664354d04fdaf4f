"""Files of models: the ModelProto, and large constants beside it."""

import contextlib
import mmap
import os
import re
import uuid

from tfcore.framework.exchange.graph_io import write_atomically
from tfcore.onnx.model import MAX_CONSTANT_BYTES, constant_bytes, onnx_package

_MIN_BESIDE_BYTES = 1 << 10


def write_model(model, path):
    """Writes a ModelProto, which stays as it is; readers see the old model or the new one, with its constants.

    Several writers of one path don't harm each other: the file with a model's constants has a name of its own, and is
    removed by whoever replaces the model.

    Raises:
      ValueError: What cannot be in another file, such as strings, takes more than 2 GB.
      OSError: A file cannot be written.
    """
    if constant_bytes(model) <= MAX_CONSTANT_BYTES:
        _replace(model, path)
        return
    arrays = [a for a in model.graph.initializer if len(a.raw_data) >= _MIN_BESIDE_BYTES]
    beside = f"{path}.{uuid.uuid4().hex}.data"
    try:
        write_atomically(beside, lambda temporary: _write_bytes(arrays, temporary))
        _replace(_with_constants_in(model, os.path.basename(beside)), path)
    except BaseException:
        _remove([beside])
        raise


def _replace(model, path):
    from google.protobuf.message import EncodeError

    try:
        content = model.SerializeToString(deterministic=True)
    except EncodeError as error:
        raise ValueError(f"The model is larger than the 2 GB of a protocol buffer: {error}") from None

    def write(temporary):
        with open(temporary, "wb") as file:
            file.write(content)

    old = _files_of(path)
    write_atomically(path, write)
    _remove(old)


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


def _files_of(path):
    """Paths of the files with constants of the model that is there now. Names that are not its own are left out."""
    name = re.compile(re.escape(os.fsencode(os.path.basename(path))) + rb"\.[0-9a-f]{32}\.data")
    try:
        if not os.path.isfile(path) or not os.path.getsize(path):
            return []
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found = {os.fsdecode(n) for n in name.findall(content)}
    except FileNotFoundError:  # another writer replaces it
        return []
    return [os.path.join(os.path.dirname(path), n) for n in found]


def _remove(paths):
    for path in paths:
        with contextlib.suppress(FileNotFoundError):  # another writer has replaced the same model
            os.remove(path)
