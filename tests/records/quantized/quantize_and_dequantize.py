"""Records of numbers quantized and back: with TensorFlow's arithmetic in the type of the op, step by step."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _options(draw, bits=True):
    attrs = {"signed_input": draw(st.booleans()), "range_given": draw(st.booleans())}
    return {**attrs, "num_bits": draw(st.integers(1, 16))} if bits else attrs


def _range(draw, shape):
    """Halves: exact in each type."""
    low = [draw(st.integers(-8, 8)) / 2 for _ in range(int(np.prod(shape)))]
    return np.reshape(low, shape), np.reshape([x + draw(st.integers(0, 8)) / 2 for x in low], shape)


def _numbers(draw, case, min_rank=0):
    """Multiples of 1/16: no sum or quotient decides by rounding alone."""
    shape = draw(case.shapes(min_rank=min_rank, max_rank=4, min_size=1, max_elements=600))
    return draw(case.array(shape, domain=(-8, 8)))


def _v1(draw, case):
    attrs = _options(draw)
    low, high = _range(draw, ())
    return [_numbers(draw, case)], {**attrs, "input_min": float(low), "input_max": float(high)}


def _sliced(draw, case):
    """Numbers, their range, and the axis."""
    x = _numbers(draw, case)
    axis = draw(st.integers(-1, x.ndim - 1))
    low, high = _range(draw, () if axis < 0 else (x.shape[axis],))
    return x, low.astype(case.T), high.astype(case.T), axis


def _v2(draw, case):
    *inputs, axis = _sliced(draw, case)
    mode = draw(st.sampled_from(["HALF_TO_EVEN", "HALF_UP"]))
    return inputs, {**_options(draw), "axis": axis, "narrow_range": draw(st.booleans()), "round_mode": mode}


def _v3(draw, case):
    *inputs, axis = _sliced(draw, case)
    bits = np.array(draw(st.integers(1, 16)), np.int32)
    return [*inputs, bits], {**_options(draw, bits=False), "axis": axis, "narrow_range": draw(st.booleans())}


def _grad(draw, case):
    *inputs, axis = _sliced(draw, case)
    return [draw(case.array(inputs[0].shape)), *inputs], {"axis": axis}


def _one(x, low, high, signed_input, num_bits, narrow_range, round_mode, range_given):
    """With one range, in the type of x."""
    kind = x.dtype.type
    if not range_given:
        low, high = x.min(), x.max()
    least = kind(-(2 ** (num_bits - 1)) + narrow_range) if signed_input else kind(0)
    most = kind(2 ** (num_bits - 1) - 1) if signed_input else kind(2**num_bits - 1)
    huge = np.finfo(kind).max
    with np.errstate(all="ignore"):
        by_low = least / low if least * low > 0 else huge
        by_high = most / high if most * high > 0 else huge
        if by_low < by_high:
            scale, inverse = by_low, low / least
            high = most * inverse
        else:
            scale, inverse = by_high, high / most
            low = least * inverse
        x = np.maximum(np.minimum(x, high), low) if range_given else x
        x = x * scale
        x = np.floor(x + kind(0.5)) if round_mode == "HALF_UP" else np.rint(x)
        return x * inverse


def round_trip(x, low, high, axis=-1, narrow_range=False, round_mode="HALF_TO_EVEN", **options):
    """Of arrays of the type of the op."""
    options = {**options, "narrow_range": narrow_range, "round_mode": round_mode}
    if axis < 0:
        return _one(x, low, high, **options)
    slices = np.moveaxis(x, axis, 0)
    return np.moveaxis(np.stack([_one(*slice, **options) for slice in zip(slices, low, high, strict=True)]), 0, axis)


def _in_type(name):
    kind = np.dtype(name)

    def reference(x, low, high, bits=None, **options):
        options = options if bits is None else {**options, "num_bits": int(bits)}
        return round_trip(*(np.asarray(v, kind) for v in (x, low, high)), **options)

    return reference


def _v1_in_type(name):
    return lambda x, input_min, input_max, **options: _in_type(name)(x, input_min, input_max, **options)


def _grad_reference(grad, x, low, high, axis):
    if axis >= 0:
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        within = (x >= low.reshape(shape)) & (x <= high.reshape(shape))
    else:
        within = (x >= low) & (x <= high)
    return [np.where(within, grad, 0), np.zeros_like(low), np.zeros_like(high)]


_TEST = "tests/ops/quantized/test_quantize_and_dequantize.py::test_gradients"
RECORDS = [
    *(
        OpRecord(f"QuantizeAndDequantize{version}", reference(kind), inputs, gradient=0, types={"T": kind}, ulps=1)
        for kind in ("float32", "float64")
        for version, inputs, reference in (
            ("", _v1, _v1_in_type), ("V2", _v2, _in_type), ("V3", _v3, _in_type), ("V4", _v2, _in_type),
        )
    ),
    OpRecord("QuantizeAndDequantizeV4Grad", _grad_reference, _grad),
]  # fmt: skip
EXPLICIT_GRADIENTS = dict.fromkeys([f"QuantizeAndDequantize{version}" for version in ("", "V2", "V3", "V4")], _TEST)
