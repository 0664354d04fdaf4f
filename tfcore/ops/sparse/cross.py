"""Combinations of the values of several tensors: SparseCross, SparseCrossV2, SparseCrossHashed."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient

_INPUTS = ["indices: N * int64", "values: sparse_types", "shapes: N * int64", "dense_inputs: dense_types"]
_SHAPE_OUTPUT = "output_shape: int64"


def _cross_shape(op):
    return [(None, 2), (None,), (2,)]


def _attrs(*own, after=()):
    types = (f"{kind}_types: list({{int64, string}}) >= 0" for kind in ("sparse", "dense"))
    return ["N: int >= 0", *own, *types, *after]


SparseCross = define_op(
    "SparseCross",
    inputs=_INPUTS,
    outputs=["output_indices: int64", "output_values: out_type", _SHAPE_OUTPUT],
    attrs=_attrs(
        "hashed_output: bool",
        "num_buckets: int >= 0",
        "hash_key: int",
        after=["out_type: {int64, string}", "internal_type: {int64, string}"],
    ),
    shape=_cross_shape,
    doc="All combinations of the values of sparse and dense matrices, row by row, hashed or joined by _X_.",
)
SparseCrossV2 = define_op(
    "SparseCrossV2",
    inputs=[*_INPUTS, "sep: string"],
    outputs=["output_indices: int64", "output_values: string", _SHAPE_OUTPUT],
    attrs=_attrs(),
    shape=_cross_shape,
    doc="All combinations of the values of sparse and dense matrices, row by row, joined by a separator.",
)
SparseCrossHashed = define_op(
    "SparseCrossHashed",
    inputs=[*_INPUTS, "num_buckets: int64", "strong_hash: bool", "salt: int64"],
    outputs=["output_indices: int64", "output_values: int64", _SHAPE_OUTPUT],
    attrs=_attrs(),
    shape=_cross_shape,
    doc="The hash values of all combinations of the values of sparse and dense matrices, row by row.",
)
undefined_gradient("SparseCross", "SparseCrossV2", "SparseCrossHashed")
