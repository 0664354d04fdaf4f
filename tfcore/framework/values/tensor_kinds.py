"""What kind of tensor a value is: dense, IndexedSlices or SparseTensor, and whether its value is known."""

import numpy as np

from tfcore.framework.graph.operation import Tensor, is_dense_tensor_like
from tfcore.framework.types import dtypes, nest
from tfcore.framework.values.constant import constant_value_without_folding
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue


def is_tensor(x):
    """Whether a value is part of a graph and may be passed to operations.

    Args:
      x: Any object.

    Returns:
      A bool: True for a `Tensor`, `Variable`, `SparseTensor`, `RaggedTensor` or `IndexedSlices`.

    Raises:
      Nothing.

    Example:

    >>> tf.is_tensor(tf.constant(1.0)), tf.is_tensor(1.0)
    (True, False)
    """
    return is_dense_tensor_like(x) or nest.is_composite(x)


def is_symbolic_tensor(tensor):
    """Whether a value is a `Tensor`.

    Args:
      tensor: Any object.

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    return isinstance(tensor, Tensor)


def get_static_value(tensor, partial=False):
    """The value of a tensor, if it follows from the graph alone.

    Args:
      tensor: A `Tensor`. Anything else is returned as it is.
      partial: Whether elements that are not known may be None in the result.

    Returns:
      A NumPy array, or None if the value is not known.

    Raises:
      ValueError: The elements that are known have different shapes.

    Example:

    >>> tf.get_static_value(tf.shape(tf.zeros([2, 3])))
    array([2, 3], dtype=int32)
    """
    if not is_tensor(tensor):
        return tensor
    if not isinstance(tensor, Tensor):
        return None
    value = constant_value_without_folding(tensor)
    if value is None and partial and tensor.op.type == "Pack" and tensor.op.get_attr("axis") == 0:
        parts = [get_static_value(part, partial) for part in tensor.op.inputs]
        if any(part is not None for part in parts):
            value = np.empty(len(parts), object)
            value[:] = parts
    return value


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """Converts a value to a `Tensor`, unless it is made of several.

    Args:
      value: An `IndexedSlices` or `SparseTensor`, which are returned as they are, or a value that converts to a
        `Tensor`.
      dtype: The `DType` of the result (optional).
      name: Name of a new operation (optional).

    Returns:
      A `Tensor`, `IndexedSlices` or `SparseTensor`.

    Raises:
      ValueError: The value is of another type, or does not convert.
    """
    if not isinstance(value, (IndexedSlices, SparseTensor)):
        return convert_to_tensor(value, dtype=dtype, name=name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtypes.as_dtype(dtype).name} for `value` ({value}) "
            f"with dtype {value.dtype.name}."
        )
    return value


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """Converts a value to a `Tensor`, or to a `SparseTensor` if it is a sparse one.

    Args:
      value: A `SparseTensor` or `SparseTensorValue`, or a value that converts to a `Tensor`.
      dtype: The `DType` of the result (optional).
      name: Name of a new operation (optional).

    Returns:
      A `Tensor` or `SparseTensor`.

    Raises:
      RuntimeError: A sparse value is of another type.
      ValueError: The value does not convert.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return convert_to_tensor(value, dtype=dtype, name=name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name},  Actual: {value.dtype.name}"
        )
    return value
