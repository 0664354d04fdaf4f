"""Choosing by value: one-hot, positions of true elements, dynamic partition and stitch."""

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.indexing.indexing as indexing
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor

# ---- OneHot


def _one_hot_shape(op):
    with_rank(op.inputs[1].dims, 0)
    dims, depth, axis = op.inputs[0].dims, constant_value(op.inputs[1]), op.attrs["axis"]
    if axis < -1:
        raise ValueError(f"axis must be >= -1: {axis}")
    if depth is not None and depth < 0:
        raise ValueError(f"depth must be non-negative, got: {depth}")
    if dims is None:
        return [None]
    if axis > len(dims):
        raise ValueError(f"axis must be in [-1, {len(dims)}], got {axis}")
    axis = len(dims) if axis == -1 else axis
    return [(*dims[:axis], None if depth is None else int(depth), *dims[axis:])]


OneHot = define_op(
    "OneHot",
    inputs=["indices: TI", "depth: int32", "on_value: T", "off_value: T"],
    outputs=["output: T"],
    attrs=["axis: int = -1", "T: type", "TI: {uint8, int8, int32, int64} = DT_INT64"],
    shape=_one_hot_shape,
    doc="One-hot vectors along `axis`: on_value at the index, off_value elsewhere.",
)
not_differentiable("OneHot")


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """One-hot vectors: `on_value` at each index, `off_value` elsewhere.

    Args:
      indices: A `Tensor` of type uint8, int8, int32 or int64. Indices outside of [0, depth) give
        `off_value` everywhere.
      depth: Size of the new dimension, an int32 scalar.
      on_value: Value at the index, a scalar; 1 by default.
      off_value: Value elsewhere, a scalar; 0 by default.
      axis: Position of the new dimension; by default it is the last one.
      dtype: The `DType` of the values; by default theirs, or float32.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` with one more dimension than `indices`.

    Raises:
      TypeError: The types of `on_value`, `off_value` and `dtype` don't agree.
      ValueError: `axis` is out of range, or a value is not a scalar.

    Example:

    >>> print(sess.run(tf.one_hot([0, 2], 3)))
    [[1. 0. 0.]
     [0. 0. 1.]]
    """
    with name_scope(name, "one_hot", [indices, depth, on_value, off_value]) as scope:
        given = [convert_to_tensor(v, dtype=dtype) for v in (on_value, off_value) if v is not None]
        if len(given) == 2 and given[0].dtype.base_dtype is not given[1].dtype.base_dtype:
            raise TypeError(f"dtypes of on_value, off_value do not match: {given[0].dtype} vs {given[1].dtype}")
        kind = given[0].dtype.base_dtype if given else dtypes.as_dtype(dtype or dtypes.float32)
        if (on_value is None or off_value is None) and kind is dtypes.string:
            raise TypeError("dtype string needs both on_value and off_value")
        as_number = kind.as_numpy_dtype
        if on_value is None:
            on_value = convert_to_tensor(np.asarray(1, as_number), name="on_value")
        else:
            on_value = given[0]
        if off_value is None:
            off_value = convert_to_tensor(np.asarray(0, as_number), name="off_value")
        else:
            off_value = given[-1]
        return OneHot(indices, depth, on_value, off_value, axis=-1 if axis is None else axis, name=scope)


# ---- Where


def _where_shape(op):
    dims = op.inputs[0].dims
    return [(None, None if dims is None else len(dims))]


Where = define_op(
    "Where",
    inputs=["input: T"],
    outputs=["index: int64"],
    attrs=["T: {numbertype, bool} = DT_BOOL"],
    shape=_where_shape,
    doc="Coordinates of all elements that are true (not zero), in row-major order.",
)
not_differentiable("Where")


# ---- DynamicPartition, DynamicStitch


def _dynamic_partition_shape(op):
    data, partitions = op.inputs[0].dims, op.inputs[1].dims
    n = op.attrs["num_partitions"]
    if partitions is None or data is None:
        return [None] * n
    if len(partitions) > len(data):
        raise ValueError(f"Shape must be at least rank {len(partitions)} but is rank {len(data)}")
    merge(data[: len(partitions)], partitions)
    return [(None, *data[len(partitions) :])] * n


