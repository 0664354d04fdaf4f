"""Element-wise operations, types and comparisons."""

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.onnx.model import element_type
from tfcore.onnx.registry import converter

_UNARY = {
    "Abs": "Abs", "Acos": "Acos", "Acosh": "Acosh", "Asin": "Asin", "Asinh": "Asinh", "Atan": "Atan", "Atanh": "Atanh",
    "Ceil": "Ceil", "Cos": "Cos", "Cosh": "Cosh", "Elu": "Elu", "Erf": "Erf", "Exp": "Exp", "Floor": "Floor",
    "Identity": "Identity", "IsInf": "IsInf", "IsNan": "IsNaN", "Log": "Log", "LogicalNot": "Not", "Neg": "Neg",
    "PlaceholderWithDefault": "Identity", "PreventGradient": "Identity", "Reciprocal": "Reciprocal",
    "Inv": "Reciprocal", "Relu": "Relu", "Rint": "Round", "Round": "Round", "Selu": "Selu", "Sigmoid": "Sigmoid",
    "Sign": "Sign", "Sin": "Sin", "Sinh": "Sinh", "Snapshot": "Identity", "Softplus": "Softplus",
    "Softsign": "Softsign", "Sqrt": "Sqrt", "StopGradient": "Identity", "Tan": "Tan", "Tanh": "Tanh",
    "CheckNumerics": "Identity", "EnsureShape": "Identity", "Invert": "BitwiseNot",
    "ReadVariableOp": "Identity",  # in a function; the value of a handle is that of the variable
}  # fmt: skip
_BINARY = {
    "Add": "Add", "AddV2": "Add", "BitwiseAnd": "BitwiseAnd", "BitwiseOr": "BitwiseOr", "BitwiseXor": "BitwiseXor",
    "Div": "Div", "Equal": "Equal", "Greater": "Greater", "GreaterEqual": "GreaterOrEqual", "Less": "Less",
    "LessEqual": "LessOrEqual", "LogicalAnd": "And", "LogicalOr": "Or", "Maximum": "Max", "Minimum": "Min",
    "Mul": "Mul", "Pow": "Pow", "RealDiv": "Div", "Sub": "Sub",
}  # fmt: skip


def numpy_type(tensor):
    """The NumPy type of a tensor's elements."""
    return tensor.dtype.base_dtype.as_numpy_dtype


def number(model, tensor, value):
    """The name of a scalar constant of a tensor's type."""
    return model.constant(value, numpy_type(tensor))


def _unary(build):
    """A converter that keeps the channels first where they are. build(model, op, name of the input) -> name"""

    def convert(model, op):
        (x,) = op.inputs[:1]
        if model.is_channels_first(x):
            model.set_channels_first(op.outputs[0], build(model, op, model.channels_first(x)))
        else:
            model.set(op.outputs[0], build(model, op, model.value(x)))

    return convert


for _type, _name in _UNARY.items():
    converter(_type)(_unary(lambda model, op, x, name=_name: model.node(name, [x], op)))


def _binary(build):
    """A converter of two broadcast inputs; keeps the channels first if both have them so."""

    def convert(model, op):
        x, y = op.inputs
        if model.is_channels_first(x) and model.is_channels_first(y):
            name = build(model, op, model.channels_first(x), model.channels_first(y))
            model.set_channels_first(op.outputs[0], name)
        else:
            model.set(op.outputs[0], build(model, op, model.value(x), model.value(y)))

    return convert


for _type, _name in _BINARY.items():
    converter(_type)(_binary(lambda model, op, x, y, name=_name: model.node(name, [x, y], op)))


def _register(*types, kind=_unary):
    return lambda build: converter(*types)(kind(build))


@_register("Rsqrt")
def _rsqrt(model, op, x):
    return model.node("Reciprocal", [model.node("Sqrt", [x], op)], op)


@_register("Square")
def _square(model, op, x):
    return model.node("Mul", [x, x], op)


@_register("Log1p")
def _log1p(model, op, x):
    """log(u) * x / (u - 1) with u = x + 1, rounded: what rounding takes from u is missing in both."""
    one = number(model, op.inputs[0], 1)
    u = model.node("Add", [x, one], op)
    log = model.node("Log", [u], op)
    difference = model.node("Sub", [u, one], op)
    is_small = model.node("Equal", [u, one], op)
    is_large = model.node("Equal", [difference, x], op)  # also infinity
    scale = model.node("Div", [x, model.node("Where", [is_small, one, difference], op)], op)
    near = model.node("Where", [is_large, log, model.node("Mul", [log, scale], op)], op)
    return model.node("Where", [is_small, x, near], op)


@_register("Expm1")
def _expm1(model, op, x):
    """tanh(x / 2) * (exp(x) + 1) near 0, where exp(x) - 1 loses digits."""
    one, half = number(model, op.inputs[0], 1), number(model, op.inputs[0], 0.5)
    exp = model.node("Exp", [x], op)
    tanh = model.node("Tanh", [model.node("Mul", [x, half], op)], op)
    near = model.node("Mul", [tanh, model.node("Add", [exp, one], op)], op)
    is_near = model.node("Less", [model.node("Abs", [x], op), one], op)
    return model.node("Where", [is_near, near, model.node("Sub", [exp, one], op)], op)


@_register("Erfc")
def _erfc(model, op, x):
    return model.node("Sub", [number(model, op.inputs[0], 1), model.node("Erf", [x], op)], op)


@_register("Relu6")
def _relu6(model, op, x):
    return model.node("Clip", [x, number(model, op.inputs[0], 0), number(model, op.inputs[0], 6)], op)


