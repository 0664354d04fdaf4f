"""How long a training job stands still when a process is killed: the convolutional net of the examples.

    python -m bench.recovery [--rounds 5] [--reach 3]

A server and two workers train in monitored sessions under `tfcore.run --restart`. In each round worker 1 is killed with
SIGKILL, then the server, then the chief, and the time is measured until the first step after that ends: of the worker's
replacement; of both workers, as the variables are those of the last checkpoint; of the chief's replacement.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

VICTIMS = {"worker 1": ["worker 1"], "ps 0": ["worker 0", "worker 1"], "worker 0": ["worker 0"]}  # who must continue
LIMIT_S = 120.0
SETTLES_S = 1.0  # of training between two kills


def serve(folder):
    """A task of the job."""
    import numpy as np

    import tfcore as tf
    from tfcore.examples import mnist

    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    print("up", os.getpid(), flush=True)
    if cluster.job_name == "ps":
        server.join()
    index = cluster.task_index
    build, steps, size, keep_prob = mnist.MODELS["conv"]
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:worker/task:{index}")):
        model = build(steps)
    tf.add_to_collection(tf.GraphKeys.GLOBAL_STEP, model.global_step)
    rng = np.random.default_rng(index)
    feeds = model.feed(rng.random((size, 784), np.float32), np.eye(10)[rng.integers(0, 10, size)], keep_prob)
    with tf.train.MonitoredTrainingSession(
        server.target, index == 0, folder, save_checkpoint_secs=5, save_summaries_steps=None, log_step_count_steps=None
    ) as sess:
        while not os.path.exists(os.path.join(folder, "stop")):
            began = time.time()
            sess.run(model.train_step, feeds)
            now = time.time()
            print(f"step {began:.3f} {now:.3f}", flush=True)


class Training:
    """The job, and what its tasks have printed."""

    def __init__(self, folder, restarts):
        call = [sys.executable, "-m", "tfcore.run", "--ps", "1", "--workers", "2", "--restart", str(restarts)]
        self._stop = os.path.join(folder, "stop")
        self._process = subprocess.Popen(
            [*call, "-m", "bench.recovery", "--task", folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self._lines.append(line)

    def _said(self, name, what):
        return [line for line in list(self._lines) if line.startswith(f"{name}| {what} ")]

    def first_step(self, name, since):
        """When a worker's first step ended that the loss can have had to do with; waits for it.

        A step that was under way counts if it ends late, as a step of a monitored session is made again if it fails.
        """
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end and self._process.poll() is None:
            for line in self._said(name, "step"):
                began, ended = map(float, line.split()[-2:])
                if began >= since or ended >= since + 0.5:
                    return ended
            time.sleep(0.02)
        raise SystemExit(f"{name} makes no step after a kill; the output:\n{''.join(self._lines[-50:])}")

    def kill(self, name):
        """Kills a task; returns when."""
        pid = int(re.search(r"up (\d+)", self._said(name, "up")[-1])[1])
        now = time.time()
        os.kill(pid, signal.SIGKILL)
        return now

    def finish(self):
        with open(self._stop, "w"):
            pass
        code = self._process.wait(LIMIT_S)
        self._reader.join(LIMIT_S)
        return code


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.recovery", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--reach", type=float, default=3.0, help="seconds within which training has to continue")
    parser.add_argument("--tf", help="accepted for bench.state; TensorFlow's server does not come back")
    parser.add_argument("--task", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.task:
        serve(options.task)
        return 0
    times = {name: [] for name in VICTIMS}
    with tempfile.TemporaryDirectory() as folder:
        job = Training(folder, 3 * options.rounds)
        try:
            for name in ("worker 0", "worker 1"):
                job.first_step(name, 0.0)
            for _ in range(options.rounds):
                for victim, others in VICTIMS.items():
                    time.sleep(SETTLES_S)
                    since = job.kill(victim)
                    times[victim].append(max(job.first_step(name, since) for name in others) - since)
        finally:
            code = job.finish()
    for victim, found in times.items():
        middle = statistics.median(found)
        verdict = "" if middle <= options.reach else f"   MISSED: reach {options.reach:.1f} s"
        print(f"{victim} killed: {middle:.2f} s to the next step ({min(found):.2f} to {max(found):.2f}){verdict}")
    return code or max(map(statistics.median, times.values())) > options.reach


if __name__ == "__main__":
    sys.exit(main())
