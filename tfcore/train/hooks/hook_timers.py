"""Timers of hooks: at which steps a hook does its work."""

import time


class HookTimer:
    """Base class of timers."""

    def reset(self):
        """Forgets when it last triggered."""

    def should_trigger_for_step(self, step):
        """Whether the hook shall do its work at a step.

        Args:
          step: The number of the step.

        Returns:
          A bool.
        """
        raise NotImplementedError

    def update_last_triggered_step(self, step):
        """Notes that the hook did its work.

        Args:
          step: The number of the step.

        Returns:
          The seconds and the steps since the hook last did; None and None the first time.
        """
        raise NotImplementedError

    def last_triggered_step(self):
        """The step at which the hook last did its work; None if it never has."""
        raise NotImplementedError


class SecondOrStepTimer(HookTimer):
    """Triggers every so many seconds, or every so many steps, and the first time.

    Args:
      every_secs: Seconds between two times.
      every_steps: Steps between two times.

    Raises:
      ValueError: Both are given, or none.

    Example:

    >>> timer = tf.train.SecondOrStepTimer(every_steps=10)
    >>> for step in range(25):
    ...     if timer.should_trigger_for_step(step):
    ...         elapsed_seconds, elapsed_steps = timer.update_last_triggered_step(step)
    ...         print(step, elapsed_steps)
    0 None
    10 10
    20 10
    """

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self.reset()

    def reset(self):
        self._last_triggered_step = None
        self._last_triggered_time = None

    def should_trigger_for_step(self, step):
        if self._last_triggered_step is None:
            return True
        if step == self._last_triggered_step:
            return False
        if self._every_secs is not None:
            return time.monotonic() >= self._last_triggered_time + self._every_secs
        return step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step):
        now = time.monotonic()
        elapsed = None, None
        if self._last_triggered_time is not None:
            elapsed = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self):
        return self._last_triggered_step


class NeverTriggerTimer(HookTimer):
    """Never triggers.

    Example:

    >>> tf.train.NeverTriggerTimer().should_trigger_for_step(1)
    False
    """

    def should_trigger_for_step(self, step):
        return False

    def update_last_triggered_step(self, step):
        return None, None

    def last_triggered_step(self):
        return None
