"""Sets of elements: unique values and differences."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.types import dtypes


def _unique_shape(op):
    return [(None,), with_rank(op.inputs[0].dims, 1)]


def _unique_with_counts_shape(op):
    return [(None,), op.inputs[0].dims, (None,)]  # the run refuses matrices, as in TensorFlow


Unique = define_op(
    "Unique",
    inputs=["x: T"],
    outputs=["y: T", "idx: out_idx"],
    attrs=["T: type", "out_idx: {int32, int64} = DT_INT32"],
    shape=_unique_shape,
    doc="The distinct values of a vector in order of appearance, and the index of each element's value.",
)
UniqueWithCounts = define_op(
    "UniqueWithCounts",
    inputs=["x: T"],
    outputs=["y: T", "idx: out_idx", "count: out_idx"],
    attrs=["T: type", "out_idx: {int32, int64} = DT_INT32"],
    shape=_unique_with_counts_shape,
    doc="Unique, and how often each value occurs.",
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
    doc="The elements of x that are not in y, and their indices in x.",
)
undefined_gradient("Unique", "UniqueWithCounts", "ListDiff")


def unique(x, out_idx=dtypes.int32, name=None):
    """The distinct values of a vector in order of first appearance.

    Args:
      x: A `Tensor` of any type, a vector.
      out_idx: Type of the indices, int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A named tuple of `Tensor`s: `y`, the values, of the type of `x`, and `idx`, the index in `y` of each element of
      `x`.

    Raises:
      ValueError: `x` is not a vector.
      TypeError: `out_idx` is not int32 or int64.

    Example:

    >>> y, idx = tf.unique([7, 8, 7, 9])
    >>> print(sess.run(y), sess.run(idx))
    [7 8 9] [0 1 0 2]
    """
    return Unique(x, out_idx=out_idx, name=name)


def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    """The distinct values of a vector in order of first appearance, and their counts.

    Args:
      x: A `Tensor` of any type, a vector.
      out_idx: Type of the indices, int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A named tuple of `Tensor`s: `y`, the values, of the type of `x`; `idx`, the index in `y` of each element of `x`;
      `count`, how often each value occurs.

    Raises:
      ValueError: `x` is not a vector.
      TypeError: `out_idx` is not int32 or int64.

    Example:

    >>> y, idx, count = tf.unique_with_counts([7, 8, 7, 9])
    >>> print(sess.run(count))
    [2 1 1]
    """
    return UniqueWithCounts(x, out_idx=out_idx, name=name)


def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    """The elements of a vector that are not in another, in their order.

    Args:
      x: A `Tensor` of any type, a vector.
      y: A `Tensor` of the type of `x`, a vector.
      index_dtype: Type of the indices, int32 or int64.
      name: Name of the operation (optional).

    Returns:
      A named tuple of `Tensor`s: `out`, the elements, of the type of `x`, and `idx`, their indices in `x`.

    Raises:
      ValueError: An argument is not a vector.
      TypeError: The types differ.

    Example:

    >>> out, idx = tf.setdiff1d([1, 2, 3, 4], [2, 4])
    >>> print(sess.run(out), sess.run(idx))
    [1 3] [0 2]
    """
    return ListDiff(x, y, out_idx=index_dtype, name=name)
