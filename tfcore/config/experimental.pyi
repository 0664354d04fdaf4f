# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore.config import LogicalDeviceConfiguration as VirtualDeviceConfiguration
from tfcore.config import get_logical_device_configuration as get_virtual_device_configuration
from tfcore.config import get_visible_devices as get_visible_devices
from tfcore.config import list_logical_devices as list_logical_devices
from tfcore.config import list_physical_devices as list_physical_devices
from tfcore.config import set_logical_device_configuration as set_virtual_device_configuration
from tfcore.config import set_visible_devices as set_visible_devices
from typing import Any as _Any

__all__ = [
'ClusterDeviceFilters', 'VirtualDeviceConfiguration', 'disable_mlir_bridge', 'enable_mlir_bridge',
'enable_tensor_float_32_execution', 'get_device_details', 'get_device_policy', 'get_memory_growth', 'get_memory_info',
'get_memory_usage', 'get_synchronous_execution', 'get_virtual_device_configuration', 'get_visible_devices',
'list_logical_devices', 'list_physical_devices', 'reset_memory_stats', 'set_device_policy', 'set_memory_growth',
'set_synchronous_execution', 'set_virtual_device_configuration', 'set_visible_devices',
'tensor_float_32_execution_enabled'
]

class ClusterDeviceFilters:
    """Refuses to be made: it is for `tf.config.experimental_connect_to_cluster`."""
    def __init__(self) -> None: ...
    def set_device_filters(self, job_name: _Any, task_index: _Any, device_filters: _Any) -> _Any:
        """Never called: there are no objects of this class."""

def disable_mlir_bridge() -> _Any:
    """Does nothing: there is no MLIR here."""

def enable_mlir_bridge() -> _Any:
    """Raises an error: there is no MLIR here."""

def enable_tensor_float_32_execution(enabled: _Any) -> _Any:
    """Refuses to round the factors of matrix products to 10 bits."""

def get_device_details(device: _Any) -> _Any:
    """What is known of a physical device."""

def get_device_policy() -> _Any:
    """What happens to inputs on other devices: they are copied."""

def get_memory_growth(device: _Any) -> builtins.bool:
    """Whether sessions without a configuration reserve a GPU's memory as it is needed."""

def get_memory_info(device: _Any) -> _Any:
    """The memory that tensors take on a device."""

def get_memory_usage(device: _Any) -> _Any:
    """The memory that tensors take on a device now."""

def get_synchronous_execution() -> builtins.bool:
    """Whether an operation has run when its call returns. This is about eager execution, which does not exist here."""

def reset_memory_stats(device: _Any) -> _Any:
    """Raises an error: the peak of the memory is that since the process began."""

def set_device_policy(device_policy: _Any) -> _Any:
    """Refuses policies other than that inputs on other devices are copied."""

def set_memory_growth(device: _Any, enable: _Any) -> _Any:
    """Sets whether sessions without a configuration reserve a GPU's memory as it is needed."""

def set_synchronous_execution(enable: _Any) -> _Any:
    """Refuses asynchronous eager execution."""

def tensor_float_32_execution_enabled() -> builtins.bool:
    """Whether GPUs round the factors of matrix products to 10 bits; they never do."""
