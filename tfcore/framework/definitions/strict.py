"""Strict broadcasting: optionally rejects broadcasts that are probably mistakes.

Labels of shape [N] minus predictions of shape [N, 1] give [N, N], and training silently uses a wrong loss. The rule: an
element-wise operation on two operands of different ranks, both at least 1, is rejected if both would be repeated.
[N, D] + [D] is allowed (only the vector is repeated), and so are [N, 1] * [1, M] (equal ranks, hence explicit) and
anything with a scalar; [N] - [N, 1] is not. An unknown size counts as different from 1. What static shapes leave
undecided is checked by each run. Use tf.expand_dims or tf.squeeze if such a broadcast is intended.

Off by default. The environment variable TFCORE_STRICT_BROADCASTING=1 turns it on for a whole program.
"""

import contextlib
import os
import threading
import weakref


class _Local(threading.local):
    enabled = os.environ.get("TFCORE_STRICT_BROADCASTING", "0") not in ("", "0")


local = _Local()
_undecided = weakref.WeakKeyDictionary()  # graph -> operations to check at run time


def enable_strict_broadcasting():
    """From now on, rejects element-wise operations that would repeat both of two operands of different ranks.

    Their creation raises ValueError with both shapes, the operation and the line. If the static shapes do not decide
    it, the run raises InvalidArgumentError instead.
    """
    _Local.enabled = True


def disable_strict_broadcasting():
    """Allows all broadcasts again, for operations created from now on."""
    _Local.enabled = False


class strict_broadcasting:  # noqa: N801  used like a function
    """A context manager that turns strict broadcasting on or off for operations added by this thread.

    See `tf.enable_strict_broadcasting` for the rule.

    Args:
      enabled: Whether it is on; False allows all broadcasts.
    """

    def __init__(self, enabled=True):
        self._enabled = bool(enabled)

    def __enter__(self):
        self._before = of_this_thread()
        local.enabled = self._enabled
        return self

    def __exit__(self, *exc):
        _set(self._before)


def of_this_thread():
    """The setting of the calling thread, for `replaced`."""
    return dict(local.__dict__)


@contextlib.contextmanager
def replaced(setting):
    """A context manager in which this thread has the setting of another one, for which it works."""
    before = of_this_thread()
    _set(setting)
    try:
        yield
    finally:
        _set(before)


def _set(setting):
    local.__dict__.clear()
    local.__dict__.update(setting)


def check(op, a, b):
    """Checks the broadcast of dims a and b, or marks the operation to be checked at run time.

    Raises:
      ValueError: both operands would be repeated.
    """
    if a == () or b == ():
        return
    if a is None or b is None:
        mark(op)
        return
    high, low = (a, b) if len(a) >= len(b) else (b, a)
    pad = len(high) - len(low)
    pairs = list(zip(high[pad:], low))
    low_repeated = any(h != 1 for h in high[:pad]) or any(y == 1 and x != 1 for x, y in pairs)
    if not pad or not low_repeated:
        return
    if any(x == 1 and y != 1 for x, y in pairs):
        raise ValueError(f"Strict broadcasting: operands of ranks {len(a)} and {len(b)} would both be repeated")
    if any(x is None and y != 1 for x, y in pairs):
        mark(op)


def mark(op):
    _undecided.setdefault(op.graph, weakref.WeakSet()).add(op)


def undecided(graph):
    """The operations of a graph whose broadcasts have to be checked at run time."""
    return _undecided.get(graph, ())
