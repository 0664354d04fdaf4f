"""Norms of vectors and matrices, made of other ops."""

import numbers

import numpy as np

import tfcore.ops.array.array as array_ops
import tfcore.ops.cwise.binary as binary
import tfcore.ops.cwise.complex as complex_ops
import tfcore.ops.cwise.unary as unary
import tfcore.ops.linalg.decompositions as decompositions
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types.tensor_shape import Dimension
from tfcore.framework.values.conversion import convert_to_tensor

_EUCLIDEAN = ("euclidean", "fro", 2)


def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None, keep_dims=None):
    """The norm of vectors or matrices.

    Args:
      tensor: A `Tensor` of a floating-point or complex type.
      ord: "euclidean", or a positive number p for the p-norm of vectors, `np.inf` included. For matrices "euclidean" or
        "fro" (Frobenius), 1 (the largest sum of a column), 2 (the largest singular value) or `np.inf` (the largest sum
        of a row).
      axis: None for all elements as one vector, an int for vectors along that dimension, a pair of ints for matrices.
      keepdims: Whether to keep reduced dimensions with size 1.
      name: Name of the scope (optional).
      keep_dims: Old name of `keepdims`.

    Returns:
      A `Tensor`, of the real type for complex numbers with orders other than "euclidean", else of the type of `tensor`.

    Raises:
      ValueError: `ord` or `axis` is not one of these, or both `keepdims` and `keep_dims` are given.
      TypeError: `ord` is not a number.

    Example:

    >>> print(sess.run(tf.norm([[3.0, 4.0], [6.0, 8.0]], axis=1)))
    [ 5. 10.]
    """
    if keep_dims is not None:
        if keepdims is not None:
            raise ValueError("Cannot specify both 'keep_dims' and 'keepdims'.")
        keepdims = keep_dims
    is_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    axes = _checked_axes(axis, is_matrix)
    ord = ord.value if isinstance(ord, Dimension) else ord
    _check_order(ord, is_matrix)
    with name_scope(name, "norm", [tensor]):
        tensor = convert_to_tensor(tensor)
        if is_matrix and ord == 2:
            result = _largest_singular_value(tensor, axes)
        elif ord in _EUCLIDEAN:
            result = get_op_def("Sqrt")(reduce_ops.reduce_sum(tensor * complex_ops.conj(tensor), axes, keepdims=True))
        else:
            result = _other(unary.abs(tensor), ord, axes, is_matrix)
        return result if keepdims else array_ops.squeeze(result, axes)


def _largest_singular_value(tensor, axes):
    """The 2-norm of matrices; both dimensions are kept with size 1."""
    rank = tensor.shape.ndims
    if rank is None:
        raise ValueError("The rank of 'tensor' must be known for the 2-norm of matrices.")
    axes = [range(rank)[axis] for axis in axes]
    others = [axis for axis in range(rank) if axis not in axes]
    values = decompositions.svd(array_ops.transpose(tensor, [*others, *axes]), compute_uv=False)
    result = reduce_ops.reduce_max(values, -1)
    for axis in sorted(axes):
        result = array_ops.expand_dims(result, axis)
    return result


def _other(size, ord, axes, is_matrix):
    """A norm other than the Euclidean one, of absolute values."""
    if is_matrix:
        summed, largest = (axes[0], axes[1]) if ord == 1 else (axes[1], axes[0])
        sums = reduce_ops.reduce_sum(size, summed, keepdims=True)
        return reduce_ops.reduce_max(sums, largest, keepdims=True)
    if ord == 1:
        return reduce_ops.reduce_sum(size, axes, keepdims=True)
    if ord == np.inf:
        return reduce_ops.reduce_max(size, axes, keepdims=True)
    return binary.pow(reduce_ops.reduce_sum(binary.pow(size, ord), axes, keepdims=True), 1.0 / ord)


def _checked_axes(axis, is_matrix):
    if is_matrix:
        if not all(isinstance(a, numbers.Integral) for a in axis) or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        return [int(a) for a in axis]
    if axis is None:
        return None
    if not isinstance(axis, numbers.Integral):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
    return [int(axis)]


def _check_order(ord, is_matrix):
    if is_matrix:
        allowed = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in allowed:
            raise ValueError(f"'ord' must be a supported matrix norm in {allowed}, got {ord}")
    elif ord != "euclidean":
        if not isinstance(ord, (numbers.Number, str, bytes, list, tuple)):
            raise TypeError(f"'ord' must be a number, got {ord}")
        if not (isinstance(ord, numbers.Real) and ord > 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
