"""Processes that are started separately, each with the same lists of host:port."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import tfcore as tf
from tests.distributed import PATIENCE, mpi
from tests.distributed.hosts import Hosts
from tfcore.core.threads import progress
from tfcore.distributed.cluster.door import SilentError
from tfcore.distributed.membership import meeting

SERVER = """
import argparse, os, sys, time
import tfcore as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts")
parser.add_argument("--worker_hosts")
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
parser.add_argument("--steps", type=int, default=100)
flags = parser.parse_args()
cluster = tf.train.ClusterSpec({"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")})
server = tf.train.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
"""

PROGRAM = (
    SERVER
    + """
print("up", server.target, flush=True)
if flags.job_name == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{flags.task_index}")):
    total = tf.Variable(0, name="total", dtype=tf.int64)
    add = tf.assign_add(total, 1)
with tf.Session(server.target) as sess:
    if flags.task_index == 0 and not os.environ.get("AGAIN"):
        sess.run(tf.global_variables_initializer())
    done = 0
    while done < flags.steps:
        try:
            print("total", sess.run(add), flush=True)
            done += 1
            time.sleep(0.01)
        except (tf.errors.FailedPreconditionError, tf.errors.UnavailableError, tf.errors.AbortedError) as error:
            print("waits", type(error).__name__, flush=True)
            time.sleep(0.05)
