"""Records of functions of one tensor."""

import numpy as np

from tfcore.testing import OpRecord, unary


def _sign(x):
    if x.dtype.kind == "c":
        size = np.abs(x)
        return np.where(size == 0, 0, x / np.where(size == 0, 1, size))
    return np.sign(x)


def _reciprocal(x):
    return 1 / x


def _rsqrt(x):
    return 1 / np.sqrt(x)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _sigmoid_scale(x):
    """Near its poles the function magnifies the rounding of its argument."""
    y = _sigmoid(x)
    return np.abs(y) * (1 + np.abs(x) * np.abs(1 - y))


def log1p(x):
    if x.dtype.kind == "c":  # NumPy's loses the real part near 0, this one in double near -1
        a, b = x.real.astype(np.longdouble), x.imag.astype(np.longdouble)
        return 0.5 * np.log1p(a * (2 + a) + b * b) + 1j * np.arctan2(b, 1 + a)
    return np.log1p(x)


def _grad(op, reference, **options):
    """(y, dy) of one shape."""

    def inputs(draw, case):
        shape = draw(case.shapes())
        return [draw(case.array(shape)), draw(case.array(shape))], {}

    options.setdefault("scale", "abs")
    return OpRecord(op, reference, inputs, ulps=6, **options)


_POSITIVE = (0.5, 4)
_INSIDE = (-0.9, 0.9)

RECORDS = [
    unary("Abs", np.abs),
    unary("Neg", np.negative),
    unary("Inv", _reciprocal, gradient_domain=_POSITIVE),
    unary("Reciprocal", _reciprocal, gradient_domain=_POSITIVE),
    unary("Square", np.square),
    unary("Sign", _sign, gradient=0),
    unary("Sqrt", np.sqrt, gradient_domain=_POSITIVE),
    unary("Rsqrt", _rsqrt, gradient_domain=_POSITIVE),
    unary("Exp", np.exp),
    unary("Expm1", np.expm1),
    unary("Log", np.log, gradient_domain=_POSITIVE),
    unary("Log1p", log1p, ulps=16, gradient_domain=(-0.5, 4)),
    unary("Sin", np.sin),
    unary("Cos", np.cos),
    unary("Tan", np.tan, gradient_domain=(-1, 1)),
    unary("Asin", np.arcsin, gradient_domain=_INSIDE),
    unary("Acos", np.arccos, gradient_domain=_INSIDE),
    unary("Atan", np.arctan),
    unary("Sinh", np.sinh),
    unary("Cosh", np.cosh),
    unary("Tanh", np.tanh),
    unary("Asinh", np.arcsinh),
    unary("Acosh", np.arccosh, gradient_domain=(1.5, 4)),
    unary("Atanh", np.arctanh, gradient_domain=_INSIDE),
    unary("Sigmoid", _sigmoid, types={"T": ("half", "bfloat16", "float", "double")}),
    unary(
        "Sigmoid", _sigmoid, scale=_sigmoid_scale, types={"T": ("complex64", "complex128")}, domain=(-3, 3), gradient=0
    ),
    unary("Floor", np.floor),
    unary("Ceil", np.ceil),
    unary("Round", np.round),
    unary("Rint", np.rint),
    unary("IsNan", np.isnan),
    unary("IsInf", np.isinf),
    unary("IsFinite", np.isfinite),
    OpRecord(
        "LogicalNot", np.logical_not, lambda draw, case: ([draw(case.array(draw(case.shapes()), dtype=np.bool_))], {})
    ),
    _grad("InvGrad", lambda y, dy: -dy * np.conj(y) ** 2),
    _grad("ReciprocalGrad", lambda y, dy: -dy * np.conj(y) ** 2),
    _grad("SqrtGrad", lambda y, dy: dy * 0.5 / np.conj(y), domain=_POSITIVE),
    _grad("RsqrtGrad", lambda y, dy: dy * -0.5 * np.conj(y) ** 3, domain=_POSITIVE),
    _grad("TanhGrad", lambda y, dy: dy * (1 - y**2), scale=lambda y, dy: 2 * np.abs(dy), domain=(-1, 1)),
    _grad(
        "SigmoidGrad",
        lambda y, dy: dy * y * (1 - y),
        scale=lambda y, dy: 2 * np.abs(dy),
        domain=(-1, 1),
    ),
]

EXPLICIT_GRADIENTS = {"Sign": "tests/ops/cwise/test_unary.py::test_gradient_of_sign_is_zero"}
