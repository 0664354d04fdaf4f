"""Monitored sessions on clusters whose processes are killed: workers, servers, the chief, and all at once.

TFCORE_TEST_FAULTS=100 pytest tests/distributed/train/test_recovery.py     # a hundred kills instead of a few
TFCORE_TEST_SEED=7                                                   # at other moments
"""

import os
import random
import re
import signal
import time

import numpy as np
import pytest

import tfcore as tf
from tests.distributed import mpi
from tests.distributed.membership.test_restart import Cluster

pytestmark = pytest.mark.cpu
KILLS = int(os.environ.get("TFCORE_TEST_FAULTS", "2"))
SEED = int(os.environ.get("TFCORE_TEST_SEED", "1"))
UNEVEN = 50  # steps by which variables may differ after each kill: steps under way, while a checkpoint was written too

# All gradients are 1, so that variables count steps. The file "saved" has the last step that was reported as saved.
COUNTING = """
if me[0] == "ps":
    server.join()
tf.logging.set_verbosity(tf.logging.INFO)
folder = os.path.dirname(sys.argv[1])
path = os.path.join(folder, "saved")
index = me[1]


class Reports(tf.train.CheckpointSaverListener):
    def after_save(self, session, global_step_value):
        with open(path + ".new", "w") as file:
            file.write(str(global_step_value))
        os.replace(path + ".new", path)


def saved():
    try:
        with open(path) as file:
            return int(file.read())
    except FileNotFoundError:
        return 0


class Sessions(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        self.at = session.run(step)
        print("session at", self.at, flush=True)


with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{index}")):
    step = tf.train.get_or_create_global_step()
    counts = [tf.Variable(tf.zeros([5000]), name=f"count{i}") for i in range(3)]
    optimizer = tf.train.GradientDescentOptimizer(-1.0, use_locking=True)
    train = optimizer.apply_gradients([(tf.ones([5000]), v) for v in counts], global_step=step)
scaffold = tf.train.Scaffold()
saving = tf.train.CheckpointSaverHook(folder, save_secs=0.2, scaffold=scaffold, listeners=[Reports()])
done = 0
with tf.train.MonitoredTrainingSession(
    server.target, index == 0, folder, scaffold, [Sessions()], [saving], save_checkpoint_secs=None,
    save_summaries_steps=None, log_step_count_steps=None,
) as sess:
    while not stop():
        before = saved()
        now = sess.run([train, step])[1]
        assert now >= before, (now, before)
        done += 1
        if done % 50 == 0:
            print("step", done, "global", now, flush=True)
        time.sleep(0.002)
print("done", flush=True)
"""


def saved(folder):
    return int((folder / "saved").read_text())


def check_checkpoints(folder, kills):
    """All checkpoints that are listed are complete, and each has the values of a legal run."""
    state = tf.train.get_checkpoint_state(str(folder))
    last = 0
    for path in state.all_model_checkpoint_paths:
        reader = tf.train.NewCheckpointReader(path)
        step = reader.get_tensor("global_step")
        assert step >= int(path.rpartition("-")[2])  # others train meanwhile
        for i in range(3):
            count = reader.get_tensor(f"count{i}")
            assert count.shape == (5000,) and (count == count[0]).all(), (path, np.unique(count))
            assert abs(count[0] - step) <= UNEVEN * (1 + kills), (path, count[0], step)
        last = max(last, step)
    assert last >= saved(folder)


def sessions(cluster, name):
    """The global steps at which a worker's sessions began."""
    return [int(at) for at in re.findall(rf"^{name}\| session at (\d+)", cluster.job.text, re.M)]


def test_a_worker_a_server_and_the_chief_come_back_and_the_job_is_started_again(tmp_path):
    with Cluster(tmp_path, COUNTING, 2, 2) as cluster:
        cluster.goes_on("worker 0", 50)
        cluster.goes_on("worker 1", 50)

        cluster.kill("worker 1")  # nobody else notices
        cluster.see("worker 1", "session at", 2)
        cluster.goes_on("worker 1", 50)
        assert len(sessions(cluster, "worker 0")) == 1

        least = saved(tmp_path)
        cluster.kill("ps 1")
        for worker, number in ("worker 0", 2), ("worker 1", 3):
            cluster.see(worker, "session at", number)
            assert sessions(cluster, worker)[-1] >= least
            cluster.goes_on(worker, 50)
        assert cluster.count("worker 0", "Restoring parameters") >= 1

        restored, least = cluster.count("worker 0", "Restoring parameters"), sessions(cluster, "worker 0")[-1]
        cluster.kill("worker 0")  # the new chief finds all variables, newer than the last checkpoint
        cluster.see("worker 0", "session at", 3)
        assert cluster.count("worker 0", "Restoring parameters") == restored
        assert cluster.count("worker 0", "continuing with them") == 1
        assert sessions(cluster, "worker 0")[-1] >= least
        cluster.goes_on("worker 0", 50)
        cluster.goes_on("worker 1", 50)
        cluster.job.stop()  # SIGKILL to all
        assert "Traceback" not in cluster.job.text, cluster.job.text
    least = saved(tmp_path)
    check_checkpoints(tmp_path, 3)
    with Cluster(tmp_path, COUNTING, 2, 2) as cluster:
        for worker in "worker 0", "worker 1":
            cluster.see(worker, "session at")
            assert sessions(cluster, worker)[0] >= least
            cluster.goes_on(worker, 50)
        cluster.end()
    check_checkpoints(tmp_path, 4)


