"""Reads the dumps of a step: the values of tensors, in the order in which they were made."""

import os
import re

import numpy as np

from tfcore.client.tensor_dump import PREFIX, device_folder
from tfcore.framework import protos
from tfcore.framework.tensor_proto import make_ndarray

FETCHES_FILE = f"{PREFIX}fetches_info_"
FEEDS_FILE = f"{PREFIX}feed_keys_info_"
_NAME = re.compile(r"(.+)_(\d+)_(\w+?)_(\d+)(-\d+)?")


class InconvertibleTensorProto:
    """A value that has no NumPy array.

    Args:
      tensor_proto: The TensorProto.
      initialized: Whether it has a value at all.
    """

    def __init__(self, tensor_proto, initialized=True):
        self._proto, self.initialized = tensor_proto, initialized

    def __str__(self):
        return str(self._proto) if self.initialized else f"Uninitialized tensor:\n{self._proto}"


def load_tensor_from_event_file(event_file_path):
    """The value in a file of a dump.

    Args:
      event_file_path: Path of the file.

    Returns:
      A NumPy array, or an InconvertibleTensorProto.
    """
    with open(event_file_path, "rb") as file:
        return load_tensor_from_event(protos.Event.FromString(file.read()))


def load_tensor_from_event(event):
    """The value in an Event.

    Args:
      event: The Event.

    Returns:
      A NumPy array, or an InconvertibleTensorProto.
    """
    proto = event.summary.value[0].tensor
    try:
        return make_ndarray(proto)
    except (TypeError, KeyError, ValueError):  # such as a handle
        return InconvertibleTensorProto(proto, initialized=bool(proto.tensor_content))


def has_inf_or_nan(datum, tensor):
    """Whether a value has infinities or NaNs: a filter for dumps.

    Args:
      datum: A `DebugTensorDatum`.
      tensor: Its value.

    Returns:
      Whether it has.
    """
    if isinstance(tensor, InconvertibleTensorProto) or tensor.dtype.kind in "OSUbiu":
        return False
    return not bool(np.isfinite(tensor).all())


class DebugTensorDatum:
    """A dumped value.

    Args:
      dump_root: The folder of the dump.
      debug_dump_rel_path: Path of the file below it.

    Raises:
      ValueError: The file's name is not that of a dumped value.
    """

    def __init__(self, dump_root, debug_dump_rel_path):
        parts = os.path.normpath(debug_dump_rel_path).split(os.sep)
        match = _NAME.fullmatch(parts[-1])
        if match is None:
            raise ValueError(f"Dump file path does not conform to the naming pattern: {parts[-1]}")
        self.device_name = _device_name(parts[0])
        self.node_name = "/".join([*parts[1:-1], match[1]])
        self.output_slot, self.debug_op, self.timestamp = int(match[2]), match[3], int(match[4])
        self.extended_timestamp = match[4] + (match[5] or "")
        self.file_path = os.path.join(dump_root, debug_dump_rel_path)

    def __str__(self):
        return f"{{DebugTensorDatum ({self.device_name}) {self.tensor_name} @ {self.debug_op} @ {self.timestamp}}}"

    __repr__ = __str__

    @property
    def tensor_name(self):
        return f"{self.node_name}:{self.output_slot}"

    @property
    def watch_key(self):
        return f"{self.tensor_name}:{self.debug_op}"

    @property
    def dump_size_bytes(self):
        return os.path.getsize(self.file_path)

    def get_tensor(self):
        """The value: a NumPy array, or an InconvertibleTensorProto."""
        return load_tensor_from_event_file(self.file_path)


def _device_name(folder):
    parts = folder.removeprefix(device_folder("")).split(",")
    return "/".join(part.replace("device_", "device:").replace("_", ":", 1) for part in parts)


class WatchKeyDoesNotExistInDebugDumpDirError(ValueError):
    """A dump has no such tensor."""


