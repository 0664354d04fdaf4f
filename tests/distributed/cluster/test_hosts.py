"""One mpirun across several hosts."""

import os
import re
import signal
import time

import pytest

from tests.distributed import mpi
from tests.distributed.hosts import TCP_ONLY, Hosts, ip

TRAFFIC = ["-m", "tests.distributed.traffic", "8"]


@pytest.mark.parametrize("hosts, ranks, transport", [(2, 3, None), (4, 4, None), (2, 3, "tcp"), (4, 4, "tcp")])
def test_messages_between_hosts(hosts, ranks, transport):
    with Hosts(hosts) as network:
        job = mpi.run(TRAFFIC, call=network.mpirun(ranks), env={**TCP_ONLY, "TFCORE_TRANSPORT": transport})
    assert job.code == 0, job.text
    foreign = {2: [1, 1, 2], 4: [3, 3, 3, 3]}[hosts] if transport is None else [ranks - 1] * ranks
    assert job.lines("right") == [f"right {171 * (ranks - 1)} foreign {n}" for n in foreign]


def test_processes_know_their_hosts():
    with Hosts(2) as network:
        job = mpi.run(
            """
            import tfcore as tf
            from tfcore.distributed.fabric import fabric
            server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=1))
            print(f"rank {fabric.rank()} reaches {fabric.foreign()} over MPI; {fabric.description(1)}")
            server.join()
            """,
            call=network.mpirun(4),
            env=TCP_ONLY,
        )
    assert job.code == 0, job.text
    name = f"/job:worker/task:0 on host {network.names[1]} (rank 1)"
    others = [[1, 3], [0, 2], [1, 3], [0, 2]]
    assert job.lines("rank") == [f"rank {rank} reaches {others[rank]} over MPI; {name}" for rank in range(4)]


@pytest.mark.parametrize(
    "number, reason", [(signal.SIGKILL, "is gone"), (signal.SIGSTOP, "it has given no sign of life")]
)
def test_failures_on_another_host(number, reason):
    """Survivors on both hosts notice, and mpirun ends, though it would wait for the frozen process for ever."""
    with Hosts(2) as network:
        program = """
            import time
            import tfcore as tf
            from tfcore.distributed.fabric import fabric
            cluster = tf.train.ClusterSpec.from_mpi(ps=1)
            server = tf.train.Server(cluster)
            print("started", flush=True)
            while fabric.alive(1):
                time.sleep(0.01)
            print(f"rank {fabric.rank()}: {fabric.description(1)}", flush=True)
            server.join()
        """
        with mpi.Job(program, call=network.mpirun(4), env=TCP_ONLY) as job:
            job.see("started", 4)
            job.kill(1, number)
            job.wait()
    assert [line.partition(":")[0] for line in job.lines("rank")] == ["rank 0", "rank 2", "rank 3"], job.text
    assert all(network.names[1] in line and reason in line for line in job.lines("rank")), job.text


@pytest.mark.cpu  # an emulated GPU for each rank is too slow to learn in time
@pytest.mark.parametrize(
    "hosts, ranks, steps, options",
    [
        # Steps take less than a millisecond: a worker that waits for a core should not miss all steps of the others.
        (2, 3, 1000, ["--ps", "1"]),
        (4, 4, 1000, ["--ps", "1"]),
        (4, 4, 200, ["--sync", "allreduce"]),
        (2, 2, 200, ["--sync", "allreduce", "--model", "mlp"]),
        (4, 4, 200, ["--ps", "1", "--model", "conv"]),
    ],
)
def test_digits_are_learnt_across_hosts(hosts, ranks, steps, options):
    with Hosts(hosts) as network:
        program = ["-m", "tfcore.examples.mnist_replica", "--steps", str(steps), *options]
        job = mpi.run(program, call=network.mpirun(ranks), env=TCP_ONLY)
    assert job.code == 0, job.text
    found = re.search(r"test accuracy: ([0-9.]+)%", job.text)
    assert found and float(found.group(1)) > 80, job.text


