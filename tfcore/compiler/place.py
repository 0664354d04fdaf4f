"""Placement: which device each node runs on.

A process has one CPU, and one device for each further device type that a user's library has kernels for (MINE gives
/device:MINE:0). The kernels of such a device run in this process on the CPU's memory, so that nothing is ever copied to or
from it. A null device that computes nothing is for timing.
"""

from tfcore.core.registry import find_kernel, user_device_types
from tfcore.framework import errors
from tfcore.framework.device import DeviceSpec

_TASK = "/job:localhost/replica:0/task:0"
CPU = f"{_TASK}/device:CPU:0"
NULL = f"{_TASK}/device:NULL:0"

# Ops that only hand values on: on a device that has no kernel for them, the CPU's serve, since memory is the same.
_ANYWHERE = frozenset(
    "Const ControlTrigger ExpandDims Identity IdentityN NoOp Placeholder PlaceholderV2 PlaceholderWithDefault"
    " PreventGradient Rank Reshape Shape ShapeN Size Snapshot Squeeze StopGradient Variable VariableV2".split()
)
_cache = {}


def list_devices():
    """Full names of the devices that operations can be placed on."""
    return [CPU, *(f"{_TASK}/device:{name}:0" for name in user_device_types())]


def device_type(device):
    """The type of a device, given its full name."""
    return device.rsplit(":", 2)[1] if device else "CPU"


def kernel_for(node):
    """The entry of the kernel registry that runs a placed node.

    Raises:
      NotFoundError: there is none.
    """
    wanted = device_type(node.device)
    try:
        return find_kernel(node.type, wanted, node.attrs)
    except errors.NotFoundError:
        if wanted != "CPU" and node.type in _ANYWHERE:
            return find_kernel(node.type, "CPU", node.attrs)
        raise


def place(program, allow_soft_placement):
    """Sets `node.device` of every node to the full name of a device.

    Raises:
      InvalidArgumentError: a node asks for a device that does not exist, or that has no kernel for it.
    """
    devices = None
    for node in program.nodes:
        wanted = node.device
        if not wanted:
            node.device = CPU
            continue
        devices = devices or (*list_devices(), NULL)
        found = _cache.get((wanted, devices))
        if found is None:
            found = _cache[wanted, devices] = _match(wanted, devices)
        if found in (CPU, NULL):
            node.device = found
        else:
            node.device = _place_elsewhere(node, wanted, found, devices, allow_soft_placement)


def _place_elsewhere(node, wanted, found, devices, allow_soft_placement):
    """The device of a node that asks for one of a user's device types, or for one that does not exist."""
    if found:
        node.device = found
        try:
            kernel_for(node)
            return found
        except errors.NotFoundError as error:
            reason = (
                f"Could not satisfy explicit device specification '{wanted}' because no supported kernel for "
                f"{device_type(found)} devices is available. {error.message}"
            )
    else:
        reason = (
            f"Operation was explicitly assigned to {wanted} but available devices are [ {', '.join(devices[:-1])} ]. "
            "Make sure the device specification refers to a valid device."
        )
    if allow_soft_placement:
        return CPU
    raise errors.InvalidArgumentError(
        None,
        node.op,
        f"Cannot assign a device for operation {node.name}: {reason}"
        f"\n\t [[node {node.name} (op: {node.type}) (defined at {node.creation_line})]]",
    )


def _match(wanted, devices):
    """The first device that a partial name fits, "" if none."""
    spec = DeviceSpec.from_string(wanted)
    for device in devices:
        have = DeviceSpec.from_string(device)
        parts = ("job", "replica", "task", "device_type", "device_index")
        if all(getattr(spec, p) in (None, getattr(have, p)) for p in parts):
            return device
    return ""
