"""Figure 6 of the paper: null steps of 1 to 8 workers and 1 or 2 parameter servers on this machine.

    python -m bench.distributed [--tf PYTHON] [--mpi PYTHON] [--quick] [--only TEXT] [--workers 1,2,4,8] [--servers 1,2]

Each worker fetches the parameters, computes next to nothing and sends updates: a scalar from each server, 32 random
rows of a table, 100 MB and 1 GB of dense variables. TensorFlow (--tf: its interpreter) does the same over gRPC on
loopback, in turns; with --over-mpi and --over-tcp further clusters of tfcore share no memory, as between hosts. mpi4py
(--mpi) shows the cost of raw messages. Then follow MPI_Allreduce against
tf.distributed.allreduce on two ranks, and a model fitted to the measurements that predicts up to 200 workers.
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
import time

from bench import machine
from bench.distributed import model, nullstep
from bench.distributed.fleet import ENVIRONMENTS, MPI, TCP, Fleet, FleetError

RESULTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results")
SIZES = {"4 B": 4, "4 KB": 4 << 10, "1 MB": 1 << 20, "100 MB": 100_000_000}
REACH = {"scalar": 30, "sparse": 20, "dense 100 MB": 4}  # times faster than TensorFlow
REACH_BETWEEN_HOSTS = {"scalar": 15e-6, "sparse": 40e-6, "dense 16 MB": 7e-3, "dense 100 MB": 45e-3}  # s, one worker
REACH_ALLREDUCE = {"100 MB": 3}  # times faster than MPI_Allreduce
ALLREDUCE_BETWEEN_HOSTS = {"100 MB": 40e-3}  # s, over MPI alone
FORESEEN = (1, 2, 4, 8, 16, 32, 64, 100, 200)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="python -m bench.distributed", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    numbers = lambda text: [int(n) for n in text.split(",")]  # noqa: E731
    parser.add_argument("--tf", metavar="PYTHON", help="interpreter that has TensorFlow")
    parser.add_argument("--mpi", metavar="PYTHON", help="interpreter that has mpi4py")
    parser.add_argument("--skip-tfcore", action="store_true", help="only the others")
    parser.add_argument("--over-mpi", action="store_true", help="also tfcore without shared memory")
    parser.add_argument("--over-tcp", action="store_true", help="the same over TCP")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a rough picture")
    parser.add_argument("--only", default="", metavar="TEXT", help="kinds of steps whose name contains it")
    parser.add_argument("--workers", type=numbers, default=[1, 2, 4, 8])
    parser.add_argument("--servers", type=numbers, default=[1, 2])
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="the model's network, bytes/s each way")
    parser.add_argument("--latency", type=float, default=50e-6, help="the model's network, seconds of a round trip")
    parser.add_argument("--json", default=os.path.join(RESULTS, "distributed.json"), metavar="FILE")
    parser.add_argument("--plot", default=os.path.join(RESULTS, "distributed.png"), metavar="FILE.png")
    return parser.parse_args()


# ---- Null steps


def turn(fleet, seconds):
    """One turn of a fleet: times of steps and processor time per step."""
    before = [sum(fleet.ask(group, do="cpu")) for group in (fleet.servers, fleet.workers)]
    answers = fleet.ask(fleet.workers, do="time", seconds=seconds)
    after = [sum(fleet.ask(group, do="cpu")) for group in (fleet.servers, fleet.workers)]
    steps = sum(a["count"] for a in answers)
    cpu = [(b - a) / steps for a, b in zip(before, after)]
    times = {key: statistics.median(a[key] for a in answers) for key in ("median", "p10", "p90")}
    return steps, {"time": times["median"], **times, "server_cpu": cpu[0], "worker_cpu": cpu[1]}


def measure(fleets, kind, rounds, seconds):
    """Library -> medians over the rounds; raises FleetError if updates were lost."""
    steps = {f.library: sum(f.ask(f.workers, do="prepare", kind=kind)) for f in fleets}
    turns = {f.library: [] for f in fleets}
    for _ in range(rounds):
        for fleet in fleets:
            count, result = turn(fleet, seconds)
            steps[fleet.library] += count
            turns[fleet.library].append(result)
    for fleet in fleets:
        check(fleet, steps[fleet.library], fleet.ask(fleet.workers[:1], do="steps_seen")[0])
    return {k: {key: statistics.median(t[key] for t in v) for key in v[0]} for k, v in turns.items()}


def check(fleet, made, seen):
    """Raises if updates were lost. Several workers of TensorFlow may lose some, as updates take no locks by default."""
    lossless = fleet.library in ENVIRONMENTS or len(fleet.workers) == 1
    if not (abs(seen - made) < 1e-6 * made if lossless else 0 < seen <= made * (1 + 1e-6)):
        raise FleetError(f"{fleet.library}: {made} steps were made, the parameters hold {seen}")


def enough_memory(kind, servers, workers, libraries):
    """Whether parameters, and their copies and updates in each worker, fit into free memory."""
    with open("/proc/meminfo") as file:
        free = next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
    return nullstep.bytes_moved(kind) * (2 + 3 * workers) * libraries < free / 2


def null_steps(options, pythons):
    """A list of {"kind", "servers", "workers", "results": {library: ...}}."""
    rounds, seconds = (3, 0.5) if options.quick else (7, 1.5)
    kinds = [k for k in nullstep.KINDS if options.only in k]
    rows = []
    if not kinds or not pythons:
        return rows
    print(
        f"{'null step':<14s}{'servers':>8s}{'workers':>8s}"
        + "".join(f"{name:>28s}" for name in pythons)
        + f"{'ratio':>8s}"
    )
    for servers in options.servers:
        for workers in options.workers:
            fleets = []
            try:
                for name, python in pythons.items():
                    fleets.append(Fleet(name, python, servers, workers))
                for kind in kinds:
                    if not enough_memory(kind, servers, workers, len(fleets)):
                        print(f"{kind:<14s}{servers:>8d}{workers:>8d}   not enough memory")
                        continue
                    results = measure(fleets, kind, rounds, seconds)
                    rows.append({"kind": kind, "servers": servers, "workers": workers, "results": results})
                    print(line(rows[-1], pythons), flush=True)
            finally:
                for fleet in fleets:
                    fleet.close()
    return rows


def duration(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def spread(result):
    return f"{duration(result['median'])} ({result['p10'] * 1e3:.2f}-{result['p90'] * 1e3:.2f})"


def line(row, pythons):
    results = row["results"]
    cells = f"{row['kind']:<14s}{row['servers']:>8d}{row['workers']:>8d}"
    cells += "".join(f"{spread(results[name]):>28s}" for name in pythons)
    if {"tfcore", "tensorflow"} <= results.keys():
        ratio = results["tensorflow"]["median"] / results["tfcore"]["median"]
        reach = REACH.get(row["kind"]) if row["workers"] <= 2 else None
        cells += f"{ratio:>8.1f}" + (f" {'met' if ratio >= reach else f'NOT MET, >= {reach}'}" if reach else "")
    limit = REACH_BETWEEN_HOSTS.get(row["kind"]) if (row["servers"], row["workers"]) == (1, 1) else None
    for name in (MPI, TCP):
        if name in results and limit:
            met = "met" if results[name]["median"] <= limit else f"NOT MET, <= {duration(limit)}"
            cells += f"  {name.removeprefix('tfcore ')}: {met}"
    return cells


# ---- Messages and allreduce


def calls_for(size, quick):
    return max(5, min(2000, int((2e8 if quick else 1e9) / max(size, 1))))


def messages(options, libraries):
    """Size -> {"round_trip", "mpi_allreduce", and for each library of tfcore its allreduce}, seconds; two ranks."""
    rows = {name: {} for name in SIZES}
    with contextlib.ExitStack() as stack:
        raw = stack.enter_context(Fleet("mpi", options.mpi, 0, 2))
        ours = [stack.enter_context(Fleet(library, sys.executable, 0, 2)) for library in libraries]
        for name, size in SIZES.items():
            raw.ask(raw.workers, do="prepare", size=size)
            calls, row = calls_for(size, options.quick), rows[name]
            row["round_trip"] = [raw.ask(raw.workers, do="round_trips", calls=calls)[0]["median"]]
            for fleet in ours:
                if fleet.ask(fleet.workers, do="prepare", size=size) != [2.0, 2.0]:
                    raise FleetError(f"{fleet.library}: a wrong sum")
            for _ in range(3 if options.quick else 7):
                answers = raw.ask(raw.workers, do="allreduce", calls=calls)
                row.setdefault("mpi_allreduce", []).append(answers[0]["median"])
                for fleet in ours:
                    answers = fleet.ask(fleet.workers, do="allreduce", calls=calls)
                    row.setdefault(fleet.library, []).append(answers[0]["median"])
    print_messages(rows, libraries)
    return rows


def print_messages(rows, libraries):
    names = ["round trip", "MPI_Allreduce", *libraries]
    print(f"\n{'two ranks':<14s}" + "".join(f"{name:>17s}" for name in names) + f"{'ratio':>8s}")
    for name, row in rows.items():
        row.update({key: statistics.median(values) for key, values in row.items()})
        cells = "".join(f"{duration(row[key]):>17s}" for key in ("round_trip", "mpi_allreduce", *libraries))
        if "tfcore" in libraries:
            ratio, reach = row["mpi_allreduce"] / row["tfcore"], REACH_ALLREDUCE.get(name)
            cells += f"{ratio:>8.2f}" + ("" if not reach else " met" if ratio >= reach else f" NOT MET, >= {reach}")
        limit = ALLREDUCE_BETWEEN_HOSTS.get(name)
        if MPI in libraries and limit:
            cells += f"  over MPI: {'met' if row[MPI] <= limit else f'NOT MET, <= {duration(limit)}'}"
        print(f"{name:<14s}{cells}")


# ---- The model


def costs_of(rows):
    """(kind, servers, library) -> model.Costs, for cases measured with several numbers of workers."""
    points = {}
    for row in rows:
        for library, result in row["results"].items():
            points.setdefault((row["kind"], row["servers"], library), {})[row["workers"]] = result
    return {k: model.Costs(p, k[1], nullstep.bytes_moved(k[0])) for k, p in points.items() if len(p) > 1 and 1 in p}


def predict(costs, link):
    """Prints the model's predictions for a cluster; returns (kind, servers, library) -> times."""
    print(
        "\nMODEL, not measured: milliseconds of a step in a cluster with one host per task, a round trip of "
        f"{link[0] * 1e6:.0f} us\nand {link[1] / 1e9:.2f} GB/s each way; a server uses one core. Fitted to the "
        "measurements above; 'fit' is its largest error on this machine."
    )
    print(f"{'':<14s}{'servers':>8s}{'library':>16s}" + "".join(f"{n:>9d}" for n in FORESEEN) + f"{'fit':>7s}")
    curves = {}
    for key, cost in costs.items():
        curves[key] = times = cost.cluster(FORESEEN[-1], link)
        cells = "".join(f"{times[n - 1] * 1e3:>9.3g}" for n in FORESEEN)
        print(f"{key[0]:<14s}{key[1]:>8d}{key[2]:>16s}{cells}{cost.error():>7.0%}")
    return curves


