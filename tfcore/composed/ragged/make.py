"""Ragged tensors of Python lists, of placeholders and of ranges."""

import builtins

import numpy as np

from tfcore.composed.ragged.tensor import RaggedTensor, is_ragged
from tfcore.composed.ragged.value import RaggedTensorValue
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant as dense_constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import placeholder as dense_placeholder
from tfcore.ops.cwise.cast import cast
from tfcore.ops.ragged.ragged import RaggedRange

_NUMBERS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)  # each takes those before it


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=dtypes.int64):
    """A ragged tensor of nested lists.

    Args:
      pylist: Nested lists or tuples; all numbers and strings are at the same depth.
      dtype: The type of the values; that of the lists by default.
      ragged_rank: The number of ragged dimensions; by default, all dimensions but the first that `inner_shape` does not
        have.
      inner_shape: The shape of the values of the innermost rows, a tuple.
      name: Prefix of the names of the operations (optional).
      row_splits_dtype: int32 or int64.

    Returns:
      A `RaggedTensor`; a `Tensor` if there are no ragged dimensions.

    Raises:
      ValueError: The depths differ, or don't fit to `ragged_rank` and `inner_shape`.
      TypeError: `pylist` is ragged already.

    Example:

    >>> sess.run(tf.ragged.constant([[1, 2], [], [3]])).to_list()
    [[1, 2], [], [3]]
    """
    splits_type = dtypes.as_dtype(row_splits_dtype)

    def rows(values, splits):
        return RaggedTensor.from_row_splits(values, dense_constant(splits, splits_type), validate=False)

    with name_scope(name, "RaggedConstant", []):
        return _of_lists(pylist, ragged_rank, inner_shape, rows, lambda x, shape: _dense(x, dtype, shape))


def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
    """The value of a ragged tensor, of nested lists.

    Args:
      pylist: Nested lists or tuples; all numbers and strings are at the same depth.
      dtype: The NumPy type of the values; that of the lists by default.
      ragged_rank: The number of ragged dimensions; by default, all dimensions but the first that `inner_shape` does not
        have.
      inner_shape: The shape of the values of the innermost rows, a tuple.
      row_splits_dtype: "int32" or "int64".

    Returns:
      A `RaggedTensorValue`; an array if there are no ragged dimensions.

    Raises:
      ValueError: The depths differ, or don't fit to `ragged_rank` and `inner_shape`.
      TypeError: `pylist` is ragged already.
    """
    if isinstance(dtype, dtypes.DType):
        dtype = dtype.as_numpy_dtype
    splits_type = dtypes.as_dtype(row_splits_dtype).as_numpy_dtype

    def rows(values, splits):
        return RaggedTensorValue(values, np.array(splits, splits_type))

    def values(items, shape):
        array = np.array(items, dtype) if dtype in (object, None) else np.array(items).astype(dtype)
        return array if shape is None else array.reshape(shape)

    return _of_lists(pylist, ragged_rank, inner_shape, rows, values)


