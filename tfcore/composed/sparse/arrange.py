"""Sparse tensors with other indices or fewer elements: reorder, reshape, transpose, retain."""

import numpy as np

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value, constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.ops.array.array import identity, reshape, size, transpose
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.cwise.cast import cast
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.indexing.select import Where
from tfcore.ops.sparse.order import SparseReorder, SparseReshape


def as_sparse(value):
    """A `SparseTensor` from one, or from its value."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def sparse_reorder(sp_input, name=None):
    """A sparse tensor whose elements are in row-major order, the order that most operations need.

    Args:
      sp_input: A `SparseTensor` of any type.
      name: Name of the operation (optional).

    Returns:
      A `SparseTensor` of the type and shape of `sp_input`. Elements with the same index keep their order.

    Raises:
      TypeError: `sp_input` is not sparse.

    Example:

    >>> x = tf.SparseTensor([[1, 0], [0, 1]], [5, 6], [2, 2])
    >>> print(sess.run(tf.sparse_reorder(x)).values)
    [6 5]
    """
    sp_input = as_sparse(sp_input)
    indices, values = SparseReorder(*sp_input.components(), name=name)
    shape = sp_input.shape
    if shape.is_fully_defined():
        return SparseTensor(indices, values, shape.as_list())
    result = SparseTensor(indices, values, identity(sp_input.dense_shape))
    result.set_shape(shape)
    return result


def sparse_reshape(sp_input, shape, name=None):
    """A sparse tensor with another shape and the same elements, as `tf.reshape` does it for dense ones.

    Args:
      sp_input: A `SparseTensor` of any type.
      shape: The new shape, an int64 vector; one size may be -1: it follows from the others.
      name: Name of the operation (optional).

    Returns:
      A `SparseTensor` of the type of `sp_input`, with its elements in the same order.

    Raises:
      TypeError: `sp_input` is not sparse.
      ValueError: The shapes are known and have different numbers of elements, or more than one size is -1.
      tf.errors.InvalidArgumentError: At run time, the shapes have different numbers of elements.

    Example:

    >>> x = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
    >>> print(sess.run(tf.sparse_reshape(x, [2, -1])).indices)
    [[0 1]
     [1 1]]
    """
    sp_input = as_sparse(sp_input)
    shape = cast(shape, dtypes.int64)
    with name_scope(name, "SparseReshape", [sp_input]) as scope:
        indices, dense_shape = SparseReshape(sp_input.indices, sp_input.dense_shape, shape, name=scope)
        known = _known_shape(sp_input.shape, shape)
        if known is not None:
            dense_shape = convert_to_tensor(np.array(known, np.int64))
        return SparseTensor(indices, identity(sp_input.values), dense_shape)


def _known_shape(old, shape):
    """The new shape if both shapes are known."""
    sizes = constant_value_as_shape(shape)
    if sizes is None or not old.is_fully_defined():
        return None
    given = constant_value(shape)
    if given is not None and np.count_nonzero(given == -1) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {given}")
    total = int(np.prod(old.as_list(), dtype=object))
    known = list(sizes)
    if known.count(None) > 1 or None in known and 0 in known:
        return None
    if None in known:
        rest = int(np.prod([size for size in known if size is not None], dtype=object))
        known[known.index(None)] = total // rest
    count = int(np.prod(known, dtype=object))
    if count != total:
        raise ValueError(f"Cannot reshape a tensor with {total} elements to shape {list(sizes)} ({count} elements).")
    return known


def sparse_transpose(sp_input, perm=None, name=None):
    """A sparse tensor with its dimensions in another order.

    Args:
      sp_input: A `SparseTensor` of any type.
      perm: For each dimension of the result the one it comes from, an int vector; by default they are reversed.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `SparseTensor` of the type of `sp_input`, with its elements in row-major order.

    Raises:
      ValueError: The length of `perm` does not fit.
      TypeError: `perm` is not a list.
      IndexError: `perm` names a dimension that does not exist, known when building.
      tf.errors.InvalidArgumentError: At run time, `perm` names a dimension that does not exist.

    Example:

    >>> x = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 3])
    >>> print(sess.run(tf.sparse_transpose(x)))
    SparseTensorValue(indices=array([[0, 1],
           [1, 0]]), values=array([6, 5], dtype=int32), dense_shape=array([3, 2]))
    """
    with name_scope(name, "SparseTranspose", [sp_input]):
        if perm is None:
            known = sp_input.shape.rank
            perm = np.arange(known)[::-1] if known is not None else _reversed_dimensions(sp_input)
        indices = transpose(gather(transpose(sp_input.indices), perm))
        order, shape = constant_value(convert_to_tensor(perm)), sp_input.shape
        if order is not None and shape.is_fully_defined():
            sizes = shape.as_list()
            dense_shape = list(sizes)
            if order.ndim != 1:
                raise TypeError(f"perm must be a list of dimensions: {order.tolist()}")
            for i, d in enumerate(order):
                if max(i, d) >= len(sizes):
                    raise IndexError(
                        f"perm {order.tolist()} is not an order of the dimensions of a tensor of rank {len(sizes)}"
                    )
                dense_shape[i] = sizes[d]
        else:
            dense_shape = gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, dense_shape))


def _reversed_dimensions(sp_input):
    count = size(sp_input.dense_shape)
    return count - 1 - range_of(0, count, 1)


def sparse_retain(sp_input, to_retain):
    """A sparse tensor with some of the elements.

    Args:
      sp_input: A `SparseTensor` of any type, with n elements.
      to_retain: For each element whether it stays, a bool vector of length n.

    Returns:
      A `SparseTensor` of the type and shape of `sp_input`.

    Raises:
      TypeError: `sp_input` is not sparse.
      ValueError: `to_retain` is not a vector of the right length.

    Example:

    >>> x = tf.SparseTensor([[0], [2], [3]], [5, 6, 7], [4])
    >>> print(sess.run(tf.sparse_retain(x, [True, False, True])).values)
    [5 7]
    """
    sp_input = as_sparse(sp_input)
    to_retain = convert_to_tensor(to_retain)
    known = to_retain.shape.with_rank(1)
    count = sp_input.values.shape.with_rank(1)
    count[0].assert_is_compatible_with(known[0])
    places = reshape(Where(to_retain), [-1])
    return SparseTensor(
        gather(sp_input.indices, places), gather(sp_input.values, places), identity(sp_input.dense_shape)
    )
