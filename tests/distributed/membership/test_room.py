"""Clusters with room: places that have no process at the start are taken while the cluster runs."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import tfcore as tf
from tests.distributed import PATIENCE, mpi
from tests.distributed.hosts import TCP_ONLY, Hosts
from tests.distributed.membership.test_meeting import Processes, free_ports, spec
from tfcore.distributed.cluster import joining, world
from tfcore.distributed.cluster.door import Door, SilentError, knock
from tfcore.distributed.membership import meeting
from tfcore.distributed.membership import places as membership
from tfcore.distributed.task import task
from tfcore.run import __main__ as launch
from tfcore.run import workers
from tfcore.tools import cluster as cluster_tool

# Each worker trains a variable of its own, equal in all, towards the mean of 1 + index over the workers that are there,
# and counts the steps on the server.
PROGRAM = """
import os, signal, sys, time
import tfcore as tf
from tfcore.distributed.collectives import collective
from tfcore.distributed.fabric import fabric
from tfcore.distributed.task import task

cluster = tf.train.ClusterSpec.from_mpi()
me = (cluster.job_name, cluster.task_index)
{before}
server = tf.train.Server(cluster)
print("up", me, os.getpid(), "of", cluster.num_tasks("worker"), "hosts", fabric.hosts(), flush=True)
if me[0] == "ps":
    server.join()
with tf.device("/job:ps/task:0"):
    steps = tf.Variable(0, name="steps", dtype=tf.int64)
with tf.device(f"/job:worker/task:{{me[1]}}"):
    weight = tf.Variable(100.0 * me[1], name="weight")
    loss = tf.square(weight - (1.0 + me[1]))
    agree = tf.distributed.broadcast_variables([weight])
    train = tf.train.AllreduceOptimizer(tf.train.GradientDescentOptimizer(0.5)).minimize(loss)
with tf.control_dependencies([train]), tf.device("/job:ps/task:0"):
    count = tf.assign_add(steps, 1)
with tf.device(f"/job:worker/task:{{cluster.num_tasks('worker') - 1}}"):
    far = tf.constant(1) + tf.cast(steps, tf.int32)
expected = {{tuple(range(1, 1 + n)): (1 + n) / 2 for n in range(2, 5)}}
with tf.Session(server.target) as sess:
    if me[1] == 0:
        sess.run(steps.initializer)
        try:
            sess.run(far)
        except tf.errors.UnavailableError as error:
            print("far", error.message.partition(chr(10))[0], flush=True)
        print("states", *[t["state"] for t in server.status(5)["tasks"]], flush=True)
    sess.run(weight.initializer)
    said, differ = None, False
    while not os.path.exists(sys.argv[1]):
        try:
            if differ:
                sess.run(agree)
            differ = False
            sess.run(count)
            members = collective.members()
            value = float(sess.run(weight))
            if members != said and members == collective.members() and value == expected[tuple(members)]:
                print("trains with", members, "at", value, flush=True)
                said = members
        except tf.errors.OpError as error:
            expected_errors = tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.FailedPreconditionError
            differ = "have to be the same on all ranks" in error.message  # then all get this error, and run `agree`
            assert differ or isinstance(error, expected_errors), error
            said = None
            time.sleep(0.02)
        time.sleep(0.005)
