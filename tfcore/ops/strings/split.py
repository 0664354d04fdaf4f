"""Splitting strings."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as array_join
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor


def _split_shape(op):
    with_rank(op.inputs[0].dims, 1)
    with_rank(op.inputs[1].dims, 0)
    return [(None, 2), (None,), (2,)]


_PIECES = ["indices: int64", "values: string", "shape: int64"]

StringSplit = define_op(
    "StringSplit",
    inputs=["input: string", "delimiter: string"],
    outputs=_PIECES,
    attrs=["skip_empty: bool = true"],
    shape=_split_shape,
    doc="The pieces of strings between the bytes of a delimiter, as rows of a sparse matrix.",
)
StringSplitV2 = define_op(
    "StringSplitV2",
    inputs=["input: string", "sep: string"],
    outputs=_PIECES,
    attrs=["maxsplit: int = -1"],
    shape=_split_shape,
    doc="The pieces of strings between separators or, without one, white space, as rows of a sparse matrix.",
)
not_differentiable("StringSplit")
undefined_gradient("StringSplitV2")


def string_split(source, sep=None, skip_empty=True, delimiter=None, name=None):
    """The pieces of strings between certain bytes, a `SparseTensor`: what `tf.string_split` does."""
    with name_scope(name, "StringSplit", [source]):
        sep = array_ops.alias(sep, delimiter, "sep", "delimiter")
        sep = convert_to_tensor(" " if sep is None else sep, dtypes.string)
        pieces = StringSplit(convert_to_tensor(source, dtypes.string), sep, skip_empty=skip_empty)
        return SparseTensor(*pieces)


def strings_split(input=None, sep=None, maxsplit=-1, name=None):
    """The pieces of strings between separators, a `SparseTensor`: what `tf.strings.split` does."""
    with name_scope(name, "StringSplit", [input]):
        input = convert_to_tensor(input, dtypes.string, name="input")
        sep = convert_to_tensor("" if sep is None else sep, dtypes.string)
        flat = input if input.dims is None or len(input.dims) == 1 else array_ops.reshape(input, [-1])
        pieces = SparseTensor(*StringSplitV2(flat, sep, maxsplit=maxsplit))
        return _in_rows_of(input, pieces) if input.dims is not None and len(input.dims) > 1 else pieces


def _in_rows_of(input, pieces):
    """The pieces with the indices of a tensor's elements instead of their numbers."""
    sizes = get_op_def("Cast")(array_ops.shape(input), DstT=dtypes.int64)
    numbers, columns = pieces.indices[:, 0], pieces.indices[:, 1:]
    indices = []
    for size in reversed(array_join.unstack(sizes)):
        size = get_op_def("Maximum")(size, 1)  # an empty tensor has no pieces
        indices.append(get_op_def("FloorMod")(numbers, size))
        numbers = get_op_def("FloorDiv")(numbers, size)
    indices = array_join.concat([array_join.stack(indices[::-1], axis=1), columns], 1)
    return SparseTensor(indices, pieces.values, array_join.concat([sizes, pieces.dense_shape[1:]], 0))
