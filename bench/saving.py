"""How much does a checkpoint slow down the training that goes on meanwhile?

    python -m bench.saving [--folder FOLDER] [--gigabytes 1] [--rounds 5] [--tf PYTHON]

A thread saves, and steps per second are measured until it is done, in turn with training alone. In "table", a step
updates 128 rows of a table that has all the bytes, and a small network behind it; in "dense" it updates all bytes,
which then have to be copied before they change. Also printed is by how much the process is larger while it saves. With
--tf (an interpreter that has TensorFlow) TensorFlow does the same, in turns; it syncs nothing, so `sync` is called for
it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ALONE_S = 1.5
WIDTH = 128


def table(tf, np, size):
    rows = size // 4 // WIDTH
    weights = tf.get_variable("table", [rows, WIDTH], initializer=tf.zeros_initializer(), use_resource=False)
    ids = tf.placeholder(tf.int32, [WIDTH])
    hidden = tf.nn.embedding_lookup(weights, ids)
    for i, width in enumerate((512, 512, 10)):
        w = tf.get_variable(f"w{i}", [hidden.shape[1], width], use_resource=False)
        hidden = tf.nn.relu(tf.matmul(hidden, w))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_mean(tf.square(hidden - 1.0)))
    fed = np.random.default_rng(1).integers(0, rows, (64, WIDTH)).astype("i4")
    return train, ids, fed


def dense(tf, np, size):
    n = size // 4 // 16
    update, last = tf.Variable(np.full(n, 1e-3, "f4"), use_resource=False, trainable=False), []
    for i in range(16):
        v = tf.get_variable(f"v{i}", [n], initializer=tf.zeros_initializer(), use_resource=False)
        last.append(tf.assign_add(v, update).op)
    return tf.group(*last), tf.placeholder(tf.int32, [1]), np.zeros((1, 1), "i4")


def resident():
    """MB, and the most since `forget_peak`."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return [int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def measure(tf, kind, folder, size):
    """Yields, for each line of stdin, steps per second alone and while saving, seconds of a save, and MB more."""
    import numpy as np

    train, placeholder, fed = {"table": table, "dense": dense}[kind](tf, np, size)
    saver = tf.train.Saver(max_to_keep=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        step = session.make_callable(train, [placeholder])
        for i in range(20):
            step(fed[i % len(fed)])

        def save():
            saver.save(session, os.path.join(folder, "model"), write_meta_graph=False)
            if "tensorflow" in sys.modules:
                os.sync()

        for _ in sys.stdin:
            steps, start = 0, time.perf_counter()
            while time.perf_counter() < start + ALONE_S:
                step(fed[steps % len(fed)])
                steps += 1
            alone = steps / (time.perf_counter() - start)
            forget_peak()
            before, thread = resident()[0], threading.Thread(target=save)
            steps, start = 0, time.perf_counter()
            thread.start()
            while thread.is_alive():
                step(fed[steps % len(fed)])
                steps += 1
            seconds = time.perf_counter() - start
            yield alone, steps / seconds, seconds, resident()[1] - before


def work(library, kind, folder, size):
    if library == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
    else:
        import tfcore as tf
    for found in measure(tf, kind, folder, size):
        print(json.dumps(found), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tf", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    size = int(args.gigabytes * (1 << 30))
    if args.worker:
        return work(*args.worker, size)
    pythons = {"tfcore": sys.executable, **({"tensorflow": args.tf} if args.tf else {})}
    for kind in ("table", "dense"):
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            processes, found = {}, {library: [] for library in pythons}
            for library, python in pythons.items():
                own = os.path.join(folder, library)
                os.mkdir(own)
                command = [python, "-m", "bench.saving", "--gigabytes", str(args.gigabytes), "--worker", library, kind]
                pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
                processes[library] = subprocess.Popen([*command, own], text=True, **pipes)
            for _ in range(args.rounds + 1):
                for library, process in processes.items():
                    print(file=process.stdin, flush=True)
                    found[library].append(json.loads(process.stdout.readline()))
            for process in processes.values():
                process.stdin.close()
                process.wait()
        for library, rounds in found.items():  # the first round warms up
            alone, saving, seconds, more = (statistics.median(column) for column in zip(*rounds[1:]))
            slower = statistics.median(1 - r[1] / r[0] for r in rounds[1:])
            print(
                f"{kind:6} {library:11} {alone:8.1f} steps/s alone, {saving:8.1f} while saving ({slower:5.1%} slower), "
                f"{seconds:5.2f} s a save, {more:5.0f} MB more",
                flush=True,
            )


if __name__ == "__main__":
    main()
