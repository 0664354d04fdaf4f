"""Sets of elements: unique values and differences."""

from tfcore.framework import dtypes
from tfcore.framework.op_def import define_op, undefined_gradient
from tfcore.framework.shapes import with_rank

__all__ = ["setdiff1d", "unique", "unique_with_counts"]


def _unique_shape(op):
    dims = with_rank(op.inputs[0].dims, 1)
    return [(None,), dims, (None,)][: len(op.outputs)]


Unique = define_op(
    "Unique",
    inputs=["x: T"],
    outputs=["y: T", "idx: out_idx"],
    attrs=["T: type", "out_idx: {int32, int64} = DT_INT32"],
    shape=_unique_shape,
    doc="The different values of a vector in order of appearance, and for each element its place among them.",
)
UniqueWithCounts = define_op(
    "UniqueWithCounts",
    inputs=["x: T"],
    outputs=["y: T", "idx: out_idx", "count: out_idx"],
    attrs=["T: type", "out_idx: {int32, int64} = DT_INT32"],
    shape=_unique_shape,
    doc="Unique, and how often each value appears.",
)


def _list_diff_shape(op):
    for t in op.inputs:
        with_rank(t.dims, 1)
    return [(None,), (None,)]


ListDiff = define_op(
    "ListDiff",
    inputs=["x: T", "y: T"],
    outputs=["out: T", "idx: out_idx"],
    attrs=["T: type", "out_idx: {int32, int64} = DT_INT32"],
    shape=_list_diff_shape,
    doc="The elements of x that are not in y, and their places in x.",
)
undefined_gradient("Unique", "UniqueWithCounts", "ListDiff")


def unique(x, out_idx=dtypes.int32, name=None):
    """The different values of a vector in order of appearance, and for each element its place among them."""
    return Unique(x, out_idx=out_idx, name=name)


def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    """`unique`, and how often each value appears."""
    return UniqueWithCounts(x, out_idx=out_idx, name=name)


def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    """The elements of x that are not in y, and their places in x."""
    return ListDiff(x, y, out_idx=index_dtype, name=name)
