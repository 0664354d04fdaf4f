"""Counts of values in rows, as dense and as sparse tensors; buckets of values."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import merge_dim, with_rank, with_rank_at_most
from tfcore.framework.values.constant import constant_value

_TYPES = ["Tidx: {int32, int64}", "T: {int32, int64, float, double}"]
_BINARY = "binary_output: bool = false"
_LIMITS = ["minlength: int >= -1 = -1", "maxlength: int >= -1 = -1", "binary_output: bool"]
_COUNTS = ["output_indices: int64", "output_values: output_type", "output_dense_shape: int64"]
_SPARSE_ATTRS = ["T: {int32, int64}", *_LIMITS, "output_type: {int32, int64, float, double}"]


def _size(op, index):
    with_rank(op.inputs[index].dims, 0)
    size = constant_value(op.inputs[index])
    if size is not None and size < 0:
        raise ValueError(f"size ({size}) must be non-negative")
    return None if size is None else int(size)


def _dense_shape(op):
    values, size = with_rank_at_most(op.inputs[0].dims, 2), _size(op, 1)
    return [None if values is None else (size,) if len(values) < 2 else (values[0], size)]


def _sparse_shape(op):
    size, shape = _size(op, 3), op.inputs[2].dims
    with_rank(op.inputs[0].dims, 2)
    if shape is None or with_rank(shape, 1)[0] is None:
        return [None]
    return [(size,) if shape[0] == 1 else (None, size)]


def _ragged_shape(op):
    (splits,) = with_rank(op.inputs[0].dims, 1)
    return [(splits - 1 if splits else None, _size(op, 2))]


def _count_shape(rank_of):
    """Shapes of a sparse result whose rank is that of the values that are counted, as far as it is known."""

    def shape(op):
        rank = rank_of(op)
        return [(None, rank), (None,), (rank,)]

    return shape


def _rank_of_values(op):
    values = op.inputs[0].dims
    return None if values is None else len(values)


def _rank_of_shape(op):
    columns, shape = with_rank(op.inputs[0].dims, 2)[1], with_rank(op.inputs[2].dims, 1)[0]
    rank = merge_dim(columns, shape)
    return None if rank is None else min(rank, 2)


DenseBincount = define_op(
    "DenseBincount",
    inputs=["input: Tidx", "size: Tidx", "weights: T"],
    outputs=["output: T"],
    attrs=[*_TYPES, _BINARY],
    shape=_dense_shape,
    doc="""The count, or total weight, of each number below `size`: in a vector, or in each row of a matrix.

    binary_output: 1 for each number that is there.""",
)
SparseBincount = define_op(
    "SparseBincount",
    inputs=["indices: int64", "values: Tidx", "dense_shape: int64", "size: Tidx", "weights: T"],
    outputs=["output: T"],
    attrs=[*_TYPES, _BINARY],
    shape=_sparse_shape,
    doc="The count, or total weight, of each number below `size` among the values of a sparse tensor, by row.",
)
RaggedBincount = define_op(
    "RaggedBincount",
    inputs=["splits: int64", "values: Tidx", "size: Tidx", "weights: T"],
    outputs=["output: T"],
    attrs=[*_TYPES, _BINARY],
    shape=_ragged_shape,
    doc="The count, or total weight, of each number below `size` in each row of a ragged tensor.",
)
DenseCountSparseOutput = define_op(
    "DenseCountSparseOutput",
    inputs=["values: T", "weights: output_type"],
    outputs=_COUNTS,
    attrs=_SPARSE_ATTRS,
    shape=_count_shape(_rank_of_values),
    doc="The counts, or total weights, of the numbers in a vector or in each row of a matrix, as a sparse tensor.",
)
SparseCountSparseOutput = define_op(
    "SparseCountSparseOutput",
    inputs=["indices: int64", "values: T", "dense_shape: int64", "weights: output_type"],
    outputs=_COUNTS,
    attrs=_SPARSE_ATTRS,
    shape=_count_shape(_rank_of_shape),
    doc="The counts, or total weights, of the values of a sparse tensor, by row, as a sparse tensor.",
)
RaggedCountSparseOutput = define_op(
    "RaggedCountSparseOutput",
    inputs=["splits: int64", "values: T", "weights: output_type"],
    outputs=_COUNTS,
    attrs=_SPARSE_ATTRS,
    shape=_count_shape(lambda op: 2),
    doc="The counts, or total weights, of the numbers in each row of a ragged tensor, as a sparse tensor.",
)
Bucketize = define_op(
    "Bucketize",
    inputs=["input: T"],
    outputs=["output: int32"],
    attrs=["T: {int32, int64, float, double}", "boundaries: list(float)"],
    shape=shapes.unchanged,
    doc="How many of the sorted `boundaries` are less than or equal to each element.",
)
undefined_gradient("DenseBincount", "SparseBincount", "RaggedBincount", "Bucketize")
undefined_gradient("DenseCountSparseOutput", "SparseCountSparseOutput", "RaggedCountSparseOutput")
