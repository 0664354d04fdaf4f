"""Flow control of values between tasks (values.c): memory stays flat, nothing deadlocks, no value is wrong or left."""

import pytest

from tests.distributed import mpi

OVER_MPI = {"TFCORE_TRANSPORT": "mpi"}
TRANSPORTS = pytest.mark.parametrize("env", [{}, OVER_MPI], ids=["shared memory", "mpi"])
MB = 1 << 20

HEAD = """
    import collections, gc, os, threading, time
    import numpy as np
    import tfcore as tf
    from tfcore.core import rendezvous
    from tfcore.core.runtime import memory_stats
    from tfcore.distributed import fabric, steps, task

    MB = 1 << 20
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
        counts = steps.count_values()
        left = [counts[name] for name in ("queued", "waiting", "cleared", "held")]
        return not any(left) and not any(rendezvous.count())

    # What a task had to keep, at most: it looks a thousand times a second.
    peaks = collections.Counter()
    def look():
        while True:
            counts = {**steps.count_values(), "values": rendezvous.count()[1], "bytes": memory_stats()["bytes_in_use"]}
            for name, n in counts.items():
                peaks[name] = max(peaks[name], n)
            time.sleep(0.001)
    threading.Thread(target=look, daemon=True).start()

    def finish():
        left = () if wait_until(is_quiet) else (steps.count_values(), rendezvous.count())
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


def run(program, ranks, budget, env, serve=SERVE, code=0, **more):
    """Runs a program as rank 0 while the others serve. Returns what each had to keep at most."""
    env = {**env, "TFCORE_RECEIVE_BUDGET": str(budget)}
    job = mpi.run(HEAD + serve + program + "\n    finish()\n", ranks, env=env, **more)
    assert job.code == code, job.text
    assert job.lines("rank") and all(line.endswith("left ()") for line in job.lines() if " left " in line), job.text
    lines = [line.split(" peaks ") for line in job.lines("rank") if " peaks " in line]
    assert len(lines) == ranks, job.text
    return [eval(peaks) for _, peaks in sorted(lines)]


SLOW_RECEIVER = """
    # Task 1 makes a value every few microseconds, task 0 uses one in a few milliseconds.
    def slow(x):
        time.sleep(0.002)
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
        loop = tf.while_loop(lambda i, t: i < n, body, [start, total], parallel_iterations=10)
    with tf.Session(server.target) as sess:
        for _ in range(2):
            assert sess.run(loop[1], {n: 300}) == 299 * 300 / 2
"""


@TRANSPORTS
@pytest.mark.parametrize("budget", [0, 4 * MB])
def test_a_slow_receiver_holds_the_sender_back(budget, env):
    size = 64 << 10
    receiver, sender = run(SLOW_RECEIVER.replace("SIZE", str(size)), 2, budget, env)
    value = 4 * size
    assert sender["queued"] <= 10 + 2  # iterations at once, with their predicates
    assert receiver["values"] <= budget // value + 2
    assert receiver["peak_held"] <= budget // 2 + 10 * (value + 1024)  # all of the first step for which a _Recv waits
    assert max(receiver["bytes"], sender["bytes"]) < budget + 16 * value


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

        errors = []
        threads = [threading.Thread(target=lambda n=n: errors.append(work(n))) for n in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == 12 * [None]
"""


@TRANSPORTS
@pytest.mark.parametrize("budget", [0, 8 * MB])
def test_many_senders_do_not_fill_the_receiver(budget, env):
    """Each step needs three values at once: the budget must not be spent on one of each of many steps."""
    peaks = run(INCAST, 4, budget, env)
    step = 3 * (MB + 1024)
    assert peaks[0]["peak_held"] <= budget // 2 + 2 * step  # of the first step, and one that came before it
    assert peaks[0]["values"] <= budget / 2 / MB + 1  # not asked for: only what the credits allow
    assert peaks[0]["forced"] == 0


AGAINST_THE_ORDER = """
    # The first step has its value and waits for another one, which only the second step will make. That one's own value
    # does not fit beside the first one's.
    from tfcore.core import executor
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
        assert wait_until(lambda: steps.count_values()["held"])
        rendezvous.put(FIRST_STEP, 1 << 20, sess.run(second, {x: 1}))
        thread.join()
        assert results == [5 * (256 << 10)]
"""


@TRANSPORTS
def test_a_step_may_wait_for_a_later_one(env):
    peaks = run(AGAINST_THE_ORDER, 2, 0, env)
    assert peaks[0]["forced"] == 1


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
            assert wait_until(is_quiet), (steps.count_values(), rendezvous.count())
"""
)


@TRANSPORTS
def test_a_step_that_fails_leaves_nothing(env):
    receiver, sender = run(FAILING, 2, 0, env)
    assert sender["queued"]


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
            assert wait_until(is_quiet), (steps.count_values(), rendezvous.count())
"""
)


@TRANSPORTS
def test_a_step_that_is_cancelled_leaves_nothing(env):
    receiver, sender = run(CANCELLED, 2, 0, env)
    assert sender["queued"]


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
"""
)


@TRANSPORTS
@pytest.mark.parametrize("dead", [0, 1], ids=["the receiver, which is the master", "the sender"])
def test_a_task_that_dies_leaves_nothing_in_the_other(dead, env):
    with mpi.Job(HEAD + SERVE + DEATH + "\n    finish()\n", 2, env={**env, "TFCORE_RECEIVE_BUDGET": "0"}) as job:
        job.see("running")
        job.kill(dead)
        job.wait()
    other = f"rank {1 - dead}"
    assert f"{other} left ()" in job.text, job.text
    assert dead == 1 or "'queued': 0" not in job.text, job.text