@_register("LeakyRelu")
def _leaky_relu(model, op, x):
    return model.node("LeakyRelu", [x], op, alpha=float(op.get_attr("alpha")))


@_register("IsFinite")
def _is_finite(model, op, x):
    strange = model.node("Or", [model.node("IsNaN", [x], op), model.node("IsInf", [x], op)], op)
    return model.node("Not", [strange], op)


@_register("ZerosLike")
def _zeros_like(model, op, x):
    return model.node("Expand", [number(model, op.inputs[0], 0), model.node("Shape", [x], op)], op)


@_register("OnesLike")
def _ones_like(model, op, x):
    return model.node("Expand", [number(model, op.inputs[0], 1), model.node("Shape", [x], op)], op)


@_register("Cast")
def _cast(model, op, x):
    to = op.outputs[0].dtype
    if dtypes.string in (to, op.inputs[0].dtype):
        raise model.unsupported(op, "it converts strings")
    return model.node("Cast", [x], op, to=element_type(to))


# ---- Two inputs


@_register("NotEqual", kind=_binary)
def _not_equal(model, op, x, y):
    return model.node("Not", [model.node("Equal", [x, y], op)], op)


@_register("SquaredDifference", kind=_binary)
def _squared_difference(model, op, x, y):
    difference = model.node("Sub", [x, y], op)
    return model.node("Mul", [difference, difference], op)


@_register("TruncateDiv", kind=_binary)
def _truncate_div(model, op, x, y):
    quotient = model.node("Div", [x, y], op)
    if not op.outputs[0].dtype.is_floating:
        return quotient
    is_negative = model.node("Less", [quotient, number(model, op.inputs[0], 0)], op)
    rounded = [model.node(name, [quotient], op) for name in ("Ceil", "Floor")]
    return model.node("Where", [is_negative, *rounded], op)


@_register("FloorDiv", kind=_binary)
def _floor_div(model, op, x, y):
    quotient = model.node("Div", [x, y], op)
    dtype = op.outputs[0].dtype
    if dtype.is_floating:
        return model.node("Floor", [quotient], op)
    if dtype.is_unsigned:
        return quotient
    # ONNX rounds toward zero: one less where there is a remainder and the signs differ.
    rest = model.node("Sub", [x, model.node("Mul", [quotient, y], op)], op)
    zero = number(model, op.inputs[0], 0)
    inexact = model.node("Not", [model.node("Equal", [rest, zero], op)], op)
    signs = [model.node("Less", [value, zero], op) for value in (rest, y)]
    differ = model.node("And", [inexact, model.node("Xor", signs, op)], op)
    return model.node("Sub", [quotient, model.cast(differ, dtype, op)], op)


@_register("FloorMod", kind=_binary)
def _floor_mod(model, op, x, y):
    if not op.outputs[0].dtype.is_floating:
        return model.node("Mod", [x, y], op)
    rest = model.node("Mod", [x, y], op, fmod=1)
    zero = number(model, op.inputs[0], 0)
    signs = [model.node("Less", [value, zero], op) for value in (rest, y)]
    inexact = model.node("Not", [model.node("Equal", [rest, zero], op)], op)
    differ = model.node("And", [inexact, model.node("Xor", signs, op)], op)
    return model.node("Where", [differ, model.node("Add", [rest, y], op), rest], op)


@_register("Mod", "TruncateMod", kind=_binary)
def _truncate_mod(model, op, x, y):
    return model.node("Mod", [x, y], op, fmod=1)


@_register("DivNoNan", kind=_binary)
def _div_no_nan(model, op, x, y):
    zero, one = number(model, op.inputs[1], 0), number(model, op.inputs[1], 1)
    is_zero = model.node("Equal", [y, zero], op)
    quotient = model.node("Div", [x, model.node("Where", [is_zero, one, y], op)], op)
    return model.node("Where", [is_zero, zero, quotient], op)


# ---- Several inputs


@converter("AddN")
def _add_n(model, op):
    if all(model.is_channels_first(x) for x in op.inputs):
        model.set_channels_first(op.outputs[0], _sum(model, op, list(map(model.channels_first, op.inputs))))
    else:
        model.set(op.outputs[0], _sum(model, op, model.values(op.inputs)))


def _sum(model, op, names):
    """ONNX's Sum takes no integers."""
    if op.outputs[0].dtype.is_floating:
        return model.node("Sum", names, op)
    total = names[0]
    for name in names[1:]:
        total = model.node("Add", [total, name], op)
    return total if len(names) > 1 else model.node("Identity", [total], op)


@converter("ClipByValue")
def _clip_by_value(model, op):
    x, low, high = model.values(op.inputs)
    model.set(op.outputs[0], model.node("Min", [model.node("Max", [x, low], op), high], op))


def choose(model, op, condition, x, y, dtype):
    """Where(condition, x, y); runtimes lack it for bool."""
    if dtype != dtypes.bool:
        return model.node("Where", [condition, x, y], op)
    otherwise = model.node("And", [model.node("Not", [condition], op), y], op)
    return model.node("Or", [model.node("And", [condition, x], op), otherwise], op)


@converter("SelectV2")
def _select_v2(model, op):
    model.set(op.outputs[0], choose(model, op, *model.values(op.inputs), op.outputs[0].dtype))


@converter("Select")
def _select(model, op):
    """The condition has the shape of the others, or is a scalar, or a vector that selects rows."""
    condition, x, y = op.inputs
    chosen = model.value(condition)
    rank = model.rank(x, op)
    if model.rank(condition, op) == 1 and rank > 1:
        chosen = model.node("Unsqueeze", [chosen, model.int64(np.arange(1, rank))], op)
    model.set(op.outputs[0], choose(model, op, chosen, *model.values((x, y)), x.dtype))
