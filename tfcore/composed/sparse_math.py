"""Arithmetic with sparse tensors: reductions, softmax, products."""

from tfcore.composed.sparse_arrange import _sparse
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.ops.array import _alias, size, transpose
from tfcore.ops.constants import range as range_of
from tfcore.ops.sparse_matmul import SparseTensorDenseMatMul
from tfcore.ops.sparse_reduce import SparseReduceMax, SparseReduceMaxSparse, SparseReduceSum, SparseReduceSumSparse
from tfcore.ops.sparse_softmax import SparseSoftmax


def _reduce(op_def, sp_input, axis, keepdims, reduction_axes, keep_dims):
    keepdims = _alias(keepdims, keep_dims, "keepdims", "keep_dims")
    axis = _alias(axis, reduction_axes, "axis", "reduction_axes")
    if axis is None:
        axis = range_of(0, _rank(sp_input))
    return op_def(*sp_input._components(), axis, keep_dims=keepdims or False)


def _rank(sp_input):
    known = sp_input.shape.rank
    return size(sp_input.dense_shape) if known is None else known


def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The sum of a sparse tensor's elements along axes, as a dense tensor.

    Args:
      sp_input: A `SparseTensor` of a number type.
      axis: The axes, an int or list of ints; negative ones count from the end. None: all.
      keepdims: Whether reduced axes stay, with size 1.
      reduction_axes: Old name of `axis`.
      keep_dims: Old name of `keepdims`.

    Returns:
      A `Tensor` of the type of `sp_input`; 0 where there are no elements.

    Raises:
      ValueError: An argument is given by both of its names.
      tf.errors.InvalidArgumentError: At run time, an axis does not exist.

    Example:

    >>> x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 1, 1], [2, 3])
    >>> print(sess.run(tf.sparse_reduce_sum(x, 1)))
    [2 1]
    """
    return _reduce(SparseReduceSum, sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The sum of a sparse tensor's elements along axes, as a sparse tensor.

    Args:
      sp_input: A `SparseTensor` of a number type.
      axis: The axes, an int or list of ints; negative ones count from the end. None: all.
      keepdims: Whether reduced axes stay, with size 1.
      reduction_axes: Old name of `axis`.
      keep_dims: Old name of `keepdims`.

    Returns:
      A `SparseTensor` of the type of `sp_input`, with an element where there is at least one to sum.

    Raises:
      ValueError: An argument is given by both of its names.
      tf.errors.InvalidArgumentError: At run time, an axis does not exist.
    """
    return SparseTensor(*_reduce(SparseReduceSumSparse, sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The greatest of a sparse tensor's elements along axes, as a dense tensor.

    Args:
      sp_input: A `SparseTensor` of a real number type.
      axis: The axes, an int or list of ints; negative ones count from the end. None: all.
      keepdims: Whether reduced axes stay, with size 1.
      reduction_axes: Old name of `axis`.
      keep_dims: Old name of `keepdims`.

    Returns:
      A `Tensor` of the type of `sp_input`. Only elements that are given count; 0 where there are none.

    Raises:
      ValueError: An argument is given by both of its names.
      tf.errors.InvalidArgumentError: At run time, an axis does not exist.

    Example:

    >>> x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [-1, -2, 3], [3, 3])
    >>> print(sess.run(tf.sparse_reduce_max(x, 1)))
    [-1  3  0]
    """
    return _reduce(SparseReduceMax, sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """The greatest of a sparse tensor's elements along axes, as a sparse tensor.

    Args:
      sp_input: A `SparseTensor` of a real number type.
      axis: The axes, an int or list of ints; negative ones count from the end. None: all.
      keepdims: Whether reduced axes stay, with size 1.
      reduction_axes: Old name of `axis`.
      keep_dims: Old name of `keepdims`.

    Returns:
      A `SparseTensor` of the type of `sp_input`, with an element where there is at least one to compare.

    Raises:
      ValueError: An argument is given by both of its names.
      tf.errors.InvalidArgumentError: At run time, an axis does not exist.
    """
    return SparseTensor(*_reduce(SparseReduceMaxSparse, sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_softmax(sp_input, name=None):
    """Softmax along the last dimension of a sparse tensor; elements that are not given take no part.

    Args:
      sp_input: A `SparseTensor` of type float16, float32 or float64, of rank 2 or more.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `SparseTensor` of the type, shape and indices of `sp_input`. The elements of each row add up to 1.

    Raises:
      tf.errors.InvalidArgumentError: At run time, the rank is below 2.

    Example:

    >>> x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 1.0, 5.0], [2, 3])
    >>> print(sess.run(tf.sparse_softmax(x)).values)
    [0.5 0.5 1. ]
    """
    with name_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]) as scope:
        values = SparseSoftmax(*sp_input._components(), name=scope)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """The product of a sparse and a dense matrix.

    The indices are counted and sorted by rows once; each row of the result is then a sum of rows of `b`.

    Args:
      sp_a: A `SparseTensor` of rank 2, of type float16, bfloat16, float32, float64, int32, complex64 or complex128; its
        elements in any order. It may be dense if `b` is sparse.
      b: A matrix of the type of `sp_a`.
      adjoint_a: Whether to take the conjugate transpose of `sp_a`.
      adjoint_b: Whether to take the conjugate transpose of `b`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `sp_a`, of shape [rows of sp_a, columns of b].

    Raises:
      TypeError: Neither operand is sparse.
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, shapes don't fit together or an index is out of bounds.

    Example:

    >>> a = tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2])
    >>> print(sess.run(tf.sparse_tensor_dense_matmul(a, [[1.0, 2.0], [3.0, 4.0]])))
    [[6. 8.]
     [3. 6.]]
    """
    if isinstance(b, (SparseTensor, SparseTensorValue)):  # A B = (B^H A^H)^H
        if adjoint_a == adjoint_b:
            adjoint_a, adjoint_b = not adjoint_a, not adjoint_b
        return transpose(sparse_tensor_dense_matmul(b, sp_a, adjoint_a, adjoint_b), conjugate=True)
    sp_a = _sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]) as scope:
        b = convert_to_tensor(b, name="b")
        return SparseTensorDenseMatMul(*sp_a._components(), b, adjoint_a=adjoint_a, adjoint_b=adjoint_b, name=scope)
