"""Registers the kernels of collectives (collectives/match.c) and resolves the groups they run in.

A group is given as a list of ranks of the cluster or as the name of a job. The default is the job `worker` if there is
one, else all tasks. Without a cluster a process is rank 0 of 1. Of survivors, only those that live are members.
"""

from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.stdlib cimport free, malloc

from tfcore.core.registry.registry cimport add_internal_kernel
from tfcore.core.runtime cimport *
from tfcore.distributed.fabric.fabric cimport tfc_is_alive, tfc_rank_here, tfc_size_here

import os

from tfcore.core.registry.registry import library_function
from tfcore.framework import errors
from tfcore.ops.collective.collective import Survivors

cdef extern from "collectives/collective.h" nogil:
    ctypedef struct tfc_collective_loops:
        bint (*serves)(int32_t dtype, int op) noexcept nogil
    ctypedef struct tfc_collective:
        const tfc_collective_loops *loops
        int kind
        int op
        bint mean
        int root
        int n
    enum:
        TFC_COLLECTIVE_REDUCE
        TFC_COLLECTIVE_GATHER
        TFC_COLLECTIVE_BROADCAST
        TFC_COLLECTIVE_SCATTER
        TFC_COLLECTIVE_EQUAL
    void tfc_collective_install()
    tfc_collective *tfc_collective_new(const char *key, const char *labels, int n, const int32_t *ranks, int me)
    void tfc_collective_free(void *)
    int tfc_collective_compute(tfc_context *) noexcept
    void tfc_collective_poison(const char *key, int code, const char *message)
    void tfc_collective_end_poisoned()
    void tfc_collective_begin_attempt(const char *key, int64_t number)
    void tfc_collective_begin_epoch(int64_t epoch)
    enum:
        TFC_EPOCH_BITS
        TFC_ATTEMPT_BITS
    bint tfc_collective_waits(const char *key)
    int64_t tfc_collective_messages_sent()
    int tfc_collective_missing(int64_t step, int node, int32_t *ranks, int room, int64_t *run)
    void tfc_collective_after_fork()

KINDS = {
    "GroupAllreduce": TFC_COLLECTIVE_REDUCE,
    "GroupBarrier": TFC_COLLECTIVE_REDUCE,
    "GroupAllgather": TFC_COLLECTIVE_GATHER,
    "GroupBroadcast": TFC_COLLECTIVE_BROADCAST,
    "GroupReduceScatter": TFC_COLLECTIVE_SCATTER,
    "GroupCheckEqual": TFC_COLLECTIVE_EQUAL,
}
_MERGE_OPS = {"Add": 0, "Min": 1, "Max": 2, "Mul": 3}  # tfc_reduce_op

# ---- Groups

MAX_EPOCH = (1 << TFC_EPOCH_BITS) - 1
MAX_ATTEMPTS = 1 << TFC_ATTEMPT_BITS  # at one collective, in one epoch

_jobs = {}  # job -> its ranks
_empty = frozenset()  # places that have had no process so far, in this epoch
_epoch = 0


def set_tasks(tasks, empty=()):
    """Sets the tasks of the cluster: [(job, index) by rank], and the ranks of places without any process so far."""
    global _empty
    _empty = frozenset(empty)
    _jobs.clear()
    for rank, (job, _) in enumerate(tasks):
        _jobs.setdefault(job, []).append(rank)


def cluster_rank():
    """This process's rank in the cluster, 0 without a cluster."""
    return max(tfc_rank_here(), 0)


def cluster_size():
    return max(tfc_size_here(), 1)


