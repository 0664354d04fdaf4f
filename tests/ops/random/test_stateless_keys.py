"""Stateless ops with keys and counters: the numbers of those with seeds, and TensorFlow's."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels

raw = tf.raw_ops
SEED = [3, 5]
# What TensorFlow 2.21 makes of the seed.
KEY, COUNTER = [4551124392215935721], [0, 13892792660983712975]
PAIRS = [
    ("StatelessRandomUniform", {}),
    ("StatelessRandomNormal", {}),
    ("StatelessTruncatedNormal", {}),
    ("StatelessRandomUniformFullInt", {}),
    ("StatelessRandomUniformInt", {"minval": -5, "maxval": 70}),
]


def test_keys_and_counters_are_tensorflows():
    with tf.Session() as session:
        key, counter, *again, algorithm = session.run(
            [
                *raw.StatelessRandomGetKeyCounter(seed=SEED),
                *raw.StatelessRandomGetKeyCounterAlg(seed=SEED),
                raw.StatelessRandomGetAlg(),
            ]
        )
    assert (key.tolist(), counter.tolist(), algorithm) == (KEY, COUNTER, 1)
    assert [v.tolist() for v in again] == [KEY, COUNTER, 1]


@pytest.mark.parametrize("op, bounds", PAIRS, ids=lambda v: v if isinstance(v, str) else "")
@pytest.mark.parametrize("algorithm", [1, 3], ids=["philox", "auto"])
def test_numbers_are_those_of_the_seed(op, bounds, algorithm):
    floats = ("float16", "bfloat16", "float32", "float64")
    words = ("int32", "int64", "uint32", "uint64")
    types = ("int32", "int64") if bounds else words if "Full" in op else floats
    for name in types:
        dtype = tf.as_dtype(name)

        limits = {k: tf.constant(v, dtype) for k, v in bounds.items()} or {"dtype": dtype}
        key = {"key": tf.constant(KEY, tf.uint64), "counter": tf.constant(COUNTER, tf.uint64), "alg": algorithm}
        by_seed = getattr(raw, op)(shape=[3, 77], seed=SEED, **limits)
        by_key = getattr(raw, op + "V2")(shape=[3, 77], **key, **limits)
        for level in cpu_levels():  # normal numbers have other last bits at another level
            with cpu_level(level), tf.Session() as session:
                np.testing.assert_array_equal(*session.run([by_key, by_seed]))


def test_values_are_tensorflows():
    key = {"key": tf.constant(KEY, tf.uint64), "counter": tf.constant(COUNTER, tf.uint64), "alg": 1}
    with tf.Session() as session:
        uniform, normal, integers, words = session.run(
            [
                raw.StatelessRandomUniformV2(shape=[5], **key),
                raw.StatelessRandomNormalV2(shape=[5], **key),
                raw.StatelessRandomUniformIntV2(shape=[5], minval=0, maxval=100, **key),
                raw.StatelessRandomUniformFullIntV2(shape=[5], dtype=tf.int32, **key),
            ]
        )
    np.testing.assert_allclose(uniform, [0.30866754, 0.09597003, 0.3703704, 0.39366353, 0.8883836], rtol=1e-6)
    np.testing.assert_allclose(normal, [0.8695505, 1.2628788, 0.8731732, -1.106378, -0.22128268], rtol=1e-5)
    assert integers.tolist() == [87, 95, 28, 29, 22]
    assert words.tolist() == [-1045986709, 1091324095, 145713228, -1942854767, -1225673074]


def test_counters_go_on():
    """The lower half of the counter is the number of the first block, four words each."""
    key = tf.constant(KEY, tf.uint64)
    with tf.Session() as session:
        whole, rest = session.run(
            [
                raw.StatelessRandomUniformFullIntV2(shape=[40], key=key, counter=tf.constant(c, tf.uint64), alg=1)
                for c in ([0, 7], [5, 7])
            ]
        )
    assert whole[10:].tolist() == rest[:30].tolist()


def _unknown(value, dtype):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


@pytest.mark.parametrize(
    "key, counter, algorithm, text",
    [
        ([1, 2], [1, 2], 1, r"key must have shape \[1\], not \[2\]"),
        ([1], [1], 1, "counter must be a vector of at least 2 elements"),
        ([1], [1, 2], 2, "Unsupported algorithm id: 2"),
        ([1], [1, 2], [1], r"algorithm must be of shape \[\], not \[1\]"),
    ],
)
def test_errors(key, counter, algorithm, text):
    numbers = raw.StatelessRandomNormalV2(
        shape=[2],
        key=_unknown(key, tf.uint64),
        counter=_unknown(counter, tf.uint64),
        alg=_unknown(algorithm, tf.int32),
    )
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(numbers)


def test_shapes():
    key = tf.constant(KEY, tf.uint64)
    assert raw.StatelessRandomUniformV2(shape=[2, 3], key=key, counter=[1, 2], alg=1).shape == (2, 3)
    with pytest.raises(ValueError, match="rank 1"):
        raw.StatelessRandomUniformV2(shape=[2, 3], key=tf.constant(1, tf.uint64), counter=[1, 2], alg=1)
    with pytest.raises(ValueError, match="seed must have shape"):
        raw.StatelessRandomGetKeyCounter(seed=[1, 2, 3])


def test_shuffle_is_tensorflows():
    """For the seed [3, 5]."""
    with tf.Graph().as_default(), tf.Session() as session:
        key, counter = tf.raw_ops.StatelessRandomGetKeyCounter(seed=[3, 5])

        def shuffle(value, alg=1):
            return session.run(tf.raw_ops.StatelessShuffle(value=value, key=key, counter=counter, alg=alg)).tolist()

        assert shuffle(tf.range(10)) == shuffle(tf.range(10), 3) == [7, 8, 6, 0, 4, 5, 3, 9, 1, 2]
        assert shuffle(tf.reshape(tf.range(8), [4, 2])) == [[6, 7], [4, 5], [2, 3], [0, 1]]
        assert shuffle(tf.constant(["a", "b", "c"])) == [b"a", b"c", b"b"]
        assert shuffle(tf.constant(3)) == 3 and shuffle(tf.zeros([0, 3])) == []
        with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported algorithm id: 2"):
            shuffle(tf.range(10), 2)
