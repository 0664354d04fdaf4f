"""Processes that are started separately, each with the same lists of host:port."""

import contextlib
import os
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
from tfcore.distributed.cluster.door import Connection, SilentError
from tfcore.distributed.membership import meeting

PROGRAM = """
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
        assert re.search(r"total (\d+)", processes.text("worker", 0))[1] < "5"


def test_errors_name_who_is_missing(tmp_path):
    seconds = int(2 * PATIENCE)
    env = {"TFCORE_START_TIMEOUT": str(seconds)}
    with Processes(tmp_path) as processes:
        processes.start("ps", 0, env=env)
        processes.start("worker", 1, env=env)
        for task in (("ps", 0), ("worker", 1)):
            assert processes.end(*task) == 1
            missing = f"not started a server within {seconds} s: /job:worker/task:0 ({processes.hosts[1]})"
            assert missing in processes.text(*task) and "DeadlineExceededError" in processes.text(*task)
        processes.start("worker", 0, env={"TFCORE_START_TIMEOUT": "1"})
        assert processes.end("worker", 0) == 1
        assert f"within 1 s: /job:ps/task:0 ({processes.hosts[0]})" in processes.text("worker", 0)


def test_processes_say_for_whom_they_wait(monkeypatch, capfd):
    """The first task knows it, the others ask it; without it they wait for it."""
    monkeypatch.setattr(meeting, "REPORT_S", 0.2)
    ports = free_ports(3)
    jobs = spec(("ps", [f"localhost:{ports[0]}"]), ("worker", [f"localhost:{port}" for port in ports[1:]]))
    waits = r"^tfcore: /job:worker/task:1 \(\S+\) waits for /job:{} \(localhost:\d+\), \d+ s so far$"

    def wait_for(pattern):
        text, end = "", time.monotonic() + 20 * PATIENCE
        while not re.search(pattern, text, re.M):
            assert time.monotonic() < end, text
            text += capfd.readouterr().err
            time.sleep(0.02)
        return text

    with ThreadPoolExecutor(2) as threads, contextlib.ExitStack() as stack:
        second = meeting.Meeting(jobs, ("worker", 1))
        stack.callback(second.door.close)
        answers = [threads.submit(second.exchange, "c", 60)]
        wait_for(waits.format("ps/task:0"))
        first = meeting.Meeting(jobs, ("ps", 0))
        stack.callback(first.door.close)
        answers.append(threads.submit(first.exchange, "a", 60))
        wait_for(r"^tfcore: /job:ps/task:0 \(\S+\) waits for /job:worker/task:0 \(localhost:\d+\), ")
        wait_for(waits.format("worker/task:0"))
        last = meeting.Meeting(jobs, ("worker", 0))
        stack.callback(last.door.close)
        assert last.exchange("b", 60) == ["a", "b", "c"]
        assert [answer.result() for answer in answers] == [["a", "b", "c"]] * 2


def test_processes_that_describe_different_clusters_do_not_meet(tmp_path):
    with Processes(tmp_path) as processes:
        processes.start("ps", 0)
        processes.start("worker", 1, hosts=[*processes.hosts[:1], "localhost:1", processes.hosts[2]])
        for task in (("ps", 0), ("worker", 1)):
            assert processes.end(*task) == 1
            assert "ValueError: The processes disagree about the cluster" in processes.text(*task)
            assert "localhost:1'" in processes.text(*task)


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
        processes.start("worker", 0)
        assert [processes.end("ps", 0), processes.end("worker", 0)] == [1, 1]
        for task in (("ps", 0), ("worker", 0)):
            text = processes.text(*task)
            assert "FailedPreconditionError" in text and "set TFCORE_TOKEN to the same random text" in text
            assert f"/job:ps/task:0 ({processes.hosts[0]})" in text


def test_a_question_before_the_first_exchange_is_answered():
    ports = free_ports(2)
    tasks = spec(("worker", [f"localhost:{port}" for port in ports]))
    first, second = (meeting.Meeting(tasks, ("worker", index)) for index in range(2))
    try:
        assert second._says(0, {"question": "state"}) == {"answer": "starting", "missing": []}
        assert first._says(1, {"question": "state"}) == {"answer": "starting"}
    finally:
        first.door.close()
        second.door.close()


def test_all_have_the_answer_before_the_first_task_goes_on(monkeypatch):
    """It may end at once, if the answer is an error."""
    sent = []

    def send_late(connection, value, send=Connection.send):
        if "problem" in value:
            time.sleep(0.3)
            sent.append(value["problem"])
        send(connection, value)

    monkeypatch.setattr(Connection, "send", send_late)
    first, second = free_ports(2)
    meetings = [
        meeting.Meeting(spec(("worker", [f"{host}:{first}", f"localhost:{second}"])), ("worker", index))
        for index, host in enumerate(["127.0.0.1", "localhost"])
    ]
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(meetings[1].exchange, "", 60)
        with pytest.raises(ValueError, match="disagree about the cluster"):
            meetings[0].exchange("", 60)
        assert len(sent) == 1
        with pytest.raises(ValueError, match="disagree about the cluster"):
            answer.result()
    for one in meetings:
        one.door.close()


@pytest.mark.parametrize("index", [0, 1])
def test_silent_hosts_are_not_waited_for_one_by_one(index, monkeypatch):
    """The host of the exchange has to answer in time, and the others have to notice that it does not."""
    asked = []

    def silent(hosts, port, token):
        asked.append(hosts[0])
        time.sleep(0.3)
        raise SilentError("does not answer")

    monkeypatch.setattr(meeting, "knock", silent)
    monkeypatch.setattr(meeting, "GRACE_S", 0.0)
    hosts = [f"127.0.0.1:{free_ports(1)[0]}" if i == index else f"192.0.2.{i}:1" for i in range(40)]
    one = meeting.Meeting(spec(("worker", hosts)), ("worker", index))
    try:
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError, match=rf"worker/task:{39 if index == 0 else 0} \("):
            one.exchange("", 3)
        assert time.monotonic() - start < 3 + meeting.LOOK_S + 2 * PATIENCE
        assert len(set(asked)) > 4  # not the same ones each time
    finally:
        one.door.close()


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
