"""TensorProto: `tf.make_tensor_proto`, `tf.make_ndarray`, and code that they share with the GraphDef reader."""

import sys

import numpy as np

from tfcore.framework import protos
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.arrays import fit, make_array

_FIELDS = {
    "float_val": (dtypes.float32,),
    "double_val": (dtypes.float64,),
    "int_val": (
        *(dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint16, dtypes.uint8),
        *(dtypes.qint32, dtypes.qint16, dtypes.qint8, dtypes.quint16, dtypes.quint8),
    ),
    "int64_val": (dtypes.int64,),
    "uint32_val": (dtypes.uint32,),
    "uint64_val": (dtypes.uint64,),
    "bool_val": (dtypes.bool,),
    "half_val": (dtypes.float16, dtypes.bfloat16),  # bit patterns
    "scomplex_val": (dtypes.complex64,),  # real, imaginary, real, ...
    "dcomplex_val": (dtypes.complex128,),
    "string_val": (dtypes.string,),
}
_FIELD_OF = {dtype: field for field, types in _FIELDS.items() for dtype in types}
_EAGER_FILL = 1 << 16  # elements; a larger repeated value is a view of one element


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """Converts a value to a TensorProto, as stored in a Const operation.

    Args:
      values: A value as for `tf.constant`.
      dtype: The `DType` to convert to (optional).
      shape: The shape of the result (optional). Fewer values than elements are extended by the last one.
      verify_shape: Whether the values must have exactly the given shape.
      allow_broadcast: Whether the values are broadcast to `shape`.

    Returns:
      A TensorProto.

    Raises:
      TypeError: The type cannot hold the values.
      ValueError: The values do not fit the shape.
    """
    values = protos.as_message(protos.TensorProto, values)
    if isinstance(values, protos.TensorProto):
        return values
    array = make_array(values, dtype)
    if shape is None:
        return array_to_proto(array)
    dims = tuple(TensorShape(shape).as_list())
    if allow_broadcast and not verify_shape:
        try:
            return array_to_proto(np.ascontiguousarray(np.broadcast_to(array, dims)))
        except ValueError:
            raise ValueError(f"values of shape {array.shape} can't be broadcast to shape {dims}") from None
    if array.size == 1 and not verify_shape and dims != array.shape:
        return _splat_proto(array, dims)
    return array_to_proto(fit(array, list(dims), verify_shape))


def _splat_proto(array, dims):
    """One value for all elements, stored once."""
    result = array_to_proto(array.reshape(()))
    _set_shape(result, dims)
    return result


def array_to_proto(array):
    """The TensorProto of an array of a supported element type (object arrays hold bytes)."""
    if array.size > 1 and not any(array.strides):  # a repeated value that was read from a proto
        return _splat_proto(array[(0,) * array.ndim + (...,)], array.shape)
    result = protos.TensorProto()
    if array.dtype.kind == "O":
        dtype = dtypes.string
        result.string_val.extend(array.ravel().tolist())
    else:
        dtype = dtypes.as_dtype(array.dtype)
        if array.size == 1:
            getattr(result, _FIELD_OF[dtype]).extend(_scalars(array, dtype))
        elif array.size:
            result.tensor_content = _little_endian(array).tobytes()
    result.dtype = dtype.as_datatype_enum
    _set_shape(result, array.shape)
    return result


def _scalars(array, dtype):
    flat = array.ravel()
    if dtype in _FIELDS["half_val"]:
        flat = flat.view(np.uint16)
    elif dtype.is_complex:
        flat = flat.view(dtype.real_dtype.as_numpy_dtype)
    elif dtype.is_quantized:
        flat = flat.view(dtype.as_numpy_dtype[0])
    return flat.tolist()


def _little_endian(array):
    return array if sys.byteorder == "little" else array.byteswap()


def _set_shape(tensor_proto, dims):
    shape = tensor_proto.tensor_shape
    shape.ClearField("dim")
    for d in dims:
        shape.dim.add().size = d


