"""The compiled plans of a session, bounded in number and size."""

import threading

from tfcore.framework.fork_safety import fork_safe

PLANS = 1024
OPERATIONS = 1_000_000  # of all plans of a session together


class PlanCache(dict):
    """Maps keys to objects with a `plan`. Reading it costs no more than reading a dictionary.

    When there are too many plans, or plans of too many operations, those go that have not been run for the longest time.
    Which these are is found by the clock algorithm, from the number of runs that every plan counts anyway, so that a run
    has nothing to do for it. A plan that is running when it goes lives until its last run has ended.
    """

    def __init__(self):
        super().__init__()
        self._lock = fork_safe(threading.Lock())
        self._runs_seen = {}  # key -> runs of its plan when the hand of the clock came by

    def __setitem__(self, key, entry):
        with self._lock:
            self.pop(key, None)
            size = entry.plan.num_nodes + sum([e.plan.num_nodes for e in list(self.values())])
            while self and (len(self) >= PLANS or size > OPERATIONS):
                size -= self._drop_one()
            super().__setitem__(key, entry)
            self._runs_seen[key] = entry.plan.runs + 1  # the run that it is made for is no sign of use
            if len(self._runs_seen) > 2 * PLANS:  # others may have removed entries
                self._runs_seen = {k: self._runs_seen.get(k, 0) for k in list(self)}

    def _drop_one(self):
        """Drops the first plan that has not run since it was looked at last; returns its size."""
        candidates = list(self.items())
        for key, entry in candidates:
            if self._runs_seen.get(key, 0) == entry.plan.runs:
                break
            self._runs_seen[key] = entry.plan.runs
            if self.pop(key, None) is not None:
                super().__setitem__(key, entry)  # to the end of the line
        else:
            key, entry = candidates[0]  # all have run
        self.pop(key, None)
        self._runs_seen.pop(key, None)
        return entry.plan.num_nodes