def test_nothing_is_left_of_hosts():
    with Hosts(2) as network:
        names = network.names
        assert all(name in ip("netns", "list").stdout for name in names)
    assert not any(name in ip("netns", "list").stdout for name in names)
    assert names[0][:8] not in ip("link").stdout


def test_a_host_that_is_cut_off_is_noticed_on_both_sides():
    with Hosts(2) as network:
        with mpi.Job(
            """
            import time
            import tfcore as tf
            from tfcore.distributed.fabric import fabric
            tf.train.Server(tf.train.ClusterSpec.from_mpi())
            other = 1 - fabric.rank()
            print("started", flush=True)
            while fabric.alive(other):
                time.sleep(0.01)
            print(fabric.description(other), flush=True)
            """,
            call=network.mpirun(2),
            env=TCP_ONLY,
        ) as job:
            job.see("started", 2)
            network.cut(1)
            job.see("it has given no sign of life")  # the output of the other host is lost with it
    assert "(rank 1): it has given no sign of life" in job.text


CUT = """
    import os, sys, time
    import tfcore as tf
    from tfcore.distributed.fabric import fabric
    server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=1))
    print("started", flush=True)
    folder = sys.argv[1]

    def say(text):  # the output of a host that is cut off is lost
        with open(os.path.join(folder, str(fabric.rank())), "a") as file:
            file.write(f"{time.monotonic()} {text}\\n")

    while all(fabric.alive(rank) for rank in range(3)) and not os.path.exists(os.path.join(folder, "end")):
        time.sleep(0.005)
    gone = [rank for rank in range(3) if not fabric.alive(rank)]
    try:
        for rank in gone:
            fabric.call(rank, "nothing")
    except tf.errors.OpError as error:
        say(f"{gone} {type(error).__name__}: {error}")
    while not os.path.exists(os.path.join(folder, "end")):
        time.sleep(0.05)
    say(f"at the end {[rank for rank in range(3) if not fabric.alive(rank)]}")
    time.sleep(1)  # until the others have said so, too
    os._exit(0)
"""


def said(folder):
    """By rank: the lines of a task, as (time, text)."""
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            lines = [line.rstrip().split(" ", 1) for line in file]
        found[name] = [(float(when), text) for when, text in lines]
    return found


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def test_a_link_that_is_cut_leaves_one_side_working(tmp_path):
    """The smaller side ends itself before the larger one continues, and nothing changes when the link is back."""
    with Hosts(3) as network:
        with mpi.Job(CUT, call=network.mpirun(3), env=TCP_ONLY, args=[tmp_path]) as job:
            job.see("started", 3)
            time.sleep(0.5)
            network.cut(2)
            wait_for(lambda: said(tmp_path).keys() == {"0", "1", "2"}, 20)
            network.heal(2)
            time.sleep(2.0)
            (tmp_path / "end").write_text("")
            job.wait()
    (tmp_path / "end").unlink()
    lines = said(tmp_path)
    for rank in "01":
        assert lines[rank][0][1].startswith("[2] UnavailableError: /job:worker/task:1 on host"), lines
        assert "it has given no sign of life for 1." in lines[rank][0][1], lines
        assert lines[rank][1][1] == "at the end [2]", lines
        assert lines["2"][0][0] < lines[rank][0][0], lines
    assert "AbortedError" in lines["2"][0][1] and "smaller side of a network cut" in lines["2"][0][1], lines


def test_a_link_that_is_cut_for_a_moment_is_no_failure(tmp_path):
    with Hosts(3) as network:
        with mpi.Job(CUT, call=network.mpirun(3), env=TCP_ONLY, args=[tmp_path]) as job:
            job.see("started", 3)
            time.sleep(0.5)
            network.cut(2)
            time.sleep(0.5)
            network.heal(2)
            time.sleep(3.0)
            (tmp_path / "end").write_text("")
            job.wait()
    (tmp_path / "end").unlink()
    assert [[text for _, text in lines] for lines in said(tmp_path).values()] == [["at the end []"]] * 3
