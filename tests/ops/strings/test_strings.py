"""Ops on strings: errors and special cases."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import evaluate


def run(tensor):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.substr([b"hello", b"hi"], 3, 1), "pos 3 out of range for string at index 1"),
        (lambda: tf.decode_base64([b"a"]), r"Base64 string length \(1\) is not valid"),
        (lambda: tf.decode_base64([b"a$bc"]), "Invalid character found in base64"),
        (lambda: tf.decode_base64([b"aGVsbG8=="]), "Base64 string length|Invalid character"),
        (lambda: tf.string_to_number([b"x1"]), "could not correctly convert string: x1"),
        (lambda: tf.string_to_number([b""]), "could not correctly convert string: "),
        (lambda: tf.string_to_number([b"3000000000"], tf.int32), "could not correctly convert string: 3000000000"),
        (lambda: tf.string_to_number([b"1e400x"], tf.float64), "could not correctly convert string: 1e400x"),
        (lambda: tf.string_to_number([b"9223372036854775808"], tf.int64), "could not correctly convert"),
        (lambda: tf.string_to_number([b"1\0002"]), "could not correctly convert"),
        (lambda: tf.strings.to_number([b" -1"], tf.uint32), "could not correctly convert string:  -1"),
        (lambda: tf.strings.to_number([b"4294967296"], tf.uint32), "could not correctly convert string: 4294967296"),
        (lambda: tf.substr("aä", 3, 1, unit="UTF8_CHAR"), "pos 3 out of range for string at index 0"),
        (lambda: tf.substr("aä", -3, 1, unit="UTF8_CHAR"), "pos -3 out of range for string at index 0"),
        (lambda: tf.substr("aä", -1, -1, unit="UTF8_CHAR"), "pos -1 out of range for string at index 0"),
        (lambda: tf.substr("aä", np.int64(-(2**63)), np.int64(1), unit="UTF8_CHAR"), "pos -9223372036854775808 out"),
    ],
)
def test_what_is_refused(call, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(call())


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError):
        tf.string_join([[b"a", b"b"], [b"c"]])
    a, b = tf.placeholder(tf.string), tf.placeholder(tf.string)
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"Input shapes do not match: \[2\]"),
    ):
        session.run(tf.string_join([a, b]), {a: [b"a", b"b"], b: [b"c"]})


def test_texts():
    assert run(tf.strings.join(["a", ["b", "c"]], separator="-")).tolist() == [b"a-b", b"a-c"]
    assert run(tf.substr(b"hello", [1, -2], [2, 9])).tolist() == [b"el", b"lo"]
    assert run(tf.encode_base64(b"\xff\xfe\xfd")) == b"__79"
    assert run(tf.strings.to_number([b" 7", b"-1e2"])).tolist() == [7, -100]
    assert evaluate("StringToNumber", run(tf.constant([b"9223372036854775807"])), out_type=tf.int64).tolist() == [
        2**63 - 1
    ]


@pytest.mark.parametrize(
    ("pos", "length", "piece"),
    [
        (0, 1, "a"), (1, 2, "äö"), (-1, 1, "𝄞"), (-2, 1, "€"), (-2, 9, "€𝄞"), (5, 1, ""), (2, -1, ""), (-3, 0, ""),
        (4, 2**31 - 1, "𝄞"), (0, 5, "aäö€𝄞"), (-5, 5, "aäö€𝄞"),
    ],
)  # fmt: skip
def test_pieces_in_characters(pos, length, piece):
    assert run(tf.substr("aäö€𝄞", pos, length, unit="UTF8_CHAR")).decode() == piece


def test_pieces_of_bytes_that_are_not_utf_8():
    assert run(tf.substr(b"\x80\x80a\x80", 1, 1, unit="UTF8_CHAR")) == b"a\x80"


def test_numbers_of_any_length():
    texts = ["1" * 70, "0." + "1" * 80, "1" + "0" * 400]
    with tf.Session() as session:
        found = session.run(tf.string_to_number(texts, tf.float64))
    assert found.tolist() == [float(text) for text in texts[:2]] + [np.inf]
