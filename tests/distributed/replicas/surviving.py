"""A training whose variables show which steps are in them. random_kills.py kills its processes and checks them.

    python -m tests.distributed.replicas.surviving FOLDER MODE [background]     # under tfcore.run; legal_states.MODES

All gradients are 1, and the momentum is 1: the slot of a variable counts its updates, n, and the variable itself is
n (n + 1) / 2 if nothing is torn apart. Each server has a dense variable, one with a row for each worker that only this
worker updates, and a large one that keeps its initial value. Processes write down what they do, in a file for each in
FOLDER/logs; servers with replicas also whether their backups have all of their variables. Checkpoints that are restored
are kept in FOLDER/restored. With "background" they are written while training continues. The file "stop" in FOLDER
ends all.
"""

import glob
import os
import sys
import threading
import time

from tests.distributed.membership.counting import Log, rank

DENSE = 20_000  # elements of 8 bytes, for each server
ROW = 500  # elements, for each server and worker
FIXED = 400_000  # elements, for each server: they make saving and restoring take a while
PAUSE_S = 0.004  # between two steps
SAVE_S = 0.3  # between two checkpoints
KEPT = 12  # checkpoints, so that each is read before it is deleted
LOOK_S = 0.02  # at replicas


class Model:
    """The graph of one worker."""

    def __init__(self, tf, cluster, mode):
        me, workers = cluster.task_index, cluster.num_tasks("worker")
        self.hooks = []
        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{me}")):
            step = tf.train.get_or_create_global_step()
        pairs = []
        for server in range(cluster.num_tasks("ps")):
            with tf.device(f"/job:ps/task:{server}"):
                dense = tf.Variable(tf.zeros([DENSE], tf.float64), name=f"dense{server}")
                rows = tf.Variable(tf.zeros([workers, ROW], tf.float64), name=f"rows{server}")
                fixed = tf.fill([FIXED], tf.constant(server + 1.0, tf.float64))
                tf.Variable(fixed, trainable=False, name=f"fixed{server}")
            with tf.device(f"/job:worker/task:{me}"):
                pairs.append((tf.ones([DENSE], tf.float64), dense))
                own = tf.IndexedSlices(tf.ones([1, ROW], tf.float64), tf.constant([me]), tf.constant([workers, ROW]))
                pairs.append((own, rows))
        optimizer = tf.train.MomentumOptimizer(-1.0, 1.0, use_locking=True)
        if mode == "synchronous":
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, workers - 1, workers)
        train = optimizer.apply_gradients(pairs, global_step=step)
        if mode == "synchronous":
            self.hooks.append(optimizer.make_session_run_hook(me == 0))
        with tf.control_dependencies([train]):
            self.step = step.read_value()


def keep(prefix):
    """Gives the files of a checkpoint another name, which they keep when it is saved again. Returns the prefix."""
    folder = os.path.join(os.path.dirname(os.path.dirname(prefix)), "restored")
    os.makedirs(folder, exist_ok=True)
    kept = os.path.join(folder, f"{os.getpid()}-{time.monotonic_ns()}")
    for path in glob.glob(glob.escape(prefix) + ".*"):
        os.link(path, kept + path.removeprefix(prefix))
    return kept


def saver_class(tf, log):
    class LoggedSaver(tf.train.Saver):
        """Writes down when it begins and has ended."""

        def save(self, sess, save_path, global_step=None, **options):
            log.say("save", f"{save_path}-{global_step}")
            path = super().save(sess, save_path, global_step, **options)
            log.say("saved", path)
            return path

        def restore(self, sess, save_path):
            kept = keep(save_path)
            log.say("restore", kept)
            super().restore(sess, save_path)
            log.say("restored", kept)

    return LoggedSaver


def note_replicas(log, end):
    """Writes down the incarnation of this server's backup, and whether it has all variables, whenever that changes."""
    from tfcore.distributed.fabric import fabric
    from tfcore.distributed.partitions import steps
    from tfcore.distributed.task import task

    me = task.current()
    log.say("incarnation", fabric.incarnation(me.rank))
    seen = noted = wanted = None
    while not end.wait(LOOK_S):
        backup, counts = fabric.incarnation(me.replication.backup), steps.replica_counts()
        if backup != fabric.incarnation(me.replication.backup):
            continue
        if seen != (backup, counts["state"]):
            seen, wanted = (backup, counts["state"]), counts["changes"]
        if seen != noted and (counts["state"] != "on" or counts["acknowledged"] >= wanted):
            log.say("replicas", *seen)
            noted = seen


def serve(server, has_replicas, log):
    end = threading.Event()
    thread = threading.Thread(target=note_replicas, args=(log, end))
    if has_replicas:
        thread.start()
    try:
        server.join()
    finally:
        end.set()
        if has_replicas:
            thread.join()


def work(tf, cluster, server, folder, mode, in_background, log):
    model = Model(tf, cluster, mode)
    is_chief = cluster.task_index == 0
    scaffold = tf.train.Scaffold(
        saver=saver_class(tf, log)(sharded=True, max_to_keep=KEPT),
        init_fn=lambda scaffold, session: log.say("initialized"),
    )

    class Attempts(tf.train.SessionRunHook):
        """Writes down each attempt to run a step; one that fails has no end."""

        def after_create_session(self, session, coord):
            log.say("session")

        def before_run(self, run_context):
            log.say("begin")
            return tf.train.SessionRunArgs(model.step)

        def after_run(self, run_context, run_values):
            log.say("end", run_values.results)

    with tf.train.MonitoredTrainingSession(
        server.target,
        is_chief,
        os.path.join(folder, "checkpoints"),
        scaffold,
        model.hooks if is_chief else [Attempts(), *model.hooks],
        [Attempts()],  # before the one that saves: a step has ended when it begins
        save_checkpoint_secs=SAVE_S,
        save_in_background=in_background,
        save_summaries_steps=None,
        log_step_count_steps=None,
    ) as sess:
        while not os.path.exists(os.path.join(folder, "stop")):
            sess.run(model.step)
            time.sleep(PAUSE_S)


def main(folder, mode, *how):
    log = Log(os.path.join(folder, "logs"), rank())
    log.say("born")
    import faulthandler
    import signal

    faulthandler.register(signal.SIGUSR2, all_threads=True)  # for whoever looks into a step that hangs
    import tfcore as tf

    tf.logging.set_verbosity(tf.logging.INFO)
    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    log.say("up")
    if cluster.job_name == "ps":
        serve(server, cluster.ps_replicas > 1, log)
    work(tf, cluster, server, folder, mode, "background" in how, log)
    log.say("bye")


if __name__ == "__main__":
    main(*sys.argv[1:])
