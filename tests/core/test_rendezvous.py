"""The rendezvous, and the kernels of _Send and _Recv on it."""

import itertools
import threading

import numpy as np
import pytest

import tfcore as tf
from tfcore.core.rendezvous import rendezvous
from tfcore.core.step import executor

pytestmark = pytest.mark.cpu

_numbers = itertools.count(1 << 50)  # of steps that no session has
_session_numbers = itertools.count(1 << 32, 1000)  # beyond those of other tests; a test runs fewer than 1000 steps


@pytest.fixture
def step():
    number = next(_numbers)
    yield number
    rendezvous.end_step(number)


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = rendezvous.count()
    yield
    assert rendezvous.count() == before


def next_step():
    """The number of the step that the next run will be."""
    number = next(_session_numbers)
    executor.number_steps_from(number)
    return number + 1


def edge(op_type, number, peer=-1, **attrs):
    common = dict(tensor_name="x", send_device="", send_device_incarnation=1, recv_device="")
    return getattr(tf.raw_ops, op_type)(_edge=number, _peer=peer, **common, **attrs)


def test_a_value_is_put_once_and_taken_once(step):
    rendezvous.put(step, 1, np.arange(3.0))
    rendezvous.put(step, 2, np.float32(5))
    assert rendezvous.try_take(step, 3) is None
    value, dead = rendezvous.try_take(step, 1)
    assert value.tolist() == [0, 1, 2] and not dead
    assert rendezvous.try_take(step, 1) is None
    assert rendezvous.try_take(step, 2)[0] == 5


def test_the_whole_key_counts(step):
    keys = [(e, f, i) for e in (1, 2) for f in (0, 7) for i in (0, 1)]
    for n, key in enumerate(keys):
        rendezvous.put(step, key[0], np.float32(n), False, *key[1:])
    for n, key in enumerate(keys):
        assert rendezvous.try_take(step, *key)[0] == n


def test_dead_values_are_told_apart(step):
    rendezvous.put(step, 1, np.float32(0), dead=True)
    assert rendezvous.try_take(step, 1)[1] is True


def test_thousands_of_edges(step):
    for n in range(5000):
        rendezvous.put(step, n, np.int32(n))
    assert [int(rendezvous.try_take(step, n)[0]) for n in range(5000)] == list(range(5000))


def test_what_comes_after_the_end_is_dropped(step):
    before = rendezvous.count()
    rendezvous.put(step, 1, np.float32(1))
    rendezvous.end_step(step)
    rendezvous.put(step, 2, np.float32(1))
    assert (
        rendezvous.count() == before and rendezvous.try_take(step, 1) is None and rendezvous.try_take(step, 2) is None
    )


def test_what_comes_after_an_abort_is_dropped_for_long(step):
    before = rendezvous.count()
    rendezvous.put(step, 1, np.float32(1))
    rendezvous.abort_step(step, 10, "gone")
    rendezvous.end_step(step)
    for _ in range(20000):  # steps that end well
        rendezvous.end_step(next(_numbers))
    rendezvous.put(step, 2, np.float32(1))
    assert rendezvous.count() == before


def test_steps_whose_master_is_gone_are_dropped_by_their_numbers():
    before = rendezvous.count()
    numbers = [next(_numbers) for _ in range(300)]
    for number in numbers:
        rendezvous.put(number, 1, np.float32(number - numbers[0]))
    rendezvous.abort_steps(numbers[100], numbers[199], 10, "gone")
    assert rendezvous.count()[0] == before[0] + 200
    for number in numbers:
        rendezvous.put(number, 2, np.float32(1))
    left = [number for number in numbers if rendezvous.try_take(number, 1) and rendezvous.try_take(number, 2)]
    assert left == numbers[:100] + numbers[200:]
    for number in numbers:
        rendezvous.end_step(number)


