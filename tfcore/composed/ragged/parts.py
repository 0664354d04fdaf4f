"""Parts of ragged tensors: indexing and slices, gather and gather_nd."""

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.arguments import match_splits
from tfcore.composed.ragged.make import range as ragged_range
from tfcore.composed.ragged.segments import positive_axis
from tfcore.composed.ragged.tensor import RaggedTensor, convert, rows_of
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.binary import maximum, minimum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where_v2
from tfcore.ops.debugging.check import assert_greater_equal, assert_less
from tfcore.ops.indexing.indexing import gather as dense_gather
from tfcore.ops.indexing.indexing import gather_nd as dense_gather_nd
from tfcore.ops.ragged.ragged import RaggedGather


def getitem(x, key):
    """What `x[key]` is for a ragged tensor.

    Args:
      x: A `RaggedTensor`.
      key: An int, a scalar `Tensor`, a slice, None, an ellipsis, or a tuple of these. Ragged dimensions take slices
        only.

    Returns:
      A `RaggedTensor` or `Tensor`.

    Raises:
      ValueError: A ragged dimension is indexed by a number.
      IndexError: There are more keys than dimensions.
      TypeError: A key is of another type.
    """
    with name_scope(None, "RaggedGetItem", []):
        return _rows(x, list(key) if isinstance(key, (list, tuple)) else [key])


def _rows(x, keys):
    if not keys:
        return x
    key, inner = keys[0], keys[1:]
    if key is Ellipsis:
        return _rows(x, _expanded(keys, x.shape.ndims))
    if key is None:
        part = _rows(x, inner)
        return RaggedTensor.from_uniform_row_length(part, rows_of(part, x.partition.dtype), 1, validate=False)
    if isinstance(key, slice):
        part = _slice_of_rows(x, key)
        if x.uniform_row_length is not None:
            part = RaggedTensor.from_uniform_row_length(part.values, x.uniform_row_length, part.nrows(), validate=False)
        return _columns(part, inner)
    row = x.values[x.row_splits[:-1][key] : x.row_splits[1:][key]]
    return _of(row, inner)


def _of(x, keys):
    if not keys:
        return x
    return _rows(x, keys) if isinstance(x, RaggedTensor) else x[tuple(keys)]


def _slice_of_rows(x, key):
    if key == slice(None):
        return x
    starts, limits = x.row_splits[:-1][key], x.row_splits[1:][key]
    if key.step not in (None, 1):
        return _of_ranges(starts, limits, 1, x.values)
    # An empty slice has no start: its splits begin with a 0 of their own.
    zero = zeros([1], starts.dtype)[array_ops.size(starts) :]
    splits = concat([zero, starts[:1], limits], 0)
    return RaggedTensor.from_row_splits(x.values[splits[0] : splits[-1]], splits - splits[0], validate=False)


def _columns(x, keys):
    """What the keys select of each row of x, whose first dimension they leave as it is."""
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[(slice(None), *keys)]
    key, inner = keys[0], keys[1:]
    if key is Ellipsis:
        return _columns(x, _expanded(keys, x.values.shape.ndims))
    if key is None:
        part = _columns(x, inner)
        return RaggedTensor.from_uniform_row_length(part, 1, rows_of(part, x.partition.dtype), validate=False)
    if isinstance(key, slice):
        part = x if key == slice(None) else _slice_of_columns(x, key)
        return part.with_values(_columns(part.values, inner))
    if x.uniform_row_length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    length = x.uniform_row_length
    key = cast(key, length.dtype)
    message = "Index out of bounds when indexing into a ragged tensor"
    checks = [assert_greater_equal(key, -length, message=message), assert_less(key, length, message=message)]
    with control_dependencies(checks):
        place = where_v2(key >= 0, key, length + key)
    return _columns(x.values[place::length], inner)


def _slice_of_columns(x, key):
    for offset in (key.start, key.stop):
        if not (offset is None or isinstance(offset, (Tensor, int))):
            raise TypeError("slice offsets must be integers or None")
    starts, limits = x.row_splits[:-1], x.row_splits[1:]
    step = 1 if key.step is None else key.step
    first, last = _by_sign(step, starts, starts - 1), _by_sign(step, limits, limits - 1)

    def place(offset, default):
        if offset is None:
            return default
        moved = cast(offset, starts.dtype)
        return _by_sign(offset, minimum(starts + moved, last), maximum(limits + moved, first))

    begin = place(key.start, _by_sign(step, starts, limits - 1))
    end = place(key.stop, _by_sign(step, limits, starts - 1))
    part = _of_ranges(begin, end, step, x.values)
    if x.uniform_row_length is None:
        return part
    known = x.partition.known_uniform
    if known is None or isinstance(key.start, Tensor) or isinstance(key.stop, Tensor):
        length = array_ops.size(range_of(x.uniform_row_length)[key], out_type=starts.dtype)
    else:
        length = constant(len(range(known)[key]), starts.dtype)
    return RaggedTensor.from_uniform_row_length(part.values, length, x.nrows(), validate=False)


