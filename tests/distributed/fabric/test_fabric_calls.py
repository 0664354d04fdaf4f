"""Calls of Python functions of other tasks."""

import json
import os
import resource
import signal
import sys
import threading
import time

import numpy as np
import pytest

from tests.distributed import LONG_S, tasks
from tfcore.framework import errors


def serve_all():
    from tfcore.distributed.fabric import fabric

    def fail(source, data):
        raise errors.OutOfRangeError(None, None, f"from {source}: {data.decode()}")

    def crash(source, data):
        return {}[data]

    def sleep(source, data):
        time.sleep(float(data))
        return b"slept"

    def back(source, data):
        n = int(data)
        return fabric.call(source, "back", str(n - 1).encode()) + b"." if n else b"end"

    for name, fn in {
        "double": lambda source, data: data * 2,
        "source": lambda source, data: str(source).encode(),
        "fail": fail,
        "crash": crash,
        "sleep": sleep,
        "back": back,
        "text": lambda source, data: "not bytes",
    }.items():
        fabric.serve(name, fn)


def call_everything(task):
    fabric = task.connect(serve_all)
    for peer in range(task.size):
        assert fabric.call(peer, "double", b"abc") == b"abcabc"
        assert fabric.call(peer, "double") == b""
        assert fabric.call(peer, "source") == str(task.rank).encode()
        big = os.urandom(3 << 20)
        assert fabric.call(peer, "double", big) == big * 2
        with pytest.raises(errors.OutOfRangeError, match=f"^from {task.rank}: why$"):
            fabric.call(peer, "fail", b"why")
        with pytest.raises(errors.UnknownError, match=r"(?s)method 'crash'.*in crash.*KeyError: b'x'"):
            fabric.call(peer, "crash", b"x")
        with pytest.raises(errors.UnknownError, match="returned str instead of bytes"):
            fabric.call(peer, "text")
        with pytest.raises(errors.NotFoundError, match=f"Rank {peer} serves no method 'nothing'"):
            fabric.call(peer, "nothing")
        with pytest.raises(errors.DeadlineExceededError, match=r"did not answer 'sleep' within 0.05 s"):
            fabric.call(peer, "sleep", b"0.5", timeout_s=0.05)
        assert fabric.call(peer, "back", b"20") == b"end" + b"." * 20
        assert fabric.call(peer, "double", b"abc", incarnation=fabric.incarnation(peer)) == b"abcabc"
        with pytest.raises(errors.UnavailableError, match=rf"\(rank {peer}\). It can't be reached"):
            fabric.call(peer, "double", b"abc", incarnation=fabric.incarnation(peer) ^ 1)
    with pytest.raises(errors.InvalidArgumentError, match=f"no task of rank {task.size}"):
        fabric.call(task.size, "double")
    task.meet()
    return True


def test_calls():
    assert tasks.run(3, call_everything) == [True] * 3


def call_from_threads(task):
    fabric = task.connect(serve_all)
    results = []

    def work(number):
        for i in range(50):
            text = f"{number} {i};".encode()
            results.append(fabric.call(1 - task.rank, "double", text) == text * 2)
        results.append(fabric.call(1 - task.rank, "sleep", b"0.3") == b"slept")

    start = time.monotonic()
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    task.meet()
    return len(results), all(results), time.monotonic() - start < 8 * 0.3 + 20


def test_calls_from_many_threads():
    assert tasks.run(2, call_from_threads) == [[408, True, True]] * 2


def be_interrupted(task):
    fabric = task.connect(serve_all)
    if task.rank == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            fabric.call(1, "sleep", b"5")
        assert fabric.call(1, "double", b"x") == b"xx"
    task.meet()
    return True


def test_ctrl_c_ends_a_call():
    assert tasks.run(2, be_interrupted) == [True, True]


def be_left_alone(task):
    """Rank 1 is killed while rank 0 waits for its answer."""
    fabric = task.connect(serve_all)
    if task.rank == 1:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()
        time.sleep(20)
    threading.Timer(0.6, fabric.fail, (1, "killed")).start()
    fabric.describe(1, "/job:worker/task:7")
    with pytest.raises(
        errors.UnavailableError, match=r"/job:worker/task:7 \(rank 1\): killed. It did not answer 'sleep'"
    ):
        fabric.call(1, "sleep", b"10")
    with pytest.raises(errors.UnavailableError, match="killed. It can't be reached"):
        fabric.call(1, "double")
    return fabric.call(0, "double", b"still") == b"stillstill"


