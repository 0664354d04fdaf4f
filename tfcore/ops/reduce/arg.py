"""Indices of the largest and the smallest element along an axis."""

import numpy as np

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.constant import constant_value


def _arg_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    rank = len(dims)
    axis = constant_value(op.inputs[1])
    with_rank(op.inputs[1].dims, 0)
    if axis is None:
        return [(None,) * max(rank - 1, 0)]
    axis = int(axis.item())
    if rank < 2:
        return [()]  # the run checks the axis
    if not -rank <= axis < rank:
        raise ValueError(
            f"Dimension ({axis}) must be in the range [{-rank}, {rank}), where {rank} is the number of "
            "dimensions in the input."
        )
    axis = axis + rank if axis < 0 else axis
    return [(*dims[:axis], *dims[axis + 1 :])]


def _define_arg(name, doc):
    return define_op(
        name,
        inputs=["input: T", "dimension: Tidx"],
        outputs=["output: output_type"],
        attrs=[
            "T: {realnumbertype, quantizedtype, bool}",
            "Tidx: {int32, int64} = DT_INT32",
            "output_type: {int32, int64} = DT_INT64",
        ],
        shape=_arg_shape,
        doc=doc,
    )


ArgMax = _define_arg("ArgMax", "Position of the first maximum along a dimension.")


ArgMin = _define_arg("ArgMin", "Position of the first minimum along a dimension.")


not_differentiable("ArgMax", "ArgMin")


def argmax(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """The index of the first maximum along a dimension.

    Args:
      input: A `Tensor` of a numeric type.
      axis: The dimension, an int32 scalar in [-rank, rank); 0 by default.
      name: Name of the operation (optional).
      dimension: Old name of `axis`.
      output_type: int32 or int64.

    Returns:
      A `Tensor` of type `output_type` and the shape of `input` without that dimension.

    Raises:
      ValueError: `axis` is out of range, or both `axis` and `dimension` are given.
      tf.errors.InvalidArgumentError: At run time, that dimension has size 0.

    Example:

    >>> print(sess.run(tf.argmax([[1, 5, 2], [9, 5, 8]], 1)))
    [1 0]
    """
    axis = array_ops.alias(axis, dimension, "axis", "dimension")
    if isinstance(axis, (list, Dimension)) or isinstance(axis, np.generic) and not isinstance(axis, np.integer):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return ArgMax(input, 0 if axis is None else axis, output_type=output_type, name=name)


def argmin(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """The index of the first minimum along a dimension.

    Args:
      input: A `Tensor` of a numeric type.
      axis: The dimension, an int32 scalar in [-rank, rank); 0 by default.
      name: Name of the operation (optional).
      dimension: Old name of `axis`.
      output_type: int32 or int64.

    Returns:
      A `Tensor` of type `output_type` and the shape of `input` without that dimension.

    Raises:
      ValueError: `axis` is out of range, or both `axis` and `dimension` are given.
      tf.errors.InvalidArgumentError: At run time, that dimension has size 0.

    Example:

    >>> print(sess.run(tf.argmin([[1, 5, 2], [9, 5, 8]], 1)))
    [0 1]
    """
    axis = array_ops.alias(axis, dimension, "axis", "dimension")
    return ArgMin(input, 0 if axis is None else axis, output_type=output_type, name=name)


def arg_max(input, dimension, output_type=dtypes.int64, name=None):
    """The index of the largest element along a dimension; `tf.argmax` with another order of arguments.

    Args:
      input: A `Tensor` of a numeric type.
      dimension: The dimension, an int32 scalar in [-rank, rank).
      output_type: int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `output_type` and the shape of `input` without that dimension.

    Raises:
      ValueError: `dimension` is out of range.
    """
    return ArgMax(input, dimension, output_type=output_type, name=name)


def arg_min(input, dimension, output_type=dtypes.int64, name=None):
    """The index of the smallest element along a dimension; `tf.argmin` with another order of arguments.

    Args:
      input: A `Tensor` of a numeric type.
      dimension: The dimension, an int32 scalar in [-rank, rank).
      output_type: int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `output_type` and the shape of `input` without that dimension.

    Raises:
      ValueError: `dimension` is out of range.
    """
    return ArgMin(input, dimension, output_type=output_type, name=name)
