"""Records of reductions by segment."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _rows(draw, case):
    n = draw(strategies.sizes(maximum=20 if case.smooth else 65))
    return n, draw(strategies.shapes(max_rank=2, max_elements=6 if case.smooth else 40))


def _ids(draw, n, most, dtype, low=0):
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    return rng.integers(low, most + 1, n).astype(dtype)


def _sorted(draw, case):
    n, inner = _rows(draw, case)
    ids = np.sort(_ids(draw, n, draw(st.integers(0, 12)), case.Tindices))
    return [draw(case.array((n, *inner))), ids], {}


def _per_segment(function, empty):
    """Reduces the rows of each segment; `empty` is what a segment without rows gives."""

    def reference(x, ids, number=None):
        count = (int(ids[-1]) + 1 if ids.size else 0) if number is None else int(number)
        inner = x.shape[ids.ndim :]
        flat, ids = x.reshape(ids.size, *inner), ids.reshape(-1)
        fill = empty(x.dtype) if callable(empty) else empty
        out = np.full((count, *inner), fill, x.dtype)
        for s in set(ids.tolist()) - {-1}:
            out[s] = function(flat[ids == s], axis=0)
        return out

    return reference


def _wrapping(function):
    return lambda rows, axis: function(rows, axis=axis, dtype=rows.dtype)


def _mean(rows, axis):
    if rows.dtype.kind in "fc":
        return rows.mean(axis)
    total = rows.sum(axis, dtype=rows.dtype)  # wraps as the kernel's sum does
    count = len(rows)
    if rows.dtype.kind == "u":
        return total // rows.dtype.type(count) if count <= np.iinfo(rows.dtype).max else total * 0
    wide = total.astype(np.int64)
    return (np.sign(wide) * (np.abs(wide) // count)).astype(rows.dtype)


def _unsorted(draw, case):
    n, inner = _rows(draw, case)
    number = draw(st.integers(1, 12))
    lead = (n,) if draw(st.booleans()) else (1, n)
    ids = _ids(draw, lead, number - 1, case.Tindices, low=-1)
    return [draw(case.array((*lead, *inner))), ids, np.array(number, case.Tnumsegments)], {}


def _limit(which):
    """The lowest or highest value of an integer type."""
    return lambda dtype: getattr(np.iinfo(dtype), which)


def _unsorted_full(draw, case):
    """Every segment has a row: what an empty one of a floating type gives is tested elsewhere."""
    number, extra = draw(st.integers(1, 12)), draw(st.integers(0, 20))
    _, inner = _rows(draw, case)
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    ids = rng.permutation(np.concatenate([np.arange(number), rng.integers(-1, number, extra)]))
    x = draw(case.array((number + extra, *inner)))
    return [x, ids.astype(case.Tindices), np.array(number, case.Tnumsegments)], {}


def _sparse(draw, case):
    n, inner = _rows(draw, case)
    rows = draw(st.integers(1, 9))
    ids = np.sort(_ids(draw, n, draw(st.integers(0, 6)), case.Tsegmentids))
    indices = _ids(draw, n, rows - 1, case.Tidx)
    return [draw(case.array((rows, *inner))), indices, ids], {}


def _sparse_counted(draw, case):
    (x, indices, ids), _ = _sparse(draw, case)
    number = (int(ids[-1]) + 1 if ids.size else 0) + draw(st.integers(0, 3))
    return [x, indices, ids, np.array(number, case.Tnumsegments)], {}


def _sparse_reference(divisor):
    def reference(x, indices, ids, number=None):
        total = _per_segment(_wrapping(np.sum), 0)(x[indices], ids, number)
        if divisor is None:
            return total
        counts = np.maximum(np.bincount(ids.astype(int), minlength=len(total)), 1)
        return total / divisor(counts).reshape(-1, *[1] * (x.ndim - 1))

    return reference


def _sparse_grad(draw, case):
    (x, indices, ids), _ = _sparse(draw, case)
    number = int(ids[-1]) + 1 if ids.size else 0
    grad = draw(case.array((number, *x.shape[1:])))
    return [grad, indices, ids, np.array(len(x), np.int32)], {}


def _sparse_grad_reference(divisor):
    def reference(grad, indices, ids, rows):
        out = np.zeros((int(rows), *grad.shape[1:]), grad.dtype)
        counts = np.bincount(ids.astype(int), minlength=len(grad))
        for i, s in zip(indices, ids):
            out[i] += grad[s] / (1 if divisor is None else divisor(counts[s]))
        return out

    return reference


_SUM = {"scale": "abs", "ulps": 24, "examples": 4}
_ANY = {"special": True, "examples": 4}
# Products stay in reach; halves are rounded only once.
_PRODUCT = {"scale": "abs", "ulps": 200, "domain": (-1.5, 1.5), "gradient_domain": (0.5, 1.5), "examples": 4}


def _family(name, divisor):
    plain, grad = _sparse_reference(divisor), _sparse_grad_reference(divisor)
    return [
        OpRecord(name, plain, _sparse, **_SUM),
        OpRecord(f"{name}WithNumSegments", plain, _sparse_counted, **_SUM),
        OpRecord(f"{name}Grad", grad, _sparse_grad, **_SUM),
    ]


_INTEGERS = {"T": ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}
_FLOATS = {"T": ("half", "bfloat16", "float", "double")}

RECORDS = [
    OpRecord("SegmentSum", _per_segment(_wrapping(np.sum), 0), _sorted, **_SUM),
    OpRecord("SegmentMean", _per_segment(_mean, 0), _sorted, domain=(-100, 100), **_SUM),
    OpRecord("SegmentProd", _per_segment(_wrapping(np.prod), 1), _sorted, **_PRODUCT),
    OpRecord("SegmentMax", _per_segment(np.max, 0), _sorted, **_ANY),
    OpRecord("SegmentMin", _per_segment(np.min, 0), _sorted, **_ANY),
    OpRecord("UnsortedSegmentSum", _per_segment(_wrapping(np.sum), 0), _unsorted, **_SUM),
    OpRecord("UnsortedSegmentProd", _per_segment(_wrapping(np.prod), 1), _unsorted, **_PRODUCT),
    OpRecord("UnsortedSegmentMax", _per_segment(np.max, _limit("min")), _unsorted, types=_INTEGERS, gradient=0, **_ANY),
    OpRecord("UnsortedSegmentMin", _per_segment(np.min, _limit("max")), _unsorted, types=_INTEGERS, gradient=0, **_ANY),
    OpRecord("UnsortedSegmentMax", _per_segment(np.max, 0), _unsorted_full, types=_FLOATS, **_ANY),
    OpRecord("UnsortedSegmentMin", _per_segment(np.min, 0), _unsorted_full, types=_FLOATS, **_ANY),
    *_family("SparseSegmentSum", None),
    *_family("SparseSegmentMean", lambda n: n),
    *_family("SparseSegmentSqrtN", np.sqrt),
]