print("done", flush=True)
"""


class Room:
    """A cluster under tfcore.run, and the processes that join it.

    network: Hosts; the launched processes are on the first one.
    """

    def __init__(self, tmp_path, room="2..4", before="", network=None, restart=0):
        self._stop = tmp_path / "stop"
        self._program = tmp_path / "program.py"
        self._program.write_text(PROGRAM.format(before=before))
        self._network = network
        self._folder = tmp_path
        env = {**TCP_ONLY, "TFCORE_FAILURE_TIMEOUT": str(1.5 * PATIENCE)}
        call = network.inside(0, []) if network else None
        options = ["--ps", "1", "--workers", room, "--restart", str(restart)]
        arguments = ["-m", "tfcore.run", *options, str(self._program), str(self._stop)]
        self.job = mpi.Job(arguments, env=env, call=call)
        self._joined = []  # (process, file with its output)

    def invitation(self):
        """The path of the file for those that join."""
        return re.search(r"--join (\S+) PROGRAM", self.job.see(" PROGRAM\n"))[1]

    def join(self, host=0, path=None, **env):
        """Starts one more process on a host; returns its number."""
        path = path or self.invitation()
        output = self._folder / f"joined{len(self._joined)}"
        call = [sys.executable, "-m", "tfcore.run", "--join", path, str(self._program), str(self._stop)]
        if self._network:  # others than those launched need process numbers of their own: else they would share memory
            apart = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] if host else []
            call = self._network.inside(host, [*apart, *call])
        environment = {**os.environ, mpi.MARK: self.job.mark, "PYTHONPATH": mpi.root(), **env}
        with open(output, "w") as file:
            process = subprocess.Popen(call, env=environment, stdout=file, stderr=file, stdin=subprocess.DEVNULL)
        self._joined.append((process, output))
        return len(self._joined) - 1

    def text(self, number):
        return self._joined[number][1].read_text()

    def see(self, number, text, count=1):
        """Waits until a process that joined has printed this; returns all that it has printed."""
        while self.text(number).count(text) < count:
            if time.monotonic() > self.job.end:
                pytest.fail(f"{text!r} was not printed:\n{self.text(number)}\nThe cluster:\n{self.job.text}")
            time.sleep(0.02)
        return self.text(number)

    def all_train(self, number, *joined):
        """Waits until the launched workers and those that joined train in a group of so many."""
        text = f"trains with {list(range(1, 1 + number))} at {(1 + number) / 2}"
        for worker in ("worker 0", "worker 1"):
            self.job.see(f"{worker}| {text}")
        for one in joined:
            self.see(one, text)

    @staticmethod
    def kill(text):
        """Kills the process that has printed this."""
        os.kill(int(re.search(r"up \('worker', \d\) (\d+)", text)[1]), signal.SIGKILL)

    def wait(self, number):
        return self._joined[number][0].wait(max(0.0, self.job.end - time.monotonic()))

    def end(self, *joined):
        self._stop.touch()
        assert [self.wait(one) for one in joined] == [0] * len(joined), [self.text(one) for one in joined]
        self.job.wait()
        assert self.job.code == 0 and "Traceback" not in self.job.text, self.job.text

    def __enter__(self):
        return self

    def __exit__(self, kind, *error):
        self.job.stop()
        for process, _ in self._joined:
            process.wait()
        if kind:
            print(self.job.text, *[self.text(number) for number in range(len(self._joined))], sep="\n")


def forged(room, folder):
    """The path of a file for those that join, with another secret."""
    assert os.stat(os.path.dirname(room.invitation())).st_mode & 0o77 == 0
    with open(room.invitation()) as file:
        told = json.load(file)
    told["environment"]["TFCORE_TOKEN"] = "another"
    (folder / "forged").write_text(json.dumps(told))
    return str(folder / "forged")


def test_workers_join_and_are_replaced(tmp_path):
    with Room(tmp_path) as room:
        room.all_train(2)
        assert "far /job:worker/task:3 (rank 4): it has not started. It can't be reached." in room.job.text
        assert "states running running running not started not started" in room.job.text
        third = room.join()
        assert "up ('worker', 2) " in room.see(third, "up ") and "hosts [0, 0, 0, 0, 4]" in room.text(third)
        room.all_train(3, third)
        room.kill(room.text(third))
        room.wait(third)
        room.job.see("/job:worker/task:2 on host")  # the others know
        replacement = room.join()
        assert "up ('worker', 2) " in room.see(replacement, "up ")
        room.see(replacement, "trains with [1, 2, 3] at 2.0")
        fourth = room.join()
        assert "up ('worker', 3) " in room.see(fourth, "up ")
        room.all_train(4, replacement, fourth)
        stranger = room.join(path=forged(room, tmp_path))
        assert room.wait(stranger) == 1 and "PermissionDeniedError: This process can't join" in room.text(stranger)
        fifth = room.join()
        assert room.wait(fifth) == 1
        full = "ResourceExhaustedError: This process can't join the cluster: all 4 places of job worker are taken."
        assert full in room.text(fifth)
        room.end(replacement, fourth)
        assert "\x1e" not in room.job.text


def test_workers_of_another_host_join(tmp_path):
    """Those that were there share memory, and have to do with another host only now."""
    with Hosts(2) as network, Room(tmp_path, network=network) as room:
        room.all_train(2)
        third = room.join(host=1)
        room.all_train(3, third)
        fourth = room.join(host=0)
        room.all_train(4, third, fourth)
        assert "hosts [0, 0, 0, 3, 0]" in room.text(fourth)
        room.end(third, fourth)


def test_a_newcomer_that_dies_while_it_joins(tmp_path):
    """Another one may take its place. Those that `tfcore.run` starts again get their own."""
    dies = "if 'DIES' in os.environ: task.Task._enter = lambda *args: os.kill(os.getpid(), signal.SIGKILL)"
    with Room(tmp_path, before=dies, restart=1) as room:
        room.all_train(2)
        assert room.wait(room.join(DIES="1")) == -signal.SIGKILL
        third = room.join()
        assert "up ('worker', 2) " in room.see(third, "up ")
        room.all_train(3, third)
        room.kill(room.job.see("worker 1| up ").partition("worker 1| ")[2])
        room.job.see("worker 1| trains with [1, 2, 3] at 2.0", 2)
        assert "(1 of at most 1 times)" in room.job.text and "\x1e" not in room.job.text
        room.end(third)


def test_a_file_that_invites_nobody(tmp_path):
    for text in ("", "{}", "[]"):
        (tmp_path / "join").write_text(text)
        call = [sys.executable, "-m", "tfcore.run", "--join", str(tmp_path / "join"), "program.py"]
        done = subprocess.run(call, capture_output=True, text=True, cwd=mpi.root(), check=False)
        assert done.returncode == 1 and "is not a file of a cluster that can be joined" in done.stderr, done.stderr


# ---- Processes that are started separately

SEPARATE = """
import argparse, os, sys, time
import tfcore as tf
from tfcore.distributed.fabric import fabric

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--stop", default="")
flags = parser.parse_args()
jobs = {"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")}
cluster = tf.train.ClusterSpec(jobs, at_least={"worker": 2})
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
print("up", [t["state"] for t in server.status(5)["tasks"]], flush=True)
if flags.job_name == "ps":
    server.join()
