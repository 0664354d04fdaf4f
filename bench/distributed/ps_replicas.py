"""What it costs that each variable has a replica (`ps_replicas=2`): steps with two parameter servers, with and without.

    python -m bench.distributed.ps_replicas [--only conv,mlp,softmax,sparse,scalar] [--workers 1] [--over-mpi]

Two clusters, only one with replicas, take turns: the models of the handwritten digits (the convolutional net with
momentum, the perceptron with Adam, softmax regression), a step that changes 256 rows of a table of embeddings, and a
step that adds one to a scalar. A step with replicas may take 1.5 times as long as one without.
"""

import argparse
import statistics
import sys
import time

REACH = 1.5
KINDS = ("conv", "mlp", "softmax", "sparse", "scalar")
ROWS, WIDTH, BATCH = 100_000, 64, 256


class Training:
    """A worker's graph and session."""

    def __init__(self, tf, target, kind, index):
        import numpy as np

        rng = np.random.default_rng(index)
        with tf.Graph().as_default():
            setter = tf.train.replica_device_setter(ps_tasks=2, worker_device=f"/job:worker/task:{index}")
            with tf.device(setter), tf.variable_scope(kind):
                self.train, self.feeds = _build(tf, kind, rng)
            initialize, missing = tf.global_variables_initializer(), tf.report_uninitialized_variables()
            self.session = tf.Session(target)
        if index == 0:
            self.session.run(initialize)
        while len(self.session.run(missing)):
            time.sleep(0.05)

    def run(self, steps):
        """Seconds that so many steps take."""
        start = time.perf_counter()
        for _ in range(steps):
            self.session.run(self.train, self.feeds)
        return time.perf_counter() - start


def _build(tf, kind, rng):
    """(the operation of a step, its feeds)"""
    import numpy as np

    if kind == "scalar":
        tf.Variable(0, name="other")
        return tf.assign_add(tf.Variable(0, name="counter"), 1).op, None
    if kind == "sparse":
        tf.Variable(0, name="other")
        table, ids = tf.Variable(tf.zeros([ROWS, WIDTH])), tf.placeholder(tf.int64, [None])
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) * 0.5)
        return tf.train.AdagradOptimizer(0.1).minimize(loss), {ids: rng.integers(0, ROWS, BATCH)}
    from tfcore.examples import mnist

    build, steps, size, keep_prob = mnist.MODELS[kind]
    model = build(steps)
    images, labels = rng.random((size, 784), np.float32), np.eye(10, dtype="f4")[rng.integers(0, 10, size)]
    return model.train_step, model.feed(images, labels, keep_prob)


class Turns:
    """The turns of a cluster with one kind of steps."""

    def __init__(self, fleet, kind):
        self.fleet, self.times = fleet, []
        fleet.ask(fleet.workers[:1], do="train", kind=kind)
        fleet.ask(fleet.workers[1:], do="train", kind=kind)
        self.turn(20)

    def turn(self, steps):
        """Seconds of a step of each worker, which all make so many."""
        return statistics.mean(self.fleet.ask(self.fleet.workers, do="run_steps", steps=steps)) / steps


def measure(kinds, workers=1, rounds=9, seconds=1.0, over_mpi=False):
    """Yields (kind, seconds of a step without, with replicas, ratio): medians over rounds."""
    from bench.distributed.fleet import MPI, Fleet

    library, fleets = MPI if over_mpi else "tfcore", []
    try:
        for replicas in (1, 2):
            fleets.append(Fleet(library, sys.executable, 2, workers, ps_replicas=replicas))
        for kind in kinds:
            plain, replicated = (Turns(fleet, kind) for fleet in fleets)
            steps = max(5, int(seconds / plain.turn(20)))
            times = [(plain.turn(steps), replicated.turn(steps)) for _ in range(rounds)]
            ratio = statistics.median(kept / alone for alone, kept in times)
            yield kind, *(statistics.median(column) for column in zip(*times)), ratio
    finally:
        for fleet in fleets:
            fleet.close()


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.distributed.ps_replicas", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", default=",".join(KINDS), help="kinds of steps, separated by commas")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn")
    parser.add_argument("--over-mpi", action="store_true", help="without shared memory, as between hosts")
    parser.add_argument("--tf", help="accepted for bench.state; TensorFlow has no replicas")
    options = parser.parse_args()
    kinds = options.only.split(",")
    if not set(kinds) <= set(KINDS):
        parser.error(f"argument --only: of {', '.join(KINDS)}")
    missed = False
    for kind, alone, kept, ratio in measure(kinds, options.workers, options.rounds, options.seconds, options.over_mpi):
        verdict = "met" if ratio <= REACH else f"NOT MET, <= {REACH}"
        print(f"ps_replicas=2, {kind}: {alone * 1e6:.0f} us, with replicas {kept * 1e6:.0f} us: {ratio:.2f}, {verdict}")
        missed |= ratio > REACH
    return missed


if __name__ == "__main__":
    sys.exit(main())
