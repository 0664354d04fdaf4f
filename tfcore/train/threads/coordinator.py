"""Coordinator: threads that stop together, and the first error of any of them; LooperThread."""

import contextlib
import math
import sys
import threading
import time

from tfcore.framework import errors
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.of_this_process import OfThisProcess
from tfcore.platform import tf_logging

_POLL_SECONDS = 0.1  # a thread that ends tells nobody, so `join` looks whether they all have


class Coordinator(OfThisProcess):
    """Stops the threads of a program together.

    Each thread runs until `should_stop()`. Any of them may call `request_stop`, with an error if there is one, and
    `join` raises the first error when all have ended.

    Args:
      clean_stop_exception_types: Exception types that end the threads without being an error; by default
        `(tf.errors.OutOfRangeError,)`, as queues raise it at the end of their elements.

    Example:

    >>> import threading
    >>> coord = tf.train.Coordinator()
    >>> numbers = iter(range(1000))
    >>> def work():
    ...     with coord.stop_on_exception():
    ...         while not coord.should_stop():
    ...             if next(numbers) == 100:
    ...                 coord.request_stop()
    >>> threads = [threading.Thread(target=work)]
    >>> for thread in threads:
    ...     thread.start()
    >>> coord.join(threads)
    >>> next(numbers)
    101
    """

    _instead = ", whose threads it stops. Make one in the other process; a multiprocessing.Event can tell both to stop"

    def __init__(self, clean_stop_exception_types=None):
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        # Guards what follows. A signal handler that runs while it is held may request a stop.
        self._lock = threading.RLock()
        self._stop = fork_safe(threading.Condition(self._lock))  # notified when `_stopped` becomes true
        self._stopped = False
        self._error = None  # the exception that `join` raises
        self._joined = False
        self._registered_threads = set()

    # ---- Stopping

    def request_stop(self, ex=None):
        """Asks all threads to stop. `join` raises the error of the first request; errors of later requests are dropped.

        Args:
          ex: The reason: an exception, or a tuple as `sys.exc_info()` returns it (optional).

        Raises:
          Exception: `ex`, if `join` has returned already, and so nobody else would see it.
        """
        error = None if ex is None else _exception_of(ex)
        with self._lock:
            if isinstance(error, self._clean_stop_exception_types):
                error = None
            if error is not None and self._joined:
                raise error
            if self._stopped:
                return
            is_first = error is not None and self._error is None
            if is_first:
                self._error = error
            self._stopped = True
            self._stop.notify_all()
        if is_first:
            tf_logging.info("Error reported to Coordinator: %s, %s", type(error), error)

    def clear_stop(self):
        """Forgets that a stop was requested, and the error, so that the coordinator can be used again."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stopped = False

    def should_stop(self):
        """Whether a stop was requested.

        Returns:
          A bool.
        """
        return self._stopped

    @contextlib.contextmanager
    def stop_on_exception(self):
        """Passes any exception in a `with` block to `request_stop`; the program continues after the block.

        Returns:
          A context manager.
        """
        try:
            yield
        except:  # noqa: E722  KeyboardInterrupt, too: `join` raises it
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits until a stop is requested.

        Args:
          timeout: Seconds to wait at most (optional).

        Returns:
          Whether a stop was requested.
        """
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        with self._lock:
            while not self._stopped:
                # Not longer, since it is not told if a signal handler requests a stop just before it waits.
                rest = min(_POLL_SECONDS, deadline - time.monotonic())
                if rest <= 0:
                    return False
                if self._stop.wait(rest):
                    return True  # even if the request was cleared meanwhile
            return True

    def raise_requested_exception(self):
        """Raises the error that was passed to `request_stop`, if there was one."""
        with self._lock:
            if self._error is not None:
                raise self._error

    def _wait_for_end(self, session):
        """Waits, after a stop, until it is known whether the session ends for good, and so its queues; returns that."""
        return True

    # ---- Threads

    def register_thread(self, thread):
        """Has `join` wait for a thread.

        Args:
          thread: A `threading.Thread`.
        """
        with self._lock:  # forgets those that have ended, too: there may be many
            self._registered_threads = {t for t in self._registered_threads if t.ident is None or t.is_alive()}
            self._registered_threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits until all threads have ended, or a stop was requested and the grace period is over.

        Args:
          threads: Threads to wait for besides the registered ones (optional).
          stop_grace_period_secs: Seconds that threads get to end after a stop was requested.
          ignore_live_threads: Whether threads that are still running then are only logged.

        Raises:
          RuntimeError: Threads are still running.
          Exception: The error that was passed to `request_stop`.
        """
        with self._lock:
            threads = list(self._registered_threads.union(threads or ()))
        wait = 0.001
        while any(t.is_alive() for t in threads) and not self.wait_for_stop(wait):
            wait = min(2 * wait, _POLL_SECONDS)
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(max(0, deadline - time.monotonic()))
        stragglers = [t.name for t in threads if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._error is not None:
                raise self._error
        if stragglers:
            text = f"Coordinator stopped with threads still running: {' '.join(stragglers)}"
            if not ignore_live_threads:
                raise RuntimeError(text)
            tf_logging.info("%s", text)

    @property
    def joined(self):
        """Whether `join` has returned."""
        return self._joined


def _exception_of(ex):
    """The exception that an argument of `request_stop` stands for."""
    if isinstance(ex, tuple) and len(ex) == 3 and isinstance(ex[1], BaseException):
        return ex[1]
    if isinstance(ex, BaseException):
        return ex
    return ValueError(f"ex must be an exception or a tuple as sys.exc_info() returns it: {ex!r}")


class LooperThread(OfThisProcess, threading.Thread):
    """A thread that calls a function again and again until a stop is requested.

    Subclasses may define `start_loop`, `run_loop` and `stop_loop` instead. An exception requests a stop. The
    thread does not keep the program from ending.

    Args:
      coord: The `Coordinator`, with which the thread is registered.
      timer_interval_secs: Seconds from one call's start to the next one's; None to call without a pause.
      target: The function (optional).
      args: A list of its arguments (optional).
      kwargs: A dict of its keyword arguments (optional).

    Raises:
      ValueError: `coord` is not a coordinator, or there are arguments and no `target`.
    """

    _instead = ". Start one in the other process"

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if (args or kwargs) and not target:
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._target = target
        self._args = args or ()
        self._kwargs = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a thread that calls a function; see the class for the arguments.

        Args:
          coord: The `Coordinator`.
          timer_interval_secs: Seconds from call to call, or None.
          target: The function.
          args: A list of its arguments (optional).
          kwargs: A dict of its keyword arguments (optional).

        Returns:
          The `LooperThread`, which is running.
        """
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self):
        """What the thread does."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_call = time.monotonic()
                while not self._coord.wait_for_stop(max(0, next_call - time.monotonic())):
                    next_call += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self):
        """Called once, before the first `run_loop`."""

    def stop_loop(self):
        """Called once, after the last `run_loop`, unless there was an exception."""

    def run_loop(self):
        """Called again and again: calls `target`."""
        if self._target:
            self._target(*self._args, **self._kwargs)
