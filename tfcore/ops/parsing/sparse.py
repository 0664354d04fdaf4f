"""SerializeSparse, SerializeManySparse, and back: a sparse tensor as three serialized messages TensorProto.

The public functions are in `composed/parsing/sparse.py`.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient


def _check_parts(op):
    for t, rank in zip(op.inputs, (2, 1, 1)):
        shapes.with_rank(t.dims, rank)


def _serialize_shape(op):
    _check_parts(op)
    return [(3,)]


def _serialize_many_shape(op):
    _check_parts(op)
    return [(None, 3)]


_PARTS = ["sparse_indices: int64", "sparse_values: T", "sparse_shape: int64"]
_ATTRS = ["T: type", "out_type: {string, variant} = DT_STRING"]

SerializeSparse = define_op(
    "SerializeSparse",
    inputs=_PARTS,
    outputs=["serialized_sparse: out_type"],
    attrs=_ATTRS,
    shape=_serialize_shape,
    doc="A sparse tensor as three strings.",
)
SerializeManySparse = define_op(
    "SerializeManySparse",
    inputs=_PARTS,
    outputs=["serialized_sparse: out_type"],
    attrs=_ATTRS,
    shape=_serialize_many_shape,
    doc="The rows of a sparse tensor as three strings each.",
)


def _deserialize_shape(op):
    dims = op.inputs[0].dims
    if dims is not None:
        shapes.merge_dim(shapes.with_rank_at_least(dims, 1)[-1], 3)
    return [(None, None), (None,), (None,)]


_OUTPUTS = ["sparse_indices: int64", "sparse_values: dtype", "sparse_shape: int64"]

DeserializeSparse = define_op(
    "DeserializeSparse",
    inputs=["serialized_sparse: Tserialized"],
    outputs=_OUTPUTS,
    attrs=["dtype: type", "Tserialized: {string, variant} = DT_STRING"],
    shape=_deserialize_shape,
    doc="The sparse tensor in three strings; of more strings, a sparse tensor whose first dimensions are theirs.",
)


def _deserialize_many_shape(op):
    shapes.merge_dim(shapes.with_rank(op.inputs[0].dims, 2)[1], 3)
    return [(None, None), (None,), (None,)]


DeserializeManySparse = define_op(
    "DeserializeManySparse",
    inputs=["serialized_sparse: string"],
    outputs=_OUTPUTS,
    attrs=["dtype: type"],
    shape=_deserialize_many_shape,
    doc="A sparse tensor of the rows that SerializeManySparse made.",
)
undefined_gradient("SerializeSparse", "SerializeManySparse", "DeserializeSparse", "DeserializeManySparse")
