"""A program whose values show what was lost, done twice or mixed up. random_faults.py runs it and checks them.

    python -m tests.distributed.membership.counting FOLDER

Each parameter server has a vector: a number that stands for the initialization ("life"), and for each worker how often
that one has added 1; and a large vector that is full of the same number. Workers add, fetch the large vector, send one
of their own, run loops over two tasks, and sum vectors of all workers. They write down each step when it begins and
ends, in a file for each process in FOLDER, which outlives the process. The file "flood" in FOLDER has more threads
fetch, slowly; "stop" ends all.
"""

import os
import sys
import threading
import time

LARGE = 1 << 17  # elements of 8 bytes; the same number is in each
BLOCK = (3, 50_000)  # elements for each worker in the sums
ROUNDS = 12  # of a loop
FLOOD = 4  # threads
PAUSE_S = 0.02  # between two steps of a thread
PAIRS = ("add", "fetch", "send", "loop")  # steps of one worker and one server


class Log:
    """What this process does. Lines are in the file when `say` returns, so that a kill loses none."""

    def __init__(self, folder, name):
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = os.open(os.path.join(folder, f"{name}.{os.getpid()}.log"), flags, 0o600)

    def say(self, *words):
        os.write(self._file, (" ".join(map(str, (time.monotonic(), *words))) + "\n").encode())


def rank():
    return int(os.environ["TFCORE_REJOIN"].split("/")[0] if "TFCORE_REJOIN" in os.environ else os.environ["PMIX_RANK"])


class Graph:
    """The variables and the steps of one worker, by server."""

    def __init__(self, tf, cluster):
        workers, me = cluster.num_tasks("worker"), cluster.task_index
        self.number = tf.placeholder(tf.float64, [], name="number")
        own = tf.one_hot(me + 1, workers + 1, dtype=tf.int64)
        life = tf.cast(self.number, tf.int64) * tf.one_hot(0, workers + 1, dtype=tf.int64)
        self.steps = {what: [] for what in PAIRS}
        self.initialize = []
        here = f"/job:worker/task:{me}"
        for i in range(cluster.num_tasks("ps")):
            there = f"/job:ps/task:{i}"
            with tf.device(there):
                counts = tf.Variable(tf.zeros([workers + 1], tf.int64), name=f"counts{i}")
                large = tf.Variable(tf.zeros([LARGE], tf.float64), name=f"large{i}")
                self.initialize.append(tf.group(counts.assign(life), large.assign(tf.fill([LARGE], self.number))))
                self.steps["add"].append(counts.assign_add(own))
            with tf.device(here):
                self.steps["fetch"].append(self._summary(tf, large + 0.0))
                mine = tf.fill([LARGE], self.number)
            with tf.device(there):
                self.steps["send"].append(self._summary(tf, mine + 0.0))
            self.steps["loop"].append(self._loop(tf, here, there))
        parts = [tf.one_hot(me, workers, dtype=tf.float64)[:, None] * tf.fill([1, n], self.number) for n in BLOCK]
        self.sums = [tf.distributed.allreduce(part) for part in parts]

    @staticmethod
    def _summary(tf, vector):
        return tf.stack([tf.reduce_min(vector), tf.reduce_max(vector), tf.cast(tf.size(vector), tf.float64)])

    @staticmethod
    def _loop(tf, here, there):
        """0 + 1 + ... on the worker, of numbers that the server counts."""

        def body(i, total):
            with tf.device(here):
                total = total + i
            with tf.device(there):
                i = i + 1
            return i, total

        return tf.while_loop(lambda i, _: i < ROUNDS, body, [tf.constant(0), tf.constant(0)], parallel_iterations=3)[1]


class Worker:
    """Runs steps on several threads until it is told to stop, or until the others have excluded it."""

    def __init__(self, tf, fabric, cluster, server, folder, log):
        self.tf, self.fabric, self.cluster, self.folder, self.log = tf, fabric, cluster, folder, log
        self.graph = Graph(tf, cluster)
        self.sess = tf.Session(server.target)
        self.servers = range(cluster.num_tasks("ps"))
        self._lock = threading.Lock()
        self._initializing = threading.Lock()
        self._count = 0

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def goes_on(self):
        return not (self.has("stop") or self.fabric.excluded())

    def run(self, what, server, fetches):
        """Runs a step; returns its value, or the error that a failure has caused."""
        with self._lock:
            self._count += 1
            number = os.getpid() * 1_000_000 + self._count  # no other step has it
        self.log.say("begin", number, what, server)
        try:
            value = self.sess.run(fetches, {self.graph.number: number})
        except self.tf.errors.OpError as error:
            self.log.say("end", number, type(error).__name__, repr(str(error)))
            return error
        except BaseException as error:
            self.log.say("end", number, type(error).__name__, repr(str(error)))
            raise
        self.log.say("end", number, "ok", *self.words(what, value))
        return value

    @staticmethod
    def words(what, value):
        if what == "sum":  # for each vector and worker: the least and the greatest element
            return [int(x) for part in value for row in part for x in (row.min(), row.max())]
        return [] if value is None else [int(x) for x in value.reshape(-1)]

    def step(self, what, server):
        found = self.run(what, server, self.graph.steps[what][server])
        if isinstance(found, self.tf.errors.FailedPreconditionError):
            self.initialize(server)

    def initialize(self, server):
        """The first worker that lives does it. Two may, when one of them has just come or is about to go."""
        rank = self.cluster.rank
        with self._initializing:
            first = min(i for i in range(self.cluster.num_tasks("worker")) if self.fabric.alive(rank("worker", i)))
            if first != self.cluster.task_index or not self.goes_on():
                return
            found = self.run("look", server, self.graph.steps["fetch"][server])
            if isinstance(found, self.tf.errors.FailedPreconditionError):
                self.run("initialize", server, self.graph.initialize[server])

    def pairs(self):
        while self.goes_on():
            for what in PAIRS:
                for server in self.servers:
                    self.step(what, server)
                    time.sleep(PAUSE_S)

    def sums(self):
        while self.goes_on():
            if isinstance(self.run("sum", -1, self.graph.sums), self.tf.errors.OpError):
                time.sleep(PAUSE_S)  # a worker is missing
            time.sleep(PAUSE_S)

    def flood(self):
        """Fetches while the file is there: values of several steps wait for this task at the same time."""
        while self.goes_on():
            if self.has("flood"):
                for server in self.servers:
                    self.step("fetch", server)
                    time.sleep(PAUSE_S)
            else:
                time.sleep(PAUSE_S)

    def work(self):
        threads = [threading.Thread(target=call) for call in [self.pairs, self.sums, *[self.flood] * FLOOD]]
        for thread in threads:
            thread.start()
        self.log.say("ready")
        for thread in threads:
            thread.join()
        self.sess.close()


def main(folder):
    log = Log(folder, rank())
    log.say("born")
    import faulthandler
    import signal

    faulthandler.register(signal.SIGUSR2, all_threads=True)  # for whoever looks into a step that hangs
    import tfcore as tf
    from tfcore.distributed.fabric import fabric
    from tfcore.distributed.task import task

    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    log.say("up", task.current().epoch)
    try:
        if cluster.job_name == "worker":
            Worker(tf, fabric, cluster, server, folder, log).work()
        else:
            server.join()
    except tf.errors.AbortedError:
        if not fabric.excluded():
            raise
    finally:
        log.say("bye", "excluded" if fabric.excluded() else "")
    sys.exit(3 if fabric.excluded() else 0)


if __name__ == "__main__":
    main(sys.argv[1])