# Two variables that are equal, apart from steps under way; the first attempt to restore ends in the middle.
HALF = """
if me[0] == "ps":
    server.join()
tf.logging.set_verbosity(tf.logging.INFO)
folder = os.path.dirname(sys.argv[1])
half = os.path.join(folder, "half")
pair = []
for i in range(2):
    with tf.device(f"/job:ps/task:{i}"):
        pair.append(tf.Variable(0, dtype=tf.int64, name=f"count{i}"))
with tf.device("/job:ps/task:0"):
    step = tf.train.get_or_create_global_step()
train = tf.group(*[tf.assign_add(v, 1) for v in (*pair, step)])


class Dies(tf.train.Saver):
    def restore(self, sess, save_path):
        if not os.path.exists(half):
            with open(half, "w"):
                pass
            sess.run(pair[1].initializer)  # the one that was lost
            time.sleep(0.5)  # long enough for the other worker to find all variables initialized
            os.kill(os.getpid(), signal.SIGKILL)
        super().restore(sess, save_path)


class Sessions(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        print("session at", *session.run(pair), flush=True)


with tf.train.MonitoredTrainingSession(
    server.target, me[1] == 0, folder, tf.train.Scaffold(saver=Dies()), [Sessions()], save_checkpoint_secs=0.2,
    save_summaries_steps=None, log_step_count_steps=None,
) as sess:
    done = 0
    while not stop():
        sess.run(train if me[1] == 0 else pair)
        done += 1
        if done % 50 == 0:
            print("step", done, flush=True)
        time.sleep(0.002)
print("done", flush=True)
"""


def test_a_chief_that_dies_while_it_restores(tmp_path):
    """All variables are initialized then, but their values do not fit together."""
    with Cluster(tmp_path, HALF, 2, 2) as cluster:
        cluster.goes_on("worker 0", 200)
        cluster.see("worker 1", "session at")
        cluster.kill("ps 1")
        for worker in "worker 0", "worker 1":
            cluster.see(worker, "session at", 2)
            cluster.goes_on(worker, 50)
        assert cluster.count("worker 0", "Restoring parameters") == 1
        pairs = re.findall(r"session at (\d+) (\d+)", cluster.job.text)
        assert len(pairs) >= 4 and all(abs(int(a) - int(b)) < 50 for a, b in pairs), pairs
        cluster.end()


def kill_at_random(cluster, workers):
    """Some come while a former one is being recovered from; then and now two at once, never all."""
    rng, lives = random.Random(SEED), dict.fromkeys(cluster.names, 0)
    cluster.goes_on("worker 0", 50)
    for number in range(KILLS):
        victims = rng.sample(cluster.names, 2 if rng.random() < 0.2 else 1)
        time.sleep(rng.random() / 2)
        pids = [cluster.pid(name, lives[name]) for name in victims]
        for name, pid in zip(victims, pids):
            os.kill(pid, signal.SIGKILL)
            lives[name] += 1
        for name in victims:
            cluster.see(name, f" life {lives[name]} ")
        if rng.random() < 0.7 or number == KILLS - 1:
            for worker in workers:
                cluster.goes_on(worker, 50)


def test_random_kills(tmp_path):
    limit = mpi.LIMIT_S + 10 * KILLS
    with Cluster(tmp_path, COUNTING, 2, 2, restart=2 * KILLS + 2, limit=limit) as cluster:
        kill_at_random(cluster, ["worker 0", "worker 1"])
        cluster.end()
    check_checkpoints(tmp_path, KILLS)


# ---- AllreduceOptimizer

