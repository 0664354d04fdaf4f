"""Monitored sessions on a cluster: hooks, and tasks that are killed and come back."""

import re

import pytest

from tests.distributed import mpi
from tests.distributed.cluster.test_session import cluster
from tests.distributed.membership.test_restart import Cluster
from tests.summary.test_file_writer import read, scalars

MONITORED = """
if me[0] == "ps":
    server.join()
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{me[1]}")):
    step = tf.train.get_or_create_global_step()
    weights = tf.get_variable("weights", [1000], initializer=tf.zeros_initializer())
    with tf.device(f"/job:worker/task:{me[1]}"):
        queue = tf.FIFOQueue(3, tf.int64, shapes=[[]], name=f"queue_{me[1]}")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(step + 0)] * 2))
    with tf.control_dependencies([weights.assign_add(tf.ones([1000])), queue.dequeue()]):
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
        assert job.code and "worker 0 ended because of ps 0" in job.text, job.text


ALLREDUCE = """
step = tf.train.get_or_create_global_step()
weights = tf.get_variable("weights", [1000], initializer=tf.zeros_initializer())
loss = tf.reduce_sum(tf.square(weights - 1.0))
train = tf.train.AllreduceOptimizer(tf.train.GradientDescentOptimizer(0.1)).minimize(loss, global_step=step)

class Sessions(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        print("session at", session.run(step), flush=True)

with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=server.target), [Sessions()]) as sess:
    for done in range(1, 1000000):
        sess.run(train)
        time.sleep(0.005)
        if done % 50 == 0:
            print("step", done, flush=True)
"""


def test_a_worker_that_is_lost_for_good_ends_the_training(tmp_path):
    """Although sessions can be made: each worker has all variables."""
    with Cluster(tmp_path, ALLREDUCE, 0, 2, restart=0) as cluster:
        cluster.goes_on("worker 0")
        cluster.kill("worker 1")
        job = cluster.job.wait()
        assert job.code and "worker 0 ended because of worker 1" in job.text, job.text
        assert 1 < len(sessions(cluster, "worker 0")) < 12


QUEUES = """
import threading
import tfcore as tf

target = tf.train.Server.create_local_server().target

class Fail(tf.train.SessionRunHook):
    def __init__(self, method, error):
        self.error, self.sessions = error, []
        setattr(self, method, self.fail)

    def after_create_session(self, session, coord):
        self.sessions.append(session)

    def fail(self, *args):
        if self.error is not None:
            error, self.error = self.error, None
            raise error

def aborted():
    return tf.errors.AbortedError(None, None, "a task is gone")

def session(hooks=()):
    return tf.train.MonitoredSession(tf.train.ChiefSessionCreator(master=target), hooks)

def filled(name, value=lambda: 7):
    \"\"\"Takes from a queue that a thread fills.\"\"\"
    queue = tf.FIFOQueue(3, tf.int64, shapes=[[]], name=name)
    number = tf.py_func(value, [], tf.int64)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.reshape(number, []))]))
    return queue.dequeue()

def raising(error):
    hook = Fail("unused", error)
    def value():
        hook.fail()
        return 7
    return value
"""


def test_queues_outlive_a_session_that_is_replaced():
    """Queues belong to the task, and so the new session has them, too."""
    job = mpi.run(
        QUEUES
        + """
for method in ("before_run", "after_run"):
    with tf.Graph().as_default():
        take, hook = filled(method), Fail(method, aborted())
        with session([hook]) as sess:
            print(">", method, [int(sess.run(take)) for _ in range(9)], len(hook.sessions))

class Made(Fail):
    def after_create_session(self, session, coord):
        super().after_create_session(session, coord)
        self.fail()

with tf.Graph().as_default():
    take, hook = filled("made"), Made("unused", aborted())
    with session([hook]) as sess:
        print(">", "made", [int(sess.run(take)) for _ in range(9)], len(hook.sessions))

