"""Placement: which device each node runs on. One process has one CPU; a null device that computes nothing is for timing."""

from tfcore.framework import errors
from tfcore.framework.device import DeviceSpec

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
NULL = "/job:localhost/replica:0/task:0/device:NULL:0"
DEVICES = (CPU, NULL)

_cache = {}


def place(program, allow_soft_placement):
    """Sets `node.device` of every node to the full name of a device.

    Raises:
      InvalidArgumentError: a node asks for a device that does not exist.
    """
    for node in program.nodes:
        wanted = node.device
        if not wanted:
            node.device = CPU
            continue
        found = _cache.get(wanted)
        if found is None:
            found = _cache[wanted] = _match(wanted)
        if found:
            node.device = found
        elif allow_soft_placement:
            node.device = CPU
        else:
            raise errors.InvalidArgumentError(
                None,
                node.op,
                f"Cannot assign a device for operation {node.name}: Operation was explicitly assigned to {wanted} but available "
                f"devices are [ {', '.join(DEVICES[:1])} ]. Make sure the device specification refers to a valid device."
                f"\n\t [[node {node.name} (op: {node.type}) (defined at {node.creation_line})]]",
            )


def _match(wanted):
    """The first device that a partial name fits, "" if none."""
    spec = DeviceSpec.from_string(wanted)
    for device in DEVICES:
        have = DeviceSpec.from_string(device)
        parts = ("job", "replica", "task", "device_type", "device_index")
        if all(getattr(spec, p) in (None, getattr(have, p)) for p in parts):
            return device
    return ""
