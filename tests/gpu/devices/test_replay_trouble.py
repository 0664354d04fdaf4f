"""Replays of steps that are cancelled, fail, overlap or lack memory, and the loss of the device."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import tfcore as tf
from tests.gpu.devices.other_library import Library
from tests.gpu.devices.test_uploads import MANY, hold  # noqa: F401
from tfcore.core.device import gpu

WARM = 11  # steps before the one that is recorded
PATIENCE = 60 * int(os.environ.get("TFCORE_TEST_PATIENCE", "1"))
pytestmark = pytest.mark.skipif(os.environ.get("TFCORE_GPU_SYNC", "0") != "0", reason="nothing is replayed")


def stats():
    return gpu.gpu(0).graph_stats()


def memory():
    gc.collect()  # an error and its frames may hold the session
    return gpu.gpu(0).memory_stats()["bytes_in_use"]


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


class Program:
    """y = (2 exp(x) + 2)^2 [index], whose report fails the step for an index that is wrong."""

    def __init__(self, after=None):
        self.x, self.index = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [2])
        with tf.device("/gpu:0"):
            y = tf.gather(tf.exp(self.x) * 2.0 + 1.0, self.index, name="gathered") + 1.0
            self.y = y * y
        self.fetch = tf.py_func(after, [self.y], tf.float32) if after else self.y

    def step(self, session, k=0.0, index=(0, 1), n=4, **arguments):
        value = np.arange(n) / n + k
        found = session.run(self.fetch, {self.x: value, self.index: index}, **arguments)
        np.testing.assert_allclose(found, ((np.exp(value) * 2 + 2) ** 2)[list(index)], rtol=1e-4)

    def warm_up(self, session):
        """After this each step is replayed."""
        made = stats()["made"]
        for i in range(WARM + 1):
            self.step(session, i / 20)
        assert stats()["made"] == made + 1

    def check_replays(self, session, n=5):
        before = stats()
        for i in range(n):
            self.step(session, i / 10)
        assert stats() == {"made": before["made"], "replays": before["replays"] + n}


class InThread(threading.Thread):
    """Runs a function; `join` returns the exception that it raised."""

    def __init__(self, function, *arguments, **more):
        super().__init__(daemon=True)
        self.call, self.error = lambda: function(*arguments, **more), None
        self.start()

    def run(self):
        try:
            self.call()
        except Exception as error:
            self.error = error

    def join(self):
        super().join(PATIENCE)
        assert not self.is_alive()
        return self.error


class Pause:
    """A function on the host that stops one step."""

    def __init__(self):
        self.wanted, self.here, self.over = False, threading.Event(), threading.Event()

    def __call__(self, value):
        if self.wanted:
            self.wanted = False
            self.here.set()
            assert self.over.wait(PATIENCE)
        return value


def test_steps_are_replayed_while_another_step_has_the_graph():
    pause = Pause()
    program = Program(pause)
    with tf.Session() as session:
        program.warm_up(session)
        pause.wanted = True
        thread = InThread(program.step, session, 0.5)
        assert pause.here.wait(PATIENCE)
        program.check_replays(session)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 9 is not in \[0, 4\)") as e:
            program.step(session, index=(0, 9))
        assert e.value.op.name == "gathered"
        program.check_replays(session)
        pause.over.set()
        assert thread.join() is None
        program.check_replays(session)


def test_the_recorded_step_reports_what_it_found_although_others_follow():
    pause = Pause()
    program = Program(pause)
    with tf.Session() as session:
        for _ in range(WARM):
            program.step(session)
        pause.wanted = True
        thread = InThread(program.step, session, index=(0, 9))  # its output does not matter
        assert pause.here.wait(PATIENCE)
        program.check_replays(session)
        pause.over.set()
        error = thread.join()
        assert isinstance(error, tf.errors.InvalidArgumentError) and "= 9 is not in [0, 4)" in error.message
        program.check_replays(session)


def test_steps_with_a_time_limit_are_not_replayed(hold):  # noqa: F811
    """They are observed. One that ends early leaves the graph to others."""
    program = Program()
    with tf.Session() as session:
        program.warm_up(session)
        before = stats()
        hold.begin()
        with pytest.raises(tf.errors.DeadlineExceededError):
            program.step(session, options=tf.RunOptions(timeout_in_ms=300))
        hold.end()
        program.step(session, options=tf.RunOptions(timeout_in_ms=300_000))
        assert stats() == before
        program.check_replays(session)


def test_steps_that_are_not_replayed_leave_variables_where_replays_find_them():
    x = tf.placeholder(tf.float32, [4])
    with tf.device("/gpu:0"):
        w = tf.Variable(np.ones(4, np.float32))
        y = tf.exp(x * 0.1) * 2.0 + w
        z = y * y + 1.0
        change = tf.assign(w, w * 0.5 + tf.sqrt(z) * 0.1)
    with tf.Session() as session:
        session.run(w.initializer)
        step = session.make_callable([z, change.op], [x], fetch_devices="/gpu:0")
        for _ in range(WARM + 2):
            step(np.arange(4.0))
        before = stats()
        for i in range(200):
            output = step(np.arange(4.0))[0]
            held = output if i % 20 == 0 else None  # the next step can't be replayed
            del output
        assert held is None
        assert stats()["made"] == before["made"] and stats()["replays"] == before["replays"] + 190


def test_a_session_is_closed_while_uploads_to_the_memory_of_a_graph_wait(hold):  # noqa: F811
    program = Program()
    in_use = memory()
    session = tf.Session()
    for _ in range(WARM + 1):
        program.step(session, n=MANY)
    assert memory() > in_use + MANY
    hold.begin()
    thread = InThread(program.step, session, n=MANY)
    time.sleep(0.2)  # perhaps in the upload
    session.close()
    error = thread.join()
    assert isinstance(error, (tf.errors.CancelledError, RuntimeError)), repr(error)  # RuntimeError: it had not begun
    hold.end()
    del session, thread, error
    with tf.Session() as session:
        program.warm_up(session)
        program.check_replays(session)
    wait_for(lambda: memory() <= in_use)


def test_a_session_is_closed_while_a_replay_waits(hold):  # noqa: F811
    program = Program()
    in_use = memory()
    session = tf.Session()
    program.warm_up(session)
    before = stats()["replays"]
    hold.begin()
    thread = InThread(program.step, session)
    wait_for(lambda: stats()["replays"] > before)
    session.close()
    assert isinstance(thread.join(), tf.errors.CancelledError)
    del session, thread
    hold.end()
    with tf.Session() as session:
        program.warm_up(session)
        program.check_replays(session)
    wait_for(lambda: memory() <= in_use)


def test_a_callable_is_dropped_while_its_replay_waits(hold):  # noqa: F811
    program = Program()
    with tf.Session() as session:
        run = session.make_callable(program.y, [program.x, program.index])
        for _ in range(WARM + 1):
            wanted = run(np.arange(4), [0, 1])
        before, found = stats()["replays"], []
        hold.begin()
        thread = InThread(lambda run: found.append(run(np.arange(4), [0, 1])), run)
        del run
        thread.call = None
        wait_for(lambda: stats()["replays"] > before)
        hold.end()
        assert thread.join() is None
        assert found[0].tolist() == wanted.tolist()


def test_another_kernel_fails_after_a_replay():
    wrong = []

    def after(value):
        if wrong:
            raise ValueError(wrong.pop())
        return value

    program = Program(after)
    with tf.Session() as session:
        program.warm_up(session)
        for _ in range(3):
            wrong.append("not today")
            with pytest.raises(tf.errors.InvalidArgumentError, match="not today"):
                program.step(session)
            program.check_replays(session, 2)


def test_two_threads_run_the_same_callable():
    with tf.device("/gpu:0"):
        x, v = tf.placeholder(tf.float32, [8]), tf.Variable(np.zeros(8, np.float32))
        y = tf.exp(x * 0.5) * 2.0 + x
        add = v.assign_add(tf.floor(x * 1.5 + 0.5) * 2.0, use_locking=True)
    wrong, n = [], 100
    with tf.Session() as session:
        session.run(v.initializer)
        run = session.make_callable([y, add.op], [x])
        start = threading.Barrier(2)

        def go(k):
            start.wait()
            for i in range(n):
                value = np.full(8, k + i % 3, np.float32)
                if not np.allclose(run(value)[0], np.exp(value * 0.5) * 2 + value, rtol=1e-5):
                    wrong.append((k, i))

        before = stats()["replays"]
        threads = [InThread(go, k) for k in (0, 1)]
        assert [t.join() for t in threads] == [None, None]
        assert not wrong and stats()["replays"] > before
        total = sum(2 * np.floor((k + i % 3) * 1.5 + 0.5) for k in (0, 1) for i in range(n))
        assert session.run(v).tolist() == [total] * 8


def test_two_sessions_on_one_graph_in_two_threads():
    program = Program()

    def go():
        with tf.Session(graph=program.x.graph) as session:
            for i in range(40):
                program.step(session, i / 40)

    before = stats()
    threads = [InThread(go) for _ in range(2)]
    assert [t.join() for t in threads] == [None, None]
    made, replays = stats()["made"] - before["made"], stats()["replays"] - before["replays"]
    assert (made, replays) == (2, 2 * (40 - WARM - 1))


def test_shapes_that_alternate():
    program = Program()
    with tf.Session() as session:
        for i in range(48):  # each recording needs more steps than the one before
            program.step(session, i / 48, n=4 + i % 3)
        before = stats()
        for i in range(30):
            program.step(session, i / 30, n=4 + i % 3)
        assert stats() == {"made": before["made"], "replays": before["replays"] + 30}


def test_a_feed_that_is_a_device_array():
    program = Program()
    library = Library()
    with tf.Session() as session:
        run = session.make_callable(program.y, [program.x, program.index])
        before = stats()["replays"]
        for i in range(40):
            value = np.arange(4, dtype=np.float32) / 4 + i / 40
            array = library.array(value)
            found = run(array, np.array([0, 3], np.int32))
            np.testing.assert_allclose(found, ((np.exp(value) * 2 + 2) ** 2)[[0, 3]], rtol=1e-4)
        assert stats()["replays"] - before == 40 - WARM - 1


# ---- In processes of their own

PRELUDE = """
import os, signal, threading, time
import numpy as np
import tfcore as tf
from tfcore.core.device import gpu
from tests.gpu.devices.test_replay_trouble import *