def test_an_offer_is_answered_when_a_recv_waits(step):
    with tf.Graph().as_default(), tf.Session() as sess:
        received = [edge("_Recv", n, tensor_type=tf.float32) for n in range(2)]
        early = rendezvous.Offer(1, 9)  # of another step
        number = next_step()
        wait = run_in_thread(sess, tf.add_n(received))
        wait_for_waiters(2)
        late = rendezvous.Offer(number, 1)
        assert early.answer is None and late.answer is True
        rendezvous.put(number, 1, np.float32(3))
        rendezvous.put(number, 0, np.float32(4))
        assert wait() == 7
        rendezvous.end_step(1)
        assert early.answer is False and late.answer is True


def test_an_offer_is_not_a_value(step):
    first = rendezvous.Offer(step, 1)
    other = rendezvous.Offer(step, 1, 7, 3)
    assert rendezvous.try_take(step, 1) is None and rendezvous.try_take(step, 1, 7, 3) is None
    assert first.answer is other.answer is None
    rendezvous.abort_step(step, 10, "gone")
    assert first.answer is other.answer is False
    assert rendezvous.Offer(step, 2).answer is False  # the step is over


def test_a_recv_that_comes_after_the_offer_wants_it():
    with tf.Graph().as_default(), tf.Session() as sess:
        gate = edge("_Recv", 0, tensor_type=tf.float32)
        with tf.control_dependencies([gate]):
            received = edge("_Recv", 1, tensor_type=tf.float32)
        number = next_step()
        wait = run_in_thread(sess, received + gate)
        wait_for_waiters(1)
        offer = rendezvous.Offer(number, 1)
        assert offer.answer is None
        rendezvous.put(number, 0, np.float32(1))
        wait_until(lambda: offer.answer)
        rendezvous.put(number, 1, np.float32(5))
        assert wait() == 6


def test_a_recv_that_is_cancelled_leaves_its_offer_answered():
    with tf.Graph().as_default():
        received = edge("_Recv", 1, tensor_type=tf.float32)
        sess = tf.Session()
        number = next_step()
        wait = run_in_thread(sess, received)
        wait_for_waiters(1)
        offer = rendezvous.Offer(number, 1)
        sess.close()
        assert isinstance(wait(), tf.errors.CancelledError)
        assert offer.answer is True
        rendezvous.put(number, 1, np.float32(5))  # comes too late


def test_a_value_is_handed_over():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [3])
        send = edge("_Send", 1, tensor=x * 2)
        received = edge("_Recv", 1, tensor_type=tf.float32)
        with tf.Session() as sess:
            for n in range(20):
                assert sess.run([received, send], {x: [n, 1, 2]})[0].tolist() == [2 * n, 2, 4]


def test_strings_feeds_and_empty_tensors_are_handed_over():
    with tf.Graph().as_default():
        values = [np.array([b"a\0b", b""], object), np.zeros([0, 3], np.int64), np.full(100000, 1.5)]
        feeds = [tf.placeholder(tf.as_dtype(v.dtype), v.shape) for v in values]
        sends = [edge("_Send", n, tensor=x) for n, x in enumerate(feeds)]
        received = [edge("_Recv", n, tensor_type=x.dtype) for n, x in enumerate(feeds)]
        with tf.Session() as sess:
            got = sess.run([received, sends], dict(zip(feeds, values)))[0]
        for value, result in zip(values, got):
            np.testing.assert_array_equal(value, result)
            assert not np.shares_memory(value, result)


def test_a_variable_is_sent_as_it_is_then():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        send = edge("_Send", 1, tensor=v._ref())
        with tf.control_dependencies([send]):
            change = tf.assign_add(v, [10.0, 10.0])
        with tf.control_dependencies([change]):
            received = edge("_Recv", 1, tensor_type=tf.float32)
        with tf.Session() as sess:
            with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value Variable"):
                sess.run([received, send])
            sess.run(tf.global_variables_initializer())
            assert sess.run([received, send])[0].tolist() == [1, 2]
            assert sess.run(v).tolist() == [11, 12]