def plot(costs, curves, path):
    """Measured points with the fitted model on the left, the predicted cluster on the right."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(12, 5), constrained_layout=True, sharey=True)
    styles = {"tfcore": "-", MPI: ":", TCP: "-.", "tensorflow": "--"}
    kinds = {kind: f"C{i}" for i, kind in enumerate(nullstep.KINDS)}
    fewest = min(servers for _, servers, _ in costs)
    for (kind, servers, library), cost in costs.items():
        if servers != fewest:
            continue
        look = {"color": kinds[kind], "linestyle": styles[library], "label": f"{kind}, {library}"}
        here = cost.here(max(cost.points))
        axes[0].plot(range(1, len(here) + 1), here, **look)
        axes[0].plot(list(cost.points), [p["time"] for p in cost.points.values()], "o", color=kinds[kind])
        curve = curves[kind, servers, library]
        axes[1].plot(range(1, len(curve) + 1), curve, **look)
    for axis, title in zip(axes, ("this machine: measured (dots), model (lines)", "model: a host for each task")):
        axis.set(title=title, xlabel="workers", ylabel="seconds of a null step", xscale="log", yscale="log")
    axes[1].legend(fontsize="small")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def write(options, limits, rows, two_ranks, costs, curves):
    for path in (options.json, options.plot):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    predictions = [
        {"kind": k, "servers": s, "library": lib, "model": {n: curves[k, s, lib][n - 1] for n in FORESEEN}}
        for k, s, lib in curves
    ]
    stamp = time.strftime("%FT%TZ", time.gmtime())
    with open(options.json, "w") as file:
        content = {
            "machine": limits,
            "time": stamp,
            "null_steps": rows,
            "two_ranks": two_ranks,
            "predicted": predictions,
        }
        json.dump(content, file, indent=1)
    if not costs:
        return
    try:
        plot(costs, curves, options.plot)
    except ImportError:
        print("no plot: matplotlib is not installed", file=sys.stderr)


def main():
    options = parse_arguments()
    limits = machine.limits()
    print(f"{limits['processor']}, {limits['cores']} cores")
    pythons = {} if options.skip_tfcore else {"tfcore": sys.executable}
    if options.over_mpi:
        pythons[MPI] = sys.executable
    if options.over_tcp:
        pythons[TCP] = sys.executable
    if options.tf:
        pythons["tensorflow"] = options.tf
    try:
        rows = null_steps(options, pythons)
        two_ranks = messages(options, [name for name in pythons if name in ENVIRONMENTS]) if options.mpi else {}
    except FleetError as error:
        print(error)
        return 2
    costs = costs_of(rows)
    curves = predict(costs, (options.latency, options.bandwidth)) if costs else {}
    write(options, limits, rows, two_ranks, costs, curves)
    return 0


if __name__ == "__main__":
    sys.exit(main())