def members(group=None):
    """The ranks of a group, ascending.

    Args:
      group: a list of ranks, the name of a job, or None: the workers, or all tasks if there is no job "worker"; or
        Survivors of one of these. Places of a job that have had no process so far do not count: the first one is a
        member from the epoch on that begins when it joins.

    Raises:
      ValueError: no such rank or job, a rank given twice, an empty list. TypeError: another type.
    """
    if isinstance(group, Survivors):
        me = cluster_rank()
        return [rank for rank in members(group.group) if rank == me or tfc_is_alive(rank)]
    if group is None:
        group = "worker" if "worker" in _jobs else [r for r in range(cluster_size()) if r not in _empty]
    if isinstance(group, str):
        if group not in _jobs:
            raise ValueError(f"There is no job '{group}' in the cluster; it has: {', '.join(sorted(_jobs)) or 'none'}.")
        group = [r for r in _jobs[group] if r not in _empty]
    ranks = sorted(int(r) for r in group)
    if not ranks:
        raise ValueError("A group needs at least one rank.")
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"A rank is given twice in the group {ranks}.")
    if ranks[0] < 0 or ranks[-1] >= cluster_size():
        raise ValueError(f"The group {ranks} has a rank outside of the cluster's [0, {cluster_size()}).")
    return ranks


def resolve(group, key):
    """(the ranks of a group, the key of a collective among them)

    Among survivors the key says who is left out, so that only ranks that have heard of the same losses match. In a
    membership epoch nobody comes back, so a key that was left is not used again.
    """
    ranks = members(group)
    if isinstance(group, Survivors) and (lost := sorted(set(members(group.group)) - set(ranks))):
        key = f"{key} without {'ranks' if len(lost) > 1 else 'rank'} {', '.join(map(str, lost))}"
    return ranks, key


def poison(key, int code, message):
    """Makes all runs of a collective's current attempt fail; end_poisoned() ends those that wait already."""
    tfc_collective_poison(key.encode(), code, message.encode())


def end_poisoned():
    """Ends the runs of poisoned collectives that wait for other ranks."""
    with nogil:
        tfc_collective_end_poisoned()


def begin_attempt(key, int64_t number):
    """From now on, runs of a collective on this rank belong to this attempt. Messages of earlier ones are dropped."""
    tfc_collective_begin_attempt(key.encode(), number)


def begin_epoch(int64_t epoch, empty=()):
    """The membership has changed: collectives that are under way, or were compiled before, fail with AbortedError.

    Args:
      empty: the ranks of places that have had no process until now, the same in all tasks that begin this epoch.
    """
    global _epoch, _empty
    if epoch > _epoch:
        _epoch, _empty = epoch, frozenset(empty)
    with nogil:
        tfc_collective_begin_epoch(epoch)


def epoch():
    """How often a place of the cluster was taken again, as far as this process knows."""
    return _epoch


def first_attempt():
    """The number of the first attempt at a collective in this epoch."""
    return _epoch * MAX_ATTEMPTS


def waits(key):
    """Whether a run of this rank waits for other ranks."""
    return tfc_collective_waits(key.encode())


def messages_sent():
    """How many messages the collectives of this process have sent."""
    return tfc_collective_messages_sent()


def missing(int64_t step, int node):
    """(run, ranks) of the collective that this node of a running step has begun: the ranks for which it waits."""
    cdef int32_t *ranks
    cdef int64_t run = 0
    cdef int n, room = cluster_size()
    ranks = <int32_t *>malloc(room * sizeof(int32_t))
    if ranks == NULL:
        raise MemoryError()
    with nogil:
        n = tfc_collective_missing(step, node, ranks, room, &run)
    found = [ranks[i] for i in range(n)]
    free(ranks)
    return run, found


# ---- The kernels

cdef str get_text(tfc_construction *c, const char *name):
    cdef const char *data = NULL
    cdef size_t size = 0
    if c.api.attr_string(c, name, &data, &size):
        return ""
    return data[:size].decode()


cdef list get_ranks(tfc_construction *c):
    cdef int64_t values[4096]
    cdef int n = 0
    if c.api.attr_ints(c, b"group", 4096, values, &n):
        return []
    if n > 4096:
        raise ValueError(f"A group can have at most 4096 ranks, not {n}.")
    return [values[i] for i in range(n)]


