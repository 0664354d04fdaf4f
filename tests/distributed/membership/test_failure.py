"""Processes that are killed or stopped: who notices, when, and what is left."""

import os
import signal
import sys
import time
import types

import pytest

from tests.distributed import mpi
from tfcore.distributed.fabric import fabric
from tfcore.distributed.membership import failure, heartbeat

TRANSPORTS = pytest.mark.parametrize(
    "env",
    [{}, {"TFCORE_TRANSPORT": "mpi"}, {"TFCORE_TRANSPORT": "tcp"}],
    ids=["shared memory", "mpi", "tcp"],
)
LATE_S = 8.0  # the limit is 2 s on a machine that is not busy with other tests
PROGRAM = """
    import time
    import tfcore as tf
    from tfcore.distributed.fabric import fabric
    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    print("started", fabric.rank(), flush=True)

    def report(rank):
        print("report", fabric.rank(), fabric.description(rank), flush=True)

    fabric.on_failure(report)
"""
WAIT = """
    while fabric.alive(1) and fabric.alive(2):
        time.sleep(0.01)
    time.sleep(0.5)
"""


def watched(env, number):
    """Sends the signal to rank 1 of 3; the finished job, and after how many seconds both others had noticed."""
    with mpi.Job(PROGRAM + WAIT, ranks=3, env=env) as job:
        job.see("started", 3)
        start = time.monotonic()
        job.kill(1, number)
        job.see("(rank 1): ", 2)
        seconds = time.monotonic() - start
        job.wait()
    return job, seconds


@TRANSPORTS
def test_a_killed_process_is_noticed(env):
    mpi.require_survivors()
    job, seconds = watched(env, signal.SIGKILL)
    assert seconds < LATE_S
    reports = [line for line in job.lines("report") if "(rank 1)" in line]
    assert [line.split()[1] for line in reports] == ["0", "2"], job.text
    for line in reports:
        assert "/job:worker/task:0 on host" in line and " is gone" in line, line
    assert job.text.count("tfcore: /job:worker/task:0") == 1  # said once, not by every process


@TRANSPORTS
def test_a_frozen_process_is_noticed_and_not_left_behind(env):
    job, seconds = watched(env, signal.SIGSTOP)
    assert seconds < LATE_S
    reports = [line for line in job.lines("report") if "(rank 1)" in line]
    assert [line.split()[1] for line in reports] == ["0", "2"], job.text
    assert all("(rank 1): it has given no sign of life for 1." in line for line in reports), job.text


@TRANSPORTS
def test_a_process_that_was_frozen_learns_that_it_was_excluded(env):
    with mpi.Job(PROGRAM + "\n    while fabric.alive(1): time.sleep(0.01)\n    time.sleep(2)", ranks=3, env=env) as job:
        job.see("started", 3)
        job.kill(1, signal.SIGSTOP)
        job.see("(rank 1): it has given no sign of life", 2)
        job.kill(1, signal.SIGCONT)
        job.see("report 1 ", 2)
        text = job.text
    reports = [line for line in text.splitlines() if line.startswith("report 1 ")]
    why = "this task was excluded from the cluster: it has given no sign of life for 1."
    assert all(why in line for line in reports), text
    assert sorted(line.partition("(")[2][:6] for line in reports) == ["rank 0", "rank 2"], text


def test_a_short_pause_is_no_failure():
    with mpi.Job(PROGRAM + "\n    time.sleep(2.5)", ranks=3) as job:
        job.see("started", 3)
        job.kill(1, signal.SIGSTOP)
        time.sleep(0.5)
        job.kill(1, signal.SIGCONT)
        job.wait()
    assert job.code == 0 and "no sign of life" not in job.text, job.text


def test_a_machine_that_stands_still_is_no_failure():
    """All processes are stopped at once and continue one after the other, the watching one first."""
    with mpi.Job(PROGRAM + "\n    time.sleep(4)", ranks=2) as job:
        job.see("started", 2)
        pids = [job.pid_of(rank) for rank in range(2)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(2.5)
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        job.wait()
    assert job.code == 0 and "no sign of life" not in job.text, job.text


def test_freezes_are_not_looked_for_when_told_so():
    with mpi.Job(PROGRAM + "\n    time.sleep(3)", ranks=2, env={"TFCORE_FAILURE_TIMEOUT": "0"}) as job:
        job.see("started", 2)
        job.kill(1, signal.SIGSTOP)
        time.sleep(2.2)
        job.kill(1, signal.SIGCONT)
        job.wait()
    assert job.code == 0 and "no sign of life" not in job.text, job.text


def test_the_death_of_one_process_is_the_end_of_all_without_fault_tolerance():
    mpi.require_survivors()
    call = [part for part in mpi.command.mpirun(3) if part not in ("--with-ft", "ulfm")]
    with mpi.Job(PROGRAM + "\n    time.sleep(60)", call=call) as job:
        job.see("started", 3)
        job.kill(1)
        job.wait()
    assert job.code == 128 + signal.SIGKILL


@pytest.mark.parametrize(
    "end, text", [(lambda: os._exit(3), " (exit code 3)"), (lambda: os.kill(os.getpid(), 9), " (SIGKILL)")]
)
def test_how_a_process_ended(end, text):
    pid = os.fork()
    if pid == 0:
        end()
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # it has ended, and its status is still there
    assert heartbeat.how_it_ended(pid) == text
    os.waitpid(pid, 0)
    assert heartbeat.how_it_ended(pid) == ""


@pytest.fixture
def failures(monkeypatch):
    """The Failures of a task of two, whose other task is not alive."""
    found = {"pids": [0, 0], "alive": True, "failure": "it is gone", "excluded": False, "description": "task 1"}
    for name, value in found.items():
        monkeypatch.setattr(fabric, name, lambda *_, value=value: value)
    monkeypatch.setattr(fabric, "on_failure", lambda fn: None)
    failures = failure.Failures(types.SimpleNamespace(others=lambda: [1], rank=0, size=2, name="task 0"))
    monkeypatch.setattr(fabric, "alive", lambda rank: False)
    return failures


def test_failures_are_noted_where_nobody_reads_of_them(failures, monkeypatch):
    read, write = os.pipe()
    os.close(read)
    with open(write, "w") as broken:
        monkeypatch.setattr(sys, "stderr", broken)
        failures.catch_up()
        monkeypatch.undo()
        with pytest.raises(BrokenPipeError):
            broken.flush()
        os.dup2(2, write)  # so that it can be closed
    assert failures.failed == {1: "it is gone"}


def test_a_place_that_is_taken_again_meanwhile_has_not_failed(failures, monkeypatch):
    monkeypatch.setattr(fabric, "failure", lambda rank: None)
    failures.catch_up()
    assert not failures.failed and not failures.told()
