"""How fast are matrix products? tfcore against TensorFlow and PyTorch, in turns, on this machine.

    python bench/matmul_shapes.py [--cases mlp,1024] [--rounds 7] [--tensorflow PYTHON] [--torch PYTHON] [--json FILE]

A time is that of one call by a user (session.run of an op on variables, torch.mm), so small sizes show the overhead of
a step too. The table has the median over rounds in GFLOP/s (2 * m * n * k floating-point operations), the ratio of
tfcore to the faster of the others, the share of the machine's multiply-add peak, and the largest error relative to |A|
|B| for each library, which is checked before anything is timed.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peers

# name: m, k, n, A transposed, B transposed, element type
CASES = {
    "64": (64, 64, 64, False, False, "float32"),
    "256": (256, 256, 256, False, False, "float32"),
    "1024": (1024, 1024, 1024, False, False, "float32"),
    "1024 A'B": (1024, 1024, 1024, True, False, "float32"),
    "1024 AB'": (1024, 1024, 1024, False, True, "float32"),
    "1000": (1000, 1000, 1000, False, False, "float32"),
    "2048": (2048, 2048, 2048, False, False, "float32"),
    "1024 double": (1024, 1024, 1024, False, False, "float64"),
    "softmax forward": (100, 784, 10, False, False, "float32"),
    "softmax backward": (784, 100, 10, True, False, "float32"),
    "100x784x128": (100, 784, 128, False, False, "float32"),
    "mlp forward 1": (128, 784, 512, False, False, "float32"),
    "mlp forward 2": (128, 512, 512, False, False, "float32"),
    "mlp forward 3": (128, 512, 10, False, False, "float32"),
    "mlp backward dX": (128, 512, 512, False, True, "float32"),
    "mlp backward dW2": (512, 128, 512, True, False, "float32"),
    "mlp backward dW1": (784, 128, 512, True, False, "float32"),
    "vector-matrix": (1, 1024, 1024, False, False, "float32"),
    "matrix-vector": (1024, 1024, 1, False, False, "float32"),
    "4 rows": (4, 1024, 1024, False, False, "float32"),
}


def operands(name):
    m, k, n, ta, tb, dtype = CASES[name]
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (k, m) if ta else (m, k)), rng.uniform(-1, 1, (n, k) if tb else (k, n))
    return a.astype(dtype), b.astype(dtype), ta, tb


def graph_program(tf, name):
    """For tfcore and TensorFlow: (function to run once, function to run and return the product)."""
    a, b, ta, tb = operands(name)
    with tf.Graph().as_default():
        product = tf.matmul(tf.Variable(a), tf.Variable(b), transpose_a=ta, transpose_b=tb)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    return lambda: session.run(product.op), lambda: session.run(product)


def torch_program(torch, name):
    a, b, ta, tb = operands(name)
    a, b = torch.from_numpy(a), torch.from_numpy(b)
    a, b = a.T if ta else a, b.T if tb else b
    return lambda: torch.mm(a, b), lambda: torch.mm(a, b).numpy()


def work(library):
    module = peers.import_library(library)
    program = torch_program if library == "torch" else graph_program
    made = {}

    def answer(name, seconds=None, save=None):
        if name not in made:
            made.clear()
            made[name] = program(module, name)
        run, result = made[name]
        if save:
            np.save(save, result())
            return None
        return peers.median_time(run, seconds)

    peers.serve(answer)


def check(workers, name):
    """Largest error of each library, relative to |A| |B|."""
    a, b, ta, tb = operands(name)
    a, b = (x.T if t else x for x, t in ((a.astype(np.float64), ta), (b.astype(np.float64), tb)))
    expected, scale = a @ b, abs(a) @ abs(b)
    errors = {}
    with tempfile.TemporaryDirectory() as folder:
        for worker in workers:
            path = os.path.join(folder, "result.npy")
            worker.ask(name=name, save=path)
            errors[worker.library] = float((abs(np.load(path) - expected) / scale).max())
            if not errors[worker.library] < 1e-5:
                raise SystemExit(f"{worker.library} is wrong: {name}, error {errors[worker.library]}")
    return errors


def measure(workers, name, rounds, seconds):
    turns = {worker.library: [] for worker in workers}
    for _ in range(rounds):
        for worker in workers:
            turns[worker.library].append(worker.ask(name=name, seconds=seconds))
    m, k, n = CASES[name][:3]
    return {library: 2e-9 * m * n * k / statistics.median(times) for library, times in turns.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    peers.add_arguments(parser)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker)
    workers = peers.start_workers(__file__, options)
    peak = peers.peak_gflops()
    print(f"multiply-add peak of {os.cpu_count()} cores, float32: {peak:.0f} GFLOP/s" if peak else "peak unknown")
    heads = "".join(f"{w.library:>12s}" for w in workers)
    print(f"{'GFLOP/s':20s}{heads}{'ratio':>8s}{'% peak':>8s}  errors")
    rows = []
    for name in CASES:
        if not any(part in name for part in options.cases.split(",")):
            continue
        errors = check(workers, name)
        speeds = measure(workers, name, options.rounds, options.seconds)
        others = [speed for library, speed in speeds.items() if library != "tfcore"]
        ratio = speeds["tfcore"] / max(others) if others else float("nan")
        limit = peak * (0.5 if CASES[name][5] == "float64" else 1) if peak else float("nan")
        shown = "".join(f"{speed:12.1f}" for speed in speeds.values())
        shown_errors = " ".join(f"{e:.0e}" for e in errors.values())
        print(f"{name:20s}{shown}{ratio:8.2f}{100 * speeds['tfcore'] / limit:8.0f}  {shown_errors}", flush=True)
        rows.append({"case": name, "gflops": speeds, "errors": errors, "ratio": ratio})
    for worker in workers:
        worker.close()
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"peak": peak, "cores": os.cpu_count(), "rows": rows}, out, indent=1)
    return None


if __name__ == "__main__":
    main()
