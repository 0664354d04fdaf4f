"""Ragged tensors joined, repeated, reversed and masked; dimensions of size 1."""

import numpy as np

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.arguments import assert_same_splits, match_splits
from tfcore.composed.ragged.partition import RowPartition
from tfcore.composed.ragged.parts import gather as ragged_gather
from tfcore.composed.ragged.segments import int_tensor, positive_axis
from tfcore.composed.ragged.tensor import RaggedTensor, convert
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant, constant_value
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat as dense_concat
from tfcore.ops.array.join import stack as dense_stack
from tfcore.ops.array.move import tile as dense_tile
from tfcore.ops.array.slice import boolean_mask as dense_mask
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal
from tfcore.ops.debugging.check import Assert, assert_equal, assert_less, assert_non_negative
from tfcore.ops.indexing.indexing import gather as dense_gather
from tfcore.ops.reduce.reduce import reduce_all, reduce_prod, reduce_sum
from tfcore.ops.reduce.scan import cumsum
from tfcore.ops.reduce.segment import unsorted_segment_sum
from tfcore.ops.reduce.sort import argsort


def concat(values, axis, name="concat"):
    """`tf.concat` for ragged tensors."""
    values = values if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat", []):
        return _join(values, axis, stacked=False)


def stack(values, axis=0, name=None):
    """Stacks tensors, which need not have the same shape.

    Args:
      values: A list of `RaggedTensor`s and `Tensor`s of the same rank and type.
      axis: Where the new dimension is, an int.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor`; a `Tensor` of the only value if that is dense.

    Raises:
      ValueError: There are no values, their ranks differ, or there is no such axis.

    Example:

    >>> sess.run(tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])])).to_list()
    [[1, 2], [3]]
    """
    values = values if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat", []):
        return _join(values, axis, stacked=True)


def _join(values, axis, stacked):
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    values = [convert(value, name="rt_input") for value in values]
    dtype = match_splits(*values)
    if len(values) == 1 and not stacked:
        return values[0]
    ndims = next((value.shape.ndims for value in values if value.shape.ndims is not None), None)
    if ndims is None and not any(isinstance(value, RaggedTensor) for value in values):
        return (dense_stack if stacked else dense_concat)(values, axis)
    for value in values if ndims is not None else ():
        value.shape.assert_has_rank(ndims) if isinstance(value, Tensor) else _check_rank(value, ndims)
    rank = ndims + 1 if stacked and ndims is not None else ndims
    axis = positive_axis(axis, rank, ndims_name="rank(values)")
    if stacked and ndims == 1 and axis == 0:
        return _stacked_vectors(values)
    if not any(isinstance(value, RaggedTensor) for value in values):
        # Rows and what is inside of them may differ, but the innermost dimension cannot be ragged on its own.
        if len(values) == 1 or axis == (ndims if stacked else ndims - 1):
            return (dense_stack if stacked else dense_concat)(values, axis)
    levels = max([1, *(value.ragged_rank for value in values if isinstance(value, RaggedTensor))])
    return _joined([_with_levels(value, levels, dtype) for value in values], axis, stacked)


def _check_rank(value, ndims):
    if value.shape.ndims not in (None, ndims):
        raise ValueError(f"Shape {value.shape} must have rank {ndims}")


def _stacked_vectors(values):
    lengths = dense_stack([array_ops.shape(value)[0] for value in values])
    return RaggedTensor.from_row_lengths(dense_concat(values, 0), lengths, validate=False)


def _with_levels(value, levels, dtype):
    """The value with at least so many row partitions."""
    if levels == 0:
        return value
    if not isinstance(value, RaggedTensor):
        value = RaggedTensor.from_tensor(value, row_splits_dtype=dtype)
    if value.ragged_rank >= levels:
        return value
    return value.with_values(_with_levels(value.values, levels - 1, dtype))


def _joined(values, axis, stacked):
    if not isinstance(values[0], RaggedTensor):
        return (dense_stack if stacked else dense_concat)(values, axis)
    if axis == 0:
        return _joined_rows(values, stacked)
    if axis == 1:
        return _joined_in_rows(values, stacked)
    checks = assert_same_splits([[value.row_splits] for value in values])
    with control_dependencies(checks):
        inner = _joined([value.values for value in values], axis - 1, stacked)
    return RaggedTensor.of_partition(inner, values[0].partition.with_dependencies(checks))


def _joined_rows(values, stacked):
    """The rows of all values, one value after another."""
    flat = dense_concat([value.flat_values for value in values], 0)
    result = flat
    for level in reversed(range(values[0].ragged_rank)):
        result = RaggedTensor.from_row_splits(
            result, _joined_splits([value.nested_row_splits[level] for value in values]), validate=False
        )
    if not stacked:
        return result
    lengths = dense_stack([value.nrows() for value in values])
    return RaggedTensor.from_row_lengths(result, lengths, validate=False)


