"""Flow control of values between tasks (values.c): memory stays flat, nothing deadlocks, no value is wrong or left.

Peaks are seen by a thread that looks once a millisecond, so they may be too low, but never too high.
"""

import ast

import pytest

from tests.distributed import mpi

OVER_MPI, OVER_TCP = {"TFCORE_TRANSPORT": "mpi"}, {"TFCORE_TRANSPORT": "tcp"}
TRANSPORTS = pytest.mark.parametrize("env", [{}, OVER_MPI, OVER_TCP], ids=["shared memory", "mpi", "tcp"])
MB = 1 << 20
OVERHEAD = 256  # bytes that a value counts besides its own: OVERHEAD_BYTES in values.c
ITERATIONS = 10  # of a loop, at once

HEAD = """
    import collections, threading, time
    import numpy as np
    import tfcore as tf
    from tests.threads import in_threads
    from tfcore.core.step import executor
    from tfcore.core.rendezvous import rendezvous
    from tfcore.core.runtime import memory_stats
    from tfcore.distributed.fabric import fabric
    from tfcore.distributed.partitions import steps
    from tfcore.distributed.task import task

    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    rank = fabric.rank()

    def wait_until(condition):
        for _ in range(1000):
            if condition():
                return True
            time.sleep(0.01)
        return False

    def is_quiet():
        counts = steps.flow_control_counts()
        left = [counts[name] for name in ("queued", "waiting", "cleared", "reserved_bytes")]
        return not any(left) and not any(rendezvous.count())

    # What a task had to keep, at most: it looks a thousand times a second.
    peaks = collections.Counter()
    def look():
        memory = {"values": rendezvous.count()[1], "bytes": memory_stats()["bytes_in_use"]}
        counts = {**steps.flow_control_counts(), **memory}
        for name, n in counts.items():
            peaks[name] = max(peaks[name], n)

    def keep_looking():
        while True:
            look()
            time.sleep(0.001)
    threading.Thread(target=keep_looking, daemon=True).start()

    def finish():
        left = () if wait_until(is_quiet) else (steps.flow_control_counts(), rendezvous.count())
        look()  # the other thread may have slept since the last step, and some counts (`forced`) only grow
        print(f"rank {rank} left {left}", flush=True)
        print(f"rank {rank} peaks {dict(peaks)}", flush=True)

    def on(task):
        return tf.device(f"/job:worker/task:{task}")
"""
SERVE = """
    if rank:
        task.current().join()
        finish()
        raise SystemExit
"""


def text_of(program):
    """A program that rank 0 runs while the others serve."""
    return HEAD + SERVE + program + "\n    finish()\n"


def peaks_of(job):
    """By rank: what the task had to keep at most. Checks that nothing is left in any task."""
    said = [line.split(" left ") for line in job.lines("rank") if " left " in line]
    assert said and all(left == "()" for _, left in said), job.text
    lines = [line.split(" peaks ") for line in job.lines("rank") if " peaks " in line]
    assert len(lines) == len(said), job.text
    return {int(who.removeprefix("rank ")): ast.literal_eval(peaks) for who, peaks in lines}


def run(program, ranks, budget, env):
    job = mpi.run(text_of(program), ranks, env={**env, "TFCORE_RECEIVE_BUDGET": str(budget)})
    assert job.code == 0, job.text
    peaks = peaks_of(job)
    assert len(peaks) == ranks, job.text
    return peaks


SLOW_RECEIVER = """
    # Task 1 makes a value every few microseconds, task 0 uses one in a few milliseconds.
    def slow(x):
        time.sleep(0.005)
        return x.max()

    def body(i, total):
        with on(1):
            made = tf.fill([SIZE], tf.cast(i, tf.float32))
        with on(0):
            used = tf.py_func(slow, [made], tf.float32)
            used.set_shape([])
            return i + 1, total + used

    with on(1):
        n = tf.placeholder(tf.int32, [])
        start = tf.constant(0)
    with on(0):
        total = tf.constant(0.0)
    with on(1):
        loop = tf.while_loop(lambda i, t: i < n, body, [start, total], parallel_iterations=ITERATIONS)
    with tf.Session(server.target) as sess:
        for _ in range(2):
            assert sess.run(loop[1], {n: 300}) == 299 * 300 / 2
"""


