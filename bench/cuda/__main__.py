"""Prints the speeds of a GPU: tfcore against PyTorch, in turns, on the same card.

    python -m bench.cuda [--torch PYTHON] [--quick] [--only TEXT] [--json FILE]
    python -m bench.cuda --emulated

--torch names the Python interpreter that has PyTorch with CUDA. All results are compared with NumPy's before anything
is timed. The times of kernels are those of the device, by events of PyCUDA's and of PyTorch's. Kernels that are bound
by memory must reach 80 % of the speed of a copy on the device. With --emulated, programs of tiny sizes run on an
emulated GPU and only their results are checked: its times mean nothing.

Exit status: 0 if every row is met, 1 if not, 2 if there is no GPU or no PyCUDA, or a library is wrong or fails.
"""

import argparse
import importlib
import json
import os
import sys
import time

from bench import peers, rows, table

SHARE = 0.8  # of the speed of a copy


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.cuda", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--torch", metavar="PYTHON", help="interpreter that has PyTorch with CUDA")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a rough picture")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name contains it")
    parser.add_argument("--json", default=os.path.join(table.RESULTS, "cuda.json"), metavar="FILE")
    parser.add_argument("--emulated", action="store_true", help="check results on an emulated GPU, measure nothing")
    options = parser.parse_args()
    if options.emulated:
        os.environ["TFCORE_EMULATE_GPUS"] = "1"
    gpu = importlib.import_module("tfcore.core.device.gpu")
    if not gpu.count():
        print(f"No GPU: {gpu.missing()}. --emulated runs the programs on an emulated one.")
        return 2
    try:
        importlib.import_module("tfcore.gpu.pycuda").load()
    except ImportError as error:
        print(f"No PyCUDA, whose events give the times: {error}")
        return 2
    chosen = [row for row in rows.all_rows(rows.CUDA) if options.only in row.name]
    options.tensorflow = None
    if importlib.import_module("bench.cuda.common").EMULATED:
        options.torch = None
        return check(chosen, peers.start_workers(table.SCRIPT, options))
    print(gpu.describe(0))
    return measure(chosen, peers.start_workers(table.SCRIPT, options), options, gpu.describe(0))


def check(chosen, workers):
    """Runs each program once and compares its result."""
    print("An emulated GPU: results are checked, and nothing is measured, as its times are not those of a card.")
    status = 0
    for row in chosen:
        result = try_row(row, workers, rounds=1, seconds=0)
        if result:
            print(f"{row.name}: right", flush=True)
        else:
            status = 2
    return finish(workers, status)


def measure(chosen, workers, options, device):
    rounds, seconds = (3, 0.15) if options.quick else (9, 0.4)
    memory = importlib.import_module("bench.cuda.memory")
    copy = next(row for row in memory.ROWS if row.name == memory.COPY)
    results, status = [], 0
    copied = try_row(copy, workers[:1], rounds, seconds)
    if copied is None:
        return finish(workers, 2)
    speed = copied["values"]["tfcore"]
    for row in memory.BOUND:
        row.reference = (None, None, SHARE * speed)
    print(f"{'':<48s}{'unit':>12s}{'tfcore':>10s}{'PyTorch':>10s}{'ratio':>8s}{'of a copy':>11s}{'reach':>8s}")
    for row in chosen:
        result = try_row(row, workers, rounds, seconds)
        if result is None:
            status = 2
            continue
        if row in memory.BOUND:
            result["of_a_copy"] = result["values"]["tfcore"] / speed
        results.append(result)
        print(line(result), flush=True)
        status = max(status, 0 if result["met"] else 1)
    os.makedirs(os.path.dirname(os.path.abspath(options.json)), exist_ok=True)
    with open(options.json, "w") as file:
        json.dump({"device": device, "time": time.strftime("%FT%TZ", time.gmtime()), "rows": results}, file, indent=1)
    return finish(workers, status)


def try_row(row, workers, rounds, seconds):
    """A line of the table, or None and a message if a library is wrong or fails."""
    try:
        return table.measure(row, workers, rounds, seconds)
    except ValueError as error:
        print(f"{row.name}: {error}", flush=True)
        return None


def finish(workers, status):
    for worker in workers:
        worker.close()
    return status


def line(result):
    values, share = result["values"], result.get("of_a_copy")
    cells = [f"{result['row']:<48s}{result['unit']:>12s}"]
    cells += [f"{table.number(values.get(library)):>10s}" for library in ("tfcore", "torch")]
    cells.append(f"{table.number(result['ratios'].get('torch')):>8s}")
    cells.append(f"{'' if share is None else f'{share:.0%}':>11s}{table.number(result['reach']):>8s}")
    if result["reach"] is not None:
        cells.append("  met" if result["met"] else "  NOT MET")
    return "".join(cells)


if __name__ == "__main__":
    sys.exit(main())