print("done", flush=True)
"""
)


class Processes:
    """Processes that a person starts, one by one, and their output.

    network: the Hosts on which they run, one on each; None: all on this one.
    """

    def __init__(self, tmp_path, workers=2, source=PROGRAM, network=None):
        self._program = tmp_path / "program.py"
        self._program.write_text(source)
        self._folder = tmp_path
        self._mark = uuid.uuid4().hex
        self._network = network
        if network:
            self.hosts = [f"{address}:2222" for address in network.addresses]
        else:
            self.hosts = [f"localhost:{port}" for port in free_ports(1 + workers)]
        self._running = {}
        self._count = 0

    def start(self, job, index, *arguments, hosts=None, env=()):
        ps, *workers = hosts or self.hosts
        self._count += 1
        output = self._folder / f"{job}{index}.{self._count}"
        call = [sys.executable, str(self._program), f"--ps_hosts={ps}", f"--worker_hosts={','.join(workers)}"]
        call += [f"--job_name={job}", f"--task_index={index}", *arguments]
        environment = {**os.environ, mpi.MARK: self._mark, "PYTHONPATH": mpi.root(), **dict(env)}
        if self._network:  # with process numbers of its own: else they would share memory
            apart = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
            if "LD_PRELOAD" in environment:  # a sanitizer, for the process
                apart += ["env", f"LD_PRELOAD={environment.pop('LD_PRELOAD')}"]
            call = self._network.inside(0 if job == "ps" else 1 + index, [*apart, *call])
        with open(output, "w") as file:
            process = subprocess.Popen(
                call, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
            )
        self._running[job, index] = process, output

    def text(self, job, index):
        return self._running[job, index][1].read_text()

    def see(self, job, index, text, count=1):
        end = time.monotonic() + 60 * PATIENCE
        while self.text(job, index).count(text) < count:
            if time.monotonic() > end:
                everything = "\n".join(
                    f"{path.name}:\n{path.read_text()[-2000:]}" for _, path in self._running.values()
                )
                pytest.fail(f"{job} {index} has not printed {text!r}; all have printed:\n{everything}")
            time.sleep(0.02)

    def see_listening(self, rank):
        """Waits until the process of a rank listens at its address."""
        end = time.monotonic() + 60 * PATIENCE
        while time.monotonic() < end:
            try:
                return socket.create_connection(self.hosts[rank].split(":")).close()
            except ConnectionRefusedError:
                time.sleep(0.02)
        pytest.fail(f"nobody listens at {self.hosts[rank]}")

    def kill(self, job, index):
        self._running[job, index][0].kill()
        self._running[job, index][0].wait()

    def end(self, job, index):
        """The exit code."""
        try:
            return self._running[job, index][0].wait(60 * PATIENCE)
        except subprocess.TimeoutExpired:
            pytest.fail(f"{job} {index} has not ended:\n{self.text(job, index)[-3000:]}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for pid in mpi.processes(self._mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process, _ in self._running.values():
            process.wait()


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


def check_sums(processes):
    """No addition is lost. A sum is read later than it is made, so two workers may read the same one."""
    found = [[int(n) for n in re.findall(r"total (\d+)", processes.text("worker", i))] for i in (0, 1)]
    for own in found:
        assert len(own) == 100 and own == sorted(set(own)) and own[0] >= 1
    assert max(found[0][-1], found[1][-1]) == 200


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0]], ids=["the server first", "the server last"])
def test_processes_meet_in_any_order(tmp_path, order):
    tasks = [("ps", 0), ("worker", 0), ("worker", 1)]
    with Processes(tmp_path) as processes:
        for i in order:
            processes.start(*tasks[i])
            time.sleep(0.3 * PATIENCE)
        assert [processes.end(*task) for task in tasks] == [0, 0, 0]
        check_sums(processes)
        assert [re.findall(r"up (\S+)", processes.text(*task)) for task in tasks] == [
            ["mpi://0"],
            ["mpi://1"],
            ["mpi://2"],
        ]


def test_a_worker_that_is_killed_may_be_started_again(tmp_path):
    with Processes(tmp_path) as processes:
        processes.start("ps", 0)
        processes.start("worker", 0, "--steps=100000")
        processes.start("worker", 1, "--steps=100000")
        processes.see("worker", 1, "total", 20)
        processes.kill("worker", 1)
        processes.start("worker", 1)
        assert processes.end("worker", 1) == 0
        first = int(re.search(r"total (\d+)", processes.text("worker", 1))[1])
        assert first > 20 and "waits" not in processes.text("worker", 0)


def test_a_server_that_is_killed_may_be_started_again(tmp_path):
    """It is the first task, the host of the exchange, and learns from others that the cluster continues."""
    with Processes(tmp_path) as processes:
        processes.start("ps", 0)
        processes.start("worker", 0, "--steps=100000")
        processes.start("worker", 1, "--steps=100000")
        processes.see("worker", 1, "total", 20)
        processes.kill("ps", 0)
        processes.see("worker", 0, "waits UnavailableError")
        processes.start("ps", 0)
        processes.see("ps", 0, "up mpi://0")
        processes.see("worker", 0, "waits FailedPreconditionError")  # the variable is gone
        processes.kill("worker", 0)
        processes.start("worker", 0)
        assert processes.end("worker", 0) == 0
        assert int(re.search(r"total (\d+)", processes.text("worker", 0))[1]) < 20


def test_a_session_waits_for_tasks_that_never_come(tmp_path):
    """It says so, and in the end its error lists all of them. The server does not wait: sessions do."""
    seconds = int(4 * PATIENCE)
    with Processes(tmp_path) as processes:
        processes.start("worker", 1, env={"TFCORE_START_TIMEOUT": str(seconds)})
        assert processes.end("worker", 1) == 1
        text = processes.text("worker", 1)
        missing = f"/job:ps/task:0 ({processes.hosts[0]}), /job:worker/task:0 ({processes.hosts[1]})"
        assert text.index("up mpi://2") < text.index(
            f"a session of /job:worker/replica:0/task:1 waits for {missing}, 3."
        )
        assert "DeadlineExceededError: A session of /job:worker/replica:0/task:1 needs tasks that have not" in text
        assert f"not started within {seconds} s: {missing}. With tf.ConfigProto(device_filters" in text


REPLICATED = """
import sys, time
import tfcore as tf

ps, workers = (text.partition("=")[2].split(",") for text in sys.argv[1:3])
job, index = sys.argv[3].partition("=")[2], int(sys.argv[4].partition("=")[2])
cluster = tf.train.ClusterSpec({"ps": [*ps, workers.pop(0)], "worker": workers}, ps_replicas=2)
server = tf.train.Server(cluster, job_name=job, task_index=index)
print("up", flush=True)
if job == "ps":
    server.join()
