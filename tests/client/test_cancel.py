"""Cancellation reaches every step: time limits, closing, Ctrl-C; and nothing is left behind."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from tfcore.core.runtime import memory_stats, set_num_threads

import tfcore as tf
from tests.client.slow_kernels import Block, Deaf, Hold, Later, Loop, NotAsync, Wait, WholeLoop

pytestmark = pytest.mark.alone

FOREVER = 1_000_000
SOON = tf.RunOptions(timeout_in_ms=60)


@pytest.fixture
def sess(slow):
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


@pytest.fixture(autouse=True)
def _interrupts():
    """A shell starts what runs in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wait_for(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.001)


class Background:
    """Runs a function on a thread; result() gives its value or raises its error."""

    def __init__(self, function):
        self.value = self.error = None
        self.thread = threading.Thread(target=self._run, args=(function,))
        self.thread.start()

    def _run(self, function):
        try:
            self.value = function()
        except BaseException as error:  # noqa: BLE001  raised by result()
            self.error = error

    def result(self):
        self.thread.join(60)
        assert not self.thread.is_alive(), "the step hangs"
        if self.error is not None:
            raise self.error
        return self.value


def blocked(kind):
    """A tensor whose step does not end by itself."""
    x = tf.constant(FOREVER)
    with tf.control_dependencies([tf.constant(0)]):
        x = tf.identity(x)
    return {"wait": Wait, "block": Block, "loop": Loop}[kind](x, name="stuck")


def time_out(sess, fetches, feeds=None, reached=lambda text: True):
    """The error of a step that a time limit ends; the limit grows until the step gets as far as `reached` asks."""
    limit = 30
    while True:
        with pytest.raises(tf.errors.DeadlineExceededError) as caught:
            sess.run(fetches, feeds, options=tf.RunOptions(timeout_in_ms=limit))
        assert f"did not finish within {limit} ms" in str(caught.value)
        if reached(str(caught.value)):
            return caught.value
        assert limit < 60_000, "the step does not get there"
        limit *= 2


def in_use():
    gc.collect()
    return memory_stats()["bytes_in_use"]


@pytest.mark.parametrize("kind", ["wait", "block", "loop"])
def test_time_limit(sess, slow, kind):
    big = tf.fill([100_000], 1.0) * tf.placeholder_with_default(2.0, [])
    with tf.control_dependencies([big.op]):
        stuck = blocked(kind)
    after = stuck + 1
    before = in_use()
    for _ in range(2):
        error = time_out(sess, [after, big], reached=lambda text: "[[node stuck" in text)
    text = str(error)
    assert "Timed out waiting for notification" in text
    assert "[[node stuck (op: TestSlow" in text and "test_cancel.py" in text and "had not started" in text
    assert ("suspended for" if kind == "wait" else "running for") in text
    assert error.op.name == "stuck" and slow.slow_waiting() == 0
    del error
    sess._signatures.clear()
    assert in_use() == before
    assert sess.run(tf.constant(3) + 4) == 7


def test_the_time_limit_of_the_session(slow):
    with tf.Graph().as_default():
        stuck, fine = blocked("wait"), tf.constant(1) + 1
        with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=50)) as session:
            with pytest.raises(tf.errors.DeadlineExceededError, match="within 50 ms"):
                session.run(stuck)
            assert session.run(fine, options=tf.RunOptions(timeout_in_ms=60_000)) == 2
            with pytest.raises(tf.errors.DeadlineExceededError, match="within 20 ms"):
                session.run(stuck, options=tf.RunOptions(timeout_in_ms=20))
            run = session.make_callable(stuck)
            with pytest.raises(tf.errors.DeadlineExceededError, match="within 50 ms"):
                run()


def test_a_step_in_time_is_not_disturbed(sess):
    x = Deaf(tf.constant(2)) + 1
    for _ in range(20):
        assert sess.run(x, options=tf.RunOptions(timeout_in_ms=60_000)) == 3


def test_time_limit_between_operations(sess):
    x = tf.constant(5)
    for _ in range(400):
        x = Deaf(x)
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"operations had finished, \d+ had not started"):
        sess.run(x, options=SOON)


def test_asynchronous_kernels_resume(sess, slow):
    x = Wait(tf.constant([1, 2])) + Wait(tf.constant([3, 4]))
    run = Background(lambda: sess.run(x))
    wait_for(lambda: slow.slow_waiting() == 2)
    slow.slow_release()
    assert run.result().tolist() == [4, 6]
    assert sess.run(Later(Later(tf.constant(7))) + 1) == 8


def test_blocking_kernels_have_threads_of_their_own(sess):
    """Each ends only when all run: more of them than cores, and than helpers."""
    count = 3 * (os.cpu_count() or 1) + 4
    blocks = [Block(tf.constant(count)) for _ in range(count)]
    assert sess.run(tf.add_n(blocks)) == count * count


