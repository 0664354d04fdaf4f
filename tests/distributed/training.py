"""A training program for tests that kill and stop its processes.

    python -m tests.distributed.training STOP_FILE [PS]

Workers train without waiting for each other until the file STOP_FILE is there. Every parameter server has a variable and a
count of steps of its own; a worker's step touches all servers. A worker whose step fails says so and goes on with steps of
one server at a time. Lines that it prints begin with

    training        the worker has made its first step
    at              its index, the time, the steps it has made with each server
    error           its index, the time, the class and (as a string literal) the text of a step's error
    forgot          of a server, after another task's end: its index, that task's rank, how many of its sessions are left
    left            of a server at its end: tensors that others hold, sessions, values and waiters in the rendezvous
    end             the worker or server ends by itself
"""

import os
import sys
import threading
import time

import numpy as np

import tfcore as tf
from tfcore.core import edges
from tfcore.distributed import fabric, task

SHAPE = [300, 200]  # too large to travel inside of messages
REPORT_S = 0.05
SETTLED_S = 0.5  # by when a server has let go of what a dead task held


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())  # at once, whatever other threads print


def serve(cluster, server):
    """A parameter server: says what it still keeps for tasks that have ended."""

    def look(rank):
        time.sleep(SETTLED_S)
        sessions = [key for key in task.current()._worker._sessions if key[0] == rank]
        say("forgot", cluster.task_index, rank, len(sessions))

    fabric.on_failure(lambda rank: threading.Thread(target=look, args=[rank]).start())
    server.join()
    time.sleep(SETTLED_S)
    say("left", fabric.stats()["outstanding"], len(task.current()._worker._sessions), *edges.count())


class Model:
    """A variable, and a step that changes it, for each server."""

    def __init__(self, servers):
        self.counts, self.updates = [], []
        for i in range(servers):
            with tf.device(f"/job:ps/task:{i}"):
                count = tf.Variable(0, trainable=False, name=f"count{i}")
                weights = tf.Variable(tf.zeros(SHAPE), name=f"weights{i}")
            target = tf.random_uniform(SHAPE, name=f"target{i}")
            loss = tf.reduce_mean(tf.square(weights - target), name=f"loss{i}")
            descend = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=count)
            self.counts.append(count)
            self.updates.append(tf.group(descend, name=f"update{i}"))
        self.everything = tf.group(*self.updates, name="everything")
        self.initialize = tf.global_variables_initializer()
        self.missing = tf.report_uninitialized_variables()


class Trainer:
    """Makes steps and says how many."""

    def __init__(self, index, sess, model):
        self.index, self.sess, self.model = index, sess, model
        self.made = [0] * len(model.updates)
        self.said = 0.0
        self.failing = set()  # servers with which steps fail

    def run(self, step, servers):
        try:
            self.sess.run(step)
        except tf.errors.OpError as error:
            if not self.failing.issuperset(servers):
                say("error", self.index, time.monotonic(), type(error).__name__, repr(str(error)))
            if isinstance(error, tf.errors.AbortedError):
                say("end worker", self.index)
                sys.exit(3)
            self.failing.update(servers)
            return
        for i in servers:
            self.made[i] += 1
        now = time.monotonic()
        if now - self.said > REPORT_S:
            self.said = now
            say("at", self.index, now, *self.made)

    def step(self):
        if not self.failing:
            self.run(self.model.everything, range(len(self.made)))
            return
        time.sleep(0.01)
        for i in range(len(self.made)):
            self.run(self.model.updates[i], [i])


def train(cluster, server, stop_file):
    index = cluster.task_index
    with tf.device(f"/job:worker/task:{index}"):
        model = Model(cluster.num_tasks("ps"))
    with tf.Session(server.target) as sess:
        if index == 0:
            sess.run(model.initialize)
        while len(sess.run(model.missing)):
            time.sleep(0.02)
        trainer = Trainer(index, sess, model)
        trainer.step()
        say("training", index)
        while not os.path.exists(stop_file):
            trainer.step()


def main(stop_file, ps=1):
    cluster = tf.train.ClusterSpec.from_mpi(ps=int(ps))
    server = tf.train.Server(cluster)
    np.random.seed(cluster.task_index)
    say("started", cluster.job_name, cluster.task_index)
    serve(cluster, server) if cluster.job_name == "ps" else train(cluster, server, stop_file)
    say("end", cluster.job_name, cluster.task_index)


if __name__ == "__main__":
    main(*sys.argv[1:])
