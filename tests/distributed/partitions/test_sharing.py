"""Workers that run the same program share the plans of their partitions on a server: what they share, and what not."""

import gc
import json
import os
import threading
import time

import numpy as np
import pytest
from tfcore.core.registry.kernel import ResourceManager

import tfcore as tf
from tests.distributed import mpi
from tfcore.compiler.compile import Compiler
from tfcore.compiler.partition import partition
from tfcore.compiler.program_def import to_graph_def
from tfcore.distributed.cluster.devices import ClusterDevices
from tfcore.distributed.fabric import fabric
from tfcore.distributed.partitions import steps
from tfcore.distributed.partitions.worker import Worker, pack, unpack

TASKS = [("ps", 0), ("worker", 0), ("worker", 1), ("worker", 2)]
CPU = [["CPU", 1 << 30, ""]]
SESSION = {"session": 1, "drop": [], "forget": [], "fuses_loops": True, "threads": 0, "inter_op": 0, "epoch": 0}
FLAT = 2 << 20  # bytes that resident memory may vary by


@pytest.fixture
def worker(monkeypatch):
    """The Worker of the parameter server; all masters are alive."""
    monkeypatch.setattr(fabric, "serve", lambda method, fn: None)
    monkeypatch.setattr(fabric, "on_failure", lambda fn: None)
    monkeypatch.setattr(fabric, "lives", lambda rank, incarnation: True)
    return Worker(ResourceManager(), ("ps", 0, 0))


def servers_part(build, rank):
    """The Program of the server's partition, if the worker of this rank runs what `build` returns."""
    devices = ClusterDevices([(task, CPU) for task in TASKS], rank, rank)
    with tf.Graph().as_default():
        fetch = build()
    program = Compiler(ResourceManager(), devices=devices).program([fetch], [], [])
    (_, part) = partition(program, devices.default, devices.ranks())
    return part.program


def register(worker, build, rank, sent=None, **header):
    """Registers it; returns the handle."""
    graph = to_graph_def(servers_part(build, rank), sent)
    answer, _ = unpack(worker._register(rank, pack({**SESSION, **header}, graph)))
    return answer["handle"]


def plan_of(handle):
    return steps._partitions[handle].plan


def push():
    """A worker adds a value of its own to a variable, and reads it."""
    value = tf.random_uniform([])
    with tf.device("/job:ps/task:0"):
        total = tf.Variable(0.0, name="total")
        return tf.assign_add(total, tf.exp(value, name="mine"))


def test_equal_partitions_are_compiled_once(worker):
    handles = [register(worker, push, rank) for rank in (1, 2, 3)]
    assert len(set(handles)) == 3 and len({id(plan_of(handle)) for handle in handles}) == 1
    assert worker.counts() == {"registered": 3, "plans": 1, "compiled": 1}
    again = register(worker, push, 1)
    assert again not in handles and plan_of(again) is plan_of(handles[0])


def draw():
    with tf.device("/job:ps/task:0"):
        return tf.random_uniform([], seed=7) + 1.0


def tell():
    with tf.device("/job:ps/task:0"):
        return tf.Print(tf.constant(1.0), [1.0], first_n=1)


def draw_in_loop():
    with tf.device("/job:ps/task:0"):
        return tf.while_loop(lambda i: i < 3.0, lambda i: i + tf.random_uniform([], seed=7), [0.0])


@pytest.mark.parametrize("build", [draw, tell, draw_in_loop])
def test_plans_with_a_sessions_state_are_not_shared(worker, build):
    handles = [register(worker, build, rank) for rank in (1, 2)]
    assert plan_of(handles[0]) is not plan_of(handles[1])
    assert worker.counts() == {"registered": 2, "plans": 2, "compiled": 2}


@pytest.mark.parametrize("header", [{"threads": 1}, {"inter_op": 1}, {"fuses_loops": False}])
def test_other_settings_make_another_plan(worker, header):
    handles = [register(worker, push, 1), register(worker, push, 2, **header)]
    assert plan_of(handles[0]) is not plan_of(handles[1])


def large(value):
    with tf.device("/job:ps/task:0"):
        return tf.constant(np.full(10_000, value, np.float32)) * tf.Variable(1.0, name="factor")


def values_of(handle):
    return [op.attrs["value"] for op in plan_of(handle).ops if op.type == "Const" and op.attrs["value"].nbytes > 1000]


