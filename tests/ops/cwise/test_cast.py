"""Casts beyond what records say: out-of-range values, truncation, bit patterns."""

import ml_dtypes
import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import evaluate


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


_INT32_MIN, _INT64_MIN = -(2**31), -(2**63)
_ODD = [1e10, -1e10, np.nan, np.inf, -np.inf, 300.7, -3.7, 3e9, 1e19, -1.0]


@pytest.mark.parametrize("source", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("int32", [_INT32_MIN] * 5 + [300, -3, _INT32_MIN, _INT32_MIN, -1]),
        ("uint8", [0, 0, 0, 0, 0, 44, 253, 0, 0, 255]),
        ("int8", [0, 0, 0, 0, 0, 44, -3, 0, 0, -1]),
        ("int16", [0, 0, 0, 0, 0, 300, -3, 0, 0, -1]),
        ("uint16", [0, 0, 0, 0, 0, 300, 65533, 0, 0, 65535]),
        ("uint32", [2**31] * 5 + [300, 2**32 - 3, 3 * 10**9, 2**31, 2**32 - 1]),
        ("int64", [10**10, -(10**10), *[_INT64_MIN] * 3, 300, -3, 3 * 10**9, _INT64_MIN, -1]),
        ("bool", [True] * 10),
    ],
)
def test_what_does_not_fit(source, target, expected):
    x = np.tile(np.array(_ODD, source), 7)
    got = evaluate("Cast", x, DstT=tf.as_dtype(target))
    assert got.tolist() == np.tile(np.array(expected, target), 7).tolist()


def test_uint64_above_int64():
    x = np.array([2.0**63, 2.0**64 - 2048, 5.0, -1.0])
    assert evaluate("Cast", x, DstT=tf.uint64).tolist() == [2**63, 2**64 - 2048, 5, 2**64 - 1]


@pytest.mark.parametrize("target", [tf.float16, tf.bfloat16])
def test_double_rounds_once(target):
    """Just above the middle of two neighbours: rounding to float first would lose the difference."""
    eps = float(np.finfo(np.float16).eps) if target is tf.float16 else 2.0**-7
    middle = 1 + eps / 2
    x = np.array([middle, middle + 2.0**-40, -middle - 2.0**-40])
    got = evaluate("Cast", x, DstT=target).astype(np.float64)
    assert got.tolist() == [1.0, 1 + eps, -1 - eps]


def test_every_half_and_bfloat16_survives():
    bits = np.arange(65536, dtype=np.uint16)
    for dtype, target in ((np.float16, tf.float16), (ml_dtypes.bfloat16, tf.bfloat16)):
        x = bits.view(dtype)
        wide = evaluate("Cast", x, DstT=tf.float32)
        np.testing.assert_array_equal(wide, x.astype(np.float32))
        assert np.array_equal(np.signbit(wide), bits >= 0x8000)
        back = evaluate("Cast", wide, DstT=target)
        number = ~np.isnan(wide)
        assert np.array_equal(back.view(np.uint16)[number], bits[number])
        assert np.isnan(back.astype(np.float32)[~number]).all()


def test_truncate():
    x = np.array([1.999999, -1.999999, 3.0e38, np.inf, np.nan], np.float32)
    got = evaluate("Cast", x, DstT=tf.bfloat16, Truncate=True).astype(np.float32)
    assert got[:2].tolist() == [1.9921875, -1.9921875]
    assert got[2] <= 3.0e38 and got[3] == np.inf and np.isnan(got[4])
    # The double has more ones than float holds: rounded it would be 2.
    got = evaluate("Cast", np.array([2 - 2.0**-40]), DstT=tf.float32, Truncate=True)
    assert got[0] == np.float32(2 - 2.0**-23)


def test_bitcast():
    """Same, larger and smaller elements; every byte arrives."""
    x = np.arange(48, dtype=np.uint8).reshape(3, 2, 8)
    for name in ("uint8", "int8", "bfloat16", "half", "int32", "float", "double", "int64", "complex64", "uint64"):
        target = tf.as_dtype(name)
        size = target.size
        y = evaluate("Bitcast", x.reshape(-1, size) if size > 1 else x, type=target)
        assert y.tobytes() == x.tobytes()
        back = evaluate("Bitcast", y, type=tf.uint8)
        assert back.tobytes() == x.tobytes()
    wide = evaluate("Bitcast", np.zeros((5, 2), np.complex128), type=tf.float32)
    assert wide.shape == (5, 2, 4)


def test_bitcast_shapes():
    with pytest.raises(ValueError, match="Cannot bitcast due to shape"):
        tf.bitcast(tf.zeros([2, 3], tf.uint8), tf.float32)
    x = tf.placeholder(tf.uint8)
    y = tf.bitcast(x, tf.float32)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="Cannot bitcast from"):
        session.run(y, {x: np.zeros((2, 3), np.uint8)})


def test_cast_of_the_same_type_adds_nothing():
    x = tf.placeholder(tf.float32)
    assert tf.cast(x, tf.float32) is x
    assert tf.cast(x, "float64").op.type == "Cast"


def test_saturate_cast_to_a_limit_that_the_type_rounds_up():
    with tf.Session() as session:
        for dtype in (tf.float32, tf.bfloat16):
            found = session.run(tf.saturate_cast(tf.constant([3e9, -3e9], dtype), tf.int32))
            assert found[0] > 2**30 and found[1] == -(2**31)


def test_saturate_cast():
    x = tf.constant([-500.0, -3.7, 200.0, 1e9])
    with tf.Session() as session:
        assert session.run(tf.saturate_cast(x, tf.int8)).tolist() == [-128, -3, 127, 127]
        assert session.run(tf.saturate_cast(x, tf.uint8)).tolist() == [0, 0, 200, 255]


def test_old_names():
    x = tf.constant([1.7, -1.7])
    with tf.Session() as session:
        assert session.run(tf.to_int32(x)).tolist() == [1, -1]
        assert session.run(tf.to_int64(x)).dtype == np.int64
        assert session.run(tf.to_double(x)).dtype == np.float64
        assert session.run(tf.to_float(tf.constant([1, 2]))).dtype == np.float32
    assert tf.to_int32(x).op.name.startswith("ToInt32")


def test_cast_gradient():
    x = tf.placeholder(tf.float32, [3])
    y = tf.cast(tf.cast(x, tf.float64) ** 2, tf.float32)
    (grad,) = tf.gradients(y, x)
    assert grad.dtype is tf.float32
    with tf.Session() as session:
        assert session.run(grad, {x: [1, 2, 3]}).tolist() == [2, 4, 6]
    assert tf.gradients(tf.cast(x, tf.int32), x) == [None]
