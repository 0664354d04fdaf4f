"""Sparse tensors from and to dense ones; ids as sparse tensors; slices left out of IndexedSlices."""

import collections.abc
import numbers

from tfcore.composed.sparse.arrange import as_sparse, sparse_reorder
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.array.constants import fill, ones, zeros, zeros_like
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat, stack
from tfcore.ops.cwise.binary import minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import not_equal
from tfcore.ops.indexing.indexing import gather, gather_nd
from tfcore.ops.indexing.select import Where
from tfcore.ops.indexing.unique import ListDiff
from tfcore.ops.sparse.sparse import sparse_to_dense


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """A dense tensor with the elements of a sparse one.

    Args:
      sp_input: A `SparseTensor` of any type.
      default_value: The other elements, a scalar of the type of `sp_input`; 0, False or "" by default.
      validate_indices: Whether indices must be in row-major order without repetitions. If not, the last of equal ones
        counts.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `sp_input`.

    Raises:
      TypeError: `sp_input` is not sparse.
      tf.errors.InvalidArgumentError: At run time, an index is out of bounds or, with `validate_indices`, out of order.

    Example:

    >>> x = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
    >>> print(sess.run(tf.sparse_tensor_to_dense(x, -1)))
    [[-1  5]
     [ 6 -1]]
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = zeros([], sp_input.dtype)
    return sparse_to_dense(
        sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices, name
    )


def sparse_to_indicator(sp_input, vocab_size, name=None):
    """Which ids each row has, as a dense tensor of bools.

    Args:
      sp_input: A `SparseTensor` of type int32 or int64 whose elements are ids; the last dimension is replaced.
      vocab_size: Number of ids, an int or a scalar `Tensor`: the size of the last dimension of the result.
      name: Name of the last operation (optional).

    Returns:
      A bool `Tensor` of shape [..., vocab_size].

    Raises:
      TypeError: `sp_input` is not sparse or `vocab_size` is not an int.
      tf.errors.InvalidArgumentError: At run time, an id is out of range.

    Example:

    >>> ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 0, 1], [2, 3])
    >>> print(sess.run(tf.sparse_to_indicator(ids, 3)))
    [[False False  True]
     [ True  True False]]
    """
    sp_input = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [sp_input]) as scope:
        present = fill([shape(sp_input.indices)[0]], True)
        present = SparseTensor(sp_input.indices, present, sp_input.dense_shape)
        merged = sparse_merge(sp_input, present, vocab_size, scope)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False, name=scope)


def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """A sparse tensor whose last index is an id: values of features, given by the ids of the features.

    Args:
      sp_ids: A `SparseTensor` of type int32 or int64, [..., n]; its elements are ids. Or a list of such: each gives one
        dimension of the result.
      sp_values: A `SparseTensor` of any type, with elements at the same places.
      vocab_size: Number of ids, an int or a scalar `Tensor`; a list of these for a list of ids.
      name: Prefix of the names of the operations (optional).
      already_sorted: Whether the result is in row-major order as it is; if not, it is sorted.

    Returns:
      A `SparseTensor` of the type of `sp_values` and of shape [..., vocab_size].

    Raises:
      TypeError: An argument is not of the type above.
      ValueError: The lists have different lengths.

    Example:

    >>> ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 3, 0], [2, 2])
    >>> values = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.1, 0.2, 0.3], [2, 2])
    >>> print(sess.run(tf.sparse_merge(ids, values, 4)).indices)
    [[0 2]
     [1 0]
     [1 3]]
    """
    sp_ids, vocab_size = _listed(sp_ids, vocab_size)
    with name_scope(name, "SparseMerge", [*sp_ids, sp_values]):
        sp_ids = [as_sparse(ids) for ids in sp_ids]
        sp_values = as_sparse(sp_values)
        columns = [cast(ids.values, dtypes.int64)[:, None] for ids in sp_ids]
        sizes = [cast(size, dtypes.int64) for size in vocab_size]
        first = sp_ids[0]
        indices = concat([first.indices[:, :-1], *columns], 1)
        dense_shape = concat([first.dense_shape[:-1], stack(sizes)], 0)
        result = SparseTensor(indices, sp_values.values, dense_shape)
        if already_sorted:
            return result
        ordered = sparse_reorder(result)
        return SparseTensor(ordered.indices, ordered.values, dense_shape)


def _listed(sp_ids, vocab_size):
    """Both as lists."""
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        if not isinstance(vocab_size, (Tensor, numbers.Integral)):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}")
        return [sp_ids], [vocab_size]
    if not isinstance(sp_ids, collections.abc.Iterable):
        raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
    if not isinstance(vocab_size, collections.abc.Iterable):
        raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
    sp_ids, vocab_size = list(sp_ids), list(vocab_size)
    for size in vocab_size:
        if not isinstance(size, (Tensor, numbers.Integral)):
            raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(size)}")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    return sp_ids, vocab_size


def sparse_mask(a, mask_indices, name=None):
    """The slices of an `IndexedSlices` but for some.

    Args:
      a: An `IndexedSlices`.
      mask_indices: The indices of the slices to leave out, a vector of the type of the indices.
      name: Name of the last operation (optional).

    Returns:
      An `IndexedSlices`.

    Raises:
      TypeError: `mask_indices` has another type than the indices.

    Example:

    >>> a = tf.IndexedSlices(tf.constant([[1], [2], [3]]), tf.constant([4, 7, 9]))
    >>> print(sess.run(tf.sparse_mask(a, [7, 8]).values))
    [[1]
     [3]]
    """
    with name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        indices, places = ListDiff(a.indices, mask_indices)
        return IndexedSlices(gather(a.values, places, name=scope), indices, a.dense_shape)


def from_dense(tensor, name=None):
    """The elements of a dense tensor that are not 0, as a sparse tensor.

    Args:
      tensor: A `Tensor` of any type; False and "" count as 0.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `SparseTensor` of the type and shape of `tensor`, in row-major order.

    Raises:
      TypeError: `tensor` cannot be converted.

    Example:

    >>> print(sess.run(tf.sparse.from_dense([[0, 5], [6, 0]])))
    SparseTensorValue(indices=array([[0, 1],
           [1, 0]]), values=array([5, 6], dtype=int32), dense_shape=array([2, 2]))
    """
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        indices = Where(not_equal(tensor, zeros_like(tensor)))
        return SparseTensor(indices, gather_nd(tensor, indices), shape(tensor, out_type=dtypes.int64))


def _int64(value, name):
    if isinstance(value, numbers.Integral):
        return convert_to_tensor(int(value), dtypes.int64, name=name)
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be an integer value")
    return cast(value, dtypes.int64)


def eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None):
    """A sparse matrix with ones on the diagonal.

    Args:
      num_rows: Number of rows, an int or an integer scalar.
      num_columns: Number of columns, an int or an integer scalar; that of the rows by default.
      dtype: The `DType` of the elements.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `SparseTensor` of shape [num_rows, num_columns].

    Raises:
      TypeError: A size is neither an int nor a `Tensor`.

    Example:

    >>> print(sess.run(tf.sparse.eye(2, 3)).indices)
    [[0 0]
     [1 1]]
    """
    with name_scope(name, "eye", [num_rows, num_columns]):
        num_rows = _int64(num_rows, "num_rows")
        num_columns = num_rows if num_columns is None else _int64(num_columns, "num_columns")
        size = minimum(num_rows, num_columns)
        diagonal = range_of(size, dtype=dtypes.int64)
        values = ones(reshape(size, [1]), dtype)
        return SparseTensor(stack([diagonal, diagonal], 1), values, stack([num_rows, num_columns]))
