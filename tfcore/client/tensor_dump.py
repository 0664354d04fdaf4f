"""Writes the values of a step to files, as RunOptions.debug_options ask for: the dumps of TensorFlow's debugger.

The layout of names is also in `kernels_c/debugging/debug_ops.c` and is read by `as_tensorflow/debug/dump.py`.
"""

import os
import threading
import time

from tfcore.framework import errors, protos
from tfcore.framework.tensor_proto import array_to_proto
from tfcore.framework.types import dtypes

PREFIX = "_tfdbg_"
_DEVICE = f"{PREFIX}device_"
_DEBUG_OP = "DebugIdentity"


class TensorDump:
    """Writes a file for each value of a watched tensor, in each of its executions, in their order.

    Args:
      watches: DebugTensorWatch messages.
      graph: The `Graph`. What the compiler adds to it is not written, and neither are handles.

    Raises:
      UnimplementedError: The values should be sent to a server, or be changed by a debug op.
      InvalidArgumentError: A watch has no URL.
    """

    def __init__(self, watches, graph):
        self._roots = {}  # (node, index of the output, or None for any) -> folders
        self._names = {tensor.name for op in graph.get_operations() for tensor in op.outputs if _has_value(tensor)}
        self._lock = threading.Lock()
        self._time = 0
        for watch in watches:
            key = ("*", None) if watch.node_name == "*" else (watch.node_name, watch.output_slot)
            self._roots.setdefault(key, {}).update(dict.fromkeys(_folders(watch)))

    def add(self, op, output, value):
        """Writes the value of an output that an operation of the plan has made."""
        everywhere = self._roots.get(("*", None), ())
        roots = {**dict.fromkeys(everywhere), **self._roots.get((op.name, output), {})}
        if not roots or f"{op.name}:{output}" not in self._names:
            return
        event = protos.Event(wall_time=time.time())
        kept = event.summary.value.add(tag=op.name, node_name=f"{op.name}:{output}:{_DEBUG_OP}")
        kept.tensor.CopyFrom(array_to_proto(value))
        text = event.SerializeToString()
        with self._lock:  # no two have the same time, so that names tell the order
            now = self._time = max(self._time + 1, time.time_ns() // 1000)
        for root in roots:
            path = os.path.join(root, device_folder(op.device), f"{op.name}_{output}_{_DEBUG_OP}_{now}")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text)


def device_folder(device):
    """The name of the folder for what ran on a device."""
    return _DEVICE + device.replace("/", ",").replace(":", "_")


def _has_value(tensor):
    return tensor.dtype.base_dtype not in (dtypes.resource, dtypes.variant)


def _folders(watch):
    for debug_op in watch.debug_ops or [_DEBUG_OP]:
        if debug_op.partition("(")[0] != _DEBUG_OP:
            raise errors.UnimplementedError(None, None, f"tfcore dumps tensors by {_DEBUG_OP} only, not by {debug_op}")
    if not watch.debug_urls:
        raise errors.InvalidArgumentError(None, None, f"No debug URL is given for {watch.node_name}")
    for url in watch.debug_urls:
        scheme, _, path = url.partition("://")
        if scheme != "file":
            raise errors.UnimplementedError(None, None, f"tfcore dumps tensors to file:// URLs only, not to {url}")
        yield path
