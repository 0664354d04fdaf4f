"""Arithmetic with sparse tensors: sums, extremes, reductions, softmax, products."""

from tfcore.composed.sparse.arrange import as_sparse
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.ops.array.array import alias, size, transpose
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.sparse.add import SparseAdd, SparseSparseMaximum, SparseSparseMinimum
from tfcore.ops.sparse.dense import SparseTensorDenseAdd
from tfcore.ops.sparse.matmul import SparseTensorDenseMatMul
from tfcore.ops.sparse.reduce import SparseReduceMax, SparseReduceMaxSparse, SparseReduceSum, SparseReduceSumSparse
from tfcore.ops.sparse.softmax import SparseSoftmax


def _reduce(op_def, sp_input, axis, keepdims, reduction_axes, keep_dims):
    keepdims = alias(keepdims, keep_dims, "keepdims", "keep_dims")
    axis = alias(axis, reduction_axes, "axis", "reduction_axes")
    if axis is None:
        axis = range_of(0, _rank(sp_input))
    return op_def(*sp_input.components(), axis, keep_dims=False if keepdims is None else keepdims)


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
        values = SparseSoftmax(*sp_input.components(), name=scope)
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
    sp_a = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]) as scope:
        b = convert_to_tensor(b, name="b")
        return SparseTensorDenseMatMul(*sp_a.components(), b, adjoint_a=adjoint_a, adjoint_b=adjoint_b, name=scope)


def sparse_add(a, b, threshold=None, thresh=None):
    """The sum of two sparse tensors, or of a sparse and a dense one.

    Args:
      a: A `SparseTensor` or `Tensor`; the elements of a sparse one in row-major order if both are sparse.
      b: A `SparseTensor` or `Tensor` of the type and shape of `a`; at least one of both is sparse.
      threshold: Sums of two elements whose magnitude is below it are left out, a real scalar; 0 by default.
      thresh: Old name of `threshold`.

    Returns:
      A `SparseTensor` if both are sparse, otherwise a `Tensor`.

    Raises:
      TypeError: Both are dense, or the types differ.
      ValueError: The static shapes differ, or `threshold` is given by both names.
      tf.errors.InvalidArgumentError: At run time, the shapes differ or, with a dense operand, an index is out of
        bounds.

    Example:

    >>> a = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2])
    >>> b = tf.SparseTensor([[0, 1], [1, 1]], [3, -2], [2, 2])
    >>> print(sess.run(tf.sparse_add(a, b, threshold=1)).indices)
    [[0 0]
     [0 1]]
    """
    threshold = alias(threshold, thresh, "threshold", "thresh")
    kinds = SparseTensor, SparseTensorValue
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (isinstance(a, kinds) and isinstance(b, kinds)):
        sparse, dense = (b, a) if isinstance(b, kinds) else (a, b)
        return SparseTensorDenseAdd(sparse.indices, sparse.values, sparse.dense_shape, dense)
    a, b = as_sparse(a), as_sparse(b)
    threshold = convert_to_tensor(0 if threshold is None else threshold, a.dtype.real_dtype, name="threshold")
    indices, values, dense_shape = SparseAdd(*a.components(), *b.components(), threshold)
    a.shape.assert_is_compatible_with(b.shape)
    known = a.shape.merge_with(b.shape)
    return SparseTensor(indices, values, known.as_list() if known.is_fully_defined() else dense_shape)


def _extreme(op_def, sp_a, sp_b, name):
    with name_scope(name, op_def.name, [sp_a.indices, sp_a.values, sp_b.indices, sp_b.values]) as scope:
        indices, values = op_def(*sp_a.components(), *sp_b.components(), name=scope)
    return SparseTensor(indices, values, sp_a.dense_shape)


def sparse_maximum(sp_a, sp_b, name=None):
    """The maximum of two sparse tensors, element by element; what only one of them has is compared with 0.

    Args:
      sp_a: A `SparseTensor` of a real number type, its elements in row-major order.
      sp_b: A `SparseTensor` of the type and shape of `sp_a`, its elements in row-major order.
      name: Name of the operation (optional).

    Returns:
      A `SparseTensor` with an element wherever one of both has one.

    Raises:
      TypeError: The types differ.
      tf.errors.InvalidArgumentError: At run time, the shapes differ.

    Example:

    >>> a = tf.SparseTensor([[0], [1]], [1, -2], [3])
    >>> b = tf.SparseTensor([[0], [2]], [4, 5], [3])
    >>> print(sess.run(tf.sparse_maximum(a, b)).values)
    [4 0 5]
    """
    return _extreme(SparseSparseMaximum, sp_a, sp_b, name)


def sparse_minimum(sp_a, sp_b, name=None):
    """The minimum of two sparse tensors, element by element; what only one of them has is compared with 0.

    Args:
      sp_a: A `SparseTensor` of a real number type, its elements in row-major order.
      sp_b: A `SparseTensor` of the type and shape of `sp_a`, its elements in row-major order.
      name: Name of the operation (optional).

    Returns:
      A `SparseTensor` with an element wherever one of both has one.

    Raises:
      TypeError: The types differ.
      tf.errors.InvalidArgumentError: At run time, the shapes differ.
    """
    return _extreme(SparseSparseMinimum, sp_a, sp_b, name)
