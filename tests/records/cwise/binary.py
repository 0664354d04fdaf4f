"""Records of arithmetic on two tensors."""

import numpy as np

from tests.records.cwise.unary import log1p
from tfcore.testing import OpRecord, binary, strategies

_COMPLEX = ("complex64", "complex128")
_FLOATS = ("half", "bfloat16", "float", "double")
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
_ADD_INTEGERS = ("int8", "uint8", "int16", "int32", "int64")  # the others only in AddV2
_POSITIVE = (0.5, 4)


def _integral(a):
    """Floats made whole: their quotients are never so close to a whole number that rounding crosses it."""
    return np.array(np.round(a)) if a.dtype.kind == "f" or a.dtype.name == "bfloat16" else a


def _whole_numbers(draw, case):
    a, b = draw(case.broadcastable_shapes(2))
    x, y = draw(case.array(a)), draw(case.array(b, nonzero=True))
    y = _integral(y)
    y[y == 0] = 1
    return [_integral(x), y], {}


def _nonzero_pair(draw, case):
    a, b = draw(case.broadcastable_shapes(2))
    return [draw(case.array(a, nonzero=True)), draw(case.array(b, nonzero=True))], {}


def _never_equal(draw, case):
    """For gradients of functions with a kink where x == y."""
    a, b = draw(case.broadcastable_shapes(2))
    return [np.round(draw(case.array(a))), np.round(draw(case.array(b))) + 0.5], {}


def _far_from_jumps(draw, case):
    """For gradients of remainders: the quotient is between 2.09 and 2.95."""
    a, b = draw(case.broadcastable_shapes(2))
    return [draw(case.array(a, domain=(4.6, 5.9))), draw(case.array(b, domain=(2, 2.2)))], {}


def _divide(x, y):
    return _truncate_div(x, y) if x.dtype.kind in "iu" else x / y


def _truncate_div(x, y):
    if x.dtype.kind not in "iu":
        return np.trunc(x / y)
    q = x // y
    inexact = (x - q * y != 0) & ((x < 0) != (y < 0))
    return (q + inexact).astype(x.dtype)


def _where_zero(zero, value):
    return np.where(zero, 0, value)


def _add(x, y):
    if x.dtype.kind == "O":
        return np.asarray(np.add(x, y, dtype=object), object)
    return x + y


def _squared_difference(x, y):
    d = x - y
    return (d * np.conj(d)).astype(x.dtype)


def _strings(draw, case):
    a, b = draw(case.broadcastable_shapes(2))
    return [draw(strategies.arrays(np.object_, s)) for s in (a, b)], {}


RECORDS = [
    binary("Add", _add, types={"T": (*_FLOATS, *_ADD_INTEGERS, *_COMPLEX)}),
    OpRecord("Add", _add, _strings, types={"T": ("string",)}, gradient=0),
    binary("AddV2", np.add),
    binary("Sub", np.subtract),
    binary("Mul", np.multiply),
    binary("MulNoNan", lambda x, y: _where_zero(y == 0, x * y)),
    binary("Div", _divide, nonzero_second=True, types={"T": (*_INTEGERS, *_COMPLEX)}, gradient=0),
    binary("Div", _divide, types={"T": _FLOATS}, gradient_domain=_POSITIVE),
    binary("RealDiv", np.divide, gradient_domain=_POSITIVE),
    binary("DivNoNan", lambda x, y: _where_zero(y == 0, x / y), gradient_domain=_POSITIVE),
    binary("Xdivy", lambda x, y: _where_zero(x == 0, x / y), gradient_domain=_POSITIVE),
    binary("Xlogy", lambda x, y: _where_zero(x == 0, x * np.log(y)), gradient_domain=_POSITIVE),
    binary("Xlog1py", lambda x, y: _where_zero(x == 0, x * log1p(y)), domain=(-0.5, 3), special=False),
    OpRecord("FloorDiv", np.floor_divide, _whole_numbers),
    OpRecord("TruncateDiv", _truncate_div, _whole_numbers),
    binary("FloorMod", np.mod, nonzero_second=True, gradient_inputs=_far_from_jumps),
    binary("Mod", np.fmod, nonzero_second=True, gradient_inputs=_far_from_jumps),
    binary("TruncateMod", np.fmod, nonzero_second=True, gradient_inputs=_far_from_jumps),
    binary("Maximum", np.maximum, gradient_inputs=_never_equal),
    binary("Minimum", np.minimum, gradient_inputs=_never_equal),
    binary("SquaredDifference", _squared_difference),
    binary("Atan2", np.arctan2),
    binary("Pow", np.power, types={"T": _FLOATS}, gradient_domain=_POSITIVE),
    binary("Pow", np.power, types={"T": ("int8", "int16", "int32", "int64")}, domain_second=(0, 20), gradient=0),
    OpRecord("Pow", np.power, _nonzero_pair, types={"T": _COMPLEX}, domain=(-3, 3), ulps=16, gradient=0),
]
