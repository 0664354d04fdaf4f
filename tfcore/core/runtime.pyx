"""Memory and threads of the process: statistics and settings."""

import os
import threading

from tfcore.core.runtime cimport *


cdef extern from "memory/available_memory.h" nogil:
    int64_t tfc_pretend_available_memory(int64_t)


def _after_fork():
    tfc_pool_after_fork()
    tfc_spawn_after_fork()
    tfc_step_after_fork()
    tfc_admission_after_fork()
    tfc_watch_after_fork()
    tfc_cow_after_fork()


os.register_at_fork(after_in_child=_after_fork)


def memory_stats():
    """Bytes in use, their peak, bytes held from the system, allocations so far, and the limit (0: none)."""
    cdef tfc_memory_stats stats
    tfc_memory_stats_get(&stats)
    return dict(stats)


def set_memory_limit(int64_t limit):
    """Makes allocations fail that would bring tensor memory above `limit` bytes; 0 removes the limit."""
    tfc_memory_set_limit(limit)


def trim_memory():
    """Gives free blocks back to the system."""
    tfc_memory_trim()


def set_memory_decay(double idle_seconds):
    """Sets memory decay: seconds without a step until free memory is returned (5). For tests; returns the old one."""
    return tfc_memory_set_decay(idle_seconds)


def pretend_available_memory(int64_t n):
    """For tests: sets how many bytes of memory the process takes to be available.

    Args:
      n: Bytes; -1: what the system says.

    Returns:
      The value before.
    """
    return tfc_pretend_available_memory(n)


def cut_loops(int64_t items):
    """Makes the parallel loops of kernels run in pieces of `items` items on the calling thread, the last piece first.

    For tests: a kernel's result must not depend on how its loops are split. 0 ends it.
    """
    if items < 0:
        raise ValueError(f"A piece can't have {items} items.")
    tfc_pool_cut(items)


def set_poison(bint on):
    """Sets whether new memory is filled with NaN (integers: -1), like TFCORE_POISON=1. Returns the previous setting."""
    return tfc_memory_set_poison(on)


def set_parallel_grain(double ns):
    """Sets the shortest chunk of a parallel loop in ns (5000); 0 splits even the smallest loop. Returns the old one."""
    return tfc_pool_set_grain(ns)


def num_threads():
    """Threads that compute at a time: TFCORE_NUM_THREADS, else the number of cores that the process may use."""
    return tfc_pool_threads()


def set_num_threads(int n):
    """Sets num_threads(); 0: the default. Returns the previous value.

    A task of a cluster takes its share of the cores, and tests take more threads than there are cores.
    """
    if n < 0:
        raise ValueError(f"There can't be {n} threads.")
    return tfc_pool_set_threads(n)


def steps_running():
    """(how many steps run now, how often one has begun or gone on since the process started), for tests.

    Steps in the background do not count. Nor does one run that only waits: for an element of a queue, another task, or
    a barrier.
    """
    cdef int64_t started
    cdef int64_t running = tfc_steps_running(&started)
    return running, started


def copy_stats():
    """What steps have kept of variables while checkpoints were saved, since the process started: a dict.

    kept_bytes: what they copied before they changed it; kept_ns: the time that it took, on all threads; waits: how
    often one waited for the checkpoint, as what may be kept was used up. busy_ns and idle_ns: what saving in the
    background took of cores, and what of those that nobody else wanted. kept_now: bytes that are kept now, in blocks of
    memory that may be somewhat larger.
    """
    cdef tfc_cow_stats stats
    tfc_cow_stats_get(&stats)
    return stats


cdef class SnapshotWatch:
    """Tells when the steps that a thread runs have taken the snapshots of variables that their kernels copy slowly.

    Kernels in other tasks of a cluster count, too. The thread calls `begin` and, in any case, `end`; another one waits.
    """

    cdef tfc_cow_watch watch

    def __dealloc__(self):
        tfc_cow_watch_end(&self.watch)

    def begin(self):
        """From now on the calling thread is watched."""
        tfc_cow_watch_begin(&self.watch, threading.get_ident())

    def end(self):
        """It is not watched any more, and nobody waits."""
        tfc_cow_watch_end(&self.watch)

    def wait(self, int kernels, double seconds):
        """Waits until so many kernels have their snapshots or the watch has ended; False if the time is over."""
        cdef bint done
        with nogil:
            done = tfc_cow_watch_wait(&self.watch, kernels, seconds)
        return done
