"""The allocator: statistics, reuse between steps, the limit."""

import gc
import threading

import numpy as np
import pytest
from tfcore.core.memory.tensor import TensorValue
from tfcore.core.runtime import memory_stats, set_memory_limit, trim_memory

import tfcore as tf

pytestmark = pytest.mark.cpu


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def in_use():
    gc.collect()
    return memory_stats()["bytes_in_use"]


def test_fields():
    stats = memory_stats()
    assert set(stats) == {"bytes_in_use", "peak_bytes_in_use", "bytes_reserved", "num_allocs", "bytes_limit"}
    assert stats["peak_bytes_in_use"] >= stats["bytes_in_use"] >= 0 and stats["bytes_limit"] == 0


@pytest.mark.parametrize("size", [1, 100, 10_000, 1_000_000])
def test_a_tensor_counts_while_it_lives(size):
    before = in_use()
    value = TensorValue.from_numpy(np.zeros(size, np.float32))
    held = memory_stats()["bytes_in_use"] - before
    assert 4 * size <= held <= 4 * size * 1.3 + 256
    del value
    assert in_use() == before


@pytest.mark.parametrize("dynamic", [False, True])
def test_steps_give_everything_back(sess, dynamic):
    x = tf.placeholder(tf.float32, [None, 300])
    y = tf.reduce_sum(tf.exp(tf.matmul(x, tf.ones([300, 200])) * 0.01), 1)
    s = tf.concat([tf.fill([50], "text"), ["end"]], 0)
    parts = tf.split(x, 3, 1)
    fetches = [y, s, parts]
    value = np.ones([100, 300], np.float32)
    sess.run(fetches, {x: value})
    for signature in sess._signatures.values():
        signature.plan.dynamic = dynamic
    before = in_use()
    for _ in range(15):
        sess.run(fetches, {x: value})
    assert in_use() == before
    results = sess.run(fetches, {x: value})
    del results
    assert in_use() == before


