"""How much do messages between two processes cost? The fabric beside raw mpi4py.

    python -m bench.fabric [--mpi PYTHON] [--rounds 3]

Round trips of tensors of several sizes, and of calls of a Python function. "polls": a waiting process polls for 50 us
before it sleeps, as where every process has a core; "sleeps": it sleeps at once; "apart": 2 ms pass between round
trips, so that both always sleep. mpi4py (--mpi names an interpreter that has it and Open MPI; default: this one) sends
buffers made in advance, always polls, and copies; the fabric hands large tensors over. "read": the receiver reads all
the data. Medians of alternating rounds.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import time

import numpy as np

SIZES = {"empty": 0, "4 B": 4, "4 KB": 4096, "100 KB": 100_000, "100 MB": 100_000_000}
COUNTS = {"empty": 3000, "4 B": 3000, "4 KB": 3000, "100 KB": 1000, "100 MB": 12}
TENSOR = 4


def median_us(seconds):
    """Median of the round trips after the first tenth."""
    return 1e6 * statistics.median(seconds[len(seconds) // 10 :])


def take_turns(rank, trip, count, pause=0.0):
    """Seconds of `count` round trips; trip(first) is one of rank 0 or its counterpart."""
    seconds = []
    for _ in range(count):
        if pause and rank == 0:
            time.sleep(pause)
        start = time.perf_counter()
        trip(rank == 0)
        seconds.append(time.perf_counter() - start)
    return seconds


# ---- The fabric


def measure_fabric(rank, pipe, answers):
    from tfcore.core.memory.tensor import TensorValue

    from tfcore.distributed.fabric import fabric

    mine = fabric.open(rank, 2)
    pipe.send(mine)
    other = pipe.recv()
    fabric.connect([mine, other] if rank == 0 else [other, mine])
    box = fabric.Mailbox(TENSOR)
    fabric.serve("echo", lambda source, data: data)
    fabric.start()
    results = {}

    def meet():
        pipe.send(None)
        pipe.recv()

    def trip_of(value, read):
        def trip(first):
            if first:
                fabric.send(1 - rank, TENSOR, value)
            got = box.get(60).value
            if read:
                np.from_dlpack(got).sum()
            if not first:
                fabric.send(1 - rank, TENSOR, value)

        return trip

    for name, size in SIZES.items():
        value = TensorValue.from_numpy(np.ones(size // 4, np.float32)) if size else None
        for read in (False, True) if size > 10**6 else (False,):
            meet()
            trips = take_turns(rank, trip_of(value, read), COUNTS[name])
            results[name + ", read" * read] = median_us(trips)
    meet()
    results["empty, apart"] = median_us(take_turns(rank, trip_of(None, False), 200, pause=0.002))
    meet()
    if rank == 0:
        call = lambda first: fabric.call(1, "echo", b"x")  # noqa: E731
        results["call"] = median_us(take_turns(0, call, 1000))
    meet()
    fabric.close()
    if rank == 0:
        answers.put(results)


def run_fabric(spin_us):
    os.environ["TFCORE_SPIN_US"] = str(spin_us)
    context = multiprocessing.get_context("spawn")
    ends, answers = context.Pipe(), context.Queue()
    processes = [context.Process(target=measure_fabric, args=(r, ends[r], answers)) for r in range(2)]
    for p in processes:
        p.start()
    result = answers.get(timeout=300)
    for p in processes:
        p.join(60)
    return result


# ---- mpi4py


def measure_mpi():
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    rank, results = world.Get_rank(), {}

    def trip_of(buffer, read):
        def trip(first):
            if first:
                world.Send(buffer, 1 - rank)
            world.Recv(buffer, 1 - rank)
            if read:
                buffer.sum()
            if not first:
                world.Send(buffer, 1 - rank)

        return trip

    for name, size in SIZES.items():
        buffer = np.ones(size // 4, np.float32)
        for read in (False, True) if size > 10**6 else (False,):
            world.Barrier()
            trips = take_turns(rank, trip_of(buffer, read), COUNTS[name])
            results[name + ", read" * read] = median_us(trips)
    world.Barrier()
    trips = take_turns(rank, trip_of(np.ones(0, np.float32), False), 200, pause=0.002)
    results["empty, apart"] = median_us(trips)
    if rank == 0:
        print(json.dumps(results))


def run_mpi(python):
    mpirun = os.path.join(os.path.dirname(python), "mpirun")
    options = ["--allow-run-as-root", "--oversubscribe", "-n", "2"]
    command = [mpirun, *options, python, "-m", "bench.fabric", "--as-mpi"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.fabric", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--mpi", metavar="PYTHON", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--as-mpi", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.as_mpi:
        measure_mpi()
        return
    ways = {"polls": lambda: run_fabric(50), "sleeps": lambda: run_fabric(0)}
    if os.path.exists(os.path.join(os.path.dirname(args.mpi), "mpirun")):
        ways["mpi4py"] = lambda: run_mpi(args.mpi)
    found = {way: [] for way in ways}
    for _ in range(args.rounds):
        for way, measure in ways.items():
            found[way].append(measure())
    print(f"{'round trip, us':20}" + "".join(f"{way:>12}" for way in ways))
    for name in found["polls"][0]:
        line = f"{name:20}"
        for way in ways:
            times = [r[name] for r in found[way] if name in r]
            line += f"{statistics.median(times):12.1f}" if times else " " * 12
        print(line)


if __name__ == "__main__":
    main()
