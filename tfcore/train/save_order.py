"""The order of what savers of this process do at the same time, on several threads.

Saves to one prefix come one after the other, so that all files of a checkpoint are of one save: its data, its shards if
it has the first format, and its graph. (Those of other processes can't mix data: `kernels_c/README.md`.) Lists of
checkpoints are changed and written by one thread at a time.
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
    _order = _Order()  # the threads that may have the locks do not exist here


os.register_at_fork(after_in_child=_after_fork)


@contextlib.contextmanager
def saving_to(prefix):
    """While a checkpoint is written. Waits for others of this process that have the same prefix.

    Args:
      prefix: The prefix of the checkpoint.

    Returns:
      A context manager.
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
    """While a saver's list of checkpoints is changed, and written to the file "checkpoint".

    Returns:
      A context manager. Within it a save must not begin, but `deleting` may be used.
    """
    return _order.lists