cdef str get_labels(tfc_construction *c):
    cdef const char *data = NULL
    cdef size_t size = 0
    cdef int n = 0
    labels = []
    if c.api.attr_strings(c, b"labels", 0, &data, &size, &n):
        return ""
    for i in range(n):
        c.api.attr_strings(c, b"labels", i, &data, &size, &n)
        labels.append(data[:size].decode(errors="replace").replace("\n", " "))
    return "\n".join(labels)


cdef tfc_collective *make(tfc_construction *c) except NULL:
    cdef int32_t *ranks
    cdef int64_t root = 0
    cdef tfc_bool survivors = False
    cdef tfc_collective *state
    op_type = c.op_type.decode()
    c.api.attr_bool(c, b"survivors", &survivors)
    group = get_ranks(c) or get_text(c, b"job") or None
    of_epoch = _epoch
    group, text = resolve(
        Survivors(group) if survivors else group, get_text(c, b"instance_key") or c.op_name.decode()
    )
    key = text.encode()
    labels = get_labels(c).encode() if op_type in ("GroupAllreduce", "GroupCheckEqual") else b""
    me = group.index(cluster_rank()) if cluster_rank() in group else -1
    ranks = <int32_t *>malloc(len(group) * sizeof(int32_t))
    if ranks == NULL:
        raise MemoryError()
    for i, rank in enumerate(group):
        ranks[i] = rank
    state = tfc_collective_new(key, labels, len(group), ranks, me)
    free(ranks)
    if state == NULL:
        raise MemoryError()
    if of_epoch != _epoch:  # the group of before must not run as one of this epoch
        tfc_collective_free(state)
        return make(c)
    state.kind = KINDS[op_type]
    state.loops = <const tfc_collective_loops *><uintptr_t>library_function("tfc_collective_loops_table")()
    if op_type in ("GroupAllreduce", "GroupReduceScatter"):
        state.op = _MERGE_OPS[get_text(c, b"merge_op")]
        state.mean = get_text(c, b"final_op") == "Div"
    if op_type == "GroupBroadcast":
        c.api.attr_int(c, b"root", &root)
        if not 0 <= root < len(group):
            tfc_collective_free(state)
            raise ValueError(f"root is {root}, but the group has the ranks 0 to {len(group) - 1}")
        state.root = <int>root
    return state


cdef int create(tfc_construction *c, void **state) noexcept:
    cdef tfc_collective *made
    try:
        made = make(c)
    except MemoryError:
        return c.api.error(c, TFC_RESOURCE_EXHAUSTED, b"out of memory")
    except Exception as error:
        text = str(error).encode()
        return c.api.error(c, TFC_INVALID_ARGUMENT, b"%s", <const char *>text)
    if made.kind == TFC_COLLECTIVE_REDUCE and c.n_inputs and not made.loops.serves(c.input_dtypes[0], made.op):
        tfc_collective_free(made)
        return c.api.error(c, TFC_INVALID_ARGUMENT, b"numbers of this type have no order, so no minimum or maximum")
    state[0] = made
    return TFC_OK


# Those for GPUs work on the host, too: what is on a GPU is copied there and back.
cdef tfc_kernel_def kernels[12]
cdef int _i
cdef bytes _name
_names = [name.encode() for name in KINDS]  # kept: the kernels refer to them
for _i in range(2 * len(_names)):
    _name = _names[_i // 2]
    kernels[_i].op = _name
    kernels[_i].device = "CPU"
    kernels[_i].types = ""
    kernels[_i].compute = tfc_collective_compute
    kernels[_i].create = create
    kernels[_i].destroy = tfc_collective_free
    kernels[_i].flags = TFC_KERNEL_ASYNC | TFC_KERNEL_STATEFUL
    kernels[_i].host_args = NULL
    if _i % 2:
        kernels[_i].device = "GPU"
        kernels[_i].host_args = "*"
    add_internal_kernel(&kernels[_i])

tfc_collective_install()


def _after_fork():
    tfc_collective_after_fork()


os.register_at_fork(after_in_child=_after_fork)
