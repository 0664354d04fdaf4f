"""Records of constants and of tensors made from a few numbers."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import Const, OpRecord
from tfcore.testing.oracle import is_float


def _filled(shape, value, dtype):
    if np.dtype(dtype).kind == "O":
        value = b""
    out = np.empty(shape, dtype)
    out[...] = value
    return out


def _any(draw, case):
    return [draw(case.array(draw(case.shapes(max_rank=8))))], {}


def _constant(draw, case):
    return [Const(np.array(draw(case.array(draw(case.shapes()), dtype=case.dtype, contiguous=True))))], {}


def _default(draw, case):
    shape = draw(case.shapes())
    x = draw(case.array(shape, dtype=case.dtype))
    return [x], {"shape": [None if draw(st.booleans()) else d for d in shape]}


def _fill(draw, case):
    shape = draw(case.shapes(max_rank=8))
    return [np.array(shape, case.index_type), draw(case.array(()))], {}


def _range(draw, case):
    kind = case.Tidx
    start, step, count = draw(st.integers(-20, 20)), draw(st.integers(1, 5)), draw(st.integers(0, 12))
    step *= draw(st.sampled_from([-1, 1]))
    limit = start + step * count
    if is_float(kind):  # multiples of a quarter are exact in all types; half a step makes the length certain
        start, step, limit = start / 4, step / 4, (limit - step / 2) / 4 if count else start / 4
    elif count:
        limit -= draw(st.integers(0, abs(step) - 1)) * (1 if step > 0 else -1)
    return [np.array(v, kind) for v in (start, limit, step)], {}


def _range_reference(start, limit, delta):
    count = int(np.ceil(abs((limit - start) / delta)))
    return (start + delta * np.arange(count)).astype(start.dtype)


def _lin_space(draw, case):
    ends = [draw(case.array((), domain=(-100, 100))) for _ in range(2)]
    return [*ends, np.array(draw(st.integers(1, 70)), case.Tidx)], {}


RECORDS = [
    OpRecord("Const", lambda x, dtype: x, _constant, build=lambda inputs, attrs: inputs[0]),
    OpRecord("PlaceholderWithDefault", lambda x, shape: x, _default, special=True),
    OpRecord("Fill", lambda dims, value: np.full(tuple(dims), value, value.dtype), _fill, examples=4),
    OpRecord("ZerosLike", lambda x: _filled(x.shape, 0, x.dtype), _any, special=True),
    OpRecord("OnesLike", lambda x: _filled(x.shape, 1, x.dtype), _any, special=True),
    OpRecord("Range", _range_reference, _range),
    OpRecord(
        "LinSpace",
        lambda start, stop, num: np.linspace(start, stop, int(num)),
        _lin_space,
        scale=lambda start, stop, num: np.full(int(num), max(abs(start), abs(stop))),
    ),
]

EXPLICIT = {
    "Fact": "tests/ops/array/test_constants.py::test_fact",
    "Placeholder": "tests/ops/array/test_constants.py::test_placeholder_must_be_fed",
    "PlaceholderV2": "tests/ops/array/test_constants.py::test_placeholder_must_be_fed",
}
