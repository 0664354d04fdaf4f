"""Variables with replicas (ps_replicas=2) on real clusters: equality, and servers that are killed.

TFCORE_TEST_FAULTS=100 pytest tests/distributed/replicas/test_replicas.py     # a hundred kills instead of a few
TFCORE_TEST_SEED=7                                                   # at other moments
"""

import contextlib
import os
import random
import re
import signal
import time

import pytest

import tfcore as tf
from tests.distributed import mpi
from tests.distributed.hosts import Hosts
from tests.distributed.membership.test_restart import Cluster
from tests.distributed.train.test_recovery import COUNTING, sessions

pytestmark = pytest.mark.cpu
KILLS = int(os.environ.get("TFCORE_TEST_FAULTS", "2"))
SEED = int(os.environ.get("TFCORE_TEST_SEED", "1"))
REPLICATED = ("--ps-replicas", "2")


def test_what_is_asked_for_is_checked():
    jobs = {"ps": ["a:1", "b:1"], "worker": ["c:1"]}
    spec = tf.train.ClusterSpec(jobs, ps_replicas=2)
    assert spec.ps_replicas == 2 and tf.train.ClusterSpec(spec) == spec != tf.train.ClusterSpec(jobs)
    assert repr(spec).endswith(", ps_replicas=2)") and tf.train.ClusterSpec(spec, ps_replicas=1).ps_replicas == 1
    assert tf.train.ClusterSpec.from_ranges(spec.as_ranges(), {}, 2) == spec
    with pytest.raises(ValueError, match="ps_replicas is 3, but must be 1 or 2"):
        tf.train.ClusterSpec(jobs, ps_replicas=3)
    with pytest.raises(ValueError, match="needs at least 2 tasks in job 'ps', but the cluster has 1"):
        tf.train.ClusterSpec({"ps": ["a:1"], "worker": ["b:1"]}, ps_replicas=2)
    with pytest.raises(ValueError, match="but the cluster has 0"):
        tf.train.ClusterSpec({"worker": ["b:1"]}, ps_replicas=2)


# All kinds of changes; after each step the worker compares every variable with its replica.
EQUAL = """
import pickle
import time
import numpy as np
import tfcore as tf
from tfcore.distributed.fabric import fabric
from tfcore.distributed.partitions import steps

cluster = tf.train.ClusterSpec.from_mpi(ps=2, ps_replicas=2)
server = tf.train.Server(cluster)
fabric.serve("replicas", lambda source, payload: pickle.dumps((steps.held_replicas(), steps.replica_counts())))
if cluster.job_name == "ps":
    try:
        with tf.device(f"/job:ps/task:{cluster.task_index}"):
            own = tf.Variable(1.0, name="own")
        with tf.Session(server.target) as sess:
            sess.run(own.initializer)
    except tf.errors.UnimplementedError as error:
        assert "has replicas" in error.message, error
    else:
        raise AssertionError("a server's own session has changed a replicated variable")
    server.join()
variables, updates = [], []


def make(task, value, name, **more):
    with tf.device(f"/job:ps/task:{task}"):
        variables.append(tf.Variable(value, name=f"{name}_{task}", **more))
    return variables[-1]


uneven = {}
ids = tf.placeholder(tf.int64, [None])
for task in range(2):
    for handles in False, True:
        kind = "handle" if handles else "ref"
        table = make(task, tf.random_normal([1000, 24]), f"table_{kind}", use_resource=handles)
        dense = make(task, tf.random_normal([70, 50]), f"dense_{kind}", use_resource=handles)
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids))) + tf.reduce_sum(tf.square(dense))
        for optimizer in tf.train.MomentumOptimizer(0.01, 0.9), tf.train.AdamOptimizer(0.01):
            with tf.device(f"/job:ps/task:{task}"):
                updates.append(optimizer.minimize(loss))
    half = make(task, tf.zeros([30, 3], tf.float16), "half")
    count = make(task, tf.zeros([], tf.int64), "count")
    text = make(task, np.array([b"", b"a" * 30, b"b"], object), "text")
    truth = make(task, tf.constant([True, False]), "truth")
    grows = make(task, tf.zeros([1]), "grows", validate_shape=False)
    rare = make(task, tf.zeros([40]), "rare")
    part = make(task, tf.zeros([20, 20], tf.int32), "part")
    flat = make(task, tf.zeros([60], tf.int32), "flat")
    whole = make(task, tf.zeros([2, 3], tf.int32), "whole")
    empty = make(task, tf.zeros([0, 3]), "empty")
    turn = tf.cast(tf.shape(ids)[0], tf.int32)
    with tf.device(f"/job:ps/task:{task}"):
        updates += [
            tf.scatter_add(half, ids[:1] % 30, tf.ones([1, 3], tf.float16)), tf.assign_add(count, 1),
            tf.scatter_nd_update(part, [[3, 4], [17, 2]], tf.stack([turn, turn + 1])),
            tf.scatter_nd_update(flat, [3, 17, 40], tf.stack([turn, turn + 1, turn + 2])),
            tf.scatter_nd_add(whole, np.zeros([1, 0], np.int32), tf.ones([1, 2, 3], tf.int32)),
            tf.scatter_update(text, [1], [tf.as_string(turn)]), tf.assign(truth, tf.logical_not(truth)),
            tf.assign(grows, tf.zeros([turn]), validate_shape=False), tf.count_up_to(count, 1 << 40),
            tf.cond(turn > 3, lambda: tf.identity(tf.assign_add(rare, tf.ones([40]))), lambda: tf.zeros([40])),
            tf.while_loop(lambda i: i < 3.0, lambda i: i + 1 + 0 * tf.assign_add(rare, tf.ones([40]))[0], [0.0]),
            part[2:5, 1].assign(tf.stack([turn, turn, turn])),
        ]
    with tf.device(f"/job:ps/task:{task}"):
        tf.Variable(tf.zeros([4]), name=f"never_{task}", collections=["never"])
initialize = tf.global_variables_initializer()
names = [v for v in tf.global_variables()]


def ask(task):
    # What a server keeps for the other one, and how far it is.
    while True:
        try:
            return pickle.loads(fabric.call(cluster.rank("ps", task), "replicas"))
        except tf.errors.NotFoundError:  # it has just started
            time.sleep(0.02)


def check(sess):
    values = sess.run(names)
    kept = [ask(1 - task)[0] for task in range(2)]
    for v, value in zip(names, values):
        task = int(v.device[-1])
        kind = "resource variable" if "VarHandleOp" == v.op.type else "variable"
        replica = kept[task][kind, "localhost", v.op.name]
        assert replica.dtype == value.dtype and replica.shape == value.shape, (v.name, replica, value)
        same = replica.tolist() == value.tolist() if value.dtype == object else replica.tobytes() == value.tobytes()
        assert same, (v.name, replica, value)
    assert sum(map(len, kept)) >= len(names), kept


with tf.Session(server.target) as sess:
    sess.run(initialize)
    check(sess)
    rng = np.random.default_rng(1)
    for turn in range(6):
        for _ in range(3):
            sess.run(updates, {ids: rng.integers(0, 1000, 1 + turn)})
        check(sess)
    counts = ask(0)[1]
    assert counts["state"] == "on" and counts["acknowledged"] == counts["changes"] > 0 and counts["row_parts"], counts
tf.Session.reset(server.target)
for _ in range(1000):
    counts = [ask(task)[1] for task in range(2)]
    if not any(c["variables"] or c["replicas"] for c in counts):
        break
    time.sleep(0.02)
else:
    raise AssertionError(counts)
print("equal")
"""


