"""Threads that wait (service.c) alone, with a clock that only these tests move: when they poll, sleep, stay awake for a
step, and lend their core to other tasks. The last tests use processes that share cores."""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile

import numpy as np
import pytest

from tests.distributed import LONG_S, tasks
from tests.distributed.fabric.test_fabric import TENSOR, with_mailbox
from tests.distributed.transport.simulated_mpi import FOLDERS

POLL_NS = 100  # what a poll takes
SPIN_NS = 20_000
MS = 1_000_000
WORD, MESSAGE, QUIET, STEP, ENDED_STEP, ERRAND = 1, 2, 3, 4, 5, 6  # what a poll finds

# What the file needs of the rest: a clock, an inbox, and polls that find what a test has planned.
REST = """
#include "fabric/service.h"
#include <stdlib.h>

enum { POLL_NS = 100 };
enum { NOTHING, WORD, MESSAGE, QUIET, STEP, ENDED_STEP, ERRAND };
static int64_t now, yield_ns, sleep_ns, begin_ns;
static int polls, yields, sleeps, spawned, first_yield, find_at, found, awake_in_errand, was_passed_on, naps;
static uint32_t word;
static union { tfc_inbox in; char room[512]; } memory;
tfc_endpoint tfc_here;

int64_t tfc_now_monotonic(void) { return now; }
int fake_yield(void) {
  if (!yields++) first_yield = polls;
  now += yield_ns;
  return 0;
}
bool tfc_spawn(void (*fn)(void*), void* arg) { spawned++; return true; }

/* The errand of a thread: as a step does, it says when it begins to handle messages. */
static void errand(void* arg) {
  awake_in_errand = tfc_count_awake();
  now += begin_ns;
  was_passed_on = tfc_idle_table.take_over();
  if (was_passed_on) __atomic_fetch_sub(&memory.in.awake, 1, __ATOMIC_SEQ_CST); /* it leaves */
}
/* Of a step that was cancelled before it begins. */
static void no_errand(void* arg) { awake_in_errand = tfc_count_awake(); }
bool tfc_poll(void) {
  now += POLL_NS;
  if (++polls != find_at) return false;
  if (found == WORD) tfc_set_word(&word);
  if (found == QUIET) tfc_expect_no_more();
  if (found == STEP) tfc_defer(errand, NULL, true);
  if (found == ENDED_STEP) tfc_defer(no_errand, NULL, true);
  if (found == ERRAND) tfc_defer(errand, NULL, false);
  return true;
}
void tfc_settle(void) {}
/* The sleeper is woken by a message `sleep_ns` later, which brings what it waits for. */
void tfc_futex_wait(uint32_t* bell, uint32_t value, int64_t ns) {
  sleeps++;
  now += sleep_ns;
  *bell = 1;
  tfc_set_word(&word);
  if (!--naps) tfc_here.running = 0;
}
void tfc_futex_wake(uint32_t* bell, int threads) {}
void tfc_bell_set(uint32_t* bell) { *bell = 1; }
void tfc_ring_bell(tfc_inbox* in) {}
int64_t tfc_link_poll_interval(void) { return -1; }
tfc_peer* tfc_next_writer(int rank) { return NULL; }
void tfc_drop_for_gone(void) {}

/* ---- For the test */
void prepare(int64_t spin_ns, int lends, int foreign) {
  memory.in = (tfc_inbox){.size = 1};
  tfc_here = (tfc_endpoint){.inbox = &memory.in, .spin_ns = spin_ns, .open = 1,
      .lends_core = lends, .n_foreign = foreign, .n_local = 1, .running = 1};
}
/* The poll after so many finds it; 0: none does. */
void plan(int at, int what) {
  polls = yields = sleeps = spawned = first_yield = naps = 0;
  awake_in_errand = was_passed_on = -1;
  find_at = at, found = what;
}
void set_times(int64_t yield, int64_t sleep, int64_t begin) {
  yield_ns = yield, sleep_ns = sleep, begin_ns = begin;
}
void pass_time(int64_t ns) { now += ns; }
int64_t time_now(void) { return now; }
int wait(int64_t ns) {
  word = TFC_CLEAR;
  return tfc_wait_word(&word, ns, true);
}
/* The service thread, until it sleeps for the first time. */
void serve_once(void) {
  naps = 1;
  tfc_here.running = 1;
  tfc_service_run();
  tfc_here.running = 1;
  memory.in.bell = 0;
}
void count(int64_t out[8]) {
  int64_t all[] = {polls, yields, first_yield, sleeps, spawned, awake_in_errand, was_passed_on,
                   tfc_count_awake()};
  for (int i = 0; i < 8; i++) out[i] = all[i];
}
"""

