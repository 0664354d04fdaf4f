"""Constants: creating them from Python values, and evaluating tensors whose values are known at graph construction."""

import math
from array import array as PythonArray

import numpy as np

from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.graph import get_default_graph
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension

_BUFFERS = (PythonArray, bytearray, memoryview)  # NumPy makes arrays of them


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


def fit(array, shape, verify):
    size = 1
    for d in shape:
        if d < 0:
            raise ValueError(f"negative dimensions are not allowed: {d}")
        size *= d
    if tuple(shape) == array.shape:
        return array
    if verify:
        raise TypeError(f"Expected Tensor's shape: {tuple(shape)}, got {array.shape}.")
    if array.size > size and array.ndim or (array.size == 0 and size > 0):
        raise ValueError(f"Too many elements provided. Needed at most {size}, but received {array.size}")
    if array.size > size:
        return np.empty(shape, array.dtype)
    flat = np.empty(size, array.dtype)
    flat[: array.size] = array.ravel()
    if array.size:
        flat[array.size :] = array.ravel()[-1]
    return flat.reshape(shape)


def make_array(value, dtype=None):
    """The array for a constant of `value`: a copy in native byte order, with bytes objects for strings."""
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype.as_numpy_dtype is None:
            raise TypeError(f"Cannot make a constant of {dtype}")
    kind = type(value)
    if kind is float and (dtype is None or dtype.is_floating):
        return np.array(value, np.float32 if dtype is None else dtype.as_numpy_dtype)
    if kind is int and -(2**31) <= value < 2**31 and (dtype is None or dtype is dtypes.int32 or dtype is dtypes.int64):
        # fast path: axes and sizes are very common
        return np.array(value, np.int32 if dtype is None else dtype.as_numpy_dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_array(value, dtype)
    if value is None:
        raise ValueError("None values not supported.")
    if hasattr(value, "_as_graph_element"):
        wanted = "a value" if dtype is None else dtype.name
        raise TypeError(f"Expected {wanted}, but got {value} of type '{kind.__name__}'.")
    if dtype is dtypes.string or dtype is None and kind in (str, bytes):
        return _string_array(value)
    if kind not in (list, tuple) and (hasattr(value, "__array__") or isinstance(value, _BUFFERS)):
        return _from_array(np.asarray(value), dtype)
    return _from_python(value, dtype)


def _from_array(value, dtype):
    array = np.asarray(value)
    if array.dtype.kind in "OSU":
        if dtype is dtypes.bool:  # TensorFlow takes any string but the empty one for True
            raise TypeError(f"Expected bool, got {value!r} of type '{type(value).__name__}' instead.")
        if dtype not in (None, dtypes.string):
            return array.astype(dtype.as_numpy_dtype)  # ValueError unless the strings are numbers
        if array.dtype.kind == "O" and dtype is None and not all(isinstance(v, (str, bytes)) for v in array.ravel()):
            return _from_python(array.tolist(), None)
        return _string_array(array)
    if dtype is None:
        dtype = dtypes.as_dtype(array.dtype)
    if dtype is dtypes.string:
        raise TypeError(f"Expected string, got {value!r} of type '{type(value).__name__}' instead.")
    return np.array(array, dtype=dtype.as_numpy_dtype, order="C", copy=True)


def _string_array(value):
    array = np.array(value, dtype=object)
    flat = np.empty(array.size, dtype=object)
    for i, item in enumerate(array.ravel()):
        if isinstance(item, str):
            item = item.encode()
        elif not isinstance(item, bytes):
            raise TypeError(f"Expected string, got {item!r} of type '{type(item).__name__}' instead.")
        flat[i] = item
    return flat.reshape(array.shape)


def _from_python(value, dtype):
    try:
        array = np.array(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"Can't convert Python sequence to a tensor: {error} ({_brief(value)})") from None
    if array.shape != (wanted := _dense_shape(value)):
        raise ValueError(
            f"Expected values {_brief(value)} to be a dense tensor with shape {list(wanted)}, but got shape "
            f"{list(array.shape)}."
        )
    kind = array.dtype.kind
    if kind == "O":
        array = _numbers_of_objects(value, array, dtype)
        kind = array.dtype.kind
    if kind not in "biufcSU":
        raise TypeError(f"Cannot convert value {array.dtype!r} to a TensorFlow DType.")
    if dtype is None:
        return _string_array(value) if kind in "SU" else _default_type(array)
    if kind not in _convertible_kinds(dtype) and (array.size or kind in "SU"):
        _refuse(value, dtype)
    if dtype.is_integer and array.size and (array.min() < dtype.min or array.max() > dtype.max):
        raise ValueError(f"Python integer in {_brief(value)} is out of bounds for {dtype.name}.")
    return array.astype(dtype.as_numpy_dtype)


def _dense_shape(value):
    """The shape of nested lists of numbers: arrays in them don't count, as in TensorFlow."""
    sizes = ()
    while isinstance(value, (list, tuple)):
        sizes += (len(value),)
        value = value[0] if value else None
    return sizes


def _numbers_of_objects(value, array, dtype):
    """Converts an array of objects to numbers: Dimensions, which count as integers, or integers beyond 64 bits."""
    if any(isinstance(v, Dimension) for v in array.flat) and (dtype is None or dtype.is_integer):
        sizes = [v.value if isinstance(v, Dimension) else v for v in array.flat]
        if None in sizes:
            raise TypeError(
                f"Cannot convert the unknown Dimension in {_brief(value)} to a Tensor: use tf.shape() to get the size "
                "when the graph runs."
            )
        if all(isinstance(v, (int, np.integer)) for v in sizes):
            return np.array(sizes).reshape(array.shape)
    elif dtype is not None and (dtype.is_floating or dtype.is_complex):
        if all(type(v) in (int, float) for v in array.flat):
            return array.astype(np.float64)
    _refuse(value, dtype)


def _convertible_kinds(dtype):
    """The NumPy kinds that convert to a type: a float does not become an int, nor a number a bool."""
    if dtype.is_bool:
        return "b"
    if dtype.is_integer:
        return "biu"
    return "biufc" if dtype.is_complex else "biuf" if dtype.is_floating else ""


def _default_type(array):
    if array.dtype == np.float64:
        return array.astype(np.float32)
    if array.dtype == np.int64 and (array.size == 0 or (-(2**31) <= array.min() and array.max() < 2**31)):
        return array.astype(np.int32)
    return array


def _refuse(value, dtype):
    """Raises a TypeError that names the first element that does not convert."""
    kinds = "biufcSU" if dtype is None else _convertible_kinds(dtype)
    leaves = list(_leaves(value))
    numbers = [v.value if isinstance(v, Dimension) and "f" not in kinds else v for v in leaves]
    bad = next((v for v, n in zip(leaves, numbers) if np.asarray(n).dtype.kind not in kinds), value)
    wanted = "a number, string or array" if dtype is None else dtype.name
    raise TypeError(f"Expected {wanted}, got {_brief(bad)} of type '{type(bad).__name__}' instead.")


def _leaves(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _brief(value):
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


# ---- Values known at graph construction

_MAX_FOLDED = 1 << 20


def constant_value(tensor, partial=False):
    """The value of a Tensor as an array if it follows from the graph alone, else None."""
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
