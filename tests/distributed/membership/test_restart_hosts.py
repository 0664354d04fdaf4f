"""tfcore.run --restart over several hosts: places are taken again by processes that others reach over TCP."""

import os
import signal
import time

import pytest

from tests.distributed import PATIENCE
from tests.distributed.hosts import Hosts
from tests.distributed.membership.test_restart import AT, MOMENTS, SERVER_AND_WORKERS, SOON, Cluster
from tfcore.testing.drawing import EFFORT

BOTH = [(0, 2), (1, 2)]  # two ranks on each of two hosts


def launch(tmp_path, network, slots=BOTH, before=""):
    """One server and a worker on each of the other ranks. They don't train as fast as they can: on a busy machine the
    simulated network delays heartbeats that queue behind tensors.
    """
    workers = sum(count for _, count in slots) - 1
    before = "pause = 0.005\n" + before
    return Cluster(tmp_path, SERVER_AND_WORKERS, 1, workers, before, network=network, slots=slots)


@pytest.mark.parametrize("victim", ["worker 0", "worker 2"], ids=["with the server", "on the other host"])
def test_a_worker_comes_back(tmp_path, victim):
    with Hosts(2) as network, launch(tmp_path, network) as cluster:
        workers = cluster.names[1:]
        for worker in workers:
            cluster.goes_on(worker)
        cluster.kill(victim)
        cluster.see(victim, "life 1 epoch 1")
        for worker in workers:
            cluster.goes_on(worker)
        assert cluster.end().text.count("initialised") == 1


def test_a_parameter_server_on_another_host_comes_back(tmp_path):
    with Hosts(2) as network:
        with launch(tmp_path, network, [(1, 1), (0, 2)]) as cluster:
            for life in range(2):
                for worker in cluster.names[1:]:
                    cluster.goes_on(worker)
                cluster.kill("ps 0", life)
                cluster.see("ps 0", f"life {life + 1} epoch {life + 1}")
            for worker in cluster.names[1:]:
                cluster.see(worker, "lost UnavailableError")
                cluster.goes_on(worker)
            assert cluster.end().text.count("initialised") == 3


SUMS = """
import numpy as np
n = cluster.num_tasks("worker")
small, large = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.float32, [300000])
totals = tf.distributed.allreduce(small), tf.distributed.allreduce(large)
done = 0
mine = 1 + cluster.task_index
with tf.Session(server.target) as sess:
    while not stop() or not done:
        try:
            feeds = {small: np.full(3, mine, np.float32), large: np.full(300000, mine, np.float32)}
            for found in sess.run(totals, feeds):
                assert (found == n * (n + 1) / 2).all(), found
            done += 1
            time.sleep(0.005)
            if done % 50 == 0:
                print("step", done, flush=True)
        except LOST:
            if stop():
                break
            time.sleep(0.01)
print("done", flush=True)
"""


def test_collectives_go_on_across_hosts(tmp_path):
    with Hosts(2) as network, Cluster(tmp_path, SUMS, 0, 4, network=network, slots=BOTH) as cluster:
        for victim, life in [("worker 3", 0), ("worker 0", 0), ("worker 3", 1)]:
            for worker in cluster.names:
                cluster.goes_on(worker, 50)
            cluster.kill(victim, life)
            cluster.see(victim, f"life {life + 1} ")
        for worker in cluster.names:
            cluster.goes_on(worker, 50)
        cluster.end()


def test_two_on_one_host_come_back_at_once(tmp_path):
    """They share memory with each other, and reach the rest over TCP."""
    with Hosts(2) as network, launch(tmp_path, network) as cluster:
        cluster.goes_on("worker 0")
        pids = [cluster.pid(name) for name in ("worker 1", "worker 2")]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for worker in ("worker 1", "worker 2"):
            cluster.see(worker, "life 1 ")
        for worker in cluster.names[1:]:
            cluster.goes_on(worker)
        cluster.end()


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_admission_across_hosts_that_fails_is_tried_again(tmp_path, moment):
    """As in test_restart.py, but the newcomer runs on another host than the coordinator, and dies with others there."""
    what, victim = MOMENTS[moment]
    with Hosts(2) as network:
        with launch(tmp_path, network, before=AT + what) as cluster:
            for worker in cluster.names[1:]:
                cluster.goes_on(worker)
            cluster.kill("worker 1")
            cluster.see(victim or "worker 2", "now")
            cluster.see("worker 1", " life 2 " if victim == "worker 1" else " life 1 ")
            if victim and victim != "worker 1":
                cluster.see(victim, " life 1 ")
            for worker in cluster.names[1:]:
                cluster.goes_on(worker)
            cluster.end()


