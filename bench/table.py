"""Measures rows in turns and prints them: shared by `python -m bench` and `python -m bench.control_flow`."""

import json
import os
import sys
import time

from bench import machine, peers, rows

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")


def add_arguments(parser, name):
    """The options of a table whose results go to results/`name`.*."""
    parser.add_argument("--tf", metavar="PYTHON", help="interpreter that has TensorFlow")
    parser.add_argument("--torch", metavar="PYTHON", help="interpreter that has PyTorch")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a rough picture")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name contains it")
    parser.add_argument("--json", default=os.path.join(RESULTS, f"{name}.json"), metavar="FILE")
    parser.add_argument("--plot", default=os.path.join(RESULTS, f"{name}.png"), metavar="FILE.png")


def workers_of(row, workers):
    return [w for w in workers if w.library != "torch" or row.torch is not None]


def ask(worker, **request):
    """A worker's answer; ValueError with its text if it failed."""
    answer = worker.ask(**request)
    if "error" in answer:
        raise ValueError(f"{worker.library} fails: {answer['error'][:500]}")
    return answer["value"]


def measure(row, workers, rounds, seconds):
    """One line of the table as a dictionary."""
    taking_part = workers_of(row, workers)
    results = {w.library: ask(w, name=row.name, action="result") for w in taking_part}
    errors = rows.compare(row, results)
    turns = {w.library: [] for w in taking_part}
    for _ in range(rounds):
        for worker in taking_part:
            turns[worker.library].append(ask(worker, name=row.name, action="time", seconds=seconds))
    values = {library: row.value(rows.median(times)) for library, times in turns.items()}
    return {
        "row": row.name,
        "unit": row.unit,
        "values": values,
        "ratios": row.ratios(values),
        "floors": row.floors(),
        "reach": row.reference[2] if row.reference else None,
        "errors": errors,
        "met": row.is_met(values),
    }


def number(value):
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def line(result):
    cells = [f"{result['row']:<40s}{result['unit']:>9s}"]
    cells += [f"{number(result['values'].get(library)):>12s}" for library in peers.LIBRARIES]
    for library in peers.LIBRARIES[1:]:
        ratio, floor = result["ratios"].get(library), result["floors"].get(library)
        shown = "-" if ratio is None else f"{ratio:.2f}"
        cells.append(f"{shown:>9s}" + (f" >={floor:5.2f}" if floor is not None else " " * 8))
    cells.append(f"{number(result['reach']):>9s}  {'met' if result['met'] else 'NOT MET'}")
    return "".join(cells)


def heading():
    cells = [f"{'':<40s}{'unit':>9s}"] + [f"{library:>12s}" for library in peers.LIBRARIES]
    cells += [f"{'x TF':>9s}{'floor':>8s}", f"{'x PyTorch':>9s}{'floor':>8s}", f"{'reach':>9s}"]
    return "".join(cells)


def plot(results, path):
    """Bars: how many times faster than each peer, with the floor as a line."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    results = [r for r in results if r["ratios"]]
    if not results:
        return
    figure, axes = pyplot.subplots(figsize=(9, 0.6 * len(results) + 1.5), constrained_layout=True)
    for i, result in enumerate(results):
        for offset, library in ((-0.2, "tensorflow"), (0.2, "torch")):
            color = {"tensorflow": "tab:orange", "torch": "tab:red"}[library]
            if library in result["ratios"]:
                axes.barh(i + offset, result["ratios"][library], 0.36, color=color)
                axes.text(result["ratios"][library], i + offset, f" {result['ratios'][library]:.2f}", va="center")
            if library in result["floors"]:
                floor = result["floors"][library]
                axes.plot([floor, floor], [i + offset - 0.2, i + offset + 0.2], color="black")
    axes.set_yticks(range(len(results)), [r["row"] for r in results])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1, color="gray", linewidth=0.5)
    axes.set_xlabel("times faster than TensorFlow (orange) and PyTorch (red); black: the floor")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def write(results, limits, options):
    for path in (options.json, options.plot):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(options.json, "w") as file:
        json.dump({"machine": limits, "time": time.strftime("%FT%TZ", time.gmtime()), "rows": results}, file, indent=1)
    try:
        plot(results, options.plot)
    except ImportError:
        print("no plot: matplotlib is not installed", file=sys.stderr)


def run(chosen, options):
    """Measures and prints the `chosen` rows; returns the exit status: 0 if all are met, 1 if not, 2 if one fails."""
    limits = machine.limits()
    peak, bandwidth = limits["peak_gflops"], limits["bandwidth_gbytes"]
    print(f"{limits['processor']}, {limits['cores']} cores: {number(peak)} GFLOP/s, {number(bandwidth)} GB/s")
    options.tensorflow = options.tf
    workers = peers.start_workers(SCRIPT, options)
    rounds, seconds = (3, 0.15) if options.quick else (9, 0.4)
    results, status = [], 0
    print(heading())
    for row in chosen:
        if options.only not in row.name:
            continue
        try:
            results.append(measure(row, workers, rounds, seconds))
        except ValueError as error:
            print(f"{row.name}: {error}")
            status = 2
            continue
        print(line(results[-1]), flush=True)
        status = max(status, 0 if results[-1]["met"] else 1)
    for worker in workers:
        worker.close()
    write(results, limits, options)
    return status
