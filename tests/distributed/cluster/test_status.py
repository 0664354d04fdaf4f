"""What tasks say of themselves, and of operations that wait for long."""

import json
import os
import re
import signal
import time

import pytest

import tfcore as tf
from tests.distributed import mpi, tasks
from tests.distributed.fabric.test_fabric import TENSOR, wait_until, with_mailbox

TRANSPORTS = pytest.mark.parametrize(
    "env", [{}, {"TFCORE_TRANSPORT": "mpi"}, {"TFCORE_TRANSPORT": "tcp"}], ids=["shared memory", "mpi", "tcp"]
)

# ---- Counts


def exchange(task):
    """Rank 0 sends 100 small and 10 large tensors; what the two count is the same."""
    import numpy as np

    fabric, box = with_mailbox(task)
    before = fabric.traffic()[1 - task.rank]
    task.meet()
    if task.rank == 0:
        for i in range(100):
            fabric.send(1, TENSOR, np.float32(i))
        for _ in range(10):
            fabric.send(1, TENSOR, np.zeros(100_000, np.int8))
    else:
        for _ in range(110):
            assert box.get(30) is not None
    task.meet()
    assert wait_until(lambda: fabric.stats()["outstanding"] == 0)
    task.meet()
    after = fabric.traffic()[1 - task.rank]
    assert fabric.traffic()[task.rank]["sent"] == {"messages": 0, "bytes": 0}
    task.meet()  # a task that ends tells the others
    return [[after[way][what] - before[way][what] for what in ("messages", "bytes")] for way in ("sent", "received")]


def test_both_ends_count_the_same():
    (sent_0, received_0), (sent_1, received_1) = tasks.run(2, exchange)
    assert sent_0 == received_1 and sent_1 == received_0
    assert sent_0[0] == 110 and 1_000_000 < sent_0[1] < 1_020_000
    assert sent_1[0] == 10 and sent_1[1] < 1000  # that the large ones are not needed any more


def fill_a_ring(task):
    """Rank 1 is stopped: what rank 0 sends fills its ring, and then waits."""
    import numpy as np

    fabric, box = with_mailbox(task)
    if task.rank == 1:
        task.meet()
        os.kill(os.getpid(), signal.SIGSTOP)
        for _ in range(1000):
            assert box.get(30) is not None
        task.meet()
        return True
    pid = fabric.pids()[1]
    task.meet()
    assert wait_until(lambda: open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] == "T")
    for _ in range(1000):
        fabric.send(1, TENSOR, np.zeros(1000, np.int8))
    full = fabric.traffic()[1]
    os.kill(pid, signal.SIGCONT)
    task.meet()
    assert wait_until(lambda: fabric.traffic()[1]["queued"] == {"messages": 0, "bytes": 0})
    assert not fabric.traffic()[1]["ring_full"]
    return [full["ring_full"], full["queued"]["messages"], full["queued"]["bytes"], full["sent"]["messages"]]


def test_what_finds_no_room_is_counted():
    (full, messages, n_bytes, sent), _ = tasks.run(2, fill_a_ring)
    assert full and 500 < messages < 1000 and sent >= 1000
    assert 1000 * messages < n_bytes < 1200 * messages


# ---- Server.status

PROGRAM = """
    import json, sys, time
    import tfcore as tf
    from tfcore.distributed.fabric import fabric

    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    job, index = server.server_def.job_name, server.server_def.task_index
    if job == "ps":
        server.join()
    with tf.device("/job:ps/task:0"):
        value = tf.Variable(tf.zeros([1000]))
        add = value.assign_add(tf.ones([1000])).op
"""

COUNTED = (
    PROGRAM
    + """
    queue = tf.FIFOQueue(5, tf.float32, [[]], name="numbers")
    put = queue.enqueue(1.0)
    element = tf.data.Dataset.range(9).prefetch(3, name="ahead").make_one_shot_iterator().get_next()
    with tf.Session(server.target) as session:
        session.run([value.initializer, put, element])
        for _ in range(50):
            session.run(add)
        print("status", json.dumps(server.status()), flush=True)
    """
)


def statuses(job):
    return [json.loads(line.removeprefix("status ")) for line in job.lines("status")]


