"""How start-up and first steps grow: one parameter server and 7 to 127 workers on this machine, that do a step each.

    python -m bench.distributed.start [--tasks 8,32,64,128] [--over-mpi]

The times are from the start of mpirun. A program that is started with --task is one of the tasks.

The memory of a task is what the machine would get back if it ended: its own pages (Private_* of smaps; libraries are
shared by all tasks and don't count), the pages of its memory that others can map (the files "tfcore-inbox" and
"tfcore-arena"), and its page tables. Pss would not do: a library's share falls as tasks are added. What is there before
the cluster starts is Python's, NumPy's and MPI's.

Modules are compiled to bytecode in advance, as in an installation, and each process has one thread of OpenBLAS: on two
cores more of them would spend half of the time of `import numpy` in waiting loops.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MIB = 1 << 20
REACH_S, REACH_BYTES = 60, 2 * MIB  # for 128 tasks; the growth of a task's memory from 8 tasks to 128
LIMIT_S = 400


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.distributed.start", description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default="8,32,64,128", help="numbers of tasks")
    parser.add_argument("--over-mpi", action="store_true", help="tasks share no memory, as between hosts")
    parser.add_argument("--task", metavar="FOLDER", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        run_task(args.task)
        return
    columns = ("tasks", "mpirun to end", "started", "last step", "processor", "threads", "server MB", "worker MB")
    print(" | ".join(columns))
    for tasks in map(int, args.tasks.split(",")):
        show(tasks, measure(tasks, {"TFCORE_TRANSPORT": "mpi"} if args.over_mpi else {}))


def show(tasks, found):
    server, *workers = found["reports"]
    cpu = sum(r["cpu_s"] for r in found["reports"])
    parts = [
        tasks,
        f"{found['seconds']:.1f} s",
        f"{max(r['started'] for r in found['reports']):.1f} s",
        f"{max(r['stepped'] for r in workers):.1f} s",
        f"{cpu:.1f} s",
        f"{server['most_threads']} and {statistics.median(r['threads'] for r in workers):.0f}",
        f"{_megabytes(server)}",
        f"{_megabytes(max(workers, key=lambda r: r['memory']))}",
    ]
    print(" | ".join(map(str, parts)), flush=True)
    for phase in ("import", "mpi", "server", "graph", "step"):
        each = [r["phases"][phase] for r in found["reports"]]
        wall, used = zip(*each)
        print(f"    {phase}: {statistics.median(wall):.2f} s, {statistics.median(used):.3f} s of processor time")


def _megabytes(report):
    parts = {name: f"{size / MIB:.1f}" for name, size in report["parts"].items()}
    return f"{report['memory'] / MIB:.1f} ({report['memory_of_mpi'] / MIB:.1f} before; {parts})"


def measure(tasks, env=None):
    """Runs a cluster of so many tasks; dict of seconds (from mpirun to its end) and reports (of the tasks, by rank)."""
    from tfcore.run import command

    with tempfile.TemporaryDirectory(prefix="tfcore-bench-") as folder:
        environment = installed(folder)
        began = time.time()
        program = [sys.executable, "-m", "bench.distributed.start", "--task", folder]
        environment |= {**(env or {}), "TMPDIR": folder, "TFCORE_BENCH_BEGAN": str(began)}
        subprocess.run([*command.mpirun(tasks), *program], env=environment, timeout=LIMIT_S, check=True)
        seconds = time.time() - began
        reports = []
        for rank in range(tasks):
            with open(os.path.join(folder, f"{rank}.json"), encoding="utf-8") as file:
                reports.append(json.load(file))
    return {"seconds": seconds, "reports": reports}


def installed(folder):
    """An environment in which all modules are compiled to bytecode."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode"), "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    distributed = "tfcore.distributed.task.task, tfcore.distributed.partitions.master"
    modules = f"import mpi4py.MPI, tfcore, {distributed}, bench.distributed.start"
    subprocess.run([sys.executable, "-c", modules], env=environment, check=True)
    return environment