with tf.device("/job:ps/task:0"):
    v = tf.Variable(1.0)
with tf.Session(server.target, config=tf.ConfigProto(device_filters=["/job:ps/task:0"])) as sess:
    print("runs", flush=True)
    sess.run(v.initializer)
    print("has run", flush=True)
    while [t["replicas"]["state"] for t in server.status(5)["tasks"][:2]] != ["on", "on"]:  # the second one may be late
        time.sleep(0.02)
    print("has replicas", flush=True)
"""


def test_a_server_with_replicas_waits_for_its_backup(tmp_path):
    with Processes(tmp_path, source=REPLICATED) as processes:
        for task in (("ps", 0), ("worker", 0)):
            processes.start(*task)
        processes.see("worker", 0, "runs")
        time.sleep(0.5)
        assert "has run" not in processes.text("worker", 0)
        processes.start("ps", 1)
        assert processes.end("worker", 0) == 0
        assert "has replicas" in processes.text("worker", 0)
        assert "without replicas" not in processes.text("ps", 0)


LATE = (
    "import tfcore.core.threads.progress\ntfcore.core.threads.progress.seconds = 0.2\n"
    + SERVER
    + """
print("up", flush=True)
if flags.job_name == "ps":
    server.join()
own = f"/job:worker/task:{flags.task_index}"
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=own)):
    total = tf.Variable(0, name="total", dtype=tf.int64)
    add = tf.assign_add(total, 1)
    ready = tf.is_variable_initialized(total)
with tf.Session(server.target, config=tf.ConfigProto(device_filters=["/job:ps", own])) as sess:
    if flags.task_index == 0:
        sess.run(total.initializer)
    while not sess.run(ready):
        time.sleep(0.05)
    for step in range(flags.steps):
        fetched = tf.add(add, step) if step % 4 == 0 else add  # many plans are made
        print("total", sess.run(fetched), flush=True)
        time.sleep(0.005)
