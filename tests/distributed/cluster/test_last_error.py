"""What the user of a job sees when a task fails: the cause once and first, then who failed because of it."""

import json
import os
import signal
import sys
import threading

import pytest

import tfcore as tf
from tests.distributed import mpi
from tfcore.distributed.task import last_error
from tfcore.run import launcher, supervisor

PROGRAM = """
import os, sys
import numpy as np
import tfcore as tf
case = sys.argv[1]
cluster = tf.train.ClusterSpec.from_mpi()
server = tf.train.Server(cluster)
if cluster.job_name == "ps":
    server.join()
    sys.exit()
odd = cluster.task_index == 1
x = tf.placeholder(tf.float32, [None, 3], name="x")
with tf.device(tf.train.replica_device_setter(cluster=cluster)):
    shape = [3, 2 if case == "shape" and odd else 1]
    w = tf.get_variable("w", shape, initializer=tf.constant_initializer(odd if case == "values" else 1.0))
    table = tf.get_variable("table", [10, 2], initializer=tf.ones_initializer())
rows = tf.placeholder(tf.int32, [None], name="rows")
checked = tf.check_numerics(tf.matmul(x, w), "the product is bad")
loss = tf.reduce_mean(checked ** 2) + tf.reduce_sum(tf.gather(table, rows))
optimizer = tf.train.GradientDescentOptimizer(0.2 if case == "rate" and odd else 0.1)
if case != "row":
    optimizer = tf.train.AllreduceOptimizer(optimizer)
step = optimizer.minimize(loss)
saver = tf.train.Saver()
def work():
    with tf.Session(server.target) as session:
        if case != "uninitialized":
            session.run(tf.global_variables_initializer())
        for i in range(3):
            feeds = {x: np.ones([4, 3]), rows: [1, 2]}
            if odd and i == 1:
                if case == "program":
                    raise KeyError("no such " + "column")
                if case == "killed":
                    os.kill(os.getpid(), 9)
                if case == "checkpoint":
                    saver.restore(session, "/nowhere/model")
                if case == "feed":
                    feeds[x] = np.ones([4, 2])
                if case == "NaN":
                    feeds[x] = np.full([4, 3], np.nan)
                if case == "row":
                    feeds[rows] = [1, 99]
                if case == "memory":
                    session.run(tf.fill([10**7, 10**7], 1.0))
                if case == "device":
                    with tf.device("/job:worker/task:7"):
                        session.run(tf.zeros([2], name="lost") + 1.0)
            session.run([step, loss], feeds)
work()
"""
LINES = 25  # of a job
INTERNAL = ("_run/", "tfcore_preparation", "report_uninitialized", "_Send", "_Recv", ".pyx", "monitored_session.py")

CASES = {  # the cause; "defined at" or not; the number of parameter servers
    "program": ("KeyError: 'no such column'", False, 0),
    "feed": ("Cannot feed value of shape (4, 2) for Tensor 'x:0'", True, 0),
    "row": ("indices[1] = 99 is not in [0, 10)", True, 1),
    "NaN": ("the product is bad : Tensor had NaN values", True, 0),
    "uninitialized": ("Attempting to use uninitialized value", True, 0),
    "values": ("'w' (float32[3,1]) has different values on /job:worker/task:", True, 0),
    "shape": ("float32[3,2]", True, 0),
    "rate": ("'GradientDescent/learning_rate'", True, 0),
    "checkpoint": ("not a valid checkpoint: /nowhere/model", False, 0),
    "memory": ("OOM when allocating tensor with shape[10000000,10000000]", True, 0),
    "device": ("/job:worker/task:7", True, 0),
}
IN_CI = ("program", "row", "values", "uninitialized")
TRIED = CASES if float(os.environ.get("TFCORE_TEST_EFFORT", 1)) > 1 else IN_CI


def output(job):
    return [line for line in job.text.splitlines() if "[warn] Epoll" not in line]