def test_a_call_ends_when_the_task_fails():
    assert tasks.run(2, be_left_alone, killed=[1]) == [True, None]


def end_in_the_middle(task):
    entered, ended = threading.Event(), []

    def compute(source, data):
        entered.set()
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass
        ended.append(source)
        return b""

    from tfcore.distributed.fabric import fabric

    task.connect(lambda: fabric.serve("compute", compute))
    if task.rank:
        with pytest.raises(errors.UnavailableError):
            fabric.call(0, "compute")
        return True
    assert entered.wait(30)
    fabric.close()
    return ended == [1] and not [t.name for t in threading.enumerate() if t.name.startswith("tfcore")]


def test_closing_waits_for_calls_that_run():
    """A thread that the interpreter ends in the middle of a call would not let go of what it holds."""
    assert tasks.run(2, end_in_the_middle) == [True, True]


def misuse(task):
    from tfcore.distributed.fabric import fabric

    with pytest.raises(errors.FailedPreconditionError, match="no connection to a cluster"):
        fabric.call(0, "double")
    with pytest.raises(errors.InvalidArgumentError, match="Rank 2 is not one of 2 tasks"):
        fabric.open(2, 2)
    address = fabric.open(0, 2)
    with pytest.raises(errors.FailedPreconditionError, match="open already"):
        fabric.open(0, 2)
    with pytest.raises(errors.FailedPreconditionError, match="not started"):
        fabric.call(0, "double")
    with pytest.raises(errors.InvalidArgumentError, match="2 tasks, but 1 addresses"):
        fabric.connect([address])
    gone = json.dumps(json.loads(address) | {"rank": 1, "pid": 999999999}).encode()
    with pytest.raises(errors.UnavailableError, match=r"Rank 1 \(process 999999999\) died while the cluster"):
        fabric.connect([address, gone])
    fabric.close()
    return True


def test_misuse():
    assert tasks.run(1, misuse) == [True]


class _Broken:
    """Standard error that nobody reads any more."""

    def write(self, text):
        raise BrokenPipeError

    flush = write


def fail_without_standard_error(task):
    told = []
    fabric = task.connect(serve_all)
    fabric.on_failure(lambda rank: {}[rank])
    fabric.on_failure(told.append)
    task.meet()
    if task.rank == 0:
        before, sys.stderr = sys.stderr, _Broken()
        fabric.fail(1, "the test says so")
        until = time.monotonic() + LONG_S
        while not told and time.monotonic() < until:
            time.sleep(0.01)
        assert told == [1] and fabric.call(0, "double", b"x", timeout_s=LONG_S) == b"xx"
        sys.stderr = before
    task.meet()
    return True


def test_errors_that_nobody_reads_end_no_thread():
    assert tasks.run(2, fail_without_standard_error) == [True, True]


def answer_without_memory(task):
    """Rank 0 has memory of its own for a large answer, but none that rank 1 can reach."""
    from tfcore.core.memory.tensor import TensorValue

    with open("/proc/self/status") as status:
        reserved = int(next(line for line in status if line.startswith("VmSize")).split()[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (reserved + (1 << 30), -1))  # arenas are small then
    fabric = task.connect(serve_all)
    resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    held = []
    if task.rank == 0:
        before = -1
        while (now := fabric.stats()["arena_bytes_in_use"]) > before:
            before = now
            held.append(TensorValue.from_numpy(np.zeros(4 << 20, np.uint8)))
    task.meet()
    if task.rank == 1:
        with pytest.raises(errors.ResourceExhaustedError, match=r"\(rank 0\) has no memory to answer 'double'"):
            fabric.call(0, "double", b"x" * (5 << 20), timeout_s=LONG_S)
        assert fabric.call(0, "double", b"x") == b"xx"
    task.meet()
    return True


def test_who_has_no_memory_for_an_answer_says_so():
    assert tasks.run(2, answer_without_memory) == [True, True]
