"""Records of tridiagonal matrices whose main diagonal is large enough that they are far from singular."""

import numpy as np
from hypothesis import strategies as st

from tests.records.linalg.linalg import _batch
from tfcore.testing import OpRecord


def _diagonals(draw, case, batch, n):
    d = draw(case.array((*batch, 3, n), domain=(-1, 1), special=False))
    d[..., 1, :] += 3
    return d


def _rhs(draw, case, batch, n):
    return draw(case.array((*batch, n, draw(st.sampled_from([0, 1, 2, 5]))), domain=(-4, 4), special=False))


def _solve_inputs(draw, case):
    batch, n = _batch(draw, case)
    pivoting = draw(st.booleans())
    attrs = {"partial_pivoting": pivoting, "perturb_singular": pivoting and draw(st.booleans())}
    return [_diagonals(draw, case, batch, n), _rhs(draw, case, batch, n)], attrs


def _matmul_inputs(draw, case):
    batch, n = _batch(draw, case)
    d = _diagonals(draw, case, batch, n)
    return [*(d[..., i : i + 1, :] for i in range(3)), _rhs(draw, case, batch, n)]


def _dense(d):
    n = d.shape[-1]
    i = np.arange(n)
    full = np.zeros((*d.shape[:-2], n, n), d.dtype)
    full[..., i, i] = d[..., 1, :]
    full[..., i[:-1], i[1:]] = d[..., 0, :-1]
    full[..., i[1:], i[:-1]] = d[..., 2, 1:]
    return full


def _solve(diagonals, rhs, partial_pivoting, perturb_singular):
    return np.linalg.solve(_dense(diagonals), rhs)


def _matmul(*inputs):
    return _dense(np.concatenate(inputs[:3], -2)) @ inputs[3]


def _scale(*inputs, **attrs):
    """Elements of the inverses are below 1."""
    return 2 * np.broadcast_to(np.max(np.abs(inputs[-1]), axis=-2, keepdims=True, initial=0), inputs[-1].shape)


RECORDS = [
    OpRecord("TridiagonalSolve", _solve, _solve_inputs, scale=_scale, ulps=40),
    OpRecord("TridiagonalMatMul", _matmul, _matmul_inputs, scale=_scale, ulps=40),
]
