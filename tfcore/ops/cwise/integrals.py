"""Functions that are integrals: of Dawson, Fresnel and Spence, and of the exponential function."""

import math

from tfcore.framework.definitions.op_def import get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import wrapper
from tfcore.ops.cwise.special import define_unary

Dawsn = define_unary("Dawsn", "Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.")
Expint = define_unary("Expint", "Exponential integral: of exp(t) / t from -infinity to x, for x >= 0.")
FresnelCos = define_unary("FresnelCos", "Fresnel's integral of cos(pi t^2 / 2) from 0 to x.")
FresnelSin = define_unary("FresnelSin", "Fresnel's integral of sin(pi t^2 / 2) from 0 to x.")
Spence = define_unary("Spence", "Spence's integral of log(t) / (1 - t) from 1 to x, for x >= 0.")


@gradient("Dawsn")
def _dawsn_grad(op, grad):
    return grad * (1.0 - 2.0 * op.inputs[0] * op.outputs[0])


@gradient("Expint")
def _expint_grad(op, grad):
    x = op.inputs[0]
    return grad * get_op_def("Exp")(x) / x


@gradient("FresnelCos", "FresnelSin")
def _fresnel_grad(op, grad):
    angle = get_op_def("Square")(op.inputs[0]) * (math.pi / 2)
    return grad * get_op_def("Cos" if op.type == "FresnelCos" else "Sin")(angle)


@gradient("Spence")
def _spence_grad(op, grad):
    x = op.inputs[0]
    select, ones = get_op_def("Select"), get_op_def("OnesLike")(x)
    at_one = get_op_def("Equal")(x, ones)
    safe = select(at_one, ones * 2.0, x)
    return grad * select(at_one, -ones, get_op_def("Log")(safe) / (1.0 - safe))


dawsn = wrapper(Dawsn, "dawsn")
expint = wrapper(Expint, "expint")
fresnel_cos = wrapper(FresnelCos, "fresnel_cos")
fresnel_sin = wrapper(FresnelSin, "fresnel_sin")
spence = wrapper(Spence, "spence")
