"""Detects dead and frozen tasks.

A process on this host is found dead at once, when its pidfd becomes readable. It is frozen when its heartbeat, a word
in shared memory that a thread of its fabric writes ten times a second, has stood still for LIMIT_S while this thread
was awake: time in which this thread did not run either, because the machine was stopped or overloaded, doesn't count.
Tasks on other hosts are dead when MPI says so (transport.c), and frozen when no datagram of theirs (heartbeat.pyx) has
come for as long. Where networks drop datagrams, BEAT messages over MPI count instead; as these queue behind tensors,
SLOW_S must pass.

A task that finds another one dead tells all others, and also that task: a frozen one that resumes is excluded. For it,
in turn, those that excluded it are gone.
"""

import os
import select
import signal
import sys
import threading
import time

import numpy

from tfcore.distributed import fabric, world
from tfcore.framework import errors

LIMIT_S = 1.5  # or TFCORE_FAILURE_TIMEOUT; 0: for ever
SLOW_S = 10.0  # the limit where datagrams do not arrive
LOOK_S = 0.1
MPI_BEAT_S = 0.5
LAST_WORDS_S = 0.1
BEAT, FAILED, LEAVE = 9, 10, 11  # TFC_MSG_BEAT, TFC_MSG_FAILED, TFC_MSG_LEAVE in fabric.h
FROZEN = "it has given no sign of life"
ENDED = "it has ended"


class Watch:
    """The thread that watches the other tasks of a Task.

    failed: dict from ranks that have failed (not left) to the reasons; frozen: those whose process may still exist.
    """

    def __init__(self, task, heartbeat):
        self._task = task
        self._heartbeat = heartbeat
        self._limit = float(os.environ.get("TFCORE_FAILURE_TIMEOUT", LIMIT_S))
        self.failed = {}
        self.frozen = set()
        self._ended = set()  # the ranks that have left in order
        self._lock = threading.Lock()
        self._pids = {}  # pidfd -> rank
        self._poll = select.poll()
        self._bell = os.eventfd(0)
        self._stopped = False
        self._beats = [0] * task.size
        self._sent = [0.0] * task.size  # when the last BEAT was sent
        self._quiet = [0.0] * task.size  # seconds without a sign of life, while this thread was awake
        fabric.on_failure(self._on_failure)
        self._thread = threading.Thread(target=self._run, name="tfcore-watch", daemon=True)

    def start(self):
        self._poll.register(self._bell, select.POLLIN)
        near = set(self._task.others()) - set(fabric.foreign())
        for rank, pid in enumerate(fabric.pids()):
            if rank in near:
                self._open(rank, pid)
        self._thread.start()

    def _open(self, rank, pid):
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            self._gone(rank, pid)
            return
        except OSError:
            return  # forbidden in this container: the heartbeat has to do
        self._pids[fd] = (rank, pid)
        self._poll.register(fd, select.POLLIN)

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
        with self._lock:
            self._stopped = True
        os.eventfd_write(self._bell, 1)
        self._thread.join(1.0)

    def _run(self):
        foreign = fabric.foreign()
        before = time.monotonic()
        while not self._stopped:
            for fd, _ in self._poll.poll(LOOK_S * 1000):
                if fd != self._bell:
                    rank, pid = self._pids[fd]
                    self._poll.unregister(fd)
                    self._gone(rank, pid)
            now = time.monotonic()
            if now - before < LOOK_S * 0.9 or self._stopped:
                continue
            self._beat(now, foreign)
            if self._limit:
                self._look(min(now - before, 2 * LOOK_S), foreign)
            before = now

    def _beat(self, now, foreign):
        """Sends BEAT to those that do not see the datagrams of this task, and to all where there is little time."""
        for rank in foreign:
            seen = self._limit >= LIMIT_S and self._heartbeat.is_seen_by(rank)
            if not seen and now - self._sent[rank] > MPI_BEAT_S:
                self._sent[rank] = now
                send(rank, BEAT)

    def _look(self, seconds, foreign):
        """Counts how long the others have given no sign of life; `seconds` have passed since the last look."""
        for rank, beat in enumerate(fabric.heartbeats()):
            if rank == self._task.rank or not fabric.alive(rank):
                continue
            limit = self._limit
            if rank in foreign:
                seen = self._heartbeat.seen(rank)
                beat += seen
                limit = limit if seen else max(limit, SLOW_S)
            self._quiet[rank] = self._quiet[rank] + seconds if beat == self._beats[rank] else 0.0
            self._beats[rank] = beat
            if self._quiet[rank] > limit:
                self._declare(rank, f"{FROZEN} for {self._quiet[rank]:.1f} s")

    def _gone(self, rank, pid):
        """A process has ended. If it left in order, its last message has arrived and only has to be handled."""
        how = how_it_ended(pid)
        until = time.monotonic() + LAST_WORDS_S
        while fabric.alive(rank) and time.monotonic() < until:
            fabric.poll()
            time.sleep(LAST_WORDS_S / 20)
        self._declare(rank, f"process {pid} is gone{how}")

    def _declare(self, rank, reason):
        """Declares a task dead and tells all others, and the task too if it is only frozen."""
        if not fabric.alive(rank):
            return
        self.tell(rank, reason)
        fabric.fail(rank, reason)

    def tell(self, rank, reason):
        """Makes all other tasks take `rank` for dead."""
        text = numpy.frombuffer(reason.encode()[:400], numpy.uint8)
        for other in self._task.others():
            send(other, FAILED, text, edge=rank)

    def _on_failure(self, rank):
        with self._lock:
            if not (self._stopped or rank in self.failed or rank in self._ended):
                self._note(rank, fabric.failure(rank))

    def _note(self, rank, reason):
        if reason == ENDED:
            self._ended.add(rank)
            return
        self.failed[rank] = reason
        self._heartbeat.give_up(rank)
        if fabric.excluded():
            if rank == min(self._task.others()):
                print(f"tfcore: {self._task.name} (rank {self._task.rank}): {reason}", file=sys.stderr, flush=True)
            return  # only this task has failed
        if reason.startswith(FROZEN):
            self.frozen.add(rank)
        world.note("failed", rank)
        if self._task.rank == min(set(range(self._task.size)) - self.failed.keys() - self._ended):
            print(f"tfcore: {fabric.description(rank)}", file=sys.stderr, flush=True)

    def end_frozen(self):
        """Kills frozen processes of this host: mpirun would wait for them for ever. Other failed ones may be ending."""
        for fd, (rank, _) in self._pids.items():
            if rank in self.frozen and not fabric.excluded():
                try:
                    signal.pidfd_send_signal(fd, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass


def how_it_ended(pid):
    """ " (exit code 3)" or " (SIGKILL)", for a message; "" once its parent has collected the status."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        status = int(fields[49]) if fields[0] in b"ZX" else 0  # field 52; 0 also where it may not be seen
    except (OSError, IndexError):
        status = 0
    if not status:
        return ""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f" (exit code {code})"
    known = -code in set(signal.Signals)
    return f" ({signal.Signals(-code).name})" if known else f" (signal {-code})"


def send(rank, kind, value=None, edge=0):
    """Sends a message to a task that may be gone."""
    try:
        fabric.send(rank, kind, value, edge=edge)
    except errors.OpError:
        pass  # it has failed or left
