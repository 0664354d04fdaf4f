"""Element-wise functions of one tensor: arithmetic, rounding, exponentials, trigonometry, predicates."""

import tfcore.ops.cwise.binary  # noqa: F401  installs the operators that gradients use
import tfcore.ops.cwise.complex as complex_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.op_wrappers import wrapper
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import maps_values

_FLOATS = "bfloat16, half, float, double"
_COMPLEX = "complex64, complex128"
_SIGNED = "int8, int16, int32, int64"
_INTEGERS = "int8, int16, int32, int64, uint8, uint16, uint32, uint64"


def _define(name, types, doc, result="T"):
    return define_op(
        name,
        inputs=["x: T"],
        outputs=[f"y: {result}"],
        attrs=[f"T: {{{types}}}"],
        shape=shapes.unchanged,
        doc=doc,
    )


_FC = f"{_FLOATS}, {_COMPLEX}"
_FSC = f"{_FLOATS}, {_SIGNED}, {_COMPLEX}"
Abs = _define("Abs", f"{_FLOATS}, {_SIGNED}", "Absolute value.")
Neg = _define("Neg", _FSC, "Numerical negative value.")
Inv = _define("Inv", _FSC, "1 / x (the old name of Reciprocal).")
Reciprocal = _define("Reciprocal", _FSC, "1 / x.")
Square = _define("Square", f"{_FLOATS}, {_INTEGERS}, {_COMPLEX}", "x * x.")
Sign = _define("Sign", _FSC, "-1, 0 or 1; NaN for NaN; x / |x| for complex numbers.")
Sqrt = _define("Sqrt", _FC, "Square root.")
Rsqrt = _define("Rsqrt", _FC, "1 / sqrt(x).")
Exp = _define("Exp", _FC, "e to the power x.")
Expm1 = _define("Expm1", _FC, "exp(x) - 1, accurate near 0.")
Log = _define("Log", _FC, "Natural logarithm.")
Log1p = _define("Log1p", _FC, "log(1 + x), accurate near 0.")
Sin = _define("Sin", _FC, "Sine.")
Cos = _define("Cos", _FC, "Cosine.")
Tan = _define("Tan", _FC, "Tangent.")
Asin = _define("Asin", _FC, "Inverse sine.")
Acos = _define("Acos", _FC, "Inverse cosine.")
Atan = _define("Atan", _FC, "Inverse tangent.")
Sinh = _define("Sinh", _FC, "Hyperbolic sine.")
Cosh = _define("Cosh", _FC, "Hyperbolic cosine.")
Tanh = _define("Tanh", _FC, "Hyperbolic tangent.")
Asinh = _define("Asinh", _FC, "Inverse hyperbolic sine.")
Acosh = _define("Acosh", _FC, "Inverse hyperbolic cosine.")
Atanh = _define("Atanh", _FC, "Inverse hyperbolic tangent.")
Sigmoid = _define("Sigmoid", _FC, "1 / (1 + exp(-x)).")
Floor = _define("Floor", _FLOATS, "Largest integer not above x.")
Ceil = _define("Ceil", _FLOATS, "Smallest integer not below x.")
Round = _define("Round", _FSC, "Nearest integer, halves to the even one.")
Rint = _define("Rint", _FLOATS, "Nearest integer, halves to the even one.")
IsNan = _define("IsNan", _FLOATS, "Which elements are NaN.", "bool")
IsInf = _define("IsInf", _FLOATS, "Which elements are infinite.", "bool")
IsFinite = _define("IsFinite", _FLOATS, "Which elements are finite.", "bool")
LogicalNot = define_op(
    "LogicalNot", inputs=["x: bool"], outputs=["y: bool"], shape=shapes.unchanged, doc="Logical not."
)


def _define_grad(name, doc):
    return define_op(
        name,
        inputs=["y: T", "dy: T"],
        outputs=["z: T"],
        attrs=[f"T: {{{_FC}}}"],
        shape=shapes.merge_all,
        doc=doc,
    )


InvGrad = _define_grad("InvGrad", "-dy * y * y: the gradient of y = 1 / x.")
ReciprocalGrad = _define_grad("ReciprocalGrad", "-dy * y * y: the gradient of y = 1 / x.")
SqrtGrad = _define_grad("SqrtGrad", "dy * 0.5 / y: the gradient of y = sqrt(x).")
RsqrtGrad = _define_grad("RsqrtGrad", "dy * -0.5 * y^3: the gradient of y = 1 / sqrt(x).")
TanhGrad = _define_grad("TanhGrad", "dy * (1 - y * y): the gradient of y = tanh(x).")
SigmoidGrad = _define_grad("SigmoidGrad", "dy * y * (1 - y): the gradient of y = sigmoid(x).")

