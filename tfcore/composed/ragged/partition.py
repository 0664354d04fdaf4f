"""RowPartition: how the values of a ragged tensor are divided into rows."""

import numpy as np

from tfcore.composed.ragged.segments import SPLITS_TYPES, cast_to, row_splits_to_segment_ids, splits_of_lengths
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import as_shape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape
from tfcore.ops.array.constants import ones_like, zeros
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.control import with_dependencies
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.debugging.check import (
    assert_equal,
    assert_greater_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_rank,
)
from tfcore.ops.reduce.segment import unsorted_segment_sum


class RowPartition:
    """How values are divided into rows: the row splits, and what else is known of the rows.

    Args:
      splits: Where rows begin and end, a vector of type int32 or int64; all other tensors have its type.
      lengths: How many values each row has, or None.
      ids: For each value the number of its row, or None.
      rows: The number of rows, a scalar, or None.
      uniform: The length of all rows, a scalar, or None if they differ.
      count: The number of values, a scalar, or None.
    """

    __slots__ = ("splits", "uniform", "_lengths", "_ids", "_rows", "_count")

    def __init__(self, splits, lengths=None, ids=None, rows=None, uniform=None, count=None):
        splits.shape.assert_has_rank(1)
        self.splits, self.uniform = splits, uniform
        self._lengths, self._ids, self._rows, self._count = lengths, ids, rows, count

    @classmethod
    def from_ids(cls, ids, rows, validate, hint):
        """From the number of each value's row, and the number of rows or None."""
        with name_scope(None, "RowPartitionFromValueRowIds", [ids, rows]):
            ids = partition_tensor(ids, "value_rowids", hint)
            known_ids = constant_value(ids)
            if rows is None:
                rows, known_rows = _rows_of_ids(ids, known_ids)
            else:
                rows = convert_to_tensor(rows, ids.dtype, "nrows")
                rows.shape.assert_has_rank(0)
                known_rows = _checked_rows(rows, known_ids)
            ids.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_value_rowids do not form a valid RowPartition"
                checks = [
                    assert_rank(ids, 1, message=message),
                    assert_rank(rows, 0, message=message),
                    assert_non_negative(ids[:1], message=message),
                    _assert_ascending(ids, message),
                    assert_less(ids[-1:], rows, message=message),
                ]
                ids = with_dependencies(checks, ids)
            lengths = unsorted_segment_sum(ones_like(ids), ids, rows)
            splits = splits_of_lengths(lengths)
            if known_rows is not None:
                lengths.set_shape([known_rows])
                splits.set_shape([known_rows + 1])
            return cls(splits, lengths, ids, rows)

    @classmethod
    def from_splits(cls, splits, validate, hint=None):
        """From where rows begin and end."""
        if isinstance(splits, (list, tuple)) and not splits:
            raise ValueError("row_splits tensor may not be empty.")
        with name_scope(None, "RowPartitionFromRowSplits", [splits]):
            splits = partition_tensor(splits, "row_splits", hint)
            splits.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_splits do not form a valid RaggedTensor:"
                checks = [
                    assert_rank(splits, 1, message=message + "rank"),
                    _assert_zero(splits[0], message + "zero"),
                    _assert_ascending(splits, message + "monotonic"),
                ]
                splits = with_dependencies(checks, splits)
            return cls(splits)

    @classmethod
    def from_lengths(cls, lengths, validate, hint=None):
        """From how many values each row has."""
        with name_scope(None, "RowPartitionFromRowLengths", [lengths]):
            lengths = partition_tensor(lengths, "row_lengths", hint)
            lengths.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_lengths do not form a valid RowPartition"
                checks = [assert_rank(lengths, 1, message=message), assert_non_negative(lengths, message=message)]
                lengths = with_dependencies(checks, lengths)
            return cls(splits_of_lengths(lengths), lengths)

    @classmethod
    def from_starts(cls, starts, count, validate, hint):
        """From where rows begin, and the number of values."""
        with name_scope(None, "RowPartitionFromRowStarts", [starts]):
            starts = partition_tensor(starts, "row_starts", hint)
            starts.shape.assert_has_rank(1)
            count = cast_to(count, starts.dtype)
            if validate:
                message = "Arguments to from_row_starts do not form a valid RaggedTensor"
                checks = [
                    assert_rank(starts, 1, message=message),
                    _assert_zero(starts[:1], message),
                    _assert_ascending(starts, message),
                    assert_less_equal(starts[-1:], count, message=message),
                ]
                starts = with_dependencies(checks, starts)
            return cls(concat([starts, [count]], 0), count=count)

    @classmethod
    def from_limits(cls, limits, validate, hint):
        """From where rows end."""
        with name_scope(None, "RowPartitionFromRowLimits", [limits]):
            limits = partition_tensor(limits, "row_limits", hint)
            limits.shape.assert_has_rank(1)
            if validate:
                message = "Arguments to from_row_limits do not form a valid RaggedTensor"
                checks = [
                    assert_rank(limits, 1, message=message),
                    assert_non_negative(limits[:1], message=message),
                    _assert_ascending(limits, message),
                ]
                limits = with_dependencies(checks, limits)
            return cls(concat([zeros([1], limits.dtype), limits], 0))

    @classmethod
    def from_uniform(cls, length, count, rows, validate):
        """From the length that all rows have, the number of values, and the number of rows or None."""
        with name_scope(None, "RowPartitionFromUniformRowLength", [length, rows]):
            length.shape.assert_has_rank(0)
            known_length = _known(length)
            counted = rows is None
            if rows is not None:
                rows = convert_to_tensor(rows, length.dtype, "nrows")
            elif known_length == 0:
                rows = constant(0, length.dtype)
            elif None not in (known_length, _known(count)):
                rows = constant(_known(count) // max(known_length, 1), length.dtype)
            else:
                rows = count // maximum(length, constant(1, length.dtype))
            known_rows, known_count = _known(rows), _known(count)
            given_rows = None if counted else known_rows
            if known_rows is not None and known_length is not None:
                splits = constant(np.arange(known_rows + 1) * known_length, length.dtype)
            else:
                splits = range_of(rows + 1, dtype=length.dtype) * length
            if validate:
                checks = _uniform_checks(length, rows, count, known_length, given_rows, known_count)
                splits = with_dependencies(checks, splits)
            if known_rows is not None and known_length is not None:
                splits.set_shape([known_rows + 1])
                count = constant(known_rows * known_length, length.dtype)
            return cls(splits, rows=rows, uniform=length, count=count)

    @property
    def dtype(self):
        """The type of the splits."""
        return self.splits.dtype

    @property
    def has_ids(self):
        """Whether it was made from the rows of values."""
        return self._ids is not None

    def ids(self):
        """For each value the number of its row."""
        return row_splits_to_segment_ids(self.splits) if self._ids is None else self._ids

    def lengths(self):
        """How many values each row has."""
        return self.splits[1:] - self.splits[:-1] if self._lengths is None else self._lengths

    def rows(self):
        """The number of rows."""
        if self._rows is not None:
            return self._rows
        known = self.splits.dims[0] if self.splits.dims else None
        if known is not None:
            return constant(known - 1, self.dtype)
        return shape(self.splits, out_type=self.dtype)[0] - 1

    def count(self):
        """The number of values."""
        return self.splits[-1]

    @property
    def known_rows(self):
        """The number of rows, if it is known; else None."""
        if self.splits.dims and self.splits.dims[0] is not None:
            return self.splits.dims[0] - 1
        return None if self._rows is None else _known(self._rows)

    @property
    def known_uniform(self):
        """The length of all rows, if it is known; else None."""
        return None if self.uniform is None else _known(self.uniform)

    def with_dependencies(self, checks):
        """The same partition, whose splits are there only after operations have run."""
        splits = with_dependencies(checks, self.splits)
        return RowPartition(splits, self._lengths, self._ids, self._rows, self.uniform, self._count)

    def with_dtype(self, dtype):
        """The same partition with tensors of another type."""
        if self.dtype is dtype:
            return self
        parts = (self.splits, self._lengths, self._ids, self._rows, self.uniform, self._count)
        return RowPartition(*(None if part is None else cast_to(part, dtype) for part in parts))

    def set_rows(self, rows):
        """Notes the number of rows."""
        self.splits.set_shape([rows + 1])

    def set_uniform(self, length, axis):
        """Notes the length of all rows. Raises ValueError if it contradicts what is known."""
        known = self.known_uniform
        if known is not None and known != length:
            raise ValueError(f"Inconsistent size for axis {axis}: {known} vs. {length}.")
        if known is None:
            self._rows = self.rows()
            self.uniform = constant(length, self.dtype)


def partition_tensor(value, name, hint=None):
    """The `Tensor` of an argument that says where rows are; of type int64 unless it has one, or `hint` is one."""
    if isinstance(value, np.ndarray) and value.dtype == np.int32:
        value = convert_to_tensor(value, name=name)
    else:
        value = convert_to_tensor(value, preferred_dtype=hint or dtypes.int64, name=name)
    if value.dtype not in SPLITS_TYPES:
        raise ValueError(f"{name} must have dtype int32 or int64")
    return value


def _known(scalar):
    value = constant_value(scalar)
    return None if value is None else int(value)


def _rows_of_ids(ids, known):
    if known is None:
        return concat([ids[-1:], constant([-1], ids.dtype)], 0)[0] + 1, None
    rows = int(known[-1]) + 1 if known.size else 0
    return convert_to_tensor(rows, ids.dtype, "nrows"), rows


def _checked_rows(rows, known_ids):
    known = _known(rows)
    if known is None:
        return None
    if known < 0:
        raise ValueError(f"Expected nrows >= 0; got {known}")
    if known_ids is not None and known_ids.size and known <= known_ids.flat[-1]:
        last = known_ids.flat[-1]
        raise ValueError(f"Expected nrows >= value_rowids[-1] + 1; got nrows={known}, value_rowids[-1]={last}")
    return known


def _uniform_checks(length, rows, count, known_length, known_rows, known_count):
    checks = []
    if None in (known_length, known_rows, known_count):
        words = ("uniform_row_length", length, "times nrows", rows, "must equal nvals", count)
        checks.append(assert_equal(rows * length, count, data=words))
    elif known_rows * known_length != known_count:
        raise ValueError(f"uniform_row_length={known_length} times nrows={known_rows} must equal nvals={known_count}")
    if known_length is None:
        zero = constant(0, length.dtype)
        checks.append(assert_greater_equal(length, zero, message="uniform_row_length must be >= 0."))
    elif known_length < 0:
        raise ValueError("uniform_row_length must be >= 0.")
    return checks


def _assert_ascending(tensor, message):
    return assert_non_negative(tensor[1:] - tensor[:-1], message=message)


def _assert_zero(tensor, message):
    return assert_equal(tensor, constant(0, tensor.dtype), message=message)


def partition_inputs(partitions):
    """The kinds and tensors of partitions, as RaggedTensorToTensor takes them."""
    pairs = []
    for level, partition in enumerate(partitions):
        if not partition.has_ids:
            pairs.append(("ROW_SPLITS", partition.splits))
            continue
        if level == 0:
            pairs.append(("FIRST_DIM_SIZE", partition.rows()))
        pairs.append(("VALUE_ROWIDS", partition.ids()))
    return [kind for kind, _ in pairs], [tensor for _, tensor in pairs]


def shape_input(shape, dtype):
    if isinstance(shape, Tensor):
        return shape if shape.dtype in SPLITS_TYPES else cast(shape, dtype)
    shape = as_shape(shape)
    if shape.ndims is None:
        return constant(-1, dtype)
    return constant([-1 if size is None else size for size in shape.as_list()], dtype)