def _by_sign(number, if_positive, if_negative):
    known = constant_value(number) if isinstance(number, Tensor) else number
    if known is None:
        return where_v2(number >= 0, if_positive, if_negative)
    return if_positive if known >= 0 else if_negative


def _of_ranges(starts, limits, step, values):
    """The ragged tensor whose rows are ranges of values."""
    step = convert_to_tensor(step, name="step")
    if not step.dtype.is_integer:
        raise TypeError("slice strides must be integers or None")
    places = ragged_range(starts, limits, cast(step, starts.dtype), row_splits_dtype=starts.dtype)
    return places.with_values(gather(values, places.values))


def _expanded(keys, ndims):
    """The keys with the ellipsis in front replaced by a slice, or left out if there is nothing for it."""
    if ndims is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    count = sum(key is not None for key in keys)
    if count > ndims + 1:
        raise IndexError("Too many indices for RaggedTensor")
    return keys[1:] if count == ndims + 1 else [slice(None), *keys]


# ---- gather


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """`tf.gather` for ragged tensors."""
    with name_scope(name, "RaggedGather", []):
        params, indices = convert(params, name="params"), convert(indices, name="indices")
        match_splits(params, indices)
        ndims = indices.shape.ndims
        if batch_dims != ndims:
            batch_dims = positive_axis(batch_dims, ndims, "batch_dims", "rank(indices)")
        if params.shape.ndims is not None and batch_dims >= params.shape.ndims:
            raise ValueError("batch_dims must be less than rank(params)")
        axis = positive_axis(batch_dims if axis is None else axis, params.shape.ndims, ndims_name="rank(params)")
        if axis < batch_dims:
            raise ValueError("axis must be greater than or equal to batch_dims")
        return _gather(params, indices, axis, batch_dims)


def _gather(params, indices, axis, batch_dims):
    ragged_params, ragged_indices = isinstance(params, RaggedTensor), isinstance(indices, RaggedTensor)
    if not (ragged_params or ragged_indices):
        return dense_gather(params, indices, axis=axis, batch_dims=batch_dims)
    if batch_dims:
        return _gather_in_batches(params, indices, axis, batch_dims)
    if axis > 1:
        return _in_rows(params, indices).with_values(_gather(_joined(params), indices, axis - 1, 0))
    if axis == 1:
        return _gather(_joined(params), _moved(indices, params, ndims=_ndims(indices) + 1), 0, 0)
    if ragged_indices:
        return indices.with_values(_gather(params, indices.values, 0, 0))
    ndims = _ndims(indices)
    splits, values = RaggedGather(
        params.nested_row_splits, params.flat_values, indices, OUTPUT_RAGGED_RANK=ndims + params.ragged_rank - 1
    )
    result = RaggedTensor.from_nested_row_splits(values, splits, validate=False)
    if ndims == 0 or result.shape.ndims is None:
        return result
    result.set_static_shape(TensorShape([*indices.shape.as_list(), *[None] * (result.shape.ndims - ndims)]))
    return result


def _gather_in_batches(params, indices, axis, batch_dims):
    if not params.shape[:batch_dims].is_compatible_with(indices.shape[:batch_dims]):
        raise ValueError(
            f"batch shape from indices {indices.shape[:batch_dims]} does not match params shape {params.shape}"
        )
    if batch_dims > 1:
        for ragged, dense, names in ((indices, params, "indices params"), (params, indices, "params indices")):
            if not isinstance(dense, RaggedTensor) and ragged.uniform_row_length is None:
                other, own = names.split()
                raise ValueError(
                    f"batch shape from indices does not match params shape: ragged {other} dimension corresponds to "
                    f"uniform {own} dimension"
                )
        outer = _in_rows(params, indices)
        return outer.with_values(_gather(_joined(params), _joined(indices), axis - 1, batch_dims - 1))
    if axis > 1:
        outer = _in_rows(params, indices)
        rows = outer.value_rowids()
        return outer.with_values(_gather(_joined(params), _gather(indices, rows, 0, 0), axis - 1, 1))
    return _gather(_joined(params), _moved(indices, params, _ndims(indices)), 0, 0)


