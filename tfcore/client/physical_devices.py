"""tf.config: the devices of this process, and which of them sessions without a ConfigProto have."""

import numbers
import re
from typing import NamedTuple

from tfcore.client import process_options
from tfcore.client.config import SessionOptions, number_of_gpus
from tfcore.compiler.devices import LOCAL, Devices
from tfcore.core.runtime import memory_stats
from tfcore.framework import errors
from tfcore.framework.device import parse
from tfcore.gpu import driver as gpu_driver


class PhysicalDevice(NamedTuple):
    """A device of this machine.

    Args:
      name: Such as "/physical_device:GPU:0".
      device_type: "CPU" or "GPU".
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device on which operations can be placed.

    Args:
      name: Such as "/device:GPU:0".
      device_type: "CPU", "GPU" or a type that a user's library has registered.
    """

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """What a logical device takes of a physical one.

    Args:
      memory_limit: Megabytes of a GPU's memory.
      experimental_priority: Not supported, must be None.
      experimental_device_ordinal: Not supported, must be None.
    """

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


def list_physical_devices(device_type=None):
    """The CPU and the GPUs of this machine.

    Args:
      device_type: "CPU" or "GPU"; all by default.

    Returns:
      A list of `PhysicalDevice`s.

    Raises:
      UnavailableError: Emulated GPUs were asked for, and can't be had.
    """
    return _of_type([_CPU, *_gpus()], device_type)


def get_visible_devices(device_type=None):
    """The physical devices that sessions without a configuration have.

    Args:
      device_type: "CPU" or "GPU"; all by default.

    Returns:
      A list of `PhysicalDevice`s.

    Raises:
      UnavailableError: Emulated GPUs were asked for, and can't be had.
    """
    return _of_type(_choices().visible(), device_type)


def set_visible_devices(devices, device_type=None):
    """Sets which physical devices new sessions without a configuration have.

    Args:
      devices: A `PhysicalDevice`, or a list of them.
      device_type: "CPU" or "GPU": leaves devices of the other type as they are.

    Raises:
      ValueError: There is no such device, or it is of another type.
      RuntimeError: The logical devices have been listed, or a session has opened the GPUs.
      UnimplementedError: The CPU is left out, which every session has.
    """
    choices = _choices()
    devices = devices if isinstance(devices, list) else [devices]
    for device in devices:
        _check(device)
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"Unrecognized device: {device!r}")
    kept = [d for d in choices.visible() if device_type is not None and d.device_type != device_type]
    if choices.visible() == kept + devices:
        return
    _check_that_it_can_change("Visible devices cannot be modified after being initialized", kept + devices)
    if _CPU not in kept + devices:
        process_options.refuse("tf.config.set_visible_devices without the CPU", "every session has a CPU device.")
    choices.change("chosen", kept + devices)


def list_logical_devices(device_type=None):
    """The devices of sessions without a configuration. From now on, devices and threads can't be changed any more.

    Args:
      device_type: Such as "GPU"; all by default.

    Returns:
      A list of `LogicalDevice`s.

    Raises:
      UnavailableError: Emulated GPUs were asked for, and can't be had.
    """
    process_options.state.is_initialized = True
    options = SessionOptions(**process_options.state.values)
    names = Devices(client=LOCAL, count=options.cpus, gpus=number_of_gpus(options)).names()
    parts = [parse(name)[3:] for name in names]
    return _of_type([LogicalDevice(f"/device:{kind}:{index}", kind) for kind, index in parts], device_type)


def get_logical_device_configuration(device):
    """What `set_logical_device_configuration` has set for a physical device.

    Args:
      device: A `PhysicalDevice`.

    Returns:
      A list of `LogicalDeviceConfiguration`s, or None.

    Raises:
      ValueError: There is no such device.
    """
    _check(device)
    found = _choices().logical.get(device)
    return None if found is None else list(found)


