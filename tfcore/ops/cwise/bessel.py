"""Bessel functions that are not scaled, and those of the second kind."""

from tfcore.framework.definitions.op_def import get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import wrapper
from tfcore.ops.cwise.special import define_unary

_KINDS = {
    "I0": "Modified Bessel function of the first kind and order 0.",
    "I1": "Modified Bessel function of the first kind and order 1.",
    "K0": "Modified Bessel function of the second kind and order 0.",
    "K0e": "exp(x) K0(x).",
    "K1": "Modified Bessel function of the second kind and order 1.",
    "K1e": "exp(x) K1(x).",
    "J0": "Bessel function of the first kind and order 0.",
    "J1": "Bessel function of the first kind and order 1.",
    "Y0": "Bessel function of the second kind and order 0.",
    "Y1": "Bessel function of the second kind and order 1.",
}
_OPS = {kind: define_unary(f"Bessel{kind}", doc) for kind, doc in _KINDS.items()}


def _half_at_zero(x, slope_of):
    """1/2 where x is 0, the slope elsewhere: of functions of order 1."""
    select, ones = get_op_def("Select"), get_op_def("OnesLike")(x)
    at_zero = get_op_def("Equal")(x, get_op_def("ZerosLike")(x))
    return select(at_zero, ones * 0.5, slope_of(select(at_zero, ones, x)))


_SLOPES = {
    "I0": lambda x, y: _OPS["I1"](x),
    "I1": lambda x, y: _half_at_zero(x, lambda safe: _OPS["I0"](safe) - y / safe),
    "K0": lambda x, y: -_OPS["K1"](x),
    "K0e": lambda x, y: y - _OPS["K1e"](x),
    "K1": lambda x, y: -_OPS["K0"](x) - y / x,
    "K1e": lambda x, y: y * (1.0 - 1.0 / x) - _OPS["K0e"](x),
    "J0": lambda x, y: -_OPS["J1"](x),
    "J1": lambda x, y: _half_at_zero(x, lambda safe: _OPS["J0"](safe) - y / safe),
    "Y0": lambda x, y: -_OPS["Y1"](x),
    "Y1": lambda x, y: _OPS["Y0"](x) - y / x,
}


@gradient(*(f"Bessel{kind}" for kind in _KINDS))
def _bessel_grad(op, grad):
    return grad * _SLOPES[op.type.removeprefix("Bessel")](op.inputs[0], op.outputs[0])


bessel_i0 = wrapper(_OPS["I0"], "bessel_i0")
bessel_i1 = wrapper(_OPS["I1"], "bessel_i1")
bessel_k0 = wrapper(_OPS["K0"], "bessel_k0")
bessel_k0e = wrapper(_OPS["K0e"], "bessel_k0e")
bessel_k1 = wrapper(_OPS["K1"], "bessel_k1")
bessel_k1e = wrapper(_OPS["K1e"], "bessel_k1e")
bessel_j0 = wrapper(_OPS["J0"], "bessel_j0")
bessel_j1 = wrapper(_OPS["J1"], "bessel_j1")
bessel_y0 = wrapper(_OPS["Y0"], "bessel_y0")
bessel_y1 = wrapper(_OPS["Y1"], "bessel_y1")