@pytest.mark.parametrize("transport", ["", "mpi", "tcp"])
def test_replicas_equal_their_variables(transport):
    job = mpi.run(EQUAL, 3, env={"TFCORE_TRANSPORT": transport or None})
    assert job.code == 0 and job.lines("equal") == ["equal"], job.text


# Each worker has variables of its own, two on each of the first servers, which count its steps: with a value for which
# a step that was reported as done is missing, or with more than could have been done, it ends.
COUNTS = """
if me[0] == "ps":
    server.join()
index = me[1]
mine, n = [], cluster.num_tasks("worker")
for task in range(servers):
    with tf.device(f"/job:ps/task:{task}"):
        mine.append(tf.Variable(tf.zeros([size], tf.float32), name=f"dense_{task}_{index}"))
        mine.append(tf.Variable(tf.zeros([n, width], tf.float32), name=f"rows_{task}_{index}", use_resource=True))
add = [tf.assign_add(v, tf.ones_like(v)) for v in mine[::2]]
add += [v.scatter_add(tf.IndexedSlices(tf.ones([1, width], tf.float32), [index])) for v in mine[1::2]]
add = tf.group(*[a if isinstance(a, tf.Operation) else a.op for a in add])
done, lost, checked = 0, 0, False
with tf.Session(server.target) as sess:
    sess.run(tf.variables_initializer(mine))
    while not (stop() and checked):
        try:
            if checked:
                sess.run(add)
                done += 1
                if done % 50 == 0:
                    print("step", done, "lost", lost, flush=True)
            found = sess.run(mine)
            for v, value in zip(mine, found):
                value = value[index] if value.ndim > 1 else value
                assert (value == value[0]).all() and done <= value[0] <= done + lost, (v.name, done, lost, value)
            checked = True
        except tf.errors.FailedPreconditionError as error:
            raise AssertionError("a variable is lost: " + error.message)
        except LOST:
            lost += checked
            checked = False
            time.sleep(0.01)
print("done", flush=True)
"""


def counts(tmp_path, workers, servers=2, size=3000, width=500, **options):
    sizes = f"servers, size, width = {servers}, {size}, {width}\n"
    return Cluster(tmp_path, COUNTS, 2, workers, sizes, options=REPLICATED, **options)


