"""Fork safety: a child must not inherit locks held by threads of the parent, nor sessions in the middle of a step."""

import os
import weakref

_locks = weakref.WeakSet()
_owned = weakref.WeakKeyDictionary()  # item -> what a child calls for it


def fork_safe(lock):
    """Registers a lock to be released in forked children, and returns it."""
    _locks.add(lock)
    return lock


def abandon_in_child(item, abandon):
    """Registers `abandon(item)` to be called in forked children."""
    _owned[item] = abandon


def _after_fork():
    for lock in list(_locks):
        lock._at_fork_reinit()
    for item, abandon in list(_owned.items()):
        abandon(item)


os.register_at_fork(after_in_child=_after_fork)
