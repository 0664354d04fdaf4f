"""Reports on standard error what long work is doing, and how far it is.

`with work("restoring model.ckpt", total, unit=" MB"):` says nothing for `seconds` (3, or the environment variable
TFCORE_PROGRESS; 0 turns reports off). Then a terminal shows a line that is rewritten until the work ends. Elsewhere,
and for threads other than the main one, beside which the program may print, a line is written, and again after 4, 16,
... times as long. Work within the work of a thread is a phase of it.

One thread watches all work, and lives only while there is some. setup.py loads this file by itself: it imports nothing
of tfcore.
"""

import contextlib
import os
import sys
import threading
import time

seconds = float(os.environ.get("TFCORE_PROGRESS") or 3)

_IDLE_ROUNDS = 40  # checks without work before the thread ends
_COUNTED = "tfcore: {desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}]"
_TIMED = "tfcore: {desc} [{elapsed}]"
_running = {}  # thread -> its innermost work
_lock = threading.RLock()  # a signal handler may begin work while it is held
_watcher = None


class work:  # noqa: N801  used like a function
    """Within the `with` block this thread does work that may take long.

    Attributes:
      what: text: what it does now.
      total, unit: how much there is to do, if that is known, and of what: " MB", say.
      done: how much is done, or a function that returns it, for the thread that watches.
    """

    __slots__ = ("what", "total", "unit", "done", "_outer", "_since", "_due", "_bar")

    def __init__(self, what, total=None, unit="", done=0):
        self.what, self.total, self.unit, self.done = what, total, unit, done

    def __enter__(self):
        me = threading.get_ident()
        self._outer = outer = _running.get(me)
        if outer is not None:
            with _lock:  # the watcher draws under it
                self._since, self._due, self._bar = outer._since, outer._due, outer._bar
                if outer.total is None:  # else the outer one says more
                    _running[me] = self
        elif seconds > 0:
            self._since, self._due, self._bar = time.monotonic(), seconds, None
            _running[me] = self
            _start()
        return self

    def __exit__(self, *exc):
        me = threading.get_ident()
        if _running.get(me) is not self:
            return
        with _lock:
            if self._outer is not None:
                self._outer._due, self._outer._bar = self._due, self._bar
                _running[me] = self._outer
                return
            del _running[me]
            if self._bar is not None:
                with contextlib.suppress(OSError, ValueError):  # standard error may be closed
                    self._bar.close()

    def _line(self, now, may_draw):
        """The line that is due at the time `now`, or None; the line of a terminal is rewritten."""
        spent = now - self._since
        if spent < self._due:
            return None
        done = self.done() if callable(self.done) else self.done
        tqdm = _tqdm() if may_draw and self._bar is None and is_terminal() else None
        if tqdm or self._bar is not None:
            with _lock:  # lines are written without: a reader may be slow
                if _is_running(self):
                    self._draw(tqdm, done, spent)
            return None
        self._due = 4 * spent
        part = f", {done:,} of {self.total:,}{self.unit}" if self.total and done else ""
        return f"tfcore: {self.what}{part}, {spent:.1f} s so far"

    def _draw(self, tqdm, done, spent):
        if self._bar is None:
            self._bar = tqdm(file=sys.stderr, leave=False, dynamic_ncols=True, delay=1e-9)  # draws nothing yet
            self._bar.start_t -= spent
        self._bar.bar_format = _COUNTED if self.total else _TIMED
        self._bar.desc, self._bar.total, self._bar.unit, self._bar.n = self.what, self.total, self.unit, done
        self._bar.refresh()


def _is_running(mine):
    return any(mine is other for other in list(_running.values()))


def phase(what):
    """Names what this thread does from now on; no effect where it does no work that is watched."""
    mine = _running.get(threading.get_ident())
    if mine is not None and mine.total is None:
        mine.what = what


def is_terminal():
    isatty = getattr(sys.stderr, "isatty", None)  # a program may put something else there
    with contextlib.suppress(ValueError):  # it is closed
        return isatty is not None and isatty()
    return False


def _tqdm():
    try:
        from tqdm import tqdm  # here: most programs need none, and a build may not have it
    except ImportError:
        return None
    return tqdm


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
                if not _running:  # work that begins after this starts another thread
                    _watcher = None
                    return


def report(now):
    """Writes what is due at the time `now`."""
    main = threading.main_thread().ident
    for thread, mine in list(_running.items()):
        with contextlib.suppress(OSError, ValueError):  # as below
            if line := mine._line(now, thread == main):
                write(f"{line}\n")


def write(text):
    """Writes whole lines to standard error. It may be closed, and its reader may have ended."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:  # print() would take standard output
            print(text, end="", file=sys.stderr, flush=True)


def _after_fork():
    global _watcher, _lock
    _watcher, _lock = None, threading.RLock()
    _running.clear()


os.register_at_fork(after_in_child=_after_fork)
