"""Clusters of 10 to 10,000 tasks, simulated: start-up, steps, allreduce, failure detection.

    python -m bench.scale [--sizes 10,100,1000,10000] [--ranks 2,4,8] [--hosts] [--quick]

The simulations use costs that are measured on this machine and a network of --latency and --bandwidth; --ranks are real
clusters under mpirun that they are compared with, --hosts another one over four hosts made of network namespaces (as
root). README.md says what runs the real code and what is a model of its messages.
"""

import argparse
import os
import sys
import time

from bench.scale import detection, real, startup, steps
from bench.scale.network import Costs

PER_HOST = 8  # tasks, and cores
WORKERS_PER_SERVER = 16
REACH_AT = 10_000
REACH = {"start-up s": 60, "detection s": 5, "core %": 1, "KB/s": 10}
TOO_MUCH = {"start-up s": 60, "null step ms": 1, "PS step ms": 10, "allreduce 4 KB ms": 5, "allreduce 16 MB ms": 100,
            "detection s": 5, "core %": 1, "KB/s": 10}  # fmt: skip
OVER_MPI = {"TFCORE_TRANSPORT": "mpi"}  # no shared memory, so that detectors decide, as between hosts


def parse_arguments():
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    numbers = lambda text: [int(n) for n in text.split(",") if n]  # noqa: E731
    parser.add_argument("--sizes", type=numbers, default=[10, 100, 1000, 10_000])
    parser.add_argument("--ranks", type=numbers, default=[2, 4, 8], help="real clusters to compare with")
    parser.add_argument("--hosts", action="store_true", help="also four hosts made of network namespaces")
    parser.add_argument("--latency", type=float, default=50e-6, help="seconds one way")
    parser.add_argument("--bandwidth", type=float, default=1.25e9, help="bytes/s of a host's link, each way")
    parser.add_argument("--message", type=float, help="processor seconds to send, or receive, between hosts (default: "
                        "measured over MPI on this machine)")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="no cut of the largest cluster")
    return parser.parse_args()


# ---- Real clusters


def compare(ranks, measured, base, fit):
    """Prints a real cluster next to its simulation on as many cores as this machine has."""
    cores = os.cpu_count()
    costs = Costs(fit["message"], fit["message"], 0.0, 1e10)
    worker = max(0.0, fit["step"] / 2 - costs.send_s - costs.receive_s)
    found = detection.measure(ranks, with_cut=False)
    exchange = startup.seconds(ranks, costs, ranks, cores)[0]
    simulated = {
        "start": base["start"] + exchange + fit["process"] * (ranks - fit["ranks"]) / cores,
        "step": steps.step_time(1, ranks - 1, costs, worker, worker, steps=50, per_host=ranks, cores=cores),
        "small": fit["allreduce"] + steps.allreduce_time(ranks, 4096, costs, ranks, cores),
        "detection": found.detection_s,
    }
    names = {
        "start": ("start-up", "s", 1),
        "step": ("scalar step", "us", 1e6),
        "small": ("allreduce of 4 KB", "us", 1e6),
    }
    names["detection"] = ("detection", "s", 1)
    for name, (title, unit, scale) in names.items():
        print(f"  {ranks} ranks, {title:<18} measured {measured[name] * scale:8.2f} {unit:<3} "
              f"simulated {simulated[name] * scale:8.2f} {unit}", flush=True)  # fmt: skip


def real_clusters(ranks):
    """Measures them all; what the smallest ones tell of costs."""
    print(
        f"Real clusters on this machine ({os.cpu_count()} cores), and the same simulated. Fitted to {ranks[:2]} ranks:"
    )
    found = {n: real.measure(n) for n in ranks}
    for n in ranks:
        found[n] = {**found[n], "detection": real.measure(n, env=OVER_MPI)["detection"]}
    base, least, cores = found[ranks[0]], ranks[0], os.cpu_count()
    message = base["small"] / 4  # of two ranks: each sends one and receives one
    fit = {"ranks": least, "step": base["step"], "message": message, "process": 0.0}
    fit["allreduce"] = base["small"] - steps.allreduce_time(
        least, 4096, Costs(message, message, 0.0, 1e10), least, cores
    )
    fit["foreign"] = real.measure(least, env=OVER_MPI)["small"] / 4
    if len(ranks) > 1:
        fit["process"] = max(0.0, (found[ranks[1]]["start"] - base["start"]) * cores / (ranks[1] - least))
    for n in ranks:
        compare(n, found[n], base, fit)
    print(f"A message between hosts takes {fit['foreign'] * 1e6:.1f} us to send, and to receive.")
    return base, fit


