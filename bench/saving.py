"""How much does a checkpoint slow down the training that continues meanwhile?

    python -m bench.saving [--folder FOLDER] [--gigabytes 1] [--rounds 5] [--kinds table dense] [--foreground]
        [--tf PYTHON]

A thread saves in the background, and steps per second are measured until it is done, in turn with training alone,
before and after it. In "table", a step updates 128 rows of a table that has all the bytes, and a small network behind
it; in "dense" it updates all bytes. Also printed: what a save costs, in seconds of training alone; the longest step
during a save (the first update of a variable copies it); and by how much the process grows. --foreground: saves at full
speed. With --tf (an interpreter that has TensorFlow), TensorFlow does the same, in turns. It syncs nothing, so the
benchmark calls `sync`.
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
    """Resident memory in MB: now, and the most since `forget_peak`."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return [int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def train_for(step, fed, is_over):
    """Steps per second until it is over, and the longest step in seconds."""
    steps, longest, start = 0, 0.0, time.perf_counter()
    last = start
    while not is_over():
        step(fed[steps % len(fed)])
        steps, now = steps + 1, time.perf_counter()
        longest, last = max(longest, now - last), now
    return steps / (last - start), longest


def measure(tf, kind, folder, size, options):
    """Yields a dict of what `report` prints, for each line of stdin."""
    import numpy as np

    train, placeholder, fed = {"table": table, "dense": dense}[kind](tf, np, size)
    saver = tf.train.Saver(max_to_keep=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        step = session.make_callable(train, [placeholder])
        for i in range(20):
            step(fed[i % len(fed)])

        def save():
            saver.save(session, os.path.join(folder, "model"), write_meta_graph=False, **options)
            if "tensorflow" in sys.modules:
                os.sync()

        def alone():
            end = time.perf_counter() + ALONE_S
            return train_for(step, fed, lambda: time.perf_counter() > end)[0]

        for _ in sys.stdin:
            before = alone()
            forget_peak()
            resident_before, start = resident()[0], time.perf_counter()
            thread = threading.Thread(target=save)
            thread.start()
            saving, longest = train_for(step, fed, lambda thread=thread: not thread.is_alive())
            found = {"saving": saving, "longest": longest}
            found |= {"seconds": time.perf_counter() - start, "more": resident()[1] - resident_before}
            yield found | {"alone": (before + alone()) / 2}


def work(library, kind, folder, size, foreground):
    if library == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        rounds = measure(tf, kind, folder, size, {})
    else:
        import tfcore as tf

        rounds = measure(tf, kind, folder, size, {"in_background": not foreground})
    for found in rounds:
        print(json.dumps(found), flush=True)


def report(kind, library, rounds):
    middle = {name: statistics.median(r[name] for r in rounds) for name in rounds[0]}
    slower = statistics.median(1 - r["saving"] / r["alone"] for r in rounds)
    cost = statistics.median((1 - r["saving"] / r["alone"]) * r["seconds"] for r in rounds)
    text = (
        f"{kind:6} {library:11} {middle['alone']:8.1f} steps/s alone, {middle['saving']:8.1f} while saving "
        f"({slower:5.1%} slower), {middle['seconds']:5.2f} s a save, which costs {cost:5.2f} s; "
        f"the longest step {middle['longest']:5.2f} s; {middle['more']:5.0f} MB more"
    )
    print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="on the disk to measure")
    parser.add_argument("--gigabytes", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tf", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--kinds", nargs="+", choices=["table", "dense"], default=["table", "dense"])
    parser.add_argument("--foreground", action="store_true", help="save at full speed")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    size = int(args.gigabytes * (1 << 30))
    if args.worker:
        return work(*args.worker, size, args.foreground)
    pythons = {"tfcore": sys.executable, **({"tensorflow": args.tf} if args.tf else {})}
    for kind in args.kinds:
        with tempfile.TemporaryDirectory(dir=args.folder) as folder:
            processes, found = {}, {library: [] for library in pythons}
            for library, python in pythons.items():
                own = os.path.join(folder, library)
                os.mkdir(own)
                command = [python, "-m", "bench.saving", "--gigabytes", str(args.gigabytes)]
                command += ["--foreground"] * args.foreground + ["--worker", library, kind, own]
                pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
                processes[library] = subprocess.Popen(command, text=True, **pipes)
            for _ in range(args.rounds + 1):
                for library, process in processes.items():
                    print(file=process.stdin, flush=True)
                    found[library].append(json.loads(process.stdout.readline()))
            for process in processes.values():
                process.stdin.close()
                process.wait()
        for library, rounds in found.items():  # the first round warms up
            report(kind, library, rounds[1:])


if __name__ == "__main__":
    main()
