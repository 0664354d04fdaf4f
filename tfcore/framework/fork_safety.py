"""Fork safety: a child must not inherit locks that threads of the parent hold, nor sessions in the middle of a step."""

import os
import weakref

_locks = weakref.WeakSet()
_owned = weakref.WeakSet()


def fork_safe(lock):
    """Returns the lock, which will be free in the child of a fork, whoever holds it in the parent."""
    _locks.add(lock)
    return lock


def abandon_in_child(item):
    """Calls `item._abandon()` in the child of a fork."""
    _owned.add(item)


def _after_fork():
    for lock in list(_locks):
        lock._at_fork_reinit()
    for item in list(_owned):
        item._abandon()


os.register_at_fork(after_in_child=_after_fork)
