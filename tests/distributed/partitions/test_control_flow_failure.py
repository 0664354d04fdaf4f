"""Tasks are killed or stopped during a loop over all of them: the step ends with the error, and nothing is left."""

import os
import re
import signal

import pytest

from tests.distributed import mpi
from tests.distributed.partitions.test_control_flow import AROUND, HEAD

LOOP = (
    AROUND
    + """
    def started(i):
        if i == 200:
            print("looping", flush=True)
        return i
    def body(i, x):
        with on(0):
            i = tf.py_func(started, [i], tf.int32)
            i.set_shape([])
        for task in (1, 2, 0):
            with on(task):
                x = tf.add(x, 1.0, name=f"on{task}")
        return i + 1, x
    endless = tf.while_loop(lambda i, x: x >= 0.0, body, [0, 0.0], name="endless")[1]
"""
)
PROGRAM = HEAD + LOOP


@pytest.fixture(autouse=True)
def survivors():
    mpi.require_survivors()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
@pytest.mark.parametrize(
    "env",
    [{}, {"TFCORE_TRANSPORT": "mpi"}, {"TFCORE_TRANSPORT": "tcp"}],
    ids=["shared memory", "mpi", "tcp"],
)
def test_a_task_of_the_loop(number, env):
    program = """
    with tf.Session(server.target) as sess:
        error = fails(tf.errors.UnavailableError, lambda: sess.run(endless))
        print("error", repr(str(error)), flush=True)
        with on(1):
            x = tf.while_loop(lambda x: x < 100.0, lambda x: x + 1.0, [0.0])
        for _ in range(10):
            assert sess.run(x + 1.0) == 101.0
    idle()
    print("fine", flush=True)
    """
    with mpi.Job(PROGRAM + program, 3, env=env) as job:
        job.see("looping")
        job.kill(2, number)
        job.wait()
    assert job.lines("fine") == ["fine"] and job.lines("left") == ["left 0 0 0 0", "left 1 0 0 0"], job.text
    (error,) = job.lines("error")
    reason = (
        r"(its )?process (\d+ )?is gone" if number == signal.SIGKILL else r"it has given no sign of life for \d\.\d s"
    )
    assert re.search(rf"/job:worker/task:2 on host {re.escape(os.uname().nodename)} \(rank 2\): {reason}", error), error
    assert re.search(r"\[\[node \S+ \(op: \w+\) \(defined at ", error), error


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_the_master_of_the_loop(number):
    with mpi.Job(PROGRAM + "\n    with tf.Session(server.target) as sess: sess.run(endless)\n", 3) as job:
        job.see("looping")
        job.kill(0, number)
        job.wait()
    assert job.lines("left") == ["left 1 0 0 0", "left 2 0 0 0"], job.text