# ---- Hosts that are lost, and links that are cut


def parent(pid):
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def test_places_of_a_host_that_is_lost_stay_empty(tmp_path):
    """All tasks of a host die with their supervisors; a task of another host comes back meanwhile."""
    with Hosts(2) as network, launch(tmp_path, network, before=SOON) as cluster:
        for worker in cluster.names[1:]:
            cluster.goes_on(worker)
        pids = [cluster.pid(name) for name in ("worker 1", "worker 2")]
        for pid in [parent(pid) for pid in pids] + pids:
            os.kill(pid, signal.SIGKILL)
        cluster.kill("ps 0")
        cluster.see("ps 0", "life 1 ")
        cluster.goes_on("worker 0")
        text = cluster.end(code=1).text
    for worker in ("worker 1", "worker 2"):
        assert f"tfcore.run: {worker} was lost with its supervisor\n" in text
        assert cluster.count(worker, "life 1") == 0


CUTS = {
    "of a worker": ([(0, 2), (1, 1), (2, 1)], 2, "worker 2"),
    "of the server, the coordinator and mpirun": ([(0, 1), (1, 2), (2, 1)], 0, "ps 0"),
}


@pytest.mark.parametrize("cut", list(CUTS)[0 if EFFORT > 1 else 1 :])  # each takes 20 s
def test_the_smaller_side_of_a_cut_joins_again(tmp_path, cut):
    """Its task ends, though its program runs failed steps again; it comes back once the link has healed."""
    slots, host, victim = CUTS[cut]
    with Hosts(3) as network:
        with launch(tmp_path, network, slots) as cluster:
            for worker in cluster.names[1:]:
                cluster.goes_on(worker)
            network.cut(host)
            time.sleep(10 * PATIENCE)  # the excluded task ends, and its replacement finds nobody
            network.heal(host)
            cluster.see(victim, "life 1 epoch 1")
            for worker in cluster.names[1:]:
                cluster.goes_on(worker)
            text = cluster.end(may_raise=True).text  # server.join() does, when it is excluded
    excluded = f"{victim}| tfcore: /job:{victim.split()[0]}/replica:0/task:{victim.split()[1]}"
    assert excluded in text and "is on the smaller side of a network cut" in text
    assert f"tfcore.run: {victim} ended with exit code 1; it is started again (1 of at most 5 times)" in text
    assert text.count("initialised") == (2 if victim == "ps 0" else 1)
    assert "life 2" not in text


def test_a_link_that_stays_cut_is_not_waited_for_long(tmp_path):
    """The replacement gives up, and is not started again."""
    with Hosts(3) as network:
        with launch(tmp_path, network, [(0, 2), (1, 1), (2, 1)], "membership.RETURN_S = 5.0\n") as cluster:
            for worker in cluster.names[1:]:
                cluster.goes_on(worker)
            pid = parent(cluster.pid("worker 2"))
            network.cut(2)
            end = time.monotonic() + 60 * PATIENCE
            while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:
                time.sleep(0.1)
            network.heal(2)
            cluster.job.see("tfcore.run: worker 2 ended with exit code 1\n")
            text = cluster.end(code=1, may_raise=True).text
    assert "Rank 3 can't join: no task of the cluster has answered for 5 s, and no host of rank 0, 1, 2." in text
    assert text.count("it is started again") == 1


def test_when_all_have_died_the_job_ends(tmp_path):
    """There is nothing left that a replacement could join."""
    before = "membership.ALONE_S = 2.0\n"
    with Hosts(2) as network:
        with Cluster(tmp_path, SUMS, 0, 4, before, network=network, slots=BOTH) as cluster:
            for worker in cluster.names:
                cluster.goes_on(worker, 50)
            for pid in [cluster.pid(name) for name in cluster.names]:
                os.kill(pid, signal.SIGKILL)
            job = cluster.job.wait()
    assert job.code == 1
    for rank in range(4):
        assert f"UnavailableError: Rank {rank} can't join: no task of the cluster is left." in job.text
