"""How fast are convolutions? tfcore against TensorFlow and PyTorch, in turns, on this machine.

    python bench/conv_shapes.py [--cases 5x5,lenet] [--rounds 7] [--tensorflow PYTHON] [--torch PYTHON] [--json FILE]

Each library runs in a separate process, with the interpreter given by --tensorflow or --torch; libraries without one
are skipped. In every round each has its turn, so that drift of the machine affects all; the table shows medians.
Results are compared with a float64 reference before anything is timed. GFLOP/s count 2 * images * rows * columns *
out_channels * taps * in_channels, even if some are skipped at the edges; "% peak" is relative to a loop of
multiply-adds in registers. PyTorch is shown in the better of its two memory layouts.
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

# name: images, height = width, in channels, out channels, taps, stride
CASES = {
    "conv 5x5 64-192": (16, 27, 64, 192, 5, 1),
    "conv 3x3 128-128": (16, 28, 128, 128, 3, 1),
    "first 11x11/4 3-64": (16, 227, 3, 64, 11, 4),
    "lenet 1: 5x5 1-32": (64, 28, 1, 32, 5, 1),
    "lenet 2: 5x5 32-64": (64, 14, 32, 64, 5, 1),
}
KINDS = ("forward", "backward input", "backward filter")


def padding_of(stride):
    return "SAME" if stride == 1 else "VALID"


def output_size(size, taps, stride):
    return size if stride == 1 else (size - taps) // stride + 1


def flops(case):
    n, size, c, oc, taps, stride = case
    return 2.0 * n * output_size(size, taps, stride) ** 2 * oc * c * taps * taps


def inputs_of(case):
    n, size, c, oc, taps, stride = case
    rng = np.random.default_rng(0)
    out = output_size(size, taps, stride)
    shapes = ((n, size, size, c), (taps, taps, c, oc), (n, out, out, oc))
    return [rng.uniform(-1, 1, s).astype(np.float32) for s in shapes]


# ---- The libraries: each returns a dict kind -> (function that runs it once, function that returns the result).


def graph_library(tf, case):
    """tfcore and TensorFlow: the same program."""
    stride = case[5]
    x, f, g = inputs_of(case)
    graph = tf.Graph()
    with graph.as_default():
        values = [tf.Variable(v) for v in (x, f, g)]
        attrs = {"strides": [1, stride, stride, 1], "padding": padding_of(stride)}
        ops = {
            "forward": tf.nn.conv2d(values[0], values[1], **attrs),
            "backward input": tf.nn.conv2d_backprop_input(x.shape, values[1], values[2], **attrs),
            "backward filter": tf.nn.conv2d_backprop_filter(values[0], f.shape, values[2], **attrs),
        }
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
    runs = {kind: (lambda op=op: sess.run(op.op)) for kind, op in ops.items()}
    return runs, {kind: (lambda op=op: sess.run(op)) for kind, op in ops.items()}


def torch_layout(torch, case, layout):
    _, size, _, _, taps, stride = case
    x, f, g = inputs_of(case)
    pad = taps // 2 if stride == 1 else 0
    x = torch.from_numpy(x).permute(0, 3, 1, 2).contiguous(memory_format=layout)
    f = torch.from_numpy(f).permute(3, 2, 0, 1).contiguous(memory_format=layout)
    g = torch.from_numpy(g).permute(0, 3, 1, 2).contiguous(memory_format=layout)

    def backward(mask):
        return torch.ops.aten.convolution_backward(
            g, x, f, None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], 1, mask
        )

    runs = {
        "forward": lambda: torch.conv2d(x, f, None, stride, pad),
        "backward input": lambda: backward([True, False, False])[0],
        "backward filter": lambda: backward([False, True, False])[1],
    }
    order = {"backward filter": (2, 3, 1, 0)}
    results = {kind: (lambda kind=kind: runs[kind]().permute(*order.get(kind, (0, 2, 3, 1))).numpy()) for kind in runs}
    return runs, results


def work(library):
    module = peers.import_library(library)
    made = {}

    def variants(name):
        if library == "torch":
            return [
                torch_layout(module, CASES[name], layout) for layout in (module.contiguous_format, module.channels_last)
            ]
        return [graph_library(module, CASES[name])]

    def answer(name, kind, seconds=None, save=None):
        if name not in made:
            made.clear()
            made[name] = variants(name)
        if save:
            np.save(save, made[name][0][1][kind]())
            return None
        return [peers.median_time(runs[kind], seconds) for runs, _ in made[name]]

    peers.serve(answer)


# ---- Checks and tables


def reference(case, kind):
    """The result in float64."""
    stride, taps = case[5], case[4]
    x, f, g = (v.astype(np.float64) for v in inputs_of(case))
    pad = taps // 2 if stride == 1 else 0
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    n = g.shape[1]
    result = {"forward": np.zeros_like(g), "backward input": np.zeros_like(padded), "backward filter": np.zeros_like(f)}
    for i in range(taps):
        for j in range(taps):
            rows, cols = (slice(k, k + (n - 1) * stride + 1, stride) for k in (i, j))
            window = padded[:, rows, cols]
            if kind == "forward":
                result[kind] += window @ f[i, j]
            elif kind == "backward input":
                result[kind][:, rows, cols] += g @ f[i, j].T
            else:
                result[kind][i, j] = np.tensordot(window, g, ([0, 1, 2], [0, 1, 2]))
    result = result[kind]
    return result[:, pad : pad + x.shape[1], pad : pad + x.shape[2]] if kind == "backward input" else result


def check(workers, name, kind, folder):
    """Largest error of each library, relative to the largest value."""
    expected = reference(CASES[name], kind)
    errors = {}
    for worker in workers:
        path = os.path.join(folder, f"{worker.library}.npy")
        worker.ask(name=name, kind=kind, save=path)
        errors[worker.library] = float(np.abs(np.load(path) - expected).max() / np.abs(expected).max())
        if errors[worker.library] > 1e-4:
            raise SystemExit(f"{worker.library} is wrong: {name} {kind}, error {errors[worker.library]}")
    return errors


def measure(workers, name, kind, rounds, seconds):
    """GFLOP/s of each library: the median over rounds of the turns' medians."""
    turns = {worker.library: [] for worker in workers}
    for _ in range(rounds):
        for worker in workers:
            turns[worker.library].append(worker.ask(name=name, kind=kind, seconds=seconds))
    work = flops(CASES[name])
    best = {library: min(map(statistics.median, zip(*rows))) for library, rows in turns.items()}
    return {library: work / t / 1e9 for library, t in best.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    peers.add_arguments(parser)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker)
    peak = peers.peak_gflops()
    workers = peers.start_workers(__file__, options)
    wanted = options.cases.split(",")
    rows = []
    print(f"multiply-add peak of {os.cpu_count()} cores: {peak:.0f} GFLOP/s" if peak else "no compiler: peak unknown")
    print(
        f"{'GFLOP/s':38s}"
        + "".join(f"{w.library:>12s}" for w in workers)
        + f"{'ratio':>8s}{'% peak':>8s}{'error':>10s}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in (n for n in CASES if any(w in n for w in wanted)):
            for kind in KINDS:
                errors = check(workers, name, kind, folder)
                speeds = measure(workers, name, kind, options.rounds, options.seconds)
                others = [v for k, v in speeds.items() if k != "tfcore"]
                ratio = speeds["tfcore"] / max(others) if others else float("nan")
                share = 100 * speeds["tfcore"] / peak if peak else float("nan")
                print(
                    f"{name + ', ' + kind:38s}"
                    + "".join(f"{speeds[w.library]:12.0f}" for w in workers)
                    + f"{ratio:8.2f}{share:8.0f}{errors['tfcore']:10.1e}",
                    flush=True,
                )
                rows.append({"case": name, "kind": kind, "gflops": speeds, "errors": errors, "ratio": ratio})
    for worker in workers:
        worker.close()
    if options.json:
        with open(options.json, "w") as out:
            json.dump({"peak": peak, "rows": rows}, out, indent=1)
    return None


if __name__ == "__main__":
    main()
