"""Reference values, and comparison with a tolerance."""

import numpy as np

from tfcore.testing.arrays import float_limits


def is_float(dtype):
    """Whether a NumPy type is a real floating-point type, bfloat16 included."""
    dtype = np.dtype(dtype)
    return dtype.kind == "f" or dtype.name == "bfloat16"


def epsilon(dtype):
    """The distance from 1 to the next number of a floating or complex type."""
    dtype = np.dtype(dtype)
    return 2.0**-7 if dtype.name == "bfloat16" else float(np.finfo(dtype).eps)


def flatten(values):
    """A flat list of outputs from one value, a list, or a list with lists inside."""
    if isinstance(values, (list, tuple)):
        return [v for value in values for v in flatten(value)]
    return [values]


def widen(value):
    """An input for the reference: floats in float64, complex numbers in complex128."""
    if isinstance(value, (list, tuple)):
        return [widen(v) for v in value]
    value = np.asarray(getattr(value, "value", value))  # of a Const
    if is_float(value.dtype):
        return value.astype(np.float64)
    return value.astype(np.complex128) if value.dtype.kind == "c" else value


def call_reference(record, inputs, attrs):
    """The expected outputs, and their scales if the record scales its tolerance."""
    wide = [widen(v) for v in inputs]
    with np.errstate(all="ignore"):
        expected = flatten(record.reference(*wide, **attrs))
        if record.scale is None:
            return expected, [None] * len(expected)
        if record.scale == "abs":
            scales = record.reference(*[_magnitude(v) for v in wide], **attrs)
        else:
            scales = record.scale(*wide, **attrs)
    scales = flatten(scales)
    return expected, scales * len(expected) if len(scales) == 1 else scales


def _magnitude(value):
    if isinstance(value, list):
        return [_magnitude(v) for v in value]
    return np.abs(value) if value.dtype.kind in "fc" else value


def check_values(actual, expected, dtype, ulps=4, scale=None):
    """Asserts that computed values are the correctly rounded expected ones, up to a tolerance.

    Floating-point numbers may differ by `ulps` units in the last place of max(|expected|, scale), complex ones by that
    much in modulus. NaNs, infinities, integers, bools and strings must be equal.

    Args:
      actual: The computed array.
      expected: The expected array, of higher precision.
      dtype: The NumPy type that `actual` must have.
      ulps: The tolerance in units in the last place.
      scale: An array of magnitudes, as of the terms of a sum (optional).

    Raises:
      AssertionError: Types, shapes or elements differ; the message shows the first ones with their indices.
    """
    actual, expected, dtype = np.asarray(actual), np.asarray(expected), np.dtype(dtype)
    assert actual.dtype == dtype, f"type {actual.dtype} instead of {dtype}"
    assert actual.shape == expected.shape, f"shape {actual.shape} instead of {expected.shape}"
    with np.errstate(all="ignore"):
        if is_float(dtype):
            expected = expected.astype(np.float64)
            good = _good_floats(actual, expected, dtype, ulps, scale)
        elif dtype.kind == "c":
            expected = expected.astype(np.complex128)
            good = _good_complex(actual, expected, dtype, ulps, scale)
        else:
            expected = expected.astype(dtype)
            good = actual == expected
    _report(actual, expected, np.asarray(good), ulps, scale)


def check_identical(actual, expected):
    """Asserts that two arrays are the same bit for bit, except for the bits of NaNs."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype, f"type {actual.dtype} instead of {expected.dtype}"
    assert actual.shape == expected.shape, f"shape {actual.shape} instead of {expected.shape}"
    if actual.dtype.kind == "O" or actual.tobytes() == expected.tobytes():
        good = actual == expected if actual.dtype.kind == "O" else np.True_
    else:
        with np.errstate(all="ignore"):
            parts = (
                [(actual.real, expected.real), (actual.imag, expected.imag)]
                if actual.dtype.kind == "c"
                else [(actual, expected)]
            )
            good = np.logical_and.reduce([_same_bits(a, b) for a, b in parts])
    _report(actual, expected, np.asarray(good), 0, None)


def _same_bits(a, b):
    if a.dtype.kind in "biu":
        return a == b
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def _good_floats(actual, expected, dtype, ulps, scale):
    wide = actual.astype(np.float64)
    tiny, _, largest = float_limits(dtype)
    size = np.minimum(_size(expected, scale), largest)
    allowed = ulps * epsilon(dtype) * size + tiny
    close = np.abs(wide - expected) <= allowed
    # Overflow: infinity, or the largest number itself if it is within the tolerance.
    over = (np.abs(expected) + allowed >= largest) & (np.abs(wide) >= largest - allowed)
    close |= over & (np.sign(wide) == np.sign(expected)) & ~np.isnan(wide)
    finite = np.isfinite(expected)
    same = (wide == expected) | (np.isnan(wide) & np.isnan(expected))
    return np.where(finite, close, same)


def _good_complex(actual, expected, dtype, ulps, scale):
    wide = actual.astype(np.complex128)
    part = np.empty(0, dtype).real.dtype
    tiny, _, largest = float_limits(part)
    size = _size(expected, scale)
    close = np.abs(wide - expected) <= ulps * epsilon(part) * size + tiny
    # No standard defines whether a complex operation returns NaN or infinity.
    finite = np.isfinite(expected)
    over = ~finite | (size * (1 + ulps * epsilon(part)) >= largest)
    return (finite & close) | (over & ~np.isfinite(wide))


def _size(expected, scale):
    size = np.abs(expected)
    if scale is None:
        return size
    scale = np.abs(np.asarray(scale)).astype(np.float64)
    return np.maximum(size, np.where(np.isfinite(scale), scale, 0))


def _report(actual, expected, good, ulps, scale):
    if good.all():
        return
    wrong = np.argwhere(~good) if good.ndim else np.zeros((1, 0), int)
    lines = []
    for index in map(tuple, wrong[:5]):
        a, e = actual[index], expected[index]
        off = _distance(a, e, actual.dtype, scale if scale is None else np.broadcast_to(scale, expected.shape)[index])
        off = "" if off is None else f" ({off:.4g} units in the last place apart, {ulps:g} allowed)"
        lines.append(f"  {list(map(int, index))}: {a!r} instead of {e!r}{off}")
    raise AssertionError("\n".join([f"{len(wrong)} of {good.size} elements differ", *lines]))


def _distance(actual, expected, dtype, scale):
    """The distance of two numbers in units in the last place; None if it is not defined."""
    if not (is_float(dtype) or dtype.kind == "c"):
        return None
    wide = complex if dtype.kind == "c" else float
    apart = abs(wide(actual) - wide(expected))
    size = max(abs(wide(expected)), 0 if scale is None else abs(scale))
    if not np.isfinite(apart) or not np.isfinite(size):
        return None
    return apart / max(epsilon(dtype) * size, float_limits(np.empty(0, dtype).real.dtype)[1])
