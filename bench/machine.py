"""The measured limits of this machine, which no library can exceed."""

import ctypes
import os
import platform
import subprocess
import tempfile

from bench import peers

BANDWIDTH_SOURCE = """
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { FLOATS = 1 << 25, ROUNDS = 6 }; /* 128 MiB an array: beyond any cache */
static float *a, *b, *c;
static int n_threads;
static void *triad(void *arg) {
  long part = FLOATS / n_threads, first = (long)arg * part;
  for (long i = first; i < first + part; i++) a[i] = b[i] + 3.0f * c[i];
  return 0;
}
double triad_gbytes(int threads) {
  double best = 0;
  pthread_t thread[256];
  n_threads = threads;
  a = malloc(FLOATS * sizeof(float)), b = malloc(FLOATS * sizeof(float)), c = malloc(FLOATS * sizeof(float));
  if (!a || !b || !c) return 0;
  memset(a, 1, FLOATS * sizeof(float)), memset(b, 0, FLOATS * sizeof(float)), memset(c, 0, FLOATS * sizeof(float));
  for (int round = 0; round < ROUNDS; round++) {
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < threads; i++) pthread_create(&thread[i], 0, triad, (void *)i);
    for (long i = 0; i < threads; i++) pthread_join(thread[i], 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (end.tv_sec - begin.tv_sec) + (end.tv_nsec - begin.tv_nsec) * 1e-9;
    double speed = 3.0 * FLOATS * sizeof(float) / seconds / 1e9;
    if (speed > best) best = speed;
  }
  free(a), free(b), free(c);
  return best;
}
"""


def bandwidth():
    """GB/s of a[i] = b[i] + 3 c[i] on all cores, counting three streams; None without a compiler."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "triad.c"), os.path.join(folder, "triad.so")
        with open(source, "w") as out:
            out.write(BANDWIDTH_SOURCE)
        command = ["cc", "-O3", "-march=native", "-shared", "-fPIC", "-pthread", source, "-o", library]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        function = ctypes.CDLL(library).triad_gbytes
        function.restype = ctypes.c_double
        return function(min(os.cpu_count(), 256))


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def limits():
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "peak_gflops": peers.peak_gflops(),
        "bandwidth_gbytes": bandwidth(),
    }