def set_logical_device_configuration(device, logical_devices):
    """Sets which devices sessions without a configuration make of a physical device.

    Args:
      device: A `PhysicalDevice`.
      logical_devices: A list of `LogicalDeviceConfiguration`s: several for the CPU; one, with a memory limit, for a
        GPU. All GPUs must have the same limit, relative to their memory.

    Raises:
      ValueError: There is no such device; a limit for the CPU, or none for a GPU, or one that is not positive.
      TypeError: A limit is not a number.
      NotFoundError: The list for the CPU is empty.
      RuntimeError: The logical devices have been listed, or a session has opened the GPUs.
      UnimplementedError: Several logical devices on one GPU, or priorities.
    """
    choices = _choices()
    _check(device)
    logical_devices = list(logical_devices)
    _check_configuration(device, logical_devices)
    if choices.logical.get(device) == logical_devices:
        return
    _check_that_it_can_change("Virtual devices cannot be modified after being initialized", [device])
    if device.device_type == "GPU":
        if len(logical_devices) != 1:
            process_options.refuse(
                f"tf.config.set_logical_device_configuration with {len(logical_devices)} devices on a GPU",
                "sessions have each GPU as a whole. TFCORE_EMULATE_GPUS=2 gives two emulated GPUs for tests.",
            )
        if logical_devices[0][1:] != (None, None):
            process_options.refuse("experimental_priority and experimental_device_ordinal", "leave them out.")
    choices.change("logical", {**choices.logical, device: logical_devices})


def _check_configuration(device, logical_devices):
    if device.device_type == "GPU":
        if any(logical.memory_limit is None for logical in logical_devices):
            raise ValueError("Setting memory limit is required for GPU virtual devices")
        for logical in logical_devices:
            _check_limit(logical.memory_limit)
        return
    if not logical_devices:
        raise errors.NotFoundError(None, None, "No CPU devices are available in this process")
    for logical in logical_devices:
        if logical.memory_limit is not None:
            raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
        if logical.experimental_priority is not None:
            raise ValueError("Setting experimental_priority on CPU virtual  devices is currently not supported")
        if logical.experimental_device_ordinal is not None:
            raise ValueError("Setting experimental_device_ordinal on CPU virtual  devices is currently not supported")


def _check_limit(memory_limit):
    if not isinstance(memory_limit, numbers.Real):
        raise TypeError(f"memory_limit must be a number of megabytes, but got {memory_limit!r}")
    if not 0 < memory_limit < float("inf"):
        raise ValueError(f"memory_limit must be a positive number of megabytes, but got {memory_limit!r}")


def get_memory_growth(device):
    """Whether sessions without a configuration reserve a GPU's memory as it is needed.

    Args:
      device: A `PhysicalDevice`.

    Returns:
      A bool.

    Raises:
      ValueError: There is no such device.
      KeyError: The device is the CPU.
    """
    _check(device)
    if device.device_type != "GPU":
        raise KeyError(device)
    return _choices().growth.get(device, False)


def set_memory_growth(device, enable):
    """Sets whether sessions without a configuration reserve a GPU's memory as it is needed.

    Args:
      device: A `PhysicalDevice`. All visible GPUs must be set alike before a session is made.
      enable: A bool.

    Raises:
      ValueError: There is no such device, or it is the CPU, or has a configuration of logical devices.
      RuntimeError: The logical devices have been listed, or a session has opened the GPUs.
    """
    choices = _choices()
    _check(device)
    if device in choices.logical:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    if choices.growth.get(device, False) == enable:
        return
    _check_that_it_can_change("Physical devices cannot be modified after being initialized", [device])
    choices.change("growth", {**choices.growth, device: enable})


def get_device_details(device):
    """What is known of a physical device.

    Args:
      device: A `PhysicalDevice`.

    Returns:
      A dict: "device_name" and "compute_capability", a pair of ints, of a GPU; empty for the CPU.

    Raises:
      ValueError: It is not a device of this machine.
    """
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    if device not in list_physical_devices():
        raise ValueError(
            f"The PhysicalDevice must be one obtained from calling `tf.config.list_physical_devices`, but got: {device}"
        )
    if device.device_type != "GPU":
        return {}
    from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

    text = gpu.describe_ordinal(_gpus().index(device))
    name, major, minor = re.search(r"name: (.*), pci bus id: .*, compute capability: (\d+)\.(\d+)", text).groups()
    return {"device_name": name, "compute_capability": (int(major), int(minor))}


