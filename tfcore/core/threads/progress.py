"""Reports on standard error what a slow first run is doing.

The first run of a signature compiles a plan. If it takes longer than `seconds` (2, or the environment variable
TFCORE_PROGRESS; 0 turns reports off), a line names the current phase, and again after 4, 16, ... times as long. Later
runs are not watched. One thread watches all first runs, and lives only while there are some.
"""

import contextlib
import os
import sys
import threading
import time

seconds = float(os.environ.get("TFCORE_PROGRESS") or 2)

_IDLE_ROUNDS = 40  # checks without a first run before the thread ends
_running = {}  # thread -> _Activity
_lock = threading.RLock()  # a signal handler may begin a first run while it is held
_watcher = None


class _Activity:
    __slots__ = ("what", "since", "due")

    def __init__(self):
        self.what = "compiling a plan"
        self.since = time.monotonic()
        self.due = seconds


class first_run:  # noqa: N801  used like a function
    """Within the `with` block this thread is in the first run of a signature."""

    __slots__ = ("_mine",)

    def __enter__(self):
        me = threading.get_ident()
        self._mine = seconds > 0 and me not in _running
        if self._mine:
            _running[me] = _Activity()
            _start()

    def __exit__(self, *exc):
        if self._mine:
            _running.pop(threading.get_ident(), None)


def phase(what):
    """Names what this thread does from now on; no effect outside of a first run."""
    activity = _running.get(threading.get_ident())
    if activity is not None:
        activity.what = what


def _start():
    global _watcher
    with _lock:  # the watcher may just be ending
        if _watcher is None:
            watcher = threading.Thread(target=_watch, name="tfcore-progress", daemon=True)
            with contextlib.suppress(RuntimeError):  # no more threads: run without reports
                watcher.start()
                _watcher = watcher


def _watch():
    global _watcher
    idle = 0
    while True:
        time.sleep(min(seconds, 2) / 8 or 1)
        report(time.monotonic())
        idle = 0 if _running else idle + 1
        if idle > _IDLE_ROUNDS:
            with _lock:
                if not _running:  # a run that begins after this starts another thread
                    _watcher = None
                    return


def report(now):
    """Writes the lines that are due at the time `now`."""
    for activity in list(_running.values()):
        spent = now - activity.since
        if spent >= activity.due:
            activity.due = 4 * spent
            with contextlib.suppress(OSError, ValueError):  # standard error may be closed
                print(f"tfcore: {activity.what}, {spent:.1f} s so far", file=sys.stderr, flush=True)


def _after_fork():
    global _watcher, _lock
    _watcher, _lock = None, threading.RLock()
    _running.clear()


os.register_at_fork(after_in_child=_after_fork)
