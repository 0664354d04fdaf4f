"""Figure 8 of the TensorFlow paper: step time and normalised speed-up over the number of backup workers.

    python -m bench.stragglers [--needed 4] [--backup 0,1,2,3,4] [--steps 300] [--plot FILE.png]

Real clusters: a parameter server and `--needed` workers with 0 to 4 backup workers more, which train through
`tf.train.SyncReplicasOptimizer`. Instead of computing for long, a worker sleeps before its step: `--compute` seconds,
with noise, and now and then (`--rate`) several times as long (`--slow`); so that eight workers fit on two cores. The
chief's thread notes when steps are complete, workers note how long each of their gradients took.

Then follows a simulation: workers take and give tokens as in the real cluster, times are drawn from the measured ones,
and each step takes what a step of the real cluster takes beyond its workers. It is printed beside the measurements for
the same sizes, and then for `--sizes` workers (50 and 100), up to a fifth more as backup.

The normalised speed-up of b backup workers is t(0) / t(b) * m / (m + b) for m needed gradients: more than 1 where the
faster steps are worth the additional workers.
"""

import argparse
import heapq
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque

import numpy as np

LIMIT_S = 600
TASK = "--task"  # how a process of a real cluster is started


def parse_arguments():
    parser = argparse.ArgumentParser(prog="python -m bench.stragglers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    numbers = lambda text: [int(n) for n in text.split(",")]  # noqa: E731
    parser.add_argument("--needed", type=int, default=4, help="gradients that make a step")
    parser.add_argument("--backup", type=numbers, default=[0, 1, 2, 3, 4], help="numbers of backup workers")
    parser.add_argument("--steps", type=int, default=300, help="steps of each real cluster")
    parser.add_argument("--compute", type=float, default=0.02, help="seconds of a gradient")
    parser.add_argument("--noise", type=float, default=0.05, help="standard deviation of its logarithm")
    parser.add_argument("--rate", type=float, default=0.01, help="fraction of gradients that are slow")
    parser.add_argument("--slow", type=float, default=3, help="how many times as long they take, on average")
    parser.add_argument("--sizes", type=numbers, default=[50, 100], help="needed gradients of simulated clusters")
    parser.add_argument("--simulated-steps", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", metavar="FILE.png", help="draw the larger simulated cluster as in the paper")
    parser.add_argument(TASK, nargs=2, metavar=("FOLDER", "BACKUP"), help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- Real clusters


def delays(options, worker):
    """How long each gradient of a worker takes, in seconds, endlessly."""
    rng = np.random.default_rng([options.seed, worker])
    while True:
        seconds = options.compute * rng.lognormal(0, options.noise)
        if rng.random() < options.rate:
            seconds *= 1 + rng.exponential(options.slow - 1)
        yield seconds


class Worker:
    """A worker's graph, and its steps."""

    def __init__(self, tf, cluster, server, needed):
        self.index = cluster.task_index
        device = f"/job:worker/task:{self.index}"
        with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=device)):
            step = tf.train.get_or_create_global_step()
            w = tf.Variable(tf.ones([1000]), name="w")
            descent = tf.train.GradientDescentOptimizer(0.01)
            optimizer = tf.train.SyncReplicasOptimizer(descent, needed, cluster.num_tasks("worker"))
            self.train = optimizer.minimize(tf.nn.l2_loss(w), global_step=step)
        self.update = optimizer.get_chief_queue_runner().enqueue_ops[0]
        first_tokens, initialize = optimizer.get_init_tokens_op(), tf.global_variables_initializer()
        self.session = tf.Session(server.target)
        run = self.session.run
        if self.index == 0:
            run(initialize)
        while run(optimizer.ready_for_local_init_op).size:
            time.sleep(0.01)
        run(optimizer.local_step_init_op)
        if self.index == 0:
            run(optimizer.chief_init_op)
            run(first_tokens)
            self.updates = []
            threading.Thread(target=self.run_updates, daemon=True).start()

    def run_updates(self):
        """The chief's thread: like a queue runner, but it notes the times."""
        update = self.session.make_callable(self.update)
        while True:  # the end of the process ends it
            update()
            self.updates.append(time.perf_counter())

    def train_until(self, steps, waits):
        """For each gradient, the seconds from a token until it was sent, and from then to the next token."""
        step, token, times = self.session.make_callable(self.train), 0, []
        while token < steps:
            start = time.perf_counter()
            time.sleep(next(waits))
            computed = time.perf_counter()
            token = int(step())
            times.append((computed - start, time.perf_counter() - computed))
        return times


def run_task(options):
    import tfcore as tf

    folder, backup = options.task
    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    if cluster.job_name == "ps":
        server.join()
    worker = Worker(tf, cluster, server, cluster.num_tasks("worker") - int(backup))
    found = {"times": worker.train_until(options.steps, delays(options, worker.index))}
    if worker.index == 0:
        found["updates"] = worker.updates[: options.steps]
    with open(os.path.join(folder, f"{worker.index}.json"), "w") as file:
        json.dump(found, file)


class Measured:
    """What a real cluster has done: seconds between updates, seconds of all gradients, and of a step beyond them."""

    def __init__(self, reports, warm_up):
        updates = next(r["updates"] for r in reports if "updates" in r)
        self.steps = np.diff(updates[warm_up:])
        times = [t for r in reports for t in r["times"]]
        self.computing = np.array([seconds for seconds, _ in times])
        self.overhead = min(wait for _, wait in times)


def measure(options, backup):
    """Runs a real cluster."""
    workers = options.needed + backup
    call = [sys.executable, "-m", "tfcore.run", "--ps", "1", "--workers", str(workers), "-m", "bench.stragglers"]
    names = ("steps", "compute", "noise", "rate", "slow", "seed")
    with tempfile.TemporaryDirectory() as folder:
        settings = [part for n in names for part in (f"--{n}", str(getattr(options, n)))]
        call += [*settings, TASK, folder, str(backup)]
        done = subprocess.run(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
        if done.returncode:
            raise SystemExit(f"{workers} workers: {done.stdout}")
        reports = []
        for i in range(workers):
            with open(os.path.join(folder, f"{i}.json")) as file:
                reports.append(json.load(file))
    return Measured(reports, options.steps // 10)


# ---- Simulated clusters


def simulate(needed, backup, computing, overhead, steps, seed=0):
    """Seconds between the updates of a cluster.

    computing: seconds of gradients, from which they are drawn. overhead: seconds of an update beyond that.
    """
    draw = drawn(computing, seed)
    workers = needed + backup
    now, step, gradients = 0.0, 0, 0
    tokens, waiting, updates = deque(), deque(), []
    events = [(next(draw), worker, 0) for worker in range(workers)]  # (when, whose, from which step)
    heapq.heapify(events)
    while len(updates) <= steps:
        now, worker, source = heapq.heappop(events)
        waiting.append(worker)
        gradients += source == step
        if gradients == needed:
            now, step, gradients = now + overhead, step + 1, 0
            updates.append(now)
            tokens.extend([step] * workers)
        while tokens and waiting:
            heapq.heappush(events, (now + next(draw), waiting.popleft(), tokens.popleft()))
    return np.diff(updates)


def drawn(values, seed):
    rng = np.random.default_rng(seed)
    while True:
        yield from rng.choice(values, 10_000).tolist()


def sweep(needed, backups, computing, overhead, steps):
    return {b: simulate(needed, b, computing, overhead, steps) for b in backups}


# ---- Tables


def speed_ups(needed, means):
    """The normalised speed-ups for {number of backup workers: seconds of a step}; means has the time without any."""
    return {b: means[0] / t * needed / (needed + b) for b, t in means.items()}


COLUMNS = ("needed", "backup", "mean, ms", "median", "10 %", "90 %", "speed-up")
HEAD = "".join(f"{name:>10s}" for name in COLUMNS)


def row(needed, backup, steps, speed_up):
    times = 1e3 * np.array([np.mean(steps), *np.percentile(steps, [50, 10, 90])])
    return f"{needed:>10d}{backup:>10d}" + "".join(f"{t:>10.1f}" for t in times) + f"{speed_up:>10.2f}"


def table(needed, found):
    """Prints a sweep; returns the speed-ups."""
    means = {b: float(np.mean(s)) for b, s in found.items()}
    ups = speed_ups(needed, means)
    for b, steps in found.items():
        print(row(needed, b, steps, ups[b]), flush=True)
    best = max(ups, key=ups.get)
    print(f"best normalised speed-up with {best} backup workers; shortest steps with {min(means, key=means.get)}")
    return ups


def plot(needed, found, ups, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, left = pyplot.subplots(figsize=(7, 4), constrained_layout=True)
    low, middle, high = (np.array([np.percentile(s, p) for s in found.values()]) for p in (10, 50, 90))
    left.errorbar(list(found), middle, [middle - low, high - middle], color="tab:blue", capsize=3)
    left.set(xlabel="backup workers", ylim=0, title=f"{needed} needed gradients, simulated from measured times")
    left.set_ylabel("step time, s: median, 10 and 90 %", color="tab:blue")
    right = left.twinx()
    right.plot(list(ups), list(ups.values()), "o--", color="tab:red")
    right.set_ylabel("normalised speed-up", color="tab:red")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def main():
    options = parse_arguments()
    if options.task:
        return run_task(options)
    backups = sorted({0, *options.backup})
    print(f"Real clusters on this machine ({os.cpu_count()} cores)\n{HEAD}")
    measured = {b: measure(options, b) for b in backups}
    table(options.needed, {b: m.steps for b, m in measured.items()})
    computing = np.concatenate([m.computing for m in measured.values()])
    overhead = statistics.median(m.overhead for m in measured.values())
    print(
        f"\nSimulated: {len(computing)} measured times of gradients, and {overhead * 1e6:.0f} us for an update\n{HEAD}"
    )
    table(options.needed, sweep(options.needed, backups, computing, overhead, options.simulated_steps))
    for needed in options.sizes:
        found = sweep(
            needed, range(0, needed // 5 + 1, max(1, needed // 50)), computing, overhead, options.simulated_steps
        )
        print(HEAD)
        ups = table(needed, found)
    if options.plot:
        plot(needed, found, ups, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
