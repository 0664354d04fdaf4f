"""Records of order: the k largest, the n-th smallest, places in sorted rows."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _rows(draw, case):
    shape = draw(case.shapes(min_rank=1, max_rank=3))
    return draw(case.array(shape))


def _top_k(draw, case):
    x = _rows(draw, case)
    return [x], {"k": draw(st.integers(0, x.shape[-1]))}


def _top_k_v2(draw, case):
    x = _rows(draw, case)
    return [x, np.array(draw(st.integers(0, x.shape[-1])), case.Tk)], {}


def _top_reference(x, k, index_type=np.int32):
    # Reversed twice: the sort is stable, and of equal elements the first comes first. NaN is largest.
    order = np.argsort(x[..., ::-1], -1, kind="stable")
    places = (x.shape[-1] - 1 - order)[..., ::-1][..., : int(k)]
    return [np.take_along_axis(x, places, -1), places.astype(index_type)]


def _nth(draw, case):
    shape = draw(case.shapes(min_rank=1, max_rank=3, min_size=1))
    x = draw(case.array(shape))
    return [x, np.array(draw(st.integers(0, shape[-1] - 1)), np.int32)], {"reverse": draw(st.booleans())}


def _nth_reference(x, n, reverse):
    return np.sort(x, -1)[..., -1 - int(n) if reverse else int(n)]


def _bounds(draw, case):
    b, n, m = draw(st.integers(0, 4)), draw(st.integers(0, 40)), draw(st.integers(1, 20))
    rows = np.sort(draw(case.array((b, n))), -1)
    return [rows, draw(case.array((b, m)))], {}


def _bound_reference(side):
    def reference(rows, values, out_type):
        found = [np.searchsorted(r, v, side) for r, v in zip(rows, values)]
        return np.array(found, out_type).reshape(values.shape)

    return reference


RECORDS = [
    OpRecord("TopK", _top_reference, _top_k, special=True),
    OpRecord("TopKV2", _top_reference, _top_k_v2, special=True),
    OpRecord("NthElement", _nth_reference, _nth, special=True),
    OpRecord("LowerBound", _bound_reference("left"), _bounds, examples=4),
    OpRecord("UpperBound", _bound_reference("right"), _bounds, examples=4),
]
