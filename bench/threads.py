"""How does the throughput of one session change when many client threads run steps at the same time?

    python -m bench.threads [--seconds S]

For 1, 4, 16 and 64 threads: steps per second, all threads together. Threads that compute nothing in Python between
their steps are the hard case: all of them want the GIL all the time. Steps of a microsecond or less can't do better
than calls of a Python method, the first row, which only switches between threads. Results are checked: additions by all
threads to a variable must add up.
"""

import argparse
import functools
import statistics
import threading
import time

import numpy as np

from bench import softmax

THREADS = (1, 4, 16, 64)


def empty(tf):
    nothing = tf.no_op()
    return nothing, {}


def scalar(tf):
    x = tf.placeholder(tf.float32, [])
    return x + 1.0, {x: np.float32(41)}


def add(tf):
    counter = tf.Variable(tf.zeros([], tf.int64), name="counter")
    return tf.assign_add(counter, 1).op, {}


def train(tf):
    x, y_ = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
    w, b = tf.Variable(tf.zeros([784, 10])), tf.Variable(tf.zeros([10]))
    loss = -tf.reduce_sum(y_ * tf.log(tf.nn.softmax(tf.matmul(x, w) + b)))
    images, labels = softmax.batches(100, 1)[0]
    return tf.train.GradientDescentOptimizer(1e-4).minimize(loss), {x: images, y_: labels}


def wide(tf):
    x = tf.placeholder(tf.float32, [300, 300])
    y = tf.reduce_sum(tf.matmul(x, tf.nn.relu(tf.matmul(x, x))))
    return y, {x: np.ones([300, 300], np.float32)}


STEPS = {
    "empty step": empty,
    "feed and fetch a scalar": scalar,
    "add to a variable": add,
    "softmax regression, batch 100": train,
    "products of 300 x 300": wide,
}


class PythonCall:
    """Replaces a session by an empty call: shows the interpreter's cost of switching between threads."""

    def run(self, fetch, feeds):
        return feeds


def throughput(session, fetch, feeds, threads, seconds):
    """(steps per second, steps) of `threads` threads that run the same step."""
    counts, stop, start = [0] * threads, threading.Event(), threading.Barrier(threads + 1)

    def client(index):
        run, count = session.run, 0
        start.wait()
        while not stop.is_set():
            for _ in range(8):
                run(fetch, feeds)
            count += 8
        counts[index] = count

    clients = [threading.Thread(target=client, args=(i,)) for i in range(threads)]
    for c in clients:
        c.start()
    start.wait()
    began = time.perf_counter()
    time.sleep(seconds)
    stop.set()
    for c in clients:
        c.join()
    return sum(counts) / (time.perf_counter() - began), sum(counts)


def of_the_interpreter(rounds, seconds):
    """Number of threads -> calls per second, like `measure`."""
    rates = {n: [] for n in THREADS}
    for _ in range(rounds):
        for n in THREADS:
            rates[n].append(throughput(PythonCall(), None, {}, n, seconds)[0])
    return {n: statistics.median(values) for n, values in rates.items()}


def measure(tf, make, rounds, seconds):
    """Number of threads -> steps per second: the median of rounds in which all numbers take turns."""
    with tf.Graph().as_default():
        fetch, feeds = make(tf)
        initialize = tf.global_variables_initializer()
        counters = [v for v in tf.global_variables() if v.op.name == "counter"]
        session = tf.Session()
    session.run(initialize)
    for _ in range(20):
        session.run(fetch, feeds)
    rates, steps = {n: [] for n in THREADS}, 20
    for _ in range(rounds):
        for n in THREADS:
            rate, count = throughput(session, fetch, feeds, n, seconds)
            rates[n].append(rate)
            steps += count
    for counter in counters:
        held = session.run(counter)
        if held != steps:
            raise ValueError(f"{steps} steps were run, but the variable is {held}")
    session.close()
    return {n: statistics.median(values) for n, values in rates.items()}


def main():
    import tfcore as tf

    parser = argparse.ArgumentParser(prog="python -m bench.threads", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--seconds", type=float, default=0.4, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{'steps per second with threads:':<34s}" + "".join(f"{n:>12d}" for n in THREADS) + f"{'64 / 1':>10s}")
    rows = {"a call of a Python method": lambda: of_the_interpreter(options.rounds, options.seconds)}
    for name, make in STEPS.items():
        rows[name] = functools.partial(measure, tf, make, options.rounds, options.seconds)
    for name, row in rows.items():
        rates = row()
        cells = "".join(f"{rates[n]:>12,.0f}" for n in THREADS)
        print(f"{name:<34s}{cells}{rates[THREADS[-1]] / rates[1]:>10.2f}", flush=True)


if __name__ == "__main__":
    main()
