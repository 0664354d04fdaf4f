"""How the values of replicas are combined. All replicas are in one process, so a sum is an operation on one device."""

import math

from tfcore.distribute.values import PerReplica, ReduceOp
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array.array import Identity, shape
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.binary import divide
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.nary import add_n
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.variables.variables import Variable


class CrossDeviceOps:
    """Combines values of replicas and copies values to devices.

    Derived classes may override the methods whose names end in `_implementation`.
    """

    def reduce(self, reduce_op, per_replica_value, destinations, options=None):
        """Combines the values of the replicas.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`.
          per_replica_value: A value for each replica, or one that is the same in all.
          destinations: Where the result goes: a variable, a tensor, a device or several devices.
          options: Ignored: nothing is sent to other processes.

        Returns:
          A `Tensor` or `IndexedSlices`.

        Raises:
          ValueError: A value that is the same in all replicas cannot be summed.
        """
        return self.reduce_implementation(reduce_op, per_replica_value, destinations, options)

    def batch_reduce(self, reduce_op, value_destination_pairs, options=None):
        """Combines the values of the replicas, for several values.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`.
          value_destination_pairs: A list of pairs (value, destinations), see `reduce`.
          options: Ignored: nothing is sent to other processes.

        Returns:
          A list of results.

        Raises:
          ValueError: A value that is the same in all replicas cannot be summed.
        """
        return self.batch_reduce_implementation(reduce_op, list(value_destination_pairs), options)

    def broadcast(self, tensor, destinations):
        """Copies a value to devices.

        Args:
          tensor: The value.
          destinations: A variable, a tensor, a device or several devices.

        Returns:
          A `Tensor`, or one for each of several devices.

        Raises:
          Nothing.
        """
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(self, reduce_op, per_replica_value, destinations, options):
        """What `reduce` does.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`.
          per_replica_value: A value for each replica, or one that is the same in all.
          destinations: Where the result goes.
          options: Ignored.

        Returns:
          A `Tensor` or `IndexedSlices`.

        Raises:
          ValueError: A value that is the same in all replicas cannot be summed.
        """
        return reduce_values(reduce_op, per_replica_value, devices_of(destinations)[0])

    def batch_reduce_implementation(self, reduce_op, value_destination_pairs, options):
        """What `batch_reduce` does.

        Args:
          reduce_op: A `tf.distribute.ReduceOp`.
          value_destination_pairs: A list of pairs (value, destinations).
          options: Ignored.

        Returns:
          A list of results.

        Raises:
          ValueError: A value that is the same in all replicas cannot be summed.
        """
        return [
            self.reduce_implementation(reduce_op, value, destinations, options)
            for value, destinations in value_destination_pairs
        ]

    def broadcast_implementation(self, tensor, destinations):
        """What `broadcast` does.

        Args:
          tensor: The value.
          destinations: A variable, a tensor, a device or several devices.

        Returns:
          A `Tensor`, or one for each of several devices.

        Raises:
          Nothing.
        """
        copies = []
        for device in devices_of(destinations):
            with get_default_graph().device(device or None):
                copies.append(Identity(convert_to_tensor(tensor)))
        return copies[0] if len(copies) == 1 else PerReplica(copies)


class ReductionToOneDevice(CrossDeviceOps):
    """Combines values on one device.

    Args:
      reduce_to_device: The device; by default that of the destination.
      accumulation_fn: A function that sums a list of tensors; `tf.add_n` by default.
    """

    def __init__(self, reduce_to_device=None, accumulation_fn=None):
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn

    def reduce_implementation(self, reduce_op, per_replica_value, destinations, options):
        device = self.reduce_to_device or devices_of(destinations)[0]
        return reduce_values(reduce_op, per_replica_value, device, self.accumulation_fn)


class _AllReduce(CrossDeviceOps):
    _title = ""

    def __init__(self, num_packs=1):
        if num_packs < 0:
            raise ValueError(f"{self._title} requires num_packs >= 0, but {num_packs} is specified")


