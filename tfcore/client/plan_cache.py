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

_lock = fork_safe(threading.Lock())


def keep(entries, key, entry):
    """Does entries[key] = entry and drops what is too much.

    Args:
      entries: dictionary of objects with a `plan` and `runs_seen`, which belongs to this module.
    """
    with _lock:
        entries.pop(key, None)
        size = entry.plan.num_nodes + sum([e.plan.num_nodes for e in list(entries.values())])
        while entries and (len(entries) >= PLANS or size > OPERATIONS):
            size -= _drop_one(entries)
        entry.runs_seen = entry.plan.runs + 1  # the run that it is compiled for does not count
        entries[key] = entry


def _drop_one(entries):
    """Drops the first plan that was not run since it was last looked at, or the first of all; returns its size."""
    candidates = list(entries.items())
    for key, entry in candidates:
        if entry.runs_seen == entry.plan.runs:
            break
        entry.runs_seen = entry.plan.runs
        if entries.pop(key, None) is not None:
            entries[key] = entry  # to the end of the line
    else:
        key, entry = candidates[0]
    entries.pop(key, None)
    return entry.plan.num_nodes
