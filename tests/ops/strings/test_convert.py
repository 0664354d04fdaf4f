"""Numbers as text and bytes as numbers: errors; `tests/records/strings/convert.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensor):
    with tf.Session() as session:
        return session.run(tensor)


def test_special_values():
    x = np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0], np.float32)
    assert run(tf.as_string(x)).tolist() == [b"nan", b"-nan", b"inf", b"-inf", b"-0.000000"]
    assert run(tf.as_string(x[2:], width=6, fill="0")).tolist() == [b"   inf", b"  -inf", b"-0.000000"]
    assert run(tf.as_string([True, False], width=9)).tolist() == [b"true", b"false"]
    assert run(tf.as_string(np.uint64([2**64 - 1]))).tolist() == [b"18446744073709551615"]
    assert run(tf.as_string(np.float64(-1e300), precision=1)) == b"%.1f" % -1e300  # longer than any buffer


def test_strings_are_padded_and_cut():
    assert run(tf.as_string(["abc", "a\0b"], width=6)).tolist() == [b"   abc", b"   a\0b"]
    assert run(tf.as_string(["abc"], width=4, precision=2, fill="-")).tolist() == [b"ab  "]
    assert run(tf.as_string(["abc"], precision=2)).tolist() == [b"abc"]


@pytest.mark.parametrize(
    ("x", "options", "text"),
    [
        (1, {"fill": "x"}, 'Fill argument not supported: "x"'),
        (1, {"fill": "00"}, "Fill string must be one or fewer characters"),
        (1.0, {"scientific": True, "shortest": True}, "Cannot select both scientific and shortest notation"),
        (1, {"precision": 1}, "precision not supported for datatype int32"),
        (True, {"shortest": True}, "scientific and shortest format not supported for datatype bool"),
        (1, {"width": 2**31}, "Attr width has value 2147483648 out of range for an int32"),
        (1.0, {"precision": 2**40}, "Attr precision has value 1099511627776 out of range for an int32"),
    ],
)
def test_formats_that_are_refused(x, options, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.as_string(x, **options))


@pytest.mark.parametrize(
    ("strings", "text"),
    [
        ([b"abcd", b"efg"], "to all be the same size, but element 1 has size 4 != 3"),
        ([b"abc"], "Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16"),
    ],
)
def test_bytes_that_are_refused(strings, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.decode_raw(strings, tf.int16))


def test_bytes():
    assert run(tf.decode_raw(b"\0\1\2", tf.bool)).tolist() == [False, True, True]
    assert run(tf.decode_raw(["", ""], tf.int16)).shape == (2, 0)
    assert tf.decode_raw(tf.placeholder(tf.string, [None, 2]), tf.int8).shape.as_list() == [None, 2, None]
    assert tf.io.decode_raw is tf.decode_raw and tf.io.decode_base64 is tf.decode_base64
    with pytest.raises(ValueError, match="out_type"):
        tf.decode_raw("a")
    with pytest.raises(ValueError, match="both"):
        tf.decode_raw("a", tf.int8, bytes="a")
    with pytest.raises(TypeError):
        tf.decode_raw("a", tf.string)
