"""SyncReplicasOptimizer on real clusters: values, and workers that are killed, stopped, and come back."""

import signal
import time

import numpy as np
import pytest

from tests.distributed import mpi
from tests.distributed.cluster.test_session import cluster
from tests.distributed.membership.test_restart import Cluster
from tfcore.testing.drawing import EFFORT

pytestmark = pytest.mark.cpu
KILLS = max(0, round(5 * (EFFORT - 1)))


def test_values_are_those_of_one_process():
    """Two servers and two workers, who start each step together; a dense gradient, and a sparse one with equal rows."""
    cluster(
        """
    me, workers, steps = cluster.task_index, 2, 20
    rng = np.random.default_rng(0)
    first = rng.normal(size=(6, 2)), rng.normal(size=(2, 3))

    def loss_of(table, w, ids, y):
        return tf.reduce_mean(tf.square(tf.matmul(tf.gather(table, ids), w) - y))

    batches = [(rng.integers(0, 6, 8), rng.normal(size=(8, 3))) for _ in range(workers * steps)]
    device = f"/job:worker/task:{me}"
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=device)):
        step = tf.train.get_or_create_global_step()
        table, w = (tf.Variable(value, name=name) for value, name in zip(first, ("table", "w")))
        ids, y = tf.placeholder(tf.int32, [8]), tf.placeholder(tf.float64, [8, 3])
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.5), workers)
        train = optimizer.minimize(loss_of(table, w, ids, y), global_step=step)
    assert {v.device for v in (table, w)} <= {"/job:ps/task:0", "/job:ps/task:1"} and table.device != w.device
    with tf.device("/job:ps/task:0"):
        came = tf.FIFOQueue(-1, tf.int32, shapes=[[]], shared_name="came")
        goes = tf.FIFOQueue(-1, tf.int32, shapes=[[]], shared_name="goes")
    arrive, go = came.enqueue(0), goes.dequeue()
    all_arrived, release = came.dequeue_many(workers), goes.enqueue_many(tf.zeros([workers], tf.int32))
    hook = optimizer.make_session_run_hook(me == 0, num_tokens=0)
    hook.begin()
    initialize, missing = tf.global_variables_initializer(), optimizer.ready_for_local_init_op

    def meet(sess):
        sess.run(arrive)
        if me == 0:
            sess.run(all_arrived)
            sess.run(release)
        sess.run(go)

    with tf.Session(server.target) as sess:
        if me == 0:
            sess.run(initialize)
        while sess.run(missing).size:
            time.sleep(0.01)
        coord = tf.train.Coordinator()
        hook.after_create_session(sess, coord)
        for k in range(steps):
            meet(sess)
            token = sess.run(train, dict(zip((ids, y), batches[workers * k + me])))
            assert token == k + 1, (token, k)
        meet(sess)
        found = sess.run([table, w, step])
        hook.end(sess)
        coord.request_stop()
        coord.join()

    with tf.Graph().as_default(), tf.Session("") as alone:  # the mean of a row is over those that have it
        table, w = (tf.Variable(value) for value in first)
        gradients = []
        for _ in range(workers):
            ids, y = tf.placeholder(tf.int32, [8]), tf.placeholder(tf.float64, [8, 3])
            table_grad, w_grad = tf.gradients(loss_of(table, w, ids, y), [table, w])
            owned = tf.cast(tf.unsorted_segment_max(tf.ones([8], tf.int32), ids, 6) > 0, tf.float64)
            gradients.append((ids, y, tf.convert_to_tensor(table_grad), owned, w_grad))
        owners = tf.maximum(tf.add_n([g[3] for g in gradients]), 1.0)[:, None]
        rows = tf.add_n([g[2] for g in gradients]) / owners
        optimizer = tf.train.MomentumOptimizer(0.1, 0.5)
        ids = tf.where(tf.add_n([g[3] for g in gradients]) > 0)[:, 0]
        rows = tf.IndexedSlices(tf.gather(rows, ids), ids)
        step = optimizer.apply_gradients([(rows, table), (tf.add_n([g[4] for g in gradients]) / workers, w)])
        alone.run(tf.global_variables_initializer())
        for k in range(steps):
            feeds = {}
            for i, g in enumerate(gradients):
                feeds.update(zip(g[:2], batches[workers * k + i]))
            alone.run(step, feeds)
        expected = alone.run([table, w])
    assert found[2] == steps
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-10)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-10)
        """,
        ranks=4,
        ps=2,
    )


