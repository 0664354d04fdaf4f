"""Functions that are integrals: of Dawson, Fresnel and Spence, and of the exponential function."""

import math

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.definitions.op_wrappers import wrapper


def _define(name, doc):
    return define_op(
        name,
        inputs=["x: T"],
        outputs=["y: T"],
        attrs=["T: {bfloat16, half, float, double}"],
        shape=shapes.unchanged,
        doc=doc,
    )


Dawsn = _define("Dawsn", "Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.")
Expint = _define("Expint", "Exponential integral: of exp(t) / t from -infinity to x, for x >= 0.")
FresnelCos = _define("FresnelCos", "Fresnel's integral of cos(pi t^2 / 2) from 0 to x.")
FresnelSin = _define("FresnelSin", "Fresnel's integral of sin(pi t^2 / 2) from 0 to x.")
Spence = _define("Spence", "Spence's integral of log(t) / (1 - t) from 1 to x, for x >= 0.")


def _op(name):
    return get_op_def(name)


@gradient("Dawsn")
def _dawsn_grad(op, grad):
    return grad * (1.0 - 2.0 * op.inputs[0] * op.outputs[0])


@gradient("Expint")
def _expint_grad(op, grad):
    x = op.inputs[0]
    return grad * _op("Exp")(x) / x


@gradient("FresnelCos", "FresnelSin")
def _fresnel_grad(op, grad):
    angle = _op("Square")(op.inputs[0]) * (math.pi / 2)
    return grad * _op("Cos" if op.type == "FresnelCos" else "Sin")(angle)


@gradient("Spence")
def _spence_grad(op, grad):
    x = op.inputs[0]
    select, ones = _op("Select"), _op("OnesLike")(x)
    at_one = _op("Equal")(x, ones)
    safe = select(at_one, ones * 2.0, x)
    return grad * select(at_one, -ones, _op("Log")(safe) / (1.0 - safe))


dawsn = wrapper(Dawsn, "dawsn")
expint = wrapper(Expint, "expint")
fresnel_cos = wrapper(FresnelCos, "fresnel_cos")
fresnel_sin = wrapper(FresnelSin, "fresnel_sin")
spence = wrapper(Spence, "spence")
