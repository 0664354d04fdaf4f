"""Partitioned variables: the list of parts, and the functions that decide how to split."""

import math
from collections.abc import Sequence

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import register_tensor_conversion_function
from tfcore.ops.array.array import identity
from tfcore.ops.array.join import concat, split


class PartitionedVariable:
    """A variable split along one dimension. Iterate over it for the parts; as a Tensor it is their concatenation."""

    _checkpoint_dependencies = ()  # for variables/trackable.py: checkpoints have it as one tensor

    def __init__(self, name, shape, dtype, variable_list, partitions):
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        for v in variable_list:
            if v._get_save_slice_info() is None:
                raise ValueError(f"All variables must have a save_slice_info available: {v.name}")
            if len(shape) != len(partitions):
                raise ValueError(
                    f"len(shape) != len(partitions) in PartitionedVariable {name}: {shape} vs. {partitions}"
                )
            if v._get_save_slice_info().full_shape != list(TensorShape(shape).as_list()):
                raise ValueError(
                    f"All variables' full shapes must match shape: {shape}; but full shapes were: "
                    f"{[x._get_save_slice_info().full_shape for x in variable_list]}"
                )
        self._variable_list = sorted(variable_list, key=lambda v: v._get_save_slice_info().var_offset)
        self._name = name
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._partitions = partitions
        self._as_tensor = None

    def __iter__(self):
        return iter(self._variable_list)

    def __len__(self):
        return len(self._variable_list)

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._shape

    def get_shape(self):
        return self._shape

    @property
    def graph(self):
        return self._variable_list[0].graph

    def _get_variable_list(self):
        return self._variable_list

    def _get_partitions(self):
        return self._partitions

    def _partition_axes(self):
        axes = [axis for axis, parts in enumerate(self._partitions) if parts > 1]
        return axes or [0]

    def _axis(self, what):
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(
                f"Cannot {what} along more than one dimension: {axes}.  Multi-axis partition is not supported"
            )
        return axes[0]

    def as_tensor(self):
        """The whole value."""
        axis = self._axis("concatenate")
        with control_dependencies(None):
            if len(self._variable_list) == 1:
                with name_scope(None):
                    return identity(self._variable_list[0], name=self._name)
            with name_scope(self._name + "/ConcatPartitions/"):
                whole = concat(self._variable_list, axis)
            with name_scope(None):
                return identity(whole, name=self._name)

    def _as_graph_element(self):
        if self._as_tensor is None:
            with self.graph.as_default():  # a function's body may be the default graph
                self._as_tensor = self.as_tensor()
        return self._as_tensor

    def _apply_to_parts(self, method, value, use_locking, name, read_value):
        axis = self._axis("do assign action")
        if isinstance(value, (list, PartitionedVariable)):
            values = list(value)
            if len(values) != len(self._variable_list):
                raise ValueError(f"{len(values)} values for the {len(self._variable_list)} parts of {self._name}")
        else:
            sizes = [v.shape.as_list()[axis] for v in self._variable_list]
            values = split(value, sizes, axis=axis)
        results = [
            getattr(v, method)(part, use_locking=use_locking, name=name) for v, part in zip(self._variable_list, values)
        ]
        return results if read_value else [r.op for r in results]

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns to all parts and returns a list."""
        return self._apply_to_parts("assign", value, use_locking, name, read_value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True):
        return self._apply_to_parts("assign_add", value, use_locking, name, read_value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True):
        return self._apply_to_parts("assign_sub", value, use_locking, name, read_value)

    def __repr__(self):
        return (
            f"<PartitionedVariable '{self.name}' shape={self.shape} dtype={self.dtype.name} "
            f"parts={len(self._variable_list)}>"
        )


def _convert(variable, dtype=None, name=None, as_ref=False):
    if dtype is not None and dtype.base_dtype is not variable.dtype:
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{variable.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return variable.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _convert, 10)


def _forward_operator(name):
    def run(self, *args):
        return getattr(Tensor, name)(self.as_tensor(), *args)

    run.__name__ = name
    setattr(PartitionedVariable, name, run)


for _name in (
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __pow__ __rpow__ __neg__ __abs__ "
    "__matmul__ __rmatmul__ __lt__ __le__ __gt__ __ge__ __getitem__"
).split():
    _forward_operator(_name)


# ---- Partitioners


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
    """A partitioner that keeps each part below a size, by splitting along one axis.

    Args:
      max_shard_bytes: Upper bound of a part's size.
      axis: The axis to split along.
      bytes_per_string_element: Assumed size of a string.
      max_shards: Upper bound of the number of parts (optional).

    Returns:
      A function of (shape, dtype) that returns the number of parts in each dimension, for `tf.get_variable`.

    Raises:
      ValueError: A bound is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
            f"{max_shard_bytes} and bytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape, dtype):
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not shape.is_fully_defined():
            raise ValueError(f"shape is not fully defined: {shape}")
        dims = shape.as_list()
        _check_axis(axis, dims)
        per_slice = math.prod(dims) / dims[axis] * _element_size(dtype, bytes_per_string_element)
        slices = max(1, math.floor(max_shard_bytes / per_slice))
        shards = math.ceil(dims[axis] / slices)
        if max_shards:
            shards = min(max_shards, shards)
        return _parts(len(dims), axis, shards)

    return partitioner


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16):
    """A partitioner that splits into as many parts as possible, up to a number, each of at least a given size.

    Args:
      max_partitions: Upper bound of the number of parts.
      axis: The axis to split along.
      min_slice_size: Lower bound of a part's size in bytes.
      bytes_per_string_element: Assumed size of a string.

    Returns:
      A function of (shape, dtype) that returns the number of parts in each dimension, for `tf.get_variable`.

    Raises:
      ValueError: When used: the axis does not exist.
    """

    def partitioner(shape, dtype):
        dims = TensorShape(shape).as_list()
        if axis >= len(dims):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        _check_axis(axis, dims)
        size = math.prod(dims) * _element_size(dtype, bytes_per_string_element)
        return _parts(len(dims), axis, max(1, min(dims[axis], max_partitions, math.ceil(size / min_slice_size))))

    return partitioner


