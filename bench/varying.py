"""How fast are steps whose sizes change, and how much memory does the process hold?

`python -m bench.varying` runs a few element-wise operations on vectors of random lengths, of growing lengths and of one
length, and prints million elements per second and resident memory, beside PyTorch's with `--torch PYTHON`.
"""

import argparse
import os
import random
import subprocess
import sys
import time

import numpy as np

STEPS, LARGEST = 300, 8 << 20


def lengths(order):
    rng = random.Random(1)
    if order == "random":
        return [int(LARGEST ** rng.uniform(0.6, 1)) for _ in range(STEPS)]
    if order == "growing":
        return [int(1000 * (LARGEST / 1000) ** (i / (STEPS - 1))) for i in range(STEPS)]
    return [LARGEST // 8] * STEPS


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def graph_program():
    import tfcore as tf

    x = tf.placeholder(tf.float32, [None])
    parts = [x + 1.0, x * 2.0, 3.0 - x, tf.square(x)]
    with tf.control_dependencies(parts):
        y = tf.reduce_sum(tf.add_n(parts))
    session = tf.Session()
    return lambda values: session.run(y, {x: values})


def torch_program():
    import torch

    def run(values):
        x = torch.from_numpy(values)
        parts = [x + 1.0, x * 2.0, 3.0 - x, torch.square(x)]
        return float((parts[0] + parts[1] + parts[2] + parts[3]).sum())

    return run


def measure(library, order):
    """Runs in a separate process; prints one line."""
    run = graph_program() if library == "tfcore" else torch_program()
    data = np.linspace(0, 1, LARGEST, dtype=np.float32)
    for _ in range(12):
        run(data[:1000])
    before = top = resident()
    begin = time.perf_counter()
    for n in lengths(order):
        run(data[:n])
        top = max(top, resident())
    seconds = time.perf_counter() - begin
    speed = sum(lengths(order)) / seconds / 1e6
    print(f"{library:8}{order:10}{speed:8.0f} M elements/s, {(top - before) / 1e6:6.0f} MB more at most", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", help="an interpreter that has PyTorch")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        measure(*args.measure)
        return
    for order in ("fixed", "random", "growing"):
        for library, python in (("tfcore", sys.executable), ("torch", args.torch)):
            if python:
                subprocess.run([python, "-m", "bench.varying", "--measure", library, order], check=True)


if __name__ == "__main__":
    main()
