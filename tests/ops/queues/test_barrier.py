"""Barriers: order, closing, errors, threads."""

import threading

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats
from tfcore.distributed.status.waits import long_waits

import tfcore as tf
from tests.threads import in_threads, rounds
from tfcore.ops.queues.barrier import Barrier

pytestmark = pytest.mark.cpu

FIRST = -(2**63)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def new(**kwargs):
    return Barrier([tf.float32, tf.string], shapes=[[2], []], **kwargs)


def sizes(sess, barrier):
    return sess.run([barrier.ready_size(), barrier.incomplete_size()])


def test_elements_become_complete(sess):
    b = new()
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    sess.run(b.insert_many(0, ["k1", "k2"], rows[:2]))
    sess.run(b.insert_many(1, ["k1"], ["a"]))
    sess.run(b.insert_many(1, ["k3"], ["c"]))
    assert sizes(sess, b) == [1, 2]
    sess.run(b.insert_many(0, ["k3"], rows[2:3]))
    sess.run(b.insert_many(1, ["k2"], ["b"]))
    taken = b.take_many(3)
    assert [t.shape.as_list() for t in (taken.indices, taken.keys, *taken.values)] == [[3], [3], [3, 2], [3]]
    indices, keys, (numbers, texts) = sess.run([taken.indices, taken.keys, taken.values])
    assert indices.tolist() == [FIRST, FIRST, FIRST + 1] and keys.tolist() == [b"k1", b"k2", b"k3"]
    np.testing.assert_array_equal(numbers, rows[:3])
    assert texts.tolist() == [b"a", b"b", b"c"] and sizes(sess, b) == [0, 0]
    assert b.name == "barrier" and b.barrier_ref.dtype._is_ref_dtype


def test_takers_wait(sess):
    b, got = new(), []
    taken = b.take_many(2)
    thread = threading.Thread(target=lambda: got.append(sess.run(taken.keys)))
    thread.start()
    while not long_waits(0):
        pass
    sess.run(b.insert_many(0, ["x", "y"], np.ones((2, 2))))
    sess.run(b.insert_many(1, ["x"], ["a"]))
    assert not got
    sess.run(b.insert_many(1, ["y"], ["b"]))
    thread.join(60)
    assert got[0].tolist() == [b"x", b"y"]
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(taken.keys, options=tf.RunOptions(timeout_in_ms=30))


def test_closing(sess):
    b = new()
    sess.run(b.insert_many(0, ["x", "y"], np.ones((2, 2))))
    sess.run(b.insert_many(1, ["x"], ["a"]))
    sess.run(b.close())
    with pytest.raises(tf.errors.CancelledError, match="already closed"):
        sess.run(b.close())
    with pytest.raises(tf.errors.CancelledError, match="attempted to insert a brand new key: z"):
        sess.run(b.insert_many(0, ["z"], np.ones((1, 2))))
    with pytest.raises(tf.errors.OutOfRangeError, match=r"insufficient elements \(requested 3, total size 2\)"):
        sess.run(b.take_many(3).keys)
    assert sess.run(b.take_many(3, allow_small_batch=True).keys).tolist() == [b"x"]
    sess.run(b.insert_many(1, ["y"], ["b"]))
    with pytest.raises(tf.errors.CancelledError, match="Number of new insertions: 1.  Number of incomplete keys: 0"):
        sess.run(b.insert_many(1, ["y"], ["b"]))
    assert sess.run(b.take_many(1).keys).tolist() == [b"y"]
    with pytest.raises(tf.errors.OutOfRangeError, match="Barrier 'barrier' is closed"):
        sess.run(b.take_many(1, allow_small_batch=True).keys)


def test_closing_with_cancellation(sess):
    b, failed = new(), []

    def take():
        try:
            sess.run(b.take_many(2).keys)
        except tf.errors.OutOfRangeError as error:
            failed.append(error)

    sess.run(b.insert_many(0, ["x", "y"], np.ones((2, 2))))
    sess.run(b.insert_many(1, ["x"], ["a"]))
    thread = threading.Thread(target=take)
    thread.start()
    while not long_waits(0):
        pass
    sess.run(b.close())
    assert not failed
    sess.run(b.close(cancel_pending_enqueues=True))
    thread.join(60)
    assert failed and sizes(sess, b) == [1, 0]
    with pytest.raises(tf.errors.CancelledError, match="Pending enqueues cancelled: 1"):
        sess.run(b.insert_many(1, ["y"], ["b"]))


