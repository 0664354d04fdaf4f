"""Damaged messages and records: a value or a clear error, never anything else."""

import os

import numpy as np
import pytest

import tfcore as tf
from tests.ops.parsing.test_example import example
from tests.ops.parsing.test_sequence_example import sequence

ROUNDS = max(1, int(300 * float(os.environ.get("TFCORE_TEST_EFFORT", 1))))

EXAMPLES = [
    example(i=[1, 300, -1, 2**40], x=[0.5, 1.5], s=[b"abc", b""]),
    example(i=[7], x=[2.5, -1.0], s=[b"d" * 200]),
    example(x=[2.5, -1.0]),
]
SEQUENCES = [
    sequence(
        {"i": (tf.int64, [1, 2])}, {"d": (tf.int64, [[1], [300]]), "s": (tf.string, [[b"ab"], None, [b"", b"c"]])}
    ),
    sequence({"i": (tf.int64, [5])}, {"d": (tf.int64, [])}),
]
TENSORS = [
    tf.make_tensor_proto([[1, 2], [3, 4]]).SerializeToString(),
    tf.TensorProto(dtype=3, tensor_shape=tf.TensorShape([3]).as_proto(), int_val=[1, 500]).SerializeToString(),
]
RECORDS = [b'1,2.5,"a""b",', b"-7,1e5,xyz,9", b',,"",', b'3,0.1,"a,\nb",123456789012']
JSON = [
    b'{"features": {"feature": {"a": {"int64List": {"value": ["1", 2e1]}}, "b": {"bytesList": {"value": ["YQ=="]}}}}}',
    b'{"features":{"feature":{"\\u00e9\\ud83d\\ude00":{"floatList":{"value":[1.5,"NaN"]}},"x":null}}}',
]


def damage(rng, text, others):
    """The text with some bytes changed, left out, repeated or taken from others."""
    out = bytearray(text)
    for _ in range(rng.integers(1, 5)):
        kind, at = rng.integers(0, 6), int(rng.integers(0, len(out) + 1))
        end = min(len(out), at + int(rng.integers(1, 9)))
        if kind == 0:
            out[at:end] = rng.bytes(end - at)
        elif kind == 1:
            del out[at:end]
        elif kind == 2:
            out[at:at] = out[at:end]
        elif kind == 3:
            del out[at:]
        elif kind == 4 and at < len(out):
            out[at] ^= 1 << int(rng.integers(0, 8))
        else:
            other = others[rng.integers(0, len(others))]
            out[at:end] = other[int(rng.integers(0, len(other) + 1)) :][:20]
    return bytes(out)


def single_example(text):
    features = {
        "i": tf.VarLenFeature(tf.int64),
        "x": tf.FixedLenFeature([2], tf.float32),
        "s": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    }
    return tf.parse_single_example(text, features)


def batch(text):
    features = {"i": tf.FixedLenSequenceFeature([1], tf.int64, True), "s": tf.VarLenFeature(tf.string)}
    return tf.parse_example(tf.stack([EXAMPLES[2], text]), features)


def lists(text):
    context = {"i": tf.VarLenFeature(tf.int64)}
    fields = {"d": tf.FixedLenSequenceFeature([1], tf.int64, True), "s": tf.VarLenFeature(tf.string)}
    return tf.io.parse_sequence_example(tf.stack([SEQUENCES[0], text]), context, fields)


def columns(text):
    return tf.decode_csv(text, [[6], [0.5], ["d"], tf.constant(0, tf.int64)])


PARSERS = {
    "single_example": (single_example, EXAMPLES),
    "batch": (batch, EXAMPLES),
    "lists": (lists, SEQUENCES),
    "tensor": (lambda text: tf.parse_tensor(text, tf.int32), TENSORS),
    "sparse": (lambda text: tf.deserialize_many_sparse(tf.stack([[text, text, text]]), tf.int32), TENSORS),
    "columns": (columns, RECORDS),
    "json": (tf.decode_json_example, JSON),
}


@pytest.mark.parametrize("name", PARSERS)
def test_damaged(name):
    parser, texts = PARSERS[name]
    rng = np.random.default_rng(len(name))
    failed = 0
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.string, [])
        parse = session.make_callable(parser(fed), [fed])
        for text in texts if name != "sparse" else []:
            parse(text)
        for _ in range(ROUNDS):
            text = damage(rng, texts[rng.integers(0, len(texts))], texts)
            try:
                parse(text)
            except (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError) as error:
                failed += 1
                assert len(error.message) < 3000
    assert failed
