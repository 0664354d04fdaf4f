"""Compressed strings: formats, damage."""

import gzip
import zlib

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def decode(strings, kind):
    with tf.Session() as session:
        return session.run(tf.decode_compressed(np.array(strings, object), kind))


def test_formats():
    rng = np.random.default_rng(1)
    texts = [b"", b"a", b"hello " * 50_000, rng.bytes(100_000), bytes(200_000)]
    for level in 0, 1, 9:
        assert decode([zlib.compress(t, level) for t in texts], "ZLIB").tolist() == texts
        assert decode([[gzip.compress(t, level)] for t in texts], "GZIP").tolist() == [[t] for t in texts]
    assert decode(texts, "").tolist() == texts
    assert decode([b""], "GZIP").tolist() == [b""]
    assert decode([gzip.compress(b"a") + gzip.compress(b"b")], "GZIP").tolist() == [b"ab"]
    assert decode([], "ZLIB").shape == (0,)


def test_damage():
    good = zlib.compress(b"some text, some text")
    for wrong in good[:-1], good[:5], good[:-1] + bytes([good[-1] ^ 1]), b"text", gzip.compress(b"text"):
        with pytest.raises(tf.errors.DataLossError, match=r"inflate\(\) failed in string 1: "):
            decode([good, wrong, wrong], "ZLIB")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Only ZLIB, GZIP or NONE are supported"):
        decode([good], "SNAPPY")