def fixed_size_partitioner(num_shards, axis=0):
    """A partitioner that splits into a fixed number of parts along one axis.

    Args:
      num_shards: Number of parts.
      axis: The axis to split along.

    Returns:
      A function of (shape, dtype) that returns the number of parts in each dimension, for `tf.get_variable`.

    Raises:
      IndexError: When used: the axis does not exist.
    """

    def partitioner(shape, **unused):
        dims = TensorShape(shape).as_list()
        _check_axis(axis, dims)
        return _parts(len(dims), axis, min(num_shards, dims[axis]))

    return partitioner


def _element_size(dtype, string_size):
    dtype = dtypes.as_dtype(dtype).base_dtype
    return string_size if dtype is dtypes.string else dtype.size


def _check_axis(axis, dims):
    if not -len(dims) <= axis < len(dims):
        raise IndexError(f"Cannot partition a variable of shape {dims} along axis {axis}")


def _parts(rank, axis, count):
    parts = [1] * rank
    parts[axis] = count
    return parts


def call_partitioner(partitioner, shape, dtype):
    """The number of parts in each dimension; at most one number is more than 1."""
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    parts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(parts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {parts}")
    if len(parts) != len(shape):
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {parts} vs. {shape}"
        )
    if any(p < 1 for p in parts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {parts}")
    if sum(p > 1 for p in parts) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {parts}")
    return parts


def slice_dim_and_count(parts):
    """Which dimension is split, into how many parts."""
    for dim, count in enumerate(parts):
        if count > 1:
            return dim, count
    return 0, 1


def iter_slices(full_shape, count, dim):
    """(offset, shape) of each part; if the size is not divisible, the first ones are longer by one."""
    size, excess = divmod(full_shape[dim], count)
    offset = [0] * len(full_shape)
    for i in range(count):
        shape = list(full_shape)
        shape[dim] = size + (i < excess)
        yield list(offset), shape
        offset[dim] += shape[dim]