with tf.device("/job:ps/task:0"):
    total = tf.Variable(0, name="total", dtype=tf.int64)
    add = tf.assign_add(total, 1)
x = tf.placeholder(tf.float32, [])
everyone = tf.distributed.allreduce(x)
with tf.Session(server.target) as sess:
    if flags.task_index == 0:
        sess.run(tf.global_variables_initializer())
    said = None
    while not os.path.exists(flags.stop):
        try:
            found = sess.run([everyone, add], {x: 10.0 ** flags.task_index})[0]
            if found != said:
                print("sum", found, flush=True)
            said = found
        except (tf.errors.FailedPreconditionError, tf.errors.UnavailableError, tf.errors.AbortedError):
            pass
        time.sleep(0.02)
"""


def test_separate_processes_begin_without_all(tmp_path):
    """Worker 2 is there at the start and worker 1 is not: the one that is late comes between them."""
    stop = f"--stop={tmp_path / 'stop'}"
    with Processes(tmp_path, 3, SEPARATE) as processes:
        for job, index in (("ps", 0), ("worker", 0), ("worker", 2)):
            processes.start(job, index, stop)
        for index in (0, 2):
            processes.see("worker", index, "sum 101.0")
        states = "['running', 'running', 'not started', 'running']"
        assert any(states in processes.text(*one) for one in (("ps", 0), ("worker", 0), ("worker", 2)))
        processes.start("worker", 1, stop)
        for index in (0, 1, 2):
            processes.see("worker", index, "sum 111.0")
        (tmp_path / "stop").touch()
        assert [processes.end(*one) for one in (("worker", 0), ("worker", 1), ("worker", 2), ("ps", 0))] == [0] * 4


def test_fewer_than_the_minimum_do_not_begin(tmp_path):
    with Processes(tmp_path, 3, SEPARATE) as processes:
        processes.start("worker", 1, env={"TFCORE_START_TIMEOUT": "1"})
        assert processes.end("worker", 1) == 1
        names = ["ps/task:0", "worker/task:0", "worker/task:2"]
        missing = ", ".join(f"/job:{name} ({processes.hosts[rank]})" for name, rank in zip(names, (0, 1, 3)))
        assert f"not started within 1 s: {missing} (job worker needs 2 to start)" in processes.text("worker", 1)


@pytest.mark.parametrize("goes_on", [True, False], ids=["it says so", "its host is silent"])
def test_no_second_cluster_begins_beside_one_that_goes_on(goes_on, monkeypatch):
    """Rank 0 was started again; rank 2 is a member of the first cluster."""
    ports = free_ports(3)
    hosts = [f"localhost:{port}" for port in ports]
    cluster = tf.train.ClusterSpec({"worker": hosts}, at_least={"worker": 1})
    knock = meeting.knock

    def silent(hosts, port, token):
        if port == ports[2]:
            raise SilentError("does not answer")
        return knock(hosts, port, token)

    def answer(connection):
        connection.receive(5)
        connection.send({"answer": "running"})

    with contextlib.ExitStack() as ends:
        if goes_on:
            member = Door("", "localhost", ports[2])
            ends.callback(member.close)
            member.open(answer)
        else:
            monkeypatch.setattr(meeting, "knock", silent)
        one = meeting.Meeting(cluster, ("worker", 0))
        ends.callback(one.door.close)
        if goes_on:
            assert not one.founds(20)
        else:
            with pytest.raises(
                tf.errors.DeadlineExceededError, match=rf"after 1 s .* waits for /job:worker/task:2 \({hosts[2]}\)"
            ):
                one.founds(1)


# ---- Descriptions


def test_a_cluster_says_how_much_room_it_has():
    jobs = {"ps": ["a:1"], "worker": ["b:1", "c:1", "d:1"]}
    cluster = tf.train.ClusterSpec(jobs, at_least={"worker": 2})
    assert cluster.at_least == {"worker": 2} and cluster.num_tasks("worker") == 3
    assert tf.train.ClusterSpec(cluster) == cluster != tf.train.ClusterSpec(jobs)
    assert repr(cluster).endswith("'worker': ['b:1', 'c:1', 'd:1']}, at_least={'worker': 2})")
    assert tf.train.ClusterSpec.from_ranges(cluster.as_ranges(), cluster.at_least) == cluster
    for number in (0, 4):
        with pytest.raises(ValueError, match=rf"at_least\['worker'\] is {number}, but must be from 1 to 3"):
            tf.train.ClusterSpec(jobs, at_least={"worker": number})
    with pytest.raises(ValueError, match="No such job in cluster: 'chief'"):
        tf.train.ClusterSpec(jobs, at_least={"chief": 1})


@pytest.mark.parametrize(
    "there, missing",
    [
        ("p023", []),
        ("p02", []),
        ("p0", [2, 3]),
        ("023", [0]),
        ("p", [1, 2, 3]),
    ],
)
def test_who_is_missing(there, missing):
    cluster = tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1", "c:1", "d:1"]}, at_least={"worker": 2})
    tasks = {"p": ("ps", 0), "0": ("worker", 0), "2": ("worker", 1), "3": ("worker", 2)}
    assert cluster.lacks([tasks[letter] for letter in there]) == [cluster.task_of_rank(rank) for rank in missing]


def test_the_first_task_is_always_needed():
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1", "c:1"]}, at_least={"worker": 1})
    assert cluster.lacks([("worker", 1), ("worker", 2)]) == [("worker", 0)]


def test_the_number_of_workers_as_a_text():
    assert workers.parse("3") == (3, 3) and workers.parse("2..8") == (2, 8)
    for text in ("", "0", "0..2", "3..2", "2..", "..2", "2...3", "-1", "a"):
        with pytest.raises(ValueError, match="there must be at least one worker, as in '8', or in '2..8'"):
            workers.parse(text)


def test_rooms_of_the_wrong_size(monkeypatch):
    sizes = {"2..4": 1, "3": 6, "2..3": 7}
    for text, size in sizes.items():
        monkeypatch.setattr(world, "size", lambda size=size: size)
        with pytest.raises(ValueError, match=rf"workers='{text}' need .* processes, but this job has {size} process"):
            tf.train.ClusterSpec.from_mpi(ps=0 if size == 1 else 1, workers=text)
    monkeypatch.setenv("TFCORE_WORKERS", "2..9")
    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    assert cluster.num_tasks("worker") == 9 and cluster.at_least == {"worker": 2}
    monkeypatch.delenv("TFCORE_TOKEN", raising=False)
    with pytest.raises(tf.errors.FailedPreconditionError, match="room for processes that join later needs a secret"):
        membership.open_door(False, 3)


def test_a_table_shows_empty_places():
    there = {"task": "/job:worker/task:0", "rank": 0, "host": "a", "pid": 7, "state": "silent", "reason": "no answer"}
    empty = {"task": "/job:worker/task:1", "rank": 1, "host": None, "pid": None, "state": "not started", "reason": None}
    lines = cluster_tool.table({"job": "j", "tasks": [there, empty]})
    assert re.match(r"/job:worker/task:1 +1  - +-  +-  not started", lines[3]), lines
    assert lines[4:] == ["/job:worker/task:0: no answer"]


def test_all_must_agree_about_the_room():
    jobs = {"worker": ["mpi:0", "mpi:1", "mpi:2"]}
    one, other = (tf.train.ClusterSpec(jobs, at_least={"worker": n}) for n in (1, 2))
    tasks = [("worker", 0), ("worker", 1), None]
    assert task.agree(tasks, {0: other}) == [("worker", i) for i in range(3)]
    with pytest.raises(ValueError, match="disagree about the tasks that may join later"):
        task.agree(tasks, {0: one, 1: other})
    with pytest.raises(ValueError, match="no process is /job:worker/task:2"):
        task.agree(tasks, {0: spec(("worker", jobs["worker"]))})


def test_no_place_of_an_outer_cluster_is_asked_for(monkeypatch):
    """A task may call tfcore.run."""
    monkeypatch.setenv("TFCORE_JOIN", "/file/of/the/outer/cluster")
    monkeypatch.setenv("TFCORE_WORKERS", "2..8")
    env = launch.environment(launch.parse(["--workers", "2", "program.py"]))
    assert "TFCORE_JOIN" not in env and "TFCORE_WORKERS" not in env


def test_a_door_of_another_job_ends_no_search(monkeypatch, tmp_path):
    """It has the port of a task that is gone. The last door is the cluster's."""
    doors = [Door("another", "127.0.0.1"), Door("ours", "127.0.0.1")]
    doors[0].open(lambda connection: None)
    doors[1].open(lambda connection: (connection.receive(60), connection.send({"answer": "place", "rank": 2})))
    path = tmp_path / "cluster"
    where = [{"hosts": ["127.0.0.1"], "port": door.port} for door in doors]
    path.write_text(json.dumps({"doors": where, "environment": {}}))
    monkeypatch.setenv("TFCORE_JOIN", str(path))
    monkeypatch.setenv("TFCORE_TOKEN", "ours")
    answer, connection = joining._ask(60)
    connection.close()
    doors[1].close()
    assert answer["rank"] == 2
    with pytest.raises(tf.errors.PermissionDeniedError, match="TFCORE_TOKEN is not that"):
        joining._ask(60)
    doors[0].close()


def test_newcomers_leave_each_other_room_at_the_door(monkeypatch):
    """Each keeps a place with one connection, and takes it with another."""
    monkeypatch.setenv("TFCORE_TOKEN", "ours")
    door, size = membership.open_door(is_one_host=True, size=40), 40
    door.open(lambda connection: connection.send({"got": connection.receive(60)}))
    try:
        visitors = [knock(["127.0.0.1"], door.port, "ours") for _ in range(2 * size + 1)]
        visitors[-1].send("a message")
        assert visitors[-1].receive(60) == {"got": "a message"}
        for visitor in visitors:
            visitor.close()
    finally:
        door.close()
