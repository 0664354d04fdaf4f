"""Records of trees of element-wise operations."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_UNARY = {"Neg": np.negative, "Square": np.square}
_BINARY = {"Add": np.add, "AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply}


def _programs(draw, case):
    """Each operation takes the result of the one before, and binary ones an input that has not been used."""
    shape = draw(case.shapes())
    inputs = [draw(case.array(shape))]
    inputs += [draw(case.array(s)) for s in draw(st.lists(st.sampled_from([shape, ()]), max_size=3))]
    ops, args, value = [], [], 0
    for i in range(1, len(inputs) + 1):
        name = draw(st.sampled_from([*_UNARY, *_BINARY] if i < len(inputs) else [*_UNARY]))
        while name in _UNARY and len(ops) < 6:
            ops.append(name)
            args += [value, value]
            value = len(inputs) + len(ops) - 1
            name = draw(st.sampled_from([*_UNARY, *_BINARY]))
        if i < len(inputs):
            ops.append(name if name in _BINARY else "Add")
            args += draw(st.permutations([value, i]))
            value = len(inputs) + len(ops) - 1
    return [inputs], {"ops": ops, "args": args}


def _run(functions, inputs, ops, args):
    values = list(inputs)
    for i, name in enumerate(ops):
        x, y = values[args[2 * i]], values[args[2 * i + 1]]
        values.append(functions[name](x) if name in _UNARY else functions[name](x, y))
    return values[-1]


def _fused(inputs, ops, args):
    return _run(_UNARY | _BINARY, inputs, ops, args)


def _scale(inputs, ops, args):
    """What the terms come to if none cancel."""
    functions = {"Neg": np.abs, "Square": np.square, "Mul": np.multiply}
    return _run(dict.fromkeys(_BINARY, np.add) | functions, [np.abs(x) for x in inputs], ops, args)


RECORDS = [
    OpRecord("_FusedCwise", _fused, _programs, domain=(-2, 2), gradient_domain=(-1, 1), scale=_scale, ulps=16),
]
