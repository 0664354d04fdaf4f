"""Devices for the variables of a replicated graph: device functions and strategies for parameter servers.

Every worker builds the same graph, so a strategy must choose the same task for a variable in each of them: it may
depend only on the order and the properties of operations.
"""

import warnings

from tfcore.framework.device import DeviceSpec
from tfcore.framework.types.tensor_shape import TensorShape

STANDARD_PS_OPS = (
    "Variable",
    "VariableV2",
    "VarHandleOp",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "ResourceConditionalAccumulator",
)


def replica_device_setter(
    ps_tasks=0,
    ps_device="/job:ps",
    worker_device="/job:worker",
    merge_devices=True,
    cluster=None,
    ps_ops=None,
    ps_strategy=None,
):
    """A device function for between-graph replication: variables go to the tasks of job `ps`, all else to the worker.

    Local variables (those in the collection LOCAL_VARIABLES but not in GLOBAL_VARIABLES) stay with the worker: on a
    parameter server all workers would share one.

    Args:
      ps_tasks: Number of tasks of the job in `ps_device`; ignored if `cluster` is given.
      ps_device: Device of the operations in `ps_ops`, a string or `DeviceSpec`. If it names a job, `ps_strategy` sets
        the task.
      worker_device: Device of all other operations, a string or `DeviceSpec`.
      merge_devices: Whether an operation's own device overrides only the parts that it names. Otherwise an operation
        that has any device is left alone (deprecated).
      cluster: A `ClusterSpec`, a ClusterDef, or a dict from job names to tasks.
      ps_ops: Op types that go to `ps_device`; variables and tables by default.
      ps_strategy: A function of an `Operation` that returns its task; round-robin by default. See
        `tf.contrib.training.GreedyLoadBalancingStrategy`.

    Returns:
      A function to pass to `tf.device`; None, which changes nothing, if the job has no tasks.

    Raises:
      TypeError: `cluster` does not describe a cluster, or `ps_strategy` is not callable.
      ValueError: A device or cluster is malformed.

    Example:

    >>> setter = tf.train.replica_device_setter(ps_tasks=2, worker_device="/job:worker/task:0")
    >>> with tf.device(setter):
    ...     w = tf.Variable(1.0)
    ...     b = tf.Variable(2.0)
    ...     y = w * b
    >>> w.device, b.device, y.device
    ('/job:ps/task:0', '/job:ps/task:1', '/job:worker/task:0')
    """
    ps, worker = _spec(ps_device), _spec(worker_device)
    if cluster is not None:
        from tfcore.distributed.cluster.cluster import ClusterSpec

        ps_tasks = len(ClusterSpec(cluster).as_dict().get(ps.job) or ())
    if ps_tasks == 0:
        return None
    if not merge_devices:
        warnings.warn("replica_device_setter: merge_devices=False is deprecated", DeprecationWarning, stacklevel=2)
    if ps_strategy is None:
        ps_strategy = _RoundRobinStrategy(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    types = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)
    uses_ps = bool(ps.to_string())

    def choose(op):
        if not merge_devices and op.device:
            return op.device
        own = DeviceSpec.from_string(op.device)
        is_local = op.type in types and op.attrs.get("_local_variable", False)
        if not uses_ps or op.type not in types or is_local:
            return worker.make_merged_spec(own).to_string()
        chosen = ps
        if ps.job and own.job in (None, ps.job):
            chosen = ps.replace(task=ps_strategy(op))
        return chosen.make_merged_spec(own).to_string()

    return choose


def _spec(device):
    return device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)


# ---- Strategies


class _RoundRobinStrategy:
    """Chooses tasks in turn."""

    def __init__(self, num_tasks):
        self._num_tasks = num_tasks
        self._next_task = 0

    def __call__(self, op):
        task = self._next_task
        self._next_task = (task + 1) % self._num_tasks
        return task


class RandomStrategy:
    """Chooses a pseudo-random task by a hash of the operation's name.

    If large and small variables alternate (weights, biases), round-robin can place all large ones on one task.

    Args:
      num_ps_tasks: Number of tasks.
      seed: An int that is part of the hash.
    """

    def __init__(self, num_ps_tasks, seed=0):
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op):
        import hashlib

        digest = hashlib.md5(f"{op.name}_{self._seed}".encode(), usedforsecurity=False).hexdigest()
        return int(digest, 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Chooses the task with the least total load so far; the first one in case of a tie.

    Args:
      num_tasks: Number of tasks.
      load_fn: A function of an `Operation` that returns its load as a number, such as `byte_size_load_fn`.
    """

    def __init__(self, num_tasks, load_fn):
        self._loads = [0.0] * num_tasks
        self._load_fn = load_fn

    def __call__(self, op):
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op):
    """The size in bytes of an operation's only output, such as a variable.

    Args:
      op: The `Operation`.

    Returns:
      An int.

    Raises:
      ValueError: The operation has several outputs, or the shape of its output is not fully known.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    output = op.outputs[0]
    if op.type == "VarHandleOp":
        dtype, shape = op.get_attr("dtype"), TensorShape(op.get_attr("shape"))
        shape.assert_is_fully_defined()
        return shape.num_elements() * dtype.size
    shape = output.get_shape()
    if not shape.is_fully_defined() and "shape" in op.attrs:
        shape = TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return shape.num_elements() * output.dtype.base_dtype.size
