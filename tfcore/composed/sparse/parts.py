"""Sparse tensors joined, split, sliced, with empty rows filled, with another shape around the same elements."""

import numbers

import numpy as np

from tfcore.composed.sparse.arrange import as_sparse
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.ops.array.array import alias, identity, reshape, shape
from tfcore.ops.array.constants import ones_like, zeros
from tfcore.ops.array.join import concat
from tfcore.ops.array.slice import slice as slice_of
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where
from tfcore.ops.debugging.check import assert_equal, assert_less_equal
from tfcore.ops.reduce.reduce import reduce_max
from tfcore.ops.sparse.fill import SparseFillEmptyRows
from tfcore.ops.sparse.join import SparseConcat, SparseSplit
from tfcore.ops.sparse.slice import SparseSlice


def sparse_concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None):
    """Sparse tensors joined along a dimension.

    Args:
      axis: The dimension, an int; negative ones count from the end.
      sp_inputs: A list of `SparseTensor`s of one type and rank, their elements in any order.
      name: Name of the operation (optional).
      expand_nonconcat_dim: Whether the other dimensions may differ; that of the result is the largest.
      concat_dim: Old name of `axis`.
      expand_nonconcat_dims: Other name of `expand_nonconcat_dim`.

    Returns:
      A `SparseTensor` with its elements in row-major order.

    Raises:
      TypeError: `sp_inputs` is not a list of sparse tensors, or their types differ.
      ValueError: `axis` is given by both names.
      tf.errors.InvalidArgumentError: At run time, the other dimensions differ, or the axis does not exist.

    Example:

    >>> a = tf.SparseTensor([[0, 1]], [5], [2, 2])
    >>> b = tf.SparseTensor([[1, 0]], [6], [2, 3])
    >>> print(sess.run(tf.sparse_concat(1, [a, b])))
    SparseTensorValue(indices=array([[0, 1],
           [1, 2]]), values=array([5, 6], dtype=int32), dense_shape=array([2, 5]))
    """
    if expand_nonconcat_dims is not None:
        expand_nonconcat_dim = alias(expand_nonconcat_dim or None, expand_nonconcat_dims, "expand_nonconcat_dim",
                                      "expand_nonconcat_dims")  # fmt: skip
    axis = alias(axis, concat_dim, "axis", "concat_dim")
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    sp_inputs = [as_sparse(x) for x in sp_inputs]
    if len(sp_inputs) == 1:
        return sp_inputs[0]
    shapes = [x.dense_shape for x in sp_inputs]
    if expand_nonconcat_dim:
        shapes = _expanded(shapes, axis)
    indices, values, dense_shape = SparseConcat(
        [x.indices for x in sp_inputs], [x.values for x in sp_inputs], shapes, concat_dim=axis, name=name
    )
    known = _joined_shape([x.shape for x in sp_inputs], axis, expand_nonconcat_dim)
    if known.is_fully_defined():
        dense_shape = convert_to_tensor(np.array(known.as_list(), np.int64))
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(known)
    return result


def _expanded(shapes, axis):
    """The shapes with all dimensions but one as large as in any of them."""
    largest = reduce_max(concat([reshape(x, [1, -1]) for x in shapes], 0), 0)
    after = [] if axis == -1 else [largest[axis + 1 :]]
    return [concat([largest[:axis], x[-1:] if axis == -1 else x[axis : axis + 1], *after], 0) for x in shapes]


def _joined_shape(shapes, axis, expand):
    if any(known.rank is None for known in shapes) or not -shapes[0].rank <= axis < shapes[0].rank:
        return TensorShape(None)
    if any(known.rank != shapes[0].rank for known in shapes):
        return TensorShape(None)  # refused at run time

    def over(sizes, function):
        return None if None in sizes else function(sizes)

    sizes = list(zip(*(known.as_list() for known in shapes)))
    joined = [over(dim, max) for dim in sizes] if expand else [dim[0] for dim in sizes]
    joined[axis] = over(sizes[axis], sum)
    return TensorShape(joined)


