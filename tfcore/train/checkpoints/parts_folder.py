"""The folder in which a sharded save has its parts, until they are one checkpoint.

A saver that is killed leaves the folder behind. So that a later save can remove it, the saving process holds a lock on
a file in it, which names this boot of the machine. A folder from this boot whose lock is free is abandoned. Folders
without such a file, such as TensorFlow's, and those of other machines are kept. A task that still writes a part for a
dead saver gets an error that nobody sees; a merge that has begun has moved its parts out of the folder, or fails.
"""

import contextlib
import fcntl
import os
import re
import shutil
import socket
import threading
import uuid

_LOCK = "saver"
_BOOT = "/proc/sys/kernel/random/boot_id"

# Held while a descriptor is opened or closed, so that no child is forked meanwhile that has it and does not know. A
# signal handler may fork, too.
_guard = threading.RLock()
_locks = set()  # under the guard: descriptors of the files that this process has locked


def _after_fork():
    """In the child: a lock stays while any process has the file open."""
    for lock in _locks:
        os.close(lock)
    _locks.clear()
    _guard.release()


os.register_at_fork(before=_guard.acquire, after_in_parent=_guard.release, after_in_child=_after_fork)


def _machine():
    """Names this boot of this machine: host name and boot ID; None where the system has no boot ID."""
    with contextlib.suppress(OSError), open(_BOOT) as file:
        return f"{socket.gethostname()} {file.read().strip()}"
    return None


def _local(path):
    path = path.removeprefix("file://")
    return None if "://" in path else path


class PartsFolder:
    """A context manager that makes and locks the folder, and removes it with all that is in it.

    Args:
      path: The folder; nothing is done for those with a scheme other than file://, where there are no locks: merging
        the parts removes it.
    """

    def __init__(self, path):
        self._path = _local(path)
        self._lock = None

    def __enter__(self):
        machine = _machine()
        if machine is not None and self._path is not None:
            with contextlib.suppress(OSError):  # the save, which makes the folder itself, says what is wrong
                if not os.path.isdir(self._path):
                    os.mkdir(self._path)
                self._claim(machine)
        return self

    def _claim(self, machine):
        new = os.path.join(self._path, f"{_LOCK}-{uuid.uuid4().hex}")
        with _guard:
            lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            _locks.add(lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(lock, machine.encode())
            os.rename(new, os.path.join(self._path, _LOCK))  # it never has this name without being locked
        except OSError:
            _close(lock)
            os.unlink(new)
            raise
        self._lock = lock

    def __exit__(self, *error):
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)
        if self._lock is not None:
            _close(self._lock)
            self._lock = None


def _close(lock):
    with _guard:
        if lock in _locks:  # else this is a forked child, which has closed it
            _locks.remove(lock)
            os.close(lock)


def remove_dead(prefix):
    """Removes the folders of savers that are dead and have saved to the same place, with any number at the end or none.

    Args:
      prefix: The prefix of a checkpoint, such as model-100.
    """
    folder, base = os.path.split(_local(prefix) or "")
    machine = _machine()
    if not base or machine is None:
        return
    pattern = re.compile(rf"{re.escape(re.sub(r'-[0-9]+$', '', base))}(-[0-9]+)?_temp_[0-9a-f]{{32}}")
    with contextlib.suppress(OSError):
        for name in os.listdir(folder or "."):
            if pattern.fullmatch(name):
                _remove_if_dead(os.path.join(folder, name), machine)


def _remove_if_dead(path, machine):
    with contextlib.suppress(OSError):  # it has no lock, somebody else has it, or has removed it meanwhile
        lock = os.open(os.path.join(path, _LOCK), os.O_RDWR)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.read(lock, 1000) == machine.encode():
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(lock)