not_differentiable("Floor", "Ceil", "Round", "Rint", "IsNan", "IsInf", "IsFinite", "LogicalNot")


# ---- Gradients. The gradient of an analytic f at a complex x is grad * conj(f'(x)).


def _conj(x):
    return complex_ops.conj(x)


@gradient("Abs")
def _abs_grad(op, grad):
    return grad * Sign(op.inputs[0])


@gradient("Neg")
def _neg_grad(op, grad):
    return Neg(grad)


@gradient("Inv", "Reciprocal")
def _reciprocal_grad(op, grad):
    return ReciprocalGrad(op.outputs[0], grad)


@gradient("InvGrad", "ReciprocalGrad")
def _reciprocal_grad_grad(op, grad):
    y, dy = op.inputs
    y = _conj(y)
    return _conj(grad) * -2.0 * dy * y, ReciprocalGrad(y, grad)


@gradient("Square")
def _square_grad(op, grad):
    x = op.inputs[0]
    return grad * (_conj(x) * convert_to_tensor(2, dtype=x.dtype))


@gradient("Sqrt")
def _sqrt_grad(op, grad):
    return SqrtGrad(op.outputs[0], grad)


@gradient("SqrtGrad")
def _sqrt_grad_grad(op, grad):
    by_y = grad / op.inputs[0]
    return -_conj(by_y) * op.outputs[0], by_y * 0.5


@gradient("Rsqrt")
def _rsqrt_grad(op, grad):
    return RsqrtGrad(op.outputs[0], grad)


@gradient("RsqrtGrad")
def _rsqrt_grad_grad(op, grad):
    y, dy = op.inputs
    y = _conj(y)
    return _conj(grad) * -1.5 * dy * Square(y), RsqrtGrad(y, grad)


@gradient("Sign")
def _sign_grad(op, grad):
    return get_op_def("ZerosLike")(op.inputs[0])


@gradient("Exp")
def _exp_grad(op, grad):
    return grad * _conj(op.outputs[0])


@gradient("Expm1")
def _expm1_grad(op, grad):
    return grad * Exp(_conj(op.inputs[0]))


@gradient("Log")
def _log_grad(op, grad):
    return grad * Reciprocal(_conj(op.inputs[0]))


@gradient("Log1p")
def _log1p_grad(op, grad):
    return grad * Reciprocal(_conj(op.inputs[0]) + 1.0)


@gradient("Sin")
def _sin_grad(op, grad):
    return grad * Cos(_conj(op.inputs[0]))


@gradient("Cos")
def _cos_grad(op, grad):
    return -grad * Sin(_conj(op.inputs[0]))


@gradient("Tan")
def _tan_grad(op, grad):
    return grad * Square(Reciprocal(Cos(_conj(op.inputs[0]))))


@gradient("Asin")
def _asin_grad(op, grad):
    return grad * Rsqrt(1.0 - Square(_conj(op.inputs[0])))


@gradient("Acos")
def _acos_grad(op, grad):
    return -grad * Rsqrt(1.0 - Square(_conj(op.inputs[0])))


@gradient("Atan")
def _atan_grad(op, grad):
    return grad * Reciprocal(Square(_conj(op.inputs[0])) + 1.0)


@gradient("Sinh")
def _sinh_grad(op, grad):
    return grad * Cosh(_conj(op.inputs[0]))


@gradient("Cosh")
def _cosh_grad(op, grad):
    return grad * Sinh(_conj(op.inputs[0]))


@gradient("Tanh")
def _tanh_grad(op, grad):
    return TanhGrad(_conj(op.outputs[0]), grad)


@gradient("TanhGrad")
def _tanh_grad_grad(op, grad):
    y, dy = map(_conj, op.inputs)
    return grad * -2.0 * dy * y, TanhGrad(y, grad)


@gradient("Asinh")
def _asinh_grad(op, grad):
    return grad / Cosh(_conj(op.outputs[0]))


@gradient("Acosh")
def _acosh_grad(op, grad):
    return grad / Sinh(_conj(op.outputs[0]))


@gradient("Atanh")
def _atanh_grad(op, grad):
    return grad * Reciprocal(1.0 - Square(_conj(op.inputs[0])))


@gradient("Sigmoid")
def _sigmoid_grad(op, grad):
    return SigmoidGrad(_conj(op.outputs[0]), grad)


@gradient("SigmoidGrad")
def _sigmoid_grad_grad(op, grad):
    y, dy = map(_conj, op.inputs)
    by_dy = grad * dy
    return by_dy - by_dy * 2.0 * y, SigmoidGrad(y, grad)


# ---- The public functions.

