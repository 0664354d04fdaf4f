"""A training program for tests that kill and stop its processes.

    python -m tests.distributed.train.training STOP_FILE [--ps N] [--rows N] [--threads N] [--grow]

Workers train without waiting for each other until the file STOP_FILE is there. Every parameter server has a variable
and a count of steps of its own; a worker's step touches all servers. A worker whose step fails says so and continues
with steps of one server at a time. Lines that it prints begin with

    training        the worker has made its first step
    at              its index, the time, the steps it has made with each server
    error           its index, the time, the class and (as a string literal) the text of a step's error
    forgot          of a server, after the end of a task: its index, that task's rank, the number of its sessions left
    left            of a server at its end: tensors that others hold, sessions, and the counts of the rendezvous
    end             the worker or server ends by itself
"""

import argparse
import os
import threading
import time

import numpy as np

import tfcore as tf
from tfcore.core.rendezvous import rendezvous
from tfcore.distributed.fabric import fabric
from tfcore.distributed.task import task

COLUMNS = 200  # with all rows: too large to travel inside of messages
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
    task.current().join()
    time.sleep(SETTLED_S)
    say("left", fabric.stats()["outstanding"], len(task.current()._worker._sessions), *rendezvous.count())


class Model:
    """A variable, and a step that changes it, for each server."""

    def __init__(self, servers, rows):
        self.counts, self.updates = [], []
        shape = [rows, COLUMNS]
        for i in range(servers):
            with tf.device(f"/job:ps/task:{i}"):
                count = tf.Variable(0, trainable=False, name=f"count{i}")
                weights = tf.Variable(tf.zeros(shape), name=f"weights{i}")
            target = tf.random_uniform(shape, name=f"target{i}")
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
        self.lock = threading.Lock()
        self.made = [0] * len(model.updates)
        self.said = 0.0
        self.failing = set()  # servers with which steps fail

    def run(self, step, servers):
        try:
            self.sess.run(step)
        except tf.errors.OpError as error:
            with self.lock:
                if not self.failing.issuperset(servers):
                    say("error", self.index, time.monotonic(), type(error).__name__, repr(str(error)))
                self.failing.update(servers)
            if isinstance(error, tf.errors.AbortedError):
                say("end worker", self.index)
                os._exit(3)
            return
        with self.lock:
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

    def train(self, stop_file):
        while not os.path.exists(stop_file):
            self.step()

    def grow(self, server, stop_file):
        """Every step is the first one of a new session."""
        while not os.path.exists(stop_file):
            with tf.Session(server.target) as self.sess:
                self.step()


def train(cluster, server, options):
    index = cluster.task_index
    with tf.device(f"/job:worker/task:{index}"):
        model = Model(cluster.num_tasks("ps"), options.rows)
    with tf.Session(server.target) as sess:
        if index == 0:
            sess.run(model.initialize)
        while len(sess.run(model.missing)):
            time.sleep(0.02)
        trainer = Trainer(index, sess, model)
        trainer.step()
        say("training", index)
        others = [threading.Thread(target=trainer.train, args=[options.stop_file]) for _ in range(options.threads - 1)]
        for thread in others:
            thread.start()
        trainer.grow(server, options.stop_file) if options.grow else trainer.train(options.stop_file)
        for thread in others:
            thread.join()


def main(options):
    cluster = tf.train.ClusterSpec.from_mpi(ps=options.ps)
    server = tf.train.Server(cluster)
    np.random.seed(cluster.task_index)
    say("started", cluster.job_name, cluster.task_index)
    serve(cluster, server) if cluster.job_name == "ps" else train(cluster, server, options)
    say("end", cluster.job_name, cluster.task_index)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("stop_file")
    parser.add_argument("--ps", type=int, default=1)
    parser.add_argument("--rows", type=int, default=300, help="of each variable")
    parser.add_argument("--threads", type=int, default=1, help="that make steps, in each worker")
    parser.add_argument("--grow", action="store_true", help="each step has a session of its own")
    main(parser.parse_args())