print("done", flush=True)
"""
)


def test_tasks_that_come_late(tmp_path):
    """The server after a worker, whose session waits for it, and one worker after the end of the other one."""
    with Processes(tmp_path, source=LATE) as processes:
        processes.start("worker", 0)
        processes.see(
            "worker",
            0,
            f"a session of /job:worker/replica:0/task:0 waits for /job:ps/task:0 ({processes.hosts[0]}), 0.",
        )
        processes.start("ps", 0)
        assert processes.end("worker", 0) == 0
        assert "total 100\n" in processes.text("worker", 0)
        processes.start("worker", 1)
        assert processes.end("worker", 1) == 0
        assert "total 200\n" in processes.text("worker", 1) and "waits" not in processes.text("worker", 1)
        assert processes.end("ps", 0) == 0  # all have come and have ended


def test_steps_do_not_notice_those_that_come_and_go(tmp_path):
    with Processes(tmp_path, workers=3, source=LATE) as processes:
        processes.start("ps", 0)
        processes.start("worker", 0, "--steps=100000")
        processes.see("worker", 0, "total", 20)
        for index in (1, 2, 1):
            processes.start("worker", index, "--steps=20")
            assert processes.end("worker", index) == 0, processes.text("worker", index)
        processes.see("worker", 0, "total", processes.text("worker", 0).count("total") + 20)


def test_processes_that_describe_different_clusters_do_not_meet(tmp_path):
    with Processes(tmp_path) as processes:
        processes.start("ps", 0)
        processes.see("ps", 0, "up")
        processes.start("worker", 1, hosts=[*processes.hosts[:1], "localhost:1", processes.hosts[2]])
        assert processes.end("worker", 1) == 1
        assert "ValueError: The processes disagree about the cluster" in processes.text("worker", 1)
        assert "localhost:1'" in processes.text("worker", 1)


def test_two_processes_can_not_be_the_same_task(tmp_path):
    with Processes(tmp_path) as processes:
        processes.start("ps", 0)
        time.sleep(1.0 * PATIENCE)
        processes.start("worker", 0, env={"TFCORE_START_TIMEOUT": "60"})
        processes.start("worker", 1, "--steps=100000")
        processes.see("worker", 1, "total")
        processes.start("worker", 1)
        assert processes.end("worker", 1) == 1
        assert "/job:worker/task:1 (" in processes.text("worker", 1)
        assert "can't listen at its address: Address already in use" in processes.text("worker", 1)


def test_another_token_is_refused(tmp_path):
    with Processes(tmp_path) as processes:
        processes.start("ps", 0, env={"TFCORE_TOKEN": "a"})
        processes.see_listening(0)
        processes.start("worker", 0, env={"TFCORE_TOKEN": "b"})
        assert processes.end("worker", 0) == 1
        assert "has another TFCORE_TOKEN in its environment" in processes.text("worker", 0)


# ---- On several hosts

SHARED = {"TFCORE_TOKEN": "kept from others", "TFCORE_FAILURE_TIMEOUT": str(1.5 * PATIENCE)}  # in all environments


def test_processes_of_several_hosts_meet(tmp_path):
    with Hosts(3) as network, Processes(tmp_path, network=network) as processes:
        tasks = [("worker", 1), ("ps", 0), ("worker", 0)]
        for task in tasks:
            processes.start(*task, env=SHARED)
            time.sleep(0.3 * PATIENCE)
        assert [processes.end(*task) for task in tasks] == [0, 0, 0]
        check_sums(processes)


def test_a_process_of_another_host_may_be_started_again(tmp_path):
    """First a worker, then the server, which is the host of the exchange and the coordinator."""
    with Hosts(3) as network, Processes(tmp_path, network=network) as processes:
        processes.start("ps", 0, env=SHARED)
        processes.start("worker", 0, "--steps=100000", env=SHARED)
        processes.start("worker", 1, "--steps=100000", env=SHARED)
        processes.see("worker", 1, "total", 20)
        processes.kill("worker", 1)
        processes.start("worker", 1, "--steps=100000", env=SHARED)
        processes.see("worker", 1, "total", 20)
        assert "waits" not in processes.text("worker", 0)
        processes.kill("ps", 0)
        processes.see("worker", 0, "waits UnavailableError")
        processes.start("ps", 0, env=SHARED)
        processes.see("worker", 0, "waits FailedPreconditionError")  # the variable is gone
        processes.kill("worker", 0)
        processes.start("worker", 0, env=SHARED)
        assert processes.end("worker", 0) == 0
        processes.see("worker", 1, "total", 40)


def test_a_host_that_is_cut_off_may_come_back(tmp_path):
    """Its process can't continue. Whoever starts it again before the link is back waits."""
    with Hosts(3) as network, Processes(tmp_path, network=network) as processes:
        for task in (("ps", 0), ("worker", 0), ("worker", 1)):
            processes.start(*task, *(["--steps=100000"] if task != ("ps", 0) else []), env=SHARED)
        processes.see("worker", 1, "total", 20)
        network.cut(2)
        processes.see("worker", 1, "waits AbortedError")
        processes.kill("worker", 1)
        processes.start("worker", 1, env=SHARED)
        time.sleep(2 * PATIENCE)
        network.heal(2)
        assert processes.end("worker", 1) == 0


def test_processes_of_several_hosts_need_a_secret(tmp_path):
    with Hosts(2) as network, Processes(tmp_path, workers=1, network=network) as processes:
        processes.start("ps", 0)
        processes.see("ps", 0, "up")
        processes.start("worker", 0)
        assert processes.end("worker", 0) == 1
        text = processes.text("worker", 0)
        assert "FailedPreconditionError" in text and "set TFCORE_TOKEN to the same random text" in text
        assert f"/job:ps/task:0 ({processes.hosts[0]})" in text


# ---- Who founds the cluster