def _ndims(indices):
    if indices.shape.ndims is None:
        raise ValueError("rank(indices) must be known statically")
    return indices.shape.ndims


def _in_rows(x, other):
    """x with its first dimension of rows as a ragged one."""
    if isinstance(x, RaggedTensor):
        return x
    dtype = other.partition.dtype if isinstance(other, RaggedTensor) else dtypes.int64
    return RaggedTensor.from_tensor(x, row_splits_dtype=dtype)


def _joined(x):
    """x with its first two dimensions joined."""
    if isinstance(x, RaggedTensor):
        return x.values
    return array_ops.reshape(x, concat([[-1], array_ops.shape(x)[2:]], 0))


def _moved(indices, params, ndims):
    """Indices in the rows of params as indices in all of its values."""
    if isinstance(params, RaggedTensor):
        starts = cast(params.row_starts(), indices.dtype)
    else:
        sizes = array_ops.shape(params, out_type=indices.dtype)
        starts = range_of(sizes[0]) * sizes[1]
    if ndims > indices.shape.ndims or not isinstance(indices, RaggedTensor):
        return _plus(indices, array_ops.reshape(starts, [-1] + [1] * (ndims - 1)))
    return indices.with_flat_values(indices.flat_values + _of_values(indices, starts))


def _plus(indices, starts):
    if isinstance(indices, RaggedTensor):
        count = array_ops.reshape(array_ops.size(starts), [1])
        copies = _gather(_one_row(indices), zeros(count, dtypes.int32), 0, 0)
        copies.set_static_shape([starts.shape[0], *indices.shape.as_list()])
        flat = array_ops.reshape(starts, [-1])
        return copies.with_flat_values(copies.flat_values + _of_values(copies, flat))
    return indices + starts


def _one_row(x):
    return RaggedTensor.from_uniform_row_length(x, x.nrows(), 1, validate=False)


def _of_values(x, per_row):
    """For each flat value of x what `per_row` has for its row, as a tensor that broadcasts to the flat values."""
    for partition in x.partitions:
        per_row = dense_gather(per_row, partition.ids())
    extra = x.flat_values.shape.ndims - 1
    return array_ops.reshape(per_row, [-1] + [1] * extra) if extra else per_row


def gather_nd(params, indices, name=None, batch_dims=0, bad_indices_policy=""):
    """`tf.gather_nd` for ragged tensors."""
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    if bad_indices_policy not in ("", "DEFAULT"):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    with name_scope(name, "RaggedGatherNd", []):
        params, indices = convert(params, name="params"), convert(indices, name="indices")
        match_splits(params, indices)
        return _gather_nd(params, indices)


def _gather_nd(params, indices):
    if not (isinstance(params, RaggedTensor) or isinstance(indices, RaggedTensor)):
        return dense_gather_nd(params, indices)
    ndims = indices.shape.ndims
    if ndims is None:
        raise ValueError("indices.rank be statically known.")
    if ndims == 0:
        raise ValueError("indices.rank must be at least 1.")
    if isinstance(indices, RaggedTensor) and ndims == indices.ragged_rank + 1:
        raise ValueError("The innermost dimension of indices may not be ragged")
    depth = indices.shape.as_list()[-1]
    if depth is None:
        raise ValueError("indices.shape[-1] must be statically known.")
    if ndims > 2:
        return _gather_nd_in_rows(params, indices)
    if depth == 0:
        return (
            params if ndims == 1 else _gather(_one_row(params), zeros(array_ops.shape(indices)[:1], dtypes.int32), 0, 0)
        )
    places = cast(indices, params.partition.dtype)
    rows = places[..., 0]
    for axis in range(1, depth):
        if not isinstance(params, RaggedTensor):
            rest = concat([array_ops.expand_dims(rows, -1), places[..., axis:]], -1)
            return dense_gather_nd(params, rest)
        rows = dense_gather(params.row_starts(), rows) + places[..., axis]
        params = params.values
    return _gather(params, rows, 0, 0)


def _gather_nd_in_rows(params, indices):
    dense = not isinstance(indices, RaggedTensor)
    if dense:
        levels = indices.shape.ndims - 2
        indices = RaggedTensor.from_tensor(indices, ragged_rank=levels, row_splits_dtype=params.partition.dtype)
    found = _gather_nd(params, indices.flat_values)
    result = indices.with_flat_values(found)
    return result.to_tensor() if dense and not isinstance(found, RaggedTensor) else result


def batch_gather(params, indices, name=None):
    """`tf.batch_gather` for ragged tensors."""
    return gather(params, indices, batch_dims=-1, name=name)


RaggedTensor.__getitem__ = getitem
