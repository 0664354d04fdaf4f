"""Devices by name: those of this process and those of a cluster's tasks.

A process has one CPU device (tests may request several: `ConfigProto.device_count`), its GPUs, and one device for each
further device type in users' libraries (MINE gives /device:MINE:0). The kernels of such a device work on the memory of
CPU:0, so nothing is copied to or from it. A GPU has memory of its own. A null device, which computes nothing, is for
timing. Between two CPU devices, and between memories, values travel by Send and Recv, as between processes.
"""

import functools
import os

from tfcore.core.registry.registry import user_device_types
from tfcore.core.runtime import memory_stats
from tfcore.framework.device import parse

LOCAL = ("localhost", 0, 0)  # the task of a process without a cluster
NULL = "NULL"
_ORDER = {"GPU": 0, "CPU": 1}  # in which device types are preferred; all others come after them


def device_name(task, kind="CPU", index=0):
    job, replica, number = task
    return f"/job:{job}/replica:{replica}/task:{number}/device:{kind}:{index}"


CPU = device_name(LOCAL)


def task_of(device):
    """(job, replica, task index) of a full name."""
    return parse(device)[:3]


def device_type(device):
    """The type of a device, given its full name."""
    return parse(device)[3] if device else "CPU"


def has_own_memory(device):
    """Whether a device has a memory that the host can't access; `argument_memory.py` says what is in it."""
    return device_type(device) == "GPU"


@functools.lru_cache(maxsize=4096)
def cpu_of(device):
    """The CPU device of the host's part of a device's kernels, and of their memory if the device has none."""
    return device if device_type(device) == "CPU" else device_name(task_of(device))


def why_no_gpu():
    """Why this process has no GPU; empty if it has one."""
    from tfcore.core.device import gpu

    gpu.count()
    return gpu.missing()


class Devices:
    """The devices on which operations can be placed.

    names: full names of the CPU devices of all tasks; default: the one of this process. client: the task of the calling
    process. home: the task for operations without a device; default: the client. count: number of CPU devices of this
    process, if no names are given; gpus: of its GPUs.
    """

    def __init__(self, names=None, client=LOCAL, count=1, home=None, gpus=0):
        if not names:
            names = [device_name(client, index=i) for i in range(max(1, count))]
            names += [device_name(client, "GPU", i) for i in range(gpus)]
        self._names = tuple(names)
        self.client = client
        self._home = home or client
        self._matches = {}

    @property
    def default(self):
        return device_name(self.client)

    def names(self):
        """All devices except the null device. Loading a library may add devices at any time."""
        kinds = user_device_types()
        return self._names if not kinds else (*self._names, *[device_name(self.client, kind) for kind in kinds])

    def memory_limit(self, name):
        """The bytes of a device's memory that tensors may take."""
        if has_own_memory(name):
            from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

            return gpu.memory_limit(parse(name)[4])
        return memory_stats()["bytes_limit"] or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    def description(self, name):
        """What a GPU is: its name, bus and compute capability."""
        from tfcore.core.device import gpu

        return gpu.describe(parse(name)[4])

    def why_no_device(self, wanted):
        """Why no device matches a name, if there is more to say: a sentence for error texts, or "".

        wanted: the parts (job, replica, task, type, index) of the name; None: any.
        """
        if wanted[0] not in (None, self.client[0]):
            return " This session knows only its own process: tf.Session(server.target) uses the tasks of a cluster."
        missing = why_no_gpu() if wanted[3] == "GPU" else ""
        return f" There is no GPU: {missing}." if missing else ""

    def matching(self, wanted):
        """The devices that match the parts (job, replica, task, type, index; None: any), the preferred one first.

        Devices of the home task come before those of its job, and these before other jobs'; of a task's devices GPUs
        come first and CPUs before what is left.
        """
        names = self.names()
        found = self._matches.get((wanted, names))
        if found is None:
            names_and_null = (*names, device_name(self.client, NULL)) if wanted[3] == NULL else names
            found = [n for n in names_and_null if all(w in (None, p) for w, p in zip(wanted, parse(n)))]
            home, job = self._home, self._home[0]
            found.sort(
                key=lambda n: (task_of(n) != home, task_of(n)[0] != job, _ORDER.get(device_type(n), len(_ORDER)))
            )
            self._matches[wanted, names] = found
        return found
