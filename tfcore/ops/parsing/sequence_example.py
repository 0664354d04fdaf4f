"""ParseSequenceExample, its second version, ParseSingleSequenceExample: tensors from tf.train.SequenceExample.

The public functions are in `composed/parsing/sequence_example.py`.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.ops.parsing.example import VALUES, batch_rank, batch_splits, dims_of, section_shapes

_CONTEXT_OUTPUTS = [
    "context_sparse_indices: Ncontext_sparse * int64",
    "context_sparse_values: context_sparse_types",
    "context_sparse_shapes: Ncontext_sparse * int64",
    "context_dense_values: Tcontext_dense",
]
_LISTS_OUTPUTS = [
    "feature_list_sparse_indices: Nfeature_list_sparse * int64",
    "feature_list_sparse_values: feature_list_sparse_types",
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64",
    "feature_list_dense_values: feature_list_dense_types",
]
_LENGTHS = ["feature_list_dense_lengths: Nfeature_list_dense * int64"]
_ATTRS = [
    "Ncontext_sparse: int >= 0 = 0",
    "Ncontext_dense: int >= 0 = 0",
    "Nfeature_list_sparse: int >= 0 = 0",
    "Nfeature_list_dense: int >= 0 = 0",
    f"context_sparse_types: list({VALUES}) >= 0 = []",
    f"Tcontext_dense: list({VALUES}) >= 0 = []",
    f"feature_list_dense_types: list({VALUES}) >= 0 = []",
    "context_dense_shapes: list(shape) >= 0 = []",
    f"feature_list_sparse_types: list({VALUES}) >= 0 = []",
    "feature_list_dense_shapes: list(shape) >= 0 = []",
]


def _lists_shapes(op, prefix, batch):
    """Shapes of the sparse and dense outputs of feature lists."""
    rank = None if batch is None else batch + 1
    count = len(op.attrs["feature_list_sparse_types"])
    out = [(None, rank)] * count + [(None,)] * count + [(rank,)] * count
    for shape in op.attrs["feature_list_dense_shapes"]:
        dims = dims_of(shape)
        out.append(None if dims is None or prefix is None else (*prefix, None, *dims))
    return out


def _context_shapes(op, prefix, batch, *ragged):
    return section_shapes(op, prefix, batch, "context_sparse_types", "context_dense_shapes", *ragged)


def _batch_shape(op):
    dims = op.inputs[0].dims
    batch = batch_rank(dims)
    lengths = [dims] * len(op.attrs["feature_list_dense_types"])
    return _context_shapes(op, dims, batch) + _lists_shapes(op, dims, batch) + lengths


ParseSequenceExample = define_op(
    "ParseSequenceExample",
    inputs=["serialized: string", "debug_name: string", "context_dense_defaults: Tcontext_dense"],
    outputs=_CONTEXT_OUTPUTS + _LISTS_OUTPUTS + _LENGTHS,
    attrs=[
        "feature_list_dense_missing_assumed_empty: list(string) >= 0",
        "context_sparse_keys: list(string) >= 0",
        "context_dense_keys: list(string) >= 0",
        "feature_list_sparse_keys: list(string) >= 0",
        "feature_list_dense_keys: list(string) >= 0",
        *_ATTRS,
    ],
    shape=_batch_shape,
    doc="Parses a serialized message tf.train.SequenceExample, or a vector of them.",
)


def _v2_shape(op):
    dims = op.inputs[0].dims
    batch, splits = batch_rank(dims), batch_splits(dims)
    lengths = [dims] * len(op.attrs["feature_list_dense_types"])
    ragged = len(op.attrs["feature_list_ragged_value_types"])
    return (
        _context_shapes(op, dims, batch, "context_ragged_value_types", splits)
        + _lists_shapes(op, dims, batch)
        + lengths
        + [(None,)] * ragged
        + [splits] * ragged
        + [(None,)] * ragged
    )


ParseSequenceExampleV2 = define_op(
    "ParseSequenceExampleV2",
    inputs=[
        "serialized: string",
        "debug_name: string",
        "context_sparse_keys: string",
        "context_dense_keys: string",
        "context_ragged_keys: string",
        "feature_list_sparse_keys: string",
        "feature_list_dense_keys: string",
        "feature_list_ragged_keys: string",
        "feature_list_dense_missing_assumed_empty: bool",
        "context_dense_defaults: Tcontext_dense",
    ],
    outputs=[
        *_CONTEXT_OUTPUTS,
        "context_ragged_values: context_ragged_value_types",
        "context_ragged_row_splits: context_ragged_split_types",
        *_LISTS_OUTPUTS,
        *_LENGTHS,
        "feature_list_ragged_values: feature_list_ragged_value_types",
        "feature_list_ragged_outer_splits: feature_list_ragged_split_types",
        "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
    ],
    attrs=[
        "Ncontext_sparse: int >= 0 = 0",
        f"Tcontext_dense: list({VALUES}) >= 0 = []",
        f"context_sparse_types: list({VALUES}) >= 0 = []",
        f"context_ragged_value_types: list({VALUES}) >= 0 = []",
        "context_ragged_split_types: list({int32, int64}) >= 0 = []",
        "context_dense_shapes: list(shape) >= 0 = []",
        "Nfeature_list_sparse: int >= 0 = 0",
        "Nfeature_list_dense: int >= 0 = 0",
        f"feature_list_dense_types: list({VALUES}) >= 0 = []",
        f"feature_list_sparse_types: list({VALUES}) >= 0 = []",
        f"feature_list_ragged_value_types: list({VALUES}) >= 0 = []",
        "feature_list_ragged_split_types: list({int32, int64}) >= 0 = []",
        "feature_list_dense_shapes: list(shape) >= 0 = []",
    ],
    shape=_v2_shape,
    doc="Parses a serialized message tf.train.SequenceExample, or a vector of them.",
)


def _single_shape(op):
    shapes.with_rank(op.inputs[0].dims, 0)
    return _context_shapes(op, (), 1) + _lists_shapes(op, (), 1)


ParseSingleSequenceExample = define_op(
    "ParseSingleSequenceExample",
    inputs=[
        "serialized: string",
        "feature_list_dense_missing_assumed_empty: string",
        "context_sparse_keys: Ncontext_sparse * string",
        "context_dense_keys: Ncontext_dense * string",
        "feature_list_sparse_keys: Nfeature_list_sparse * string",
        "feature_list_dense_keys: Nfeature_list_dense * string",
        "context_dense_defaults: Tcontext_dense",
        "debug_name: string",
    ],
    outputs=_CONTEXT_OUTPUTS + _LISTS_OUTPUTS,
    attrs=_ATTRS,
    shape=_single_shape,
    doc="Parses one serialized message tf.train.SequenceExample.",
)
undefined_gradient("ParseSequenceExample", "ParseSequenceExampleV2", "ParseSingleSequenceExample")
