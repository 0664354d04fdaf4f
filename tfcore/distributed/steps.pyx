"""Runs the partitions that masters have registered with this task, and registers the kernel `_RunPartition`.

The C part (remote.c) connects messages, the rendezvous and suspended kernels; here is what needs plans.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc

from tfcore.core.executor cimport run_for_master
from tfcore.core.observer cimport Observer
from tfcore.core.registry cimport add_internal_kernel
from tfcore.core.rendezvous cimport tfc_rendezvous
from tfcore.core.runtime cimport *
from tfcore.core.step cimport *
from tfcore.distributed.fabric cimport fabric, tfc_fabric

import itertools

from tfcore.core.observer import TRACE
from tfcore.framework import errors

cdef extern from "remote.h" nogil:
    ctypedef struct tfc_job:
        int64_t step
        uint64_t handle
        int source
        bint traced
    ctypedef struct tfc_remote:
        int peer
        uint64_t handle
    void tfc_steps_install(const tfc_fabric *, tfc_rendezvous *, const tfc_runtime *, const tfc_api *, void (*)(tfc_job *) noexcept nogil)
    bint tfc_job_begin(tfc_job *, tfc_step *)
    void tfc_job_end(tfc_job *)
    void tfc_job_done(tfc_job *, int code, const char *text, size_t size)
    int tfc_run_partition(tfc_context *) noexcept

cdef const tfc_runtime *rt = runtime()
cdef const tfc_fabric *messages = fabric()


class _Partition:
    """A registered partition and how to run it."""

    __slots__ = ("plan", "threads", "inter_op", "control")

    def __init__(self, plan, threads, inter_op, control):
        self.plan = plan
        self.threads = threads
        self.inter_op = inter_op
        self.control = control


KEPT = 32  # traces that their masters have not asked for

traces = {}  # (rank of the master, step) -> Observer
_partitions = {}
_handles = itertools.count(1)


def register(plan, threads, inter_op, control):
    """Makes a plan runnable for masters; returns its handle."""
    handle = next(_handles)
    _partitions[handle] = _Partition(plan, threads, inter_op, control)
    return handle


def deregister(handle):
    """Steps of the partition that run go on to their end."""
    _partitions.pop(handle, None)


# ---- Running them

cdef bint began(void *job, tfc_step *step) noexcept nogil:
    return tfc_job_begin(<tfc_job *>job, step)


cdef void ended(void *job) noexcept nogil:
    tfc_job_end(<tfc_job *>job)


cdef object run(tfc_job *job):
    """Runs a job's partition; returns the exception it ends with, or None."""
    cdef Observer observer = None
    partition = _partitions.get(job.handle)
    if partition is None:
        return errors.AbortedError(
            None, None, f"Graph handle {job.handle} is not found: the session was closed, or the task has been restarted."
        )
    try:
        if job.traced:
            observer = Observer(partition.plan, TRACE)
            traces[job.source, job.step] = observer
            while len(traces) > KEPT:
                del traces[next(iter(traces))]
        return run_for_master(
            partition.plan, job.step, partition.threads, partition.inter_op, partition.control, observer, began, ended, job
        )
    except BaseException as error:
        return error


cdef void run_job(void *p) noexcept nogil:
    cdef tfc_job *job = <tfc_job *>p
    with gil:
        error = run(job)
        if error is None:
            tfc_job_done(job, TFC_OK, NULL, 0)
        else:
            answer_error(job, error)


cdef int answer_error(tfc_job *job, error) except -1:
    code = error.error_code if isinstance(error, errors.OpError) else TFC_UNKNOWN
    text = error.message if isinstance(error, errors.OpError) else f"{type(error).__name__}: {error}"
    text = text.encode(errors="replace")
    tfc_job_done(job, code, text, len(text))
    return 0


cdef void start(tfc_job *job) noexcept nogil:
    if not messages.defer(run_job, job):
        tfc_job_done(job, TFC_RESOURCE_EXHAUSTED, b"no thread for a step", 20)


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

tfc_steps_install(messages, <tfc_rendezvous *>rt.rendezvous, rt, rt.api(), start)
