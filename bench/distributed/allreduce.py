"""Allreduce, tfcore's against MPI's, in turns in the same processes.

    python -m bench.distributed.allreduce [--ranks 2] [--bytes 4000 ... 100000000] [--rounds 15] [--over-mpi]
    python -m bench.distributed.allreduce --hosts 4 --ranks 8 --bytes 16000000

For each size: the median over the rounds of the slowest rank's time, in ms. Results are checked before anything is
timed. The processes run on this host; with --over-mpi tfcore's share no memory, as between hosts. --hosts simulates
so many hosts, each with the same number of ranks, by network namespaces that are joined by veth pairs (needs root).
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

from tfcore.run import command

SIZES = [4, 4_000, 40_000, 400_000, 4_000_000, 100_000_000]


def parse_arguments():
    parser = argparse.ArgumentParser(prog="python -m bench.distributed.allreduce", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--bytes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--over-mpi", action="store_true", help="tfcore's processes share no memory")
    parser.add_argument("--hosts", type=int, default=1, help="simulated hosts, which divide --ranks")
    parser.add_argument("--task", action="store_true", help=argparse.SUPPRESS)  # a process started by mpirun
    return parser.parse_args()


def runs_of(size):
    """How often a round repeats the timed call."""
    return max(1, min(200, 4_000_000 // size))


def measure(session, comm, size, rounds):
    """Medians in seconds: (tfcore's, MPI's)."""
    import numpy as np
    from mpi4py import MPI

    import tfcore as tf

    mine = np.random.default_rng(comm.rank).standard_normal(size // 4).astype(np.float32)
    there = np.empty_like(mine)
    value = tf.Variable(tf.zeros([size // 4]), name=f"value_{size}")
    total = tf.distributed.allreduce(value.read_value(), name=f"total_{size}")
    session.run(value.initializer)
    value.load(mine, session)
    comm.Allreduce(mine, there)
    np.testing.assert_allclose(session.run(total), there, rtol=1e-5, atol=1e-5)
    ways = [lambda: session.run(total.op), lambda: comm.Allreduce(mine, there)]
    times = [[], []]
    for i in range(rounds + 2):
        for way, taken in zip(ways, times):
            comm.Barrier()
            begin = time.perf_counter()
            for _ in range(runs_of(size)):
                way()
            seconds = (time.perf_counter() - begin) / runs_of(size)
            slowest = comm.allreduce(seconds, op=MPI.MAX)
            if i >= 2:
                taken.append(slowest)
    return [statistics.median(taken) for taken in times]


def run_task(arguments):
    from mpi4py import MPI

    import tfcore as tf

    server = tf.train.Server(tf.train.ClusterSpec.from_mpi(ps=0))
    comm = MPI.COMM_WORLD
    with tf.Session() as session:
        for size in arguments.bytes:
            ours, theirs = measure(session, comm, size, arguments.rounds)
            if comm.rank == 0:
                print(json.dumps({"bytes": size, "tfcore": ours, "mpi": theirs}), flush=True)
        comm.Barrier()
    del server


@contextlib.contextmanager
def start(arguments):
    """The command that starts the ranks, and what their environment has more."""
    if arguments.hosts == 1:
        yield command.mpirun(arguments.ranks), {"TFCORE_TRANSPORT": "mpi"} if arguments.over_mpi else {}
        return
    from tests.distributed.hosts import TCP_ONLY, Hosts

    with Hosts(arguments.hosts, delay_ms=0) as hosts:
        # Otherwise MPI, which believes that each host has cores of its own, waits in busy loops that starve its peers.
        yields = {"OMPI_MCA_mpi_yield_when_idle": "1"}
        yield hosts.mpirun([arguments.ranks // arguments.hosts] * arguments.hosts), {**TCP_ONLY, **yields}


def report(call, env):
    """Runs the ranks and prints a table of what they say; returns their exit code."""
    print(f"{'bytes':>12} {'tfcore':>10} {'MPI':>10} {'ratio':>7}")
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, env={**os.environ, **env}) as process:
        for line in process.stdout:
            if not line.startswith("{"):
                print(line, end="")
                continue
            row = json.loads(line)
            ours, theirs = row["tfcore"] * 1e3, row["mpi"] * 1e3
            print(f"{row['bytes']:12d} {ours:10.4f} {theirs:10.4f} {theirs / ours:6.2f}x", flush=True)
    return process.returncode


def main():
    arguments = parse_arguments()
    if arguments.task:
        run_task(arguments)
        return
    if arguments.ranks % arguments.hosts:
        raise SystemExit(f"{arguments.hosts} hosts can't have the same number of {arguments.ranks} ranks.")
    with start(arguments) as (call, env):
        call = [*call, sys.executable, "-m", "bench.distributed.allreduce", "--task"]
        call += ["--rounds", str(arguments.rounds), "--bytes", *map(str, arguments.bytes)]
        load = os.getloadavg()[0]
        print(f"{arguments.ranks} ranks; medians of {arguments.rounds} rounds, ms; load before: {load:.1f}")
        code = report(call, env)
    raise SystemExit(code)


if __name__ == "__main__":
    main()
