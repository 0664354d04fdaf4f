"""Changing types: cast and bitcast."""

import numpy as np

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.indexed_slices import IndexedSlices
from tfcore.framework.values.sparse_tensor import SparseTensor

_BITS = (
    "bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64,"
    " complex128, qint8, quint8, qint16, quint16, qint32"
)


def _bitcast_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    before, after = op.inputs[0].dtype.size, op.outputs[0].dtype.size
    if before > after:
        return [(*dims, before // after)]
    if before < after:
        if not dims or dims[-1] not in (None, after // before):
            last = dims[-1] if dims else 1
            raise ValueError(f"Cannot bitcast due to shape. {last} is not evenly divisible by {after // before}.")
        return [dims[:-1]]
    return [dims]


Cast = define_op(
    "Cast",
    inputs=["x: SrcT"],
    outputs=["y: DstT"],
    attrs=["SrcT: type", "DstT: type", "Truncate: bool = false"],
    shape=shapes.unchanged,
    doc="""x with its elements converted. Truncate: towards zero instead of to the nearest, between floats.""",
)

Bitcast = define_op(
    "Bitcast",
    inputs=["input: T"],
    outputs=["output: type"],
    attrs=[f"T: {{{_BITS}}}", f"type: {{{_BITS}}}"],
    shape=_bitcast_shape,
    doc="""The same bytes with another type; where sizes differ, a last dimension comes or goes.""",
)


undefined_gradient("Bitcast")


# ---- Gradients.


@gradient("Cast")
def _cast_grad(op, grad):
    source, target = op.inputs[0].dtype.base_dtype, op.outputs[0].dtype
    if all(t.is_floating or t.is_complex for t in (source, target)):
        return cast(grad, source)
    return None


# ---- The public functions.


def cast(x, dtype, name=None):
    """Converts to another type; gives `x` itself if it has that type.

    Numbers are truncated towards zero when they become integers; anything but 0 becomes True.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      dtype: The `DType` of the result.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` in the shape of `x` (or a `SparseTensor` or `IndexedSlices`).

    Raises:
      TypeError: There is no conversion between the two types.

    Example:

    >>> print(sess.run(tf.cast([1.8, -2.2], tf.int32)))
    [ 1 -2]
    """
    target = dtypes.as_dtype(dtype).base_dtype
    if hasattr(x, "dtype") and hasattr(x, "op") and x.dtype is target and not isinstance(x, IndexedSlices):
        return x
    with name_scope(name, "Cast", [x]) as scope:
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, target, name=scope), x.indices, x.dense_shape)
        if isinstance(x, SparseTensor):
            return x.with_values(cast(x.values, target, name=scope))
        x = convert_to_tensor(x, name="x")
        return x if x.dtype.base_dtype is target else Cast(x, target, name=scope)


def saturate_cast(value, dtype, name=None):
    """Casts after clamping to the range of `dtype`, so that nothing wraps around.

    Args:
      value: A `Tensor` of a numeric type.
      dtype: The `DType` of the result.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type `dtype` in the shape of `value`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    with name_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        dtype = dtypes.as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = get_op_def("Maximum")(value, convert_to_tensor(dtype.min, dtype=value.dtype, name="min"))
        if value.dtype.max > dtype.max:
            most = dtype.max
            if value.dtype.is_floating:
                kind = value.dtype.as_numpy_dtype
                if int(kind(most)) > most:  # rounded up, out of the range
                    most = np.nextafter(kind(most), kind(0))
            value = get_op_def("Minimum")(value, convert_to_tensor(most, dtype=value.dtype, name="max"))
        return cast(value, dtype, name=scope)


def to_float(x, name="ToFloat"):
    """Casts to float32.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type float32 in the shape of `x`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    return cast(x, dtypes.float32, name=name)


def to_double(x, name="ToDouble"):
    """Casts to float64.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type float64 in the shape of `x`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    return cast(x, dtypes.float64, name=name)


def to_int32(x, name="ToInt32"):
    """Casts to int32.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type int32 in the shape of `x`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    return cast(x, dtypes.int32, name=name)


def to_int64(x, name="ToInt64"):
    """Casts to int64.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type int64 in the shape of `x`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    return cast(x, dtypes.int64, name=name)


def to_bfloat16(x, name="ToBFloat16"):
    """Casts to bfloat16.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type bfloat16 in the shape of `x`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    return cast(x, dtypes.bfloat16, name=name)


def to_complex64(x, name="ToComplex64"):
    """Casts to complex64.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type complex64 in the shape of `x`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    return cast(x, dtypes.complex64, name=name)


def to_complex128(x, name="ToComplex128"):
    """Casts to complex128.

    Args:
      x: A `Tensor`, `SparseTensor`, `IndexedSlices` or value of a numeric or boolean type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type complex128 in the shape of `x`.

    Raises:
      TypeError: There is no conversion between the two types.
    """
    return cast(x, dtypes.complex128, name=name)


@described(
    Bitcast,
    example="""
>>> print(hex(sess.run(tf.bitcast(1.0, tf.uint32))))
0x3f800000
""",
)
def bitcast(input, type, name=None):  # noqa: A002  named as in TensorFlow
    """The bytes of `input` read as another type."""
    return Bitcast(input, type, name=name)