mb = 1 << 20
config = tf.ConfigProto()
config.gpu_options.per_process_gpu_memory_fraction = float(os.environ.get("FRACTION", 0))
config.gpu_options.allow_growth = bool(os.environ.get("GROWS"))
tf.Session(config=config).close()  # decides for the process
device = gpu.gpu(0)
"""


def fill_memory(session, room=0):
    """Sets the memory limit to what is reserved, and takes all but `room` bytes of it, unless a graph holds it."""
    device = gpu.gpu(0)
    with tf.device("/gpu:0"):
        n = tf.placeholder(tf.int32, [])
        run = session.make_callable(tf.fill([n], 1.0), [n], fetch_devices="/gpu:0")
    held = [run(1)]
    device.set_memory_limit(device.memory_stats()["bytes_reserved"])
    while True:
        stats = device.memory_stats()
        left = stats["bytes_limit"] - stats["bytes_in_use"] - room
        if left < 1 << 16:
            return held
        try:
            held.append(run(min(left, 1 << 19) // 4))
        except tf.errors.ResourceExhaustedError:
            return held


def run_program(text, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(text)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=4 * PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_memory_that_is_short_for_the_step_that_records():
    run_program("""
    program = Program()
    with tf.Session() as session:
        for _ in range(WARM):
            program.step(session, n=mb)
        before = device.memory_stats()["bytes_in_use"]
        held = fill_memory(session)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            program.step(session, n=mb)
        assert device.graph_stats()["made"] == 0
        del held
        wait_for(lambda: device.memory_stats()["bytes_in_use"] < before + 4096)
        device.set_memory_limit(0)
        for _ in range(10):
            program.step(session, n=mb)
        assert device.graph_stats()["made"] == 1 and device.graph_stats()["replays"] > 0
    """)


def test_memory_that_is_short_after_a_replay():
    run_program("""
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None])
        y = tf.exp(x * 2.0 + 1.0) * 3.0 - x
        z = tf.reduce_sum(tf.random_uniform(tf.concat([tf.shape(y), [4]], 0)))  # after the part
    value = np.zeros(mb // 4, np.float32)
    with tf.Session() as session:
        for _ in range(WARM + 5):
            session.run(z, {x: value})
        replays = device.graph_stats()["replays"]
        assert replays == 4
        held = fill_memory(session, room=device.memory_stats()["bytes_in_use"])
        with pytest.raises(tf.errors.ResourceExhaustedError):
            session.run(z, {x: value})
        assert device.graph_stats()["replays"] == replays + 1
        held.clear()
        device.set_memory_limit(0)
        for _ in range(30):
            session.run(z, {x: value})
        assert device.graph_stats()["made"] == 2 and device.graph_stats()["replays"] > replays + 10
    assert device.memory_stats()["bytes_in_use"] <= 4096
    """)


@pytest.mark.emulated_gpu
def test_values_of_changing_sizes_near_the_limit():
    """A limit that holds from the start is one region: several would have gaps that are too small."""
    run_program(
        """
    rng, held, total = np.random.default_rng(0), [], 0
    with tf.device("/gpu:0"):
        n = tf.placeholder(tf.int32, [])
        y = tf.fill([n], 1.0)
    with tf.Session() as session:
        run = session.make_callable(y, [n], fetch_devices="/gpu:0")
        for i in range(1000):
            size = int(1.6 * mb * rng.random() ** 2)  # at most a tenth of 16 MB
            while total + size > 0.6 * 16 * mb:
                total -= held.pop(rng.integers(len(held)))[0]
            held.append((size, run(size // 4)))
            total += size
        assert 15 * mb < device.memory_stats()["bytes_limit"] <= 16 * mb
        assert device.memory_stats()["bytes_reserved"] <= device.memory_stats()["bytes_limit"]
    """,
        FRACTION="0.0625",
    )


@pytest.mark.parametrize("grows", ["", "1"])
def test_a_share_is_reserved_at_once_unless_it_may_grow(grows):
    run_program(
        """
    with tf.device("/gpu:0"):
        y = tf.exp(tf.random_uniform([1000]))
    with tf.Session() as session:
        session.run(y)
    stats = device.memory_stats()
    if os.environ["GROWS"]:
        assert stats["bytes_reserved"] < stats["bytes_limit"] // 4
    else:
        assert stats["bytes_limit"] - 4096 < stats["bytes_reserved"] <= stats["bytes_limit"]
    """,
        FRACTION="0.0625",
        GROWS=grows,
    )


@pytest.mark.emulated_gpu
@pytest.mark.parametrize("when", ["before a recording", "recording", "before a replay", "replay"])
def test_the_device_process_dies(when):
    run_program(
        """
        from tests.gpu.devices.test_uploads import Hold
        from tests.gpu.test_emulated_process import children

        when = os.environ["WHEN"]
        program = Program()
        with tf.device("/gpu:1"):
            other = tf.exp(tf.placeholder(tf.float32, [2], name="p")) * 2.0
        (process,) = children(os.getpid())
        session = tf.Session()
        for _ in range(WARM + (3 if "replay" in when else 0)):
            program.step(session)
        hold, before = Hold(), device.graph_stats()
        if "before" in when:
            os.kill(process, signal.SIGKILL)
        else:
            hold.begin()
        thread = InThread(program.step, session)
        if "before" not in when:
            wait_for(lambda: device.graph_stats() != before)
            os.kill(process, signal.SIGKILL)
        error = thread.join()
        assert isinstance(error, tf.errors.UnavailableError), repr(error)
        for _ in range(3):
            with pytest.raises(tf.errors.UnavailableError, match="GPU:0 can't be used any more"):
                program.step(session)
        hold.end()
        assert session.run(other, {"p:0": [0, 0]}).tolist() == [2, 2]
        session.close()
        with tf.Session() as session:
            with pytest.raises(tf.errors.UnavailableError, match="GPU:0 can't be used any more"):
                program.step(session)
        del session, program
        """,
        WHEN=when,
    )
