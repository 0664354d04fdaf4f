"""How long does an iteration of a loop over two MPI tasks take, beside a raw MPI round trip between these processes?

In each iteration one scalar goes in each direction. Rounds of loop and raw messages take turns.
"""

import json
import statistics
import subprocess
import sys
import time

NAME = "loop over two MPI tasks"
REACH = 4  # raw round trips per iteration
ROUNDS, TRIPS, ITERATIONS = 15, 2000, 2000
MEASURE, END = 1, 2  # tags


def two_task_loop(quick=False):
    """(us of an iteration, us of a raw round trip): medians, measured by two processes under mpirun.

    Raises:
      RuntimeError: a process failed; the text has its output.
    """
    from tfcore.run import command

    call = [*command.mpirun(2), sys.executable, "-m", "bench.control_flow.two_tasks", str(5 if quick else ROUNDS)]
    found = subprocess.run(call, capture_output=True, text=True, check=False)
    lines = [line for line in found.stdout.splitlines() if line.startswith("{")]
    if found.returncode or not lines:
        raise RuntimeError(found.stdout[-500:] + found.stderr[-1500:])
    result = json.loads(lines[-1])
    return result["iteration"], result["raw"]


def report(quick=False):
    """Prints both; returns 0 if an iteration takes at most REACH round trips, 1 if not, 2 if it fails."""
    try:
        iteration, raw = two_task_loop(quick)
    except RuntimeError as error:
        print(f"{NAME}: fails: {error}")
        return 2
    met = iteration <= REACH * raw
    print(
        f"{NAME}: {iteration:.2f} us per iteration, raw MPI round trip {raw:.2f} us: {iteration / raw:.2f} of them",
        end="",
    )
    print(f" (reach {REACH})  {'met' if met else 'NOT MET'}")
    return 0 if met else 1


# ---- In the processes


def trips(comm, buffer, count):
    """Seconds of `count` round trips."""
    start = time.perf_counter()
    for _ in range(count):
        if comm.rank == 0:
            comm.Send(buffer, 1, MEASURE)
            comm.Recv(buffer, 1, MEASURE)
        else:
            comm.Recv(buffer, 0, MEASURE)
            comm.Send(buffer, 0, MEASURE)
    return time.perf_counter() - start


def serve(comm, buffer):
    """Takes part in round trips on request of rank 0, and sleeps in between."""
    from mpi4py import MPI

    while True:
        status = MPI.Status()
        while not comm.Iprobe(0, MPI.ANY_TAG, status):
            time.sleep(1e-3)
        comm.Recv(bytearray(1), 0, status.tag)
        if status.tag == END:
            return
        comm.Barrier()
        trips(comm, buffer, TRIPS)


def loop(tf):
    """(placeholder of the number of iterations, result)."""
    count = tf.placeholder(tf.int32, [])

    def body(i, x):
        with tf.device("/job:worker/task:1"):
            y = x + 1.0
        with tf.device("/job:worker/task:0"):
            return i + 1, y * 1.0

    with tf.device("/job:worker/task:0"):
        return count, tf.while_loop(lambda i, x: i < count, body, [0, 0.0])[1]


def main(rounds):
    import numpy as np

    import tfcore as tf

    server = tf.train.Server(tf.train.ClusterSpec.from_mpi())
    from mpi4py import MPI

    comm, buffer = MPI.COMM_WORLD.Dup(), np.zeros(1, np.float32)
    if comm.rank == 1:
        serve(comm, buffer)
        server.join()
    raw, iterations = [], []
    count, out = loop(tf)
    with tf.Session(server.target) as sess:
        for _ in range(rounds):
            comm.Send(bytearray(1), 1, MEASURE)
            comm.Barrier()
            raw.append(trips(comm, buffer, TRIPS) / TRIPS)
            time.sleep(5e-3)  # until the other process sleeps again
            assert sess.run(out, {count: ITERATIONS // 10}) == ITERATIONS // 10
            start = time.perf_counter()
            assert sess.run(out, {count: ITERATIONS}) == ITERATIONS
            iterations.append((time.perf_counter() - start) / ITERATIONS)
    comm.Send(bytearray(1), 1, END)
    print(
        json.dumps({"raw": 1e6 * statistics.median(raw), "iteration": 1e6 * statistics.median(iterations)}), flush=True
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