def test_an_error_reaches_kernels_that_wait(sess, slow):
    x = tf.placeholder(tf.int32, [])
    bad = 1 // (x - 1)
    for kind in ("wait", "block"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
            sess.run([blocked(kind), bad], {x: 1})
        assert slow.slow_waiting() == 0


def thread_state(number, field):
    with open(f"/proc/self/task/{number}/status") as file:
        return next(line.split()[1] for line in file if line.startswith(field + ":"))


def test_a_step_that_waits_does_not_wake_up(sess, slow):
    stuck, threads = blocked("wait"), []

    def run():
        threads.append(threading.get_native_id())
        return sess.run(stuck)

    def stays_asleep():
        before = thread_state(threads[0], "voluntary_ctxt_switches")
        time.sleep(0.3)
        return before == thread_state(threads[0], "voluntary_ctxt_switches")

    step = Background(run)
    wait_for(lambda: slow.slow_waiting() == 1)
    assert any(stays_asleep() for _ in range(20))
    slow.slow_release()
    assert step.result() == FOREVER


def test_a_step_that_has_failed_sleeps_until_its_helpers_return(sess, slow):
    taken, failed, release = threading.Event(), threading.Event(), threading.Event()
    caller, on_helper = [], []

    def stay():
        on_helper.append(threading.get_native_id() != caller[-1])
        taken.set()
        if on_helper[-1]:
            assert release.wait(60)
        return 1

    def fail():
        assert taken.wait(60)
        failed.set()
        raise ValueError("as wanted")

    fetches = [tf.py_func(stay, [], tf.int64), tf.py_func(fail, [], tf.int64), blocked("wait")]

    def run():
        caller.append(threading.get_native_id())
        sess.run(fetches)

    def stays_asleep():
        for _ in range(50):
            if thread_state(caller[-1], "State") != "S":
                return False
            time.sleep(0.002)
        return True

    before = set_num_threads(4)
    try:
        while not on_helper or not on_helper[-1]:  # until a helper, not the caller, takes the first function
            taken.clear()
            failed.clear()
            release.clear()
            step = Background(run)
            assert failed.wait(60)
            if on_helper[-1]:
                wait_for(stays_asleep)
            release.set()
            with pytest.raises(tf.errors.InvalidArgumentError, match="as wanted"):
                step.result()
    finally:
        release.set()
        set_num_threads(before)


def test_suspending_without_the_flag(sess):
    with pytest.raises(tf.errors.InternalError, match="TFC_KERNEL_ASYNC"):
        sess.run(NotAsync(tf.constant(1)))


def test_a_loop_is_left_only_where_it_may_be(sess, slow):
    n = tf.placeholder(tf.int32, [])
    time_out(sess, Loop(n, name="some"), {n: FOREVER}, lambda text: "[[node some" in text and slow.slow_items() > 0)
    assert slow.slow_items() < FOREVER
    # Longer than any limit within which it starts: a limit that runs out in the loop ends the step after the loop.
    time_out(sess, WholeLoop(n, name="whole") + 1, {n: 400}, lambda text: "[[node whole" in text)
    assert slow.slow_items() == 400


def test_variables_are_unlocked(sess, slow):
    v = tf.Variable([1, 2])
    sess.run(v.initializer)
    time_out(sess, Hold(v, name="hold"), reached=lambda text: "[[node hold" in text)
    assert sess.run(tf.assign_add(v, [1, 1])).tolist() == [2, 3]


# ---- Closing


@pytest.mark.parametrize("kind", ["wait", "block", "loop"])
def test_close_cancels_the_steps_of_other_threads(slow, kind):
    with tf.Graph().as_default():
        stuck = blocked(kind)
        session = tf.Session()
        runs = [Background(lambda: session.run(stuck)) for _ in range(5)]
        wait_for(lambda: slow.slow_waiting() == 5)
        session.close()
        assert session._control.running == 0
        for run in runs:
            with pytest.raises(tf.errors.CancelledError, match="Session has been closed."):
                run.result()
        with pytest.raises(RuntimeError, match="closed Session"):
            session.run(stuck)


def test_leaving_the_with_block_closes(slow):
    with tf.Graph().as_default() as graph:
        stuck = blocked("wait")
        with tf.Session(graph=graph) as session:
            run = Background(lambda: session.run(stuck))
            wait_for(lambda: slow.slow_waiting() == 1)
        with pytest.raises(tf.errors.CancelledError):
            run.result()


def test_resume_races_with_cancellation(slow):
    """Both ends of the claim at once, many times: each step ends once, with one of the two outcomes."""
    with tf.Graph().as_default():
        stuck = tf.add_n([Wait(tf.constant(1)) for _ in range(8)])
        outcomes = set()
        for i in range(60):
            session = tf.Session()
            run = Background(lambda s=session: s.run(stuck))
            wait_for(lambda: slow.slow_waiting() == 8)
            release = Background(slow.slow_release)
            time.sleep(i % 7 * 5e-5)
            session.close()
            release.result()
            try:
                assert run.result() == 8
                outcomes.add("value")
            except tf.errors.CancelledError:
                outcomes.add("cancelled")
            assert slow.slow_waiting() == 0
        assert outcomes


def test_close_while_partial_runs_wait(slow):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [])
        y = Wait(x)
        session = tf.Session()
        handle = session.partial_run_setup([y], [x])
        run = Background(lambda: session.partial_run(handle, y, {x: 1}))
        wait_for(lambda: slow.slow_waiting() == 1)
        session.close()
        with pytest.raises(tf.errors.CancelledError, match="closed"):
            run.result()


