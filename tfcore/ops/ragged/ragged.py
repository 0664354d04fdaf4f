"""Ops on ragged tensors: ranges, gather, conversion to sparse tensors."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, gradient, not_differentiable
from tfcore.framework.definitions.shapes import add, merge_dim, with_rank, with_rank_at_least, with_rank_at_most
from tfcore.framework.types import dtypes
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.ops.array import constants

SPLITS = "Tsplits: {int32, int64} = DT_INT64"


def _range_shape(op):
    rows = None
    for tensor in op.inputs:
        dims = with_rank_at_most(tensor.dims, 1)
        if dims:
            rows = merge_dim(rows, dims[0])
    if rows is None and all(tensor.dims == () for tensor in op.inputs):
        rows = 1
    return [(add(rows, 1),), (None,)]


def _gather_shape(op):
    levels = op.attrs["PARAMS_RAGGED_RANK"]
    values = with_rank_at_least(op.inputs[levels].dims, 1)
    indices, given = op.inputs[levels + 1].dims, op.attrs["OUTPUT_RAGGED_RANK"]
    if indices is not None and len(indices) + levels - 1 != given:
        raise ValueError(f"OUTPUT_RAGGED_RANK must be {len(indices) + levels - 1}, but is {given}")
    return [(None,)] * given + [None if values is None else (None, *values[1:])]


def _to_sparse_shape(op):
    levels = op.attrs["RAGGED_RANK"]
    for splits in op.inputs[:levels]:
        with_rank(splits.dims, 1)
    values = with_rank_at_least(op.inputs[levels].dims, 1)
    if values is None:
        return [(None, None), (None,), (None,)]
    count = values[0]
    for d in values[1:]:
        count = shapes.multiply(count, d)
    rank = levels + len(values)
    return [(count, rank), (count,), (rank,)]


RaggedRange = define_op(
    "RaggedRange",
    inputs=["starts: T", "limits: T", "deltas: T"],
    outputs=["rt_nested_splits: Tsplits", "rt_dense_values: T"],
    attrs=["T: {bfloat16, float, double, int32, int64} = DT_INT32", SPLITS],
    shape=_range_shape,
    doc="A ragged tensor whose rows are ranges of numbers. Scalars hold for all rows.",
)
RaggedGather = define_op(
    "RaggedGather",
    inputs=["params_nested_splits: PARAMS_RAGGED_RANK * Tsplits", "params_dense_values: Tvalues", "indices: Tindices"],
    outputs=["output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits", "output_dense_values: Tvalues"],
    attrs=[
        "Tvalues: type",
        "Tindices: {int32, int64}",
        SPLITS,
        "PARAMS_RAGGED_RANK: int >= 1",
        "OUTPUT_RAGGED_RANK: int >= 0",
    ],
    shape=_gather_shape,
    doc="The rows of a ragged tensor at `indices`, as a ragged tensor with the dimensions of the indices in front.",
)
RaggedTensorToSparse = define_op(
    "RaggedTensorToSparse",
    inputs=["rt_nested_splits: RAGGED_RANK * Tsplits", "rt_dense_values: T"],
    outputs=["sparse_indices: int64", "sparse_values: T", "sparse_dense_shape: int64"],
    attrs=["RAGGED_RANK: int >= 1", "T: type", SPLITS],
    shape=_to_sparse_shape,
    doc="A ragged tensor as a sparse one.",
)
not_differentiable("RaggedRange")


@gradient("RaggedGather")
def _gather_grad(op, *grads):
    levels = op.get_attr("PARAMS_RAGGED_RANK")
    splits, values, indices = op.inputs[:levels], op.inputs[levels], op.inputs[levels + 1]
    shape = array_ops.shape(values, out_type=dtypes.int64)
    places = RaggedGather(
        splits, constants.range(shape[0]), indices, OUTPUT_RAGGED_RANK=op.get_attr("OUTPUT_RAGGED_RANK")
    )
    return [None] * levels + [IndexedSlices(grads[-1], places[-1], shape), None]


@gradient("RaggedTensorToSparse")
def _to_sparse_grad(op, indices_grad, values_grad, shape_grad):
    return [None] * (len(op.inputs) - 1) + [array_ops.reshape(values_grad, array_ops.shape(op.inputs[-1]))]
