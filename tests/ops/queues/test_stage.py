"""Staging areas: order, limits, waiting, errors."""

import threading

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats
from tfcore.distributed.status.waits import long_waits

import tfcore as tf
from tests.threads import in_threads, rounds

StagingArea = tf.contrib.staging.StagingArea
pytestmark = pytest.mark.cpu

SOON = tf.RunOptions(timeout_in_ms=40)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def background(sess, *ops):
    """Runs operations on threads of their own, one after the other waits; the results, and how to wait for them."""
    results, threads = [None] * len(ops), []

    def run(i):
        results[i] = sess.run(ops[i])

    for i in range(len(ops)):
        before = len(long_waits(0))
        threads.append(threading.Thread(target=run, args=(i,)))
        threads[-1].start()
        while len(long_waits(0)) == before:
            assert threads[-1].is_alive(), "it does not wait"

    def join():
        for t in threads:
            t.join(60)
            assert not t.is_alive()
        return results

    return join


def test_tuples_leave_in_order(sess):
    area = StagingArea([tf.float32, tf.string], shapes=[[None], []])
    x = tf.placeholder(tf.float32, [None])
    put, get = area.put([x, tf.as_string(tf.size(x))]), area.get()
    assert [t.shape.as_list() for t in get] == [[None], []]
    for n in (2, 0, 3):
        sess.run(put, {x: np.ones(n)})
    assert sess.run(area.size()) == 3
    assert [sess.run(get)[1] for _ in range(3)] == [b"2", b"0", b"3"]
    join = background(sess, get)
    sess.run(put, {x: np.ones(7)})
    assert join()[0][1] == b"7"


def test_names_and_arguments(sess):
    area = StagingArea([tf.int32, tf.int32], names=["a", "b"], shared_name="area")
    sess.run(area.put({"b": 2, "a": 1}))
    assert sess.run(area.get()) == {"a": 1, "b": 2}
    assert area.name == "area" and area.capacity == 0 and area.names == ["a", "b"]
    other = StagingArea([tf.int32, tf.int32], shared_name="area")
    sess.run(area.put({"b": 4, "a": 3}))
    assert sess.run(other.get()) == [3, 4]
    for call, text in (
        (lambda: area.put([1, 2]), "You must enqueue a dictionary"),
        (lambda: area.put({"a": 1}), "do not match names"),
        (lambda: other.put({"a": 1}), "must have names"),
        (lambda: other.put([1]), "Unexpected number of inputs 1 vs 2"),
        (lambda: other.put([1.0, 2]), "Datatypes do not match"),
        (lambda: StagingArea([tf.int32], shapes=[]), "StagingArea shapes must be the same length"),
        (lambda: StagingArea([tf.int32], names=["a", "b"]), "StagingArea names must be the same length"),
        (lambda: StagingArea([tf.int32], shared_name=3), "shared_name must be a string"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_capacity(sess):
    area = StagingArea([tf.int32], capacity=2)
    fed = tf.placeholder(tf.int32, [])
    put, get = area.put(fed), area.get()
    sess.run(put, {fed: 0})
    sess.run(put, {fed: 1})
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(put, {fed: 9}, options=SOON)
    join = background(sess, area.put(tf.constant(2)), area.put(tf.constant(3)))
    assert [sess.run(get)[0] for _ in range(4)] == [0, 1, 2, 3]
    join()


def test_memory_limit(sess):
    area = StagingArea([tf.float32], memory_limit=100)
    fed = tf.placeholder(tf.float32, [None])
    put = area.put(fed)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="combined size of '104' bytes .* limit of '100'"):
        sess.run(put, {fed: np.ones(26)})
    sess.run(put, {fed: np.ones(15)})
    join = background(sess, area.put(tf.ones([11])))
    sess.run(area.get())
    join()
    assert sess.run(area.get())[0].shape == (11,)


def test_peek(sess):
    area = StagingArea([tf.int32])
    index = tf.placeholder(tf.int32)
    join = background(sess, area.peek(1), area.peek(0))
    sess.run(area.put(5))
    sess.run(area.put(6))
    assert join() == [[6], [5]] and sess.run(area.size()) == 2
    for wrong, text in (([0], "index must be scalar"), (-1, "index must not be negative, but is -1")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(area.peek(index), {index: wrong})


def test_clearing_makes_room(sess):
    area = StagingArea([tf.int32], capacity=1)
    sess.run(area.put(5))
    join = background(sess, area.put(6))
    sess.run(area.clear())
    join()
    assert sess.run(area.get()) == [6]


def test_wrong_types(sess):
    area = StagingArea([tf.int32], shared_name="x")
    sess.run(area.put(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Mismatch stage/unstage: 1 vs. 2"):
        sess.run(StagingArea([tf.int32, tf.int32], shared_name="x").get())
    sess.run(area.put(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="tensor 0 is of type int32, not float"):
        sess.run(StagingArea([tf.float32], shared_name="x").get())


def test_the_users_memory(sess):
    area, fed = StagingArea([tf.float32]), tf.placeholder(tf.float32, [2])
    array = np.ones(2, np.float32)
    sess.run(area.put(fed), {fed: array})
    array[:] = 9
    assert sess.run(area.get())[0].tolist() == [1, 1]


@pytest.mark.alone
def test_many_threads(sess):
    count = rounds(300)
    area, fed = StagingArea([tf.int32], capacity=3), tf.placeholder(tf.int32, [])
    put, get = sess.make_callable(area.put(fed), [fed]), sess.make_callable(area.get()[0])
    got = [[] for _ in range(3)]

    def take(t):
        got[t] += [int(get()) for _ in range(count)]

    in_threads(
        [*[lambda t=t: [put(t * count + i) for i in range(count)] for t in range(3)],
         *[lambda t=t: take(t) for t in range(3)]]
    )  # fmt: skip
    assert sorted(sum(got, [])) == list(range(3 * count))
    before = memory_stats()["bytes_in_use"]
    for i in range(count):
        put(i)
        get()
    assert memory_stats()["bytes_in_use"] <= before + 1024
