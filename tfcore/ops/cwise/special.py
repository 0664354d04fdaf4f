"""Special functions: error function, gamma, beta, zeta and Bessel functions."""

import math

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described, wrapper
from tfcore.framework.values.sparse_tensor import maps_values
from tfcore.ops.array.broadcast import unbroadcast

_FLOATS = "bfloat16, half, float, double"


def define_unary(name, doc):
    """Defines an op type that computes a function of each element of one tensor of floats."""
    return define_op(
        name,
        inputs=["x: T"],
        outputs=["y: T"],
        attrs=[f"T: {{{_FLOATS}}}"],
        shape=shapes.unchanged,
        doc=doc,
    )


def _define_binary(name, first, second, doc):
    return define_op(
        name,
        inputs=[f"{first}: T", f"{second}: T"],
        outputs=["z: T"],
        attrs=["T: {float, double}"],
        shape=shapes.broadcast,
        doc=doc,
    )


def _betainc_shape(op):
    dims = ()
    for t in op.inputs:
        if t.dims is None:
            return [None]
        if t.dims:
            dims = shapes.merge(dims, t.dims) if dims else t.dims
    return [dims]


Erf = define_unary("Erf", "Gauss error function.")
Erfc = define_unary("Erfc", "1 - erf(x), accurate for large x.")
Erfinv = define_unary("Erfinv", "Inverse of erf.")
Ndtri = define_unary("Ndtri", "Quantile of the standard normal distribution.")
Lgamma = define_unary("Lgamma", "log(|gamma(x)|).")
Digamma = define_unary("Digamma", "Derivative of lgamma.")
BesselI0e = define_unary("BesselI0e", "exp(-|x|) I0(x).")
BesselI1e = define_unary("BesselI1e", "exp(-|x|) I1(x).")
Igamma = _define_binary("Igamma", "a", "x", "Lower regularised incomplete gamma function P(a, x).")
Igammac = _define_binary("Igammac", "a", "x", "Upper regularised incomplete gamma function Q(a, x).")
IgammaGradA = _define_binary("IgammaGradA", "a", "x", "Derivative of igamma(a, x) by a.")
RandomGammaGrad = define_op(
    "RandomGammaGrad",
    inputs=["alpha: T", "sample: T"],
    outputs=["output: T"],
    attrs=["T: {float, double}"],
    shape=shapes.broadcast,
    doc="""Derivative of a sample of the gamma distribution by its parameter alpha, at a fixed probability.""",
)
Zeta = _define_binary("Zeta", "x", "q", "Hurwitz zeta function: the sum of (q + k)^-x.")
Polygamma = _define_binary("Polygamma", "a", "x", "The a-th derivative of digamma.")
Betainc = define_op(
    "Betainc",
    inputs=["a: T", "b: T", "x: T"],
    outputs=["z: T"],
    attrs=["T: {float, double}"],
    shape=_betainc_shape,
    doc="""Regularised incomplete beta function I_x(a, b); scalars stand for all elements.""",
)
NextAfter = define_op(
    "NextAfter",
    inputs=["x1: T", "x2: T"],
    outputs=["output: T"],
    attrs=["T: {double, float} = DT_FLOAT"],
    shape=shapes.broadcast,
    doc="""The next representable number after x1 towards x2.""",
)

undefined_gradient("IgammaGradA")
undefined_gradient("RandomGammaGrad")


# ---- Gradients.


def _op(name):
    return get_op_def(name)


@gradient("Erf")
def _erf_grad(op, grad):
    return grad * (2 / math.sqrt(math.pi)) * _op("Exp")(-_op("Square")(op.inputs[0]))


@gradient("Erfc")
def _erfc_grad(op, grad):
    return grad * (-2 / math.sqrt(math.pi)) * _op("Exp")(-_op("Square")(op.inputs[0]))


@gradient("Erfinv")
def _erfinv_grad(op, grad):
    return grad * (math.sqrt(math.pi) / 2) * _op("Exp")(_op("Square")(op.outputs[0]))


@gradient("Ndtri")
def _ndtri_grad(op, grad):
    return grad * math.sqrt(2 * math.pi) * _op("Exp")(_op("Square")(op.outputs[0]) * 0.5)


