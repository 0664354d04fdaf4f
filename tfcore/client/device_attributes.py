"""The attributes of a device that Session.list_devices() returns."""

import os

from tfcore.compiler.devices import device_type, has_own_memory
from tfcore.core.runtime import memory_stats
from tfcore.framework.device import parse


def _memory_limit(name):
    if has_own_memory(name):
        from tfcore.core import gpu

        return gpu.memory_limit(parse(name)[4])
    return memory_stats()["bytes_limit"] or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class DeviceAttributes:
    """A device: its full `name`, `device_type`, `memory_limit_bytes` and `incarnation`."""

    def __init__(self, name, incarnation):
        self.name = name
        self.device_type = device_type(name)
        self.memory_limit_bytes = _memory_limit(name)
        self.incarnation = incarnation

    def __repr__(self):
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"