@pytest.mark.parametrize("case", TRIED)
def test_the_cause_comes_once_and_first(case, script):
    cause, has_line, ps = CASES[case]
    job = mpi.run(["-m", "tfcore.run", "--ps", str(ps), "--workers", "3", script(PROGRAM), case])
    lines = output(job)
    assert job.code == 1 and len(lines) <= LINES, job.text
    assert lines[0].endswith("| Traceback (most recent call last):"), job.text
    assert job.text.count(cause) == 1 and job.text.count("Traceback") == 1, job.text
    assert not any(name in job.text for name in INTERNAL), job.text
    assert ("(defined at " in job.text) == has_line, job.text
    root = lines[0].partition("|")[0]
    others = [f"worker {i}" for i in range(3) if f"worker {i}" != root]
    consequence = f"tfcore.run: {' and '.join(others)} ended because of {root}"
    end = [f"tfcore.run: {root} ended with exit code 1", *([] if ps else [consequence])]  # those of a ps live on
    assert lines[-len(end) :] == end, job.text


def test_a_killed_process_and_what_to_do(script):
    job = mpi.run(["-m", "tfcore.run", "--workers", "3", script(PROGRAM), "killed"])
    first, *_, follow, last = output(job)
    assert first == "tfcore.run: worker 1 was ended by signal 9 (SIGKILL)", job.text
    assert follow == "tfcore.run: worker 0 and worker 2 ended because of worker 1", job.text
    assert "--restart" in last and len(output(job)) <= 5 and "Traceback" not in job.text, job.text


def test_without_the_launcher_each_task_says_whom_it_follows(script):
    job = mpi.run([script(PROGRAM), "program"], 3)
    assert job.text.count("Traceback") == job.text.count("no such column") == 1, job.text
    followers = [line for line in output(job) if " ends because of /job:worker/task:1 on host " in line]
    assert len(followers) in (1, 2), job.text  # mpirun kills the others when the first process has failed


def test_ctrl_c_ends_the_job_silently(script):
    path = script(
        "import tfcore as tf, time\ntf.train.Server(tf.train.ClusterSpec.from_mpi())\nprint('up')\ntime.sleep(60)"
    )
    with mpi.Job(["-m", "tfcore.run", "--workers", "2", path]) as job:
        job.see("| up", 2)
        os.kill(job.pid, signal.SIGINT)
        job.wait()
    assert job.code == 128 + signal.SIGINT and job.lines() == ["worker 0| up", "worker 1| up"], job.text


def calls(n):
    return calls(n - 1) if n else tf.reshape([1, 2], [3])


def test_only_frames_of_the_program_are_shown():
    with pytest.raises(ValueError) as caught:
        calls(20)
    text = last_error.shown(caught.value)
    assert "/tfcore/ops/" not in text and "^" not in text
    assert text.endswith("(16 calls are left out. TFCORE_FULL_TRACEBACKS=1 shows all.)\n")
    assert last_error.place(caught.value) == ["ValueError", __file__, calls.__code__.co_firstlineno + 1]


def test_an_exception_during_another_one():
    with pytest.raises(KeyError) as caught:
        try:
            calls(0)
        except ValueError as error:
            raise KeyError("b") from error
    text = last_error.shown(caught.value)
    assert text.count("Traceback") == 2 and "direct cause" in text and "/tfcore/ops/" not in text


@pytest.mark.parametrize(
    "text, told",
    [("a\nb", "it ended with KeyError: a"), ("long " * 99, "it ended with KeyError: " + "long " * 38 + "long ...")],
)
def test_the_reason_for_other_tasks_is_one_line(text, told):
    class KeyError(Exception):
        pass

    assert last_error.reason(KeyError(text)) == told


class OfThree:
    """A task's LastError, asked for three tasks without any fabric."""

    def __init__(self, monkeypatch):
        self.rank, self.failures = 0, {}
        self.told = []
        monkeypatch.setattr(last_error, "fabric", self)
        monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
        self.last = last_error.LastError(self)

    def serve(self, name, handler):
        pass

    def on_failure(self, handler):
        pass

    def alive(self, rank):
        return rank not in self.failures

    def failure(self, rank):
        return self.failures.get(rank)

    def others(self):
        return [1, 2]

    def call(self, rank, name, payload, timeout_s):
        self.told.append((rank, json.loads(payload)))

    def ask(self, rank, where, consequence=False, last=True, lost=True):
        question = {"place": where, "consequence": consequence, "lost": lost, "last": last}
        return json.loads(self.last._on_question(rank, json.dumps(question).encode()))

    def fail(self, rank, why):
        self.failures[rank] = why
        self.last._on_failure(rank)