def get_memory_info(device):
    """The memory that tensors take on a device.

    Args:
      device: A string, such as "GPU:0".

    Returns:
      A dict: the bytes that are taken now ("current"), and at most so far ("peak").

    Raises:
      ValueError: There is no such device.
    """
    match = re.fullmatch(r"(?:.*/)?(?:device:)?([A-Za-z_]+):(\d+)", device)
    if not match:
        raise ValueError(
            f"Failed parsing device name: '{device}'. Note a valid device string should at least contain a device type "
            'and a device index, like "GPU:0".'
        )
    kind, index = match[1].upper(), int(match[2])
    if LogicalDevice(f"/device:{kind}:{index}", kind) not in list_logical_devices():
        raise ValueError(f"No matching devices found for '{device}'")
    if kind != "GPU":  # devices of other types work on the memory of the CPU
        found = memory_stats()
    else:
        from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

        found = gpu.gpu(index).memory_stats()
    return {"current": found["bytes_in_use"], "peak": found["peak_bytes_in_use"]}


def get_memory_usage(device):
    """The memory that tensors take on a device now.

    Args:
      device: A string, such as "GPU:0".

    Returns:
      The number of bytes.

    Raises:
      ValueError: There is no such device.
    """
    return get_memory_info(device)["current"]


def reset_memory_stats(device):
    """Raises an error: the peak of the memory is that since the process began.

    Args:
      device: A string, such as "GPU:0".

    Raises:
      ValueError: There is no such device.
      UnimplementedError: In any other case.
    """
    get_memory_info(device)
    name = "tf.config.experimental.reset_memory_stats"
    process_options.refuse(name, "RunMetadata.memory_report() shows the peak of one step.")


# ---- What the program has chosen

_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class _Choices:
    """What was set of physical devices; `change` gives it to the options of sessions."""

    def __init__(self):
        self.chosen = None  # None: all
        self.logical = {}  # PhysicalDevice -> [LogicalDeviceConfiguration]
        self.growth = {}  # PhysicalDevice -> bool

    def visible(self):
        return list_physical_devices() if self.chosen is None else list(self.chosen)

    def change(self, field, value):
        """Sets an attribute, and what it means for the options of sessions: both or, if that fails, neither."""
        before = getattr(self, field)
        setattr(self, field, value)
        try:
            process_options.state.values.update(self._options())
        except BaseException:
            setattr(self, field, before)
            raise

    def _options(self):
        visible = self.visible()
        gpus = _gpus()
        seen = [gpu for gpu in gpus if gpu in visible]
        values = {"cpus": len(self.logical.get(_CPU, (None,)))}
        if not gpus:
            return values
        values["gpus"] = len(seen)
        values["visible_device_list"] = ",".join(str(gpus.index(gpu)) for gpu in seen)
        values["allow_growth"] = all(self.growth.get(gpu, False) for gpu in seen) and bool(seen)
        values["per_process_gpu_memory_fraction"] = max((self._fraction(gpu) for gpu in seen), default=0.0)
        return values

    def check(self):
        """Raises an error if the visible GPUs are not alike, which sessions need."""
        seen = [device for device in self.visible() if device.device_type == "GPU"]
        if len({self.growth.get(gpu, False) for gpu in seen}) > 1:
            raise ValueError("Memory growth cannot differ between GPU devices")
        if len({self._fraction(gpu) for gpu in seen}) > 1:
            process_options.refuse(
                "A memory limit that differs between GPUs",
                "set the same part of the memory of all visible GPUs, or tf.config.set_visible_devices.",
            )

    def _fraction(self, device):
        if device not in self.logical:
            return 0.0
        from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

        return min(1.0, self.logical[device][0].memory_limit * 2**20 / gpu.total_memory(_gpus().index(device)))


def _choices():
    state = process_options.state
    if state.devices is None:
        state.devices = _Choices()
    return state.devices


def _gpus():
    if not gpu_driver.may_be_there():
        return []
    from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

    return [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(gpu.number_on_machine())]


def _of_type(devices, device_type):
    return [d for d in devices if device_type in (None, d.device_type)]


def _check(device):
    if device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")


def _check_that_it_can_change(text, devices):
    """The first session with GPUs fixes their options for the process."""
    if process_options.state.is_initialized:
        raise RuntimeError(text)
    if any(device.device_type == "GPU" for device in (*devices, *_choices().visible())) and _gpus():
        from tfcore.core.device import gpu  # here, because programs without GPUs need not load it

        if gpu.is_configured():
            raise RuntimeError(text)
