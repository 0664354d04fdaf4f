"""Finds the memory of the inputs and outputs of a placed node: the host's, or that of its device.

A memory is named by a device: a CPU stands for the host's. A kernel for a device with memory of its own names the
arguments that are on the host nevertheless (`host_args`): shapes, indices, predicates. Some kernels for a device run on
the host, with all arguments there.
"""

from tfcore.compiler.devices import cpu_of, device_type, has_own_memory
from tfcore.compiler.ir import each_argument
from tfcore.core.registry.registry import find_kernel
from tfcore.framework import errors
from tfcore.framework.types import dtypes

_HOST_TYPES = frozenset([dtypes.string, dtypes.resource])


def host_arguments(node, kernel=None):
    """The indices of the inputs and of the outputs of a node that are on the host although its device has a memory.

    kernel: its entry in the registry, if it is known.
    """
    kernel = kernel or find_kernel(node.type, device_type(node.device), node.attrs)
    names, every = kernel.host_args, works_on_host(kernel)
    return tuple(
        frozenset([i for i, arg in enumerate(each_argument(args, node.attrs)) if every or arg.name in names])
        for args in (node.op_def.inputs, node.op_def.outputs)
    )


def works_on_host(kernel):
    """Whether a kernel, whatever its device, runs on the host, as one of a CPU."""
    return kernel.host_args == ["*"]


def can_hold(node, taken, made, device):
    """Whether a device has a kernel for a node, and its memory can hold what the kernel does not leave on the host.

    taken, made: DTypes of its inputs and outputs.
    """
    try:
        kernel = find_kernel(node.type, device_type(device), node.attrs)
    except errors.NotFoundError:
        return False
    inputs, outputs = host_arguments(node, kernel)
    own = [t for i, t in enumerate(taken) if i not in inputs] + [t for i, t in enumerate(made) if i not in outputs]
    return _HOST_TYPES.isdisjoint([t.base_dtype for t in own])


class Memories:
    """The memories of the nodes of a placed program. client: the CPU to which feeds and fetches belong."""

    def __init__(self, client):
        self._client = client
        self._hosted = {}  # node -> host_arguments

    def forget(self, node):
        """The node has moved."""
        self._hosted.pop(node, None)

    def of_input(self, node, i):
        return self._of(node, i, 0)

    def of_output(self, node, index):
        return self._client if node.is_feed else self._of(node, index, 1)

    def _of(self, node, i, side):
        if not has_own_memory(node.device):
            return cpu_of(node.device)
        hosted = self._hosted.get(node)
        if hosted is None:
            hosted = self._hosted[node] = host_arguments(node)
        return cpu_of(node.device) if i in hosted[side] else node.device