COUNTS = ("polls", "yields", "first_yield", "sleeps", "spawned", "awake_in_errand", "was_passed_on", "awake")


@functools.cache
def _built():
    """The folder with the compiled file. Skips the test where there is no gcc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tempfile.TemporaryDirectory(prefix="tfcore-test-")
    rest = os.path.join(folder.name, "rest.c")
    with open(rest, "w", encoding="utf-8") as file:
        file.write(REST)
    flags = ["-O1", "-g", "-std=gnu11", "-pthread", "-shared", "-fPIC", *(f"-I{path}" for path in FOLDERS)]
    source = os.path.join(FOLDERS[0], "fabric", "service.c")
    target = os.path.join(folder.name, "service.so")
    subprocess.run(["gcc", *flags, "-Dsched_yield=fake_yield", source, rest, "-o", target], check=True)
    return folder


class Process:
    """A process with one thread.

    spin_ns: for how long it polls. lends: whether it lends its core. foreign: whether it has peers on other hosts.
    """

    _count = 0

    def __init__(self, spin_ns=SPIN_NS, lends=True, foreign=False):
        folder = _built().name
        Process._count += 1
        path = os.path.join(folder, f"{Process._count}.so")  # a library of another name has other variables
        shutil.copyfile(os.path.join(folder, "service.so"), path)
        self.c = ctypes.CDLL(path)
        os.remove(path)
        self.c.time_now.restype = self.c.tfc_count_lent.restype = ctypes.c_int64
        self.c.prepare(ctypes.c_int64(spin_ns), lends, foreign)
        self.times()

    def times(self, yield_ns=0, sleep_ns=MS, begin_ns=0):
        """What a turn of another task takes, how long a message does that wakes a thread, and how late steps begin."""
        self.c.set_times(ctypes.c_int64(yield_ns), ctypes.c_int64(sleep_ns), ctypes.c_int64(begin_ns))

    def _counts(self):
        found = (ctypes.c_int64 * len(COUNTS))()
        self.c.count(found)
        return dict(zip(COUNTS, found))

    def wait(self, at=0, what=WORD, ns=10 * MS):
        """Waits for a word, which the poll of that number sets, or else a message that comes while it sleeps."""
        self.c.plan(at, what)
        assert self.c.wait(ctypes.c_int64(ns))
        return self._counts()

    def serve(self, at=0, what=MESSAGE):
        """The service thread polls until it sleeps."""
        self.c.plan(at, what)
        self.c.serve_once()
        return self._counts()


# ---- Lending


def test_a_core_is_lent_after_a_while():
    process = Process()
    found = process.wait()
    assert found["first_yield"] == 32 and found["sleeps"] == 1
    assert found["yields"] == found["polls"] - 32 == process.c.tfc_count_lent() > 100
    assert process.wait(at=31)["yields"] == 0  # the answer is there before
    assert process.serve()["first_yield"] == 33  # the service thread, too


def test_a_core_is_lent_at_once_while_another_task_has_to_run():
    process = Process()
    process.c.tfc_lend_core_at_once(True)
    assert process.wait()["first_yield"] == 1
    process.c.tfc_lend_core_at_once(False)
    assert process.wait()["first_yield"] == 32


def test_no_core_is_lent_where_each_task_has_one_or_too_many_share_it():
    process = Process(lends=False)
    process.c.tfc_lend_core_at_once(True)
    assert process.wait()["yields"] == 0 and process.c.tfc_count_lent() == 0


def test_with_tasks_on_other_hosts_the_core_is_yielded_between_all_polls():
    for lends in False, True:
        process = Process(lends=lends, foreign=True)
        assert process.wait()["first_yield"] == 1


@pytest.mark.parametrize(("turn", "kept"), [(MS, 64 * MS), (10_000 * MS, 1000 * MS)])
def test_after_a_turn_that_took_too_long_no_core_is_lent_for_many_times_as_long(turn, kept):
    process = Process()
    process.times(yield_ns=turn)
    assert process.wait(ns=100_000 * MS)["yields"] == 1
    end = process.c.time_now() + kept
    process.times()
    for _ in range(3):  # the time of the last wait ends with its sleep, a millisecond after the turn or less
        assert process.wait()["yields"] == 0
    process.c.pass_time(ctypes.c_int64(end - process.c.time_now() - 3 * MS))
    assert process.wait()["yields"] == 0
    process.c.pass_time(ctypes.c_int64(4 * MS))
    assert process.wait()["yields"] > 100


def test_a_turn_that_is_short_enough_does_not_end_the_lending():
    process = Process(spin_ns=10 * MS)
    process.times(yield_ns=MS // 2)
    assert process.wait(ns=100 * MS)["yields"] > 10


# ---- Whether polling pays


def test_polling_ends_where_answers_come_right_after_it_and_is_tried_again():
    process = Process()
    process.times(sleep_ns=SPIN_NS // 2)
    polled = [process.wait()["polls"] > 100 for _ in range(200)]
    assert polled[:5] == [True] * 5
    assert 2 <= sum(polled[5:]) <= 5  # every 64th time
    for _ in range(5 * 64):
        process.wait(at=5)  # if it polls, it finds the answer
    assert all(process.wait(at=5)["polls"] == 5 for _ in range(100))


def test_polling_goes_on_where_answers_come_much_later():
    process = Process()
    process.times(sleep_ns=MS)
    assert all(process.wait()["polls"] > 100 for _ in range(100))


def test_without_time_to_poll_threads_sleep_at_once():
    assert Process(spin_ns=0).wait()["polls"] <= 2


# ---- The service thread


def test_a_thread_that_gets_the_first_message_of_a_step_stays_awake_for_it():
    found = Process().serve(at=3, what=STEP)
    assert found["spawned"] == 1  # another thread answers the bell meanwhile
    assert (found["awake_in_errand"], found["was_passed_on"], found["awake"]) == (1, 1, 0)
    assert found["polls"] > 100  # afterwards it polls for more


def test_for_other_work_no_thread_counts_as_awake():
    found = Process().serve(at=3, what=ERRAND)
    assert found["spawned"] == 1
    assert (found["awake_in_errand"], found["was_passed_on"], found["awake"]) == (0, 0, 0)


def test_a_step_that_does_not_begin_leaves_the_thread_awake_once():
    found = Process().serve(at=3, what=ENDED_STEP)
    assert (found["awake_in_errand"], found["awake"]) == (1, 0) and found["polls"] > 100


def test_where_steps_begin_late_no_thread_stays_awake_for_them_until_they_begin_at_once_again():
    process = Process()
    process.times(begin_ns=MS)
    stayed = [process.serve(at=1, what=STEP)["was_passed_on"] for _ in range(6)]
    assert stayed == [1, 1, 1, 0, 0, 0]
    process.times()
    stayed = [process.serve(at=1, what=STEP)["was_passed_on"] for _ in range(12)]
    assert stayed[0] == 0 and stayed[-1] == 1 and stayed == sorted(stayed)


def test_a_service_thread_polls_for_more_unless_nobody_waits_for_an_answer():
    process = Process()
    assert process.serve(at=1, what=MESSAGE)["polls"] > 100
    assert process.serve(at=1, what=QUIET)["polls"] == 2
    assert process.serve(at=0)["polls"] > 100  # the next time it is woken


# ---- Processes


def share_a_core(task, cores):
    """Round trips between the first two tasks, on so many cores; what the task says of itself."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    fabric, box = with_mailbox(task)
    for i in range(100 if task.rank < 2 and task.size > 1 else 0):
        if task.rank == i % 2:
            fabric.send(1 - task.rank, TENSOR, np.zeros(1))
        else:
            box.get(LONG_S)
    found = fabric.stats()
    task.meet()
    return [found["lends_core"], found["lent"], found["spin_us"]]


@pytest.mark.parametrize(
    ("n", "cores", "expected"),
    [(2, 1, [True, 20]), (3, 1, [False, 10]), (2, 2, [False, 50]), (3, 2, [True, 20])],
)
def test_tasks_lend_their_cores_where_up_to_two_share_one(n, cores, expected):
    if len(os.sched_getaffinity(0)) < cores:
        pytest.skip(f"needs {cores} cores")
    for lends, lent, spin_us in tasks.run(n, share_a_core, cores):
        assert [lends, spin_us] == expected and (lends or not lent)


def test_two_tasks_on_a_core_take_turns():
    """With enough time to poll, so that even slow polls come to lending."""
    for lends, lent, _ in tasks.run(2, share_a_core, 1, env={"TFCORE_SPIN_US": "10000"}):
        assert lends and lent > 0