def test_errors(sess):
    b, fed, count = new(), tf.placeholder(tf.float32), tf.placeholder(tf.int32, [])
    sess.run(b.insert_many(0, ["x"], np.ones((1, 2))))
    raw, scalars = tf.raw_ops, Barrier([tf.float32])
    unknown = raw.Barrier(component_types=[tf.float32], shapes=[[None]])
    for op, feeds, text in (
        (b.insert_many(0, ["x"], np.ones((1, 2))), {}, "Key x already has a value for component 0 in barrier"),
        (b.insert_many(0, ["y"], fed), {fed: np.ones((1, 3))}, r"component 2. Expected \[2\], got \[3\]"),
        (b.insert_many(0, ["y"], fed), {fed: np.ones((2, 2))}, "as many elements as there are values"),
        (b.insert_many(0, ["y"], fed), {fed: np.ones((1, 0))}, "Tensors with no elements are not supported"),
        (b.take_many(count).keys, {count: -1}, "requested -1 < 0 elements"),
        (raw.BarrierInsertMany(handle=b.barrier_ref, keys=["z"], values=[1.0], component_index=2), {}, "out of range"),
        (raw.BarrierInsertMany(handle=b.barrier_ref, keys=["z"], values=[1], component_index=0), {}, "type float, not"),
        (raw.BarrierReadySize(handle=unknown), {}, "not fully known"),
        (scalars.insert_many(0, ["x"], [[1.0]]), {}, r"component 2. Expected \[\], got \[1\]"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(op, feeds)
    with pytest.raises(ValueError, match="Empty tensors are not supported"):
        Barrier([tf.float32], shapes=[[0]])


def test_without_shapes_values_are_scalars(sess):
    b = Barrier([tf.float32, tf.string])
    sess.run([b.insert_many(0, ["x", "y"], [1.0, 2.0]), b.insert_many(1, ["y"], ["b"])])
    _, keys, (numbers, texts) = sess.run(b.take_many(1))
    assert (keys.tolist(), numbers.tolist(), texts.tolist()) == ([b"y"], [2], [b"b"])


def test_sharing_and_memory(sess):
    a, b = new(shared_name="both"), new(shared_name="both")
    fed = tf.placeholder(tf.string, [None])
    put = [a.insert_many(0, fed, tf.ones([tf.size(fed), 2])), b.insert_many(1, fed, fed)]
    take = b.take_many(50).values[1].op

    def round_trip():
        for op in put:
            sess.run(op, {fed: [str(i) for i in range(50)]})
        sess.run(take)

    round_trip()
    before = memory_stats()["bytes_in_use"]
    for _ in range(rounds(30)):
        round_trip()
    assert memory_stats()["bytes_in_use"] <= before + 4096 and sizes(sess, a) == [0, 0]


@pytest.mark.alone
def test_many_threads(sess):
    count, b = rounds(60), new()
    fed, rows = tf.placeholder(tf.string, [None]), tf.placeholder(tf.float32, [None, 2])
    numbers = sess.make_callable(b.insert_many(0, fed, rows), [fed, rows])
    texts = sess.make_callable(b.insert_many(1, fed, fed), [fed])
    taken = b.take_many(4)
    take = sess.make_callable([taken.keys, taken.values[0]])
    keys = [[f"{t} {i} {k}" for k in range(4)] for t in range(3) for i in range(count)]
    got = []

    in_threads([
        lambda: [numbers(k, np.full((4, 2), float(len(k[0])))) for k in keys],
        lambda: [texts(k) for k in reversed(keys)],
        lambda: got.extend(take() for _ in keys),
    ])  # fmt: skip
    assert sorted(k.decode() for names, _ in got for k in names) == sorted(sum(keys, []))
    assert sizes(sess, b) == [0, 0]
