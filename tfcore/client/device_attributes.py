"""The attributes of a device that Session.list_devices() returns."""

import os

from tfcore.compiler.devices import device_type
from tfcore.core.runtime import memory_stats


class DeviceAttributes:
    """A device: its full `name`, `device_type`, `memory_limit_bytes` and `incarnation`."""

    def __init__(self, name, incarnation):
        self.name = name
        self.device_type = device_type(name)
        self.memory_limit_bytes = memory_stats()["bytes_limit"] or os.sysconf("SC_PHYS_PAGES") * os.sysconf(
            "SC_PAGE_SIZE"
        )
        self.incarnation = incarnation

    def __repr__(self):
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"