def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """A placeholder for a ragged tensor, to which programs feed a `RaggedTensorValue`.

    Args:
      dtype: The `DType` of the values.
      ragged_rank: The number of ragged dimensions, an int.
      value_shape: The shape of the values of the innermost rows.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `RaggedTensor`; a `Tensor` if `ragged_rank` is 0.

    Raises:
      TypeError: An argument is of another type.

    Example:

    >>> x = tf.ragged.placeholder(tf.float32, ragged_rank=1)
    >>> sess.run(tf.reduce_sum(x, axis=1), {x: tf.ragged.constant_value([[1.0, 2.0], []], np.float32)})
    array([3., 0.], dtype=float32)
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder", []):
        result = dense_placeholder(dtype, TensorShape([None]).concatenate(value_shape), "flat_values")
        for level in reversed(builtins.range(ragged_rank)):
            splits = dense_placeholder(dtypes.int64, [None], f"row_splits_{level}")
            result = RaggedTensor.from_row_splits(result, splits, validate=False)
        return result


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=dtypes.int64):  # noqa: A001
    """A ragged tensor whose rows are ranges of numbers.

    Args:
      starts: The first numbers, a vector or scalar; the limits, if those are None.
      limits: The ends, which don't belong to the ranges (optional).
      deltas: The steps.
      dtype: The type of the numbers; by default the largest one of the arguments.
      name: Prefix of the names of the operations (optional).
      row_splits_dtype: int32 or int64.

    Returns:
      A `RaggedTensor` of two dimensions.

    Raises:
      ValueError: The arguments have different lengths.
      tf.errors.InvalidArgumentError: At run time, a step is 0.

    Example:

    >>> sess.run(tf.ragged.range([3, 0, 2])).to_list()
    [[0, 1, 2], [], [0, 1]]
    """
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange", [starts, limits, deltas]):
        given = {"starts": starts, "limits": limits, "deltas": deltas}
        tensors = [convert_to_tensor(value, dtype, key) for key, value in given.items()]
        if dtype is None and all(tensor.dtype in _NUMBERS for tensor in tensors):
            largest = max((tensor.dtype for tensor in tensors), key=_NUMBERS.index)
            tensors = [cast(tensor, largest) for tensor in tensors]
        splits, values = RaggedRange(*tensors, Tsplits=dtypes.as_dtype(row_splits_dtype))
        return RaggedTensor.from_row_splits(values, splits, validate=False)


# ---- Nested lists


def _is_list(item):
    return isinstance(item, (list, tuple)) or np.ndim(item) != 0


def _dense(items, dtype, shape):
    if shape and np.size(items) and np.shape(items) != tuple(shape):
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, but got {np.shape(items)}.")
    return dense_constant(items, dtype, shape, name="values")


def _of_lists(pylist, ragged_rank, inner_shape, rows, values):
    """Nested lists as `values(list, shape)` in `rows(values, splits)`."""
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        if inner_shape:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner_shape)}")
        return values(pylist, ())
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    depth, deepest = _depths(pylist)
    _check_depths(pylist, depth, deepest, ragged_rank, inner_shape)
    flat = deepest < 2 or inner_shape is not None and deepest - len(inner_shape) < 2
    if ragged_rank == 0 or ragged_rank is None and flat:
        return values(pylist, inner_shape)
    if inner_shape is None:
        inner_shape = () if ragged_rank is None else _inner_shape(pylist, ragged_rank)
    if ragged_rank is None:
        ragged_rank = max(1, deepest - 1 if depth is None else depth - 1 - len(inner_shape))
    nested_splits = []
    for _ in builtins.range(ragged_rank):
        nested_splits.append(np.cumsum([0, *map(len, pylist)]))
        pylist = [item for row in pylist for item in row]
    result = values(pylist, (len(pylist), *inner_shape))
    for splits in reversed(nested_splits):
        result = rows(result, splits)
    return result


def _depths(item):
    """The depth of the scalars in nested lists, None without scalars, and the depth of the deepest list."""
    if not _is_list(item):
        return 0, 0
    depth, deepest = None, 1
    for child in item:
        child_depth, child_deepest = _depths(child)
        if child_depth is not None:
            if depth not in (None, child_depth + 1):
                raise ValueError("all scalar values must have the same nesting depth")
            depth = child_depth + 1
        deepest = max(deepest, child_deepest + 1)
    return depth, deepest


def _check_depths(pylist, depth, deepest, ragged_rank, inner_shape):
    if depth is not None and deepest > depth:
        raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
    if depth is not None and ragged_rank is not None and deepest < ragged_rank:
        raise ValueError(f"Invalid pylist={pylist}, max depth smaller than ragged_rank={ragged_rank}")
    if inner_shape is None or ragged_rank is None:
        return
    wanted = ragged_rank + len(inner_shape) + 1
    if wanted < deepest if depth is None else wanted != depth:
        raise ValueError(
            f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
            f"dim(inner_shape)={len(inner_shape)}"
        )


def _inner_shape(pylist, ragged_rank):
    """The shape of the values below `ragged_rank` levels of lists."""
    for level in builtins.range(ragged_rank):
        if not all(map(_is_list, pylist)):
            raise ValueError(
                f"pylist has scalar values depth {level + 1}, but ragged_rank={ragged_rank} requires scalar value "
                f"depth greater than {ragged_rank}"
            )
        pylist = [item for row in pylist for item in row]
    shape, first = [], pylist
    while _is_list(first):
        shape.append(len(first))
        first = first[0] if len(first) else 0
    _check_shape(pylist, shape)
    return tuple(shape[1:])


def _check_shape(item, shape):
    if _is_list(item) != bool(shape) or shape and len(item) != shape[0]:
        raise ValueError("inner values have inconsistent shape")
    for child in item if shape else ():
        _check_shape(child, shape[1:])