def test_a_type_that_does_not_fit_is_an_error():
    with tf.Graph().as_default():
        send = edge("_Send", 1, tensor=tf.constant(1.0))
        received = edge("_Recv", 1, tensor_type=tf.int32)
        with tf.Session() as sess, pytest.raises(tf.errors.InternalError, match="a int32, a tensor of float"):
            sess.run([received, send])


def test_a_send_to_a_peer_without_a_cluster():
    with tf.Graph().as_default():
        send = edge("_Send", 1, peer=3, tensor=tf.constant(1.0))
        with tf.Session() as sess, pytest.raises(tf.errors.UnavailableError, match="task of rank 3"):
            sess.run(send)


def run_in_thread(sess, fetches, options=None):
    """Starts a run; returns a function that waits for its result or error."""
    result = []

    def run():
        try:
            result.append(sess.run(fetches, options=options))
        except Exception as error:
            result.append(error)

    thread = threading.Thread(target=run)
    thread.start()

    def wait():
        thread.join(30)
        assert not thread.is_alive()
        return result[0]

    return wait


def wait_until(condition):
    for _ in range(3000):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError(f"{condition} did not become true")


def wait_for_waiters(n):
    wait_until(lambda: rendezvous.count()[2] == n)


def test_a_recv_whose_value_never_comes_can_be_cancelled():
    with tf.Graph().as_default():
        received = [edge("_Recv", n, tensor_type=tf.float32) for n in range(5)]
        sess = tf.Session()
        with pytest.raises(tf.errors.DeadlineExceededError, match="_Recv"):
            sess.run(received, options=tf.RunOptions(timeout_in_ms=50))
        wait = run_in_thread(sess, received)
        wait_for_waiters(5)
        sess.close()
        assert isinstance(wait(), tf.errors.CancelledError)


def test_a_failing_step_lets_its_recvs_go():
    with tf.Graph().as_default():
        received = [edge("_Recv", n, tensor_type=tf.float32) for n in range(5)]
        bad = tf.Assert(tf.constant(False), ["no"])
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="no"):
            sess.run([received, bad])


def test_an_abort_ends_the_step_with_its_reason():
    with tf.Graph().as_default():
        received = edge("_Recv", 1, peer=5, tensor_type=tf.float32)
        with tf.Session() as sess:
            wait = run_in_thread(sess, received)
            wait_for_waiters(1)
            rendezvous.abort_peer(5, 14, "task 5 is gone")
            error = wait()
            assert isinstance(error, tf.errors.UnavailableError) and "task 5 is gone" in str(error)
            with pytest.raises(tf.errors.UnavailableError, match="task 5 is gone"):  # those who come later, too
                sess.run(received)
            rendezvous.abort_peer(5, 0)
            with pytest.raises(tf.errors.DeadlineExceededError):
                sess.run(received, options=tf.RunOptions(timeout_in_ms=20))


def test_cancellation_and_values_at_the_same_time():
    """Many times: a step is cancelled while its values come; it ends either way, and nothing is left."""
    with tf.Graph().as_default():
        held = edge("_Recv", 0, peer=9, tensor_type=tf.float32)
        received = [edge("_Recv", n, peer=7, tensor_type=tf.float32) for n in range(1, 9)]
        together = tf.add_n([held, *received])
        outcomes = set()
        for n in range(150):
            with tf.Session() as sess:
                wait = run_in_thread(sess, together)
                wait_for_waiters(9)
                threads = [threading.Thread(target=rendezvous.abort_peer, args=(p, 10, "away")) for p in (7, 9)]
                threads.append(threading.Thread(target=sess.close))
                for thread in threads if n % 2 else reversed(threads):
                    thread.start()
                for thread in threads:
                    thread.join()
                outcomes.add(type(wait()))
                rendezvous.abort_peer(7, 0)
                rendezvous.abort_peer(9, 0)
        assert outcomes <= {tf.errors.AbortedError, tf.errors.CancelledError}
