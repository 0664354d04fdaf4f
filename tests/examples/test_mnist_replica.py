"""The replicated MNIST example: how work is shared, and what one process makes of the joint batch."""

import contextlib
import os
import signal
import time

import numpy as np
import pytest

from tests.distributed import mpi
from tfcore.examples import mnist_replica
from tfcore.examples.tutorials.mnist import input_data

pytestmark = pytest.mark.alone


def data(seed=3):
    return input_data.read_data_sets(None, one_hot=True, seed=seed).train


def losses(tmp_path, *arguments):
    path = tmp_path / "losses"
    accuracy = mnist_replica.main(["--log-losses", str(path), *arguments])
    return accuracy, np.loadtxt(path)


def test_shares_make_up_the_joint_batch():
    replicas = [mnist_replica.Replica(i, 3) for i in range(3)]
    sets, joint, whole = [data() for _ in replicas], mnist_replica.InOne(3), data()
    for _ in range(500):  # beyond a pass over the data
        parts = [replica.next_batch(own, 7) for replica, own in zip(replicas, sets)]
        images, labels = joint.next_batch(whole, 7)
        assert np.array_equal(np.concatenate([p[0] for p in parts]), images)
        assert np.array_equal(np.concatenate([p[1] for p in parts]), labels)
    assert whole.epochs_completed > 0


def test_only_the_joint_batch_counts(tmp_path, capsys):
    accuracy, two = losses(tmp_path, "--replicas-in-one", "2", "--batch-size", "50", "--steps", "60")
    again, one = losses(tmp_path, "--replicas-in-one", "1", "--batch-size", "100", "--steps", "60")
    assert len(one) == 60 and one[-1] < one[0] / 2
    assert np.array_equal(one, two) and accuracy == again > 0.6
    assert f"test accuracy: {accuracy:.2%}" in capsys.readouterr().out


@pytest.mark.parametrize("model", ["mlp", "conv"])
def test_models(tmp_path, model):
    _, found = losses(
        tmp_path, "--model", model, "--replicas-in-one", "2", "--batch-size", "16", "--steps", "25", "--keep-prob", "1"
    )
    assert found[-5:].mean() < found[:5].mean()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--replicas-in-one", "0"], "argument --replicas-in-one: must be at least 1"),
        (["--sync", "sometimes"], "invalid choice: 'sometimes'"),
        (["--backup", "1"], "argument --backup: must not be negative, and needs --sync replicas"),
        (["--replicas-in-one", "1", "--data", "no/such/place"], "There is no train-images"),
    ],
)
def test_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        mnist_replica.main(arguments)
    assert message in f"{caught.value}{capsys.readouterr().err}"


# ---- Real clusters


def train_in_cluster(*arguments, ranks=3):
    """The finished job and the accuracy that its chief reports."""
    job = mpi.run(["-m", "tfcore.examples.mnist_replica", *arguments], ranks)
    assert job.code == 0, job.text
    (line,) = job.lines("test accuracy: ")
    return job, float(line.split()[-1].rstrip("%")) / 100


@pytest.mark.parametrize("servers", [1, 2])
def test_asynchronous_training(servers):
    job, accuracy = train_in_cluster("--ps", str(servers), "--steps", "1500", ranks=servers + 2)
    assert accuracy > 0.85
    made = [int(line.split()[2]) for line in job.lines("worker ")]
    assert len(made) == 2 and min(made) > 0
    assert 1500 <= sum(made) <= 1504  # a worker may be in a step when the last one is counted, and makes one to see it


@pytest.mark.parametrize(("model", "servers", "steps"), [("softmax", 1, 60), ("mlp", 0, 20), ("conv", 0, 10)])
def test_synchronous_training_is_that_of_one_process(tmp_path, model, servers, steps):
    arguments = ["--model", model, "--steps", str(steps), "--batch-size", "16", "--keep-prob", "1"]
    accuracy, expected = losses(tmp_path, "--replicas-in-one", "2", *arguments)
    log = tmp_path / "of_cluster"
    cluster = ["--ps", str(servers), "--sync", "allreduce", "--log-losses", str(log)]
    job, found = train_in_cluster(*cluster, *arguments, ranks=servers + 2)
    np.testing.assert_allclose(np.loadtxt(log), expected, rtol=0, atol=1e-5)
    assert found == pytest.approx(accuracy, abs=0.005)
    assert [line.split()[2] for line in job.lines("worker ")] == [str(steps)] * 2


def test_synchronous_training_with_a_stopped_backup_worker():
    """The worker is stopped for half of the time; a stopped process counts as slow, and not as dead."""
    arguments = ["--sync", "replicas", "--backup", "1", "--steps", "1000", "--batch-size", "50"]
    program = ["-m", "tfcore.examples.mnist_replica", *arguments]
    with mpi.Job(program, 4, env={"TFCORE_FAILURE_TIMEOUT": str(10 * mpi.LIMIT_S)}) as job:
        job.see("training images")
        pid = job.pid_of(3)
        while "test accuracy" not in job.text and time.monotonic() < job.end:
            for number in (signal.SIGSTOP, signal.SIGCONT):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
                time.sleep(0.1)
        job.wait()
    assert job.code == 0, job.text
    (line,) = job.lines("test accuracy: ")
    assert float(line.split()[-1].rstrip("%")) > 85
    made = {line.split(":")[0]: int(line.split()[2]) for line in job.lines("worker ")}
    assert made.keys() == {"worker 0", "worker 1", "worker 2"}
    assert sum(made.values()) >= 2 * 1000  # gradients of two workers for each step, and those that were dropped


def test_too_many_backup_workers():
    job = mpi.run(["-m", "tfcore.examples.mnist_replica", "--sync", "replicas", "--backup", "1"], 2)
    assert job.code != 0 and "--backup 1 leaves none of 1 workers" in job.text


def test_workers_need_something_to_share():
    job = mpi.run(["-m", "tfcore.examples.mnist_replica"], 2)
    assert job.code != 0 and "workers need a parameter server (--ps 1) or --sync allreduce" in job.text