DynamicPartition = define_op(
    "DynamicPartition",
    inputs=["data: T", "partitions: int32"],
    outputs=["outputs: num_partitions * T"],
    attrs=["num_partitions: int >= 1", "T: type"],
    shape=_dynamic_partition_shape,
    doc="Distributes slices of `data` to outputs: slice i goes to output partitions[i].",
)


def _stitch_shape(op):
    n = op.attrs["N"]
    rest, highest = None, -1
    for indices, data in zip(op.inputs[:n], op.inputs[n:]):
        values = constant_value(indices)
        if values is None:
            highest = None
        elif highest is not None and values.size:
            highest = max(highest, int(values.max()))
        if indices.dims is not None and data.dims is not None:
            lead = len(indices.dims)
            merge(data.dims[:lead], indices.dims)
            rest = merge(rest, data.dims[lead:])
    if rest is None:
        return [None]
    return [(None if highest is None else highest + 1, *rest)]


def _define_stitch(name):
    return define_op(
        name,
        inputs=["indices: N * int32", "data: N * T"],
        outputs=["merged: T"],
        attrs=["N: int >= 1", "T: type"],
        shape=_stitch_shape,
        doc="merged[indices[m][i...], :] = data[m][i..., :]; of equal indices the last counts.",
    )


DynamicStitch = _define_stitch("DynamicStitch")
ParallelDynamicStitch = _define_stitch("ParallelDynamicStitch")


@gradient("DynamicPartition")
def _dynamic_partition_grad(op, *grads):
    data, partitions = op.inputs
    places = array_ops.reshape(constants.range(0, array_ops.size(partitions)), array_ops.shape(partitions))
    places = DynamicPartition(places, partitions, num_partitions=op.attrs["num_partitions"])
    merged = ParallelDynamicStitch(places, list(grads))
    return array_ops.reshape(merged, array_ops.shape(data)), None


@gradient("DynamicStitch", "ParallelDynamicStitch")
def _stitch_grad(op, grad):
    n = op.attrs["N"]
    grad = convert_to_tensor(grad)
    return [None] * n + [indexing.gather(grad, indices) for indices in op.inputs[:n]]


@described(
    DynamicPartition,
    example="""
>>> small, large = tf.dynamic_partition([1, 20, 3, 40], [0, 1, 0, 1], 2)
>>> print(sess.run(small), sess.run(large))
[1 3] [20 40]
""",
    shapes={
        "data": "partitions.shape + the shape of a slice",
        "partitions": "in [0, num_partitions)",
    },
)
def dynamic_partition(data, partitions, num_partitions, name=None):
    """Distributes slices of a tensor to several tensors: slice i goes to output partitions[i].

    Raises:
      tf.errors.InvalidArgumentError: At run time, a partition is out of range.
    """
    return DynamicPartition(data, partitions, num_partitions=num_partitions, name=name)


@described(
    DynamicStitch,
    example="""
>>> print(sess.run(tf.dynamic_stitch([[0, 2], [1, 3]], [[1, 3], [20, 40]])))
[ 1 20  3 40]
""",
    shapes={
        "indices": "of any shapes",
        "data": "of shapes indices[m].shape + the shape of a slice",
        "merged": "[largest index + 1, ...]",
    },
)
def dynamic_stitch(indices, data, name=None):
    """Merges slices of several tensors into one: slice data[m][i] goes to place indices[m][i].

    Where an index occurs more than once, the last slice counts; where it does not occur, the result is 0.
    """
    return DynamicStitch(indices, data, name=name)


@described(
    ParallelDynamicStitch,
    shapes={
        "indices": "of any shapes, all different",
        "data": "of shapes indices[m].shape + the shape of a slice",
        "merged": "[largest index + 1, ...]",
    },
)
def parallel_dynamic_stitch(indices, data, name=None):
    """Like `dynamic_stitch`, for indices that are all different."""
    return ParallelDynamicStitch(indices, data, name=name)
