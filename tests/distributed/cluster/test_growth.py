"""What a cluster of many tasks costs each of them: memory, mappings, threads. `test_exchange.py` counts messages."""

import json
import time

import pytest

from tests.distributed import mpi

MIB = 1 << 20


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A function from a number of tasks to the reports of bench.distributed.start: one server, each worker does a step.

    By rank; the tasks run once.
    """
    known = {}

    def reports(tasks):
        if tasks not in known:
            folder = tmp_path_factory.mktemp(f"tasks-{tasks}")
            program = ["-m", "bench.distributed.start", "--task", folder]
            env = {"TFCORE_BENCH_BEGAN": str(time.time()), "OPENBLAS_NUM_THREADS": "1"}
            job = mpi.run(program, tasks, env=env, limit=60)
            assert job.code == 0, job.text
            known[tasks] = [json.loads((folder / f"{rank}.json").read_text()) for rank in range(tasks)]
        return known[tasks]

    return reports


def test_memory_does_not_follow_the_number_of_tasks(reports):
    few, many = reports(8), reports(32)
    largest = [max(report["memory"] for report in found[1:]) for found in (few, many)]
    assert largest[1] - largest[0] < MIB, (few, many)
    assert many[0]["memory"] - few[0]["memory"] < 2 * MIB, (few[0], many[0])


def test_a_task_maps_the_memory_of_those_it_talks_to(reports):
    """Its own, the server's, and that of the two whose heartbeat it sees."""
    assert all(report["arenas"] <= 4 for report in reports(32)[1:])


def test_calls_of_many_tasks_at_once_need_few_threads(reports):
    assert reports(32)[0]["most_threads"] < 32


WAITING_RUNS = """
import atexit, os, threading, time
import tfcore as tf

AT_ONCE = 40
server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=1))
most = 0

def count_threads():
    global most
    while True:
        most = max(most, len(os.listdir("/proc/self/task")))
        time.sleep(0.02)

if server.server_def.job_name == "ps":
    begun = len(os.listdir("/proc/self/task"))
    threading.Thread(target=count_threads, daemon=True).start()
    atexit.register(lambda: print("threads", most - begun, flush=True))
    server.join()

gate, inside = threading.Event(), threading.Semaphore(0)

def late(x):
    inside.release()
    gate.wait()
    return x

with tf.device("/job:worker/task:0"):
    x = tf.placeholder(tf.float32)
    value = tf.py_func(late, [x], tf.float32)
with tf.device("/job:ps/task:0"):
    total = tf.Variable(0.0)
    step = tf.assign_add(total, value)
    nothing = tf.Variable(7.0)

def run(results, **options):
    try:
        session.run(step, {x: 1.0}, **options)
        results.append("done")
    except tf.errors.OpError as error:
        results.append(type(error).__name__)

def run_many(**options):
    results = []
    threads = [threading.Thread(target=run, args=(results,), kwargs=options) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for _ in threads:
        inside.acquire()
    time.sleep(0.3)  # the server has its part of all of them
    return results, threads

session = tf.Session(server.target)
session.run(tf.global_variables_initializer())
for name, options in [("all end", {}), ("all time out", {"options": tf.RunOptions(timeout_in_ms=100)})]:
    gate.clear()
    results, threads = run_many(**options)
    assert session.run(nothing) == 7  # others are not held up
    if name == "all time out":
        time.sleep(0.3)
    gate.set()
    for thread in threads:
        thread.join()
    print(name, sorted(set(results)), len(results), session.run(total), flush=True)
gate.clear()
results, threads = run_many()
closer = threading.Thread(target=session.close)
closer.start()
time.sleep(0.2)
gate.set()
for thread in threads + [closer]:
    thread.join()
print("closed", sorted(set(results)), len(results), flush=True)
"""


@pytest.mark.parametrize("env", [{}, {"TFCORE_TRANSPORT": "mpi"}], ids=["shared memory", "mpi"])
def test_runs_that_wait_have_no_threads(env):
    """Forty steps wait at the server for values of a worker: they end, time out or are cancelled as any other."""
    job = mpi.run(WAITING_RUNS, 2, env=env)
    assert job.code == 0, job.text
    assert "all end ['done'] 40 40.0" in job.text, job.text
    assert "all time out ['DeadlineExceededError'] 40 40.0" in job.text, job.text
    assert "closed ['CancelledError'] 40" in job.text, job.text
    (threads,) = job.lines("threads")
    assert int(threads.split()[1]) < 20, job.text