def _joined_splits(splits):
    parts, end = [splits[0]], splits[0][-1]
    for each in splits[1:]:
        parts.append(each[1:] + end)
        end = end + each[-1]
    return dense_concat(parts, 0)


def _joined_in_rows(values, stacked):
    """Row i of the result joins row i of all values."""
    count, rows = len(values), values[0].nrows()
    checks = [
        assert_equal(
            rows,
            value.nrows(),
            message=f"Input tensors at index 0 (=x) and {i} (=y) have incompatible shapes.",
        )
        for i, value in enumerate(values[1:], 1)
    ]
    known = next((value.partition.known_rows for value in values if value.partition.known_rows is not None), None)
    with control_dependencies(checks):
        order = array_ops.reshape(range_of(rows * count), [count, -1])
        order = array_ops.reshape(array_ops.transpose(order), [-1])
        mixed = ragged_gather(_joined_rows(values, stacked=False), order)
        if stacked:
            result = RaggedTensor.from_uniform_row_length(mixed, constant(count, rows.dtype), rows, validate=False)
        else:
            result = RaggedTensor.from_row_splits(mixed.values, mixed.row_splits[::count], validate=False)
    if known is not None:
        result.partition.set_rows(known)
    return result


# ---- Dimensions of size 1


def expand_dims(input, axis=None, name=None, dim=None):  # noqa: A002  named as in TensorFlow
    """`tf.expand_dims` for ragged tensors."""
    axis = array_ops.alias(axis, dim, "axis", "dim")
    with name_scope(name, "RaggedExpandDims", []):
        x = convert(input, name="input")
        ndims = x.shape.ndims
        return _expanded(x, positive_axis(axis, None if ndims is None else ndims + 1, ndims_name="rank(input)"))


def _expanded(x, axis):
    if not isinstance(x, RaggedTensor):
        return array_ops.expand_dims(x, axis)
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(x, x.nrows(), 1, validate=False)
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(x, 1, x.nrows(), validate=False)
    return x.with_values(_expanded(x.values, axis - 1))


def squeeze(input, axis=None, name=None, squeeze_dims=None):  # noqa: A002  named as in TensorFlow
    """`tf.squeeze` for ragged tensors."""
    axis = array_ops.alias(axis, squeeze_dims, "axis", "squeeze_dims")
    with name_scope(name, "RaggedSqueeze", []):
        x = convert(input)
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        axes = [axis] if isinstance(axis, int) else axis
        if not isinstance(axes, (list, tuple)) or not all(isinstance(a, int) for a in axes):
            raise TypeError("Axis must be a list or tuple of integers.")
        axes = {positive_axis(a, x.shape.ndims, f"axis[{i}]", "rank(input)") for i, a in enumerate(axes)}
        flat, partitions = x.flat_values, x.partitions
        dense = [a - len(partitions) for a in axes if a > len(partitions)]
        with control_dependencies(_assert_squeezable(partitions, axes)):
            flat = array_ops.squeeze(flat, dense) if dense else array_ops.identity(flat)
        kept = [p for level, p in enumerate(partitions, 1) if level not in axes]
        if 0 in axes:
            kept, all_gone = kept[1:], not kept
            if all_gone:
                return array_ops.squeeze(flat, [0])
        for partition in reversed(kept):
            flat = RaggedTensor.of_partition(flat, partition)
        return flat


def _assert_squeezable(partitions, axes):
    checks = []
    for axis, partition in enumerate(partitions, 1):
        if axis in axes:
            fits = reduce_all(equal(partition.lengths(), constant(1, partition.dtype)))
            checks.append(Assert(fits, [f"the given axis (axis = {axis}) is not squeezable!"]))
    if 0 in axes:
        fits = equal(partitions[0].rows(), constant(1, partitions[0].dtype))
        checks.append(Assert(fits, ["the given axis (axis = 0) is not squeezable!"]))
    return checks


# ---- Repeated, reversed, divided


def tile(input, multiples, name=None):  # noqa: A002  named as in TensorFlow
    """`tf.tile` for ragged tensors."""
    with name_scope(name, "RaggedTile", []):
        x = convert(input, name="input")
        multiples = int_tensor(multiples, "multiples", x.partition.dtype)
        multiples.shape.assert_has_rank(1)
        known = constant_value(multiples)
        return _tiled(x, multiples, [None] * (x.shape.ndims or 0) if known is None else known.tolist())


def _tiled(x, multiples, known):
    if not isinstance(x, RaggedTensor):
        return dense_tile(x, multiples)
    if known[1] != 1 or known[0] != 1:
        rows = x.partition.known_rows
        x = _tiled_rows(x, multiples[0], multiples[1])
        if None not in (rows, known[0]):
            x.partition.set_rows(rows * known[0])
    return x.with_values(_tiled(x.values, dense_concat([[1], multiples[2:]], 0), [1, *known[2:]]))


