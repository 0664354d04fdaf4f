"""The program that shows running clusters, and the sockets through which tasks answer it."""

import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from tests.distributed import LONG_S, PATIENCE, mpi
from tfcore.distributed.status import status_socket
from tfcore.framework import errors
from tfcore.tools import cluster

pytestmark = pytest.mark.alone

PROGRAM = """
    import time
    import tfcore as tf

    server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=1))
    print("ready", flush=True)
    for _ in range(3600):
        time.sleep(1)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "tfcore"


@pytest.fixture
def job(folder):
    """A cluster of one server and two workers that run."""
    with mpi.Job(PROGRAM, ranks=3, env={"XDG_RUNTIME_DIR": str(folder.parent), "TFCORE_FAILURE_TIMEOUT": "0"}) as job:
        job.see("ready", 3)
        assert wait_until(lambda: [len(ranks) for ranks in status_socket.jobs().values()] == [3])
        yield job


def wait_until(condition):
    end = time.monotonic() + 10 * PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def run(*arguments, limit=30):
    """What the program prints, and its exit code."""
    call = [sys.executable, "-m", "tfcore.tools.cluster", *arguments]
    done = subprocess.run(call, capture_output=True, text=True, timeout=limit * PATIENCE, check=False)
    assert not done.stderr, done.stderr
    return done.stdout, done.returncode


def one_job():
    ((name, ranks),) = status_socket.jobs().items()
    return name, ranks


def test_a_running_cluster(job):
    name, ranks = one_job()
    assert ranks == [0, 1, 2]
    text, code = run()
    lines = text.splitlines()
    assert code == 0 and lines[0] == f"job {name}" and lines[1].split()[:4] == ["TASK", "RANK", "HOST", "PID"]
    tasks = ["/job:ps/task:0", "/job:worker/task:0", "/job:worker/task:1"]
    for rank, (task, line) in enumerate(zip(tasks, lines[2:5])):
        assert line.split()[:2] == [task, str(rank)] and line.split()[3] == str(job.pid_of(rank)), text
        assert " running " in line
    (status,) = json.loads(run("--json", name)[0])
    assert status["job"] == name and [t["task"] for t in status["tasks"]] == tasks
    assert run("00000000") == ("No cluster of this user runs on this host.\n", 1)


def test_a_frozen_task_is_shown(job):
    pid = job.pid_of(1)
    os.kill(pid, signal.SIGSTOP)
    began = time.monotonic()
    text, code = run()
    assert code == 0 and time.monotonic() - began < 10 * PATIENCE
    assert "/job:worker/task:0: no answer within 1 s" in text
    (status,) = json.loads(run("--json")[0])
    assert [t["state"] for t in status["tasks"]] == ["running", "silent", "running"]
    assert status["tasks"][1]["pid"] == pid
    os.kill(pid, signal.SIGCONT)


def test_another_task_is_asked_if_the_first_is_frozen(job):
    os.kill(job.pid_of(0), signal.SIGSTOP)
    (status,) = json.loads(run("--json", "--timeout", "2")[0])
    assert status["asked"] == 1 and [t["state"] for t in status["tasks"]] == ["silent", "running", "running"]
    for rank in (1, 2):
        os.kill(job.pid_of(rank), signal.SIGSTOP)
    text, code = run("--timeout", "0.3")
    assert code == 0 and text.count(" does not answer within 0.3 s") == 3
    for rank in range(3):
        os.kill(job.pid_of(rank), signal.SIGCONT)


def test_clients_that_misbehave_do_no_harm(job):
    name, _ = one_job()
    clients = []
    for i in range(20):  # more than it answers at a time; none of them reads
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(5)
        with contextlib.suppress(OSError):
            client.connect(str(job_socket(name, 0)))
            client.send(status_socket.QUESTION if i % 2 else b"\0" * 100)
        clients.append(client)
    for client in clients:
        client.close()
    assert wait_until(lambda: answers(name, 0))
    assert wait_until(lambda: answers(name, 0))
    assert "Traceback" not in job.text


def test_who_only_looks_gets_no_answer(job):
    """A task that starts looks at the sockets of all others: none of them may ask its whole cluster then."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.settimeout(LONG_S)
        client.connect(str(job_socket(one_job()[0], 0)))
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""


def job_socket(name, rank):
    return os.path.join(os.environ["XDG_RUNTIME_DIR"], "tfcore", f"{name}-{rank}.sock")


def answers(name, rank):
    try:
        return len(status_socket.ask(name, rank, 5)["tasks"]) == 3
    except errors.OpError:
        return False


def test_sockets_of_killed_tasks_are_removed(job, folder):
    for rank in range(3):
        job.kill(rank)
    assert wait_until(lambda: run()[0] == "No cluster of this user runs on this host.\n")
    assert os.listdir(folder) == []


def test_sockets_of_tasks_that_end_are_removed(folder):
    mpi.run("import tfcore as tf\ntf.train.Server.create_local_server()", env={"XDG_RUNTIME_DIR": str(folder.parent)})
    assert not folder.exists()


