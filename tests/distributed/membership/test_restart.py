"""tfcore.run --restart: processes that are killed come back, and take their place in the cluster again."""

import json
import os
import re
import signal
import threading
import time
import types

import pytest

from tests.distributed import PATIENCE, mpi
from tests.distributed.hosts import TCP_ONLY
from tfcore.distributed.membership import places as membership

TRAIN = """
import os, signal, sys, threading, time
import tfcore as tf
from tfcore.distributed.collectives import collective
from tfcore.distributed.fabric import fabric
from tfcore.distributed.membership import places as membership
from tfcore.distributed.task import task

cluster = tf.train.ClusterSpec.from_mpi()
life = int(os.environ.get("TFCORE_RESTARTED", 0))
pause = 0.0  # after each step
{before}
server = tf.train.Server(cluster)
me = (cluster.job_name, cluster.task_index)
print(f"up {{os.getpid()}} life {{life}} epoch {{task.current().epoch}}", flush=True)
stop = lambda: os.path.exists(sys.argv[1])
LOST = (tf.errors.UnavailableError, tf.errors.AbortedError)
"""

SERVER_AND_WORKERS = """
if me[0] == "ps":
    server.join()
n = cluster.num_tasks("worker")
with tf.device("/job:ps/task:0"):
    total = tf.Variable(0, name="total", dtype=tf.int64)
    large = tf.Variable(tf.zeros([64 << 10]), name="large")
delta = tf.placeholder(tf.int64, [])
with tf.device(f"/job:worker/task:{me[1]}"):
    there = tf.reduce_sum(large + 1.0)
add = tf.assign_add(total, delta)
done, lost = 0, 0
with tf.Session(server.target) as sess:
    while not stop():
        try:
            found = sess.run([add, there], {delta: 1})
            done += 1
            assert found[1] == 64 << 10, found
            time.sleep(pause)
            if done % 50 == 0:
                print("step", done, flush=True)
        except tf.errors.FailedPreconditionError:  # the variables are those of a new server
            if me[1] == min(range(n), key=lambda i: not fabric.alive(cluster.rank("worker", i))):
                sess.run(tf.global_variables_initializer())
                print("initialised", flush=True)
            else:
                time.sleep(0.02)
        except LOST as error:
            lost += 1
            if lost == 1:
                print("lost", type(error).__name__, flush=True)
            time.sleep(0.02)
print("done", flush=True)
"""


class Cluster:
    """A job under tfcore.run whose tasks run until `end`.

    network: the Hosts that it runs on; None: this one. slots: how many ranks on each of them, in this order. options:
    more of tfcore.run.
    """

    def __init__(
        self,
        tmp_path,
        source,
        ps,
        workers,
        before="",
        restart=5,
        env=None,
        limit=mpi.LIMIT_S,
        network=None,
        slots=(),
        options=(),
    ):
        self._stop = tmp_path / "stop"
        program = tmp_path / "program.py"
        program.write_text(TRAIN.format(before=before) + source)
        roles = ["--ps", str(ps), "--workers", str(workers), "--restart", str(restart), *options]
        inside = None
        if network:
            roles += ["--hosts", ",".join(f"{network.names[host]}:{n}" for host, n in slots)]
            inside = network.inside(0, [])
            limit_s = {"TFCORE_FAILURE_TIMEOUT": str(1.5 * PATIENCE)}
            env = {**TCP_ONLY, **network.launch_agent(), **limit_s, **(env or {})}
        call = ["-m", "tfcore.run", *roles, str(program), str(self._stop)]
        self.names = [f"ps {i}" for i in range(ps)] + [f"worker {i}" for i in range(workers)]
        self.job = mpi.Job(call, env=env, limit=limit, call=inside)

    def __enter__(self):
        return self

    def __exit__(self, kind, *error):
        self.job.stop()
        if kind:
            print(self.job.text)  # pytest shows it

    def count(self, name, text):
        return sum(f"{name}| " in line and text in line for line in self.job.text.splitlines())

    def see(self, name, text, count=1):
        """Waits until a task has printed `text` so many times."""
        while self.count(name, text) < count:
            if time.monotonic() > self.job.end:
                self.job.stop()
                pytest.fail(f"{name} has not printed {text!r} {count} times; the output:\n{self.job.text}")
            time.sleep(0.02)

    def goes_on(self, name, steps=100):
        """Waits until a worker has done more steps."""
        self.see(name, "step ", self.count(name, "step ") + steps // 50)

    def pid(self, name, life=0):
        self.see(name, f" life {life} ")
        return int(re.search(rf"{name}\| up (\d+) life {life} ", self.job.text)[1])

    def kill(self, name, life=0, number=signal.SIGKILL):
        os.kill(self.pid(name, life), number)

    def end(self, code=0, may_raise=False):
        """Lets all tasks end; checks that nothing is left, and how the job ended.

        may_raise: a program has ended with an exception.
        """
        self._stop.touch()
        job = self.job.wait()
        assert job.code == code, job.text
        assert may_raise or "Traceback" not in job.text, job.text
        assert "AssertionError" not in job.text, job.text
        return job


def test_a_worker_comes_back(tmp_path):
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2) as cluster:
        cluster.goes_on("worker 0")
        cluster.goes_on("worker 1")
        cluster.kill("worker 1")
        cluster.see("worker 1", "life 1 epoch 1")
        cluster.goes_on("worker 1")
        cluster.goes_on("worker 0")
        text = cluster.end().text
    assert "worker 1 was ended by signal 9 (SIGKILL); it is started again (1 of at most 5 times)" in text
    assert text.count("initialised") == 1 and "lost" not in text  # it needed nobody, and nobody needed it


