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


# ---- The second and third versions


def _draw_align(draw, case):
    version = case.record.op[-2:]
    return {"align": draw(st.sampled_from(_ALIGNMENTS))} if version == "V3" else {}


_ALIGNMENTS = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


def _draw_k(draw, least, most):
    """(lower, upper) and k, which is a scalar or one number for one diagonal."""
    lower, upper = sorted(draw(st.tuples(*[st.integers(least, most)] * 2)))
    if draw(st.booleans()):
        upper = lower
        return lower, upper, np.array(draw(st.sampled_from([lower, [lower], [lower, lower]])), np.int32)
    return lower, upper, np.array([lower, upper], np.int32)


def _place(rows, cols, lower, upper, longest, align):
    """For each diagonal, top first: the rows and columns of its elements, and their places in a row of `longest`."""
    above, below = align.split("_")
    for k in range(upper, lower - 1, -1):
        n = max(min(rows + min(k, 0), cols - max(k, 0)), 0)
        i = np.arange(n)
        first = longest - n if (above if k > 0 else below) == "RIGHT" else 0
        yield i - min(k, 0), i + max(k, 0), i + first


def _range(k):
    return int(k.flat[0]), int(k.flat[-1])


def _draw_diag_part(draw, case):
    shape = draw(case.shapes(min_rank=2, max_rank=4, min_size=1, max_elements=300))
    _, _, k = _draw_k(draw, 1 - shape[-2], shape[-1] - 1)
    return [draw(case.array(shape)), k, draw(case.array(()))], _draw_align(draw, case)


def _diag_part_v2_reference(x, k, padding, align="LEFT_LEFT"):
    (*batch, rows, cols), (lower, upper) = x.shape, _range(k)
    longest = min(rows + min(upper, 0), cols - max(lower, 0))
    out = np.full((*batch, upper - lower + 1, longest), padding, x.dtype)
    for d, (i, j, place) in enumerate(_place(rows, cols, lower, upper, longest, align)):
        out[..., d, place] = x[..., i, j]
    return out[..., 0, :] if lower == upper else out


def _draw_diag_v2(draw, case):
    batch = draw(case.shapes(max_rank=2, max_size=4, max_elements=8))
    if case.smooth:  # the gradient needs diagonals that lie in the matrix
        given = rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
        lower, upper, k = _draw_k(draw, 1 - rows, cols - 1)
        longest = min(rows + min(upper, 0), cols - max(lower, 0))
    else:
        lower, upper, k = _draw_k(draw, -5, 5)
        longest = draw(st.integers(0, 6))
        rows, cols = longest - min(upper, 0), longest + max(lower, 0)
        sizes = [(-1, -1), (rows, -1), (-1, cols), (rows + 2, cols), (rows, cols + 3), (rows + 2, -1)]
        given = draw(st.sampled_from(sizes))
    shape = (*batch, longest) if lower == upper else (*batch, upper - lower + 1, longest)
    rows, cols = (np.array(n, np.int32) for n in given)
    return [draw(case.array(shape)), k, rows, cols, draw(case.array(()))], _draw_align(draw, case)


def _diag_v2_reference(x, k, num_rows, num_cols, padding, align="LEFT_LEFT"):
    lower, upper = _range(k)
    if lower == upper:
        x = x[..., None, :]
    *batch, _, longest = x.shape
    rows, cols = longest - min(upper, 0), longest + max(lower, 0)
    if num_rows == num_cols == -1:
        rows = cols = max(rows, cols)
    else:
        rows, cols = max(rows, int(num_rows)), max(cols, int(num_cols))
    out = np.full((*batch, rows, cols), padding, x.dtype)
    for d, (i, j, place) in enumerate(_place(rows, cols, lower, upper, longest, align)):
        out[..., i, j] = x[..., d, place]
    return out


def _draw_set_diag(draw, case):
    shape = draw(case.shapes(min_rank=2, max_rank=4, min_size=1, max_elements=300))
    lower, upper, k = _draw_k(draw, 1 - shape[-2], shape[-1] - 1)
    longest = min(shape[-2] + min(upper, 0), shape[-1] - max(lower, 0))
    count = [] if lower == upper else [upper - lower + 1]
    diagonal = draw(case.array((*shape[:-2], *count, longest)))
    return [draw(case.array(shape)), diagonal, k], _draw_align(draw, case)


def _set_diag_v2_reference(x, diagonal, k, align="LEFT_LEFT"):
    lower, upper = _range(k)
    if lower == upper:
        diagonal = diagonal[..., None, :]
    out = x.copy()
    for d, (i, j, place) in enumerate(_place(*x.shape[-2:], lower, upper, diagonal.shape[-1], align)):
        out[..., i, j] = diagonal[..., d, place]
    return out


def _later(name, reference, inputs, differentiable):
    return [
        OpRecord(f"{name}{version}", reference, inputs, special=True, differentiable=differentiable)
        for version in ("V2", "V3")
    ]


def _both(name, reference, inputs):
    return [OpRecord(op, reference, inputs, special=True) for op in (name, f"Batch{name}")]


RECORDS = [
    OpRecord("Diag", _diag_reference, _diag, special=True),
    OpRecord("DiagPart", _diag_part_reference, _square, special=True),
    *_both("MatrixDiag", _matrix_diag_reference, _vectors),
    *_both("MatrixDiagPart", lambda x: np.diagonal(x, 0, -2, -1).copy(), _matrices),
    *_both("MatrixSetDiag", _set_diag_reference, _set_diag),
    *_both("MatrixBandPart", _band_reference, _band),
    *_later("MatrixDiag", _diag_v2_reference, _draw_diag_v2, [0]),
    *_later("MatrixDiagPart", _diag_part_v2_reference, _draw_diag_part, [0]),
    *_later("MatrixSetDiag", _set_diag_v2_reference, _draw_set_diag, [0, 1]),
]