def test_other_values_make_another_plan(worker):
    """Also where the values lie outside the GraphDefs, which are equal."""
    handles = [register(worker, lambda v=v: large(v), rank, {}) for rank, v in ((1, 3.0), (2, 4.0), (3, 3.0))]
    assert plan_of(handles[0]) is plan_of(handles[2]) is not plan_of(handles[1])
    assert [values_of(handle)[0][0] for handle in handles] == [3.0, 4.0, 3.0]


def test_constants_of_different_plans_are_kept_once(worker):
    """Another session refers to a constant by another number, or sends it again."""

    def negative():
        with tf.device("/job:ps/task:0"):
            return -large(3.0)

    first = register(worker, lambda: large(3.0), 1, {})
    sent = {}
    register(worker, lambda: large(5.0), 2, sent)  # so that the numbers differ
    other = register(worker, negative, 2, sent)
    assert plan_of(first) is not plan_of(other) and values_of(first)[0] is values_of(other)[0]
    kept = [constant.value for session in worker._sessions.values() for constant in session.constants.values()]
    assert len({id(value) for value in kept}) == 2 and len(kept) == 3


def test_bits_with_another_type_are_another_constant(worker):
    def integers():
        with tf.device("/job:ps/task:0"):
            return tf.constant(np.full(10_000, 3.0, np.float32).view(np.int32)) * tf.Variable(1, name="whole")

    handles = [register(worker, lambda: large(3.0), 1, {}), register(worker, integers, 2, {})]
    assert [values_of(handle)[0].dtype for handle in handles] == [np.float32, np.int32]


@pytest.mark.parametrize(
    "end",
    [lambda worker: worker._close_session(1, pack({"session": 1})), lambda worker: worker._forget_master(1)],
    ids=["closed", "its master fails"],
)
def test_a_plan_lives_as_long_as_one_session_has_it(worker, end):
    first, second = [register(worker, push, rank) for rank in (1, 2)]
    plan = plan_of(first)
    end(worker)
    assert first not in steps._partitions and plan_of(second) is plan
    assert worker.counts() == {"registered": 1, "plans": 1, "compiled": 1}
    assert plan_of(register(worker, push, 3)) is plan
    worker._forget_master(2)
    worker._forget_master(3)
    del plan
    gc.collect()
    assert not worker._plans._plans
    register(worker, push, 3)
    assert worker.counts() == {"registered": 1, "plans": 1, "compiled": 2}


@pytest.mark.parametrize("containers", [[], [""], ["localhost"]])
def test_a_plan_does_not_outlive_the_containers_it_uses(worker, containers):
    """Its kernels hold on to the old variables."""
    plan = plan_of(register(worker, push, 1))
    worker._reset(2, pack({"containers": containers}))
    assert plan_of(register(worker, push, 1)) is not plan


def test_a_plan_that_is_made_during_a_reset_is_not_kept(worker, monkeypatch):
    lower = Compiler.lower

    def lower_and_reset(*args):
        monkeypatch.setattr(Compiler, "lower", lower)
        plan = lower(*args)
        worker._reset(2, pack({"containers": []}))
        return plan

    monkeypatch.setattr(Compiler, "lower", lower_and_reset)
    with pytest.raises(tf.errors.AbortedError, match="containers were cleared"):
        register(worker, push, 1)
    assert not worker._plans._plans
    register(worker, push, 1)
    assert worker.counts() == {"registered": 1, "plans": 1, "compiled": 2}


@pytest.mark.parametrize("fails", [False, True], ids=["made", "fails"])
def test_who_comes_while_a_plan_is_made_waits_for_it(worker, monkeypatch, fails):
    """If that fails, the next one tries."""
    graphs = {rank: to_graph_def(servers_part(push, rank)) for rank in (1, 2, 3)}
    lower, begun, go_on = Compiler.lower, threading.Event(), threading.Event()

    def slowly(*args):
        first = not begun.is_set()
        begun.set()
        assert go_on.wait(60)
        if fails and first:
            raise tf.errors.ResourceExhaustedError(None, None, "no memory for kernels")
        return lower(*args)

    def call(rank):
        try:
            found[rank] = unpack(worker._register(rank, pack(SESSION, graphs[rank])))[0]["handle"]
        except tf.errors.ResourceExhaustedError as error:
            found[rank] = type(error)

    monkeypatch.setattr(Compiler, "lower", slowly)
    found = {}
    threads = [threading.Thread(target=call, args=[rank]) for rank in graphs]
    threads[0].start()
    assert begun.wait(60)
    for thread in threads[1:]:
        thread.start()
    time.sleep(0.1)
    assert not found
    go_on.set()
    for thread in threads:
        thread.join()
    handles = [handle for handle in found.values() if isinstance(handle, int)]
    assert len(handles) == 3 - fails and worker.counts() == {"registered": 3 - fails, "plans": 1, "compiled": 1}
    assert not worker._plans._compiling


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("build", [push, draw, lambda: large(3.0)], ids=["shared", "with state", "constants"])
def test_memory_is_flat_while_sessions_come_and_go(worker, build):
    graphs = {rank: to_graph_def(servers_part(build, rank), {}) for rank in (1, 2)}

    def rounds(count):
        for _ in range(count):
            for rank, graph in graphs.items():
                worker._register(rank, pack(SESSION, graph))
            for rank in graphs:
                worker._close_session(rank, pack({"session": 1}))
        return resident()

    before = rounds(200)
    assert rounds(1000) - before < FLAT
    assert worker.counts()["registered"] == 0 and not worker._plans._plans and not worker._constants