def test_a_parameter_server_comes_back_without_its_variables(tmp_path):
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2) as cluster:
        cluster.goes_on("worker 1")
        cluster.kill("ps 0")
        cluster.see("ps 0", "life 1")
        for worker in ("worker 0", "worker 1"):
            cluster.see(worker, "lost UnavailableError")
            cluster.goes_on(worker)
        assert cluster.end().text.count("initialised") == 2


def test_a_server_that_was_frozen_comes_back_at_once(tmp_path):
    """The task that was excluded does not wait for others that it takes for failed."""
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2) as cluster:
        cluster.goes_on("worker 1")
        cluster.kill("ps 0", number=signal.SIGSTOP)
        cluster.job.see("(rank 0): it has given no sign of life")
        began = time.monotonic()
        cluster.kill("ps 0", number=signal.SIGCONT)
        cluster.see("ps 0", "life 1")
        assert time.monotonic() - began < membership.RETURN_S / 2
        for worker in ("worker 0", "worker 1"):
            cluster.goes_on(worker)
        cluster._stop.touch()
        assert cluster.job.wait().code == 0 and "AbortedError" in cluster.job.text, cluster.job.text


def test_the_chief_comes_back_and_finds_the_variables(tmp_path):
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2) as cluster:
        cluster.goes_on("worker 0")
        cluster.kill("worker 0")
        cluster.see("worker 0", "life 1")
        cluster.goes_on("worker 0")
        assert cluster.end().text.count("initialised") == 1


def test_two_come_back_at_once(tmp_path):
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 3) as cluster:
        cluster.goes_on("worker 1")
        pids = [cluster.pid(name) for name in ("ps 0", "worker 2")]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        cluster.see("ps 0", "life 1")
        cluster.see("worker 2", "life 1")
        for worker in ("worker 0", "worker 1", "worker 2"):
            cluster.goes_on(worker)
        cluster.end()


def test_a_server_waits_for_its_only_worker(tmp_path):
    """Server.join does not return while a worker that has failed may come back."""
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 1) as cluster:
        cluster.goes_on("worker 0")
        cluster.kill("worker 0")
        cluster.see("worker 0", "life 1")
        cluster.goes_on("worker 0")
        assert cluster.end().text.count("initialised") == 1


def test_a_place_is_taken_again_and_again(tmp_path):
    """Twenty times, each time by another process; what the others have mapped or allocated does not grow."""
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2, restart=25, limit=4 * mpi.LIMIT_S) as cluster:
        sizes = []
        for life in range(20):
            cluster.see("worker 1", f"life {life} ")
            cluster.goes_on("worker 1", 50)
            cluster.kill("worker 1", life)
            sizes.append((memory(cluster.pid("ps 0")), memory(cluster.pid("worker 0"))))
        cluster.see("worker 1", "life 20 epoch 20")
        cluster.goes_on("worker 1", 50)
        cluster.goes_on("worker 0")
        sizes.append((memory(cluster.pid("ps 0")), memory(cluster.pid("worker 0"))))
        cluster.end()
    for after, before in zip(sizes[-1], sizes[5]):
        assert after[0] < before[0] + (4 << 10), sizes  # KB
        assert after[1] <= before[1] + 2, sizes  # descriptors


