"""Sparse tensors that wait, under numbers, until they are taken: what goes through a queue in place of them."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable

_PARTS = ["sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"]
_ATTRS = ["T: type", "container: string = ''", "shared_name: string = ''"]


def _check_parts(op):
    indices, values, shape = op.inputs
    rows, rank = shapes.with_rank(indices.dims, 2)
    shapes.merge_dim(rows, shapes.with_rank(values.dims, 1)[0])
    shapes.merge_dim(rank, shapes.with_rank(shape.dims, 1)[0])


def _number(op):
    _check_parts(op)
    return [()]


def _numbers(op):
    _check_parts(op)
    return [(None,)]


def _taken(op):
    shapes.with_rank(op.inputs[0].dims, 1)
    return [(None, None), (None,), (None,)]


AddSparseToTensorsMap = define_op(
    "AddSparseToTensorsMap",
    inputs=_PARTS,
    outputs=["sparse_handle: int64"],
    attrs=_ATTRS,
    shape=_number,
    stateful=True,
    doc="Puts a sparse tensor into a map and returns its number.",
)
AddManySparseToTensorsMap = define_op(
    "AddManySparseToTensorsMap",
    inputs=_PARTS,
    outputs=["sparse_handles: int64"],
    attrs=_ATTRS,
    shape=_numbers,
    stateful=True,
    doc="Puts the rows of a sparse tensor into a map and returns their numbers.",
)
TakeManySparseFromTensorsMap = define_op(
    "TakeManySparseFromTensorsMap",
    inputs=["sparse_handles: int64"],
    outputs=["sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"],
    attrs=["dtype: type", "container: string = ''", "shared_name: string = ''"],
    shape=_taken,
    stateful=True,
    doc="Takes sparse tensors out of a map and makes one of them, whose rows they are.",
)
not_differentiable("AddSparseToTensorsMap", "AddManySparseToTensorsMap", "TakeManySparseFromTensorsMap")
