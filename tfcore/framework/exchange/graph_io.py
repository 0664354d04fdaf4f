"""GraphDef files: `tf.train.write_graph`, `tf.train.read_graph`.

A protocol buffer can't be larger than 2 GB. If the constants of a graph approach that, the larger ones go to a second
file: `model.pb.safetensors` next to `model.pb` maps the names of Const nodes to their values. In place of the attribute
`value` these nodes have `_value_file` (the name of that file, in the same folder) and `_value_shape`. Other programs
reject such nodes, as they lack `value`. `read_graph`, and `import_graph_def` with a path, restore the values.
"""

import errno
import os
import shutil
import uuid

import numpy as np

from tfcore.framework import protos
from tfcore.framework.attr_proto import decode_shape, encode_shape
from tfcore.framework.exchange.graph_def import fill_node, without_nodes
from tfcore.framework.graph.graph import Graph
from tfcore.framework.tensor_proto import array_to_proto, proto_to_array
from tfcore.framework.types import dtypes

MAX_INLINE_BYTES = 1 << 30  # constants that take more than this in total go to a second file ...
MIN_BESIDE_BYTES = 1 << 10  # ... if they have at least this size


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph to a file of this machine, see `tfcore.io.graph_files`."""
    os.makedirs(logdir or ".", exist_ok=True)
    path = os.path.join(logdir, name)
    message, beside = _split(graph_or_graph_def, name + ".safetensors")
    if beside:
        write_atomically(path + ".safetensors", lambda temporary: _save_arrays(beside, temporary))
    write_whole(path, message_bytes(message, as_text))
    return path


def graph_bytes(graph_or_graph_def, as_text):
    """What a file of the graph has, with all its constants."""
    source = graph_or_graph_def
    message = source.as_graph_def() if isinstance(source, Graph) else _message_of(source)
    return message_bytes(message, as_text)


def message_bytes(message, as_text):
    """What a file has that holds the message, in text or binary format."""
    if as_text:
        from google.protobuf import text_format

        return text_format.MessageToString(message).encode()
    return message.SerializeToString(deterministic=True)


def read_graph(path):
    """Reads a GraphDef with all constants from a file that `write_graph` or TensorFlow wrote, in text or binary format.

    Args:
      path: Path of the file.

    Returns:
      A GraphDef.

    Raises:
      OSError: The file does not exist or does not hold a GraphDef.
      ValueError: The file of constants does not match.
    """
    graph_def = read_message(path, protos.GraphDef)
    attach_constants(graph_def, path)
    return graph_def


def attach_constants(graph_def, path):
    """Restores the values of a GraphDef read from `path` that are stored next to that file."""
    arrays = load_constants(graph_def, path)
    for node in graph_def.node:
        if node.name in arrays:
            node.attr["value"].tensor.CopyFrom(array_to_proto(arrays[node.name]))
            del node.attr["_value_file"], node.attr["_value_shape"]


def load_constants(graph_def, path):
    """{name: array} of the Const nodes of a GraphDef read from `path` whose values are stored next to that file."""
    return _load_arrays([n for n in graph_def.node if "_value_file" in n.attr], os.path.dirname(path))


def read_message(path, message_class):
    """The protocol buffer in a file, binary or text; OSError if the file does not hold one."""
    with open(path, "rb") as file:
        return parse_message(file.read(), path, message_class)


def parse_message(data, path, message_class):
    """As `read_message`, of the bytes that were read."""
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    try:
        return message_class.FromString(data)
    except DecodeError as error:
        binary_error = error
    try:
        return text_format.Parse(data, message_class())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        name = message_class.DESCRIPTOR.name
        raise OSError(
            f"Cannot parse file {os.fspath(path)}: as a binary {name}: {binary_error}; as text: {error}"
        ) from None


def write_atomically(path, write):
    """Calls `write` with a path beside `path` and puts that file in its place, once its bytes are on the disk."""
    path = os.path.realpath(path)  # a link stays one
    if os.path.exists(path) and not os.path.isfile(path):
        write(path)  # a device or pipe must not be replaced by a file
        return
    temporary = f"{path}.{uuid.uuid4().hex}.tmp"  # tempfile's functions would make a file that only its owner can read
    try:
        write(temporary)
        if os.path.exists(path):
            shutil.copymode(path, temporary)
        sync(temporary)
        os.replace(temporary, path)
        sync(os.path.dirname(path))
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)


def write_whole(path, data):
    """Puts a file with these bytes in its place, once they are on the disk."""

    def write(temporary):
        with open(temporary, "wb") as file:
            file.write(data)

    write_atomically(path, write)


def sync(path):
    """Waits until a file, or the names in a folder, are on the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder that may be written to, but not listed
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems sync no folders
            raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(descriptor)


# ---- Constants in a separate file


def _message_of(source):
    return protos.as_message(protos.GraphDef, protos.as_message(protos.MetaGraphDef, source))


