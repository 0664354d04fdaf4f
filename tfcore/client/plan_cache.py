"""Bounds the compiled plans that a session keeps.

They are in plain dictionaries, which is what makes finding one fast. When there are too many plans, or plans of too many
operations, those go that have not been run for the longest time. Which these are is found by the clock algorithm, from
the number of runs that every plan counts anyway, so that a run has nothing to do for it. A plan that is dropped while it
runs lives until the run has ended.
"""

import threading

from tfcore.framework.fork_safety import fork_safe

PLANS = 1024
OPERATIONS = 1_000_000  # of all plans together

# A signal handler that comes while it is held may run a session, and so come back here.
_lock = fork_safe(threading.RLock())


def keep(entries, key, entry):
    """Does entries[key] = entry and drops what is too much.

    Args:
      entries: dictionary of objects with a `plan` and `runs_seen`, which belongs to this module.
    """
    dropped = []  # freed after the lock: that runs the destructors of kernels and of what was fetched
    with _lock:
        dropped.append(entries.pop(key, None))
        size = entry.plan.num_nodes + sum([e.plan.num_nodes for e in list(entries.values())])
        while entries and (len(entries) >= PLANS or size > OPERATIONS):
            victim = _least_used(entries)
            dropped.append(entries.pop(victim, None))
            size -= dropped[-1].plan.num_nodes if dropped[-1] is not None else 0
        entry.runs_seen = entry.plan.runs + 1  # the run that it is compiled for does not count
        entries[key] = entry


def _least_used(entries):
    """The key of the first plan that was not run since it was last looked at, or of the first of all.

    The others stay where they are: another thread may be looking for one at this moment.
    """
    candidates = list(entries.items())
    for key, entry in candidates:
        if entry.runs_seen == entry.plan.runs:
            return key
        entry.runs_seen = entry.plan.runs
    return candidates[0][0]
