"""The attributes of a device that Session.list_devices() returns."""

from tfcore.compiler.devices import device_type


class DeviceAttributes:
    """A device: its full `name`, `device_type`, `memory_limit_bytes` and `incarnation`."""

    def __init__(self, name, incarnation, memory_limit_bytes):
        self.name = name
        self.device_type = device_type(name)
        self.memory_limit_bytes = memory_limit_bytes
        self.incarnation = incarnation

    def __repr__(self):
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"
