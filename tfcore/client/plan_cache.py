"""Bounds the compiled plans that a session keeps.

They are in plain dictionaries, which makes finding one fast. When there are too many plans, or too many operations in
them, the least recently run ones are dropped. The clock algorithm finds them from the number of runs, which every plan
counts anyway, so that a run has no extra work. A plan that is dropped while it runs lives until the run has ended.
"""

import threading

from tfcore.framework.fork_safety import fork_safe

MAX_PLANS = 1024
MAX_OPERATIONS = 1_000_000  # of all plans together

# Reentrant: a signal handler that runs while it is held may run a session.
_lock = fork_safe(threading.RLock())


def keep(entries, key, entry):
    """Does entries[key] = entry and drops entries beyond the bounds.

    Args:
      entries: dictionary of objects with a `plan`, and `runs_seen`, which only this module uses.
    """
    dropped = []  # freed after the lock: that runs destructors of kernels and other objects
    with _lock:
        dropped.append(entries.pop(key, None))
        size = entry.plan.num_nodes + sum([e.plan.num_nodes for e in list(entries.values())])
        while entries and (len(entries) >= MAX_PLANS or size > MAX_OPERATIONS):
            victim = _least_used(entries)
            dropped.append(entries.pop(victim, None))
            size -= dropped[-1].plan.num_nodes if dropped[-1] is not None else 0
        entry.runs_seen = entry.plan.runs + 1  # the run that it is compiled for doesn't count
        entries[key] = entry


def _least_used(entries):
    """The key of the first plan that was not run since the last look at it, or of the first of all.

    The others stay in place: another thread may be looking one up at this moment.
    """
    candidates = list(entries.items())
    for key, entry in candidates:
        if entry.runs_seen == entry.plan.runs:
            return key
        entry.runs_seen = entry.plan.runs
    return candidates[0][0]
