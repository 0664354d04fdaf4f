"""Keeps savers on several threads of this process out of each other's way.

Saves to one prefix come one after the other, so that all files of a checkpoint are of one save: its data, its shards if
it has the first format, and its graph. The lists of `Saver`s are changed and written by one thread at a time. Processes
are kept apart by a lock on the folder, for the data only (`docs/design/checkpoints.md`).

A thread that has the lock of the lists waits for no prefix: a signal handler that saves on a thread with a prefix waits
for them.
"""

import contextlib
import os
import threading
import weakref


class _Prefix:
    def __init__(self):
        self.lock = threading.RLock()
        self.unlisted = 0  # under the guard: saves that have begun and are in no list yet


class _Order:
    """A handler of a signal that meets a save on its thread, at any place, may save, too: all locks are reentrant."""

    def __init__(self):
        self.guard = threading.RLock()  # protects `prefixes`
        self.prefixes = weakref.WeakValueDictionary()  # {absolute path of a prefix: what its saves share}
        self.lists = threading.RLock()

    def of(self, prefix):
        """What saves to a prefix share, as long as somebody has it."""
        path = os.path.realpath(prefix.removeprefix("file://"))
        with self.guard:
            return self.prefixes.setdefault(path, _Prefix())


_order = _Order()


def _after_fork():
    global _order
    # Other threads that have locks do not exist here; this one, if it forked in the middle of a save, releases its own.
    _order = _Order()


os.register_at_fork(after_in_child=_after_fork)


@contextlib.contextmanager
def saving_to(prefix):
    """A context in which a checkpoint is written; no other thread of this process writes or deletes it meanwhile.

    Args:
      prefix: The prefix of the checkpoint, a string.

    Returns:
      A context manager, which waits until other threads have left theirs for the same prefix.
    """
    shared = _order.of(prefix)
    with shared.lock:
        yield


@contextlib.contextmanager
def until_listed(prefix):
    """From before a save until its checkpoint is in a list: meanwhile nobody deletes it as an old one.

    Args:
      prefix: The prefix of the checkpoint.

    Returns:
      A context manager.
    """
    order = _order
    shared = order.of(prefix)
    with order.guard:
        shared.unlisted += 1
    try:
        yield
    finally:
        with order.guard:
            shared.unlisted -= 1


@contextlib.contextmanager
def deleting(prefix):
    """While a checkpoint is deleted. Does not wait, as the thread that it would wait for may want to change lists.

    Args:
      prefix: The prefix of the checkpoint.

    Returns:
      A context manager, with whether to delete it: False if it is being saved again, or was and will be listed.
    """
    shared = _order.of(prefix)
    if not shared.lock.acquire(blocking=False):
        yield False
        return
    try:
        yield not shared.unlisted
    finally:
        shared.lock.release()


def changing_lists():
    """A context in which a saver's list of checkpoints is changed, and written to the file "checkpoint".

    Returns:
      A context manager, which waits until other threads have left theirs. Within it no save may begin, for which all
      savers would wait; `deleting` may be used.
    """
    return _order.lists
