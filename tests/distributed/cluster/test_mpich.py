"""Clusters over MPICH: messages, training, nonsense, the launcher, deaths."""

import re
import signal

import pytest

from tests.distributed import mpi
from tests.distributed.transport.test_transport_mpi import FLOOD, NONSENSE, OVER_MPI, TRAFFIC

# MPICH's mpirun mixes what processes write at the same time: they must write whole lines.
LINES = {"PYTHONUNBUFFERED": None}
ENVIRONMENTS = pytest.mark.parametrize("env", [LINES, {**LINES, **OVER_MPI}], ids=["shared memory", "mpi"])
DIGITS = ["-m", "tfcore.examples.mnist_replica", "--steps", "300"]


@pytest.fixture(scope="module")
def python():
    return mpi.mpich()


def test_it_is_mpich(python):
    job = mpi.run("from mpi4py import MPI; print(MPI.Get_library_version())", ranks=2, python=python)
    assert job.code == 0 and job.text.count("MPICH Version:") == 2, job.text


@ENVIRONMENTS
def test_all_types_and_sizes_arrive_in_order(python, env):
    job = mpi.run(TRAFFIC, ranks=3, env={**env, "TFCORE_TRANSPORT_CHUNK": "100000"}, python=python)
    assert job.code == 0, job.text
    assert job.lines("right") == 3 * [f"right 342 foreign {2 if env.items() >= OVER_MPI.items() else 0}"]


def test_thousands_of_queued_messages_and_calls_with_large_payloads(python):
    job = mpi.run(FLOOD, ranks=3, env={**LINES, **OVER_MPI, "TFCORE_TRANSPORT_CHUNK": "4000"}, python=python)
    assert job.code == 0, job.text
    assert job.lines("right") == 3 * ["right 6000"]


@pytest.mark.parametrize("case", ["noise", "a wrong size", "large strings too long"])
def test_nonsense_is_a_failure_of_its_sender(python, case):
    with mpi.Job(NONSENSE, ranks=3, args=[case], env={**LINES, **OVER_MPI}, python=python) as job:
        job.see("failed:")
    assert "(rank 0): it sent a malformed message" in job.lines("failed:")[0], job.text


@ENVIRONMENTS
@pytest.mark.parametrize("how", [["--ps", "1"], ["--sync", "allreduce"]], ids=["parameter server", "allreduce"])
def test_digits_are_learnt(python, env, how):
    job = mpi.run([*DIGITS, *how], ranks=3, env=env, python=python)
    assert job.code == 0, job.text
    assert float(re.search(r"test accuracy: ([\d.]+)%", job.text)[1]) > 80, job.text


DIE = """
import os, sys, time
import tfcore as tf
from tfcore.distributed.fabric import fabric
cluster = tf.train.ClusterSpec.from_mpi()
server = tf.train.Server(cluster)
print("started", flush=True)
if (cluster.job_name, cluster.task_index) == ("worker", 1):
    os.kill(os.getpid(), int(sys.argv[1]))
while fabric.alive(2): time.sleep(0.01)
print("lives on:", fabric.description(2), flush=True)
server.join()
"""


@ENVIRONMENTS
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_the_others_outlive_a_process_of_tfcore_run(python, env, number, tmp_path):
    path = tmp_path / "die.py"
    path.write_text(DIE)
    program = ["-m", "tfcore.run", "--ps", "1", "--workers", "3", str(path)]
    job = mpi.run(program, args=[int(number)], env=env, python=python)
    assert job.code != 0 and job.text.count("lives on: /job:worker/task:1 on host") == 3, job.text


def test_without_tfcore_run_a_death_ends_the_job(python):
    job = mpi.run(DIE, args=[int(signal.SIGKILL)], call=[mpi.command.find_mpirun(python), "-n", "3"], python=python)
    assert job.code != 0 and "BAD TERMINATION" in job.text, job.text
