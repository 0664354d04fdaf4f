"""Memory and threads of the process: statistics and settings."""

import os
import threading

from tfcore.core.runtime cimport *


def _after_fork():
    tfc_pool_after_fork()
    tfc_spawn_after_fork()
    tfc_step_after_fork()
    tfc_admission_after_fork()
    tfc_watch_after_fork()
    tfc_snapshots_after_fork()


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


cdef class SnapshotWatch:
    """Tells when the steps that a thread runs have taken the values of variables that they save.

    Kernels in other tasks of a cluster count, too. The thread calls `begin` and, in any case, `end`; another one waits.
    """

    cdef tfc_snapshot_watch watch

    def __dealloc__(self):
        tfc_snapshot_watch_end(&self.watch)

    def begin(self):
        """From now on the calling thread is watched."""
        tfc_snapshot_watch_begin(&self.watch, threading.get_ident())

    def end(self):
        """It is not watched any more, and nobody waits."""
        tfc_snapshot_watch_end(&self.watch)

    def wait(self, int kernels, double seconds):
        """Waits until so many kernels have their values or the watch has ended; False if the time is over."""
        cdef bint done
        with nogil:
            done = tfc_snapshot_watch_wait(&self.watch, kernels, seconds)
        return done