acos = wrapper(Acos, "acos")
acosh = wrapper(Acosh, "acosh")
asin = maps_values(wrapper(Asin, "asin"))
asinh = maps_values(wrapper(Asinh, "asinh"))
atan = maps_values(wrapper(Atan, "atan"))
atanh = maps_values(wrapper(Atanh, "atanh"))
ceil = wrapper(
    Ceil,
    "ceil",
    """
>>> print(sess.run(tf.ceil([-1.5, 0.2])))
[-1.  1.]
""",
)
cos = wrapper(Cos, "cos")
cosh = wrapper(Cosh, "cosh")
exp = wrapper(
    Exp,
    "exp",
    """
>>> print(sess.run(tf.exp([0.0, 1.0])))
[1.        2.7182817]
""",
)
expm1 = wrapper(Expm1, "expm1")
floor = wrapper(
    Floor,
    "floor",
    """
>>> print(sess.run(tf.floor([-1.5, 1.7])))
[-2.  1.]
""",
)
is_finite = wrapper(IsFinite, "is_finite")
is_inf = wrapper(IsInf, "is_inf")
is_nan = wrapper(IsNan, "is_nan")
log = wrapper(
    Log,
    "log",
    """
>>> print(sess.run(tf.log([1.0, 10.0])))
[0.        2.3025851]
""",
)
log1p = wrapper(Log1p, "log1p")
logical_not = wrapper(
    LogicalNot,
    "logical_not",
    """
>>> print(sess.run(tf.logical_not([True, False])))
[False  True]
""",
)
negative = maps_values(
    wrapper(
        Neg,
        "negative",
        """
>>> print(sess.run(tf.negative([1.0, -2.0])))
[-1.  2.]
""",
    )
)
reciprocal = wrapper(Reciprocal, "reciprocal")
rint = wrapper(Rint, "rint")
rsqrt = wrapper(
    Rsqrt,
    "rsqrt",
    """
>>> print(sess.run(tf.rsqrt([4.0, 0.25])))
[0.5 2. ]
""",
)
sigmoid = wrapper(
    Sigmoid,
    "sigmoid",
    """
>>> print(sess.run(tf.sigmoid([0.0, 100.0])))
[0.5 1. ]
""",
)
sign = maps_values(
    wrapper(
        Sign,
        "sign",
        """
>>> print(sess.run(tf.sign([-3.0, 0.0, 5.0])))
[-1.  0.  1.]
""",
    )
)
sin = maps_values(wrapper(Sin, "sin"))
sinh = wrapper(Sinh, "sinh")
sqrt = maps_values(
    wrapper(
        Sqrt,
        "sqrt",
        """
>>> print(sess.run(tf.sqrt([4.0, 9.0])))
[2. 3.]
""",
    )
)
square = maps_values(
    wrapper(
        Square,
        "square",
        """
>>> print(sess.run(tf.square([1, -3])))
[1 9]
""",
    )
)
tan = maps_values(wrapper(Tan, "tan"))
tanh = maps_values(
    wrapper(
        Tanh,
        "tanh",
        """
>>> print(sess.run(tf.tanh([0.0, 100.0])))
[0. 1.]
""",
    )
)


@maps_values
def abs(x, name=None):  # noqa: A001  named as in TensorFlow
    """Absolute value; the modulus of complex numbers.

    Args:
      x: A `Tensor` of a floating-point, integer or complex type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x`; float32 for complex64, float64 for complex128.

    Raises:
      TypeError: `x` has another type.

    Example:

    >>> print(sess.run(tf.abs([-1.5, 2.0])), sess.run(tf.abs(3 + 4j)))
    [1.5 2. ] 5.0
    """
    with name_scope(name, "Abs", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return complex_ops.ComplexAbs(x, Tout=x.dtype.real_dtype, name=scope)
        return Abs(x, name=scope)


Tensor._override_operator("__neg__", lambda x: Neg(x))
Tensor._override_operator("__abs__", lambda x: abs(x))


def round(x, name=None):  # noqa: A001  named as in TensorFlow
    """The nearest integer; halves go to the even one.

    Args:
      x: A `Tensor` of a floating-point or integer type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x`; integers are returned unchanged.

    Raises:
      TypeError: `x` has another type.

    Example:

    >>> print(sess.run(tf.round([0.5, 1.5, 2.7])))
    [0. 2. 3.]
    """
    x = convert_to_tensor(x, name="x")
    if x.dtype.is_complex:  # the op allows it, but there is no kernel
        raise TypeError(f"x must be of a floating-point or integer type, but is {x.dtype.name}")
    return x if x.dtype.is_integer else Round(x, name=name)


def log_sigmoid(x, name=None):
    """The logarithm of the sigmoid, log(1 / (1 + exp(-x))), without overflow.

    Args:
      x: A `Tensor` of a floating-point type.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `x`.

    Raises:
      TypeError: `x` has another type.
    """
    import tfcore.ops.nn.activations as activations

    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return Neg(activations.Softplus(-x), name=scope)
