"""Speed of queues: python -m bench.queues [--tf PYTHON]

PYTHON is an interpreter that has TensorFlow, which then runs the same program, in turns with tfcore. Prints, in
microseconds, a pair of steps that enqueue and dequeue 100 elements of 128 floats, computed in the graph or fed and
fetched; a pair that enqueues and dequeues one scalar on one thread; and with two threads, one that enqueues and one
that dequeues, how many thousand elements pass per second.
"""

import argparse
import json
import subprocess
import sys
import threading
import time

ROUNDS = 5


def best(function, runs):
    """Microseconds per call, the least of some rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(runs):
            function()
        times.append((time.perf_counter() - start) / runs * 1e6)
    return min(times)


def together(*functions):
    threads = [threading.Thread(target=f) for f in functions]
    start = time.perf_counter()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return time.perf_counter() - start


def measure(tf, np, runs):
    """A dict of the four numbers."""
    rows = np.ones((100, 128), np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        many, single = tf.FIFOQueue(1000, tf.float32, shapes=[[128]]), tf.FIFOQueue(1000, tf.float32, shapes=[[]])
        fed, value = tf.placeholder(tf.float32, [100, 128]), tf.Variable(rows)
        sess.run(value.initializer)
        taken = many.dequeue_many(100)
        calls = [
            sess.make_callable(fetch, *feeds)
            for fetch, *feeds in (
                (many.enqueue_many(value + 1.0),),
                (taken.op,),
                (many.enqueue_many(fed), [fed]),
                (taken,),
                (single.enqueue(tf.constant(1.0)),),
                (single.dequeue().op,),
            )
        ]
        put, take, put_fed, fetch, put_one, take_one = calls
        for _ in range(20):
            put(), take(), put_fed(rows), fetch(), put_one(), take_one()
        found = {
            "100 elements of 128 floats, us a pair": best(lambda: (put(), take()), runs),
            "100 elements, fed and fetched, us a pair": best(lambda: (put_fed(rows), fetch()), runs),
            "one scalar, us a pair": best(lambda: (put_one(), take_one()), runs),
        }
        seconds = [
            together(lambda: [put_one() for _ in range(runs)], lambda: [take_one() for _ in range(runs)])
            for _ in range(ROUNDS)
        ]
        found["scalars between two threads, thousand/s"] = runs / min(seconds) / 1000
    return found


PEER = """
import json, os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np, tensorflow.compat.v1 as tf
tf.disable_eager_execution()
sys.path.insert(0, sys.argv[1])
from queues import measure
print(json.dumps(measure(tf, np, 1000)))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tf", help="an interpreter that has TensorFlow")
    parser.add_argument("--runs", type=int, default=20000, help="steps per round")
    options = parser.parse_args()
    import numpy as np

    import tfcore as tf

    ours, theirs = measure(tf, np, options.runs), {}
    if options.tf:
        folder = __file__.rpartition("/")[0]
        done = subprocess.run([options.tf, "-c", PEER, folder], stdout=subprocess.PIPE, text=True, check=True)
        theirs = json.loads(done.stdout.splitlines()[-1])
        again = measure(tf, np, options.runs)
        ours = {k: max(v, again[k]) if k.endswith("/s") else min(v, again[k]) for k, v in ours.items()}
    for name, value in ours.items():
        peer = f"   TensorFlow {theirs[name]:10.2f}" if theirs else ""
        print(f"{name:45} {value:10.2f}{peer}")


if __name__ == "__main__":
    sys.exit(main())
