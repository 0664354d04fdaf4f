"""ParseExample, ParseExampleV2, ParseSingleExample: tensors from serialized messages tf.train.Example.

The public functions are in `composed/parsing/example.py`.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient

VALUES = "{float, int64, string}"


def dims_of(shape):
    """A shape in an attribute as dims; None if its rank is unknown."""
    return None if shape is None else tuple(None if d is None or d < 0 else d for d in shape)


def section_shapes(op, prefix, batch, sparse, dense, ragged=(), splits=None):
    """Shapes of sparse, dense and ragged outputs.

    `prefix`: the dims of a batch, () for a single example. `batch`: their number for indices.
    """
    count = len(op.attrs[sparse])
    out = [(None, batch)] * count + [(None,)] * count + [(batch,)] * count
    for shape in op.attrs[dense]:
        dims = dims_of(shape)
        out.append(None if dims is None or prefix is None else (*prefix, *dims))
    count = len(op.attrs[ragged]) if ragged else 0
    return out + [(None,)] * count + [splits] * count


def batch_rank(dims):
    """The rank of an index of a sparse feature: 2 in a batch, 1 of a single example; None if that is not known."""
    return None if dims is None else len(shapes.with_rank_at_most(dims, 1)) + 1


def batch_splits(dims):
    """The shape of row splits over a batch."""
    if dims is None:
        return (None,)
    return (shapes.add(dims[0], 1),) if dims else (0,)


def _batch_shape(op):
    dims = shapes.with_rank(op.inputs[0].dims, 1)
    return section_shapes(op, dims, 2, "sparse_types", "dense_shapes")


ParseExample = define_op(
    "ParseExample",
    inputs=[
        "serialized: string",
        "names: string",
        "sparse_keys: Nsparse * string",
        "dense_keys: Ndense * string",
        "dense_defaults: Tdense",
    ],
    outputs=[
        "sparse_indices: Nsparse * int64",
        "sparse_values: sparse_types",
        "sparse_shapes: Nsparse * int64",
        "dense_values: Tdense",
    ],
    attrs=[
        "Nsparse: int >= 0",
        "Ndense: int >= 0",
        f"sparse_types: list({VALUES}) >= 0",
        f"Tdense: list({VALUES}) >= 0",
        "dense_shapes: list(shape) >= 0",
    ],
    shape=_batch_shape,
    doc="Parses a batch of serialized messages tf.train.Example.",
)


def _v2_shape(op):
    dims = op.inputs[0].dims
    return section_shapes(
        op, dims, batch_rank(dims), "sparse_types", "dense_shapes", "ragged_value_types", batch_splits(dims)
    )


ParseExampleV2 = define_op(
    "ParseExampleV2",
    inputs=[
        "serialized: string",
        "names: string",
        "sparse_keys: string",
        "dense_keys: string",
        "ragged_keys: string",
        "dense_defaults: Tdense",
    ],
    outputs=[
        "sparse_indices: num_sparse * int64",
        "sparse_values: sparse_types",
        "sparse_shapes: num_sparse * int64",
        "dense_values: Tdense",
        "ragged_values: ragged_value_types",
        "ragged_row_splits: ragged_split_types",
    ],
    attrs=[
        f"Tdense: list({VALUES}) >= 0",
        "num_sparse: int >= 0",
        f"sparse_types: list({VALUES}) >= 0",
        f"ragged_value_types: list({VALUES}) >= 0",
        "ragged_split_types: list({int32, int64}) >= 0",
        "dense_shapes: list(shape) >= 0",
    ],
    shape=_v2_shape,
    doc="Parses a serialized message tf.train.Example, or a vector of them.",
)


def _single_shape(op):
    shapes.with_rank(op.inputs[0].dims, 0)
    return section_shapes(op, (), 1, "sparse_types", "dense_shapes")


ParseSingleExample = define_op(
    "ParseSingleExample",
    inputs=["serialized: string", "dense_defaults: Tdense"],
    outputs=[
        "sparse_indices: num_sparse * int64",
        "sparse_values: sparse_types",
        "sparse_shapes: num_sparse * int64",
        "dense_values: Tdense",
    ],
    attrs=[
        "num_sparse: int >= 0",
        "sparse_keys: list(string) >= 0",
        "dense_keys: list(string) >= 0",
        f"sparse_types: list({VALUES}) >= 0",
        f"Tdense: list({VALUES}) >= 0",
        "dense_shapes: list(shape) >= 0",
    ],
    shape=_single_shape,
    doc="Parses one serialized message tf.train.Example.",
)
undefined_gradient("ParseExample", "ParseExampleV2", "ParseSingleExample")