def test_the_folder_goes_with_the_last_socket(folder):
    with status_socket.listen("12345678", 7), status_socket.listen("12345678", 8), status_socket.listen("87654321", 0):
        status_socket.forget("12345678", [7, 8, 9])
        assert status_socket.jobs() == {"87654321": [0]}
        status_socket.forget("87654321", [0])
        assert not folder.exists()


def test_the_first_task_sweeps(folder):
    with status_socket.listen("12345678", 7):
        status_socket.sweep()
        assert status_socket.jobs() == {"12345678": [7]}
    status_socket.sweep()
    assert status_socket.jobs() == {}


def test_an_answer_that_is_none(folder):
    """Whoever listens is killed in the middle of its answer, says nonsense, or nothing."""

    def answer(data):
        connection, _ = listening.accept()
        with connection:
            connection.sendall(data)

    for data in (b'{"job": ', b"\xff\xfe", b""):
        with status_socket.listen("12345678", 0) as listening:
            thread = threading.Thread(target=answer, args=[data])
            thread.start()
            with pytest.raises(errors.NotFoundError, match="Rank 0 of job 12345678 has ended, or is ending"):
                status_socket.ask("12345678", 0, 5)
            thread.join()
    with status_socket.listen("12345678", 0), pytest.raises(errors.DeadlineExceededError, match="within 0.1 s"):
        status_socket.ask("12345678", 0, 0.1)


def test_it_watches(job):
    call = [sys.executable, "-m", "tfcore.tools.cluster", "--watch", "0.1", "--json"]
    # A shell starts background jobs, which these tests may be, with SIGINT ignored.
    as_usual = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, preexec_fn=as_usual) as watching:
        seen = [json.loads(watching.stdout.readline()) for _ in range(3)]
        watching.send_signal(signal.SIGINT)
        assert watching.wait(10 * PATIENCE) == 130
    assert all([t["state"] for t in status[0]["tasks"]] == ["running"] * 3 for status in seen)


@pytest.mark.parametrize(
    "number, text", [(0, "0"), (1023, "1023"), (1024, "1.0K"), (1536, "1.5K"), (200 << 10, "200K"), (5 << 40, "5.0T")]
)
def test_sizes(number, text):
    assert cluster.readable(number) == text


@pytest.mark.parametrize("seconds, text", [(0.4, "0s"), (59, "59s"), (61, "1m01s"), (3725, "1h02m"), (90000, "25h00m")])
def test_durations(seconds, text):
    assert cluster.duration(seconds) == text


def test_waits_and_full_rings_are_named():
    wait = dict(step=7, op="y", type="_Recv", line="a.py:3 in f", iteration=2, tensor="edge_1_x", seconds=31.25)
    answer = {
        "task": "/job:worker/task:0",
        "reason": None,
        "peers": [{"rank": 3, "ring_full": True, "queued": {"messages": 9, "bytes": 1000}}],
        "waits": [{**wait, "ranks": [0], "waits_for": ["/job:ps/task:0"]}],
    }
    lines = cluster.table({"job": "12345678", "tasks": [answer]})[3:]
    assert lines == [
        "/job:worker/task:0: rank 3 does not read: 9 messages wait",
        "/job:worker/task:0: step 7, iteration 2: y (op: _Recv) (defined at a.py:3 in f) of 'edge_1_x' has waited for "
        "/job:ps/task:0 for 31.2 s",
    ]


@pytest.mark.parametrize(
    "arguments", [["--timeout", "0"], ["--timeout", "-1"], ["--watch", "nan"], ["--watch", "1e300"]]
)
def test_a_time_that_is_none_is_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        cluster.main(arguments)
    assert f"{arguments[0]}: {arguments[1]} is not a number of seconds above 0" in capsys.readouterr().err


def test_queues_and_pipelines_of_a_task():
    queue = {
        "name": "batch/fifo_queue",
        "type": "FIFOQueue",
        "elements": 3,
        "capacity": 10,
        "dequeues": 0,
        "enqueues": 2,
    }
    counts = {"capacity": 4, "filled": 1, "workers": 2, "consumer_ns": 1_500_000_000, "room_ns": 0, "damaged": 0}
    stages = [
        {"iterator_name": "it", "kind": "Batch", "name": "b", "counts": None},
        {"iterator_name": "it", "kind": "ParallelMap", "name": "decode", "counts": counts},
        {"iterator_name": "it", "kind": "Files", "name": "f", "counts": {**counts, "capacity": 0, "damaged": 7}},
    ]
    unbounded = {**queue, "capacity": 2**31 - 1, "dequeues": 1, "enqueues": 0}
    assert list(cluster.input_texts({"queues": [queue, unbounded], "pipelines": stages})) == [
        "queue batch/fifo_queue has 3 of 10 elements, 2 enqueues wait",
        "queue batch/fifo_queue has 3 elements, 1 dequeues wait",
        "it: ParallelMap 'decode' has 1 of 4 elements, 2 threads; waited 1.5 s for elements, 0.0 s for room",
        "it: Files 'f' has left out 7 damaged records or elements",
    ]
    assert list(cluster.input_texts({"state": "silent"})) == []
