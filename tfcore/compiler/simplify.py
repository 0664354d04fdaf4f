"""Arithmetic simplification: rewrites with the same results, bit for bit, and less work."""

import numpy as np

from tfcore.compiler.ir import effect_free
from tfcore.core.registry.registry import has_user_kernels

_RESHAPES = ("Reshape", "Squeeze", "ExpandDims")
_FORWARDS = frozenset(["Identity", "StopGradient", "PreventGradient", "Snapshot"])


def simplify(program):
    """Applies the rules of `_RULES` to every node once, in order; the result of a rule replaces the node's value.

    Op types that a user's library has kernels for are left alone: those kernels must run.
    """
    values = {}
    rules = {op_type: rule for op_type, rule in _RULES.items() if not has_user_kernels(op_type)}
    free = effect_free(program.nodes)

    def kept(pair):
        while pair in values:
            pair = values[pair]
        return pair

    for node in program.nodes:
        node.inputs = [kept(p) for p in node.inputs]
        if node.controls or not node.dtypes or node.dtypes[0]._is_ref_dtype:
            continue
        rule = rules.get(node.type)
        replacement = rule(node, free) if rule is not None else None
        if replacement is not None and replacement != (node, 0):
            values[(node, 0)] = kept(replacement)
    program.replace(values=values)
    program.prune()


def _constant(pair):
    """The value of a constant that can be dropped."""
    node, _ = pair
    return node.attrs["value"] if node.type == "Const" and not node.controls else None


def _droppable(node, free):
    """Whether the inputs after the first have no effects and can be dropped."""
    return all(source in free or source.is_feed for source, _ in node.inputs[1:])


def _is_ref(pair):
    return pair[0].dtypes[pair[1]]._is_ref_dtype


def _forward(node, _):
    """Identity and the like: the input itself, unless it is a variable whose value must be read now."""
    return None if _is_ref(node.inputs[0]) else node.inputs[0]


def _all_equal(pair, number):
    value = _constant(pair)
    # Not for complex numbers: their product and quotient mix the parts, which changes signs of zeros, and infinities.
    return value is not None and value.size > 0 and value.dtype.kind in "iuf" and bool(np.all(value == number))


def _keeps_shape(node, pair):
    dims = pair[0].dims[pair[1]]
    if dims is not None and None not in dims and node.dims[0] == dims:
        return True
    other = [p for p in node.inputs if p != pair]
    return len(other) == 1 and other[0][0].dims[other[0][1]] == () and dims is not None


def _neutral(node, number, sides):
    for side in sides:
        x = node.inputs[1 - side]
        if _all_equal(node.inputs[side], number) and not _is_ref(x) and _keeps_shape(node, x):
            return x
    return None


def _mul(node, _):
    return _neutral(node, 1, (0, 1))


def _divide(node, _):
    return _neutral(node, 1, (1,))


def _subtract(node, _):
    # x + 0 is not a rule: it turns -0.0 into 0.0.
    value = _constant(node.inputs[1])
    if value is not None and value.dtype.kind == "f" and np.signbit(value).any():
        return None
    return _neutral(node, 0, (1,))


def _involution(node, _):
    """Replaces f(f(x)) by x."""
    inner = node.inputs[0][0]
    if inner.type == node.type and not inner.controls and not _is_ref(inner.inputs[0]):
        return inner.inputs[0]
    return None


def _cast(node, _):
    pair = node.inputs[0]
    same = not _is_ref(pair) and pair[0].dtypes[pair[1]] is node.dtypes[0]
    return pair if same else None


def _reshape(node, free):
    pair = node.inputs[0]
    dims = pair[0].dims[pair[1]]
    if _is_ref(pair) or not _droppable(node, free):
        return None
    if dims is not None and None not in dims and dims == node.dims[0]:
        return pair
    inner = pair[0]
    if inner.type in _RESHAPES and not inner.controls and not _is_ref(inner.inputs[0]) and _droppable(inner, free):
        node.inputs[0] = inner.inputs[0]
    return None


def _transpose(node, _):
    pair = node.inputs[0]
    permutation = _constant(node.inputs[1])
    if permutation is None or _is_ref(pair):
        return None
    if np.array_equal(permutation, np.arange(permutation.size)):
        return pair
    inner = pair[0]
    if inner.type == "Transpose" and not inner.controls and not _is_ref(inner.inputs[0]):
        first = _constant(inner.inputs[1])
        if first is not None and np.array_equal(first[permutation], np.arange(permutation.size)):
            return inner.inputs[0]
    return None


def _add_n(node, _):
    return node.inputs[0] if len(node.inputs) == 1 and not _is_ref(node.inputs[0]) else None


def _matmul(node, _):
    """Replaces a transposed operand by a flag."""
    flags = {}
    for side, flag in ((0, "transpose_a"), (1, "transpose_b")):
        inner = node.inputs[side][0]
        if inner.type != "Transpose" or has_user_kernels("Transpose") or inner.controls or _is_ref(inner.inputs[0]):
            continue
        permutation = _constant(inner.inputs[1])
        if permutation is not None and permutation.tolist() == [1, 0]:
            node.inputs[side] = inner.inputs[0]
            flags[flag] = not node.attrs[flag]
    if flags:
        node.attrs = {**node.attrs, **flags}
    return None


_RULES = {
    **dict.fromkeys(_FORWARDS, _forward),
    "Mul": _mul,
    "RealDiv": _divide,
    "Div": _divide,
    "Sub": _subtract,
    "Neg": _involution,
    "Conj": _involution,
    "LogicalNot": _involution,
    "Invert": _involution,
    "Cast": _cast,
    "Reshape": _reshape,
    "Transpose": _transpose,
    "AddN": _add_n,
    "MatMul": _matmul,
}
