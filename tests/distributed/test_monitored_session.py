"""Monitored sessions on a cluster whose tasks are killed and come back."""

import re

from tests.distributed.test_restart import Cluster

MONITORED = """
if me[0] == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{me[1]}")):
    step = tf.train.get_or_create_global_step()
    weights = tf.get_variable("weights", [1000], initializer=tf.zeros_initializer())
    with tf.control_dependencies([weights.assign_add(tf.ones([1000]))]):
        increment = tf.assign_add(step, 1)
    spread = tf.reduce_max(weights) - tf.reduce_min(weights)

class Sessions(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        print("session at", session.run(step), flush=True)

done = 0
with tf.train.MonitoredTrainingSession(
    server.target, me[1] == 0, sys.argv[1] + ".checkpoints", hooks=[Sessions()], save_checkpoint_steps=20
) as sess:
    while not stop():
        found = sess.run([increment, spread])
        done += 1
        time.sleep(0.005)
        if done % 50 == 0:
            print("step", done, "global", found[0], flush=True)
print("done", flush=True)
"""


def sessions(cluster, name):
    """The global steps at which a task's sessions began."""
    return [int(n) for n in re.findall(rf"{name}\| session at (\d+)", cluster.job.text)]


def test_a_server_a_worker_and_the_chief_come_back(tmp_path):
    with Cluster(tmp_path, MONITORED, 1, 2) as cluster:
        workers = ("worker 0", "worker 1")
        for worker in workers:
            cluster.goes_on(worker)
        assert len(sessions(cluster, "worker 0")) == 1
        cluster.kill("ps 0")
        for worker in workers:
            cluster.see(worker, "session at", 2)
            cluster.goes_on(worker)
        assert sessions(cluster, "worker 0")[1] >= 20  # the last checkpoint, and not the beginning
        cluster.kill("worker 1")
        cluster.see("worker 1", "session at", 3)
        for worker in workers:
            cluster.goes_on(worker)
        cluster.kill("worker 0")
        cluster.see("worker 0", "life 1")
        for worker in workers:
            cluster.goes_on(worker)
        assert sessions(cluster, "worker 0")[-1] >= 40
        cluster.end()


def test_a_server_that_is_lost_for_good_ends_the_training(tmp_path):
    with Cluster(tmp_path, MONITORED, 1, 1, restart=0) as cluster:
        cluster.goes_on("worker 0")
        cluster.kill("ps 0")
        job = cluster.job.wait()
        assert job.code and "UnavailableError" in job.text, job.text