@TRANSPORTS
@pytest.mark.parametrize("budget", [0, MB])
def test_a_slow_receiver_holds_the_sender_back(budget, env):
    n = 64 << 10
    peaks = run(SLOW_RECEIVER.replace("SIZE", str(n)).replace("ITERATIONS", str(ITERATIONS)), 2, budget, env)
    receiver, sender = peaks[0], peaks[1]
    value = 4 * n + OVERHEAD
    # Two edges cross: that of the values and that of the loop's predicate.
    assert sender["queued"] <= 2 * ITERATIONS
    assert budget or sender["deferred"] >= 2 * 300  # without credit every value has to wait
    assert receiver["values"] <= budget // 2 // value + 2 * ITERATIONS
    # Whatever the budget, what the first step waits for may come.
    assert receiver["peak_reserved_bytes"] <= budget // 2 + 2 * ITERATIONS * value
    assert max(receiver["bytes"], sender["bytes"]) < budget + 2 * ITERATIONS * value < 300 * value


INCAST = """
    # Many steps at once, each with a value of every other task for task 0, which uses them one after the other.
    one_by_one = threading.Lock()

    def slow(*values):
        with one_by_one:
            time.sleep(0.01)
            return np.float64(sum(v.sum(dtype=np.float64) for v in values))

    x = tf.placeholder(tf.float32, [])
    made = []
    for n in range(1, len(cluster.as_dict()["worker"])):
        with on(n):
            made.append(tf.fill([256 << 10], x * n))
    with on(0):
        used = tf.py_func(slow, made, tf.float64)
    with tf.Session(server.target) as sess:
        def work(n):
            for i in range(10):
                value = n * 100 + i
                assert sess.run(used, {x: value}) == (256 << 10) * value * sum(range(len(made) + 1)), (n, i)

        in_threads([lambda n=n: work(n) for n in range(12)])
"""


@TRANSPORTS
@pytest.mark.parametrize("budget", [0, 8 * MB])
def test_many_senders_do_not_fill_the_receiver(budget, env):
    """Each step needs three values at once: the budget must not be spent on one of each of many steps."""
    peaks = run(INCAST, 4, budget, env)
    step = 3 * (MB + OVERHEAD)
    # The first step's values may always come, and another step may be the first one later: but not those of all twelve.
    assert peaks[0]["peak_reserved_bytes"] <= budget // 2 + 6 * step
    assert peaks[0]["values"] <= budget // 2 // MB + 3  # what the credits allow, and what was cleared and just came


FETCH = """
    with on(1):
        x = tf.Variable(tf.zeros([100000]), name="x")
        big = tf.Variable(tf.zeros([300000]), name="big")
        two = tf.placeholder(tf.float32, [])
    with tf.Session(server.target) as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(20):
            sess.run([x.assign_add(tf.ones([100000])), big.assign_add(tf.ones([300000]))])
            # Two partitions without a _Recv: their steps have ended there before the values are asked for.
            assert sess.run(x)[-1] == i + 1 and sess.run([x, big])[1][0] == i + 1
            assert sess.run(x.assign_add(tf.fill([100000], two - 2)), {two: 2})[-1] == i + 1
"""


@TRANSPORTS
@pytest.mark.parametrize("budget", [0, MB])
def test_a_value_goes_out_when_its_step_has_ended(budget, env):
    assert run(FETCH, 2, budget, env)[1]["deferred"]


