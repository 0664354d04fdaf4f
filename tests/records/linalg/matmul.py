"""Records of matrix products."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies

_DOMAIN = (-8, 8)


def _operands(draw, case, batch_a=(), batch_b=(), transposes=True, dtypes=(None, None)):
    """Two arrays to multiply, and whether each lies transposed."""
    m, k, n = (draw(strategies.sizes(0, 6 if case.smooth else 65)) for _ in range(3))
    batch = int(np.prod(np.broadcast_shapes(batch_a, batch_b)))
    while max(m * k, k * n, m * n) * max(batch, 1) > case.max_elements:
        m, k, n = (m + 1) // 2, (k + 1) // 2, (n + 1) // 2
    ta, tb = (draw(st.booleans()), draw(st.booleans())) if transposes else (False, False)
    kinds = [{} if t is None else {"dtype": t} for t in dtypes]
    a = draw(case.array((*batch_a, *((k, m) if ta else (m, k))), **kinds[0]))
    b = draw(case.array((*batch_b, *((n, k) if tb else (k, n))), **kinds[1]))
    return a, b, ta, tb


def _matmul_inputs(draw, case):
    a, b, ta, tb = _operands(draw, case)
    return [a, b], {"transpose_a": ta, "transpose_b": tb}


def _matmul(a, b, transpose_a, transpose_b):
    return (a.T if transpose_a else a) @ (b.T if transpose_b else b)


def _batch_inputs(draw, case):
    batch = draw(strategies.shapes(max_rank=2, max_size=3))
    x, y, adj_x, adj_y = _operands(draw, case, batch, batch)
    return [x, y], {"adj_x": adj_x, "adj_y": adj_y}


def _batch_v2_inputs(draw, case):
    batch_x, batch_y = draw(strategies.broadcastable_shapes(2, max_rank=3, max_elements=12))
    x, y, adj_x, adj_y = _operands(draw, case, batch_x, batch_y)
    return [x, y], {"adj_x": adj_x, "adj_y": adj_y}


def _batch(x, y, adj_x, adj_y):
    return (_adjoint(x) if adj_x else x) @ (_adjoint(y) if adj_y else y)


def _adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def _mixed_inputs(draw, case):
    batch_x, batch_y = draw(strategies.broadcastable_shapes(2, max_rank=2, max_elements=12))
    x, y, adj_x, adj_y = _operands(draw, case, batch_x, batch_y, dtypes=(case.Ta, case.Tb))
    return [x, y], {"adj_x": adj_x, "adj_y": adj_y}


def _mixed(x, y, adj_x, adj_y, Tout):  # noqa: N803  the name of the attribute
    if x.dtype.kind in "iu" and y.dtype.kind in "iu" and x.dtype.itemsize == 1:
        x, y = x.astype(np.int32), y.astype(np.int32)
    return _batch(x, y, adj_x, adj_y)


_ACTIVATIONS = {
    b"Relu": lambda x: np.maximum(x, 0),
    b"Relu6": lambda x: np.clip(x, 0, 6),
    b"Elu": lambda x: np.where(x < 0, np.expm1(np.minimum(x, 0)), x),
    b"LeakyRelu": lambda x: np.where(x > 0, x, np.float64(np.float32(0.2)) * x),
    b"Tanh": np.tanh,
    b"Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
_SMOOTH = (b"Tanh", b"Sigmoid")


def _fused_inputs(draw, case):
    a, b, ta, tb = _operands(draw, case)
    fused, args = [], []
    if draw(st.booleans()):
        fused.append(b"BiasAdd")
        args.append(draw(case.array((b.shape[0 if tb else 1],))))
    if draw(st.booleans()):
        fused.append(draw(st.sampled_from(_SMOOTH if case.smooth else sorted(_ACTIVATIONS))))
    return [a, b, args], {"transpose_a": ta, "transpose_b": tb, "fused_ops": fused}


def _fused(a, b, args, transpose_a, transpose_b, fused_ops):
    result = _fused_sum(a, b, args, transpose_a, transpose_b, fused_ops)
    return _ACTIVATIONS.get(fused_ops[-1], lambda x: x)(result) if fused_ops else result


def _fused_sum(a, b, args, transpose_a, transpose_b, fused_ops):
    return sum(args, _matmul(a, b, transpose_a, transpose_b))


def _fused_scale(a, b, args, **attrs):
    return 1 + _fused_sum(abs(a), abs(b), [abs(x) for x in args], **attrs)


def _add_n_inputs(draw, case):
    a, b, ta, tb = _operands(draw, case)
    pairs = [(a, b)]
    for _ in range(draw(st.integers(0, 4))):
        pairs.append(tuple(draw(case.array(x.shape)) for x in (a, b)))
    return [[a for a, _ in pairs], [b for _, b in pairs]], {"transpose_a": ta, "transpose_b": tb}


def _matmul_add_n(a, b, transpose_a, transpose_b):
    return sum(_matmul(x, y, transpose_a, transpose_b) for x, y in zip(a, b))


def _add_n_scale(a, b, **attrs):
    return _matmul_add_n([abs(x) for x in a], [abs(y) for y in b], **attrs)


def _columns_inputs(draw, case):
    a, b, ta, tb = _operands(draw, case)
    columns = b.shape[0 if tb else 1]
    begin = draw(st.integers(0, columns))
    size = draw(st.integers(0, columns - begin))
    return [a, b], {"transpose_a": ta, "transpose_b": tb, "begin": begin, "size": size}


def _matmul_columns(a, b, transpose_a, transpose_b, begin, size):
    return _matmul(a, b, transpose_a, transpose_b)[:, begin : begin + size]


_OPTIONS = {"scale": "abs", "ulps": 8, "domain": _DOMAIN, "gradient_domain": (-1, 1)}

RECORDS = [
    OpRecord("MatMul", _matmul, _matmul_inputs, **_OPTIONS),
    OpRecord("BatchMatMul", _batch, _batch_inputs, **_OPTIONS),
    OpRecord("BatchMatMulV2", _batch, _batch_v2_inputs, **_OPTIONS),
    OpRecord("BatchMatMulV3", _mixed, _mixed_inputs, **_OPTIONS),
    OpRecord("_MatMulColumns", _matmul_columns, _columns_inputs, **_OPTIONS),
    OpRecord("_MatMulAddN", _matmul_add_n, _add_n_inputs, **(_OPTIONS | {"scale": _add_n_scale})),
    OpRecord("_FusedMatMul", _fused, _fused_inputs, **(_OPTIONS | {"scale": _fused_scale})),
]
