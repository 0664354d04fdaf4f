"""Changes of single strings: special cases and errors; `tests/records/strings/edit.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf


def run(tensor):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_only_ascii_changes():
    x = " ÄéZ\0z".encode()
    assert run(tf.strings.lower(x)) == " ÄéZ\0z".replace("Z", "z").encode()
    assert run(tf.strings.upper(x)) == " ÄéZ\0z".replace("z", "Z").encode()
    assert run(tf.strings.strip(b" \t\xa0 a\0 \v")) == b"\xa0 a\0"
    assert run(tf.string_strip(["", " ", "\n\n"])).tolist() == [b"", b"", b""]


def test_lengths():
    x = [b"abc\xff\x80\x80x", "äöü€𝄞".encode(), b"\x80\x80", b""]
    assert run(tf.strings.length(x)).tolist() == [7, 13, 2, 0]
    assert run(tf.strings.length(x, unit="UTF8_CHAR")).tolist() == [5, 5, 0, 0]
    assert run(tf.strings.length(x)).dtype == np.int32
    with pytest.raises(ValueError, match="BYTE"):
        tf.strings.length("a", unit="WORD")


@pytest.mark.parametrize("function", [tf.strings.lower, tf.strings.upper])
def test_encodings(function):
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"only utf-8 or '' \(no encoding\) is supported"):
        run(function("a", encoding="latin1"))
    with pytest.raises(tf.errors.UnimplementedError, match="changes ASCII letters only"):
        run(function("a", encoding="utf-8"))


def test_many_strings_on_several_threads():
    x = np.array([b" Ab%d " % i for i in range(20000)], object)
    assert run(tf.strings.upper(x)).tolist() == [s.upper() for s in x]
    assert run(tf.strings.strip(x)).tolist() == [s.strip() for s in x]
