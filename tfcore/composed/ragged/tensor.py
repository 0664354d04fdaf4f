"""RaggedTensor: a tensor whose rows have different lengths."""

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.from_dense import merged, of_dense, of_sparse
from tfcore.composed.ragged.partition import RowPartition, partition_inputs, partition_tensor, shape_input
from tfcore.composed.ragged.segments import SPLITS_TYPES, cast_to, positive_axis
from tfcore.composed.ragged.value import RaggedTensorValue
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, as_shape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor, register_tensor_conversion_function
from tfcore.framework.values.sparse_tensor import SparseTensor, SparseTensorValue
from tfcore.ops.array.constants import ones, zeros
from tfcore.ops.array.join import concat, stack
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.debugging.check import assert_equal, assert_rank_at_least
from tfcore.ops.indexing.indexing import gather
from tfcore.ops.ragged.ragged import RaggedTensorToSparse
from tfcore.ops.ragged.to_tensor import RaggedTensorToTensor
from tfcore.ops.reduce.reduce import reduce_max


class RaggedTensor:
    """A tensor with one or more ragged dimensions: its rows have different lengths.

    It consists of `values`, the values of all rows one after another, and of row splits: row i has
    `values[row_splits[i]:row_splits[i + 1]]`. The values may be ragged themselves.

    Programs make ragged tensors with `tf.ragged.constant` and methods such as `from_row_splits`. Sessions return
    them as `RaggedTensorValue`s. Operators, indexing and most element-wise functions, reductions and functions of
    arrays take them.

    Args:
      values: A `Tensor` or `RaggedTensor`.
      row_partition: How they are divided into rows.
      internal: Whether this module calls it.

    Raises:
      ValueError: It is called by a program.

    Example:

    >>> x = tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5], [0, 3, 3, 5])
    >>> sess.run(x * 2).to_list()
    [[6, 2, 8], [], [2, 10]]
    """

    __array_priority__ = 100

    def __init__(self, values, row_partition, internal=False):
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                "RaggedTensor.from_row_lengths())"
            )
        as_shape(values.shape).with_rank_at_least(1)
        self._values, self._partition = values, row_partition

    # ---- Making them

    @classmethod
    def of_partition(cls, values, partition, validate=False):
        """Values in the rows of a partition."""
        values = to_values(values)
        if isinstance(values, RaggedTensor) and values.partition.dtype is not partition.dtype:
            raise ValueError(
                "Argument `row_partition` of RaggedTensor with name: partition must have same dtype as Argument "
                f"`values`. ({partition.dtype} vs. {values.partition.dtype})."
            )
        if partition.has_ids:
            values.shape[:1].assert_is_compatible_with(partition.ids().shape)
        if validate:
            message = "Arguments to _from_row_partition do not form a valid RaggedTensor"
            checks = [assert_equal(partition.count(), rows_of(values, partition.dtype), message=message)]
            if not isinstance(values, RaggedTensor):
                checks.append(assert_rank_at_least(values, 1))
            partition = partition.with_dependencies(checks)
        return cls(values, partition, internal=True)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """Values and, for each of them, the number of its row.

        Args:
          values: A `Tensor` or `RaggedTensor` of any type, of rank 1 or more.
          value_rowids: The numbers in ascending order, a vector of type int32 or int64.
          nrows: The number of rows; one more than the last number by default.
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: Static values or shapes don't fit.
          TypeError: `validate` is not a bool.
        """
        _check_validate(validate)
        with name_scope(name, "RaggedFromValueRowIds", [value_rowids, nrows]):
            partition = RowPartition.from_ids(value_rowids, nrows, validate, _hint(values))
            return cls.of_partition(values, partition, validate)

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """Values, and where rows begin and end.

        Args:
          values: A `Tensor` or `RaggedTensor` of any type, of rank 1 or more.
          row_splits: 0 and the ends of all rows, a vector of type int32 or int64.
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: The splits are empty, of another type or rank.
          TypeError: `validate` is not a bool.
        """
        _check_validate(validate)
        with name_scope(name, "RaggedFromRowSplits", [row_splits]):
            return cls.of_partition(values, RowPartition.from_splits(row_splits, validate, _hint(values)), validate)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """Values, and how many of them each row has.

        Args:
          values: A `Tensor` or `RaggedTensor` of any type, of rank 1 or more.
          row_lengths: A vector of type int32 or int64.
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: The lengths are of another type or rank.
          TypeError: `validate` is not a bool.
        """
        _check_validate(validate)
        with name_scope(name, "RaggedFromRowLengths", [row_lengths]):
            return cls.of_partition(values, RowPartition.from_lengths(row_lengths, validate, _hint(values)), validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """Values, and where rows begin.

        Args:
          values: A `Tensor` or `RaggedTensor` of any type, of rank 1 or more.
          row_starts: A vector of type int32 or int64, whose first number is 0.
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: The starts are of another type or rank.
          TypeError: `validate` is not a bool.
        """
        _check_validate(validate)
        with name_scope(name, "RaggedFromRowStarts", [row_starts]):
            values = to_values(values)
            partition = RowPartition.from_starts(row_starts, rows_of(values), validate, _hint(values))
            return cls.of_partition(values, partition, validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """Values, and where rows end.

        Args:
          values: A `Tensor` or `RaggedTensor` of any type, of rank 1 or more.
          row_limits: A vector of type int32 or int64.
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: The limits are of another type or rank.
          TypeError: `validate` is not a bool.
        """
        _check_validate(validate)
        with name_scope(name, "RaggedFromRowLimits", [row_limits]):
            values = to_values(values)
            return cls.of_partition(values, RowPartition.from_limits(row_limits, validate, _hint(values)), validate)

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        """Values in rows of the same length: a dimension that is not ragged, outside of ragged ones.

        Args:
          values: A `Tensor` or `RaggedTensor` of any type, of rank 1 or more.
          uniform_row_length: The length, a scalar of type int32 or int64.
          nrows: The number of rows; needed if the length is 0 and there are rows.
          validate: Whether to add checks of the arguments.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: The length is negative or does not divide the number of values, as far as they are known.
          TypeError: `validate` is not a bool.
        """
        _check_validate(validate)
        with name_scope(name, "RaggedFromUniformRowLength", [uniform_row_length, nrows]):
            values = to_values(values)
            length = partition_tensor(uniform_row_length, "UniformRowLength", _hint(values))
            known = values.shape.dims[0].value if values.shape.dims else None
            count = rows_of(values, length.dtype) if known is None else constant(known, length.dtype)
            return cls.of_partition(values, RowPartition.from_uniform(length, count, nrows, validate), validate)

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        """Values and the row ids of several ragged dimensions.

        Args:
          flat_values: A `Tensor` of any type.
          nested_value_rowids: A list of vectors, the outermost dimension first.
          nested_nrows: A list of numbers of rows (optional).
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`; `flat_values` if the list is empty.

        Raises:
          TypeError: A list is a `Tensor`, or `validate` is not a bool.
          ValueError: The lists have different lengths.
        """
        _check_validate(validate)
        _check_nested(nested_value_rowids, "nested_value_rowids")
        if nested_nrows is None:
            nested_nrows = [None] * len(nested_value_rowids)
        _check_nested(nested_nrows, "nested_nrows")
        if len(nested_nrows) != len(nested_value_rowids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument `nested_value_rowids`. "
                f"len(nested_nrows) = {len(nested_nrows)} vs. len(nested_values_rowids) = {len(nested_value_rowids)}."
            )
        with name_scope(name, "RaggedFromNestedValueRowIds", [*nested_value_rowids, *nested_nrows]):
            for ids, rows in zip(reversed(nested_value_rowids), reversed(nested_nrows)):
                flat_values = cls.from_value_rowids(flat_values, ids, rows, validate=validate)
            return flat_values

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """Values and the row splits of several ragged dimensions.

        Args:
          flat_values: A `Tensor` of any type.
          nested_row_splits: A list of vectors, the outermost dimension first.
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`; `flat_values` if the list is empty.

        Raises:
          TypeError: The list is a `Tensor`, or `validate` is not a bool.
        """
        _check_validate(validate)
        _check_nested(nested_row_splits, "nested_row_splits")
        with name_scope(name, "RaggedFromNestedRowSplits", list(nested_row_splits)):
            for splits in reversed(nested_row_splits):
                flat_values = cls.from_row_splits(flat_values, splits, validate=validate)
            return flat_values

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """Values and the row lengths of several ragged dimensions.

        Args:
          flat_values: A `Tensor` of any type.
          nested_row_lengths: A list of vectors, the outermost dimension first.
          name: Prefix of the names of the operations (optional).
          validate: Whether to add checks of the arguments.

        Returns:
          A `RaggedTensor`; `flat_values` if the list is empty.

        Raises:
          TypeError: The list is a `Tensor`, or `validate` is not a bool.
        """
        _check_validate(validate)
        _check_nested(nested_row_lengths, "nested_row_lengths")
        with name_scope(name, "RaggedFromNestedRowlengths", list(nested_row_lengths)):
            for lengths in reversed(nested_row_lengths):
                flat_values = cls.from_row_lengths(flat_values, lengths, validate=validate)
            return flat_values

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=dtypes.int64):
        """A dense tensor as a ragged one, with or without what fills its rows.

        Args:
          tensor: A `Tensor` of any type, of rank `ragged_rank + 1` or more.
          lengths: The lengths of rows, a vector of integers, or a tuple of the lengths of nested rows. Longer rows are
            cut (optional).
          padding: A value that is left out at the ends of rows (optional).
          ragged_rank: The number of ragged dimensions of the result, an int.
          name: Prefix of the names of the operations (optional).
          row_splits_dtype: int32 or int64.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: `lengths` and `padding` are both given, or a rank is too small.
          TypeError: `ragged_rank` is not an int.
        """
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if ragged_rank <= 0:
            raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
        with name_scope(name, "RaggedFromTensor", [tensor, lengths, padding]):
            tensor = convert_to_tensor(tensor, name="tensor")
            return of_dense(cls, tensor, lengths, padding, ragged_rank, dtypes.as_dtype(row_splits_dtype))

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=dtypes.int64):
        """A sparse matrix whose rows have values at their beginnings only, as a ragged one.

        Args:
          st_input: A `SparseTensor` of rank 2.
          name: Prefix of the names of the operations (optional).
          row_splits_dtype: int32 or int64.

        Returns:
          A `RaggedTensor`.

        Raises:
          TypeError: It is not a `SparseTensor`.
          ValueError: Its rank is not known to be 2.
          tf.errors.InvalidArgumentError: At run time, a value is missing before another one.
        """
        dtype = dtypes.as_dtype(row_splits_dtype)
        if not isinstance(st_input, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}."
            )
        with name_scope(name, "RaggedFromSparse", []):
            return of_sparse(cls, SparseTensor.from_value(st_input), dtype)

    # ---- What they consist of

    @property
    def partition(self):
        """The `RowPartition` of the outermost ragged dimension."""
        return self._partition

    @property
    def partitions(self):
        """The partitions of all ragged dimensions, the outermost first."""
        inner = self._values.partitions if isinstance(self._values, RaggedTensor) else ()
        return (self._partition, *inner)

    @property
    def dtype(self):
        """The `DType` of the values."""
        return self._values.dtype

    @property
    def graph(self):
        """The `Graph` it belongs to."""
        return self.row_splits.graph

    @property
    def shape(self):
        """The static shape, a `TensorShape`; None for ragged dimensions."""
        rows = TensorShape([self._partition.known_rows, self._partition.known_uniform])
        return rows.concatenate(self._values.shape[1:])

    def get_shape(self):
        """The static shape.

        Returns:
          A `TensorShape`.
        """
        return self.shape

    @property
    def ragged_rank(self):
        """The number of ragged dimensions, an int."""
        return len(self.partitions)

    @property
    def values(self):
        """The values of all rows, a `Tensor` or `RaggedTensor`."""
        return self._values

    @property
    def flat_values(self):
        """The innermost values, a `Tensor`."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def row_splits(self):
        """Where rows begin and end, a vector `Tensor`."""
        return self._partition.splits

    @property
    def nested_row_splits(self):
        """The splits of all ragged dimensions, a tuple of vectors, the outermost first."""
        return tuple(partition.splits for partition in self.partitions)

    @property
    def uniform_row_length(self):
        """The length of all rows, a scalar `Tensor`, or None if they differ."""
        return self._partition.uniform

    def value_rowids(self, name=None):
        """For each value the number of its row.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A vector `Tensor`.
        """
        with name_scope(name, "RaggedValueRowIds", []):
            return self._partition.ids()

    def nested_value_rowids(self, name=None):
        """The row ids of all ragged dimensions.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A tuple of vectors, the outermost dimension first.
        """
        with name_scope(name, "RaggedNestedValueRowIds", []):
            return tuple(partition.ids() for partition in self.partitions)

    def nrows(self, out_type=None, name=None):
        """The number of rows.

        Args:
          out_type: The type of the result; that of the splits by default.
          name: Prefix of the names of the operations (optional).

        Returns:
          A scalar `Tensor`.
        """
        with name_scope(name, "RaggedNRows", []):
            rows = self._partition.rows()
            return rows if out_type is None else cast_to(rows, dtypes.as_dtype(out_type))

    def row_starts(self, name=None):
        """Where rows begin.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A vector `Tensor`.
        """
        with name_scope(name, "RaggedRowStarts", []):
            return self.row_splits[:-1]

    def row_limits(self, name=None):
        """Where rows end.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A vector `Tensor`.
        """
        with name_scope(name, "RaggedRowLimits", []):
            return self.row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        """The lengths of rows.

        Args:
          axis: The dimension whose lengths they are, an int.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `Tensor` or `RaggedTensor` of the shape of the dimensions before `axis`.

        Raises:
          ValueError: There is no such dimension.
        """
        with name_scope(name, "RaggedRowLengths", []):
            axis = positive_axis(axis, self.shape.ndims, ndims_name="rank(self)")
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return self._partition.lengths()
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            sizes = array_ops.shape(self._values, out_type=self._partition.dtype)
            return self.with_values(ones(sizes[: axis - 1], self._partition.dtype) * sizes[axis - 1])

    def nested_row_lengths(self, name=None):
        """The lengths of the rows of all ragged dimensions.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A tuple of vectors, the outermost dimension first.
        """
        with name_scope(name, "RaggedNestedRowLengths", []):
            return tuple(partition.lengths() for partition in self.partitions)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The shape of the smallest dense tensor that has room for all values.

        Args:
          axis: A dimension or a vector of them, whose sizes are wanted; all by default.
          name: Prefix of the names of the operations (optional).
          out_type: int32 or int64; the type of the splits by default.

        Returns:
          A vector `Tensor`, or what `axis` selects of it.
        """
        out_type = self._partition.dtype if out_type is None else dtypes.as_dtype(out_type)
        with name_scope(name, "RaggedBoundingBox", [axis]):
            sizes = [self._partition.rows(), *(_longest(partition.lengths()) for partition in self.partitions)]
            sizes = [cast_to(size, out_type) for size in sizes]
            if isinstance(axis, int) and axis in (0, 1):
                return sizes[axis]
            inner = array_ops.shape(self.flat_values, out_type=out_type)[1:]
            box = concat([stack(sizes), inner], 0)
            return box if axis is None else gather(box, axis)

    def components(self):
        """The tensors that it consists of.

        Returns:
          A tuple of `Tensor`s: the flat values and the splits of each dimension.
        """
        return self.flat_values, *self.nested_row_splits

    def with_components(self, tensors):
        """One of other tensors.

        Args:
          tensors: A list of `Tensor`s in the order of `components`.

        Returns:
          A `RaggedTensor`.
        """
        values, *splits = tensors
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)

    def consumers(self):
        """The operations that take one of its tensors as an input.

        Returns:
          A list of `Operation`s.
        """
        return [op for tensor in self.components() for op in tensor.consumers()]

    # ---- Others made of them

    def with_values(self, new_values):
        """One with the same rows, and other values.

        Args:
          new_values: A `Tensor` or `RaggedTensor` with as many values.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: The static number of values differs, or the type of row splits.
        """
        new_values = to_values(new_values)
        as_shape(new_values.shape).with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedTensor) and new_values.partition.dtype is not self._partition.dtype:
            raise ValueError(
                "self and new_values have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
                "convert them to compatible dtypes."
            )
        return RaggedTensor(new_values, self._partition, internal=True)

    def with_flat_values(self, new_values):
        """One with the same ragged dimensions, and other innermost values.

        Args:
          new_values: A `Tensor` with as many values, or a `RaggedTensor`, which adds ragged dimensions.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: The static number of values differs.
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype):
        """The same ragged tensor, with row splits of another type.

        Args:
          dtype: int32 or int64.

        Returns:
          A `RaggedTensor`.

        Raises:
          ValueError: `dtype` is another type.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype not in SPLITS_TYPES:
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}.")
        ragged = isinstance(self._values, RaggedTensor)
        values = self._values.with_row_splits_dtype(dtype) if ragged else self._values
        return RaggedTensor(values, self._partition.with_dtype(dtype), internal=True)

    def merge_dims(self, outer_axis, inner_axis):
        """Joins neighbouring dimensions to one.

        Args:
          outer_axis: The first of them, an int.
          inner_axis: The last of them, an int.

        Returns:
          A `RaggedTensor`, or a `Tensor` if no ragged dimension is left.

        Raises:
          ValueError: There is no such dimension, or they are in the wrong order.
        """
        ndims = self.shape.ndims
        outer_axis = positive_axis(outer_axis, ndims, "outer_axis", "rank(self)")
        inner_axis = positive_axis(inner_axis, ndims, "inner_axis", "rank(self)")
        if outer_axis > inner_axis:
            raise ValueError(
                f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis})."
            )
        return merged(RaggedTensor, self, outer_axis, inner_axis)

    def set_static_shape(self, shape):
        """Notes what is known of the shape.

        Args:
          shape: Converts to a `TensorShape`.

        Raises:
          ValueError: It contradicts what is known.
        """
        shape = as_shape(shape)
        if shape.ndims is None:
            return
        sizes = shape.as_list()
        if sizes[0] is not None:
            self._partition.set_rows(sizes[0])
        for axis, partition in enumerate(self.partitions, 1):
            if sizes[axis] is not None:
                partition.set_uniform(sizes[axis], axis)
        self.flat_values.set_shape([None, *sizes[self.ragged_rank + 1 :]])

    def to_tensor(self, default_value=None, name=None, shape=None):
        """A dense tensor, in which `default_value` fills short rows.

        Args:
          default_value: A value of the type of this tensor, which broadcasts to its values; zero by default.
          name: Prefix of the names of the operations (optional).
          shape: The shape of the result; longer rows are cut. None, or -1 in a `Tensor`, is the size of the longest
            row.

        Returns:
          A `Tensor`.

        Raises:
          ValueError: `shape` has another rank.
        """
        with name_scope(name, "RaggedToTensor", [default_value, shape]):
            if default_value is None:
                default_value = zeros((), self.dtype)
            default_value = convert_to_tensor(default_value, name="default_value", dtype=self.dtype)
            if isinstance(shape, (list, tuple)) and any(isinstance(size, Tensor) for size in shape):
                shape = stack(shape)
            kinds, tensors = partition_inputs(self.partitions)
            sizes = shape_input(shape, self._partition.dtype)
            result = RaggedTensorToTensor(sizes, self.flat_values, default_value, tensors, row_partition_types=kinds)
            if self.shape.ndims is not None and not isinstance(shape, Tensor):
                wanted, own = as_shape(shape), self.shape.as_list()
                if wanted.ndims is not None:
                    own = [have if want is None else want for want, have in zip(wanted.as_list(), own)]
                result.set_shape(own)
            return result

    def to_sparse(self, name=None):
        """A sparse tensor with the same values.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A `SparseTensor`.
        """
        with name_scope(name, "RaggedToSparse", []):
            return SparseTensor(*RaggedTensorToSparse(self.nested_row_splits, self.flat_values))

    def to_list(self):
        """Not in graphs: sessions return values that have this method.

        Raises:
          ValueError: Always.
        """
        raise ValueError("to_list can only be used in eager mode.")

    def numpy(self):
        """Not in graphs: sessions return values.

        Raises:
          ValueError: Always.
        """
        raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self):
        raise TypeError("RaggedTensor is not iterable in a graph.")

    def __repr__(self):
        return f"tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})"