def namespaces():
    """A real cluster over four hosts: what it took."""
    from tests.distributed.hosts import TCP_ONLY, Hosts

    with Hosts(4) as network:
        found = real.measure(8, call=network.mpirun(8), env=TCP_ONLY)
        delay = network.delay_ms * 1e-3
    simulated = detection.measure(8, with_cut=False, latency_s=delay)
    print(f"  4 hosts of 2 ranks, {delay * 1e3:g} ms apart: detection measured {found['detection']:.2f} s, simulated "
          f"{simulated.detection_s:.2f} s; start {found['start']:.1f} s, step {found['step'] * 1e3:.2f} ms, allreduce "
          f"of 4 KB {found['small'] * 1e3:.1f} ms, of 16 MB {found['large'] * 1e3:.0f} ms")  # fmt: skip


# ---- The table


def row(size, options, base, fit, machine):
    """What a cluster of this size takes: dict from names to numbers."""
    message = options.message or fit["foreign"]
    costs = Costs(message, message, options.latency, options.bandwidth)
    servers = max(1, size // (WORKERS_PER_SERVER + 1))
    work = fit["step"] / 2
    found = detection.measure(
        size, with_cut=not (options.quick and size == max(options.sizes)), latency_s=options.latency
    )
    table = {"tasks": size, "start-up s": base["start"] + startup.seconds(size, costs, PER_HOST, PER_HOST)[0]}
    table["null step ms"] = 1e3 * steps.step_time(1, 1, costs, work, work)
    few = min(servers, 16)  # a step of a worker that talks to all servers: sixteen of them at most are simulated
    table["PS step ms"] = (
        1e3 * steps.step_time(few, min(size - servers, 16 * few), costs, work, work, moved=1 << 20) * (servers / few)
    )
    for name, moved in (("4 KB", 4096), ("16 MB", 16 << 20)):
        table[f"allreduce {name} ms"] = 1e3 * steps.allreduce_time(size, moved, costs)
    table["detection s"] = found.detection_s
    table["cut s"] = found.cut_s
    table["core %"] = 100 * detection.processor_share(found, machine)
    table["KB/s"] = found.most_bytes_s / 1e3
    return table


def breaks_first(table):
    """What is furthest over what one would accept."""
    over = {name: table[name] / most for name, most in TOO_MUCH.items() if table[name] is not None}
    worst = max(over, key=over.get)
    return f"{worst}: {over[worst]:.1f} times {TOO_MUCH[worst]:g}" if over[worst] > 1 else "nothing"


def show(tables):
    names = list(tables[0])
    print("| " + " | ".join(names) + " | first to break |")
    print("| " + " | ".join("---" for _ in names) + " | --- |")
    for table in tables:
        cells = ["" if table[name] is None else f"{table[name]:.4g}" for name in names]
        print("| " + " | ".join(cells) + f" | {breaks_first(table)} |")


def main():
    options = parse_arguments()
    machine = real.costs()
    base, fit = {"start": 2.0}, {"step": 4e-6, "foreign": 2e-6}
    if options.ranks:
        base, fit = real_clusters(options.ranks)
    if options.hosts:
        namespaces()
    print(f"A datagram takes {machine['datagram_s'] * 1e6:.1f} us of a core, a tick {machine['tick_s'] * 1e6:.1f} us.")
    tables = []
    for size in options.sizes:
        begin = time.monotonic()
        tables.append(row(size, options, base, fit, machine))
        print(f"{size} tasks simulated in {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    show(tables)
    last = tables[-1]
    missed = [name for name, most in REACH.items() if last["tasks"] == REACH_AT and not (last[name] or 1e9) < most]
    print("missed: " + ", ".join(missed) if missed else "all targets met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