class _KeywordRequired:
    def __repr__(self):
        return "KeywordRequired()"


_KEYWORDS = _KeywordRequired()


def sparse_split(keyword_required=_KEYWORDS, sp_input=None, num_split=None, axis=None, name=None, split_dim=None):
    """The parts of a sparse tensor along a dimension.

    If the dimension cannot be divided, the first parts are larger by one. All arguments are given by name.

    Args:
      keyword_required: Must not be given.
      sp_input: A `SparseTensor` of any type.
      num_split: Number of parts, an int.
      axis: The dimension, an int or a scalar `Tensor`; negative ones count from the end.
      name: Name of the operation (optional).
      split_dim: Old name of `axis`.

    Returns:
      A list of `SparseTensor`s.

    Raises:
      TypeError: `sp_input` is not sparse.
      ValueError: An argument is missing or given by position.
      tf.errors.InvalidArgumentError: At run time, there are more parts than the size of the dimension, the dimension
        does not exist, or an index is out of bounds.

    Example:

    >>> x = tf.SparseTensor([[0, 0], [0, 2]], [5, 6], [1, 3])
    >>> first, second = tf.sparse_split(sp_input=x, num_split=2, axis=1)
    >>> print(sess.run(second).indices)
    [[0 0]]
    """
    if not isinstance(keyword_required, _KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    for argument, value in (("sp_input", sp_input), ("num_split", num_split), ("axis", axis)):
        if value is None:
            raise ValueError(f"{argument} is required")
    axis = alias(axis, split_dim, "axis", "split_dim")
    sp_input = as_sparse(sp_input)
    parts = SparseSplit(axis, *sp_input.components(), num_split=num_split, name=name)
    return [SparseTensor(*part) for part in zip(*parts)]


def sparse_slice(sp_input, start, size, name=None):
    """The part of a sparse tensor from one index on.

    Args:
      sp_input: A `SparseTensor` of any type and rank n.
      start: Where the part begins, an int64 vector of length n.
      size: How large it is at most, an int64 vector of length n.
      name: Name of the operation (optional).

    Returns:
      A `SparseTensor` of the type and rank of `sp_input`. It ends where `sp_input` does.

    Raises:
      TypeError: `sp_input` is not sparse.
      tf.errors.InvalidArgumentError: At run time, `start` or `size` has another length, or a size is negative.

    Example:

    >>> x = tf.SparseTensor([[0, 1], [1, 2]], [5, 6], [2, 3])
    >>> print(sess.run(tf.sparse_slice(x, [0, 1], [2, 9])))
    SparseTensorValue(indices=array([[0, 0],
           [1, 1]]), values=array([5, 6], dtype=int32), dense_shape=array([2, 2]))
    """
    sp_input = as_sparse(sp_input)
    start, size = convert_to_tensor(start, dtypes.int64), convert_to_tensor(size, dtypes.int64)
    with name_scope(name, "SparseSlice", [sp_input]) as scope:
        return SparseTensor(*SparseSlice(*sp_input.components(), start, size, name=scope))


def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """A sparse tensor in which each row has an element.

    Args:
      sp_input: A `SparseTensor` of any type; the rows are along its first dimension.
      default_value: The element of empty rows, at index [row, 0, ...]; a scalar of the type of `sp_input`.
      name: Prefix of the names of the operations (optional).

    Returns:
      Two values: a `SparseTensor` of the type and shape of `sp_input`, its elements ordered by rows; and a bool vector
      that tells which rows were empty.

    Raises:
      TypeError: `sp_input` is not sparse, or `default_value` has another type.
      tf.errors.InvalidArgumentError: At run time, a row is out of bounds.

    Example:

    >>> x = tf.SparseTensor([[1, 1]], [5], [3, 2])
    >>> filled, empty = tf.sparse_fill_empty_rows(x, -1)
    >>> print(sess.run([filled.values, empty]))
    [array([-1,  5, -1], dtype=int32), array([ True, False,  True])]
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sp_input]):
        default_value = convert_to_tensor(default_value, sp_input.dtype)
        indices, values, empty, _ = SparseFillEmptyRows(*sp_input.components(), default_value)
        return SparseTensor(indices, values, sp_input.dense_shape), empty


def sparse_reset_shape(sp_input, new_shape=None):
    """A sparse tensor with the same elements in a larger shape, or in the smallest that holds them.

    Args:
      sp_input: A `SparseTensor` of any type.
      new_shape: The new shape, an int vector of the same rank, nowhere smaller; by default the smallest possible one.

    Returns:
      A `SparseTensor` of the type and rank of `sp_input`.

    Raises:
      TypeError: `sp_input` is not sparse.
      ValueError: `new_shape` is not a vector, has another rank, or is known to be too small.
      tf.errors.InvalidArgumentError: At run time, `new_shape` is too small.

    Example:

    >>> x = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [9, 9])
    >>> print(sess.run(tf.sparse_reset_shape(x)).dense_shape)
    [2 2]
    """
    sp_input = as_sparse(sp_input)
    indices, values, old = (identity(part) for part in sp_input.components())
    if new_shape is None:
        largest = reduce_max(indices, 0)
        return SparseTensor(indices, values, maximum(zeros([], dtypes.int64), largest + ones_like(old)))
    new = convert_to_tensor(new_shape)
    known_rank = new.shape.with_rank(1)
    new = cast(new, dtypes.int64)
    known_rank[0].assert_is_compatible_with(old.shape.with_rank(1)[0])
    value, known = constant_value(new), sp_input.shape
    if value is not None and known.is_fully_defined():
        if not np.all(np.array(known.as_list()) <= value):
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
                f"({np.array(known.as_list())}), sp_input.shape ({value})."
            )
        return SparseTensor(indices, values, value)
    new = with_dependencies([assert_equal(shape(old), shape(new))], new)
    new = with_dependencies([assert_less_equal(old, new)], new)
    return SparseTensor(indices, values, new)


def expand_dims(sp_input, axis=None, name=None):
    """A sparse tensor with a dimension of size 1 added.

    Args:
      sp_input: A `SparseTensor` of any type.
      axis: Where the dimension is inserted, an int or int32 scalar; negative ones count from the end of the result.
        By default it is the last one.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `SparseTensor` of the type of `sp_input`.

    Raises:
      TypeError: `axis` is neither an int nor a `Tensor`.
      tf.errors.InvalidArgumentError: At run time, `axis` is out of range.

    Example:

    >>> x = tf.SparseTensor([[3]], [5], [9])
    >>> print(sess.run(tf.sparse.expand_dims(x, 0)))
    SparseTensorValue(indices=array([[0, 3]]), values=array([5], dtype=int32), dense_shape=array([1, 9]))
    """
    rank = sp_input.dense_shape.shape[0].value
    rank = shape(sp_input.dense_shape)[0] if rank is None else rank
    with name_scope(name, "expand_dims", [sp_input]):
        axis = -1 if axis is None else axis
        if isinstance(axis, Tensor):
            axis = where(axis >= 0, axis, axis + rank + 1)
        elif not isinstance(axis, numbers.Integral):
            raise TypeError("axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]")
        else:
            axis = int(axis) if axis >= 0 else axis + rank + 1
        indices, old = sp_input.indices, sp_input.dense_shape
        new = zeros([shape(indices)[0], 1], dtypes.int64)
        before, after = slice_of(indices, [0, 0], [-1, axis]), slice_of(indices, [0, axis], [-1, -1])
        sizes = [slice_of(old, [0], [axis]), convert_to_tensor([1], dtypes.int64), slice_of(old, [axis], [-1])]
        return SparseTensor(concat([before, new, after], 1), sp_input.values, concat(sizes, 0))
