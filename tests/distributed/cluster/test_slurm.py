"""Clusters under a real Slurm: batch jobs with tfcore.run, and srun alone; processes and nodes that die."""

import re
import time

import pytest

from tests.distributed import PATIENCE, mpi, slurm
from tests.distributed.hosts import TCP_ONLY
from tfcore.distributed.cluster import world
from tfcore.run.launcher import RESTART_HINT

RUN = ["-m", "tfcore.run", "--ps", "1", "--workers", "3"]
DIGITS = ["-m", "tfcore.examples.mnist_replica", "--steps", "300"]
SRUN = ["-N", "3", "-n", "4"]
PMIX = [*SRUN, "--mpi=pmix"]
END_S = 10 * PATIENCE  # from a death to the end of the job

START = """
import os, sys, time
import tfcore as tf
from tfcore.distributed.fabric import fabric
cluster = tf.train.ClusterSpec.from_mpi(ps=1)
server = tf.train.Server(cluster)
print("started", os.uname().nodename, flush=True)
"""
LIVE_ON = """
while fabric.alive(3): time.sleep(0.01)
print("lives on:", fabric.description(3), flush=True)
server.join()
"""


@pytest.fixture(scope="module")
def cluster():
    with slurm.Slurm(3) as started:
        yield started


@pytest.fixture
def short_lived():
    """For tests that kill nodes."""
    with slurm.Slurm(3) as started:
        yield started


def test_a_batch_job_learns_digits(cluster):
    job = mpi.run([*RUN, *DIGITS], call=cluster.sbatch("-N", "3"), env=TCP_ONLY)
    assert job.code == 0, job.text
    assert float(re.search(r"worker 0\| test accuracy: ([\d.]+)%", job.text)[1]) > 80, job.text
    assert len(re.findall(r"worker \d: \d+ steps of 100 images", job.text)) == 3, job.text


def test_srun_learns_digits(cluster):
    cluster.require_pmix()
    job = mpi.run([*DIGITS, "--ps", "1"], call=cluster.srun(*PMIX), env=TCP_ONLY)
    assert job.code == 0, job.text
    assert float(re.search(r"test accuracy: ([\d.]+)%", job.text)[1]) > 80, job.text
    assert len(re.findall(r"worker \d: \d+ steps of 100 images", job.text)) == 3, job.text


def test_output_and_exit_code_of_a_batch_job(cluster, script):
    path = script(START + "sys.exit(3 if fabric.rank() == 2 else 0)\n")
    job = mpi.run([*RUN, path], call=cluster.sbatch("-N", "3"), env=TCP_ONLY)
    assert job.code == 3, job.text
    names = cluster.hosts.names
    for role, host in [("ps 0", 0), ("worker 0", 0), ("worker 1", 1), ("worker 2", 2)]:
        assert f"{role}| started {names[host]}" in job.lines(role), job.text
    assert job.lines("tfcore.run") == ["tfcore.run: worker 1 ended with exit code 3"], job.text


def test_output_and_exit_code_of_srun(cluster, script):
    cluster.require_pmix()
    path = script(START + "sys.exit(3 if fabric.rank() == 2 else 0)\n")
    job = mpi.run([path], call=cluster.srun(*PMIX), env=TCP_ONLY)
    assert job.code == 3, job.text
    names = cluster.hosts.names
    assert job.lines("started") == sorted(f"started {names[i]}" for i in (0, 0, 1, 2)), job.text


def test_a_batch_job_lives_on_when_a_process_is_killed(cluster, script):
    with mpi.Job([*RUN, script(START + LIVE_ON)], call=cluster.sbatch("-N", "3"), env=TCP_ONLY) as job:
        job.see("started", 4)
        job.kill(3)
        job.wait()
    assert job.code == 128 + 9, job.text
    assert job.text.count("lives on: /job:worker/task:2 on host " + cluster.hosts.names[2]) == 3, job.text
    killed = "tfcore.run: worker 2 was ended by signal 9 (SIGKILL)"
    assert job.lines("tfcore.run") == [RESTART_HINT.strip(), killed], job.text


def test_srun_ends_the_job_when_a_process_is_killed(cluster, script):
    cluster.require_pmix()
    with mpi.Job([script(START + LIVE_ON)], call=cluster.srun(*PMIX), env=TCP_ONLY) as job:
        job.see("started", 4)
        killed = time.monotonic()
        job.kill(3)
        job.wait()
    assert job.code != 0 and time.monotonic() - killed < END_S, job.text
    assert f"{cluster.hosts.names[2]}: task 3: Killed" in job.text, job.text


def test_a_cancelled_job_leaves_nothing(cluster, script):
    with mpi.Job([*RUN, script(START + "time.sleep(80)")], call=cluster.sbatch("-N", "3"), env=TCP_ONLY) as job:
        job.see("started", 4)
        number = re.search(r"Submitted batch job (\d+)", job.text)[1]
        killed = time.monotonic()
        cluster.call("scancel", number)
        job.wait()
    assert job.code != 0 and time.monotonic() - killed < END_S, job.text


def test_a_killed_node_ends_a_batch_job(short_lived, script):
    """mpirun cannot continue without its daemon there."""
    program = [*RUN, script(START + LIVE_ON), "; code=$?; echo ended with $code; exit $code"]
    with mpi.Job(program, call=short_lived.sbatch("-N", "3"), env=TCP_ONLY) as job:
        job.see("started", 4)
        killed = time.monotonic()
        short_lived.kill(2)
        job.see("ended with 1")
        seconds = time.monotonic() - killed
        job.wait()
    assert job.code == 1 and seconds < END_S, job.text
    name = short_lived.hosts.names[2]
    lost = ["ps 0", "worker 0", "worker 1"]  # by mpirun, with their supervisors
    assert job.lines("tfcore.run") == [
        *(f"tfcore.run: {task} was lost with its supervisor" for task in lost),
        RESTART_HINT.strip(),
        f"tfcore.run: worker 2 was lost with host {name}",
    ], job.text


def test_a_killed_node_ends_the_job_of_srun(short_lived, script):
    short_lived.require_pmix()
    with mpi.Job([script(START + LIVE_ON)], call=short_lived.srun(*PMIX), env=TCP_ONLY) as job:
        job.see("started", 4)
        killed = time.monotonic()
        short_lived.kill(2)
        job.wait()
    assert job.code != 0 and time.monotonic() - killed < END_S, job.text


def test_srun_without_pmix_is_refused(cluster, script):
    """Otherwise each of the four processes would be a cluster of its own."""
    job = mpi.run([script(START.replace("ps=1", ""))], call=cluster.srun(*SRUN))
    assert job.code == 1, job.text
    text = "4 processes were started, but MPI knows only this one. Start them with srun --mpi=pmix"
    assert job.text.count("FailedPreconditionError: " + text) == 4, job.text


def test_processes_by_node_as_slurm_counts_them(monkeypatch):
    for name in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SLURM_STEP_TASKS_PER_NODE", "4(x2),1")
    monkeypatch.setenv("SLURM_NODEID", "2")
    assert world.neighbours() == 1
    monkeypatch.setenv("MPI_LOCALNRANKS", "3")  # mpirun in a job of Slurm
    assert world.neighbours() == 3