@TRANSPORTS
def test_all_tasks_are_shown(env):
    job = mpi.run(COUNTED, ranks=2, env=env)
    (status,) = statuses(job)
    assert status["asked"] == 1 and re.fullmatch("[0-9a-f]{8}", status["job"])
    server, worker = status["tasks"]
    assert [t["task"] for t in status["tasks"]] == ["/job:ps/task:0", "/job:worker/task:0"]
    for rank, t in enumerate([server, worker]):
        assert t["rank"] == rank and t["state"] == "running" and t["reason"] is None and t["pid"] > 0 and t["host"]
        assert t["uptime_s"] > 0 and t["memory"]["resident_bytes"] > 1 << 20 and t["waits"] == []
        assert t["memory"]["bytes_in_use"] > 0 and t["flow_control"]["queued"] == 0
        assert [p["rank"] for p in t["peers"]] == [1 - rank] and t["peers"][0]["state"] == "alive"
    assert server["pid"] != worker["pid"]
    assert 51 <= server["steps"]["run"] + server["steps"]["running"] < 60
    assert server["steps"]["running_for_others"] <= 1
    assert worker["steps"]["run"] >= 51 and worker["steps"]["running"] == 0
    assert worker["sent"]["messages"] >= 51 and worker["sent"]["bytes"] > 51 * 48
    assert server["received"]["messages"] >= 51
    assert [(q["name"], q["elements"], q["capacity"]) for q in worker["queues"]] == [("numbers", 1, 5)]
    ahead = worker["pipelines"][0]
    assert (ahead["kind"], ahead["taken"], ahead["counts"]["capacity"]) == ("Prefetch", 1, 3)
    assert server["queues"] == server["pipelines"] == []


ENDED = (
    PROGRAM
    + """
    if index == 1:
        sys.exit(0)
    while server.status()["tasks"][2]["state"] == "running":
        time.sleep(0.05)
    time.sleep(1)  # by then its connections have ended, too
    print("status", json.dumps(server.status()), flush=True)
"""
)


@TRANSPORTS
def test_a_task_that_has_ended_is_shown(env):
    (status,) = statuses(mpi.run(ENDED, ranks=3, env=env))
    assert [t["state"] for t in status["tasks"]] == ["running", "running", "left"]
    assert status["tasks"][2]["reason"] == "it has ended" and status["tasks"][2]["task"] == "/job:worker/task:1"


FROZEN = (
    PROGRAM
    + """
    print("ready", flush=True)
    while server.status(0.2)["tasks"][0]["state"] == "running":
        time.sleep(0.05)
    began = time.monotonic()
    status = server.status(0.2)
    print("took", time.monotonic() - began)
    print("status", json.dumps(status), flush=True)
"""
)


def test_a_frozen_task_is_shown_without_being_waited_for():
    with mpi.Job(FROZEN, ranks=2, env={"TFCORE_FAILURE_TIMEOUT": "0"}) as job:
        job.see("ready")
        pid = job.pid_of(0)
        os.kill(pid, signal.SIGSTOP)
        job.see("status")
        os.kill(pid, signal.SIGCONT)
        job.wait()
    (status,) = statuses(job)
    assert [t["state"] for t in status["tasks"]] == ["silent", "running"]
    assert status["tasks"][0]["reason"] == "no answer within 0.2 s" and status["tasks"][0]["pid"] == pid
    assert float(job.lines("took")[0].split()[1]) < 5


def test_a_server_that_has_not_started_has_no_status():
    server = tf.train.Server({"localhost": ["localhost:0"]}, "localhost", 0, start=False)
    with pytest.raises(tf.errors.FailedPreconditionError, match="not started"):
        server.status()


# ---- Long waits


COLLECTIVE = """
    import json, time
    import tfcore as tf

    server = tf.train.Server(tf.train.ClusterSpec.from_mpi())
    rank = int(server.target.removeprefix("mpi://"))
    total = tf.distributed.allreduce(tf.ones([2]), name="total")
    with tf.Session(server.target) as session:
        if rank == 2:
            while not any(t["waits"] for t in server.status()["tasks"][:2]):
                time.sleep(0.05)
            time.sleep(0.5)
            print("status", json.dumps(server.status()), flush=True)
        session.run(total)
        time.sleep(1)  # nothing waits any more
"""

STEPS = (
    PROGRAM
    + """
    with tf.device("/job:ps/task:0"):
        total = value + tf.placeholder_with_default(1.0, [])
    with tf.Session(server.target) as session:
        session.run(value.initializer)
        session.run(total)  # the server knows its part from here on
        print("ready", flush=True)
        while open(f"/proc/{fabric.pids()[0]}/stat").read().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.01)
        session.run(total)
"""
)