with tf.Graph().as_default():  # at the end they are closed
    queue = tf.FIFOQueue(3, tf.int64, shapes=[[]], name="made")
    put = queue.enqueue(1)
    try:
        session().run(put)
    except tf.errors.CancelledError as error:
        print(">", error.message.splitlines()[0])
"""
    )
    assert job.code == 0, job.text
    assert job.lines(">") == [
        "> FIFOQueue 'made' is closed.",
        "> after_run [7, 7, 7, 7, 7, 7, 7, 7, 7] 2",
        "> before_run [7, 7, 7, 7, 7, 7, 7, 7, 7] 2",
        "> made [7, 7, 7, 7, 7, 7, 7, 7, 7] 2",
    ]


def test_queues_outlive_a_thread_that_is_preempted():
    """The program may wait for that thread, in a step of a monitored session or of the session itself."""
    job = mpi.run(
        QUEUES
        + """
def ways(take):
    yield "run", lambda sess: sess.run(take)
    yield "run_with_hooks", lambda sess: sess.run_step_fn(lambda step_context: step_context.run_with_hooks(take))
    yield "session", lambda sess: sess.run_step_fn(lambda step_context: step_context.session.run(take))

for i in range(3):
    with tf.Graph().as_default():
        take = filled(f"queue_{i}", raising(aborted()))
        name, step = list(ways(take))[i]
        hook = Fail("unused", None)
        with session([hook]) as sess:
            print(">", name, [int(step(sess)) for _ in range(9)], len(hook.sessions))

class Takes(Fail):
    def after_create_session(self, session, coord):
        super().after_create_session(session, coord)
        session.run(take)

with tf.Graph().as_default():
    take, hook = filled("hook", raising(aborted())), Takes("unused", None)
    with session([hook]) as sess:
        print(">", "hook", [int(sess.run(take)) for _ in range(9)], len(hook.sessions))

class Ends(Fail):
    def after_create_session(self, session, coord):
        super().after_create_session(session, coord)
        self.coord = coord

    def end(self, session):
        fail.set()
        self.coord.wait_for_stop()
        print(">", "end", session.run(take))

def value():
    fail.wait()
    raise aborted()

with tf.Graph().as_default():  # steps of the hooks' `end` are not cancelled
    fail = threading.Event()
    filled("end", value)
    pause = tf.py_func(lambda: threading.Event().wait(0.3), [], tf.bool)
    take, hook = tf.logical_not(pause), Ends("unused", None)
    with session([hook]) as sess:
        pass
"""
    )
    assert job.code == 0, job.text
    assert job.lines(">") == [
        "> end True",
        "> hook [7, 7, 7, 7, 7, 7, 7, 7, 7] 2",
        "> run [7, 7, 7, 7, 7, 7, 7, 7, 7] 2",
        "> run_with_hooks [7, 7, 7, 7, 7, 7, 7, 7, 7] 2",
        "> session [7, 7, 7, 7, 7, 7, 7, 7, 7] 2",
    ]


@pytest.mark.parametrize("use_resource", [False, True])
def test_summaries_come_every_so_many_steps(tmp_path, use_resource):
    """The global step is on the server, and hooks read it there before its increment."""
    cluster(
        f"""
    folder = {str(tmp_path)!r}
    tf.get_variable_scope().set_use_resource({use_resource})
    with tf.device(tf.train.replica_device_setter(cluster=cluster)):
        step, v = tf.train.get_or_create_global_step(), tf.get_variable("v", [10])
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v), step)
    hook = tf.train.SummarySaverHook(3, output_dir=folder, summary_op=tf.summary.scalar("s", 1.0))
    stop = tf.train.StopAtStepHook(last_step=14)
    with tf.train.MonitoredTrainingSession(server.target, hooks=[hook, stop]) as sess:
        while not sess.should_stop():
            sess.run(train)
        assert step.device == "/job:ps/task:0"
    tf.summary.FileWriterCache.clear()
    """
    )
    (events,) = read(tmp_path)
    assert [step for step, _, _ in scalars(events)] == [1, 4, 7, 10, 13]