# All gradients are 1, so that the weights are equal to the global step. The other variables begin differently on each
# worker. A worker that comes back waits while the file "hold" is there.
AVERAGING = """
import hashlib
import numpy as np

tf.logging.set_verbosity(tf.logging.INFO)
folder = os.path.dirname(sys.argv[1])
index = me[1]
step = tf.train.get_or_create_global_step()
weights = tf.Variable(tf.zeros([3000]), name="weights")
others = [
    tf.Variable(tf.random_normal([40], dtype=dtype), trainable=False) for dtype in (tf.float16, tf.float32, tf.float64)
]
others.append(tf.Variable(tf.random_uniform([40], dtype=tf.float32) < 0.5, trainable=False))
others.append(tf.Variable(tf.complex(*[tf.random_normal([4])] * 2), trainable=False, use_resource=True))
optimizer = tf.train.AllreduceOptimizer(tf.train.MomentumOptimizer(-1.0, 0.0), lost_workers="MODE")
loss = tf.reduce_sum(weights)
train = optimizer.minimize(loss, global_step=step)
ends = tf.placeholder(tf.int32, [])
all_end = tf.distributed.allreduce(ends, "max", tf.distributed.survivors() if "MODE" == "continue" else None)


class Agreement(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        found = session.run([step, *tf.global_variables()])
        digest = hashlib.sha1(b"".join(v.tobytes() for v in found)).hexdigest()
        print("session at", found[0], "with", digest, flush=True)


done, end = 0, False
with tf.train.MonitoredTrainingSession(
    server.target, checkpoint_dir=folder if index == 0 else None, save_checkpoint_secs=0.2,
    hooks=[Agreement()], chief_only_hooks=[optimizer.make_session_run_hook()],
    save_summaries_steps=None, log_step_count_steps=None,
) as sess:
    while not end:
        end = sess.run([train, all_end], {ends: stop()})[1]
        at, values = sess.run([step, weights])
        assert (values == at).all(), (at, np.unique(values))
        done += 1
        if done % 50 == 0:
            print("step", done, "global", at, flush=True)
        time.sleep(0.002)
print("done", flush=True)
"""
HELD = """
while life and os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), "hold")):
    time.sleep(0.02)
"""
WORKERS = ["worker 0", "worker 1", "worker 2"]


def agreements(cluster, worker):
    """The (global step, digest of all variables) with which a worker's sessions have begun."""
    return re.findall(rf"^{worker}\| session at (\d+) with (\w+)", cluster.job.text, re.M)


def agree(cluster, workers, before):
    """Waits until these workers have equal variables in new sessions; `before`: how many each has had."""
    for worker in workers:
        cluster.see(worker, "session at", before[worker] + 1)
    while len({agreements(cluster, worker)[-1] for worker in workers}) > 1:
        assert time.monotonic() < cluster.job.end, cluster.job.text
        time.sleep(0.02)


@pytest.mark.parametrize("mode", ["wait", "continue"])
def test_a_worker_that_averages_gradients_comes_back(tmp_path, mode):
    """A worker, and then the one that saves."""
    with Cluster(tmp_path, AVERAGING.replace("MODE", mode), 0, 3, before=HELD) as cluster:
        had = lambda: {worker: len(agreements(cluster, worker)) for worker in WORKERS}  # noqa: E731
        agree(cluster, WORKERS, dict.fromkeys(WORKERS, 0))
        for victim in "worker 2", "worker 0":
            for worker in WORKERS:
                cluster.goes_on(worker, 50)
            others, before, least = [worker for worker in WORKERS if worker != victim], had(), saved_step(tmp_path)
            (tmp_path / "hold").touch()
            cluster.kill(victim)
            if mode == "wait":
                for worker in others:
                    cluster.see(worker, f"Training waits for /job:worker/task:{victim[-1]}")
            else:
                agree(cluster, others, before)
                for worker in others:
                    cluster.goes_on(worker, 50)
                before = had()
            (tmp_path / "hold").unlink()
            agree(cluster, WORKERS, before)
            assert int(agreements(cluster, victim)[-1][0]) >= least
        for worker in WORKERS:
            cluster.goes_on(worker, 50)
        cluster.end()


def saved_step(folder):
    return int(tf.train.latest_checkpoint(str(folder)).rpartition("-")[2])


@pytest.mark.skipif(KILLS < 20, reason="set TFCORE_TEST_FAULTS to 20 or more")
@pytest.mark.parametrize("mode", ["continue", "wait"])
def test_random_kills_of_workers_that_average(tmp_path, mode):
    limit = mpi.LIMIT_S + 10 * KILLS
    source = AVERAGING.replace("MODE", mode)
    with Cluster(tmp_path, source, 0, 3, restart=2 * KILLS + 2, limit=limit) as cluster:
        kill_at_random(cluster, WORKERS)
        cluster.end()