def memory(pid):
    """(resident memory without files, in KB; number of descriptors)"""
    with open(f"/proc/{pid}/status") as file:
        found = dict(line.split(":", 1) for line in file)
    return sum(int(found[name].split()[0]) for name in ("RssAnon", "RssShmem")), len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.parametrize("transport", ["tcp", "mpi"])
def test_places_are_taken_again_without_shared_memory(tmp_path, transport):
    """Newcomers are reached over TCP, as by tasks of other hosts (test_restart_hosts.py)."""
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2, env={"TFCORE_TRANSPORT": transport}) as cluster:
        for victim, life in [("worker 1", 0), ("ps 0", 0), ("worker 1", 1)]:
            cluster.goes_on("worker 0")
            cluster.goes_on("worker 1")
            cluster.kill(victim, life)
            cluster.see(victim, f"life {life + 1} ")
        cluster.goes_on("worker 0")
        cluster.goes_on("worker 1")
        cluster.end()


def test_replacements_tell_that_the_former_processes_have_ended(tmp_path):
    """Over MPI nothing else does but silence, and if most are silent, the others take it for a network cut."""
    env = {"TFCORE_TRANSPORT": "mpi", "TFCORE_FAILURE_TIMEOUT": "1000"}
    victims = ["ps 0", "worker 1", "worker 2"]
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 3, env=env) as cluster:
        for worker in range(3):
            cluster.goes_on(f"worker {worker}")
        for victim in victims:
            cluster.kill(victim, 0)
        for victim in victims:
            cluster.see(victim, "life 1 ")
        for worker in range(3):
            cluster.goes_on(f"worker {worker}")
        cluster.end()


def test_only_a_child_of_a_supervisor_knows_it(monkeypatch):
    """If a shell is in between and is killed, the supervisor starts another one although the program may live on."""
    monkeypatch.setenv("TFCORE_RESTARTED", "2")
    monkeypatch.setenv("TFCORE_SUPERVISOR", f"{os.getppid()}/1f")
    assert membership.supervisor() == [f"{os.getppid()}/1f", 2]
    monkeypatch.setenv("TFCORE_SUPERVISOR", f"{os.getpid()}/1f")
    assert membership.supervisor() is None
    monkeypatch.delenv("TFCORE_SUPERVISOR")
    assert membership.supervisor() is None


@pytest.mark.parametrize(
    ("newcomer", "ends"),
    [
        (["7/1f", 3], True),
        (["7/1f", 2], False),  # this process, at another attempt
        (["7/1f", 1], False),  # one before it, whose knock is answered late
        (["7/2e", 3], False),  # that of another supervisor
        (None, False),
    ],
)
def test_which_newcomer_tells_of_the_end_of_the_former_process(newcomer, ends, monkeypatch):
    failed = []
    monkeypatch.setattr(membership.fabric, "fail", lambda *what: failed.append(what))
    former = {"supervisor": ["7/1f", 2], "address": json.dumps({"incarnation": 5}), "pid": 70}
    member = types.SimpleNamespace(_lock=threading.Lock(), entries=[None, former])
    for rank in (0, 1):
        membership.Membership._note_end(member, rank, {"supervisor": newcomer})
    assert failed == [(1, "process 70 is gone", 5)] * ends


# ---- When an admission fails

SOON = f"membership.RETURN_S = {10 * PATIENCE}\n"  # after which a place whose process has failed counts as lost

