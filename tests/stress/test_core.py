"""The pool, parallel kernels, the allocator, variables and resources, each under sixteen threads."""

import gc
import queue
import random
import threading

import numpy as np
import pytest
from tfcore.core.memory.tensor import TensorValue
from tfcore.core.runtime import (
    memory_stats,
    set_memory_limit,
    set_num_threads,
    set_parallel_grain,
    trim_memory,
)

import tfcore as tf
from tests.threads import in_threads, rounds

THREADS = 16
pytestmark = pytest.mark.usefixtures("many_threads")


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def in_use():
    gc.collect()
    return memory_stats()["bytes_in_use"]


def plans(session):
    return [signature.plan for signature in session._signatures.values()]


# ---- Parallel kernels


def network():
    """One tensor of each kind of kernel that has parallel loops, on inputs of some thousand elements."""
    rs = np.random.RandomState(0)
    a, b = (tf.constant(rs.rand(60, 60).astype(np.float32)) for _ in range(2))
    images = tf.constant(rs.rand(4, 9, 9, 3).astype(np.float32))
    filters = tf.constant(rs.rand(3, 3, 3, 5).astype(np.float32))
    x = tf.placeholder_with_default(rs.rand(60, 60).astype(np.float32), [60, 60])
    conv = tf.nn.conv2d(images * tf.reduce_mean(x), filters, [1, 1, 1, 1], "SAME")
    product = tf.matmul(a + x, b)
    loss = tf.reduce_sum(tf.nn.softmax(product)) + tf.reduce_sum(
        tf.nn.max_pool(conv, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    )
    return x, [
        product,
        conv,
        *tf.gradients(loss, [x, filters]),
        tf.exp(x) * tf.sqrt(x) + tf.tanh(x),
        tf.reduce_sum(x, 0),
        tf.reduce_mean(x, 1),
        tf.argmax(x, 1),
        tf.cumsum(x, 1),
        tf.nn.top_k(x, 5)[0],
        tf.gather(x, tf.constant(rs.randint(0, 60, 500))),
        tf.unsorted_segment_sum(x, tf.constant(rs.randint(0, 7, 60)), 7),
        tf.transpose(tf.reshape(x, [3, 20, 60]), [2, 0, 1]),
        tf.concat([x, x * 2.0], 1),
        tf.pad(x, [[1, 2], [3, 4]]),
        tf.tile(x, [2, 3]),
        tf.cast(x * 100.0, tf.int32),
        tf.one_hot(tf.constant(rs.randint(0, 30, 200)), 30),
        tf.where(x > 0.5, x, -x),
        tf.nn.l2_normalize(x, 1),
    ]


@pytest.mark.parametrize("clients", [1, 3, THREADS])
def test_parallel_loops_in_serial_and_parallel_plans(clients):
    """The smallest loops are split; every result is what one thread computes, bit for bit."""
    grain = set_parallel_grain(0)
    try:
        with tf.Graph().as_default(), tf.Session() as sess:
            _, tensors = network()
            want = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)).run(tensors)

            def client(seed):
                choose = random.Random(seed)
                for _ in range(rounds(30 // clients + 1)):
                    wanted = (
                        [0, *sorted(choose.sample(range(1, len(tensors)), 6))]
                        if choose.random() < 0.5
                        else range(len(tensors))
                    )
                    for i, value in zip(wanted, sess.run([tensors[i] for i in wanted])):
                        np.testing.assert_array_equal(value, want[i])
                    for plan in plans(sess):
                        plan.dynamic = choose.random() < 0.5

            in_threads([lambda i=i: client(i) for i in range(clients)])
    finally:
        set_parallel_grain(grain)


def test_the_tests_switches_may_be_turned_while_kernels_run(sess):
    from tfcore.core.runtime import cut_loops, num_threads, set_poison

    x, tensors = network()
    want = sess.run(tensors[4])
    stop = threading.Event()

    def turn():
        choose = random.Random(0)
        poison = set_poison(True)
        grain = set_parallel_grain(0)
        try:
            while not stop.is_set():
                set_poison(choose.random() < 0.5)
                set_parallel_grain(choose.choice([0, 5000]))
                cut_loops(choose.choice([0, 7]))
                set_num_threads(choose.choice([1, 2, 6]))
                assert num_threads() in (1, 2, 6) and memory_stats()["bytes_in_use"] >= 0
        finally:
            set_poison(poison)
            set_parallel_grain(grain)
            cut_loops(0)

    def client():
        for _ in range(rounds(20)):
            np.testing.assert_array_equal(sess.run(tensors[4]), want)

    turner = threading.Thread(target=turn)
    turner.start()
    try:
        in_threads([client] * 6)
    finally:
        stop.set()
        turner.join()


# ---- The allocator


def test_values_made_by_some_threads_and_freed_by_others():
    before = in_use()
    sent = [queue.Queue() for _ in range(THREADS)]

    def work(index):
        choose = random.Random(index)
        for i in range(rounds(60)):
            n = choose.choice([0, 1, 17, 300, 4000, 70_000, 300_000])
            value = TensorValue.from_numpy(
                np.full(n, i, np.int32) if i % 4 else np.array([b"x" * (n % 97)] * (n % 50), object)
            )
            sent[choose.randrange(THREADS)].put((value, i))
            if i % 16 == 0:
                trim_memory()
            if i % 8 == 0:
                assert memory_stats()["bytes_reserved"] >= 0
            while not sent[index].empty():
                got, number = sent[index].get()
                array = got.numpy()
                assert array.size == 0 or not number % 4 or (array == number).all()

    in_threads([lambda i=i: work(i) for i in range(THREADS)])
    for q in sent:
        q.queue.clear()
    assert in_use() == before


@pytest.mark.cpu
def test_the_limit_is_hit_by_many_at_once(sess):
    """A step gets its memory or ends with ResourceExhaustedError; none gets a wrong value, and nothing is lost."""
    n = tf.placeholder(tf.int64, [])
    big = tf.fill([n], 2.0)
    total = tf.reduce_sum(tf.exp(big * 0.0) + big)
    held = tf.Variable(tf.zeros([1000]))
    sess.run(held.initializer)
    assert sess.run(total, {n: 10}) == 30
    trim_memory()
    before = in_use()
    ended = {True: 0, False: 0}
    lock = threading.Lock()

    def client(index):
        choose = random.Random(index)
        for i in range(rounds(6)):
            size = choose.choice([100, 400_000, 1_500_000, 5_000_000])
            try:
                value, fits = sess.run(total, {n: size}, tf.RunOptions(timeout_in_ms=100_000) if i % 2 else None), True
                assert value == 3 * size
            except tf.errors.ResourceExhaustedError as error:
                assert "OOM when allocating" in str(error) and "held from the system" in str(error)
                fits = False
            with lock:
                ended[fits] += 1

    set_memory_limit(memory_stats()["bytes_reserved"] + (24 << 20))
    try:
        in_threads([lambda i=i: client(i) for i in range(THREADS)])
    finally:
        set_memory_limit(0)
    assert ended[True] > 0 and ended[False] > 0
    assert in_use() == before
    assert sess.run(total, {n: 5_000_000}) == 15_000_000


# ---- Variables and resources


@pytest.mark.parametrize("size", [2, 300, 40_000])
def test_reads_are_never_torn_and_updates_never_lost(sess, size):
    v = tf.Variable(tf.zeros([size]))
    count = tf.Variable(tf.zeros([size], tf.int64))
    accumulator = tf.Variable(tf.zeros([size]))
    x = tf.placeholder(tf.float32, [])
    ones = tf.ones([size])
    assign = tf.assign(v, ones * x).op
    add = tf.assign_add(count, tf.ones([size], tf.int64), use_locking=True).op
    train = tf.train.GradientDescentOptimizer(1.0, use_locking=True)
    descend = train.apply_gradients([(-ones, accumulator)])
    scatter = tf.scatter_add(count, [0, 1], np.ones(2, np.int64), use_locking=True).op
    reads = [v * 1.0, tf.identity(v), tf.stack([v, v])]
    sess.run(tf.global_variables_initializer())
    turns = rounds(15)

    def client(index):
        for i in range(turns):
            sess.run(assign, {x: index * turns + i})
            sess.run([add, descend, scatter][(index + i) % 3])
            for value in (sess.run(v), *sess.run(reads)):
                assert (value == value.flat[0]).all(-1).all()
            if i % 5 == 0:
                for plan in plans(sess):
                    plan.dynamic = not plan.dynamic

    in_threads([lambda i=i: client(i) for i in range(THREADS)])
    done = np.bincount([(c + i) % 3 for c in range(THREADS) for i in range(turns)], minlength=3)
    got = sess.run(count)
    assert (got[:2] == done[0] + done[2]).all() and (got[2:] == done[0]).all()
    assert (sess.run(accumulator) == done[1]).all()


def test_draws_of_one_operation_are_never_given_twice(sess):
    uniform = tf.random_uniform([64], dtype=tf.float64, seed=3)
    drawn = [None] * THREADS

    def client(index):
        drawn[index] = np.concatenate([sess.run(uniform) for _ in range(rounds(20))])

    in_threads([lambda i=i: client(i) for i in range(THREADS)])
    everything = np.concatenate(drawn)
    assert len(np.unique(everything)) == everything.size
    again = tf.Session()  # the same numbers, whoever drew them
    want = np.concatenate([again.run(uniform) for _ in range(THREADS * rounds(20))])
    np.testing.assert_array_equal(np.sort(everything), np.sort(want))


def test_resources_are_made_and_cleared_while_steps_run(sess):
    """A step sees a variable as it was or as new; never freed memory."""
    variables = [tf.Variable(tf.fill([500], float(i)), name=f"v{i}") for i in range(4)]
    init = tf.global_variables_initializer()
    stop = threading.Event()

    def clear():
        while not stop.is_set():
            sess._resources.clear()
            assert all(c == "localhost" for c, _, _ in sess._resources.names())
            sess._resources.variables()

    def client(index):
        choose = random.Random(index)
        for i in range(rounds(12)):
            sess.run(init)
            k = choose.randrange(4)
            read = variables[k] * 2.0 if i % 4 == 0 else variables[k]  # a new signature: new kernels
            try:
                value = sess.run(read)
                assert (value == (2.0 * k if i % 4 == 0 else k)).all()
            except tf.errors.FailedPreconditionError as error:
                assert "uninitialized" in str(error)

    cleaner = threading.Thread(target=clear)
    cleaner.start()
    try:
        in_threads([lambda i=i: client(i) for i in range(8)])
    finally:
        stop.set()
        cleaner.join()


def test_sessions_come_and_go_while_others_run():
    before = None
    with tf.Graph().as_default() as graph:
        v = tf.Variable(tf.ones([3000]))
        y = tf.reduce_sum(v * 2.0)

        def client(index):
            for i in range(rounds(6)):
                with tf.Session(graph=graph) as session:
                    session.run(v.initializer)
                    assert session.run(y) == 6000
                    if (index + i) % 3 == 0:
                        continue
                    with pytest.raises(RuntimeError, match="closed"):
                        session.close()
                        session.run(y)

        for _ in range(2):
            in_threads([lambda i=i: client(i) for i in range(THREADS)])
            left = in_use()
            assert before is None or left <= before
            before = left
