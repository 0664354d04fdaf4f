"""Device names: DeviceSpec, and merging of partial names.

A device is named `/job:worker/replica:0/task:1/device:CPU:0`; any part may be missing. Programs also
write `/cpu:0`, `/gpu:*` or `/device:GPU:1`; `DeviceSpec.to_string` returns the canonical form.
"""

import functools

_DEVICE_TYPES = frozenset({"CPU", "GPU", "TPU", "CUSTOM", "EPU", "NULL", "XLA_CPU", "XLA_GPU"})
_FIELDS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """A device name, possibly partial, such as `/job:worker/replica:0/task:1/device:CPU:0`. Missing parts are None.

    Args:
      job: Name of the job.
      replica: Index of the replica.
      task: Index of the task.
      device_type: Type of the device, such as "CPU".
      device_index: Index of the device among those of its type.

    Example:

    >>> spec = tf.DeviceSpec(job="ps", task=1)
    >>> spec.to_string()
    '/job:ps/task:1'
    >>> spec.make_merged_spec(tf.DeviceSpec.from_string("/cpu:0")).to_string()
    '/job:ps/task:1/device:CPU:0'
    """

    __slots__ = ("_device_index", "_device_type", "_job", "_replica", "_task")

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job = job
        self.replica = replica
        self.task = task
        # TensorFlow accepts `cpu` and `gpu` in lower case, too.
        lower = device_type in ("cpu", "gpu")
        self.device_type = device_type.upper() if lower else device_type
        self.device_index = device_index

    @classmethod
    def from_string(cls, spec):
        """Parses a device name.

        Args:
          spec: A device name such as "/job:ps/task:0/cpu:0".

        Returns:
          A `DeviceSpec`.

        Raises:
          ValueError: The name is malformed.
        """
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec):
        """Sets all parts from a device name.

        Args:
          spec: A device name such as "/job:ps/task:0/cpu:0".

        Returns:
          This `DeviceSpec`.

        Raises:
          ValueError: The name is malformed.
        """
        for field, value in zip(_FIELDS, parse(spec or ""), strict=True):
            setattr(self, field, value)
        return self

    @property
    def job(self):
        """The name of the job."""
        return self._job

    @job.setter
    def job(self, job):
        self._job = None if job is None else str(job)

    @property
    def replica(self):
        """The index of the replica."""
        return self._replica

    @replica.setter
    def replica(self, replica):
        self._replica = None if replica is None else int(replica)

    @property
    def task(self):
        """The index of the task."""
        return self._task

    @task.setter
    def task(self, task):
        self._task = None if task is None else int(task)

    @property
    def device_type(self):
        """The type of the device."""
        return self._device_type

    @device_type.setter
    def device_type(self, device_type):
        self._device_type = None if device_type is None else str(device_type)

    @property
    def device_index(self):
        """The index of the device among those of its type."""
        return self._device_index

    @device_index.setter
    def device_index(self, device_index):
        self._device_index = None if device_index is None else int(device_index)

    def _parts(self):
        return (self._job, self._replica, self._task, self._device_type, self._device_index)

    def merge_from(self, dev):
        """Overrides the parts that another spec sets.

        Args:
          dev: A `DeviceSpec`.
        """
        for field, theirs in zip(_FIELDS, dev._parts(), strict=True):
            if theirs is not None:
                setattr(self, field, theirs)

    def make_merged_spec(self, dev):
        """A copy, overridden by the parts that another spec sets.

        Args:
          dev: A `DeviceSpec`.

        Returns:
          A `DeviceSpec`.
        """
        merged = self.replace()
        merged.merge_from(dev)
        return merged

    def replace(self, **kwargs):
        """A copy with some parts replaced.

        Args:
          **kwargs: New values by the names of the constructor's arguments.

        Returns:
          A `DeviceSpec`.
        """
        return type(self)(**{**dict(zip(_FIELDS, self._parts(), strict=True)), **kwargs})

    def to_string(self):
        """The canonical name.

        Returns:
          A string such as "/job:worker/replica:0/task:1/device:CPU:0".
        """
        return _to_string(self._parts())

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self._parts() == other._parts()

    def __hash__(self):
        return hash(self._parts())

    def __repr__(self):
        return (
            f"<DeviceSpec(job={self.job}, replica={self.replica}, task={self.task}, "
            f"device_type={self.device_type}, device_index={self.device_index})>"
        )


@functools.lru_cache(maxsize=4096)
def parse(spec):
    """The five parts of a device string."""
    parts = dict.fromkeys(_FIELDS)

    def set_device(device_type, index):
        if parts["device_type"] is not None:
            raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
        parts["device_type"] = device_type
        parts["device_index"] = None if index == "*" else _number(index, spec)

    for component in spec.split("/"):
        name, *values = component.split(":")
        if not name and not values:
            continue
        if name in ("job", "replica", "task") and len(values) == 1:
            parts[name] = values[0] if name == "job" else _number(values[0], spec)
        elif name == "device" and len(values) == 2:
            set_device(values[0].upper() if values[0] in ("cpu", "gpu") else values[0], values[1])
        elif name.upper() in _DEVICE_TYPES and len(values) <= 1:
            set_device(name.upper(), values[0] if values else "*")
        else:
            raise ValueError(f"Unknown attribute '{name}' is encountered while parsing the device spec: '{spec}'.")
    return tuple(parts.values())


def _number(text, spec):
    if not text.isdecimal():
        raise ValueError(f"'{text}' is not a number in the device spec: '{spec}'.")
    return int(text)


@functools.lru_cache(maxsize=4096)
def _to_string(parts):
    job, replica, task, device_type, device_index = parts
    text = "" if job is None else f"/job:{job}"
    text += "" if replica is None else f"/replica:{replica}"
    text += "" if task is None else f"/task:{task}"
    if device_type is not None:
        text += f"/device:{device_type}:{'*' if device_index is None else device_index}"
    return text


def canonical_name(device):
    """The canonical string of a DeviceSpec or device string; "" for None."""
    if device is None:
        return ""
    return device.to_string() if isinstance(device, DeviceSpec) else _canonical(device)


@functools.lru_cache(maxsize=4096)
def _canonical(spec):
    return _to_string(parse(spec))


def check_valid(spec):
    """Raises ValueError if the string does not name a device."""
    parse(spec)


@functools.lru_cache(maxsize=4096)
def merge_names(outer, inner):
    """The canonical name of `outer` overridden by the parts that `inner` sets (both strings)."""
    pairs = zip(parse(outer), parse(inner), strict=True)
    return _to_string(tuple([theirs if ours is None else ours for theirs, ours in pairs]))


class MergeDevice:
    """A device function that fills in the parts that an operation's device lacks.

    `tf.device(spec)` scopes work this way: each part comes from the innermost scope that sets it.
    """

    __slots__ = ("_spec",)

    def __init__(self, spec):
        self._spec = canonical_name(spec)

    def __call__(self, op):
        """The canonical name of the device of `op` (anything with `.device`) merged with this one."""
        return merge_names(self._spec, op.device or "")

    def shortcut_string_merge(self, op):
        return self(op)

    @property
    def is_null_merge(self):
        """Whether it changes nothing."""
        return not self._spec

    def __repr__(self):
        return f"<MergeDevice {self._spec!r}>"


def merge_device(spec):
    """The device function for a DeviceSpec or string: see MergeDevice."""
    return spec if isinstance(spec, MergeDevice) else MergeDevice(spec)