@pytest.mark.parametrize("seed", range(4))
def test_one_process_founds_the_cluster(seed, monkeypatch):
    """The others find it, however their questions and answers cross. Two more come later."""
    draw, knock = random.Random(seed), meeting.knock
    pauses = iter([draw.choice([0, 0, 0.01, 0.1]) for _ in range(10000)])

    def slow(*where):
        time.sleep(next(pauses))
        try:
            return knock(*where)
        finally:
            time.sleep(next(pauses))

    monkeypatch.setattr(meeting, "knock", slow)
    ports = free_ports(7)
    cluster = spec(("worker", [f"localhost:{port}" for port in ports]))
    doors = []

    def look(index):
        time.sleep(next(pauses))
        one = meeting.Meeting(cluster, ("worker", index))
        doors.append(one.door)
        return one.founds(60 * PATIENCE)

    first = draw.sample(range(7), 5)
    with ThreadPoolExecutor(7) as threads:
        found = list(threads.map(look, first)) + list(threads.map(look, set(range(7)) - set(first)))
    for door in doors:
        door.close()
    assert found.count(True) == 1 and True in found[:5]


def test_silent_hosts_are_waited_for(monkeypatch, capfd):
    """They may be cut off, with a cluster that runs. All are asked at the same time."""

    def silent(hosts, port, token):
        time.sleep(0.3)
        raise SilentError("does not answer")

    monkeypatch.setattr(meeting, "knock", silent)
    monkeypatch.setattr(progress, "seconds", 0.4)
    hosts = [*(f"192.0.2.{i}:1" for i in range(16)), f"127.0.0.1:{free_ports(1)[0]}"]
    one = meeting.Meeting(spec(("worker", hosts)), ("worker", 16))
    try:
        start = time.monotonic()
        names = ", ".join(f"/job:worker/task:{i} (192.0.2.{i}:1)" for i in range(16))
        with pytest.raises(tf.errors.DeadlineExceededError) as caught:
            one.founds(1)
        assert time.monotonic() - start < 1 + 2 * PATIENCE
        said = f"/job:worker/task:16 ({hosts[16]})"
        why = f"{said} can't tell whether its cluster runs: after 1 s it still waits for {names}"
        assert str(caught.value) == why
        assert f"tfcore: {said} looks for its cluster and waits for {names}, " in capfd.readouterr().err
    finally:
        one.door.close()


@pytest.mark.parametrize("code, founds", [(socket.EAI_NONAME, True), (socket.EAI_AGAIN, False)])
def test_hosts_whose_names_are_not_known(code, founds, monkeypatch):
    """A name may come with its host. A server for names that does not answer says nothing."""

    def unknown(hosts, port, token):
        raise socket.gaierror(code, "no address")

    monkeypatch.setattr(meeting, "knock", unknown)
    one = meeting.Meeting(spec(("ps", [f"localhost:{free_ports(1)[0]}"]), ("worker", ["later:1"])), ("ps", 0))
    with contextlib.closing(one.door):
        if founds:
            assert one.founds(60)
        else:
            with pytest.raises(
                tf.errors.DeadlineExceededError, match=r"it still waits for /job:worker/task:0 \(later:1\)"
            ):
                one.founds(0.1)


def spec(*jobs):
    return tf.train.ClusterSpec(dict(jobs))


@pytest.mark.parametrize(
    "cluster, named, expected",
    [
        (spec(("ps", ["a:1"]), ("worker", ["b:2"])), True, True),
        (spec(("ps", ["a:1"]), ("worker", ["grpc://b:2"])), True, True),
        (spec(("ps", ["a:1"]), ("worker", ["b:2"])), False, False),
        (spec(("ps", ["mpi:0"]), ("worker", ["mpi:1"])), True, False),
        (spec(("worker", ["a:1"])), True, False),
        (spec(("ps", ["a"]), ("worker", ["b:2"])), True, False),
        (spec(("ps", ["a:0"]), ("worker", ["b:2"])), True, False),
        (spec(("ps", ["a:65536"]), ("worker", ["b:2"])), True, False),
    ],
)
def test_which_clusters_are_meant(cluster, named, expected):
    assert meeting.is_for(cluster, named) is expected
