"""What follows when tasks fail: bookkeeping, reports, and the end of frozen processes.

heartbeat.pyx finds dead and frozen tasks and agrees on them with the others; MPI reports dead ones, too (transport.c).
All of it arrives here as failures of the fabric. A task that was excluded, or finds itself on the smaller side of a
network cut, gets an AbortedError from all that it does: for it, all others are gone.
"""

import os
import signal
import threading

import numpy

from tfcore.core.threads import progress
from tfcore.distributed.cluster import world
from tfcore.distributed.fabric import fabric
from tfcore.framework import errors

LIMIT_S = 1.5  # or TFCORE_FAILURE_TIMEOUT; 0: for ever
CROWDED = 8  # tasks per core
FAILED, LEAVE = 10, 11  # TFC_MSG_FAILED, TFC_MSG_LEAVE in fabric.h
FROZEN = "it has given no sign of life"
ENDED = "it has ended"
ENDED_WITH = "it ended with"  # an exception, which its program has printed
FOLLOWED = "it ended because of"  # another task
NOT_STARTED = "it has not started"  # a place for a process that may join later


def limit():
    """How long a task may be silent before it counts as frozen, in seconds; 0: for ever."""
    return float(os.environ.get("TFCORE_FAILURE_TIMEOUT", LIMIT_S))


def is_crowded():
    """Whether tasks of this machine may be silent for longer, as they wait for a core, unless the user has said how
    long."""
    return "TFCORE_FAILURE_TIMEOUT" not in os.environ and fabric.tasks_per_core() > CROWDED


class Failures:
    """The failures of other tasks, as a Task knows them.

    failed: dict from ranks that have failed (not left) to the reasons; frozen: those whose process may still exist.
    """

    def __init__(self, task):
        self._task = task
        self.failed = {}
        self.frozen = set()
        self._ended = set()  # the ranks that have left in order, or have not started
        self._lock = threading.Lock()
        self._stopped = False
        self._is_failing = False  # an exception has ended the program of this task
        self._pids = fabric.pids()
        self._frozen_here = []  # pidfds
        for rank in task.others():
            if not fabric.alive(rank):  # before this process has joined
                reason = fabric.failure(rank)
                self._ended.add(rank) if reason in (ENDED, NOT_STARTED) else self.failed.update({rank: reason})
        fabric.on_failure(self._on_failure)

    def told(self):
        """The ranks that have failed or left and whose failure has been handled here."""
        with self._lock:
            return self.failed.keys() | self._ended

    def catch_up(self):
        """Notes all known failures now: a step that fails because of one may end before the handlers are called."""
        gone = [rank for rank in self._task.others() if not fabric.alive(rank)]
        for rank in sorted(gone, key=lambda rank: fabric.failure(rank) == ENDED):
            self._on_failure(rank)

    def stop(self):
        """This task is leaving: later failures are not recorded."""
        with self._lock:
            self._stopped = True

    def admit(self, rank):
        """A new process has taken the place of one that has failed or left."""
        with self._lock:
            self.failed.pop(rank, None)
            self._ended.discard(rank)
            self.frozen.discard(rank)
            self._pids[rank] = fabric.pids()[rank]

    def tell_own(self, reason):
        """Makes all other tasks take this process for dead, as an exception has ended its program."""
        self._is_failing = True
        self.tell(self._task.rank, reason)

    def tell(self, rank, reason):
        """Makes all other tasks take the process of `rank` for dead."""
        text = numpy.frombuffer(reason.encode(errors="replace")[:400], numpy.uint8)
        for other in self._task.others():
            send(other, FAILED, text, edge=rank, frame=fabric.incarnation(rank))

    def _on_failure(self, rank):
        with self._lock:
            reason = fabric.failure(rank)  # None: another process has taken the place by now
            if reason is not None and not (self._stopped or rank in self.failed or rank in self._ended):
                self._note(rank, reason)

    def _note(self, rank, reason):
        if reason == ENDED:
            self._ended.add(rank)
            return
        self.failed[rank] = reason
        if fabric.excluded():
            if rank == min(self._task.others()) and not self._is_failing:
                report(f"{self._task.name} (rank {self._task.rank}): {reason}")
            return  # only this task has failed
        if reason.startswith(FROZEN):
            self.frozen.add(rank)
            self._keep(self._pids[rank])
        world.note("failed", rank)
        if world.is_launched() and reason.startswith((ENDED_WITH, FOLLOWED)):
            return  # its own output, which comes to the same place, says so
        if self._task.rank == min(set(range(self._task.size)) - self.failed.keys() - self._ended):
            report(fabric.description(rank))

    def _keep(self, pid):
        """Keeps hold of a frozen process of this host: its number may be given to another one."""
        if pid:
            try:
                self._frozen_here.append(os.pidfd_open(pid))
            except OSError:
                pass  # it has ended since, or this container forbids it

    def end_frozen(self):
        """Kills frozen processes of this host: mpirun would wait for them for ever. Other failed ones may be ending."""
        for fd in self._frozen_here:
            if not fabric.excluded():
                try:
                    signal.pidfd_send_signal(fd, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass


def report(text):
    """Prints a line for the user on standard error."""
    progress.write(f"tfcore: {text}\n")


def send(rank, kind, value=None, edge=0, frame=0):
    """Sends a message to a task that may be gone."""
    try:
        fabric.send(rank, kind, value, edge=edge, frame=frame)
    except errors.OpError:
        pass  # it has failed or left
