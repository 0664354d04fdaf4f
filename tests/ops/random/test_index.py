"""Elements of random permutations: values of TensorFlow 2.21, properties, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensor, feed=None):
    with tf.Session() as session:
        return session.run(tensor, feed)


# (largest index, rounds) -> its values at 0, 1, the middle and the end, for the seed (1, 2, 3).
KNOWN = {
    (100, 4): [63, 61, 8, 37],
    (65535, 20): [1897, 25305, 22229, 29579],
    (65536, 4): [7886, 23762, 38647, 7886],
    (1048579, 8): [357378, 745405, 10307, 305185],
    (2**31 - 1, 6): [210457940, 464266693, 2112928542, 665665172],
    (2**33 + 5, 8): [1023143933, 811055511, 3000077210, 3401970251],
    (2**53 + 1, 4): [3581935506, 12171869827, 4503603746176898, 3630346837004576],
    (2**63 - 1, 8): [4967149387746745517, 5954222641419422173, 2765802875069554867, 7498955918346622705],
}


@pytest.mark.parametrize(("last", "rounds"), KNOWN)
def test_known_values(last, rounds):
    index = np.array([0, 1, last // 2, last])
    assert run(tf.random_index_shuffle(index, [1, 2, 3], np.int64(last), rounds)).tolist() == KNOWN[last, rounds]


def test_types():
    for dtype in np.int32, np.uint32, np.int64, np.uint64:
        found = run(tf.random_index_shuffle(np.arange(4, dtype=dtype), np.array([1, 2, 3], dtype), dtype(100)))
        assert found.dtype == dtype and found.tolist() == [63, 61, 82, 54]
    last = np.uint64(2**64 - 1)
    assert run(tf.random_index_shuffle(last, np.int64([5, 6, 7]), last)) == 18445320951682458355
    assert run(tf.random_index_shuffle(0, np.int64([2**33 + 1, 2, -1]), 50)) == 6  # 32 bits of a seed count


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 70000), st.lists(st.integers(-(2**31), 2**31 - 1), min_size=3, max_size=3))
def test_permutations(last, seed):
    with tf.Graph().as_default():
        found = run(tf.random_index_shuffle(np.arange(last + 1, dtype=np.int32), seed, last))
    if last == 65536:  # TensorFlow's blocks are too small for one index of a power of two
        return
    assert sorted(found.tolist()) == list(range(last + 1))


def test_shapes():
    shuffle = tf.random_index_shuffle
    assert run(shuffle(5, [1, 2, 3], [10, 20])).tolist() == [10, 16]
    assert run(shuffle([5, 6], [[1, 2, 3], [3, 4, 5]], [10, 20])).tolist() == [10, 5]
    assert run(shuffle(1, [[1, 2, 3]] * 2, 5)).tolist() == [0, 0]
    assert run(shuffle(5, [1, 2, 3], 10)).shape == ()
    unknown = tf.placeholder(tf.int32, [None])
    assert shuffle(unknown, [1, 2, 3], 5).shape.as_list() == [None]
    assert shuffle(1, [[1, 2, 3]] * 4, 5).shape.as_list() == [4]
    assert shuffle(tf.placeholder(tf.int32), [1, 2, 3], 5).shape.rank is None
    for arguments in (1, [1, 2], 5), ([1, 2], [[1, 2, 3]] * 3, 5), ([[1]], [1, 2, 3], 5), (1, 2, 5):
        with pytest.raises(ValueError):
            shuffle(*arguments)


@pytest.mark.parametrize(
    ("index", "seed", "last", "text"),
    [
        (11, [1, 2, 3], 10, "max_index must be >= index, but 10 < 11"),
        (-1, [1, 2, 3], 10, "index must be >= 0 but was -1"),
        (1, [1, 2, 3], -10, "max_index must be >= 0 but was -10"),
        (1, [1, 2], 10, r"Seed must be a vector of size \[3\] or a matrix of size \[1, 3\] but got \[2\]"),
        ([1, 2], [[1, 2, 3]], 5, r"matrix of size \[2, 3\] but got \[1,3\]"),
        ([[1]], [1, 2, 3], 5, "Index must be a scalar or vector"),
        ([], [1, 2, 3], 5, "Index must be a scalar or vector"),
        ([1], [1, 2, 3], [[5]], "Maxval must be a scalar or a vector of the same size"),
    ],
)
def test_what_is_refused(index, seed, last, text):
    fed = [tf.placeholder(tf.int32) for _ in range(3)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.random_index_shuffle(*fed), dict(zip(fed, (index, seed, last))))


@pytest.mark.parametrize("rounds", [-2, 0, 2, 5, 2**40])
def test_rounds_that_are_refused(rounds):
    with pytest.raises(tf.errors.InvalidArgumentError, match="rounds must be an even number of at least 4"):
        run(tf.random_index_shuffle(1, [1, 2, 3], 10, rounds))