def _split(source, file_name):
    """The message to write, and the arrays (by node name) that go to `file_name` instead."""
    if isinstance(source, Graph):
        constants = [op for op in source.get_operations() if op.type == "Const"]
        if sum(op.attrs["value"].nbytes for op in constants) <= MAX_INLINE_BYTES:
            return source.as_graph_def(), {}
        return _split_graph(source, file_name)
    source = _message_of(source)
    if isinstance(source, protos.MetaGraphDef):
        graph_def, arrays = _split(source.graph_def, file_name)
        if not arrays:
            return source, {}
        result = protos.MetaGraphDef(graph_def=graph_def)
        for field, value in source.ListFields():
            if field.name != "graph_def":
                result.MergeFrom(protos.MetaGraphDef(**{field.name: value}))
        return result, arrays
    if not isinstance(source, protos.GraphDef):
        return source, {}
    total = sum(
        len(n.attr["value"].tensor.tensor_content) for n in source.node if n.op == "Const" and "value" in n.attr
    )
    return (source, {}) if total <= MAX_INLINE_BYTES else _split_graph_def(source, file_name)


def _split_graph(graph, file_name):
    result, arrays = without_nodes(graph), {}
    for op in graph.get_operations():
        node = result.node.add()
        if op.type == "Const" and _belongs_beside(op.attrs["value"]):
            arrays[op.name] = op.attrs["value"]
            fill_node(op, node, skip=("value",))
            _refer(node, file_name, op.attrs["value"].shape)
        else:
            fill_node(op, node)
    return result, arrays


def _split_graph_def(graph_def, file_name):
    result, arrays = protos.GraphDef(), {}
    for part in ("versions", "library"):
        if graph_def.HasField(part):
            getattr(result, part).CopyFrom(getattr(graph_def, part))
    for source in graph_def.node:
        array = proto_to_array(source.attr["value"].tensor) if source.op == "Const" else None
        if array is None or not _belongs_beside(array):
            result.node.add().CopyFrom(source)
            continue
        arrays[source.name] = array
        node = result.node.add(name=source.name, op=source.op, input=source.input, device=source.device)
        for key, value in source.attr.items():
            if key != "value":
                node.attr[key].CopyFrom(value)
        _refer(node, file_name, array.shape)
    return result, arrays


def _belongs_beside(array):
    return array.nbytes >= MIN_BESIDE_BYTES and array.dtype.kind != "O"  # safetensors has no strings


def _refer(node, file_name, shape):
    node.attr["_value_file"].s = file_name.encode()
    encode_shape(shape, node.attr["_value_shape"].shape)


# ---- safetensors; types that it lacks are stored as bit patterns or as pairs


def _safetensors():
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ImportError(
            f"Graphs with more than {MAX_INLINE_BYTES} bytes of constants need the safetensors package ({error}). "
            "Install it with: pip install 'tfcore[graphdef]'"
        ) from error
    return safetensors


def _save_arrays(arrays, path):
    stored = {}
    for name, array in arrays.items():
        array = np.ascontiguousarray(array).reshape(array.shape)
        if array.dtype.kind == "c":
            array = array.view(np.float32 if array.dtype == np.complex64 else np.float64).reshape(*array.shape, 2)
        elif array.dtype == dtypes.bfloat16.as_numpy_dtype:
            array = array.view(np.uint16)
        stored[name] = array
    _safetensors().numpy.save_file(stored, path)


def _load_arrays(nodes, folder):
    arrays = {}
    by_file = {}
    for node in nodes:
        by_file.setdefault(node.attr["_value_file"].s.decode(), []).append(node)
    for name, members in by_file.items():
        if os.path.basename(name) != name:
            raise ValueError(f"Node '{members[0].name}': the file of its value, '{name}', is not in the graph's folder")
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"File {path}, with the values of constants such as '{members[0].name}', does not exist."
            )
        safetensors = _safetensors()
        try:
            with safetensors.safe_open(path, framework="np") as file:
                keys = set(file.keys())
                for node in members:
                    if node.name not in keys:
                        raise ValueError(f"File {path} has no value for the constant '{node.name}'")
                    arrays[node.name] = _restored(file.get_tensor(node.name), node, path)
        except safetensors.SafetensorError as error:
            raise ValueError(f"Cannot read file {path}, with the values of constants: {error}") from None
    return arrays


def _restored(array, node, path):
    dtype = dtypes.as_dtype(node.attr["dtype"].type)
    dims = decode_shape(node.attr["_value_shape"].shape)
    stored = dtypes.uint16 if dtype is dtypes.bfloat16 else dtype.real_dtype
    stored_dims = (*dims, 2) if dtype.is_complex else dims
    if array.dtype != stored.as_numpy_dtype or array.shape != stored_dims:
        raise ValueError(
            f"File {path} has a value of type {array.dtype} and shape {array.shape} for the constant '{node.name}', "
            f"which needs {stored.name} and {stored_dims}"
        )
    return array.view(dtype.as_numpy_dtype).reshape(dims)
