"""A sender that is killed in the middle of a large payload: nobody takes what has come for the whole, and nothing of it
is left, not even work.

TFCORE_TEST_EFFORT=25 pytest tests/distributed/fabric/test_death_in_transfer.py  # 100 moments, over MPI and TCP
"""

import random
import re
import textwrap
import time

import pytest

from tests.distributed import PATIENCE, mpi
from tfcore.testing.drawing import EFFORT

BETWEEN_HOSTS = pytest.mark.parametrize("transport", ["mpi", "tcp"] if EFFORT > 1 else ["tcp"])
ELEMENTS = 1 << 28  # 1 GB of float32
SENDERS = 4 if EFFORT > 1 else 2  # that are killed in one cluster, one after the other
JOBS = max(1, round(EFFORT))
IDLE_S = 2.0
PROGRAM = f"""
    import os, sys, time
    import numpy as np
    import tfcore as tf

    # Worker 0 looks at what the server has got; the others send: all killed but the last one.
    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    folder, me = sys.argv[1], cluster.task_index
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/job:ps/task:0"):
        got = tf.Variable(tf.zeros([3], tf.float64))
        parts = [tf.reduce_min(x), tf.reduce_max(x), tf.size(x)]
        apply = tf.group(got.assign(tf.stack([tf.cast(part, tf.float64) for part in parts])))

    def wait_for(name):
        while not os.path.exists(os.path.join(folder, name)):
            time.sleep(0.01)

    def say(*words):
        os.write(1, (" ".join(map(str, words)) + chr(10)).encode())

    if cluster.job_name == "ps":
        server.join()
    with tf.Session(server.target) as sess:
        if me == 0:
            sess.run(got.initializer)
            say("initialized")
        whole = {SENDERS + 1}  # this worker's payloads come whole: one before the others and one after them
        for turn in range(whole + 1):
            if me == 0:
                wait_for(f"look {{turn}}")
                say("got", turn, *map(int, sess.run(got)))
            elif turn == me or me == whole and turn == 0:
                wait_for(f"send {{turn}}")
                values = np.full({ELEMENTS}, turn + 1, np.float32)
                sess.run(apply, {{x: values[:1]}})  # the first run takes longer
                if me == whole:
                    sess.run(apply, {{x: values}})
                say("sends", turn)
                began = time.monotonic()
                sess.run(apply, {{x: values}})
                say("sent", turn, time.monotonic() - began)
                del values
    wait_for("end")
"""


def resident(pid):
    """Bytes of memory of a process that are not a file's."""
    with open(f"/proc/{pid}/status") as file:
        return 1024 * int(re.search(r"RssAnon:\s+(\d+) kB", file.read())[1])


class Cluster(mpi.Job):
    """PROGRAM under tfcore.run: rank 0 is the server, rank 1 looks, the others send."""

    def __init__(self, tmp_path, script, transport):
        self._folder_of_signs = tmp_path
        roles = ["--ps", "1", "--workers", str(SENDERS + 2)]
        program = ["-m", "tfcore.run", *roles, script(textwrap.dedent(PROGRAM)), str(tmp_path)]
        super().__init__(program, env={"TFCORE_TRANSPORT": transport})

    def let(self, sign):
        (self._folder_of_signs / sign).touch()

    def send(self, turn):
        """Has somebody send a payload full of turn + 1; returns when that begins."""
        self.let(f"send {turn}")
        self.see(f"sends {turn}\n")

    def sent(self, turn):
        """Seconds that the whole payload took."""
        self.see(f"sent {turn} ")
        return float(re.search(rf"sent {turn} (\S+)", self.text)[1])

    def got(self, turn):
        """The least and the greatest element that the server has got last, and how many there were."""
        self.let(f"look {turn}")
        self.see(f"got {turn} ")
        return tuple(map(int, re.search(rf"got {turn} (\d+) (\d+) (\d+)\n", self.text).groups()))


@BETWEEN_HOSTS
@pytest.mark.parametrize("number", range(JOBS))
def test_a_sender_is_killed_in_the_middle_of_a_gigabyte(tmp_path, script, transport, number):
    mpi.require_survivors()
    rng = random.Random(f"{transport} {number}")
    middles = 0
    with Cluster(tmp_path, script, transport) as job:
        job.see("initialized\n")
        job.send(0)
        seconds = job.sent(0)
        assert job.got(0) == (1, 1, ELEMENTS)
        server = job.pid_of(0)
        memory = resident(server)
        for turn in range(1, SENDERS + 1):
            job.send(turn)
            time.sleep(rng.random() * seconds)
            job.kill(1 + turn)
            job.see(f"worker {turn} was ended by signal 9")
            job.see(f"(rank {1 + turn}): ")  # the server knows
            time.sleep(0.2)
            now = job.got(turn)
            value = turn + 1
            assert now in ((value, value, 1), (value, value, ELEMENTS)), now
            middles += now[2] == 1
        assert resident(server) < memory + 2 * ELEMENTS, "what has come of the payloads is kept"
        check_idle([server, job.pid_of(1), job.pid_of(2 + SENDERS)])
        job.send(SENDERS + 1)
        job.sent(SENDERS + 1)
        assert job.got(SENDERS + 1) == (SENDERS + 2, SENDERS + 2, ELEMENTS)
        job.let("end")
        job.wait()
    assert middles, "all senders were killed too late"


def check_idle(pids):
    """Processes that wait do not compute."""
    time.sleep(0.5 * PATIENCE)  # until naps are long
    before = [mpi.processor_seconds(pid) for pid in pids]
    time.sleep(IDLE_S)
    used = [mpi.processor_seconds(pid) - b for pid, b in zip(pids, before)]
    assert max(used) < IDLE_S / 4, used


@pytest.mark.parametrize("env", [{}, {"TFCORE_TRANSPORT": "mpi"}, {"TFCORE_TRANSPORT": "tcp"}], ids=str)
def test_no_core_burns_after_a_death(env):
    """Nor do the survivors compute while nothing was under way."""
    mpi.require_survivors()
    with mpi.Job(["-m", "tests.distributed.traffic", "8"], ranks=3, env={**env, "TFCORE_TEST_IDLE": "600"}) as job:
        job.see("throughput", 2)
        job.kill(1)
        job.see("(rank 1): ")
        check_idle([job.pid_of(0), job.pid_of(2)])