def _tiled_rows(x, outer, inner):
    """All rows `outer` times, and the values of each `inner` times."""
    rows = dense_tile(range_of(x.nrows()), array_ops.reshape(outer, [1]))
    lengths = dense_gather(x.row_lengths(), rows)
    target = RowPartition.from_lengths(lengths * inner, validate=False)
    starts = dense_gather(x.row_starts(), rows)
    ids = target.ids()
    offsets = range_of(target.count()) - dense_gather(target.splits, ids)
    places = dense_gather(starts, ids) + offsets % maximum(dense_gather(lengths, ids), 1)
    return RaggedTensor.of_partition(ragged_gather(x.values, places), target)


def reverse(tensor, axis, name=None):
    """`tf.reverse` for ragged tensors."""
    message = "`axis` must be a list of int or a constant tensor when reversing axes in a ragged tensor"
    with name_scope(name, "Reverse", []):
        x = convert(tensor, name="tensor")
        known = constant_value(axis) if isinstance(axis, Tensor) else axis
        axes = known.tolist() if isinstance(known, np.ndarray) else known
        if not isinstance(axes, (list, tuple)) or not all(isinstance(a, int) for a in axes):
            raise TypeError(message)
        axes = [positive_axis(a, x.shape.ndims, f"axis[{i}]", "rank(tensor)") for i, a in enumerate(axes)]
        key = [slice(None)] * (max(axes, default=-1) + 1)
        for each in axes:
            key[each] = slice(None, None, -1)
        return x[tuple(key)]


