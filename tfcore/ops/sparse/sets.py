"""Sets in the rows of tensors: sizes, intersections, differences, unions."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue

_TYPES = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string)
_ATTRS = ["validate_indices: bool = true", "T: {int8, int16, int32, int64, uint8, uint16, string}"]
_RESULT = ["result_indices: int64", "result_values: T", "result_shape: int64"]


def _result(rank):
    return [(None, rank), (None,), (rank,)]


def sparse_rank(indices, values, shape):
    """The rank of a sparse tensor whose static shapes fit together, None if unknown."""
    indices, (count,), (rank,) = (
        shapes.with_rank(indices.dims, 2),
        shapes.with_rank(values.dims, 1),
        shapes.with_rank(shape.dims, 1),
    )
    if None not in (indices[0], count) and indices[0] != count:
        raise ValueError(f"Number of elements in index ({indices[0]}) and values ({count}) do not match.")
    if None not in (indices[1], rank) and indices[1] != rank:
        raise ValueError(f"Index rank ({indices[1]}) and shape rank ({rank}) do not match.")
    return rank


def _merge_rank(rank, other):
    """Merges two ranks that may be unknown."""
    if None not in (rank, other) and rank != other:
        raise ValueError(f"Dimension must be {rank} but is {other}")
    return other if rank is None else rank


def _dense_to_dense_shape(op):
    a, b = (t.dims for t in op.inputs)
    shapes.with_rank_at_least(a, 2)
    if a is None:
        return _result(None if b is None else len(shapes.with_rank_at_least(b, 2)))
    shapes.merge(a[:-1], shapes.with_rank(b, len(a))[:-1])
    return _result(len(a))


def _dense_to_sparse_shape(op):
    rank = sparse_rank(*op.inputs[1:])
    dense = shapes.with_rank_at_least(op.inputs[0].dims, 2)
    return _result(rank if dense is None else _merge_rank(len(dense), rank))


def _sparse_to_sparse_shape(op):
    ranks = [sparse_rank(*op.inputs[:3]), sparse_rank(*op.inputs[3:])]
    for i, rank in enumerate(ranks):
        if rank is not None and rank < 2:
            raise ValueError(f"Input {i}, expected rank >= 2, got {rank}.")
    return _result(_merge_rank(*ranks))


SetSize = define_op(
    "SetSize",
    inputs=["set_indices: int64", "set_values: T", "set_shape: int64"],
    outputs=["size: int32"],
    attrs=_ATTRS,
    shape=shapes.unknown,
    doc="How many different values each row of a sparse tensor has.",
)
DenseToDenseSetOperation = define_op(
    "DenseToDenseSetOperation",
    inputs=["set1: T", "set2: T"],
    outputs=_RESULT,
    attrs=["set_operation: string", *_ATTRS],
    shape=_dense_to_dense_shape,
    doc="The sets `a-b`, `b-a`, `intersection` or `union` of the rows of two tensors, as rows of a sparse tensor.",
)
DenseToSparseSetOperation = define_op(
    "DenseToSparseSetOperation",
    inputs=["set1: T", "set2_indices: int64", "set2_values: T", "set2_shape: int64"],
    outputs=_RESULT,
    attrs=["set_operation: string", *_ATTRS],
    shape=_dense_to_sparse_shape,
    doc="DenseToDenseSetOperation, where the second tensor is sparse.",
)
SparseToSparseSetOperation = define_op(
    "SparseToSparseSetOperation",
    inputs=[
        "set1_indices: int64", "set1_values: T", "set1_shape: int64",
        "set2_indices: int64", "set2_values: T", "set2_shape: int64",
    ],
    outputs=_RESULT,
    attrs=["set_operation: string", *_ATTRS],
    shape=_sparse_to_sparse_shape,
    doc="DenseToDenseSetOperation, where both tensors are sparse.",
)  # fmt: skip
not_differentiable(
    "SetSize", "DenseToDenseSetOperation", "DenseToSparseSetOperation", "SparseToSparseSetOperation"
)  # fmt: skip


def _dense_or_sparse(value, name):
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    return convert_to_tensor(value, name=name)


def _operands(a, b):
    """Both converted and checked; the third result says that they were exchanged: a dense one comes first."""
    a = _dense_or_sparse(a, "a")
    if a.dtype.base_dtype not in _TYPES:
        raise TypeError(f"'a' has invalid dtype `{a.dtype}` not in supported dtypes: `{_TYPES}`.")
    b = _dense_or_sparse(b, "b")
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


def _set_operation(a, b, operation, validate_indices):
    attrs = {"set_operation": operation, "validate_indices": validate_indices}
    if isinstance(a, SparseTensor):
        op, inputs = SparseToSparseSetOperation, (*a.components(), *b.components())
    elif isinstance(b, SparseTensor):
        op, inputs = DenseToSparseSetOperation, (a, *b.components())
    else:
        op, inputs = DenseToDenseSetOperation, (a, b)
    return SparseTensor(*op(*inputs, **attrs))


def set_size(a, validate_indices=True):
    """How many different values each row of a sparse tensor has; a row is what differs in the last index only.

    Args:
      a: A `SparseTensor` of an integer type of at most 64 bits (not uint32, uint64) or of strings, of rank 2 or more;
        its indices in row-major order.
      validate_indices: Whether to check the order and the bounds of the indices.

    Returns:
      An int32 `Tensor` of the shape of `a` without its last dimension.

    Raises:
      TypeError: `a` is not sparse or has another type.
      tf.errors.InvalidArgumentError: At run time, its rank is below 2 or an index is out of bounds or of order.

    Example:

    >>> a = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [7, 7, 8], [3, 2])
    >>> print(sess.run(tf.sets.size(a)))
    [1 0 1]
    """
    a = _dense_or_sparse(a, "a")
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    if a.dtype.base_dtype not in _TYPES:
        raise TypeError(f"Invalid dtype `{a.dtype}` not in supported dtypes: `{_TYPES}`.")
    return SetSize(*a.components(), validate_indices=validate_indices)


def set_intersection(a, b, validate_indices=True):
    """The values that the rows of two tensors share; a row is what differs in the last index only.

    Args:
      a: A `Tensor` or `SparseTensor` of an integer type (not uint32, uint64) or of strings, of rank 2 or more.
      b: A `Tensor` or `SparseTensor` of the type of `a`; of its shape but for the last dimension.
      validate_indices: Whether to check the order and the bounds of the indices of sparse tensors.

    Returns:
      A `SparseTensor` of the type and rank of `a`. Each row has the shared values once, in ascending order; its last
      dimension is the size of the largest row.

    Raises:
      TypeError: The types differ, or are not among those above.
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together, or an index is out of bounds or of
        order.

    Example:

    >>> result = tf.sets.intersection(tf.constant([[1, 2, 2], [3, 4, 5]]), tf.constant([[2, 9], [5, 3]]))
    >>> print(sess.run(tf.sparse_to_dense(result.indices, result.dense_shape, result.values)))
    [[2 0]
     [3 5]]
    """
    a, b, _ = _operands(a, b)
    return _set_operation(a, b, "intersection", validate_indices)


def set_difference(a, b, aminusb=True, validate_indices=True):
    """The values that the rows of one tensor have and those of another lack.

    Args:
      a: A `Tensor` or `SparseTensor` of an integer type (not uint32, uint64) or of strings, of rank 2 or more.
      b: A `Tensor` or `SparseTensor` of the type of `a`; of its shape but for the last dimension.
      aminusb: Whether to take the values of `a` that `b` lacks; if False, those of `b` that `a` lacks.
      validate_indices: Whether to check the order and the bounds of the indices of sparse tensors.

    Returns:
      A `SparseTensor` like that of `tf.sets.intersection`.

    Raises:
      TypeError: The types differ, or are not among those above.
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together, or an index is out of bounds or of
        order.

    Example:

    >>> print(sess.run(tf.sets.difference(tf.constant([[5, 1, 2, 1]]), tf.constant([[2, 9]])).values))
    [1 5]
    """
    a, b, exchanged = _operands(a, b)
    return _set_operation(a, b, "b-a" if bool(aminusb) == exchanged else "a-b", validate_indices)


def set_union(a, b, validate_indices=True):
    """The values that the rows of at least one of two tensors have.

    Args:
      a: A `Tensor` or `SparseTensor` of an integer type (not uint32, uint64) or of strings, of rank 2 or more.
      b: A `Tensor` or `SparseTensor` of the type of `a`; of its shape but for the last dimension.
      validate_indices: Whether to check the order and the bounds of the indices of sparse tensors.

    Returns:
      A `SparseTensor` like that of `tf.sets.intersection`.

    Raises:
      TypeError: The types differ, or are not among those above.
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together, or an index is out of bounds or of
        order.

    Example:

    >>> print(sess.run(tf.sets.union(tf.constant([[5, 1, 2]]), tf.constant([[2, 9]])).values))
    [1 2 5 9]
    """
    a, b, _ = _operands(a, b)
    return _set_operation(a, b, "union", validate_indices)
