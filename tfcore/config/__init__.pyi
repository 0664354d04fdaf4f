# Written by python -m tfcore.tools.stubs: do not edit.

import builtins
from tfcore.config import experimental as experimental
from tfcore.config import optimizer as optimizer
from tfcore.config import threading as threading
from typing import Any as _Any

__all__ = [
'LogicalDevice', 'LogicalDeviceConfiguration', 'PhysicalDevice', 'experimental', 'experimental_connect_to_cluster',
'experimental_connect_to_host', 'experimental_functions_run_eagerly', 'experimental_run_functions_eagerly',
'functions_run_eagerly', 'get_logical_device_configuration', 'get_soft_device_placement', 'get_visible_devices',
'list_logical_devices', 'list_physical_devices', 'optimizer', 'run_functions_eagerly',
'set_logical_device_configuration', 'set_soft_device_placement', 'set_visible_devices', 'threading'
]

class LogicalDevice(builtins.tuple):
    """A device on which operations can be placed."""
    def __new__(_cls, name: _Any, device_type: _Any) -> LogicalDevice:
        """Create new instance of LogicalDevice(name, device_type)"""
    device_type: _Any
    name: _Any

class LogicalDeviceConfiguration(builtins.tuple):
    """What a logical device takes of a physical one."""
    def __new__(_cls, memory_limit: _Any = None, experimental_priority: _Any = None, experimental_device_ordinal: _Any = None) -> LogicalDeviceConfiguration:
        """Create new instance of LogicalDeviceConfiguration(memory_limit, experimental_priority, experimental_device_ordinal)"""
    experimental_device_ordinal: _Any
    experimental_priority: _Any
    memory_limit: _Any

class PhysicalDevice(builtins.tuple):
    """A device of this machine."""
    def __new__(_cls, name: _Any, device_type: _Any) -> PhysicalDevice:
        """Create new instance of PhysicalDevice(name, device_type)"""
    device_type: _Any
    name: _Any

def experimental_connect_to_cluster(cluster_spec_or_resolver: _Any, job_name: _Any = 'localhost', task_index: _Any = 0, protocol: _Any = None, make_master_device_default: _Any = True, cluster_device_filters: _Any = None) -> _Any:
    """Raises an error: programs reach other processes by a server."""

def experimental_connect_to_host(remote_host: _Any = None, job_name: _Any = 'worker') -> _Any:
    """Raises an error: programs reach other processes by a server."""

def experimental_functions_run_eagerly() -> builtins.bool:
    """Whether functions run without a graph; they never do."""

def experimental_run_functions_eagerly(run_eagerly: _Any) -> _Any:
    """Refuses to run functions without a graph."""

functions_run_eagerly = experimental_functions_run_eagerly

def get_logical_device_configuration(device: _Any) -> _Any:
    """What `set_logical_device_configuration` has set for a physical device."""

def get_soft_device_placement() -> builtins.bool:
    """Whether sessions without a configuration may place operations on other devices than those asked for."""

def get_visible_devices(device_type: _Any = None) -> _Any:
    """The physical devices that sessions without a configuration have."""

def list_logical_devices(device_type: _Any = None) -> _Any:
    """The devices of sessions without a configuration. From now on, devices and threads can't be changed any more."""

def list_physical_devices(device_type: _Any = None) -> _Any:
    """The CPU and the GPUs of this machine."""

run_functions_eagerly = experimental_run_functions_eagerly

def set_logical_device_configuration(device: _Any, logical_devices: _Any) -> _Any:
    """Sets which devices sessions without a configuration make of a physical device."""

def set_soft_device_placement(enabled: _Any) -> _Any:
    """Sets whether new sessions without a configuration may place operations on other devices than those asked for."""

def set_visible_devices(devices: _Any, device_type: _Any = None) -> _Any:
    """Sets which physical devices new sessions without a configuration have."""
