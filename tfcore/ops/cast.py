"""Changing types: cast, bitcast, complex numbers and their parts."""

from tfcore.framework import dtypes, shapes
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.indexed_slices import IndexedSlices
from tfcore.framework.op_def import define_op, get_op_def, gradient, undefined_gradient
from tfcore.ops.broadcast import unbroadcast

__all__ = (
    "angle bitcast cast complex conj imag real saturate_cast to_bfloat16 to_complex128 to_complex64 to_double"
    " to_float to_int32 to_int64"
).split()
__math__ = ["angle", "conj", "imag", "real"]
__dtypes__ = ["cast", "complex", "saturate_cast"]

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

_PARTS = ["T: {complex64, complex128} = DT_COMPLEX64", "Tout: {float, double} = DT_FLOAT"]
ComplexAbs = define_op(
    "ComplexAbs",
    inputs=["x: T"],
    outputs=["y: Tout"],
    attrs=_PARTS,
    shape=shapes.unchanged,
    doc="""Modulus.""",
)
Real = define_op(
    "Real",
    inputs=["input: T"],
    outputs=["output: Tout"],
    attrs=_PARTS,
    shape=shapes.unchanged,
    doc="""Real part.""",
)
Imag = define_op(
    "Imag",
    inputs=["input: T"],
    outputs=["output: Tout"],
    attrs=_PARTS,
    shape=shapes.unchanged,
    doc="""Imaginary part.""",
)
Angle = define_op(
    "Angle",
    inputs=["input: T"],
    outputs=["output: Tout"],
    attrs=_PARTS,
    shape=shapes.unchanged,
    doc="""Argument, in (-pi, pi].""",
)
Conj = define_op(
    "Conj",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=["T: {complex64, complex128, variant} = DT_COMPLEX64"],
    shape=shapes.unchanged,
    doc="""Complex conjugate.""",
)
Complex = define_op(
    "Complex",
    inputs=["real: T", "imag: T"],
    outputs=["out: Tout"],
    attrs=["T: {float, double} = DT_FLOAT", "Tout: {complex64, complex128} = DT_COMPLEX64"],
    shape=shapes.broadcast,
    doc="""Complex numbers from their parts.""",
)

undefined_gradient("Bitcast")


# ---- Gradients.


@gradient("Cast")
def _cast_grad(op, grad):
    source, target = op.inputs[0].dtype.base_dtype, op.outputs[0].dtype
    if all(t.is_floating or t.is_complex for t in (source, target)):
        return cast(grad, source)
    return None


def _with_zeros(real, imag):
    zeros = get_op_def("ZerosLike")
    return make_complex(zeros(imag) if real is None else real, zeros(real) if imag is None else imag)


@gradient("ComplexAbs")
def _complex_abs_grad(op, grad):
    return _with_zeros(grad, None) * get_op_def("Sign")(op.inputs[0])


@gradient("Real")
def _real_grad(op, grad):
    return _with_zeros(grad, None)


@gradient("Imag")
def _imag_grad(op, grad):
    return _with_zeros(None, grad)


@gradient("Angle")
def _angle_grad(op, grad):
    x = op.inputs[0]
    turned = get_op_def("Reciprocal")(make_complex(imag(x), real(x)))
    return -_with_zeros(grad, None) * turned


@gradient("Conj")
def _conj_grad(op, grad):
    return Conj(grad)


@gradient("Complex")
def _complex_grad(op, grad):
    return unbroadcast(*op.inputs, real(grad), imag(grad))


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


def make_complex(real, imag, name=None):
    """Complex numbers from tensors of their real and imaginary parts, both float32 or both float64."""
    real = convert_to_tensor(real, name="real")
    imag = convert_to_tensor(imag, name="imag")
    with name_scope(name, "Complex", [real, imag]) as scope:
        types = (real.dtype.base_dtype, imag.dtype.base_dtype)
        if types == (dtypes.float64, dtypes.float64):
            result = dtypes.complex128
        elif types == (dtypes.float32, dtypes.float32):
            result = dtypes.complex64
        else:
            raise TypeError(f"real and imag have incorrect types: {real.dtype.name} {imag.dtype.name}")
        return Complex(real, imag, Tout=result, name=scope)


complex = make_complex  # noqa: A001  named as in TensorFlow


def real(input, name=None):  # noqa: A002
    """Real part; of a real tensor the tensor itself."""
    with name_scope(name, "Real", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        return Real(input, Tout=input.dtype.real_dtype, name=scope) if input.dtype.is_complex else input


def imag(input, name=None):  # noqa: A002
    """Imaginary part; of a real tensor zeros."""
    with name_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return Imag(input, Tout=input.dtype.real_dtype, name=scope)
        return get_op_def("ZerosLike")(input)


def angle(input, name=None):  # noqa: A002
    """Argument of complex numbers; of real ones 0 or pi as TensorFlow 1 has it: zeros."""
    with name_scope(name, "Angle", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return Angle(input, Tout=input.dtype.real_dtype, name=scope)
        return get_op_def("ZerosLike")(input)


def conj(x, name=None):
    """Complex conjugate; a real tensor comes back as it is."""
    if not (hasattr(x, "dtype") and hasattr(x, "op")):
        x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex:
        return Conj(x, name=name)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")
