"""How fast each operation is beside its peers, the worst first.

    python -m bench.ops [--tf PYTHON] [--torch PYTHON] [--only TEXT] [--quick] [--json FILE]

--tf and --torch name the Python interpreters that have these libraries. Each library runs in a process of its own, and
they take turns. The results of an operation are compared before it is timed; one that differs is shown as such. The
ratio is to the best peer: above 1 tfcore is faster. Times are medians; all cores are used.
"""

import argparse
import json
import os
import statistics
import sys

if __name__ == "__main__" and "--worker" in sys.argv:  # started by path, with another library's interpreter
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np

from bench import peers
from bench.ops.cases import CASES

SAMPLED = 5000  # elements of each result that are compared


def program(case, library, module):
    """(run, result): functions that do the operation once, and that give its results as arrays."""
    arrays = case.inputs(np.random.default_rng(1))
    if library == "torch":
        tensors = [module.from_numpy(a) for a in arrays]

        def run():
            return case.torch(module, *tensors)

        def result():
            y = run()
            return [np.asarray(t) for t in (y if isinstance(y, tuple) else (y,))]

        return run, result
    with module.Graph().as_default():
        variables = [module.Variable(a, trainable=False) for a in arrays]
        y = case.graph(module, *variables)
        tensors = y if isinstance(y, list) else [y]
        session = module.Session()
        session.run(module.global_variables_initializer())
        return session.make_callable([t.op for t in tensors]), lambda: session.run(tensors)


def sample(arrays):
    # An odd step, so that it does not meet the same column of each row.
    return [a.ravel()[:: a.size // SAMPLED | 1].astype(np.float64).tolist() for a in arrays]


def work(library):
    """The process of one library."""
    module = peers.import_library(library)
    current = {}

    def answer(name, action, seconds=None):
        try:
            if name not in current:
                current.clear()
                case = next(case for case in CASES if case.name == name)
                current[name] = program(case, library, module)
            run, result = current[name]
            return {"value": sample(result()) if action == "result" else peers.median_time(run, seconds)}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {str(error)[:200]}"}

    peers.serve(answer)


def largest_error(results):
    """How far the results of libraries are apart, relative to the largest element; infinite where only one has NaN."""
    ours, *others = ([np.asarray(a) for a in arrays] for arrays in results)
    worst = 0.0
    for other in others:
        for a, b in zip(ours, other, strict=True):
            if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
                return float("inf")
            apart, scale = np.abs(a - b), np.abs(b)
            worst = max(worst, float(np.nanmax(apart, initial=0)) / max(float(np.nanmax(scale, initial=0)), 1e-30))
    return worst


def measure(case, workers, rounds, seconds):
    """{"name", "ms": {library: median}, "error": text or None}"""
    workers = [w for w in workers if w.library != "torch" or case.torch]
    answers = [w.ask(name=case.name, action="result") for w in workers]
    for worker, answer in zip(workers, answers, strict=True):
        if "error" in answer:
            return {"name": case.name, "ms": {}, "error": f"{worker.library}: {answer['error']}"}
    error = largest_error([answer["value"] for answer in answers])
    if not error <= case.tolerance:
        return {"name": case.name, "ms": {}, "error": f"results are {error:.1e} apart"}
    times = {w.library: [] for w in workers}
    for _ in range(rounds):
        for w in workers:
            times[w.library].append(w.ask(name=case.name, action="time", seconds=seconds)["value"])
    return {"name": case.name, "ms": {k: 1e3 * statistics.median(v) for k, v in times.items()}, "error": None}


def ratio(row):
    """How many times as fast as the best peer; None without one."""
    theirs = [ms for library, ms in row["ms"].items() if library != "tfcore"]
    return min(theirs) / row["ms"]["tfcore"] if theirs else None


def show(rows):
    print(f"{'':28}" + "".join(f"{library:>12}" for library in peers.LIBRARIES) + f"{'ratio':>8}   (ms)")
    for row in sorted(rows, key=lambda row: (row["error"] is None, ratio(row) or 0)):
        times = "".join(f"{row['ms'][k]:12.3f}" if k in row["ms"] else f"{'-':>12}" for k in peers.LIBRARIES)
        last = row["error"] or (f"{ratio(row):8.2f}" if ratio(row) else "")
        print(f"{row['name']:28}{times}{last}")


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.ops", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--tf", dest="tensorflow", metavar="PYTHON", help="interpreter that has TensorFlow")
    parser.add_argument("--torch", metavar="PYTHON", help="interpreter that has PyTorch")
    parser.add_argument("--only", default="", metavar="TEXT", help="operations whose name contains it")
    parser.add_argument("--quick", action="store_true", help="one short round: a rough picture")
    parser.add_argument("--json", metavar="FILE", help="write the rows there")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker)
    workers = peers.start_workers(__file__, options)
    rounds, seconds = (1, 0.1) if options.quick else (5, 0.3)
    rows = [measure(case, workers, rounds, seconds) for case in CASES if options.only in case.name]
    for worker in workers:
        worker.close()
    show(rows)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