def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """`tf.split` for ragged tensors, along a dimension that is not ragged."""
    with name_scope(name, "RaggedSplit", []):
        x = convert(value, name="value")
        axis = positive_axis(axis, x.shape.ndims)
        size = _uniform_size(x, axis)
        if isinstance(num_or_size_splits, int):
            num = num_or_size_splits
            if num < 1:
                raise ValueError(f"`num_or_size_splits` must be >=1 if it is an `int`.Received {num}.")
            lengths = dense_tile(array_ops.reshape(size // num, [1]), [num])
        else:
            lengths = cast(num_or_size_splits, x.partition.dtype)
            lengths.shape.assert_has_rank(1)
            count = lengths.dims[0]
            if count is None and num is None:
                raise ValueError("`num` must be specified as an `int` when the size of `num_or_size_split` is unknown.")
            if None not in (count, num) and count != num:
                raise ValueError(
                    "`num` does not match the size of `num_or_size_split`. "
                    f"Received `num`: {num} and size of `num_or_size_split`: {count}."
                )
            num = num if count is None else count
        message = "Cannot exactly split the `axis` dimension of `value` with the given `num_or_size_split`."
        ends = dense_concat([zeros([1], lengths.dtype), cumsum(lengths)], 0)
        ends = with_dependencies([assert_equal(size, ends[-1], message=message)], ends)
        front = [slice(None)] * axis
        return [x[(*front, slice(ends[i], ends[i + 1]))] for i in range(num)]


def _uniform_size(x, axis):
    if axis == 0:
        return x.nrows()
    if axis > x.ragged_rank:
        return array_ops.shape(x.flat_values, out_type=x.partition.dtype)[axis - x.ragged_rank]
    if x.partitions[axis - 1].uniform is None:
        raise ValueError(f"Cannot split a ragged dimension. Got `value` with shape {x.shape} and `axis` {axis}.")
    return x.partitions[axis - 1].uniform


# ---- Masks and partitions


def boolean_mask(data, mask, name=None):
    """The values where a mask is true, in rows of their own.

    Args:
      data: A `RaggedTensor` or `Tensor`.
      mask: A `RaggedTensor` or `Tensor` of type bool, whose shape is that of the first dimensions of `data`.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor` of the rank of `data`; a `Tensor` if both are dense and the mask is a vector.

    Raises:
      ValueError: The rank of the mask is 0 or not known, or the types of row splits differ.
      tf.errors.InvalidArgumentError: At run time, the rows of the mask are others.

    Example:

    >>> data, mask = [[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]]
    >>> sess.run(tf.ragged.boolean_mask(data, mask)).to_list()
    [[1, 3], [6]]
    """
    with name_scope(name, "RaggedMask", []):
        data, mask = convert(data, name="data"), convert(mask, dtypes.bool, name="mask")
        dtype = match_splits(data, mask)
        if mask.shape.ndims is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if mask.shape.ndims == 0:
            raise ValueError("mask cannot be scalar.")
        return _masked(data, mask, dtype)


def _masked(data, mask, dtype):
    ndims = mask.shape.ndims
    if ndims == 1:
        return dense_mask(data, mask) if isinstance(data, Tensor) else _masked_rows(data, mask)
    if not (isinstance(data, RaggedTensor) or isinstance(mask, RaggedTensor)):
        return _masked_dense(data, mask, dtype)
    if not isinstance(mask, RaggedTensor):
        mask = RaggedTensor.from_tensor(mask, ragged_rank=ndims - 1, row_splits_dtype=dtype)
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data, row_splits_dtype=dtype)
    checks = assert_same_splits([[mask.row_splits], [data.row_splits]])
    with control_dependencies(checks):
        values = _masked(data.values, mask.values, dtype)
        if ndims > 2:
            return RaggedTensor.of_partition(values, mask.partition.with_dependencies(checks))
        kept = unsorted_segment_sum(cast(mask.values, dtype), mask.value_rowids(), mask.nrows())
        return RaggedTensor.from_row_lengths(values, kept, validate=False)


def _masked_dense(data, mask, dtype):
    values = dense_mask(data, mask)
    kept = array_ops.reshape(reduce_sum(cast(mask, dtype), -1), [-1])
    result = RaggedTensor.from_row_lengths(values, kept, validate=False)
    sizes = array_ops.shape(mask, out_type=dtype)
    for axis in reversed(range(mask.shape.ndims - 2)):
        rows = reduce_prod(sizes[: axis + 1])
        result = RaggedTensor.from_uniform_row_length(result, sizes[axis + 1], rows, validate=False)
    if result.shape.ndims is not None:
        result.set_static_shape([*mask.shape.as_list()[:-1], *[None] * (result.shape.ndims - mask.shape.ndims + 1)])
    return result


def _masked_rows(data, mask):
    lengths = dense_mask(data.row_lengths(), mask)
    values = _masked(data.values, dense_gather(mask, data.value_rowids()), data.partition.dtype)
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Groups values: row i of the result has the values whose partition is i.

    Args:
      data: A `RaggedTensor` or `Tensor`.
      partitions: Numbers below `num_partitions`, an integer tensor of the shape of the first dimensions of `data`.
      num_partitions: The number of partitions, a scalar.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor`. The values of a row are in the order that they have in `data`.

    Raises:
      ValueError: The rank of `partitions` is not known, or shapes differ.
      tf.errors.InvalidArgumentError: At run time, a number is out of range.

    Example:

    >>> sess.run(tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [2, 0, 2], 3)).to_list()
    [[b'b'], [], [b'a', b'c']]
    """
    with name_scope(name, "SegmentStack", []):
        data = convert(data, name="data")
        dtype = data.partition.dtype if isinstance(data, RaggedTensor) else None
        partitions = convert(partitions, preferred_dtype=dtype, name="partitions")
        if partitions.shape.ndims is None:
            raise ValueError("partitions must have known rank.")
        if dtype is not None and partitions.dtype is not dtype:
            values = cast(partitions.flat_values if isinstance(partitions, RaggedTensor) else partitions, dtype)
            partitions = partitions.with_flat_values(values) if isinstance(partitions, RaggedTensor) else values
        num_partitions = int_tensor(num_partitions, "num_partitions", partitions.dtype)
        num_partitions.shape.assert_has_rank(0)
        known = constant_value(num_partitions)
        if known is not None and known < 0:
            raise ValueError(f"Expected nrows >= 0; got {known}")
        partitions.shape.assert_is_compatible_with(data.shape[: partitions.shape.ndims])
        return _grouped(data, partitions, num_partitions)


def _grouped(data, partitions, count):
    ndims = partitions.shape.ndims
    if ndims == 0:
        return _grouped(_expanded(data, 0), array_ops.reshape(partitions, [1]), count)
    if ndims > 1:
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data, row_splits_dtype=partitions.dtype)
        if not isinstance(partitions, RaggedTensor):
            partitions = RaggedTensor.from_tensor(partitions, row_splits_dtype=data.partition.dtype)
        message = "data and partitions have incompatible ragged shapes"
        with control_dependencies([assert_equal(data.row_splits, partitions.row_splits, message=message)]):
            return _grouped(data.values, partitions.values, count)
    checks = [
        assert_less(partitions, count, message="partitions must be less than num_partitions"),
        assert_non_negative(partitions, message="partitions must be non-negative."),
    ]
    with control_dependencies(checks):
        order = argsort(partitions, stable=True)
        values = ragged_gather(data, order)
        return RaggedTensor.from_value_rowids(values, dense_gather(partitions, order), count, validate=False)


def dynamic_partition(data, partitions, num_partitions, name=None):
    """`tf.dynamic_partition` for ragged tensors."""
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    rows = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [rows[i] for i in range(num_partitions)]
