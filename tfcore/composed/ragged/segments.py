"""From row splits to segment ids and back."""

from tfcore.composed.arrays import repeat
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.cast import cast
from tfcore.ops.reduce.histogram import bincount
from tfcore.ops.reduce.scan import cumsum

SPLITS_TYPES = (dtypes.int32, dtypes.int64)


def int_tensor(value, name, dtype=dtypes.int32):
    """The value as a `Tensor` of integers; a tensor of another integer type is cast.

    Args:
      value: A `Tensor` of type int32 or int64, or a value that converts to one.
      name: Name of the argument.
      dtype: The type of the result.

    Returns:
      A `Tensor`.

    Raises:
      TypeError: It is not of an integer type.
    """
    if not isinstance(value, Tensor):
        return convert_to_tensor(value, dtype, name)
    if not value.dtype.is_integer:
        raise TypeError(f"Tensor argument {name} must be of type integer, but is of type {value.dtype.name}.")
    return cast_to(value, dtype)


def cast_to(x, dtype):
    """The tensor cast to a type; itself if it has the type."""
    return x if x.dtype is dtype else cast(x, dtype)


def splits_of_lengths(lengths):
    """The row splits of rows with these lengths."""
    return concat([zeros([1], lengths.dtype), cumsum(lengths)], 0)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """For each value of a ragged tensor the number of its row.

    Args:
      splits: The row splits, a vector of type int32 or int64.
      name: Prefix of the names of the operations (optional).
      out_type: The type of the result, that of `splits` by default.

    Returns:
      A vector of length `splits[-1]`: `splits[i + 1] - splits[i]` times i.

    Raises:
      ValueError: `splits` is not of type int32 or int64, not a vector, or empty.

    Example:

    >>> print(sess.run(tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5])))
    [0 0 0 2 2]
    """
    with name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
        splits = convert_to_tensor(splits, name="splits", preferred_dtype=dtypes.int64)
        if splits.dtype not in SPLITS_TYPES:
            raise ValueError("splits must have dtype int32 or int64")
        splits.shape.assert_has_rank(1)
        if splits.dims == (0,):
            raise ValueError("Invalid row_splits: []")
        out_type = splits.dtype if out_type is None else dtypes.as_dtype(out_type)
        rows = range_of(shape(splits, out_type=out_type)[0] - 1)
        return repeat(rows, splits[1:] - splits[:-1], axis=0)


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """The row splits of a ragged tensor whose values are in these rows.

    Args:
      segment_ids: The numbers of the rows in ascending order, a vector of type int32 or int64.
      num_segments: The number of rows; one more than the greatest id by default.
      out_type: The type of the result; by default that of the first argument that is a `Tensor`, or int64.
      name: Prefix of the names of the operations (optional).

    Returns:
      A vector of length `num_segments + 1`.

    Raises:
      TypeError: An argument is not of an integer type.
      ValueError: An argument has another rank.

    Example:

    >>> print(sess.run(tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2])))
    [0 3 3 5]
    """
    if out_type is None:
        given = (x.dtype for x in (segment_ids, num_segments) if isinstance(x, Tensor))
        out_type = next(given, dtypes.int64)
    with name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        segment_ids = int_tensor(segment_ids, "segment_ids")
        segment_ids.shape.assert_has_rank(1)
        if num_segments is not None:
            num_segments = int_tensor(num_segments, "num_segments")
            num_segments.shape.assert_has_rank(0)
        known = None if num_segments is None else constant_value(num_segments)
        if known is not None and known < 0:
            raise ValueError(f"Expected num_segments >= 0; got {known}")
        counts = bincount(segment_ids, None, num_segments, num_segments, dtypes.as_dtype(out_type))
        splits = splits_of_lengths(counts)
        if known is not None:
            splits.set_shape([int(known) + 1])
        return splits


def positive_axis(axis, ndims, axis_name="axis", ndims_name="ndims"):
    """The axis counted from the front.

    Raises:
      TypeError: It is not an int.
      ValueError: There is no such axis.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is not None:
        if not -ndims <= axis < ndims:
            raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
        return axis % ndims
    if axis < 0:
        raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
    return axis