SENDS = (
    PROGRAM
    + """
    def body(i, total):
        with tf.device("/job:worker/task:0"):
            large, following = tf.fill([300_000], tf.cast(i, tf.float32)), i + 1
        with tf.device("/job:ps/task:0"):
            return following, total + tf.reduce_sum(large)

    with tf.device("/job:worker/task:0"):
        _, total = tf.while_loop(lambda i, total: i < 300, body, [0, 0.0])
    with tf.Session(server.target) as session:
        session.run(total)
        print("ready", flush=True)
        while open(f"/proc/{fabric.pids()[0]}/stat").read().rpartition(")")[2].split()[0] != "T":
            time.sleep(0.01)
        session.run(total)
"""
)


def stop_the_server(limit, program=STEPS, **env):
    """A worker runs a step, at whose beginning the server has been stopped, for 1.5 s in all."""
    env = {"TFCORE_WAIT_REPORT": limit, "TFCORE_FAILURE_TIMEOUT": "0", **env}
    with mpi.Job(program, ranks=2, env=env) as job:
        job.see("ready")
        server = job.pid_of(0)
        os.kill(server, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(server, signal.SIGCONT)
        return job.wait()


def reports(job):
    return [line for line in job.text.splitlines() if " has waited for " in line]


def test_a_wait_that_takes_long_is_reported_once():
    job = stop_the_server("0.3")
    found = [line for line in reports(job) if "op: _RunPartition" in line]
    assert len(found) == 1, job.text
    pattern = (
        r"tfcore: /job:worker/replica:0/task:0 \(rank 1\): step [0-9]+: _run/ps_0/[0-9]+ \(op: _RunPartition\) "
        r"\(defined at .*program.py:[0-9]+ in <module>\) has waited for 0\.[0-9] s until it hears the end of its part "
        r"from /job:ps/task:0 on host \S+ \(rank 0\)"
    )
    assert re.fullmatch(pattern, found[0]), found[0]


def test_values_that_do_not_come_or_have_no_room_are_reported():
    job = stop_the_server("0.3", SENDS, TFCORE_RECEIVE_BUDGET=str(3 << 20))
    mine = [line for line in reports(job) if line.startswith("tfcore: /job:worker")]
    sent = [line for line in mine if "op: _Send" in line]
    assert 1 <= len(sent) <= 2, job.text  # once for all iterations; on a busy machine they may wait again
    wanted = (
        r"step [0-9]+, iterations? [0-9]+( to [0-9]+)?: \S+ \(op: _Send\) \(defined at .*program.py:[0-9]+ in body\) "
        r"has waited for [0-9.]+ s until it may send 'edge_\S+' to /job:ps/task:0 on host \S+ \(rank 0\)"
    )
    assert all(re.search(wanted, line) for line in sent), sent
    received = [line for line in mine if "op: _Recv" in line]
    assert received and all(re.search(r"until it gets 'edge_\S+' from /job:ps/task:0 on", line) for line in received)


@pytest.mark.parametrize("limit", ["0", "30", "1e300"])
def test_nothing_is_reported_before_its_time(limit):
    job = stop_the_server(limit)
    assert reports(job) == [] and "Overflow" not in job.text


def test_a_collective_names_the_ranks_that_have_not_come():
    job = mpi.run(COLLECTIVE, ranks=3, env={"TFCORE_WAIT_REPORT": "0.3"})
    (status,) = statuses(job)
    for rank in (0, 1):
        (wait,) = status["tasks"][rank]["waits"]
        assert wait["type"] == "GroupAllreduce" and wait["ranks"] == [2] and wait["seconds"] >= 0.3
        assert "program.py" in wait["line"] and len(wait["waits_for"]) == 1
    assert status["tasks"][2]["waits"] == []
    assert len(reports(job)) == 2 and all("(rank 2)" in line for line in reports(job)), job.text


IDLE = """
    import time
    import tfcore as tf

    server = tf.train.Server(tf.train.ClusterSpec.from_mpi())
    with tf.Session(server.target) as session:
        session.run(tf.constant(1.0) + tf.placeholder_with_default(1.0, []))
        time.sleep(1)
"""


def test_idle_tasks_wait_for_nothing():
    assert reports(mpi.run(IDLE, ranks=3, env={"TFCORE_WAIT_REPORT": "0.1"})) == []


def test_a_wrong_limit_is_refused():
    job = mpi.run(IDLE, env={"TFCORE_WAIT_REPORT": "soon"})
    assert job.code == 1 and "TFCORE_WAIT_REPORT is 'soon', but must be a number of seconds" in job.text
