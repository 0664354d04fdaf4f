"""Constants: creating them from Python values, and evaluating tensors whose values are known at graph construction."""

import math

import numpy as np

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.values import folding
from tfcore.framework.values.arrays import fit, make_array


def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    """A constant tensor.

    Args:
      value: A number, bool, string, (nested) list of these, or array. Python floats become float32, ints int32 (int64
        where they do not fit); arrays keep their type.
      dtype: The `DType` to convert to (optional).
      shape: The shape of the result (optional). A value with fewer elements is extended by its last element.
      name: Name of the operation.
      verify_shape: Whether `value` must have exactly the given shape.

    Returns:
      A `Tensor` of the type and shape described.

    Raises:
      TypeError: The type cannot hold the values, or `verify_shape` is set and the value has another shape.
      ValueError: There are more values than the shape has elements, or the list is ragged.

    Example:

    >>> sess.run(tf.constant([[1, 2], [3, 4]]))
    array([[1, 2],
           [3, 4]], dtype=int32)
    >>> sess.run(tf.constant(0.5, shape=[2, 2]))
    array([[0.5, 0.5],
           [0.5, 0.5]], dtype=float32)
    """
    array = make_array(value, dtype)
    if shape is not None:
        array = fit(array, [int(d) for d in shape], verify_shape)
    return constant_of_array(array, name)


def constant_of_array(array, name="Const"):
    """Adds a Const that holds `array` itself, without a copy; the caller must not change it afterwards."""
    dtype = dtypes.string if array.dtype.kind == "O" else dtypes.BY_NUMPY[array.dtype]
    array.flags.writeable = False
    graph = get_default_graph()
    return graph.add_operation(get_op_def("Const"), [], {"value": array, "dtype": dtype}, (dtype,), name).outputs[0]


# ---- Values known at graph construction

_MAX_FOLDED = 1 << 20


def constant_value(tensor):
    """The value of a Tensor as an array if it follows from the graph alone, else None."""
    value = constant_value_without_folding(tensor)
    return folding.fold(tensor.op, constant_value) if value is None else value


def constant_value_without_folding(tensor):
    """The value that tf.get_static_value reports: constant_value without the arithmetic of folding.py."""
    op = tensor.op
    if op.type == "Const":
        return op.attrs["value"]
    fold = _FOLDERS.get(op.type)
    return None if fold is None else fold(op)


def constant_value_as_shape(tensor):
    """The dims that a rank-1 integer Tensor represents, as far as they are known; None if the rank is unknown.

    Raises:
      ValueError: the tensor is not a vector, or holds sizes below -1 (-1 means unknown).
    """
    if tensor.dims is not None and len(tensor.dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(tensor.dims)}")
    dims = _known_entries(tensor)
    for d in dims or ():
        if d is not None and d < -1:
            raise ValueError(f"Invalid value in tensor used for shape: {d}")
    return dims


def _known_entries(tensor):
    """The entries of an integer vector as a tuple of int | None (unknown or -1); None if even the length is unknown."""
    if tensor.dims is not None and len(tensor.dims) != 1:
        return None
    value = constant_value(tensor)
    if value is not None:
        return tuple(None if d == -1 else int(d) for d in value)
    op = tensor.op
    if op.type == "Shape":
        return op.inputs[0].dims
    if op.type == "ShapeN":
        return op.inputs[tensor.value_index].dims
    if op.type == "Pack":
        items = [constant_value(t) for t in op.inputs]
        return tuple(None if v is None or v == -1 else int(v) for v in items)
    if op.type == "ConcatV2":
        parts = [_known_entries(t) for t in op.inputs[:-1]]
        return None if None in parts else sum(parts, ())
    if op.type in ("Cast", "Enter", "Switch"):
        return _known_entries(op.inputs[0])
    if op.type == "StridedSlice":
        return _sliced_entries(op)
    if op.type in _ROWS and tensor is op.outputs[2]:
        return _ROWS[op.type](op), None
    if tensor.dims is not None and tensor.dims[0] is not None:
        return (None,) * tensor.dims[0]
    return None


