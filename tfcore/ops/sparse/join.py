"""Sparse tensors joined and split along a dimension: SparseConcat, SparseSplit."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.definitions.shapes import add, merge, merge_dim, num_elements, with_rank


def _concat_shape(op):
    n = len(op.inputs) // 3
    total, rank, shape = 0, None, None
    for i in range(n):
        (count, cols), (number,) = with_rank(op.inputs[i].dims, 2), with_rank(op.inputs[n + i].dims, 1)
        total = add(total, merge_dim(count, number))
        rank = merge_dim(rank, cols)
        shape = merge(shape, with_rank(op.inputs[2 * n + i].dims, 1))
    return [(total, rank), (total,), shape]


SparseConcat = define_op(
    "SparseConcat",
    inputs=["indices: N * int64", "values: N * T", "shapes: N * int64"],
    outputs=["output_indices: int64", "output_values: T", "output_shape: int64"],
    attrs=["concat_dim: int", "N: int >= 2", "T: type"],
    shape=_concat_shape,
    doc="Sparse tensors joined along a dimension, in row-major order.",
)
not_differentiable("SparseConcat")


def _split_shape(op):
    shape = op.inputs[3].dims
    n = len(op.outputs) // 3
    return [(None, num_elements(shape))] * n + [(None,)] * n + [shape] * n


SparseSplit = define_op(
    "SparseSplit",
    inputs=["split_dim: int64", "indices: int64", "values: T", "shape: int64"],
    outputs=["output_indices: num_split * int64", "output_values: num_split * T", "output_shape: num_split * int64"],
    attrs=["num_split: int >= 1", "T: type"],
    shape=_split_shape,
    doc="Parts of a sparse tensor along a dimension; the first ones are larger by one if it cannot be divided.",
)
undefined_gradient("SparseSplit")