@gradient("Lgamma")
def _lgamma_grad(op, grad):
    return grad * Digamma(op.inputs[0])


@gradient("Digamma")
def _digamma_grad(op, grad):
    x = op.inputs[0]
    return grad * Polygamma(_op("OnesLike")(x), x)


@gradient("BesselI0e")
def _bessel_i0e_grad(op, grad):
    x, y = op.inputs[0], op.outputs[0]
    return grad * (BesselI1e(x) - _op("Sign")(x) * y)


@gradient("BesselI1e")
def _bessel_i1e_grad(op, grad):
    # d/dx = i0e - i1e (sign(x) + 1/x), which tends to 1/2 at 0
    x, y = op.inputs[0], op.outputs[0]
    at_zero = _op("Equal")(x, _op("ZerosLike")(x))
    select, ones = _op("Select"), _op("OnesLike")(x)
    safe = select(at_zero, ones, x)
    slope = BesselI0e(safe) - y * (_op("Sign")(safe) + _op("Reciprocal")(safe))
    return grad * select(at_zero, ones * 0.5, slope)


def _igamma_density(a, x):
    return _op("Exp")((a - 1.0) * _op("Log")(x) - x - Lgamma(a))


@gradient("Igamma")
def _igamma_grad(op, grad):
    a, x = op.inputs
    return unbroadcast(a, x, grad * IgammaGradA(a, x), grad * _igamma_density(a, x))


@gradient("Igammac")
def _igammac_grad(op, grad):
    a, x = op.inputs
    return unbroadcast(a, x, -grad * IgammaGradA(a, x), -grad * _igamma_density(a, x))


@gradient("Zeta")
def _zeta_grad(op, grad):
    x, q = op.inputs
    return unbroadcast(x, q, None, grad * -x * Zeta(x + 1.0, q))


@gradient("Polygamma")
def _polygamma_grad(op, grad):
    n, x = op.inputs
    return unbroadcast(n, x, None, grad * Polygamma(n + 1.0, x))


@gradient("Betainc")
def _betainc_grad(op, grad):
    a, b, x = op.inputs
    log_beta = Lgamma(a) + Lgamma(b) - Lgamma(a + b)
    density = _op("Exp")((b - 1.0) * _op("Log1p")(-x) + (a - 1.0) * _op("Log")(x) - log_beta)
    return None, None, unbroadcast(op.outputs[0], x, None, grad * density)[1]


@gradient("NextAfter")
def _next_after_grad(op, grad):
    return unbroadcast(*op.inputs, grad, _op("ZerosLike")(grad))


# ---- The public functions.


erf = maps_values(wrapper(Erf, "erf"))
erfc = wrapper(Erfc, "erfc")
erfinv = wrapper(Erfinv, "erfinv")
ndtri = wrapper(Ndtri, "ndtri")
lgamma = wrapper(Lgamma, "lgamma")
digamma = wrapper(Digamma, "digamma")
bessel_i0e = maps_values(wrapper(BesselI0e, "bessel_i0e"))
bessel_i1e = maps_values(wrapper(BesselI1e, "bessel_i1e"))


@described(Igamma)
def igamma(a, x, name=None):
    """Lower regularised incomplete gamma function P(a, x)."""
    return Igamma(a, x, name=name)


@described(Igammac)
def igammac(a, x, name=None):
    """Upper regularised incomplete gamma function Q(a, x)."""
    return Igammac(a, x, name=name)


@described(Zeta)
def zeta(x, q, name=None):
    """Hurwitz zeta function: the sum of (q + k)^-x over k = 0, 1, ..."""
    return Zeta(x, q, name=name)


@described(Polygamma)
def polygamma(a, x, name=None):
    """The a-th derivative of digamma."""
    return Polygamma(a, x, name=name)


@described(Betainc)
def betainc(a, b, x, name=None):
    """Regularised incomplete beta function I_x(a, b)."""
    return Betainc(a, b, x, name=name)


@described(NextAfter)
def nextafter(x1, x2, name=None):
    """The next representable number after x1 towards x2."""
    return NextAfter(x1, x2, name=name)
