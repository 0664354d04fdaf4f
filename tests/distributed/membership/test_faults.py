"""Training in a cluster whose processes are killed or stopped at random: who reports it, who continues, what is left.

TFCORE_TEST_FAULTS=20 pytest tests/distributed/membership/test_faults.py     # twenty moments instead of a few
TFCORE_TEST_SEED=7                                                # other ones
"""

import ast
import os
import random
import re
import signal
import tempfile
import textwrap
import threading
import time

import pytest

from tests.distributed import mpi
from tfcore.run.launcher import RESTART_HINT

MOMENTS = int(os.environ.get("TFCORE_TEST_FAULTS", "4"))
SEED = int(os.environ.get("TFCORE_TEST_SEED", "1"))
LIMIT_S = 2.0  # by when everybody knows, on a machine that has nothing else to do
SHARES = 10  # of the limit that may be late by as much as the control was
PATIENCE_S = 20.0
PROGRAM = ["-m", "tests.distributed.train.training"]


def some_of(cases):
    """All of them in a long run, else a few."""
    return cases if MOMENTS >= 20 else cases[:: max(1, len(cases) // 4 + 1)]


class Control(threading.Thread):
    """How late this machine is at present: the longest that a thread slept beyond its time."""

    def __init__(self):
        super().__init__(daemon=True)
        self.worst = 0.0
        self.ends = threading.Event()

    def run(self):
        before = time.monotonic()
        while not self.ends.wait(0.05):
            now = time.monotonic()
            self.worst = max(self.worst, now - before - 0.05)
            before = now

    @property
    def limit(self):
        return LIMIT_S + SHARES * self.worst


class Training(mpi.Job):
    """The program training.py, under tfcore.run or what `call` says."""

    def __init__(self, ps, workers, *options, call=None, env=None):
        self.ps, self.workers = ps, workers
        self.files = tempfile.TemporaryDirectory(prefix="tfcore-test-")
        self.stop_file = os.path.join(self.files.name, "stop")
        program = [*PROGRAM, self.stop_file, "--ps", str(ps), *options]
        if call is None:
            program = ["-m", "tfcore.run", "--ps", str(ps), "--workers", str(workers), *program]
        self.control = Control()
        super().__init__(program, call=call, env=env)

    def __enter__(self):
        self.control.start()
        self.see("training", self.workers)
        return super().__enter__()

    def stop(self):
        super().stop()
        self.control.ends.set()
        self.files.cleanup()

    def said(self, what):
        """What the processes have printed: the words of lines that begin with `what`, in order."""
        found = []
        for line in self.text.splitlines():
            words = line.partition("| ")[2].split() if "| " in line[:20] else line.split()
            if words and words[0] == what:
                found.append(words[1:])
        return found

    def wait_for(self, condition):
        """Waits until the condition is true and returns it; fails the test otherwise."""
        end = time.monotonic() + PATIENCE_S
        while not (found := condition()):
            if time.monotonic() > end:
                self.stop()
                pytest.fail(f"waited in vain; the output:\n{self.text}")
            time.sleep(0.02)
        return found

    def steps(self, worker):
        """How many steps a worker has made with each server, as far as it has said so."""
        lines = [words for words in self.said("at") if words[0] == str(worker)]
        return [int(count) for count in lines[-1][2:]] if lines else [0] * self.ps

    def goes_on(self, worker, server):
        """Returns when a worker has made steps with a server since now."""
        before = self.steps(worker)[server]
        self.wait_for(lambda: self.steps(worker)[server] > before + 1)

    def error_of(self, worker, number=0):
        """(time, class, text) of a worker's error."""
        all_of_it = self.wait_for(lambda: [w for w in self.said("error") if w[0] == str(worker)][number:])[0]
        return float(all_of_it[1]), all_of_it[2], self._text(worker, number)

    def _text(self, worker, number):
        found = re.findall(rf"^(?:worker \d+\| )?error {worker} \S+ \S+ (.*)$", self.text, re.M)
        return ast.literal_eval(found[number])

    def name(self, rank):
        return f"ps {rank}" if rank < self.ps else f"worker {rank - self.ps}"

    def finish(self):
        """Lets the workers end, and waits for the end of the job."""
        with open(self.stop_file, "w"):
            pass
        return self.wait()


def check_error(error, rank, task, number, since, limit):
    when, kind, text = error
    assert kind == "UnavailableError", text
    host = os.uname().nodename
    # How it ended is known once its parent has asked.
    reason = (
        r"process \d+ is gone( \(SIGKILL\))?"
        if number == signal.SIGKILL
        else r"it has given no sign of life for \d\.\d s"
    )
    assert re.match(rf"{re.escape(task)} on host {re.escape(host)} \(rank {rank}\): {reason}\. ", text), text
    assert re.search(r"\[\[node \S+ \(op: \w+\) \(defined at \S*training\.py:\d+ in \w+\)\]\]", text), text
    assert when - since <= limit, (when - since, limit)


def check_others(job, victim, number, since):
    """What the survivors say and do, shortly after a process was hit."""
    survivors = [w for w in range(job.workers) if w + job.ps != victim]
    servers = [s for s in range(job.ps) if s != victim]
    if victim < job.ps:
        for worker in survivors:
            check_error(job.error_of(worker), victim, f"/job:ps/task:{victim}", number, since, job.control.limit)
    else:
        forgot = [[str(s), str(victim), "0"] for s in servers]
        job.wait_for(lambda: all(words in job.said("forgot") for words in forgot))
        assert not job.said("error"), job.text
    for worker in survivors:
        for server in servers:
            job.goes_on(worker, server)


def check_end(job, victim, code, how):
    """The survivors ended well, the servers had nothing left, and only the victim is blamed."""
    assert job.code == code, job.text
    blamed = [line for line in job.text.replace(RESTART_HINT, "").splitlines() if line.startswith("tfcore.run: ")]
    assert blamed == [f"tfcore.run: {job.name(victim)} {how}"], job.text
    assert sorted(job.said("end")) == sorted(
        job.name(rank).split() for rank in range(job.ps + job.workers) if rank != victim
    ), job.text
    assert job.said("left") == [["0"] * 6] * (job.ps - (victim < job.ps)), job.text


@pytest.fixture(autouse=True)
def survivors():
    mpi.require_survivors()


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_random_moment(moment):
    """A worker, the chief or a server is killed or stopped while all of them train."""
    rng = random.Random(f"{SEED} {moment}")
    ps, workers = rng.choice([1, 2]), rng.choice([2, 3])
    kind = moment % 3
    victim = rng.randrange(ps) if kind == 0 else ps if kind == 1 else ps + rng.randrange(1, workers)
    number = (signal.SIGKILL, signal.SIGSTOP)[(moment + moment // 6) % 2]
    with Training(ps, workers) as job:
        time.sleep(rng.random())
        since = time.monotonic()
        job.kill(victim, number)
        check_others(job, victim, number, since)
        job.finish()
        check_end(job, victim, 137, "was ended by signal 9 (SIGKILL)")


def test_a_worker_that_was_frozen_and_goes_on():
    """It ends with AbortedError, and the others don't mind that either."""
    with Training(1, 2) as job:
        since = time.monotonic()
        job.kill(2, signal.SIGSTOP)
        check_others(job, 2, signal.SIGSTOP, since)
        job.kill(2, signal.SIGCONT)
        _, kind, text = job.error_of(1)
        assert kind == "AbortedError" and "(rank 0): this task was excluded from the cluster: it has given no" in text
        assert re.search(r"\(defined at \S*training\.py:\d+ in \w+\)", text), text
        job.see("tfcore.run: worker 1 ended with exit code 3")
        time.sleep(3.5)  # longer than the launcher waits before it ends a job of frozen processes
        job.goes_on(0, 0)
        job.finish()
        job.text = job.text.replace("end worker 1", "")
        check_end(job, 2, 3, "ended with exit code 3")


def test_a_server_that_was_frozen_and_goes_on():
    with Training(2, 2) as job:
        since = time.monotonic()
        job.kill(0, signal.SIGSTOP)
        check_others(job, 0, signal.SIGSTOP, since)
        job.kill(0, signal.SIGCONT)
        job.see("AbortedError: /job:ps/replica:0/task:0 (rank 0): this task was excluded from the cluster: it has")
        job.see("tfcore.run: ps 0 ended with exit code 1")
        job.finish()
        check_end(job, 0, 1, "ended with exit code 1")


def test_a_short_pause_of_any_process_is_no_failure():
    # A limit that holds on a busy machine, too, where a second may take longer.
    with Training(1, 2, env={"TFCORE_FAILURE_TIMEOUT": "5"}) as job:
        for rank in range(3):
            job.kill(rank, signal.SIGSTOP)
            time.sleep(1.0)
            job.kill(rank, signal.SIGCONT)
            job.goes_on(0, 0)
            job.goes_on(1, 0)
        job.finish()
    assert job.code == 0 and not job.said("error") and "tfcore:" not in job.text, job.text


def test_without_fault_tolerance_the_death_of_one_is_the_end_of_all():
    call = [part for part in mpi.command.mpirun(3) if part not in ("--with-ft", "ulfm")]
    with Training(1, 2, call=call) as job:
        time.sleep(0.3)
        job.kill(2)
        job.wait()
    assert job.code == 128 + signal.SIGKILL and not job.said("end"), job.text


def shared_memory(job):
    """The folder of the job's files in shared memory."""
    return mpi.environ(job.pid_of(0))["OMPI_MCA_btl_sm_backing_directory"]


def test_the_same_command_again_after_a_death():
    """Twice in the same folder for temporary files; nothing is left there and in shared memory."""
    with tempfile.TemporaryDirectory(prefix="tf") as folder:
        for victim in (0, 1):
            with Training(1, 1, env={"TMPDIR": folder}) as job:
                shared = shared_memory(job)
                assert os.listdir(shared)
                job.kill(victim)
                job.finish()
            assert job.code == 137, job.text
            assert os.listdir(folder) == [] and not os.path.exists(shared)


# ---- Moments of their own kind


BUSY = {
    "large tensors are on their way": ["--rows", "20000"],
    "many steps run": ["--threads", "8"],
    "sessions begin and graphs are registered": ["--grow"],
}
BUSY_MOMENTS = [
    (what, victim, number) for number in (signal.SIGKILL, signal.SIGSTOP) for victim in (0, 2) for what in BUSY
]


@pytest.mark.parametrize("what, victim, number", some_of(BUSY_MOMENTS))
def test_a_moment_while(what, victim, number):
    with Training(1, 2, *BUSY[what]) as job:
        time.sleep(random.Random(SEED).random())
        since = time.monotonic()
        job.kill(victim, number)
        check_others(job, victim, number, since)
        job.finish()
        check_end(job, victim, 137, "was ended by signal 9 (SIGKILL)")


START = """
    import os, signal, threading, time
    import tfcore as tf

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    mine = os.environ["PMIX_RANK"] == VICTIM
    if mine and WHEN == "before MPI":
        die()
    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    if mine and WHEN == "before the server":
        time.sleep(0.5)  # the others wait already
        die()
    if mine and WHEN != "before MPI":
        threading.Timer(float(WHEN), die).start()
    print("begins", flush=True)
    try:
        server = tf.train.Server(cluster)
    except tf.errors.UnavailableError as error:
        print("error", error, flush=True)
        raise SystemExit(4)
    if mine:
        time.sleep(60)
    server.join()
"""


STARTS = [
    (when, victim) for when in ("before the server", "0.01", "0.3", "before MPI", "0.1", "0.2") for victim in (0, 2)
]


@pytest.mark.parametrize("when, victim", some_of(STARTS))
def test_dead_before_the_cluster_is_complete(when, victim):
    """The start of the others ends with an error, or they are ended; if the cluster was complete they continue."""
    source = START.replace("VICTIM", repr(str(victim))).replace("WHEN", repr(when))
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(textwrap.dedent(source))
        file.flush()
        job = mpi.run(["-m", "tfcore.run", "--ps", "1", "--workers", "2", file.name], limit=30)
    name = "ps 0" if victim == 0 else "worker 1"
    assert f"tfcore.run: {name} was ended by signal 9 (SIGKILL)" in job.text, job.text
    assert job.code != 0, job.text
    if when == "before the server":
        rank = 0 if victim == 0 else 2
        # A survivor that heard of it late may name the other one, too, which has ended by then.
        assert len(re.findall(rf"error Rank {rank}(?:, \d)? died while the cluster started", job.text)) == 2, job.text


MASTERS = """
    import os, threading, time
    import numpy as np
    import tfcore as tf
    from tfcore.core.rendezvous import rendezvous
    from tfcore.distributed.fabric import fabric
    from tfcore.distributed.task import task

    def say(*words):
        os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # at once, whatever others write

    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    sessions = task.current()._worker._sessions
    me = f"{cluster.job_name} {cluster.task_index}"

    def forget(rank):
        known = [s.control for key, s in seen.items() if key[0][0] == rank]
        while any(key[0][0] == rank for key in sessions) or any(control.running for control in known):
            time.sleep(0.01)
        say("forgot", rank, len(known), me)

    if cluster.job_name == "ps" or cluster.task_index < 2:  # three tasks serve two masters
        fabric.on_failure(forget)
        seen = {}
        while fabric.alive(3) or fabric.alive(4):
            seen.update(sessions)
            time.sleep(0.01)
        time.sleep(0.3)
        say("left", fabric.stats()["outstanding"], len(sessions), *rendezvous.count(), me)
        raise SystemExit

    with tf.device("/job:ps/task:0"):
        v = tf.Variable(tf.zeros([100, 200]), name=f"v{cluster.task_index}")
    towers, gate = [], threading.Event()
    with tf.device(f"/job:worker/task:{cluster.task_index}"):
        waits = tf.py_func(lambda: np.float32(not gate.wait()), [], tf.float32)
    for i in range(2):
        with tf.device(f"/job:worker/task:{i}"):
            towers.append(tf.tanh(v + 1.0) * 2.0)
            waits = tf.tanh(waits)
    with tf.device("/job:ps/task:0"):
        step = v.assign_add(towers[0] - towers[1])
        never = v.assign_add(tf.zeros([100, 200]) + waits)
    with tf.Session(server.target) as sess:
        sess.run(v.initializer)
        threads = [threading.Thread(target=sess.run, args=[never]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            sess.run(step)
        say("master", cluster.task_index)
        made = 0
        while cluster.task_index == 2 or fabric.alive(3) or made < 300:
            sess.run(step)
            made += not fabric.alive(3)
        assert not sess.run(v).any()
        gate.set()
        for thread in threads:
            thread.join()
        say("fine")
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_the_death_of_a_master_ends_its_steps_in_other_tasks(number):
    """In-graph replication by two masters over the same three tasks; some of their steps wait for ever."""
    with mpi.Job(MASTERS, ranks=5) as job:
        job.see("master", 2)
        time.sleep(0.3)
        job.kill(3, number)
        job.see("forgot 3 1", 3)
        job.see("fine")
        job.wait()
    assert [line.split()[1:7] for line in job.lines("left")] == [["0"] * 6] * 3, job.text
    assert "Error" not in job.text, job.text


@pytest.mark.parametrize("which", ["launcher", "mpirun"])
def test_nothing_outlives_who_started_it(which):
    with Training(1, 2) as job:
        starters = [p for p in mpi.processes(job.mark) if re.search(r"/(prte|mpi)run ", mpi.describe(p))]
        assert len(starters) == 1, starters
        shared = shared_memory(job)
        os.kill(job.pid if which == "launcher" else starters[0], signal.SIGKILL)
        job.wait()
    assert job.code != 0, job.text
    if which == "mpirun":  # the launcher was there to remove it
        assert not os.path.exists(shared)
