"""Event files: records of protocol buffers, in the format that TensorBoard reads."""

import atexit
import contextlib
import itertools
import os
import socket
import threading
import time

from tfcore.core.registry.records import frame
from tfcore.framework import errors, protos
from tfcore.framework.fork_safety import abandon_in_child, fork_safe
from tfcore.platform.file_system import LOCAL, explained, file_system_of

_VERSION = "brain.Event:2"
_numbers = itertools.count()  # so that files that one process makes in a second have different names
_unwritten = set()  # EventFiles in which events wait


class EventFile:
    """An event file of a folder, which is made when it is first written.

    Events wait in memory until there are `max_queue` of them, or `flush_secs` seconds have gone since they were last
    written.

    Args:
      folder: Path of the folder, which is made if it does not exist.
      max_queue: How many events may wait.
      flush_secs: Seconds.
      suffix: Text at the end of the file's name.

    Raises:
      tf.errors.OpError: The folder can't be made. UnimplementedError: It is not on this machine.
    """

    def __init__(self, folder, max_queue, flush_secs, suffix):
        if file_system_of(folder) is not LOCAL:
            raise errors.UnimplementedError(
                None, None, f"Event files are written to folders of this machine only, not to '{folder}'."
            )
        self._folder = folder = folder.removeprefix("file://")
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._suffix = suffix
        # Guards what follows. A signal handler that runs while it is held may add events, flush and close.
        self._lock = fork_safe(threading.RLock())
        self._waiting = []  # records
        self._is_writing = False
        self._closes = False  # whether the file is to be closed once it is written
        self._next_flush = 0.0
        self._file = None
        self._path = None
        self._forked = False
        with explained(folder):
            os.makedirs(folder, exist_ok=True)
        abandon_in_child(self, EventFile._abandon)

    def _abandon(self):
        """In the child of a fork: what waits is the parent's to write."""
        self._waiting = []
        self._is_writing = self._closes = False
        self._forked = True
        _unwritten.discard(self)

    def add(self, event):
        """Adds an Event.

        Raises:
          RuntimeError: This process was forked from the one that made the writer.
          tf.errors.OpError: The file can't be written.
        """
        self._check_process()
        data = frame(event.SerializeToString())
        with self._lock:
            self._waiting.append(data)
            _unwritten.add(self)
            if len(self._waiting) >= self._max_queue or time.monotonic() >= self._next_flush:
                self._flush()

    def flush(self):
        """Writes what waits. If this is called by a signal handler that interrupts a write, it is written after that.

        Raises:
          RuntimeError: This process was forked from the one that made the writer.
          tf.errors.OpError: The file can't be written; what waited is lost.
        """
        self._check_process()
        with self._lock:
            self._flush()

    def close(self):
        """Writes what waits, as `flush` does, and closes the file; events that are added later go to another one.

        Raises:
          tf.errors.OpError: The file can't be written; what waited is lost.
        """
        with self._lock:
            self._closes = True
            self._flush()

    def _check_process(self):
        if self._forked:
            raise RuntimeError(
                f"The writer of events in {self._folder} belongs to the process that forked this one. Make a "
                "tf.summary.FileWriter in each process after the fork."
            )

    def _flush(self):
        if self._is_writing:  # called by a signal handler: the thread that it interrupts writes what was added, too
            return
        self._is_writing = True
        try:
            self._next_flush = time.monotonic() + self._flush_secs
            while self._waiting:
                self._write(len(self._waiting))
            _unwritten.discard(self)
            if self._waiting:  # a signal handler has added something since the loop has ended
                _unwritten.add(self)
        finally:
            self._is_writing = False
            if self._closes:
                self._closes = False
                file, self._file = self._file, None
                if file is not None:
                    file.close()

    def _write(self, count):
        """Writes the first `count` records that wait, and drops them."""
        try:
            data = b"".join(self._waiting[:count])
            if self._file is None:
                self._open()
            with explained(self._path):
                size = os.fstat(self._file.fileno()).st_size
                try:
                    if not size:
                        data = _first_record() + data
                    while data:
                        data = data[self._file.write(data) :]
                except BaseException:  # of a signal handler, too
                    os.ftruncate(self._file.fileno(), size)  # so that no part of a record is in the way of later ones
                    raise
        except errors.OpError:
            del self._waiting[:count]
            raise
        del self._waiting[:count]

    def _open(self):
        """Makes the file."""
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        self._path = os.path.join(self._folder, name + self._suffix)
        with explained(self._path):
            self._file = open(self._path, "ab", buffering=0)  # noqa: SIM115  `close` closes it


def _first_record():
    return frame(protos.Event(wall_time=time.time(), file_version=_VERSION).SerializeToString())


def close_all(files):
    """Closes files or writers, all of them, whatever happens.

    Raises:
      tf.errors.OpError: One of them can't be written.
    """
    with contextlib.ExitStack() as stack:
        for file in files:
            stack.callback(file.close)


atexit.register(lambda: close_all(list(_unwritten)))
