"""Complex numbers, element by element."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.broadcast import unbroadcast

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
    doc="""Complex numbers from their real and imaginary parts.""",
)


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


def make_complex(real, imag, name=None):
    """Complex numbers from their real and imaginary parts.

    Args:
      real: A `Tensor` of type float32 or float64.
      imag: A `Tensor` of the type of `real`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type complex64 or complex128.

    Raises:
      TypeError: The types differ or are others.

    Example:

    >>> print(sess.run(tf.complex([1.0, 2.0], [3.0, 4.0])))
    [1.+3.j 2.+4.j]
    """
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


def _numbers(value):
    tensor = convert_to_tensor(value, name="input")
    if not (tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex):
        raise TypeError(f"input must be a numeric tensor, but got tensor with dtype {tensor.dtype!r}")
    return tensor


def real(input, name=None):  # noqa: A002
    """The real part of complex numbers.

    Args:
      input: A `Tensor` of a numeric type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type float32 for complex64, float64 for complex128; a real `input` itself.

    Raises:
      TypeError: `input` is not numeric.
    """
    with name_scope(name, "Real", [input]) as scope:
        input = _numbers(input)
        return Real(input, Tout=input.dtype.real_dtype, name=scope) if input.dtype.is_complex else input


def imag(input, name=None):  # noqa: A002
    """The imaginary part of complex numbers.

    Args:
      input: A `Tensor` of a numeric type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type float32 for complex64, float64 for complex128; zeros of its own type for any other `input`.

    Raises:
      TypeError: `input` can't be converted to a tensor.
    """
    with name_scope(name, "Imag", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        if input.dtype.is_complex:
            return Imag(input, Tout=input.dtype.real_dtype, name=scope)
        return get_op_def("ZerosLike")(input)


def angle(input, name=None):  # noqa: A002
    """The argument of complex numbers, in (-pi, pi].

    Args:
      input: A `Tensor` of a numeric type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type float32 for complex64, float64 for complex128; zeros of its own type for a real `input`, also
      where it is negative.

    Raises:
      TypeError: `input` is not numeric.
    """
    with name_scope(name, "Angle", [input]) as scope:
        input = _numbers(input)
        if input.dtype.is_complex:
            return Angle(input, Tout=input.dtype.real_dtype, name=scope)
        return get_op_def("ZerosLike")(input)


def conj(x, name=None):
    """The complex conjugate.

    Args:
      x: A `Tensor` of a numeric type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x`; a real `x` itself.

    Raises:
      TypeError: `x` is not numeric.

    Example:

    >>> print(sess.run(tf.conj([1 + 2j])))
    [1.-2.j]
    """
    if not (hasattr(x, "dtype") and hasattr(x, "op")):
        x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex:
        return Conj(x, name=name)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")
