"""Many threads on one session: overlapping subgraphs, shared variables, a graph that grows meanwhile."""

import multiprocessing
import threading

import numpy as np
import pytest

import tfcore as tf
from tests.threads import in_threads

pytestmark = pytest.mark.alone


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


@pytest.mark.parametrize("size", [1, 5000])
def test_sixteen_threads_add_to_shared_variables(sess, size):
    count = 60
    shared = tf.Variable(tf.zeros([size], tf.int64))
    second = tf.Variable(tf.zeros([size], tf.int64))
    x = tf.placeholder(tf.int64, [])
    work = x * x + shared
    adds = [tf.assign_add(shared, tf.ones([size], tf.int64) * i) for i in range(4)]
    both = tf.group(tf.assign_add(shared, tf.ones([size], tf.int64)), tf.assign_sub(second, tf.ones([size], tf.int64)))
    sess.run(tf.global_variables_initializer())

    def run(index):
        for step in range(count):
            kind = (index + step) % 6
            if kind < 4:
                sess.run(adds[kind].op)
            elif kind == 4:
                sess.run(both)
            else:
                value, held = sess.run([work, shared], {x: 3})
                assert (held == held[0]).all()  # a read is never torn
                assert value.shape == (size,)

    in_threads([lambda i=i: run(i) for i in range(16)])
    kinds = np.bincount([(i + s) % 6 for i in range(16) for s in range(count)], minlength=6)
    total = kinds[1] + 2 * kinds[2] + 3 * kinds[3] + kinds[4]
    assert (sess.run(shared) == total).all()
    assert (sess.run(second) == -kinds[4]).all()


def test_threads_compile_the_same_signature_at_once(sess):
    x = tf.placeholder(tf.float32)
    tensors = [x * i + 1 for i in range(30)]

    def run():
        for i, t in enumerate(tensors):
            assert sess.run(t, {x: 2}) == 2 * i + 1
            assert sess.run([t, tensors[0]], {x: 2}) == [2 * i + 1, 1]

    in_threads([run] * 8)


def test_the_graph_grows_while_steps_run(sess):
    graph = sess.graph
    x = tf.placeholder(tf.float32)
    stop = threading.Event()
    base = x + 1

    def extend():
        with graph.as_default():
            y = base
            for i in range(150):
                y = y + 1.0
                assert sess.run(y, {x: 0}) == i + 2
        stop.set()

    def run():
        while not stop.is_set():
            assert sess.run(base, {x: 4}) == 5

    in_threads([extend, run, run])


def test_a_signature_runs_in_many_threads_with_its_own_feeds(sess):
    x = tf.placeholder(tf.float32, [None])
    y = tf.reduce_sum(tf.exp(x) * 2 - tf.exp(x)) + x[0]

    def run(index):
        value = np.full(2000 + index, np.float32(index) / 16)
        want = sess.run(y, {x: value})
        for _ in range(50):
            assert sess.run(y, {x: value}) == want

    in_threads([lambda i=i: run(i) for i in range(8)])


def test_errors_in_one_thread_do_not_reach_others(sess):
    x = tf.placeholder(tf.int32)
    y = 100 // x

    def good():
        for _ in range(200):
            assert sess.run(y, {x: 7}) == 14

    def bad():
        for _ in range(200):
            with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
                sess.run(y, {x: 0})

    in_threads([good, bad, good, bad])


def test_close_while_others_run(sess):
    x = tf.placeholder(tf.float32)
    v = tf.Variable(tf.ones([1000]))
    y = v * x
    session = tf.Session(graph=sess.graph)
    session.run(v.initializer)
    started = threading.Barrier(3)

    def run():
        session.run(y, {x: 1})
        started.wait(30)
        for _ in range(100_000):
            try:
                assert session.run(y, {x: 2})[0] == 2
            except (RuntimeError, tf.errors.FailedPreconditionError, tf.errors.CancelledError):
                return
        raise AssertionError("the session never closed")

    def close():
        started.wait(30)
        session.close()

    in_threads([run, run, close])


def test_parallel_loops_inside_parallel_steps(sess):
    a = tf.constant(np.random.RandomState(0).rand(300, 300).astype(np.float32))
    parts = [tf.reduce_sum(tf.matmul(a, a + float(i))) for i in range(6)]
    total = tf.add_n(parts)
    want = sess.run(total)

    def run():
        for _ in range(15):  # long enough for the plan to be timed and to go over to parallel nodes
            assert sess.run(total) == want

    in_threads([run] * 6)


def _child(graph_value, results):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(graph_value)
        results.put(float(session.run(tf.reduce_sum(tf.matmul(x, x)))))


