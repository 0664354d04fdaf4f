"""Operations of running steps that wait for something: for how long, for what, and for which tasks.

Kernels that wait are suspended, and the executor lists them with the time (core/step/dynamic.c). So nothing
is counted or measured here but when somebody asks.
"""

from libc.stdint cimport int32_t, int64_t

from tfcore.core.rendezvous.rendezvous cimport tfc_step_rank
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *

import time

from tfcore.compiler.partition import MASTER, THIS_PROCESS
from tfcore.core.step import plan
from tfcore.distributed.collectives import collective


cdef enum:
    LOOKED_AT = 1024  # suspended kernels

MOST = 64  # waits of one list


def count_steps():
    """(number of steps begun, how many of them have ended) in this process, those that it runs for masters included."""
    cdef int64_t begun, ended
    tfc_count_steps(&begun, &ended)
    return begun, ended


def long_waits(double seconds, bint new_ones=False):
    """The operations of running steps that have waited for at least `seconds`: a list of dicts, at most 64.

    Operations that wait for others of the same task are left out: they wait for what a device of it computes.

    Args:
      new_ones: only those that no earlier call with new_ones has returned.

    Returns: dicts of step; op (name), type, line (where the program made it, or None); tensor: the value it waits for
      or wants to send, or None; ranks: the tasks it waits for; seconds; iteration of its loop, or None.
    """
    cdef tfc_suspended found[LOOKED_AT]
    cdef int64_t now = time.monotonic_ns()
    cdef int64_t before = now - <int64_t>(seconds * 1e9)
    cdef int n, i
    with nogil:
        n = tfc_list_suspended(found, LOOKED_AT, before, new_ones)
    waits = [_describe(&found[i], now) for i in range(n)]
    return sorted((w for w in waits if w is not None), key=lambda w: -w["seconds"])[:MOST]


cdef object _describe(const tfc_suspended *s, int64_t now):
    """None: it has gone on, or waits for nothing outside of this task."""
    running = plan.by_number.get(s.plan)
    if running is None:
        return None
    node = running.op(s.node)
    wait = {
        "step": s.step,
        "op": node.name,
        "type": node.type,
        "line": node.creation_line or None,
        "tensor": None,
        "ranks": [],
        "seconds": round(max(0, now - s.since) / 1e9, 3),
        "iteration": s.place.iteration if s.place.frame else None,
    }
    if node.type in ("_Send", "_Recv"):
        if node.attrs["_peer"] == THIS_PROCESS:
            return None
        wait["ranks"] = [tfc_step_rank(s.step) if node.attrs["_peer"] == MASTER else node.attrs["_peer"]]
        wait["tensor"] = _text(node.attrs["tensor_name"])
    elif node.type == "_RunPartition":
        wait["ranks"] = [node.attrs["peer"]]
    elif node.type in collective.KINDS:
        _, wait["ranks"] = collective.missing(s.step, s.node)
    return wait


cdef str _text(name):
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)