# ---- In a cluster

PROGRAM = """
    import json, os, signal, time
    import tfcore as tf
    from tfcore.distributed.fabric import fabric

    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    if server.server_def.job_name == "ps":
        server.join()
    index, workers = server.server_def.task_index, cluster.num_tasks("worker")
    with tf.device("/job:worker/task:%d" % index):
        mine = tf.placeholder(tf.float32, [])
    with tf.device("/job:ps/task:0"):
        total = tf.Variable(0.0, name="total")
        sums = tf.get_variable("sums", [], initializer=tf.zeros_initializer())
        step = tf.assign_add(total, mine * 2.0)
        add = tf.assign_add(sums, 1.0)
        drawn = tf.random_uniform([], seed=7)
    session = tf.Session(server.target)
    if index == 0:
        session.run(tf.global_variables_initializer())

    def wait_for(variable, value):
        while True:
            try:
                if session.run(variable) >= value:
                    return
            except tf.errors.FailedPreconditionError:
                pass
            time.sleep(0.02)

    wait_for(sums, 0)
    for i in range(10):
        got = session.run(step, {mine: float(index + 1)})
        assert got >= 2.0 * (index + 1) * (i + 1)
    draws = [float(session.run(drawn)) for _ in range(3)]
    print("draws", draws, flush=True)
    session.run(add)
    wait_for(sums, workers)
"""
ENDS = """
    if index == 0:
        print("total", session.run(total), flush=True)
        print("partitions", json.dumps(server.status(30.0)["tasks"][0]["partitions"]), flush=True)
        session.run(add)
        wait_for(sums, workers + 2)  # worker 1 has closed its session
        while fabric.alive(fabric.size() - 1):
            time.sleep(0.02)
        time.sleep(0.5)
        print("left", json.dumps(server.status(30.0)["tasks"][0]["partitions"]), flush=True)
        print("after", session.run(step, {mine: 5.0}), flush=True)
        print("partitions", json.dumps(server.status(30.0)["tasks"][0]["partitions"]), flush=True)
        session.run(add)
    else:
        wait_for(sums, workers + 1)
        if index == 1:
            with tf.Session(server.target) as other:
                session.close()
                other.run(add)
            session = tf.Session(server.target)
        if index == workers - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        wait_for(sums, workers + 3)
        print("continues", session.run(step, {mine: 0.0}), flush=True)
"""


def counts(job, start):
    """What was printed with this text before it, in that order."""
    return [json.loads(line.removeprefix(start)) for line in job.text.splitlines() if line.startswith(start)]


@pytest.mark.parametrize("env", [{}, {"TFCORE_TRANSPORT": "mpi"}], ids=["shared memory", "mpi"])
def test_eight_workers_share_plans(env):
    """One of them closes its session and one is killed; the others continue with the plans."""
    mpi.require_survivors()
    job = mpi.run(PROGRAM + ENDS, 9, env=env)
    assert len(set(job.lines("draws"))) == 1 and len(job.lines("draws")) == 8, job.text
    assert job.lines("total") == [f"total {2.0 * 10 * sum(range(1, 9))}"], job.text
    before, after = counts(job, "partitions ")
    # Each worker has partitions of `sums`, `step`, `drawn` and `add`. The first also initializes, and reads `total`.
    assert before["registered"] == 4 * 8 + 2, job.text
    assert before["plans"] == before["compiled"] == 3 + 8 + 2, job.text  # `drawn` has a session's state
    (left,) = counts(job, "left ")
    assert left["registered"] <= before["registered"] - 4 and left["plans"] < before["plans"], job.text
    assert after["compiled"] == before["compiled"], job.text
    assert job.lines("after") == [f"after {2.0 * 10 * sum(range(1, 9)) + 10.0}"], job.text
    assert len(job.lines("continues")) == 6, job.text