def test_no_update_that_was_reported_is_lost(tmp_path):
    """Servers are killed at random moments, one after the other: each is a primary and a backup."""
    rng = random.Random(SEED)
    limit = mpi.LIMIT_S + 10 * KILLS
    with counts(tmp_path, 2, restart=KILLS + 1, limit=limit) as cluster:
        lives = {"ps 0": 0, "ps 1": 0}
        for worker in "worker 0", "worker 1":
            cluster.goes_on(worker, 50)
        for _ in range(KILLS):
            time.sleep(rng.random() / 2)
            victim = rng.choice(list(lives)) if KILLS > 2 else f"ps {sum(lives.values()) % 2}"
            other = "ps 1" if victim == "ps 0" else "ps 0"
            again = cluster.count(other, "has replicas of its variables")
            cluster.kill(victim, lives[victim])
            lives[victim] += 1
            cluster.see(victim, "variables from their replicas", lives[victim])
            cluster.see(other, "has replicas of its variables", again + 1)
            for worker in "worker 0", "worker 1":
                cluster.goes_on(worker, 50)
        assert cluster.job.text.count("continues without replicas") == KILLS
        cluster.end()


def is_standing(cluster, name):
    """Whether a worker makes no steps for a while."""
    before = cluster.count(name, "step ")
    time.sleep(0.3)
    return cluster.count(name, "step ") == before


def test_what_a_server_has_published_outlives_it(tmp_path):
    """Its backup is stopped: steps end nevertheless, until its memory for messages is full. Then the server dies."""
    patient = {"TFCORE_FAILURE_TIMEOUT": "100"}
    with counts(tmp_path, 1, servers=1, size=1, width=2, restart=1, env=patient) as cluster:
        cluster.goes_on("worker 0", 200)
        backup = cluster.pid("ps 1")
        os.kill(backup, signal.SIGSTOP)
        cluster.goes_on("worker 0", 200)
        while not is_standing(cluster, "worker 0"):
            assert cluster.count("worker 0", "step ") < 10_000
        cluster.kill("ps 0")
        os.kill(backup, signal.SIGCONT)
        cluster.see("ps 0", "variables from their replicas")
        cluster.goes_on("worker 0", 200)
        cluster.end()


PLACES = {
    "mpi": {"env": {"TFCORE_TRANSPORT": "mpi"}},
    "tcp": {"env": {"TFCORE_TRANSPORT": "tcp"}},
    "gpu": {"env": {"TFCORE_EMULATE_GPUS": "1"}},
    "hosts": {"slots": [(0, 1), (1, 2)]},
}


@pytest.mark.parametrize("where", PLACES)
def test_no_update_is_lost_elsewhere(tmp_path, where):
    """Between hosts, or with variables on GPUs."""
    with contextlib.ExitStack() as stack:
        network = stack.enter_context(Hosts(2)) if where == "hosts" else None
        cluster = stack.enter_context(counts(tmp_path, 1, restart=1, network=network, **PLACES[where]))
        cluster.goes_on("worker 0", 50)
        cluster.kill("ps 0")
        cluster.see("ps 0", "variables from their replicas")
        cluster.see("ps 1", "has replicas of its variables")
        cluster.goes_on("worker 0", 50)
        cluster.end()


def test_a_monitored_session_goes_on_without_a_checkpoint_unless_both_are_lost(tmp_path):
    with Cluster(tmp_path, COUNTING, 2, 1, options=REPLICATED) as cluster:
        cluster.goes_on("worker 0", 50)
        cluster.kill("ps 1")
        cluster.see("worker 0", "session at", 2)
        cluster.goes_on("worker 0", 50)
        assert cluster.count("worker 0", "continuing with them") == 1
        assert cluster.count("worker 0", "Restoring parameters") == 0
        assert cluster.count("ps 1", "3 variables from their replicas") == 1  # and the note that they are prepared
        before = [int(at) for at in re.findall(r"worker 0\| step \d+ global (\d+)", cluster.job.text)]
        assert sessions(cluster, "worker 0")[1] >= before[0]
        cluster.see("ps 0", "has replicas of its variables")
        for name, life in ("ps 0", 0), ("ps 1", 1):
            cluster.kill(name, life)
        cluster.see("worker 0", "Restoring parameters")
        cluster.goes_on("worker 0", 50)
        assert "has no replicas to take its variables from" in cluster.job.text
        cluster.end()


def test_a_program_that_does_not_know_of_replicas_is_refused(tmp_path):
    program = "import tfcore as tf\ntf.train.Server({'ps': ['mpi:0', 'mpi:1'], 'worker': ['mpi:2']})\n"
    (tmp_path / "program.py").write_text(program)
    job = mpi.run(["-m", "tfcore.run", "--ps", "2", *REPLICATED, str(tmp_path / "program.py")])
    assert job.code and "started with --ps-replicas 2, but the program's cluster has ps_replicas=1" in job.text