# All gradients are 1, so that variables count steps. A chief that dies after an update and before the step is counted
# has the update made again.
COUNTING = """
if me[0] == "ps":
    server.join()
import numpy as np

index, workers, pause = me[1], cluster.num_tasks("worker"), 0.002
is_chief = index == 0
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{index}")):
    step = tf.train.get_or_create_global_step()
    dense = tf.Variable(tf.zeros([1000]), name="dense")
    rows = tf.Variable(tf.zeros([10, 2]), name="rows")
    last = tf.Variable(np.int64(1) << 60, trainable=False, name="last")
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(-1.0), NEEDED, workers)
    train = optimizer.minimize(tf.reduce_sum(dense) + tf.reduce_sum(tf.gather(rows, [3])), global_step=step)
    with tf.control_dependencies([train]):
        end = last.read_value()
    set_last = last.assign(step + 20)
hook = optimizer.make_session_run_hook(is_chief)
hook.begin()
initialize = tf.global_variables_initializer()
with tf.Session(server.target) as sess:
    missing = lambda: sess.run(optimizer.ready_for_local_init_op).size
    if is_chief and missing():
        sess.run(initialize)
    while missing():
        time.sleep(0.01)
    coord = tf.train.Coordinator()
    hook.after_create_session(sess, coord)
    done, token, until, ending = 0, 0, 1, False
    while token < until:
        try:
            token, until = sess.run([train, end])
            done += 1
            if done % 50 == 0:
                print("step", done, flush=True)
            if is_chief and stop() and not ending:
                ending = True
                sess.run(set_last.op)
        except LOST as error:
            print("lost", type(error).__name__, error, flush=True)
            sess.run(optimizer.local_step_init_op)
        coord.raise_requested_exception()
        time.sleep(pause)
    found = sess.run([dense, rows, step])
    print("values", found[0].min() - found[2], found[0].max() - found[2], found[1][3] - found[2], flush=True)
    assert found[0].min() == found[0].max() and 0 <= found[0].min() - found[2] <= REPEATED, found
    assert (found[1][3] == found[1].max()).all() and 0 <= found[1].max() - found[2] <= REPEATED, found
    if is_chief:
        hook.end(sess)
    coord.request_stop()
    coord.join()
print("done", flush=True)
"""


def job(tmp_path, needed, workers, chiefs=1, limit=mpi.LIMIT_S):
    """A cluster with one server; a stopped process counts as slow, and not as dead.

    chiefs: how many chiefs are killed at most.
    """
    source = COUNTING.replace("NEEDED", str(needed)).replace("REPEATED", str(chiefs))
    env = {"TFCORE_FAILURE_TIMEOUT": str(10 * limit)}
    return Cluster(tmp_path, source, 1, workers, restart=max(5, KILLS), env=env, limit=limit)


def test_a_backup_worker_may_be_killed_or_stopped(tmp_path):
    with job(tmp_path, needed=2, workers=3) as cluster:
        for i in range(3):
            cluster.goes_on(f"worker {i}")
        cluster.kill("worker 2")
        cluster.goes_on("worker 0")
        cluster.see("worker 2", "life 1 epoch 1")
        cluster.goes_on("worker 2")
        cluster.kill("worker 1", number=signal.SIGSTOP)
        cluster.goes_on("worker 0")
        cluster.goes_on("worker 2")
        cluster.kill("worker 1", number=signal.SIGCONT)
        cluster.goes_on("worker 1")
        cluster.end()


def test_a_chief_comes_back(tmp_path):
    """All wait for it, and continue. Also without a backup worker, a dead worker lets the other one continue."""
    with job(tmp_path, needed=2, workers=2) as cluster:
        cluster.goes_on("worker 0")
        cluster.goes_on("worker 1")
        cluster.kill("worker 0")
        cluster.see("worker 0", "life 1 epoch 1")
        cluster.goes_on("worker 0")
        cluster.goes_on("worker 1")
        cluster.kill("worker 1")
        cluster.goes_on("worker 0")
        cluster.see("worker 1", "life 1 epoch 2")
        cluster.goes_on("worker 1")
        cluster.end()


@pytest.mark.skipif(KILLS == 0, reason="takes seconds for each kill: set TFCORE_TEST_EFFORT=5 for 20 kills")
@pytest.mark.parametrize("workers", [2, 3])
def test_kills_at_random_moments(tmp_path, workers):
    """Of any worker, the chief, too, with and without a backup worker."""
    rng = np.random.default_rng()
    lives = [0] * workers
    with job(tmp_path, 2, workers, chiefs=KILLS, limit=mpi.LIMIT_S + 10 * KILLS) as cluster:
        for _ in range(KILLS):
            for i in range(workers):
                cluster.goes_on(f"worker {i}", 50)
            victim = int(rng.integers(workers))
            time.sleep(rng.random() / 20)
            cluster.kill(f"worker {victim}", lives[victim])
            lives[victim] += 1
            cluster.see(f"worker {victim}", f"life {lives[victim]} ")
        for i in range(workers):
            cluster.goes_on(f"worker {i}", 50)
        cluster.end()
