"""Arrays of Python values, for constants and protocol buffers."""

from array import array as PythonArray

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import Dimension

_BUFFERS = (PythonArray, bytearray, memoryview)  # NumPy makes arrays of them


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
    if dtype is dtypes.uint64 and array.dtype == np.float64 and array.size:
        array = _big_unsigned(value, array)
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
    if array.size and not _holds(dtype, array):
        raise ValueError(f"Python integer in {_brief(value)} is out of bounds for {dtype.name}.")
    return array.astype(dtype.as_numpy_dtype)


def _big_unsigned(value, array):
    """Integers below and above 2**63, of which NumPy makes floats, as uint64."""
    if not all(type(v) is int for v in _leaves(value)):
        return array
    exact = np.array(value, object)
    return exact.astype(np.uint64) if exact.min() >= 0 and exact.max() < 2**64 else exact


def _holds(dtype, array):
    if not (dtype.is_integer or dtype.is_quantized):
        return True
    limits = np.iinfo(dtype.as_numpy_dtype[0] if dtype.is_quantized else dtype.as_numpy_dtype)
    return limits.min <= array.min() and array.max() <= limits.max


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
    if dtype.is_integer or dtype.is_quantized:
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


def fit(array, shape, verify):
    """`array` in a given shape, extended by its last element, or with `verify` only if it has that shape."""
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
