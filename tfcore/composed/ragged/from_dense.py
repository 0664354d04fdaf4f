"""Ragged tensors of dense and sparse ones, and dimensions joined. `cls` is RaggedTensor."""

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.partition import RowPartition, partition_tensor
from tfcore.composed.ragged.segments import cast_to
from tfcore.framework.graph.graph import control_dependencies
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import ones, sequence_mask
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.array.slice import boolean_mask as dense_mask
from tfcore.ops.cwise.binary import maximum, minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, logical_and, not_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.debugging.check import Assert
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.reduce.reduce import reduce_all, reduce_any, reduce_max, reduce_prod
from tfcore.ops.reduce.scan import cumprod


def of_dense(cls, tensor, lengths, padding, ragged_rank, dtype):
    """A dense tensor as a ragged one: what `RaggedTensor.from_tensor` does."""
    if tensor.shape.ndims is not None and tensor.shape.ndims < 2:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged dimensions. "
            f"Received argument `tensor` with rank {tensor.shape.ndims}."
        )
    tensor.shape.with_rank_at_least(ragged_rank + 1)
    if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
        return _with_nested_lengths(cls, tensor, lengths, ragged_rank)
    if ragged_rank > 1:
        return _with_outer_dims(cls, tensor, lengths, padding, ragged_rank, dtype)
    if padding is not None:
        lengths = _lengths_without(padding, tensor, dtype)
    if lengths is not None:
        return _with_lengths(cls, tensor, lengths, dtype)
    return _with_uniform_rows(cls, tensor, dtype)


def of_sparse(cls, sparse, dtype):
    """A sparse matrix without gaps as a ragged tensor: what `RaggedTensor.from_sparse` does."""
    ranks = (sparse.dense_shape.dims or (None,))[0], (sparse.indices.dims or (None, None))[1]
    if 2 not in ranks:
        raise ValueError("rank(st_input) must be 2.")
    with control_dependencies([_assert_no_gaps(sparse.indices)]):
        ids = cast(sparse.indices[:, 0], dtype)
        rows = cast(sparse.dense_shape[0], dtype)
        return cls.from_value_rowids(sparse.values, ids, rows, validate=False)


def _with_nested_lengths(cls, tensor, lengths, ragged_rank):
    if ragged_rank not in (1, len(lengths)):
        raise ValueError(
            "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be len(lengths): "
            f"{len(lengths)}. Received ragged_rank: {ragged_rank}."
        )
    tensor.shape.with_rank_at_least(len(lengths) + 1)
    lengths = [partition_tensor(each, "row_lengths") for each in lengths]
    parts = [RowPartition.from_lengths(each, validate=False) for each in lengths]
    mask = ones(array_ops.reshape(parts[-1].count(), [1]), dtypes.bool)
    for part in reversed(parts):
        mask = cls.of_partition(mask, part)
    values = dense_mask(tensor, mask.to_tensor())
    for part in reversed(parts):
        values = cls.of_partition(values, part)
    return values


def _with_outer_dims(cls, tensor, lengths, padding, ragged_rank, dtype):
    sizes = array_ops.shape(tensor, out_type=dtype)
    products = cumprod(sizes)
    static = tensor.shape[ragged_rank:] if tensor.shape.ndims is not None else TensorShape(None)
    flat = array_ops.reshape(tensor, concat([products[ragged_rank - 1 : ragged_rank], sizes[ragged_rank:]], 0))
    flat.set_shape(TensorShape([None]).concatenate(static))
    if tensor.shape.is_fully_defined():
        flat.set_shape([tensor.shape[:ragged_rank].num_elements(), *static.as_list()])
    result = cls.from_tensor(flat, lengths, padding, row_splits_dtype=dtype)
    for axis in range(ragged_rank - 1, 0, -1):
        known = tensor.shape.as_list()[: axis + 1] if tensor.shape.ndims is not None else [None]
        length = sizes[axis] if known[-1] is None else constant(known[-1], dtype)
        outer = TensorShape(known[:-1]).num_elements()
        rows = products[axis - 1] if outer is None else constant(outer, dtype)
        result = cls.from_uniform_row_length(result, length, rows, validate=False)
    return result