@pytest.fixture
def three(monkeypatch):
    return OfThree(monkeypatch)


@pytest.mark.parametrize("whole", ["0", "1"])
def test_the_variable_for_whole_tracebacks(whole, monkeypatch):
    monkeypatch.setenv("TFCORE_FULL_TRACEBACKS", whole)
    OfThree(monkeypatch)
    assert (sys.excepthook is sys.__excepthook__) == (whole == "1")


A, B, LOST = ["ValueError", "a.py", 1], ["ValueError", "a.py", 2], ["UnavailableError", "a.py", 3]


def test_errors_of_the_same_line_are_one(three):
    assert three.ask(1, A) is None and three.told == [(1, [1, A]), (2, [1, A])]
    assert three.ask(2, A) == [1, 1] and three.ask(0, B) is None


def test_a_decision_is_told_before_the_next_one(three, monkeypatch):
    """A task that knows that it follows another may end, and with it what it has not told yet."""
    telling, go_on, answers = threading.Event(), threading.Event(), []
    monkeypatch.setattr(three, "call", lambda *args, **kwargs: telling.set() or go_on.wait())
    first = threading.Thread(target=lambda: answers.append(three.ask(1, A)))
    second = threading.Thread(target=lambda: answers.append(three.ask(0, A)))
    first.start()
    telling.wait()
    second.start()
    second.join(0.2)
    assert answers == []
    go_on.set()
    second.join()
    first.join()
    assert len(answers) == 2 and None in answers and [1, 1] in answers


def test_a_task_that_was_told_that_it_is_the_cause(three):
    """Its question may never be answered."""
    three.last._on_news(1, json.dumps([0, A]).encode())
    assert three.ask(2, A) == [0, 1] and three.ask(0, A) is None


def test_a_consequence_waits_for_its_cause(three):
    assert three.ask(2, LOST, consequence=True, last=False) is None
    assert three.ask(1, A) is None
    assert three.ask(2, LOST, consequence=True, last=False) == [1, 1]
    assert three.ask(0, LOST, consequence=True) == [1, 2]


def test_a_consequence_without_a_cause_is_shown(three):
    assert three.ask(2, LOST, consequence=True) is None and three.told == [(1, [2, LOST]), (2, [2, LOST])]


def test_the_latest_cause_counts(three):
    """One that was lost long ago has not done it; nor has one that has only followed."""
    three.fail(1, "process 7 is gone")
    assert three.ask(0, A) is None
    assert three.ask(2, LOST, consequence=True) == [0, 1]
    three.fail(2, f"{last_error.failure.FOLLOWED} rank 0")
    assert three.ask(1, LOST, consequence=True) == [0, 2]


def test_what_a_lost_process_can_not_cause_is_shown(three, monkeypatch):
    three.fail(1, "process 7 is gone")
    assert three.ask(2, A, consequence=True, lost=False) is None  # such as collectives that differ
    monkeypatch.setattr(last_error, "RECENT_S", 0.0)
    assert three.ask(0, LOST, consequence=True) is None


def test_a_new_process_in_the_place_has_done_nothing(three):
    assert three.ask(1, A) is None
    three.last.admit(1)
    assert three.ask(2, A) is None


def test_a_large_job_is_summed_up(capfd):
    mark = supervisor.MARK.decode()
    told = [f"{mark}follows {rank} 0" for rank in range(1, 60)]
    told += [f"{mark}ended {rank} {0 if rank == 99 else 1}" for rank in range(100)]
    job = launcher.Job(["sh", "-c", 'printf "%s\\n" "$@" >&2; exit 1', "sh", *told], dict(os.environ), ranks=100, ps=1)
    assert job.wait() == 1
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == "tfcore.run: ps 0 ended with exit code 1"
    assert lines[-2] == "tfcore.run: worker 0, worker 1, worker 2, worker 3 and 55 others ended because of ps 0"
    assert lines[-1] == "tfcore.run: 32 more processes failed" and len(lines) == 10