# ---- Signals


def test_ctrl_c(sess, slow):
    for kind in ("wait", "block", "loop"):
        stuck = blocked(kind)

        def press():
            wait_for(lambda: slow.slow_waiting() == 1)
            os.kill(os.getpid(), signal.SIGINT)

        presser = Background(press)
        with pytest.raises(KeyboardInterrupt):
            sess.run(stuck)
        presser.result()
        assert slow.slow_waiting() == 0 and sess.run(tf.constant(1)) == 1


def test_a_signal_between_operations(sess, slow):
    """None of these kernels looks whether the step is to end."""
    x = tf.constant(20)
    for _ in range(3000):  # a minute, for the signal to come
        x = Deaf(x)

    def press():
        wait_for(lambda: slow.slow_waiting() == 1)
        os.kill(os.getpid(), signal.SIGINT)

    presser = Background(press)
    with pytest.raises(KeyboardInterrupt):
        sess.run(x)
    presser.result()
    assert slow.slow_waiting() == 0 and sess.run(tf.constant(1)) == 1


def test_a_signal_handler_may_run_steps(sess, slow):
    stuck = blocked("wait")
    seen = []

    def handler(number, frame):
        seen.append(sess.run(tf.constant(20) + 2))
        slow.slow_release()

    before = signal.signal(signal.SIGUSR1, handler)
    try:

        def send():
            wait_for(lambda: slow.slow_waiting() == 1)
            os.kill(os.getpid(), signal.SIGUSR1)

        sender = Background(send)
        assert sess.run(stuck) == FOREVER
        sender.result()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [22]


LOCKED = """
import os, pathlib, signal, sys, threading, time
sys.path[:0] = {path!r}
import tfcore as tf
from tests.client import slow_kernels
slow = slow_kernels.build(pathlib.Path({folder!r}))
guarded = slow_kernels.Guard(tf.constant(1))
session = tf.Session()
def run():
    try:
        session.run(guarded, options=tf.RunOptions(timeout_in_ms=500))
    except tf.errors.DeadlineExceededError:
        print("ended", flush=True)
def send():
    while not slow.slow_waiting():
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGUSR1, lambda *_: run())
threading.Thread(target=send, daemon=True).start()
run()
"""


def test_a_signal_handler_may_run_the_kernel_that_it_interrupts(slow, tmp_path):
    """The kernel holds a lock of its own: the handler runs when the kernel is out."""
    code = LOCKED.format(path=sys.path, folder=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["ended", "ended"]


PROGRAM = """
import pathlib, sys, threading, time
sys.path[:0] = {path!r}
import tfcore as tf
from tests.client import slow_kernels
slow = slow_kernels.build(pathlib.Path({folder!r}))
stuck = slow_kernels.{op}(tf.constant(1000000))
session = tf.Session()
def run():
    try:
        session.run(stuck)
    except tf.errors.CancelledError as error:
        print(error, flush=True)
threading.Thread(target=run, daemon=True).start()
while not slow.slow_waiting():
    time.sleep(0.001)
"""


@pytest.mark.parametrize("op", ["Wait", "Block"])
def test_the_interpreter_ends_while_a_step_waits(slow, tmp_path, op):
    code = PROGRAM.format(path=sys.path, folder=str(tmp_path), op=op)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("Session has been closed.", "")
    assert not done.stderr


@pytest.mark.cpu
def test_signals_reach_steps_although_the_watcher_had_no_thread_at_first():
    """A step begins while there are no addresses for the stack of a thread."""
    done = subprocess.run([sys.executable, "-c", NO_THREAD], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout == "interrupted\n", done.stdout + done.stderr


NO_THREAD = """
import resource, signal, time
import tfcore as tf

class Interrupted(Exception):
    pass

def interrupt(*args):
    raise Interrupted

x = tf.placeholder(tf.int64, [])
run = tf.Session().make_callable(tf.while_loop(lambda i: i < x, lambda i: i + 1, [tf.constant(0, tf.int64)]), [x])
with open("/proc/self/status") as f:
    addresses = int(next(line for line in f if line.startswith("VmSize")).split()[1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (addresses + (1 << 20), -1))
assert run(10) == 10
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
assert run(10) == 10
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    run(1 << 60)
except Interrupted:
    print("interrupted")
"""