def _lengths_without(padding, tensor, dtype):
    """The lengths of rows up to the last value that is not the padding."""
    padding = convert_to_tensor(padding, name="padding", dtype=tensor.dtype)
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    is_value = not_equal(padding, tensor)
    ndims = tensor.shape.ndims
    axes = range_of(2, array_ops.rank(tensor)) if ndims is None else list(range(2, ndims))
    if axes != []:
        is_value = reduce_any(is_value, axis=axes)
        is_value.set_shape([None, None])
    places = range_of(1, array_ops.shape(tensor, out_type=dtype)[1] + 1)
    return maximum(reduce_max(cast(is_value, dtype) * array_ops.expand_dims(places, 0), axis=1), 0)


def _with_lengths(cls, tensor, lengths, dtype):
    columns = array_ops.shape(tensor, out_type=dtype)[1]
    lengths = lengths if isinstance(lengths, Tensor) else convert_to_tensor(lengths, dtype, "lengths")
    lengths = cast_to(lengths, dtype)
    lengths.shape.assert_has_rank(1)
    lengths = maximum(minimum(lengths, columns), 0)
    values = dense_mask(tensor, sequence_mask(lengths, maxlen=columns))
    return cls.from_row_splits(values, RowPartition.from_lengths(lengths, validate=False).splits, validate=False)


def _with_uniform_rows(cls, tensor, dtype):
    sizes = array_ops.shape(tensor, out_type=dtype)
    rows, columns = (tensor.shape.as_list() if tensor.shape.ndims is not None else [None, None])[:2]
    values = array_ops.reshape(tensor, concat([[sizes[0] * sizes[1]], sizes[2:]], 0))
    count = None if None in (rows, columns) else rows * columns
    values.set_shape(TensorShape([count]).concatenate(tensor.shape[2:]))
    rows = sizes[0] if rows is None else constant(rows, dtype)
    columns = sizes[1] if columns is None else constant(columns, dtype)
    return cls.from_uniform_row_length(values, columns, rows, validate=False)


def _assert_no_gaps(indices):
    """Asserts that the columns of each row of a sparse matrix count up from 0."""
    rows, columns = indices[:, :-1], indices[:, -1]
    begins = reduce_any(not_equal(rows[1:], rows[:-1]), axis=1)
    follows = where(begins, equal(columns[1:], 0), equal(columns[1:], columns[:-1] + 1))
    right = logical_and(reduce_all(equal(columns[:1], 0)), reduce_all(follows))
    return Assert(right, ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices])


def merged(cls, value, outer, inner):
    if outer == inner:
        return value
    while outer == 0 and isinstance(value, cls):
        value, inner = value.values, inner - 1
        if inner == 0:
            return value
    if not isinstance(value, cls):
        return _merged_dense(value, outer, inner)
    if outer > 1:
        return value.with_values(merged(cls, value.values, outer - 1, inner - 1))
    values, splits = value.values, value.row_splits
    while outer < inner and isinstance(values, cls):
        values, splits, outer = values.values, gather(values.row_splits, splits), outer + 1
    if outer < inner:
        count = inner - outer + 1
        sizes = array_ops.shape(values, out_type=splits.dtype)
        splits = splits * reduce_prod(sizes[1:count])
        values = _merged_dense(values, 0, count - 1)
    return cls.from_row_splits(values, splits, validate=False)


def _merged_dense(value, outer, inner):
    sizes = array_ops.shape(value)
    result = array_ops.reshape(value, concat([sizes[:outer], [-1], sizes[inner + 1 :]], 0))
    if value.shape.ndims is not None:
        dims = value.shape.as_list()
        joined = TensorShape(dims[outer : inner + 1]).num_elements()
        result.set_shape([*dims[:outer], joined, *dims[inner + 1 :]])
    return result
