"""How often to save: the interval that loses the least time, by what a checkpoint costs and how often tasks fail."""

import math
import os
import time

from tfcore.train.hooks.hook_timers import HookTimer

EXPECTED_S = 24 * 3600.0  # between two failures, before any was seen
_LEAST_S = 1.0


def best_interval(cost, mean_time_between_failures):
    """The time between checkpoints after which the least time is lost, on average.

    A failure loses half an interval on average, and each interval a checkpoint's cost. J. W. Young (Communications of
    the ACM 17(9), 1974) found sqrt(2 * cost * mean) as the best interval; J. T. Daly (Future Generation Computer
    Systems 22(3), 2006) the terms of higher order, for failures at any time, so that a checkpoint may fail, too.

    Args:
      cost: Seconds that training loses by a checkpoint.
      mean_time_between_failures: Seconds.

    Returns:
      Seconds from the end of a checkpoint to the beginning of the next.
    """
    if cost >= 2 * mean_time_between_failures:
        return mean_time_between_failures
    half = math.sqrt(cost / (2 * mean_time_between_failures))
    return math.sqrt(2 * cost * mean_time_between_failures) * (1 + half / 3 + half * half / 9) - cost


class BestIntervalTimer(HookTimer):
    """Triggers when the best interval is over, which follows from what the last checkpoints have cost.

    Args:
      mean_time_between_failures: Seconds; None: estimated from the failures that are noted here and those after which
        `tfcore.run` has started this process again, with one in a day assumed at first.
      clock: Function that returns seconds.
    """

    def __init__(self, mean_time_between_failures=None, clock=time.monotonic):
        if mean_time_between_failures is not None and not mean_time_between_failures > 0:
            raise ValueError(f"mean_time_between_failures must be positive, not {mean_time_between_failures}")
        self._given = mean_time_between_failures
        self._clock = clock
        self._since = clock()
        self._failures = int(os.environ.get("TFCORE_RESTARTED", 0))
        self._cost = None
        self.reset()

    def reset(self):
        self._step = self._time = None

    @property
    def mean_time_between_failures(self):
        """Seconds: as given, or estimated."""
        if self._given is not None:
            return self._given
        return (EXPECTED_S + self._clock() - self._since) / (1 + self._failures)

    @property
    def interval(self):
        """Seconds from one checkpoint to the next; 0 as long as the cost is not known."""
        if self._cost is None:
            return 0.0
        return max(best_interval(self._cost, self.mean_time_between_failures), _LEAST_S)

    def note_failure(self):
        """A task was lost."""
        self._failures += 1

    def note_cost(self, seconds):
        """A checkpoint has cost so many seconds; the last ones count most."""
        self._cost = seconds if self._cost is None else (self._cost + seconds) / 2

    def should_trigger_for_step(self, step):
        if self._step is None:
            return True
        return step != self._step and self._clock() >= self._time + self.interval

    def update_last_triggered_step(self, step):
        now = self._clock()
        elapsed = (None, None) if self._time is None else (now - self._time, step - self._step)
        self._time, self._step = now, step
        return elapsed

    def last_triggered_step(self):
        return self._step