def make_ndarray(tensor):
    """Converts a TensorProto to an array.

    Args:
      tensor: A TensorProto.

    Returns:
      A NumPy array.

    Raises:
      TypeError: The element type has no NumPy equivalent.
    """
    array = proto_to_array(tensor)
    return array if array.flags.writeable else array.copy()


def proto_to_array(tensor):
    """Like make_ndarray, but the array may be a read-only view of the proto's bytes."""
    dtype = dtypes.BY_ENUM.get(tensor.dtype)
    if dtype is None or dtype not in _FIELD_OF:
        name = f"type number {tensor.dtype}" if dtype is None else dtype.name
        raise TypeError(f"Unsupported tensor type: {name}")
    dims, size = _dims_of(tensor.tensor_shape)
    if tensor.tensor_content:
        return _from_content(tensor.tensor_content, dtype, dims, size)
    values = _field_values(tensor, dtype)
    if len(values) >= size:
        return values[:size].reshape(dims)
    if not len(values):
        values = np.array([b""], object) if dtype is dtypes.string else np.zeros(1, dtype.as_numpy_dtype)
    if len(values) == 1 and size > _EAGER_FILL:
        return np.broadcast_to(values[0] if dtype is not dtypes.string else values, dims)
    result = np.empty(size, dtype.as_numpy_dtype)
    result[: len(values)] = values
    result[len(values) :] = values[-1]
    return result.reshape(dims)


def _dims_of(shape):
    if shape.unknown_rank:
        raise ValueError("The shape of a tensor's value must be known, but its rank is unknown")
    dims = tuple([d.size for d in shape.dim])
    size = 1
    for d in dims:
        if d < 0:
            raise ValueError(f"The shape of a tensor's value must be known, but is {list(dims)}")
        size *= d
    if size >= 2**62:
        raise ValueError(f"Shape {list(dims)} has too many elements")
    return dims, size


def _field_values(tensor, dtype):
    """The values of the repeated field that holds elements of this type, as a rank-1 array."""
    values = getattr(tensor, _FIELD_OF[dtype])
    if dtype is dtypes.string:
        result = np.empty(len(values), object)
        result[:] = list(values)
        return result
    if dtype in _FIELDS["half_val"]:
        return np.array(values, np.int64).astype(np.uint16).view(dtype.as_numpy_dtype)
    if dtype.is_complex:
        parts = np.array(values, dtype.real_dtype.as_numpy_dtype)
        return parts[: len(parts) // 2 * 2].view(dtype.as_numpy_dtype)
    if dtype.is_integer or dtype.is_quantized:  # int_val holds narrower types, too: high bits are dropped, as in C
        return np.array(values, np.uint64 if dtype is dtypes.uint64 else np.int64).astype(dtype.as_numpy_dtype)
    return np.array(values, dtype.as_numpy_dtype)


def _from_content(content, dtype, dims, size):
    if dtype is dtypes.string:
        return _decode_strings(content, size).reshape(dims)
    if len(content) != size * dtype.size:
        raise ValueError(
            f"A tensor of type {dtype.name} and shape {list(dims)} needs {size * dtype.size} bytes "
            f"of tensor_content, but has {len(content)}"
        )
    if dtype is dtypes.bool:  # any non-zero byte is true
        return np.frombuffer(content, np.uint8).astype(np.bool_).reshape(dims)
    array = np.frombuffer(content, dtype.as_numpy_dtype).reshape(dims)
    return array if sys.byteorder == "little" else array.byteswap()


def _decode_strings(content, size):
    """Strings in tensor_content: all lengths as varints, then all bytes."""
    lengths, position = [], 0
    for _ in range(size):
        length = shift = 0
        while True:
            if position >= len(content) or shift > 28:
                raise ValueError("The tensor_content of a string tensor is cut off")
            byte = content[position]
            position += 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        lengths.append(length)
    if position + sum(lengths) != len(content):
        raise ValueError("The tensor_content of a string tensor does not have the length that its strings need")
    result = np.empty(size, object)
    for i, length in enumerate(lengths):
        result[i] = content[position : position + length]
        position += length
    return result
