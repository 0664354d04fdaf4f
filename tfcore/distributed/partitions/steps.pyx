"""Runs the partitions that masters have registered with this task, and registers the kernel `_RunPartition`.

The C part (remote.c) connects messages, the rendezvous and suspended kernels; this module has what needs plans.
`replicas.pxi` is about the replicas of variables, for which the ends of partitions wait.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from cpython.ref cimport Py_DECREF, Py_INCREF

from tfcore.core.step.executor cimport Step, new_step
from tfcore.core.registry.kernel cimport ResourceManager
from tfcore.core.step.observer cimport Observer
from tfcore.core.registry.registry cimport add_internal_kernel
from tfcore.core.rendezvous.rendezvous cimport tfc_step_rank
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *
from tfcore.core.memory.tensor cimport TensorValue
from tfcore.distributed.fabric.fabric cimport tfc_incarnation_of, tfc_rank_here

import itertools
import os

from tfcore.core.step.observer import TRACE
from tfcore.framework import errors

cdef extern from "partitions/remote.h" nogil:
    ctypedef struct tfc_partition_run:
        int64_t step
        uint64_t handle
        int source
        uint32_t incarnation
        bint traced
        bint in_background
        bint writes
        tfc_dynamic *parkable
        void *state
    ctypedef struct tfc_remote:
        int peer
        uint64_t handle
    void tfc_steps_install(bool (*)(tfc_partition_run *) noexcept nogil, void (*)(tfc_partition_run *) noexcept nogil)
    void tfc_partition_run_resume(void *)
    bint tfc_partition_run_begin(tfc_partition_run *, tfc_step *)
    void tfc_partition_run_end(tfc_partition_run *)
    void tfc_partition_run_done(tfc_partition_run *, int code, const char *text, size_t size)
    void tfc_steps_after_fork()
    int tfc_run_partition(tfc_context *) noexcept
    int tfc_partition_runs()

cdef extern from "partitions/values.h" nogil:
    ctypedef struct tfc_budget_counts:
        int64_t waiting
        int64_t cleared
        int64_t reserved_bytes
        int64_t peak_reserved_bytes
        int64_t forced
    void tfc_budget_count(tfc_budget_counts *)
    bint tfc_values_open(const int64_t *, const uint32_t *, int, int)
    bint tfc_values_admit(int, uint32_t, int64_t)
    int64_t tfc_values_queued()
    int64_t tfc_values_deferred()

class _Partition:
    """A registered partition and how to run it. writes: whether it may change variables."""

    __slots__ = ("master", "plan", "writes", "threads", "inter_op", "control")

    def __init__(self, master, plan, threads, inter_op, control):
        self.master = master
        self.plan = plan
        self.writes = any(op.may_write() for op in (*plan.ops, *plan.inner_ops))
        self.threads = threads
        self.inter_op = inter_op
        self.control = control


KEPT = 32  # at most so many traces that no master has fetched

traces = {}  # (rank of the master, step) -> Observer
_partitions = {}
_count = itertools.count(1)


def register(master, plan, threads, inter_op, control):
    """Makes a plan runnable for its master only, given as (rank, incarnation); returns its handle.

    The handle has the incarnation of this process in its upper half: later processes in this place don't know it.
    """
    cdef uint64_t handle = <uint64_t>tfc_incarnation_of(tfc_rank_here()) << 32 | <uint32_t>next(_count)
    _partitions[handle] = _Partition(master, plan, threads, inter_op, control)
    return handle


def deregister(handle):
    """Forgets a partition; running steps of it are not affected."""
    _partitions.pop(handle, None)


def count_plans(handles):
    """How many different plans the partitions of these handles have."""
    found = [_partitions.get(handle) for handle in handles]
    return len({id(partition.plan) for partition in found if partition is not None})


# ---- Running them

cdef Step make_step(tfc_partition_run *run):
    cdef Step step
    partition = _partitions.get(run.handle)
    if partition is None or partition.master != (run.source, run.incarnation):
        raise errors.AbortedError(
            None, None, f"Graph handle {run.handle} is not found: the session was closed or the task was restarted."
        )
    if tfc_step_rank(run.step) != run.source:  # its values would go to whom the number names
        raise errors.InvalidArgumentError(
            None, None, f"Step {run.step} is one of rank {tfc_step_rank(run.step)}, but rank {run.source} asks for it.")
    step = new_step(partition.plan, partition.threads, partition.inter_op, partition.control)
    step.in_background = run.in_background
    if run.traced:
        step.observer = traces[run.source, run.step] = Observer(partition.plan, TRACE)
        while len(traces) > KEPT:
            traces.pop(next(iter(traces), None), None)  # other threads remove traces, too
    run.writes = partition.writes
    return step


cdef bool begin(tfc_partition_run *run) noexcept nogil:
    """False: the run is over. Its state is then the exception that it ended with so far, or its Step."""
    with gil:
        return begin_with_gil(run)


cdef bint begin_with_gil(tfc_partition_run *run) noexcept:
    cdef Step step = None
    cdef object state
    try:
        step = state = make_step(run)
        step.begin()
        step.c.id = run.step
        if not tfc_partition_run_begin(run, step.c):
            raise errors.CancelledError(None, None, "The step was cancelled.")
        step.feed(())
        if step.dynamic and not step.plan.needs_admission and step.plan.a.part == NULL:
            run.parkable = tfc_begin_parkable(&step.plan.a, step.s, step.c, tfc_partition_run_resume, run)
        else:
            step.execute()
    except BaseException as error:
        state = error if step is None else end_of(step, run, error)
    Py_INCREF(state)
    run.state = <void *>state
    return run.parkable != NULL


cdef void end(tfc_partition_run *run) noexcept nogil:
    cdef bint ok
    with gil:
        ok = end_with_gil(run)
    if ok:
        tfc_partition_run_done(run, TFC_OK, NULL, 0)


cdef bint end_with_gil(tfc_partition_run *run) noexcept:
    """Frees what the run has. False: it has failed, and its master has been told."""
    cdef object state = <object>run.state
    Py_DECREF(state)
    error = end_of(<Step>state, run, None) if isinstance(state, Step) else state
    if error is not None:
        answer_error(run, error)
    return error is None


cdef object end_of(Step step, tfc_partition_run *run, error):
    """Frees what the step has. error: what it has failed with so far, or None. Returns: the same at its end."""
    try:
        if error is None:
            step.conclude()
    except BaseException as failure:
        error = failure
    finally:
        tfc_partition_run_end(run)  # from here on no CANCEL reaches it
        step.end()
    return error


cdef int answer_error(tfc_partition_run *run, error) except -1:
    cdef int code
    cdef const char *data
    cdef size_t size
    code = error.error_code if isinstance(error, errors.OpError) else TFC_UNKNOWN
    try:
        text = error.message if isinstance(error, errors.OpError) else f"{type(error).__name__}: {error}"
        text = text.encode(errors="replace")
    except Exception:  # the master must get an answer all the same
        text = type(error).__name__.encode()
    data, size = text, len(text)
    with nogil:
        tfc_partition_run_done(run, code, data, size)
    return 0


def count_runs():
    """How many partitions this task runs for masters now, parked ones included."""
    return tfc_partition_runs()


# ---- Flow control of values

def open_flow_control(budgets, incarnations, int own_rank):
    """Begins to limit how much the values of other tasks may take in this one, and its own values in them.

    Args:
      budgets: the receive budgets of all tasks, in bytes, by rank.
      incarnations: of all tasks, by rank.
      own_rank: that of this task.
    """
    cdef int n = len(budgets)
    cdef int64_t *all = <int64_t *>malloc(n * sizeof(int64_t))
    cdef uint32_t *processes = <uint32_t *>malloc(n * sizeof(uint32_t))
    done = False
    if all != NULL and processes != NULL:
        for i in range(n):
            all[i] = budgets[i]
            processes[i] = incarnations[i]
        done = tfc_values_open(all, processes, n, own_rank)
    free(all)
    free(processes)
    if not done:
        raise MemoryError()


def admit(int peer, uint32_t incarnation, int64_t budget):
    """Resets the credit with a peer: its place is about to be taken again, by a task with this budget."""
    if not tfc_values_admit(peer, incarnation, budget):
        raise MemoryError()


def flow_control_counts():
    """What flow control holds back: a dict.

    queued: number of values that wait here until they may be sent to other tasks; deferred: number of those that had to
    wait since this process started. waiting: number of values that others
    ask to send, for which there is no room here. cleared: number of those that may come and have not.
    reserved_bytes: what was cleared and is neither freed nor of a step that has ended; peak_reserved_bytes: the most
    since this task started. forced: number of values cleared beyond the budget because the task had stalled.
    """
    cdef tfc_budget_counts counts
    tfc_budget_count(&counts)
    return {"queued": tfc_values_queued(), "deferred": tfc_values_deferred(), **counts}


include "replicas/replicas.pxi"

# ---- The kernel of the master's side

cdef int create(tfc_construction *c, void **state) noexcept:
    cdef int64_t peer = 0
    cdef int64_t handle = 0
    cdef tfc_remote *remote
    cdef int code = c.api.attr_int(c, b"peer", &peer) or c.api.attr_int(c, b"handle", &handle)
    if code:
        return code
    remote = <tfc_remote *>malloc(sizeof(tfc_remote))
    if remote == NULL:
        return c.api.error(c, TFC_RESOURCE_EXHAUSTED, b"out of memory")
    remote.peer = <int>peer
    remote.handle = handle
    state[0] = remote
    return TFC_OK


cdef tfc_kernel_def kernel
kernel.op = "_RunPartition"
kernel.device = "CPU"
kernel.types = ""
kernel.compute = tfc_run_partition
kernel.create = create
kernel.destroy = free
kernel.flags = TFC_KERNEL_ASYNC
kernel.host_args = NULL
add_internal_kernel(&kernel)

tfc_steps_install(begin, end)


def _after_fork():
    tfc_steps_after_fork()
    tfc_replica_primary_after_fork()
    tfc_replica_backup_after_fork()


os.register_at_fork(after_in_child=_after_fork)
