"""Steps per second of synchronous replication: softmax regression with a parameter server and two workers.

    python -m bench.distributed.replicas [--tf PYTHON] [--workers 2] [--backup 0] [--rounds 7]

Each worker feeds a batch of 100 images and runs the training operation of `tf.train.SyncReplicasOptimizer` until the
global step has advanced by a given number, which takes a turn of about `--seconds`. With --tf (an interpreter that has
TensorFlow) its processes do the same over gRPC on loopback, in turns with those of tfcore.
"""

import argparse
import statistics
import sys
import time

REACH = 10  # times TensorFlow's steps per second
BATCH = 100


class Replica:
    """A worker's graph and session. The same code is used for tfcore and TensorFlow.

    tf: the library. target: the session's. index: of this worker, 0 is the chief. workers, needed: how many there are,
    and how many gradients make a step.
    """

    def __init__(self, tf, target, index, workers, needed):
        import numpy as np

        rng = np.random.default_rng(index)
        with tf.Graph().as_default():
            setter = tf.train.replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{index}")
            with tf.device(setter), tf.variable_scope("replicas"):
                self.global_step = tf.Variable(0, trainable=False, name="step")
                x, y_ = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
                W = tf.Variable(tf.zeros([784, 10]), name="W")
                b = tf.Variable(tf.zeros([10]), name="b")
                y = tf.nn.softmax(tf.matmul(x, W) + b)
                loss = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), 1))
                descent = tf.train.GradientDescentOptimizer(0.01)
                optimizer = tf.train.SyncReplicasOptimizer(descent, needed, workers)
                self.train = optimizer.minimize(loss, global_step=self.global_step)
            self.hook = optimizer.make_session_run_hook(index == 0)
            self.hook.begin()
            initialize, self.missing = tf.global_variables_initializer(), optimizer.ready_for_local_init_op
            self.session = tf.Session(target)
        self.coord = tf.train.Coordinator()
        self.feeds = {x: rng.random((BATCH, 784), np.float32), y_: np.eye(10, dtype="f4")[rng.integers(0, 10, BATCH)]}
        if index == 0:
            self.session.run(initialize)
        while len(self.session.run(self.missing)):
            time.sleep(0.05)
        self.hook.after_create_session(self.session, self.coord)

    def run_until(self, step):
        """Makes steps until the global step has reached `step`; returns the seconds that it took."""
        start = time.perf_counter()
        while self.session.run(self.train, self.feeds) < step:
            self.coord.raise_requested_exception()
        return time.perf_counter() - start


class Turns:
    """Turns of the processes of a library."""

    def __init__(self, fleet, backup):
        self.fleet, self.step, self.rates, self.cpu = fleet, 0, [], []
        workers = len(fleet.workers)
        fleet.ask(fleet.workers, do="replicate", workers=workers, needed=workers - backup)

    def turn(self, steps):
        """Makes so many steps, and returns how many a second."""
        self.step += steps
        return steps / self.fleet.ask(self.fleet.workers, do="run_until", step=self.step)[0]

    def calibrate(self, seconds):
        """Finds the number of steps of a turn."""
        self.turn(50)
        self.steps = max(20, int(self.turn(200) * seconds))

    def measure(self):
        everybody = [*self.fleet.servers, *self.fleet.workers]
        before = sum(self.fleet.ask(everybody, do="cpu"))
        self.rates.append(self.turn(self.steps))
        self.cpu.append((sum(self.fleet.ask(everybody, do="cpu")) - before) / self.steps)

    def medians(self):
        """(steps per second, seconds of processor time for a step, of all processes)."""
        return statistics.median(self.rates), statistics.median(self.cpu)


def measure(pythons, workers=2, backup=0, rounds=7, seconds=1.5):
    """{library: (steps per second, processor seconds of a step)}, medians over rounds in which libraries take turns.

    pythons: {library: interpreter}.
    """
    from bench.distributed.fleet import Fleet

    fleets = []
    try:
        for library, python in pythons.items():
            fleets.append(Fleet(library, python, 1, workers))
        all_turns = [Turns(fleet, backup) for fleet in fleets]
        for turns in all_turns:
            turns.calibrate(seconds)
        for _ in range(rounds):
            for turns in all_turns:
                turns.measure()
    finally:
        for fleet in fleets:
            fleet.close()
    return {turns.fleet.library: turns.medians() for turns in all_turns}


def report(found):
    """The lines that say so."""
    lines = [
        f"synchronous replication, {name}: {rate:.0f} steps/s, {cpu * 1e6:.0f} us of processor time for a step"
        for name, (rate, cpu) in found.items()
    ]
    if len(found) == 2:
        ratio = found["tfcore"][0] / found["tensorflow"][0]
        lines.append(f"ratio {ratio:.1f}, {'met' if ratio >= REACH else f'NOT MET, >= {REACH}'}")
    return lines


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.distributed.replicas", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tf", metavar="PYTHON", help="interpreter that has TensorFlow")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--backup", type=int, default=0, help="workers whose gradients a step does not need")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.5, help="length of a library's turn in a round")
    options = parser.parse_args()
    pythons = {"tfcore": sys.executable, **({"tensorflow": options.tf} if options.tf else {})}
    print("\n".join(report(measure(pythons, options.workers, options.backup, options.rounds, options.seconds))))


if __name__ == "__main__":
    sys.exit(main())