AGAINST_THE_ORDER = """
    # The first step has its value and waits for another one, which only the second step will make. That one's own value
    # does not fit beside the first one's.
    FIRST_STEP = 1 << 32
    x = tf.placeholder(tf.float32, [])
    with on(1):
        made = [tf.fill([256 << 10], x), tf.fill([256 << 10], x + 4)]
    with on(0):
        from_elsewhere = tf.raw_ops._Recv(_edge=1 << 20, _peer=-1, tensor_type=tf.float32, tensor_name="x",
            send_device="", send_device_incarnation=1, recv_device="")
        first = tf.reduce_sum(made[0] * from_elsewhere)
        second = tf.reduce_max(made[1])
    with tf.Session(server.target) as sess:
        results = []
        executor.number_steps_from(FIRST_STEP - 1)
        thread = threading.Thread(target=lambda: results.append(sess.run(first, {x: 1})))
        thread.start()
        assert wait_until(lambda: steps.flow_control_counts()["reserved_bytes"])
        rendezvous.put(FIRST_STEP, 1 << 20, sess.run(second, {x: 1}))
        thread.join()
        assert results == [5 * (256 << 10)]
"""


@TRANSPORTS
def test_a_step_may_wait_for_a_later_one(env):
    peaks = run(AGAINST_THE_ORDER, 2, 0, env)
    assert peaks[0]["forced"] >= 1


FAILURES = """
    def body(i, total):
        with on(1):
            made = tf.fill([64 << 10], tf.cast(i, tf.float32))
        with on(0):
            used = tf.py_func(lambda x: use(x), [made], tf.float32)
            used.set_shape([])
            return i + 1, total + used

    with on(1):
        loop = tf.while_loop(lambda i, t: i < 1000000, body, [tf.constant(0), tf.constant(0.0)])
"""


FAILING = (
    FAILURES
    + """
    def use(x):
        if x[0] == 50:
            raise ValueError("the fiftieth")
        time.sleep(0.001)
        return x[0]

    with tf.Session(server.target) as sess:
        for _ in range(3):
            try:
                sess.run(loop)
            except tf.errors.InvalidArgumentError as error:
                assert "the fiftieth" in str(error)
            else:
                raise AssertionError("no error")
            assert wait_until(is_quiet), (steps.flow_control_counts(), rendezvous.count())
"""
)


@TRANSPORTS
def test_a_step_that_fails_leaves_nothing(env):
    assert run(FAILING, 2, 0, env)[1]["deferred"]


CANCELLED = (
    FAILURES
    + """
    def use(x):
        time.sleep(0.01)
        return x[0]

    with tf.Session(server.target) as sess:
        for _ in range(3):
            try:
                sess.run(loop, options=tf.RunOptions(timeout_in_ms=200))
            except tf.errors.DeadlineExceededError:
                pass
            else:
                raise AssertionError("no error")
            assert wait_until(is_quiet), (steps.flow_control_counts(), rendezvous.count())
"""
)


@TRANSPORTS
def test_a_step_that_is_cancelled_leaves_nothing(env):
    assert run(CANCELLED, 2, 0, env)[1]["deferred"]


DEATH = (
    FAILURES
    + """
    def use(x):
        if x[0] == 50:
            print("running", flush=True)
        time.sleep(0.002)
        return x[0]

    with tf.Session(server.target) as sess:
        try:
            sess.run(loop)
        except tf.errors.UnavailableError as error:
            assert "(rank 1)" in str(error), error
        else:
            raise AssertionError("no error")
"""
)


@TRANSPORTS
@pytest.mark.parametrize("dead", [0, 1], ids=["the receiver, which is the master", "the sender"])
def test_a_task_that_dies_leaves_nothing_in_the_other(dead, env):
    mpi.require_survivors()
    with mpi.Job(text_of(DEATH), 2, env={**env, "TFCORE_RECEIVE_BUDGET": "0"}) as job:
        job.see("running")
        job.kill(dead)
        job.wait()
    peaks = peaks_of(job)
    assert list(peaks) == [1 - dead], job.text
    assert dead == 1 or peaks[1]["deferred"], job.text
