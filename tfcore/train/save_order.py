"""The order of what savers of this process do at the same time, on several threads.

Saves to one prefix come one after the other, so that all files of a checkpoint are of one save: its data, its shards if
it has the first format, and its graph. (Those of other processes can't mix data: `kernels_c/README.md`.) Lists of
checkpoints are changed and written by one thread at a time.
"""

import contextlib
import os
import threading
import weakref


class _Order:
    def __init__(self):
        self.guard = threading.Lock()  # protects `saves`
        self.saves = weakref.WeakValueDictionary()  # {absolute path of a prefix: its lock}
        # A handler of a signal that meets a save on its thread may save, too: locks are reentrant.
        self.lists = threading.RLock()


_order = _Order()


def _after_fork():
    global _order
    _order = _Order()  # the threads that may have the locks do not exist here


os.register_at_fork(after_in_child=_after_fork)


@contextlib.contextmanager
def saving_to(prefix):
    """While a checkpoint is written or deleted. Waits for others of this process that have the same prefix.

    Args:
      prefix: The prefix of the checkpoint.

    Returns:
      A context manager.
    """
    path = os.path.realpath(prefix.removeprefix("file://"))
    order = _order
    with order.guard:
        lock = order.saves.get(path)
        if lock is None:
            lock = order.saves[path] = threading.RLock()
    with lock:
        yield


def changing_lists():
    """While a saver's list of checkpoints is changed, and written to the file "checkpoint".

    Returns:
      A context manager. Within it a save must not begin, but `saving_to` may be used for deleting.
    """
    return _order.lists