AT = """
def at(owner, name, when, then):
    original = getattr(owner, name)
    seen = []
    def replaced(*args, **kwargs):
        if when() and not seen:
            seen.append(1)
            print("now", flush=True)
            if then() == "first":
                return original(*args, **kwargs)
        return original(*args, **kwargs)
    setattr(owner, name, replaced)
def die():
    os.kill(os.getpid(), signal.SIGKILL)
def refuse():
    raise tf.errors.ResourceExhaustedError(None, None, "no room")
is_ = lambda job, index: (cluster.job_name, cluster.task_index) == (job, index)
"""
MOMENTS = {
    "the newcomer dies before it has mapped": (
        "at(task.Task, '_enter', lambda: is_('worker', 1) and life == 1, die)",
        "worker 1",
    ),
    "the newcomer dies when all have admitted it": (
        "at(membership.Membership, 'start', lambda: is_('worker', 1) and life == 1, die)",
        "worker 1",
    ),
    "the coordinator dies when all are prepared": (
        "at(membership.Membership, '_commit', lambda: is_('ps', 0) and life == 0, die)",
        "ps 0",
    ),
    "the coordinator dies when it has admitted": (
        "at(task.Task, 'admit', lambda: is_('ps', 0) and life == 0, die)",
        "ps 0",
    ),
    "another one dies while it admits": (
        "at(membership.Membership, '_commit', lambda: is_('worker', 2) and life == 0, die)",
        "worker 2",
    ),
    "another one dies while it prepares": (
        "at(membership.Membership, '_prepare', lambda: is_('worker', 2) and life == 0, die)",
        "worker 2",
    ),
    "another one refuses": (
        "at(membership.Membership, '_commit', lambda: is_('worker', 2) and life == 0, refuse)",
        None,
    ),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_admission_that_fails_is_tried_again(tmp_path, moment):
    what, victim = MOMENTS[moment]
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 3, before=AT + what) as cluster:
        for worker in ("worker 0", "worker 1", "worker 2"):
            cluster.goes_on(worker)
        cluster.kill("worker 1")
        cluster.see(victim or "worker 2", "now")
        cluster.see("worker 1", " life 2 " if victim == "worker 1" else " life 1 ")
        if victim and victim != "worker 1":
            cluster.see(victim, " life 1 ")
        for worker in ("worker 0", "worker 1", "worker 2"):
            cluster.goes_on(worker)
        cluster.end()


# ---- What all know of each other

MEMBERS = """
import json
said = None
while not stop():
    tasks = server.status(5)["tasks"]
    if all(t["state"] == "running" for t in tasks):
        lives = [[t["pid"], t["incarnation"], fabric.incarnation(t["rank"])] for t in tasks]
        now = json.dumps([task.current().epoch, fabric.hosts(), fabric.job_token(), lives])
        if now != said:
            print("members", now, flush=True)
        said = now
    time.sleep(0.05)
"""

LATE_RANK_0 = """
while os.environ.get("TFCORE_REJOIN", "").startswith("0/") and not os.path.exists(sys.argv[1] + "-return"):
    time.sleep(0.05)
"""


def members(cluster, name, epoch):
    """What a task says when all run in an epoch."""
    cluster.see(name, f"members [{epoch}, ")
    text = [line for line in cluster.job.text.splitlines() if f"{name}| " in line and f"members [{epoch}, " in line]
    return json.loads(text[-1].partition("members ")[2])[1:]


def test_all_agree_about_members_whoever_came_back_first(tmp_path):
    """Rank 2 joins while the place of rank 0 is empty: hosts are numbered by their lowest rank, and the token is that
    of the first process of rank 0."""
    with Cluster(tmp_path, MEMBERS, 0, 4, before=LATE_RANK_0) as cluster:
        hosts, token, before = members(cluster, "worker 1", 0)
        for name in ("worker 0", "worker 2"):
            cluster.kill(name)
        cluster.see("worker 2", "life 1 epoch 1")
        (tmp_path / "stop-return").touch()
        cluster.see("worker 0", "life 1 epoch 2")
        found = [members(cluster, name, 2) for name in cluster.names]
        pids = [cluster.pid(name, life) for name, life in zip(cluster.names, (1, 0, 1, 0))]
        cluster.end()
    assert hosts == [0, 0, 0, 0] and found == [found[0]] * 4
    assert found[0][:2] == [hosts, token]
    after = found[0][2]
    assert [pid for pid, _, _ in after] == pids and all(told == known for _, told, known in after)
    assert [a == b for a, b in zip(before, after)] == [False, True, False, True]


# ---- Collectives


