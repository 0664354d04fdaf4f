"""Conversions of quantized numbers, to the last integer; known values are those of TensorFlow 2.21."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.ops.quantized.reference import TYPES, F, limits, read, round_away, run_at_all_levels, write

_ENDS = st.tuples(st.floats(-5, 5, width=16), st.floats(0.125, 8, width=16)).map(lambda v: (v[0], v[0] + v[1]))
_QUANTIZED = pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.name)


def _integers(dtype, shape, seed):
    low, high = limits(TYPES[dtype])
    return np.random.default_rng(seed).integers(low, high, shape, endpoint=True).astype(TYPES[dtype])


def _numbers(shape, seed):
    return np.random.default_rng(seed).normal(scale=4, size=shape).astype(F)


def _extended(low, high):
    least = max(F(1), abs(F(low)), abs(F(high))) * F(0.01)
    bottom = min(F(0), F(low))
    return bottom, max(F(0), F(high), F(bottom + least))


def _to_integers(x, np_type):
    """As x86 converts: what is out of range of an int32 is the most negative one."""
    inside = (x >= -(2**31)) & (x < 2**31)
    return np.where(inside, x, -(2**31)).astype(np.int64).astype(np.int32).astype(np_type)


def _quantize(x, low, high, np_type, mode, to_even, narrow):
    least, most = limits(np_type)
    low, high = _extended(low, high)
    if mode == "MIN_FIRST":
        return write(x, low, high, np_type), low, high
    if mode == "SCALED":
        least += narrow
        factors = [F(n) / end for n, end in ((least, low), (most, high)) if F(n) * end > 0]
        scale = min(factors)
        low, high = F(least) / scale, F(most) / scale
        x = np.clip(x, low, high) * scale
        return _to_integers(np.rint(x) if to_even else round_away(x), np_type), low, high
    scale = F((most - least) / np.float64(high - low))
    x = (np.clip(x, low, high) - low) * scale
    if least < 0:
        return _to_integers(round_away(x - F((most - least + 1) / 2)), np_type), low, high
    return _to_integers(np.trunc(x + F(0.5)), np_type), low, high


def _dequantize(q, low, high, mode, narrow):
    least, most = limits(q.dtype)
    low, high = F(low), F(high)
    if mode == "MIN_FIRST":
        return read(q, low, high, q.dtype)
    if mode == "SCALED":
        scale = high / F(most)
        return q.astype(F) * (max(scale, low / F(least + narrow)) if least else scale)
    half = F(most) - F(least) + F(1) if least else F(0)
    return (q.astype(F) + half / F(2)) * F((high - low) / (F(most) - F(least))) + low


@_QUANTIZED
@pytest.mark.parametrize("mode", ["MIN_COMBINED", "MIN_FIRST", "SCALED"])
def test_values(dtype, mode):
    @given(_ENDS, st.booleans(), st.booleans(), st.integers(0, 2**32))
    def check(ends, to_even, narrow, seed):
        to_even &= mode == "SCALED"
        if mode == "SCALED" and limits(TYPES[dtype])[0] == 0 and (narrow or _extended(*ends)[1] <= 0):
            return  # no integer stands for a negative number, and the scale of nothing is undefined
        x, q = _numbers((3, 7), seed), _integers(dtype, (3, 7), seed)
        options = {"mode": mode, "narrow_range": narrow}
        rounding = "HALF_TO_EVEN" if to_even else "HALF_AWAY_FROM_ZERO"

        def build(x, q):
            made = tf.quantization.quantize(x, *ends, dtype, round_mode=rounding, **options)
            return [*made, tf.quantization.dequantize(q, *ends, **options)]

        found, low, high, numbers = run_at_all_levels(build, [(tf.float32, x), (dtype, q)])
        expected = _quantize(x, *ends, TYPES[dtype], mode, to_even, narrow)
        np.testing.assert_array_equal(found, expected[0])
        assert (low, high) == expected[1:]
        np.testing.assert_array_equal(numbers, _dequantize(q, *ends, mode, narrow))

    check()


@_QUANTIZED
def test_each_slice_has_its_range(dtype):
    x, q = _numbers((2, 3, 4), 1), _integers(dtype, (2, 3, 4), 1)
    for axis in range(3):
        lows, highs = -np.arange(1, x.shape[axis] + 1, dtype=F), np.arange(2, x.shape[axis] + 2, dtype=F)

        def build(x, q, lows=lows, highs=highs, axis=axis):
            made = tf.quantization.quantize(x, lows, highs, dtype, axis=axis)
            return [*made, tf.quantization.dequantize(q, lows, highs, axis=axis)]

        found, low, high, numbers = run_at_all_levels(build, [(tf.float32, x), (dtype, q)])
        np.testing.assert_array_equal(low, lows)
        np.testing.assert_array_equal(high, highs)
        for i in range(x.shape[axis]):
            at = (slice(None),) * axis + (i,)
            want = _quantize(x[at], lows[i], highs[i], TYPES[dtype], "MIN_COMBINED", False, False)
            np.testing.assert_array_equal(found[at], want[0])
            np.testing.assert_array_equal(numbers[at], _dequantize(q[at], lows[i], highs[i], "MIN_COMBINED", False))


def test_known_values():
    with tf.Session() as session:
        made = tf.quantization.quantize([1.0, 2.0, -3.0], -4.0, 4.0, tf.qint8)
        assert session.run(made.output).tolist() == [31, 63, -96]
        np.testing.assert_array_equal(session.run(tf.dequantize(*made)), F([0.9882355, 1.992157, -2.9960785]))
        narrow = tf.dequantize(tf.constant([3, 200], tf.quint8), 0.0, 1.0, dtype=tf.bfloat16)
        assert session.run(narrow).astype(float).tolist() == [0.01177978515625, 0.78515625]
        nan = session.run(tf.quantize_v2([np.nan, np.inf, -np.inf], -1.0, 1.0, tf.quint8)).output
        assert nan.tolist() == [255, 255, 0]


@given(_ENDS, st.floats(0, 4, width=16), st.floats(0.125, 4, width=16), st.integers(0, 2**32))
def test_requantize(ends, below, above, seed):
    q = _integers(tf.qint32, (50,), seed) // 10 ** (seed % 7)

    def build(q):
        to = [tf.raw_ops.Requantize(q, *ends, -below, above, out_type=t) for t in (tf.quint8, tf.qint8)]
        return [t.output for t in to] + [to[0].output_min, to[0].output_max]

    to_quint8, to_qint8, low, high = run_at_all_levels(build, [(tf.qint32, q)])
    assert (low, high) == (-below, above)
    numbers = read(q, *ends, np.int32)
    np.testing.assert_array_equal(to_qint8, write(numbers, -F(below), F(above), np.int8))
    exact = np.clip((numbers.astype(float) + below) / (below + above) * 255, 0, 255)
    # In fixed point of 16 bits after the point, whose zero is the middle of the range.
    assert np.abs(to_quint8 - exact).max() <= 0.5 + 0.01 * max(1, (abs(ends[0]) + abs(ends[1])) / (below + above))


def test_the_range_that_is_used():
    q = np.array([-(2**30), 5, 2**29], np.int32)

    def build(q):
        return [*tf.raw_ops.RequantizationRange(q, -4.0, 4.0),
                *tf.raw_ops.QuantizeDownAndShrinkRange(q, -4.0, 4.0, out_type=tf.quint8)]  # fmt: skip

    low, high, found, *ends = run_at_all_levels(build, [(tf.qint32, q)])
    assert (low, high) == (-2, 1) and ends == [-2, 1] and found.tolist() == [0, 170, 255]


def test_errors():
    x, q = tf.constant([1.0, 2.0]), tf.constant([1, 2], tf.qint32)
    cases = [
        (tf.quantize_v2(x, 2.0, 1.0, tf.qint8), "input_max_range must be larger than input_min_range"),
        (tf.quantize_v2(x, 0.0, 1.0, tf.qint8, round_mode="HALF_TO_EVEN"), "only supported for mode 'SCALED'"),
        (tf.quantize_v2(x, *_fed([0.0], [1.0]), tf.qint8, axis=0), "must have as many elements as input"),
        (tf.dequantize(q, 0.0, 1.0, "SCALED", dtype=tf.bfloat16), "must be 'MIN_COMBINED', is 'SCALED'"),
        (tf.raw_ops.Requantize(q, -1.0, 1.0, 1.0, 2.0, out_type=tf.quint8), "requested_output_min must be <= 0"),
        (tf.raw_ops.Requantize(q, -1.0, 1.0, -2.0, -1.0, out_type=tf.quint8), "requested_output_max must be >= 0"),
        (tf.raw_ops.RequantizationRange(q, *_fed([], [])), "must be scalars"),
    ]
    with tf.Session() as session:
        for tensors, text in cases:
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(tensors)
        with pytest.raises(tf.errors.UnimplementedError, match="MIN_FIRST"):
            session.run(tf.quantize_v2(x, [0.0, 0.0], [1.0, 1.0], tf.qint8, mode="MIN_FIRST", axis=0))
    with pytest.raises(ValueError):
        tf.quantize_v2(x, [0.0], 1.0, tf.qint8)


def _fed(*values):
    """The values as tensors whose shapes are not known."""
    return [tf.placeholder_with_default(np.array(value, F), None) for value in values]
