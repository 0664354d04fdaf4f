"""A process of the benchmark: a parameter server, a worker, or a rank of raw MPI. Started by fleet.py.

It connects to the harness and answers requests, one line of JSON each. Between requests it waits on the socket, so
that the fleets of other libraries have the machine to themselves.
"""

import argparse
import json
import os
import socket
import statistics
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.pop(1)  # this folder: its module names are not meant to be top-level ones

from bench import peers  # noqa: E402
from bench.distributed import nullstep, ps_replicas, replicas  # noqa: E402


def summary(times):
    times = sorted(times)
    return {
        "median": statistics.median(times),
        "p10": times[len(times) // 10],
        "p90": times[len(times) * 9 // 10],
        "count": len(times),
    }


def once(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def repeat(run, seconds):
    """Times of single calls, at least three, in a turn of `seconds`."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        times.append(once(run))
    return times


class Server:
    """A parameter server: reports the processor time that it used."""

    def __init__(self, server):
        threading.Thread(target=server.join, daemon=True).start()

    def cpu(self):
        return time.process_time()


class Worker:
    """Runs null steps, steps of synchronous replication, and steps whose variables have replicas."""

    def __init__(self, tf, server, servers, index):
        self.tf, self.server, self.servers, self.index = tf, server, servers, index
        self.session = None

    def cpu(self):
        return time.process_time()

    def prepare(self, kind):
        """Builds the graph; the first worker initializes the parameters, others wait for that."""
        tf = self.tf
        if self.session is not None:
            self.session.close()
        with tf.Graph().as_default():
            self.null = null = nullstep.NullStep(tf, kind, self.servers, f"/job:worker/task:{self.index}")
            self.session = session = tf.Session(self.server.target)
        if self.index == 0:
            session.run(null.initialize)
        while session.run(null.missing).size:
            time.sleep(0.05)
        return self.time(0)["count"]

    def replicate(self, workers, needed):
        """Builds the graph of synchronous replication."""
        self.replica = replicas.Replica(self.tf, self.server.target, self.index, workers, needed)

    def run_until(self, step):
        return self.replica.run_until(step)

    def train(self, kind):
        """Builds the graph of a step for servers with and without replicas."""
        self.training = ps_replicas.Training(self.tf, self.server.target, kind, self.index)

    def run_steps(self, steps):
        return self.training.run(steps)

    def time(self, seconds):
        run, step = self.session.run, self.null.step
        return summary(repeat(lambda: run(step), seconds))

    def steps_seen(self):
        """The number of steps of all workers, from the parameters."""
        return float(self.session.run(self.null.updates)) / self.null.for_step


class Reducer:
    """Runs allreduce as a graph operation, equally often on all ranks."""

    def __init__(self, tf, server):
        self.tf, self.server, self.session = tf, server, None

    def prepare(self, size):
        tf = self.tf
        if self.session is not None:
            self.session.close()
        with tf.Graph().as_default():
            ours = tf.get_variable(f"ours_{size}", [size // 4], initializer=tf.ones_initializer())
            self.sum = tf.distributed.allreduce(ours)
            self.session = tf.Session(self.server.target)
            self.session.run(tf.global_variables_initializer())
        return float(self.session.run(self.sum)[-1])

    def allreduce(self, calls):
        run, reduce = self.session.run, self.sum.op
        return summary([once(lambda: run(reduce)) for _ in range(calls)])


class RawMpi:
    """Round trips and MPI_Allreduce with mpi4py, with buffers made in advance."""

    def __init__(self):
        import numpy as np
        from mpi4py import MPI

        self.np, self.mpi, self.world = np, MPI, MPI.COMM_WORLD
        self.index = self.world.Get_rank()

    def prepare(self, size):
        self.ours = self.np.ones(size // 4, self.np.float32)
        self.theirs = self.np.zeros(size // 4, self.np.float32)

    def _calls(self, call, calls):
        self.world.Barrier()
        return summary([once(call) for _ in range(calls)])

    def round_trips(self, calls):
        other = 1 - self.index

        def ask():
            self.world.Send(self.ours, other)
            self.world.Recv(self.theirs, other)

        def answer():
            self.world.Recv(self.theirs, other)
            self.world.Send(self.ours, other)

        return self._calls(answer if self.index else ask, calls)

    def allreduce(self, calls):
        return self._calls(lambda: self.world.Allreduce(self.ours, self.theirs), calls)


def make(options):
    """The object that answers requests, and (job, index)."""
    if options.library == "mpi":
        raw = RawMpi()
        return raw, ("rank", raw.index)
    tf = peers.import_library(options.library)
    if options.library == "tensorflow":
        tf.disable_resource_variables()
        cluster = tf.train.ClusterSpec(json.loads(options.cluster))
        job, index = options.job, options.index
        server = tf.train.Server(cluster, job_name=job, task_index=index)
    else:
        cluster = tf.train.ClusterSpec.from_mpi(ps=options.servers)
        job, index = cluster.job_name, cluster.task_index
        server = tf.train.Server(cluster)
    if job == "ps":
        return Server(server), (job, index)
    if options.servers == 0:
        return Reducer(tf, server), (job, index)
    return Worker(tf, server, options.servers, index), (job, index)


def serve(answering, name, address):
    with socket.create_connection(address) as connection, connection.makefile("rw") as lines:
        print(json.dumps({"name": name}), file=lines, flush=True)
        for line in lines:
            request = json.loads(line)
            try:
                answer = {"value": getattr(answering, request.pop("do"))(**request)}
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), file=lines, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", choices=["tfcore", "tensorflow", "mpi"])
    parser.add_argument("--port", type=int, required=True, help="where the harness listens")
    parser.add_argument("--servers", type=int, default=0)
    parser.add_argument("--cluster", help="TensorFlow's, as JSON")
    parser.add_argument("--job")
    parser.add_argument("--index", type=int)
    options = parser.parse_args()
    answering, name = make(options)
    serve(answering, name, ("127.0.0.1", options.port))
    if options.library == "tensorflow":
        os._exit(0)  # its servers can't be stopped


if __name__ == "__main__":
    main()
