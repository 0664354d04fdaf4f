"""A few of the clusters of random_faults.py, and whether its checks find what is wrong.

TFCORE_TEST_SEED=7 draws other clusters; `python -m tests.distributed.membership.random_faults` runs many.
"""

import os

import pytest

from tests.distributed import mpi
from tests.distributed.membership import counting, random_faults, step_log
from tfcore.testing.drawing import EFFORT

SEED = int(os.environ.get("TFCORE_TEST_SEED", "1"))


@pytest.fixture(autouse=True)
def survivors(request):
    if "network" in request.fixturenames:
        mpi.require_survivors()


@pytest.mark.parametrize("network", random_faults.NETWORKS if EFFORT > 1 else ["shared", "tcp"])  # each takes 12 s
def test_random_faults(network):
    random_faults.run(random_faults.draw(SEED, 0, [network], faults=3))


def test_a_seed_stands_for_the_same_faults():
    plans = [random_faults.draw(seed, number, random_faults.NETWORKS) for seed in (1, 2, 1) for number in range(50)]
    assert plans[:50] == plans[100:] != plans[50:100]
    kinds = {fault.kind for plan in plans for fault in plan.faults}
    assert kinds == {"kill", "kill two", "stop", "cut", "flood"}
    assert {plan.size for plan in plans} == {4, 5, 6, 7, 8}
    assert {plan.hosts for plan in plans} == {1, 2, 3, 4}


# ---- The checks: logs of one server (rank 0) and two workers (ranks 1 and 2)

LIFE = 12_000_001  # the number of the step that has initialized the variables


class Written:
    """Logs as if processes had written them: process 10 is the server, 11 and 12 are the workers."""

    def __init__(self, folder):
        self.folder = folder
        self.numbers = {11: 11_000_000, 12: 12_000_000}
        self.write(10, 1.0, "born")
        self.write(10, 2.0, "up", 0)
        self.step(12, "initialize", 3.0, 3.5)

    def write(self, pid, *words):
        with open(os.path.join(self.folder, f"{pid - 10}.{pid}.log"), "a", encoding="utf-8") as file:
            file.write(" ".join(map(str, words)) + "\n")

    def step(self, pid, what, begin, end, *words, outcome="ok", server=0):
        self.numbers[pid] += 1
        self.write(pid, begin, "begin", self.numbers[pid], what, server)
        if end is not None:
            self.write(pid, end, "end", self.numbers[pid], outcome, *words)
        return self.numbers[pid]

    def check(self):
        logs = step_log.Logs(self.folder)
        logs.read()
        step_log.check(logs, 1, 2)


@pytest.fixture
def written(tmp_path):
    return Written(tmp_path)


def refuses(written, text):
    with pytest.raises(step_log.WrongValueError, match=text):
        written.check()


def test_values_that_are_right(written):
    written.step(11, "add", 4.0, 4.1, LIFE, 1, 0)
    written.step(11, "add", 5.0, 5.1, "x", outcome="UnavailableError")
    written.step(12, "add", 6.0, 6.1, LIFE, 2, 1)  # the one that failed was done
    written.step(12, "fetch", 7.0, 7.1, LIFE, LIFE, counting.LARGE)
    written.step(11, "loop", 8.0, 8.1, sum(range(counting.ROUNDS)))
    written.check()


@pytest.mark.parametrize(("count", "is_right"), [(0, False), (1, True), (2, True), (3, False)])
def test_adds_that_were_acknowledged_or_attempted(written, count, is_right):
    written.step(11, "add", 4.0, 4.1, LIFE, 1, 0)
    written.step(11, "add", 5.0, 5.1, "x", outcome="AbortedError")
    written.step(12, "add", 6.0, 6.1, LIFE, count, 1)
    if is_right:
        written.check()
    else:
        refuses(written, r"worker 0 had added between 1 \(acknowledged\) and 2 \(attempted\) times")


def test_an_add_that_was_meant_for_an_earlier_process(written):
    written.step(11, "add", 4.0, 4.1, "x", outcome="UnavailableError")
    with open(os.path.join(written.folder, "0.20.log"), "w", encoding="utf-8") as file:
        file.write("5.0 born\n6.0 up 1\n")  # the server was started again
    life = written.step(12, "initialize", 7.0, 7.1)
    written.step(12, "add", 8.0, 8.1, life, 1, 1)
    refuses(written, r"worker 0 had added between 0 \(acknowledged\) and 0 \(attempted\) times")


def test_an_add_that_is_done_twice(written):
    written.step(11, "add", 4.0, 4.1, LIFE, 2, 0)
    refuses(written, r"worker 0 had added between 1 \(acknowledged\) and 1 \(attempted\) times")


def test_a_vector_in_parts(written):
    written.step(11, "fetch", 4.0, 4.1, 0, LIFE, counting.LARGE)
    refuses(written, "the elements should all be the same")


def test_a_life_that_nobody_has_begun(written):
    written.step(11, "fetch", 4.0, 4.1, 77, 77, counting.LARGE)
    refuses(written, "nobody had written 77 then")


def test_an_earlier_life_after_a_later_one(written):
    later = written.step(12, "initialize", 3.6, 3.7)
    for begin, life in enumerate([LIFE, later, LIFE], 4):
        written.step(11, "fetch", begin, begin + 0.1, life, life, counting.LARGE)
    refuses(written, "between two times of")


def test_what_was_sent_is_something_else(written):
    written.step(11, "send", 4.0, 4.1, 5, 5, counting.LARGE)
    refuses(written, "expected")


def test_an_error_that_no_failure_explains(written):
    written.step(11, "add", 4.0, 4.1, "x", outcome="InternalError")
    refuses(written, "this is not an error of a task that fails")


def sums(written, first, second):
    """Each worker has a sum; first and second: the numbers that each has seen, for both vectors."""
    numbers = {pid: written.numbers[pid] + 1 for pid in (11, 12)}
    for pid, seen in ((11, first), (12, second)):
        words = [numbers.get(n, n) for n in seen for _ in range(2)]
        written.step(pid, "sum", 4.0, 4.1, *words, *words, server=-1)


def test_sums_that_are_right(written):
    sums(written, (11, 12), (11, 12))
    written.check()


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ((11, 12), (11, 5), "its own part is missing"),
        ((12, 11), (11, 12), "the part of position 0 is that of"),
        ((11, 5), (11, 12), "number 5 is not a step that ran meanwhile"),
    ],
)
def test_sums_that_are_wrong(written, first, second, text):
    sums(written, first, second)
    refuses(written, text)


def test_a_step_in_two_sums(written):
    both = written.numbers[11] + 1, written.numbers[12] + 1
    words = [n for n in both for _ in range(2)] * 2
    written.step(11, "sum", 4.0, 6.0, *words, server=-1)
    written.step(12, "sum", 4.0, 4.5, *words, server=-1)
    again = both[0], written.numbers[12] + 1
    written.step(12, "sum", 5.0, 5.5, *([n for n in again for _ in range(2)] * 2), server=-1)
    refuses(written, "was summed with")
