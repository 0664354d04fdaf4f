"""Records of fake quantization, whose gradients are by definition not those of its values."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

_FLOAT = np.dtype(np.float32)


def _levels(draw):
    return {"num_bits": draw(st.integers(2, 16)), "narrow_range": draw(st.booleans())}


def _range(draw):
    low = draw(st.floats(-20, 20, width=16))
    return low, low + draw(st.floats(0.125, 30, width=16))


def _ends(draw, channels):
    ends = [_range(draw) if draw(st.integers(0, 4)) else (0.0, 0.0) for _ in range(channels)]
    return [np.array([end[k] for end in ends], np.float32) for k in range(2)]


def _data(draw, case, shape):
    return draw(case.array(shape, dtype=_FLOAT, domain=(-25, 25)))


def _inputs(range_of, gradient):
    def draw_inputs(draw, case):
        ranks = {"min_rank": 1, "max_rank": 4} if range_of == "channel" else {}
        shape = draw(case.shapes(**ranks))
        data = [_data(draw, case, shape) for _ in range(1 + gradient)]
        attrs = _levels(draw)
        if range_of == "attrs":
            attrs["min"], attrs["max"] = _range(draw)
            return data, attrs
        if range_of == "channel":
            few = min(shape[-1], 6)
            return [*data, *(np.resize(end, shape[-1]) for end in _ends(draw, few))], attrs
        return [*data, *(end.reshape(()) for end in _ends(draw, 1))], attrs

    return draw_inputs


def _nudge(low, high, num_bits, narrow_range):
    """The moved ends, the distance of levels and the level of zero, in float32 as the kernel computes them."""
    low, high = np.float32(low), np.float32(high)
    first, last = np.float32(narrow_range), np.float32(2**num_bits - 1)
    with np.errstate(all="ignore"):
        step = (high - low) / (last - first)
        zero = np.clip(first - low / step, first, last)
        zero = np.where(np.isnan(zero), 0, np.trunc(zero.astype(float) + 0.5)).astype(np.float32)
        low, high = (first - zero) * step, (last - zero) * step
        return low, high, step, np.floor(-low * (1 / step) + np.float32(0.5))


def _quantize(x, low, high, num_bits, narrow_range, divides):
    nothing = (np.asarray(low) == 0) & (np.asarray(high) == 0)
    low, high, step, zero = _nudge(low, high, num_bits, narrow_range)
    x = np.clip(np.float32(x), low, high) - low
    with np.errstate(all="ignore"):
        x = x / step if divides else x * (1 / step)
        return np.where(nothing, np.float32(0), np.floor(x - zero + np.float32(0.5)) * step)


def _gradients(gradient, x, low, high, num_bits, narrow_range):
    nothing = (np.asarray(low) == 0) & (np.asarray(high) == 0)
    low, high, *_ = _nudge(low, high, num_bits, narrow_range)
    axes = tuple(range(x.ndim - np.ndim(low)))
    below, above = (x < low) & ~nothing, (x > high) & ~nothing
    sums = [np.sum(np.where(where, gradient, 0), axis=axes) for where in (below, above)]
    return [np.where(below | above, 0, gradient), *sums]


def _args(x, min, max, **levels):
    return _quantize(x, min, max, **levels, divides=False)


def _args_gradient(gradient, x, min, max, **levels):
    return _gradients(gradient, x, min, max, **levels)[0]


def _vars(x, min, max, **levels):
    return _quantize(x, min, max, **levels, divides=True)


def _channels(x, min, max, **levels):
    return _quantize(x, min, max, **levels, divides=False)


def _scale(gradient, x, low, high, num_bits, narrow_range):
    dense, *_ = _gradients(gradient, x, low, high, num_bits, narrow_range)
    total = np.sum(np.abs(gradient), axis=tuple(range(x.ndim - np.ndim(low))))
    return [np.abs(dense), total, total]


_PREFIX = "FakeQuantWithMinMax"

RECORDS = [
    OpRecord(f"{_PREFIX}Args", _args, _inputs("attrs", False), ulps=0, gradient=0),
    OpRecord(f"{_PREFIX}ArgsGradient", _args_gradient, _inputs("attrs", True), ulps=0),
    OpRecord(f"{_PREFIX}Vars", _vars, _inputs("inputs", False), ulps=0, gradient=0),
    OpRecord(f"{_PREFIX}VarsGradient", _gradients, _inputs("inputs", True), scale=_scale),
    OpRecord(f"{_PREFIX}VarsPerChannel", _channels, _inputs("channel", False), ulps=0, gradient=0),
    OpRecord(f"{_PREFIX}VarsPerChannelGradient", _gradients, _inputs("channel", True), scale=_scale),
]
EXPLICIT_GRADIENTS = dict.fromkeys(
    (f"{_PREFIX}Args", f"{_PREFIX}Vars", f"{_PREFIX}VarsPerChannel"), "tests/ops/nn/test_fake_quant.py::test_gradients"
)