def test_collectives_go_on_with_the_new_member(tmp_path):
    source = """
import numpy as np
x = tf.placeholder(tf.float32, [3000])
total = tf.distributed.allreduce(x)
done, lost = 0, set()
with tf.Session(server.target) as sess:
    rounds = 0
    while not stop() or rounds == 0:
        try:
            found = sess.run(total, {x: np.full(3000, 1 + cluster.task_index, np.float32)})
            assert (found == 6).all(), found
            done += 1
            if done % 50 == 0:
                print("step", done, flush=True)
        except LOST as error:
            if stop():
                break
            if type(error) not in lost:
                print("lost", type(error).__name__, str(error)[:300].replace(chr(10), " "), flush=True)
            lost.add(type(error))
            time.sleep(0.01)
        rounds += 1
print("done", flush=True)
"""
    with Cluster(tmp_path, source, 0, 3) as cluster:
        for life in range(3):
            for worker in cluster.names:
                cluster.goes_on(worker)
            cluster.kill("worker 1", life)
            cluster.see("worker 1", f" life {life + 1} epoch {life + 1}")
        for worker in cluster.names:
            cluster.goes_on(worker)
        cluster.end()


# ---- What does not come back


def test_restarts_have_a_limit(tmp_path):
    before = "if is_('worker', 1) and life:\n    sys.exit(5)\n"
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2, before=AT + SOON + before, restart=2) as cluster:
        cluster.goes_on("worker 0")
        cluster.kill("worker 1")
        cluster.job.see("worker 1 ended with exit code 5; it is started again (2 of at most 2 times)")
        cluster.job.see("tfcore.run: worker 1 ended with exit code 5\n")
        cluster.goes_on("worker 0")
        job = cluster.end(code=5)
    assert job.text.count("worker 1 was ended by signal 9 (SIGKILL); it is started again (1 of at most 2 times)") == 1


def test_one_who_finds_nobody_ends(tmp_path):
    before = "membership.ALONE_S = 1.0\n"
    source = """
if me[1] == 0:
    time.sleep(1)
else:
    os.kill(os.getpid(), signal.SIGKILL)
"""
    with Cluster(tmp_path, source, 0, 2, before=before + "if life: time.sleep(3)", restart=1) as cluster:
        job = cluster.job.wait()
    assert job.code == 1 and "UnavailableError: Rank 1 can't join: no task of the cluster is left." in job.text


def test_one_with_another_cluster_is_refused(tmp_path):
    before = SOON + "if life: cluster = tf.train.ClusterSpec({'worker': ['a:1', 'b:2', 'c:3']})\n"
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2, before=before, restart=1) as cluster:
        cluster.goes_on("worker 0")
        cluster.kill("worker 1")
        cluster.job.see("can't join the cluster: its program describes another cluster")
        cluster.goes_on("worker 0")
        cluster._stop.touch()
        assert cluster.job.wait().code == 1


def test_ctrl_c_ends_a_job_whose_processes_could_be_started_again(tmp_path):
    with Cluster(tmp_path, SERVER_AND_WORKERS, 1, 2) as cluster:
        cluster.goes_on("worker 0")
        os.kill(cluster.job.pid, signal.SIGINT)
        job = cluster.job.wait()
    assert job.code == 130 and "started again" not in job.text, job.text


def test_without_restart_nothing_listens(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(
        TRAIN.format(before="")
        + "print('door', task.current()._door, [n for n in os.environ if n in ('TFCORE_TOKEN', 'TFCORE_MEMBERS')])\n"
    )
    job = mpi.run(["-m", "tfcore.run", "--workers", "2", str(path), str(tmp_path)])
    assert job.code == 0 and job.text.count("door None []") == 2


def test_the_file_with_the_doors_is_for_the_user_only(tmp_path):
    source = """
path = os.environ["TFCORE_MEMBERS"]
folder = os.path.dirname(path)
print("modes", *[oct(os.stat(p).st_mode & 0o777) for p in (path, folder)], folder, flush=True)
"""
    with Cluster(tmp_path, source, 0, 2) as cluster:
        job = cluster.end()
    found = re.findall(r"modes (\S+) (\S+) (\S+)", job.text)
    assert [modes[:2] for modes in found] == [("0o600", "0o700")] * 2
    assert not any(os.path.exists(folder) for _, _, folder in found)