# ---- A task


class Clock:
    """Seconds and processor seconds of the phases of a start, one after the other."""

    def __init__(self, began):
        self.began = began
        self.phases = {}
        self._before = began, 0.0

    def end(self, phase):
        now = time.time(), time.process_time()
        self.phases[phase] = [now[0] - self._before[0], now[1] - self._before[1]]
        self._before = now


def run_task(folder):
    clock = Clock(float(os.environ["TFCORE_BENCH_BEGAN"]))
    import tfcore as tf
    from tfcore.distributed.cluster import world
    from tfcore.distributed.fabric import fabric

    clock.end("import")
    rank = world.rank()
    clock.end("mpi")
    before = memory()
    cluster = tf.train.ClusterSpec.from_mpi(ps=1)
    server = tf.train.Server(cluster)
    started = time.time() - clock.began
    clock.end("server")
    most_threads = watch_threads()
    with tf.device("/job:ps/task:0"):
        total = tf.Variable(0, name="total")
    step = tf.assign_add(total, 1)
    clock.end("graph")
    stepped = work(tf, server, rank, cluster, total, step, clock)
    report = {
        "started": started,
        "stepped": stepped,
        "phases": clock.phases,
        "cpu_s": time.process_time(),
        "threads": threading_count(),
        "most_threads": most_threads[0],
        "memory_of_mpi": sum(before.values()),
        "parts": memory(),
        "arenas": arenas(),
        "stats": fabric.stats(),
    }
    report["memory"] = sum(report["parts"].values())
    with open(os.path.join(folder, f"{rank}.json"), "w", encoding="utf-8") as file:
        json.dump(report, file)


def work(tf, server, rank, cluster, total, step, clock):
    """One step of each worker; the server waits for all of them. Returns when it was done, from the start of mpirun."""
    with tf.Session(server.target) as session:
        if rank == 0:
            session.run(total.initializer)
            while session.run(total) < cluster.num_tasks("worker"):
                time.sleep(0.1)
        else:
            wait_for_initialization(tf, session, step)
        clock.end("step")
    return time.time() - clock.began


def wait_for_initialization(tf, session, step):
    while True:
        try:
            session.run(step)
            return
        except tf.errors.FailedPreconditionError:
            time.sleep(0.2)


def threading_count():
    return len(os.listdir("/proc/self/task"))


def watch_threads():
    """A list whose item becomes the largest number of threads that were there at once."""
    most = [threading_count()]

    def look():
        while True:
            most[0] = max(most[0], threading_count())
            time.sleep(0.05)

    threading.Thread(target=look, daemon=True).start()
    return most


def memory():
    """Bytes that would be free without this process: see above."""
    own = private_bytes()
    shared, seen = 0, set()
    for fd in os.listdir("/proc/self/fd"):
        try:
            name, status = os.readlink(f"/proc/self/fd/{fd}"), os.stat(f"/proc/self/fd/{fd}")
        except OSError:
            continue
        if "memfd:tfcore-" in name and status.st_ino not in seen:
            seen.add(status.st_ino)
            shared += status.st_blocks * 512
    return {"own": own, "mapped by others": shared, "page tables": kilobytes("/proc/self/status", "VmPTE:")}


def arenas():
    """How many tasks' tensors this one can read, its own included."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        return len({line.split()[4] for line in file if "memfd:tfcore-arena" in line})


def private_bytes():
    """Bytes of pages that only this process has mapped, without those of its memory for others."""
    total, counts = 0, False
    with open("/proc/self/smaps", encoding="ascii", errors="replace") as file:
        for line in file:
            key = line.split(maxsplit=1)[0]
            if not key.endswith(":"):
                counts = "/memfd:tfcore-" not in line
            elif counts and key in ("Private_Clean:", "Private_Dirty:"):
                total += int(line.split()[1]) * 1024
    return total


def kilobytes(path, name):
    """A value of the kernel, in bytes."""
    with open(path, encoding="ascii") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(name))


if __name__ == "__main__":
    main()
