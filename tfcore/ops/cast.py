"""Changing types: cast and bitcast."""

from tfcore.framework import dtypes, shapes
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.indexed_slices import IndexedSlices
from tfcore.framework.op_def import define_op, get_op_def, gradient, undefined_gradient

__all__ = (
    "bitcast cast saturate_cast to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64"
).split()
__dtypes__ = ["cast", "saturate_cast"]

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
    """x (a tensor, IndexedSlices or value) converted to `dtype`; x itself if it has that type already.

    Numbers are truncated towards zero when they become integers; anything but 0 becomes True.
    """
    target = dtypes.as_dtype(dtype).base_dtype
    if hasattr(x, "dtype") and hasattr(x, "op") and x.dtype is target and not isinstance(x, IndexedSlices):
        return x
    with name_scope(name, "Cast", [x]) as scope:
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, target, name=scope), x.indices, x.dense_shape)
        x = convert_to_tensor(x, name="x")
        return x if x.dtype.base_dtype is target else Cast(x, target, name=scope)


def saturate_cast(value, dtype, name=None):
    """Cast that clamps to the range of `dtype` first, so that nothing wraps."""
    with name_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        dtype = dtypes.as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = get_op_def("Maximum")(value, convert_to_tensor(dtype.min, dtype=value.dtype, name="min"))
        if value.dtype.max > dtype.max:
            value = get_op_def("Minimum")(value, convert_to_tensor(dtype.max, dtype=value.dtype, name="max"))
        return cast(value, dtype, name=scope)


def to_float(x, name="ToFloat"):
    """`cast` to float."""
    return cast(x, dtypes.float32, name=name)


def to_double(x, name="ToDouble"):
    """`cast` to double."""
    return cast(x, dtypes.float64, name=name)


def to_int32(x, name="ToInt32"):
    """`cast` to int32."""
    return cast(x, dtypes.int32, name=name)


def to_int64(x, name="ToInt64"):
    """`cast` to int64."""
    return cast(x, dtypes.int64, name=name)


def to_bfloat16(x, name="ToBFloat16"):
    """`cast` to bfloat16."""
    return cast(x, dtypes.bfloat16, name=name)


def to_complex64(x, name="ToComplex64"):
    """`cast` to complex64."""
    return cast(x, dtypes.complex64, name=name)


def to_complex128(x, name="ToComplex128"):
    """`cast` to complex128."""
    return cast(x, dtypes.complex128, name=name)


def bitcast(input, type, name=None):  # noqa: A002  named as in TensorFlow
    """The bytes of `input` read as another type."""
    return Bitcast(input, type, name=name)
