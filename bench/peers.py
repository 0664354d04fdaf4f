"""Shared by the benchmarks: one process per compared library, and the machine's limit.

A benchmark file is also the program of its workers: `serve(functions)` answers requests, one line of JSON each, and
`Worker.ask` sends them. Libraries take turns in short rounds, so that drift of the machine affects all.
"""

import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LIBRARIES = ("tfcore", "tensorflow", "torch")

PEAK_SOURCE = """
#include <pthread.h>
#include <time.h>
enum { STEPS = 20000000, CHAINS = 12 };
typedef float vec __attribute__((vector_size(64)));
static void *multiply_add(void *sink) {
  vec a[CHAINS], x = {1}, y = {0.5f};
  for (int i = 0; i < CHAINS; i++) a[i] = x;
  for (int step = 0; step < STEPS; step++) {
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; i++) {
      vec sum = a[i] * x + y;
      __asm__("" : "+x"(sum)); /* hides it from the compiler; x is registers 0 to 15 */
      a[i] = sum;
    }
  }
  for (int i = 0; i < CHAINS; i++) *(volatile float *)sink = a[i][0];
  return 0;
}
double peak_gflops(int threads) {
  pthread_t thread[256];
  float sink[256];
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int i = 0; i < threads; i++) pthread_create(&thread[i], 0, multiply_add, &sink[i]);
  for (int i = 0; i < threads; i++) pthread_join(thread[i], 0);
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds = (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) * 1e-9;
  return threads * (double)STEPS * CHAINS * 16 * 2 / seconds / 1e9;
}
"""


def peak_gflops():
    """GFLOP/s of multiply-adds in registers on all cores; None without a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "peak.c"), os.path.join(folder, "peak.so")
        with open(source, "w") as out:
            out.write(PEAK_SOURCE)
        flags = "-O3 -march=native -ffp-contract=fast -shared -fPIC -pthread".split()
        try:
            subprocess.run(["cc", *flags, source, "-o", library], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        function = ctypes.CDLL(library).peak_gflops
        function.restype = ctypes.c_double
        return max(function(min(os.cpu_count(), 256)) for _ in range(5))


def import_library(name):
    """Imports a library (TensorFlow as TensorFlow 1), with all cores and without log lines."""
    if name == "torch":
        import torch

        torch.set_num_threads(os.cpu_count())
        return torch
    if name == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        return tf
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import tfcore

    return tfcore


def median_time(run, seconds):
    """Median time of one call in a turn of `seconds`; short calls are timed in groups of about 50 us."""
    run()
    start = time.perf_counter()
    run()
    group = max(1, int(50e-6 / max(time.perf_counter() - start, 1e-7)))
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(group):
            run()
        times.append((time.perf_counter() - start) / group)
    return statistics.median(times)


def one_time(run):
    """Time of one call; a call that returns a number returns its own time."""
    start = time.perf_counter()
    value = run()
    return value if isinstance(value, float) else time.perf_counter() - start


class Worker:
    """A library in a separate process, started with the interpreter that has it."""

    def __init__(self, script, library, python):
        self.library = library
        command = [python, os.path.abspath(script), "--worker", library]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, **pipes)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"The process of {self.library} ended:\n{self.process.stderr.read()}")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def serve(answer):
    """The worker's loop: calls answer(**request) for each request."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with answers
    for line in sys.stdin:
        answers.write(json.dumps(answer(**json.loads(line))) + "\n")
        answers.flush()


def add_arguments(parser):
    parser.add_argument("--worker", help="internal: be the process of this library")
    parser.add_argument("--cases", default="", help="run only cases whose names contain one of these, comma-separated")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a library's turn in a round")
    parser.add_argument("--tensorflow", metavar="PYTHON", help="interpreter that has TensorFlow")
    parser.add_argument("--torch", metavar="PYTHON", help="interpreter that has PyTorch")
    parser.add_argument("--json", metavar="FILE", help="write results there")


def start_workers(script, options):
    pythons = {"tfcore": sys.executable, "tensorflow": options.tensorflow, "torch": options.torch}
    return [Worker(script, library, pythons[library]) for library in LIBRARIES if pythons[library]]