# ---- Arguments


def is_ragged(value):
    """Whether a value is a `RaggedTensor` or `RaggedTensorValue`."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def convert(value, dtype=None, preferred_dtype=None, name=None):
    """The value as a `RaggedTensor` if it is ragged, else as a `Tensor`."""
    if isinstance(value, RaggedTensor):
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtypes.as_dtype(dtype).name} for RaggedTensor with dtype "
                f"{value.dtype.name}: {value}."
            )
        return value
    if isinstance(value, RaggedTensorValue):
        flat = convert_to_tensor(value.flat_values, dtype, "flat_values", preferred_dtype)
        return RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits, validate=False)
    return convert_to_tensor(value, dtype, name, preferred_dtype)


def to_values(value):
    """What can be the values of a `RaggedTensor`."""
    return value if isinstance(value, (Tensor, RaggedTensor)) else convert(value, name="values")


def rows_of(tensor, out_type=dtypes.int32):
    """The size of the first dimension of a `Tensor` or `RaggedTensor`."""
    if isinstance(tensor, RaggedTensor):
        return tensor.nrows(out_type)
    return array_ops.shape(tensor, out_type=out_type)[0]


def _check_validate(validate):
    if not isinstance(validate, bool):
        raise TypeError(f"Argument `validate` must have type bool. Received {validate}.")


def _check_nested(tensors, name):
    if isinstance(tensors, Tensor):
        raise TypeError(f"Argument `{name}` must be a list of Tensors. Received {tensors}.")


def _hint(values):
    return values.partition.dtype if isinstance(values, RaggedTensor) else None


def _refuse_conversion(value, dtype=None, name=None, as_ref=False):
    raise TypeError(f"A RaggedTensor is not a Tensor, and this function takes none: {value!r}. See to_tensor().")


register_tensor_conversion_function((RaggedTensor, RaggedTensorValue), _refuse_conversion)


def _longest(lengths):
    return maximum(reduce_max(lengths), constant(0, lengths.dtype))