class NcclAllReduce(_AllReduce):
    """Combines values as `CrossDeviceOps` does, on the device of the destination.

    Args:
      num_packs: Accepted for compatibility: how many messages TensorFlow makes of small values.

    Raises:
      ValueError: `num_packs` is negative.
    """

    _title = "NCCL all-reduce"


class HierarchicalCopyAllReduce(_AllReduce):
    """Combines values as `CrossDeviceOps` does, on the device of the destination.

    Args:
      num_packs: Accepted for compatibility: how many messages TensorFlow makes of small values.

    Raises:
      ValueError: `num_packs` is negative.
    """

    _title = "HierarchicalCopy"


def devices_of(destinations):
    """The devices that an argument means: a variable, a tensor, a name or several names."""
    if isinstance(destinations, PerReplica):
        return [value.device for value in destinations.values]
    if isinstance(destinations, str):
        return [destinations]
    if isinstance(destinations, tuple | list):
        return [device for destination in destinations for device in devices_of(destination)] or [""]
    return [getattr(destinations, "device", "") or ""]


def reduce_values(reduce_op, value, device="", accumulate=None):
    """The sum or the mean of the values of the replicas, on a device.

    Raises:
      ValueError: A value that is the same in all replicas cannot be summed.
    """
    reduce_op = ReduceOp.of(reduce_op)
    if not isinstance(value, PerReplica):
        return reduce_same_value(reduce_op, value)
    values = [v.read_value() if isinstance(v, Variable) else v for v in value.values]
    with name_scope("reduce"), get_default_graph().device(device or None):
        if any(isinstance(v, IndexedSlices) for v in values):
            return _combined_slices(reduce_op, values)
        values = [convert_to_tensor(v) for v in values]
        total = (accumulate or add_n)(values)
        return divide(total, cast(len(values), total.dtype)) if reduce_op is ReduceOp.MEAN else total


def _combined_slices(reduce_op, values):
    """Slices of equal index stay apart: what takes an IndexedSlices adds them."""
    if not all(isinstance(v, IndexedSlices) for v in values):
        raise ValueError(f"Some replicas have an IndexedSlices and others a Tensor: {values}")
    rows, indices = concat([v.values for v in values], 0), concat([v.indices for v in values], 0)
    if reduce_op is ReduceOp.MEAN:
        rows = divide(rows, cast(len(values), rows.dtype))
    return IndexedSlices(rows, indices, values[0].dense_shape)


def mean_over(values, axis):
    """The mean of the values of the replicas over dimensions, in which each element counts the same."""
    dtype = values[0].dtype.base_dtype
    computed = _type_of_sums(dtype)
    total = reduce_values(ReduceOp.SUM, PerReplica([reduce_sum(cast(v, computed), axis) for v in values]))
    count = reduce_values(ReduceOp.SUM, PerReplica([_size(v, axis) for v in values]))
    mean = divide(total, cast(count, computed))
    return mean if dtype.is_integer else cast(mean, dtype)


def _type_of_sums(dtype):
    """The type in which a mean is computed: small types can't hold the sum or the number of elements."""
    if dtype.is_integer:
        return dtypes.float32 if dtype.size <= 2 else dtypes.float64  # that of tf.truediv
    return dtypes.float32 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype


def _size(value, axis):
    sizes = shape(value, out_type=dtypes.int64)
    return math.prod(
        (sizes[i] for i in (axis if isinstance(axis, tuple | list) else [axis])),
        start=convert_to_tensor(1, dtypes.int64),
    )


def reduce_same_value(reduce_op, value, replicas=None):
    """A value that is the same in all replicas, after it was combined.

    Raises:
      ValueError: It would have to be summed.
    """
    if reduce_op is ReduceOp.MEAN or replicas == 1 or (isinstance(value, int | float) and value == 0):
        return value
    raise ValueError(
        f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {reduce_op}. Replicas have "
        "the same value, so use ReduceOp.MEAN."
    )
