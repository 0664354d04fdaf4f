"""Records of diagonals and bands."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _zeros(shape, dtype):
    out = np.empty(shape, dtype)
    out[...] = b"" if np.dtype(dtype).kind == "O" else 0
    return out


def _diag(draw, case):
    return [draw(case.array(draw(case.shapes(min_rank=1, max_rank=3, max_elements=50))))], {}


def _diag_reference(x):
    out = _zeros((x.size, x.size), x.dtype)
    np.fill_diagonal(out, x.reshape(-1))
    return out.reshape(x.shape + x.shape)


def _square(draw, case):
    shape = draw(case.shapes(min_rank=1, max_rank=3, max_elements=40))
    return [draw(case.array(shape + shape))], {}


def _diag_part_reference(x):
    half = x.shape[: x.ndim // 2]
    n = int(np.prod(half))
    return np.diagonal(x.reshape(n, n)).reshape(half).copy()


def _vectors(draw, case):
    return [draw(case.array(draw(case.shapes(min_rank=1, max_rank=4, max_elements=200))))], {}


def _matrix_diag_reference(x):
    out = _zeros((*x.shape, x.shape[-1]), x.dtype)
    i = np.arange(x.shape[-1])
    out[..., i, i] = x
    return out


def _matrices(draw, case):
    return [draw(case.array(draw(case.shapes(min_rank=2, max_rank=5, max_elements=600))))], {}


def _set_diag(draw, case):
    (x,), _ = _matrices(draw, case)
    return [x, draw(case.array((*x.shape[:-2], min(x.shape[-2:]))))], {}


def _set_diag_reference(x, diagonal):
    out = x.copy()
    i = np.arange(diagonal.shape[-1])
    out[..., i, i] = diagonal
    return out


def _band(draw, case):
    (x,), _ = _matrices(draw, case)
    rows, cols = x.shape[-2:]
    lower, upper = draw(st.integers(-1, rows)), draw(st.integers(-1, cols))
    kind = case.types["Tindex"].as_numpy_dtype if "Tindex" in case.types else np.int64
    return [x, np.array(lower, kind), np.array(upper, kind)], {}


def _band_reference(x, lower, upper):
    i, j = np.indices(x.shape[-2:])
    keep = ((lower < 0) | (i - j <= lower)) & ((upper < 0) | (j - i <= upper))
    return np.where(keep, x, np.zeros((), x.dtype))


def _both(name, reference, inputs):
    return [OpRecord(op, reference, inputs, special=True) for op in (name, f"Batch{name}")]


RECORDS = [
    OpRecord("Diag", _diag_reference, _diag, special=True),
    OpRecord("DiagPart", _diag_part_reference, _square, special=True),
    *_both("MatrixDiag", _matrix_diag_reference, _vectors),
    *_both("MatrixDiagPart", lambda x: np.diagonal(x, 0, -2, -1).copy(), _matrices),
    *_both("MatrixSetDiag", _set_diag_reference, _set_diag),
    *_both("MatrixBandPart", _band_reference, _band),
]