def test_steps_that_fail_give_everything_back(sess):
    x = tf.placeholder(tf.int32, [None])
    big = tf.exp(tf.fill([1000, 100], 1.0)) * tf.cast(tf.size(x), tf.float32)
    y = tf.reduce_sum(big) + tf.cast(tf.reduce_sum(10 // x), tf.float32)
    assert sess.run(y, {x: [1]}) > 0
    before = in_use()
    for dynamic in (False, True):
        for signature in sess._signatures.values():
            signature.plan.dynamic = dynamic
        for _ in range(10):
            with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
                sess.run(y, {x: [0] * 1000})
            assert sess.run(y, {x: [1]}) > 0
    assert in_use() == before


def test_a_closed_session_frees_its_variables():
    before = in_use()
    with tf.Graph().as_default():
        v = tf.Variable(tf.zeros([500_000]))
        session = tf.Session()
        session.run(v.initializer)
        assert in_use() >= before + 2_000_000
        session.close()
        del session
    assert in_use() < before + 100_000


def test_blocks_are_reused(sess):
    x = tf.placeholder(tf.float32, [None])
    y = tf.reduce_sum(tf.exp(x) + tf.sqrt(x) * 2.0)
    value = np.ones(500_000, np.float32)
    for _ in range(12):
        sess.run(y, {x: value})
    reserved = memory_stats()["bytes_reserved"]
    allocations = memory_stats()["num_allocs"]
    for _ in range(10):
        sess.run(y, {x: value})
    assert memory_stats()["num_allocs"] > allocations
    assert memory_stats()["bytes_reserved"] == reserved


def test_trim_gives_free_blocks_back():
    values = [TensorValue.from_numpy(np.zeros(700_000)) for _ in range(4)]
    before = memory_stats()["bytes_reserved"]
    del values
    gc.collect()
    trim_memory()
    assert memory_stats()["bytes_reserved"] <= before - 4 * 5_600_000
    assert TensorValue.from_numpy(np.ones(700_000)).numpy().sum() == 700_000


def test_peak():
    value = TensorValue.from_numpy(np.zeros(4_000_000))
    peak = memory_stats()["peak_bytes_in_use"]
    assert peak >= value.nbytes
    del value
    assert memory_stats()["peak_bytes_in_use"] >= 32_000_000


def test_the_limit(sess):
    x = tf.placeholder(tf.float32, [None])
    n = tf.placeholder(tf.int64, [1])
    big = tf.exp(tf.fill(n, 1.0), name="big")
    v = tf.Variable(tf.zeros([1000]))
    sess.run(v.initializer)
    assert sess.run(big, {n: [10]})[0] > 2
    trim_memory()
    set_memory_limit(memory_stats()["bytes_reserved"] + (20 << 20))
    try:
        assert memory_stats()["bytes_limit"] > 0
        with pytest.raises(
            tf.errors.ResourceExhaustedError, match=r"OOM when allocating tensor with shape\[10000000\]"
        ) as caught:
            sess.run(big, {n: [10_000_000]})
        assert caught.value.op.type in ("Fill", "Exp") and __file__ in str(caught.value)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            TensorValue.from_numpy(np.zeros(10_000_000))
        assert sess.run(tf.reduce_sum(big), {n: [1_000_000]}) > 2e6  # what fits still runs
        assert sess.run(v).sum() == 0
        for size in (4, 5, 6, 7):  # free blocks of other sizes make room
            sess.run(tf.reduce_sum(x), {x: np.ones(1000)})
            sess.run(tf.reduce_sum(big), {n: [size * 400_000]})
    finally:
        set_memory_limit(0)
    assert sess.run(tf.reduce_sum(big), {n: [10_000_000]}) > 2e7


def test_a_fed_value_that_does_not_fit(sess):
    """Values that are copied when they are fed are counted like others, and the error says which one it was."""
    words = tf.placeholder(tf.string, [None], name="words")
    count = tf.size(words)
    fed = np.full(1_000_000, b"w", dtype=object)
    assert sess.run(count, {words: fed}) == 1_000_000
    trim_memory()
    set_memory_limit(memory_stats()["bytes_reserved"] + (2 << 20))
    try:
        with pytest.raises(tf.errors.ResourceExhaustedError) as error:
            sess.run(count, {words: fed})
        text = str(error.value)
        assert "OOM when allocating tensor with shape[1000000] and type string" in text
        assert "for the value fed to words" in text and "held from the system" in text
    finally:
        set_memory_limit(0)
    assert sess.run(count, {words: fed}) == 1_000_000


@pytest.mark.parametrize("size", [2**40, 2**43, 2**44, 2**46, 2**59, 2**61, 2**62, 2**63 - 1])
def test_sizes_beyond_all_memory(sess, size):
    n = tf.placeholder(tf.int64, [None])
    warm = tf.reduce_sum(tf.fill([500_000], 1.0))  # so that there are free blocks
    sess.run(warm)
    for dtype in (tf.int8, tf.float32, tf.complex128):
        filled = tf.fill(n, tf.ones([], dtype))
        with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)):
            sess.run(filled, {n: [size]})
    with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError)):
        sess.run(filled, {n: [size, size, 4]})
    assert sess.run(warm) == 500_000


def test_memory_of_threads_that_ended_is_used_again():
    def work():
        for _ in range(20):
            TensorValue.from_numpy(np.zeros(20_000)).numpy()

    for _ in range(3):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    reserved, before = memory_stats()["bytes_reserved"], in_use()
    for _ in range(10):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert memory_stats()["bytes_reserved"] <= reserved + (4 << 20)
    assert in_use() == before


def test_tensors_freed_by_another_thread():
    before = in_use()
    values = [TensorValue.from_numpy(np.zeros(1000)) for _ in range(100)]
    values += [TensorValue.from_numpy(np.array([b"text"] * 100)) for _ in range(10)]
    thread = threading.Thread(target=values.clear)
    thread.start()
    thread.join()
    assert in_use() == before