def _sliced_entries(op):
    source = _known_entries(op.inputs[0])
    begin, end, strides = (constant_value(t) for t in op.inputs[1:4])
    masks = [op.attrs[m] for m in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")]
    if source is None or begin is None or end is None or strides is None or any(masks) or len(begin) != 1:
        return None
    start = None if op.attrs["begin_mask"] & 1 else int(begin[0])
    stop = None if op.attrs["end_mask"] & 1 else int(end[0])
    return source[start : stop : int(strides[0])]


def _first(dims):
    return dims[0] if dims else None


def _rows_of_cross(op):
    """The number of rows of all its columns, from the first shape of a sparse one or else the first dense one."""
    n_columns, n_values = op.attrs["N"], len(op.attrs["sparse_types"])
    if n_columns:
        return _first(_known_entries(op.inputs[n_columns + n_values]))
    return _first(op.inputs[0].dims) if op.attrs["dense_types"] else None


def _rows_of_strings(op):
    return _first(op.inputs[0].dims)


# Of these ops' sparse matrices the number of rows may be known; output 2 is their shape.
_ROWS = {
    **dict.fromkeys(("SparseCross", "SparseCrossV2", "SparseCrossHashed"), _rows_of_cross),
    **dict.fromkeys(("StringSplit", "StringSplitV2"), _rows_of_strings),
}


def sizes_array(sizes, dtype):
    """Sizes (a tuple or a number) as an array of an integer type, or None if one of them does not fit."""
    largest = max(sizes, default=0) if isinstance(sizes, tuple) else sizes
    return None if largest > dtype.max else np.array(sizes, dtype.as_numpy_dtype)


def _fold_shape(op):
    dims = op.inputs[0].dims
    if dims is None or None in dims:
        return None
    return sizes_array(dims, op.outputs[0].dtype)


def _fold_size(op):
    dims = op.inputs[0].dims
    return None if dims is None or None in dims else sizes_array(math.prod(dims), op.outputs[0].dtype)


def _fold_rank(op):
    dims = op.inputs[0].dims
    return None if dims is None else np.array(len(dims), np.int32)


def _fold_range(op):
    values = [constant_value(t) for t in op.inputs]
    count = op.outputs[0].dims and op.outputs[0].dims[0]
    if count is None or count > _MAX_FOLDED or any(v is None for v in values):
        return None
    return np.arange(*values, dtype=op.outputs[0].dtype.as_numpy_dtype)


def _fold_cast(op):
    value = constant_value(op.inputs[0])
    target = op.outputs[0].dtype.as_numpy_dtype
    return None if value is None or value.dtype.kind not in "biu" else value.astype(target)


def _fold_pack(op):
    if op.attrs["axis"] != 0:
        return None
    values = [constant_value(t) for t in op.inputs]
    return None if any(v is None for v in values) else np.stack(values)


def _fold_concat(op):
    values = [constant_value(t) for t in op.inputs]
    return None if any(v is None for v in values) else np.concatenate(values[:-1], int(values[-1]))


def _fold_fill(op):
    dims, value = constant_value(op.inputs[0]), constant_value(op.inputs[1])
    if dims is None or value is None or np.prod(dims, dtype=np.int64) > _MAX_FOLDED:
        return None
    return np.full(tuple(dims), value, op.outputs[0].dtype.as_numpy_dtype)


def _fold_slice(op):
    dims = _known_entries(op.inputs[0]) if op.inputs[0].dtype.is_integer else None
    if dims is None or not op.attrs["shrink_axis_mask"]:
        return None
    begin = constant_value(op.inputs[1])
    masks = [op.attrs[m] for m in ("ellipsis_mask", "new_axis_mask", "begin_mask")]
    if begin is None or len(begin) != 1 or any(masks) or not -len(dims) <= int(begin[0]) < len(dims):
        return None
    dim = dims[int(begin[0])]
    return None if dim is None else np.array(dim, op.outputs[0].dtype.as_numpy_dtype)


def _fold_first_input(op):
    return constant_value(op.inputs[0])


# What tf.get_static_value knows. Ops that only shape functions may evaluate are in folding.py.
_FOLDERS = {
    "Shape": _fold_shape,
    "Size": _fold_size,
    "Rank": _fold_rank,
    "Range": _fold_range,
    "Cast": _fold_cast,
    "Pack": _fold_pack,
    "ConcatV2": _fold_concat,
    "Fill": _fold_fill,
    "StridedSlice": _fold_slice,
    "Identity": _fold_first_input,
    "Switch": _fold_first_input,  # both outputs have the input's value
    "Enter": _fold_first_input,
}