def test_a_forked_child_runs_sessions(sess):
    value = np.random.RandomState(1).rand(400, 400).astype(np.float32)
    x = tf.constant(value)
    want = float(sess.run(tf.reduce_sum(tf.matmul(x, x))))  # the parent's pool has helpers now
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    children = [context.Process(target=_child, args=(value, results)) for _ in range(2)]
    for c in children:
        c.start()
    got = [results.get(timeout=60) for _ in children]
    for c in children:
        c.join(60)
        assert c.exitcode == 0
    assert got == [want, want]


def test_a_child_forked_while_threads_run(sess):
    value = np.ones([200, 200], np.float32)
    x = tf.constant(value)
    y = tf.reduce_sum(tf.matmul(x, x))
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            sess.run(y)

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for t in threads:
        t.start()
    context = multiprocessing.get_context("fork")
    try:
        for _ in range(4):
            results = context.Queue()
            child = context.Process(target=_child, args=(value, results))
            child.start()
            assert results.get(timeout=60) == 200.0**3
            child.join(60)
            assert child.exitcode == 0
    finally:
        stop.set()
        for t in threads:
            t.join()


def test_sixty_four_clients_count_exactly(sess):
    """Serial and parallel plans, traced, timed and plain runs, all on the same variables."""
    counter = tf.Variable(tf.zeros([3], tf.int64))
    x = tf.placeholder(tf.int64, [])
    add = tf.assign_add(counter, tf.stack([x, 1, 2 * x])).op
    sess.run(tf.global_variables_initializer())
    options = [
        None,
        tf.RunOptions(trace_level=3),
        tf.RunOptions(timeout_in_ms=60_000),
        tf.RunOptions(check_numerics=True),
    ]

    def client(index):
        for step in range(15):
            metadata = tf.RunMetadata() if (index + step) % 4 == 1 else None
            sess.run(add, {x: index}, options[(index + step) % 4], metadata)

    in_threads([lambda i=i: client(i) for i in range(64)])
    total = 15 * sum(range(64))
    assert sess.run(counter).tolist() == [total, 64 * 15, 2 * total]
    assert sess._control.running == 0


def test_sixty_four_clients_and_an_orderly_shutdown():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [64, 64])
        counter = tf.Variable(tf.zeros([], tf.int64))
        with tf.control_dependencies([tf.matmul(x, x)]):
            step = tf.assign_add(counter, 1).op
        session = tf.Session()
        session.run(counter.initializer)
        ready = threading.Barrier(65)
        done = [0] * 64

        def client(index):
            value = np.ones([64, 64], np.float32)
            session.run(step, {x: value})
            ready.wait(60)
            while True:
                done[index] += 1
                try:
                    session.run(step, {x: value})
                except (tf.errors.CancelledError, RuntimeError) as error:
                    assert "losed" in str(error)
                    return

        def close():
            ready.wait(60)
            while min(done) < 3:
                pass
            session.close()
            assert session._control.running == 0

        in_threads([close] + [lambda i=i: client(i) for i in range(64)])


def test_a_blocked_client_does_not_take_the_cores_of_others(slow):
    """A step that only waits leaves the pool to the steps that compute."""
    with tf.Graph().as_default(), tf.Session() as session:
        from tests.client.slow_kernels import Wait

        stuck = tf.add_n([Wait(tf.constant(1)), Wait(tf.constant(2))])
        value = np.random.RandomState(0).rand(300, 300).astype(np.float32)
        x = tf.constant(value)
        product = tf.reduce_sum(tf.matmul(x, x))
        want = session.run(product)
        waiter = threading.Thread(target=lambda: session.run(stuck))
        waiter.start()
        while slow.slow_waiting() < 2:
            pass
        assert all(session.run(product) == want for _ in range(20))
        slow.slow_release()
        waiter.join(60)
        assert not waiter.is_alive()


def test_steps_that_wait_for_a_core_can_be_ended():
    """More clients than cores: those that wait notice a time limit, a closed session, and their turn."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, None])
        steps = [x]
        for _ in range(240):
            steps.append(tf.matmul(steps[-1], x))
        short, long = steps[40], steps[240]
        sess = tf.Session()
    value = np.eye(128, dtype=np.float32)
    for y in (short, long):
        sess.run(y, {x: value[:2, :2]})
    ended = []

    def finish():
        np.testing.assert_array_equal(sess.run(short, {x: value}), value)

    def overrun():
        with pytest.raises(tf.errors.DeadlineExceededError):
            for _ in range(1000):  # a busy machine may be late to notice the limit, and the step done before
                sess.run(long, {x: value}, options=tf.RunOptions(timeout_in_ms=1))

    def until_closed():
        try:
            while True:
                sess.run(long, {x: value})
        except (tf.errors.CancelledError, RuntimeError) as error:
            ended.append(error)

    def close():
        finish()
        sess.close()

    in_threads([finish] * 8 + [overrun] * 8)
    in_threads([until_closed] * 12 + [close])
    assert len(ended) == 12