class DebugDumpDir:
    """The dump of a step.

    Args:
      dump_root: Its folder.
      partition_graphs: GraphDefs of the step, by device (optional).
      validate: Accepted for compatibility; has no effect.

    Raises:
      IOError: There is no such folder.
    """

    def __init__(self, dump_root, partition_graphs=None, validate=True):
        if not os.path.isdir(dump_root):
            raise OSError(f"Dump root directory {dump_root} does not exist")
        self._root = dump_root
        self._graphs = list(partition_graphs or ())
        self._graph = None
        found = []
        for folder, _, names in os.walk(dump_root):
            inside = os.path.relpath(folder, dump_root)
            if inside.startswith(device_folder("")):
                found += [DebugTensorDatum(dump_root, os.path.join(inside, name)) for name in names]
        self.dumped_tensor_data = sorted(found, key=lambda datum: (datum.timestamp, datum.extended_timestamp))

    @property
    def size(self):
        return len(self.dumped_tensor_data)

    @property
    def t0(self):
        """The time of the first value, in microseconds; None if there is none."""
        return self.dumped_tensor_data[0].timestamp if self.dumped_tensor_data else None

    @property
    def python_graph(self):
        return self._graph

    def set_python_graph(self, python_graph):
        """Tells of the `tf.Graph`, for inputs and the like."""
        self._graph = python_graph

    def partition_graphs(self):
        """The GraphDefs of the step. LookupError: the dump was loaded without."""
        if not self._graphs:
            raise LookupError("No partition graphs have been loaded.")
        return self._graphs

    @property
    def run_fetches_info(self):
        return self._message(FETCHES_FILE)

    @property
    def run_feed_keys_info(self):
        return self._message(FEEDS_FILE)

    def _message(self, name):
        path = os.path.join(self._root, name)
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return protos.Event.FromString(file.read()).log_message.message

    def devices(self):
        """The names of the devices."""
        return sorted({datum.device_name for datum in self.dumped_tensor_data})

    def nodes(self, device_name=None):
        """The names of the operations with values, each once, in their order."""
        data = self.dumped_tensor_data
        return list(dict.fromkeys(d.node_name for d in data if device_name in (None, d.device_name)))

    def debug_watch_keys(self, node_name, device_name=None):
        """What an operation dumped, as ["node:0:DebugIdentity"]."""
        data = self.dumped_tensor_data
        chosen = (d for d in data if d.node_name == node_name and device_name in (None, d.device_name))
        return list(dict.fromkeys(d.watch_key for d in chosen))

    def watch_key_to_data(self, debug_watch_key, device_name=None):
        """The `DebugTensorDatum`s of one of them, in their order."""
        data = self.dumped_tensor_data
        return [d for d in data if d.watch_key == debug_watch_key and device_name in (None, d.device_name)]

    def _data(self, node_name, output_slot, debug_op, device_name):
        key = f"{node_name}:{output_slot}:{debug_op}"
        found = self.watch_key_to_data(key, device_name)
        if not found:
            raise WatchKeyDoesNotExistInDebugDumpDirError(
                f'Watch key "{key}" does not exist in the debug dump of device {device_name}'
            )
        return found

    def get_tensors(self, node_name, output_slot, debug_op, device_name=None):
        """The values of a tensor, one for each execution.

        Raises:
          WatchKeyDoesNotExistInDebugDumpDirError: There are none.
        """
        return [datum.get_tensor() for datum in self._data(node_name, output_slot, debug_op, device_name)]

    def get_tensor_file_paths(self, node_name, output_slot, debug_op, device_name=None):
        """The files of a tensor's values; errors as of `get_tensors`."""
        return [datum.file_path for datum in self._data(node_name, output_slot, debug_op, device_name)]

    def get_rel_timestamps(self, node_name, output_slot, debug_op, device_name=None):
        """When a tensor's values were made, in microseconds since the first value; errors as of `get_tensors`."""
        return [datum.timestamp - self.t0 for datum in self._data(node_name, output_slot, debug_op, device_name)]

    def get_dump_sizes_bytes(self, node_name, output_slot, debug_op, device_name=None):
        """The sizes of the files of a tensor's values; errors as of `get_tensors`."""
        return [datum.dump_size_bytes for datum in self._data(node_name, output_slot, debug_op, device_name)]

    def find(self, predicate, first_n=0, device_name=None, exclude_node_names=None):
        """The values that a filter accepts, in their order.

        Args:
          predicate: Function of a `DebugTensorDatum` and its value.
          first_n: The most to find; 0 for all.
          device_name: Looks at values of this device only (optional).
          exclude_node_names: A regular expression for names of operations that are left out (optional).

        Returns:
          A list of `DebugTensorDatum`s.
        """
        found = []
        for datum in self.dumped_tensor_data:
            if device_name not in (None, datum.device_name):
                continue
            if exclude_node_names and re.match(exclude_node_names, datum.node_name):
                continue
            if predicate(datum, datum.get_tensor()):
                found.append(datum)
                if len(found) == first_n:
                    break
        return found

    def _operation(self, node_name):
        if self._graph is None:
            raise LookupError("Python graph is not available: call set_python_graph")
        try:
            return self._graph.get_operation_by_name(node_name)
        except KeyError:
            raise ValueError(f"Node name {node_name!r} is not found in the graph.") from None

    def node_exists(self, node_name, device_name=None):
        """Whether there are values of an operation."""
        return node_name in self.nodes(device_name)

    def node_op_type(self, node_name, device_name=None):
        """The type of an operation."""
        return self._operation(node_name).type

    def node_inputs(self, node_name, is_control=False, device_name=None):
        """The names of the inputs of an operation; of its control inputs, if `is_control`."""
        op = self._operation(node_name)
        return [c.name for c in op.control_inputs] if is_control else [short_name(tensor) for tensor in op.inputs]

    def node_recipients(self, node_name, is_control=False, device_name=None):
        """The names of the operations that use what an operation makes; of those that wait for it, if `is_control`."""
        op = self._operation(node_name)
        if is_control:
            return [other.name for other in self._graph.get_operations() if op in other.control_inputs]
        return list(dict.fromkeys(user.name for tensor in op.outputs for user in tensor.consumers()))

    def node_traceback(self, element_name):
        """Where an operation was created: (file, line, function, text) tuples."""
        return self._operation(element_name.partition(":")[0]).traceback


def short_name(tensor):
    """The name of an input as in a NodeDef: without an index of 0."""
    return tensor.name.removesuffix(":0")
