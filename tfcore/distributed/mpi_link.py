"""Messages to and from tasks on other hosts, over MPI.

Once the cluster has started, only one thread calls MPI. It takes messages from the fabric's queue and passes what it
receives to the fabric. A message is a header, sent with the tag HEADER, which includes a small payload. A large payload
follows with the tag PAYLOAD, straight between the memory of tensors, in pieces of `_chunk` bytes. MPI keeps the order
of messages between two processes for each tag, so headers and payloads need no numbers.

Waiting: blocking calls of MPI spin, so the thread polls instead: without pauses while messages come and go, then at
growing intervals. A message in the fabric's queue ends a pause, and so does the datagram that announces a message
(heartbeat.pyx). Where the network drops datagrams, a message waits for the next poll.

Failure: a peer fails alone. An error of MPI, or a malformed message, ends the connection to the peer that it concerns.
Messages are delivered in order or not at all: once one has been lost, nothing that its sender sent later is delivered.
Memory that MPI may still write to or read from is kept until its requests have ended, whatever became of the peer.

Sends are synchronous: they complete when the receiver has begun to receive. Open MPI ends the job ("Send error after
request freed") when a process dies while a message to it is on its way whose send has already completed. A task that
leaves may therefore exit as soon as its sends have completed. It lingers for a moment to receive from tasks that leave
at the same time.
"""

import collections
import os
import sys
import threading
import time
import traceback

import numpy

from tfcore.distributed import fabric, world
from tfcore.framework import errors

HEADER, PAYLOAD = 1, 2  # tags
BYE = b""  # a header
CHUNK = 64 << 20  # bytes
SHORTEST_NAP_S = 20e-6
LONGEST_NAP_S = 50e-3  # when datagrams of all peers arrive
UNRUNG_NAP_S = 1e-3
EAGER_S = 100e-6  # after a message the thread polls without pauses for this long
BYE_S = 1.0
LINGER_S = 0.1
LAST_WORDS_S = 0.2  # for messages of a process that MPI reports as dead: it may have left in order


class _Message:
    """A message whose header has arrived. array: its payload; None: it has none, or there was no memory."""

    def __init__(self, header, array=None, transfers=()):
        self.header = header
        self.array = array
        self.transfers = collections.deque(transfers)  # (request, piece of memory) that have not completed


class _Peer:
    """A task on another host."""

    def __init__(self, rank):
        self.rank = rank
        self.sends = collections.deque()  # (request, memory, tag) that have not completed
        self.incoming = collections.deque()  # _Messages that have not been delivered
        self.dies_at = None  # once MPI has reported it dead: when to stop waiting for its last messages
        self.reason = ""
        self.gone = False  # nothing is sent to it or delivered from it any more
        self.said_bye = False


class Link:
    """The connection to tasks on other hosts. `start` it after the fabric, `stop` it after the fabric is closed."""

    def __init__(self, comm, heartbeat):
        self._mpi = world.mpi()
        self._comm = comm
        self._heartbeat = heartbeat
        self._chunk = int(os.environ.get("TFCORE_LINK_CHUNK", CHUNK))
        self._peers = {rank: _Peer(rank) for rank in fabric.foreign()}
        self._abandoned = []  # (request, memory): transfers whose peer is gone
        self._discard = numpy.empty(self._chunk, numpy.uint8)  # for payloads without memory; untouched until then
        self._leaving = None  # when to stop waiting for the others
        self._status = self._mpi.Status()
        self._thread = threading.Thread(target=self._run, name="tfcore-link", daemon=True)

    def start(self):
        self._thread.start()

    def stop(self):
        """Sends what is still queued, says goodbye and ends the thread. Takes a bounded time."""
        self._leaving = time.monotonic() + BYE_S
        self._thread.join(2 * BYE_S)

    def _run(self):
        try:
            self._loop()
        except BaseException as error:  # on any error, steps must not wait for ever
            if not sys.is_finalizing():
                traceback.print_exc()
                for peer in self._connected():
                    self._end(peer, f"the link to other hosts has broken down: {error}")

    def _loop(self):
        busy, nap, said_bye = time.monotonic(), SHORTEST_NAP_S, False
        while True:
            any_news = self._look()
            now = time.monotonic()
            self._bury(now)
            if self._leaving and not said_bye:
                said_bye = True
                for peer in self._reachable():
                    self._send(peer, BYE, HEADER)
                    self._heartbeat.ring(peer.rank)
            if any_news:
                busy, nap = now, SHORTEST_NAP_S
            elif said_bye and self._is_over(now, now - busy):
                return
            elif now - busy > EAGER_S:
                if fabric.wait_outgoing(nap) and not self._leaving:
                    busy, nap = time.monotonic(), SHORTEST_NAP_S
                else:
                    nap = min(nap * 1.3, self._longest_nap())

    def _longest_nap(self):
        # A frozen process keeps its transfers open. They are not waited for: the fabric has declared it dead.
        waited_for = [peer for peer in self._connected() if fabric.rank() < 0 or fabric.alive(peer.rank)]
        # MPI makes progress only when it is called; the system's buffers last for a short pause.
        if any(peer.incoming or (peer.sends and peer.sends[0][2] == PAYLOAD) for peer in waited_for):
            return SHORTEST_NAP_S
        if self._leaving or not all(not peer.sends and self._heartbeat.seen(peer.rank) for peer in waited_for):
            return UNRUNG_NAP_S
        return LONGEST_NAP_S

    def _is_over(self, now, quiet):
        peers = self._reachable()
        done = not any(peer.sends for peer in peers) and (all(peer.said_bye for peer in peers) or quiet > LINGER_S)
        return done or now > self._leaving

    def _connected(self):
        return [peer for peer in self._peers.values() if not peer.gone]

    def _reachable(self):
        return [peer for peer in self._connected() if peer.dies_at is None]

    # ---- One round

    def _look(self):
        """Does everything that can be done now; returns whether there was anything."""
        any_news = self._begin_sends()
        any_news |= self._receive()
        for peer in self._connected():
            any_news |= self._finish_sends(peer)
            any_news |= self._deliver(peer)
        if self._abandoned:
            self._abandoned = [(request, memory) for request, memory in self._abandoned if not self._has_ended(request)]
        return any_news

    def _begin_sends(self):
        messages = fabric.take_outgoing()
        for rank, header, payload in messages:
            peer = self._peers[rank]
            self._send(peer, header, HEADER)
            self._heartbeat.ring(rank)
            for piece in self._pieces(payload, 0 if payload is None else len(payload)):
                self._send(peer, piece, PAYLOAD)
        return bool(messages)

    def _pieces(self, array, size):
        return [array[start : min(start + self._chunk, size)] for start in range(0, size, self._chunk)]

    def _send(self, peer, data, tag):
        if peer.gone:
            return
        try:
            request = self._comm.Issend([data, self._mpi.BYTE], peer.rank, tag)
        except self._mpi.Exception as error:
            self._failed(peer, error)
        else:
            peer.sends.append((request, data, tag))

    def _finish_sends(self, peer):
        """Sends to a peer complete in the order in which they were begun, more or less."""
        any_done = False
        try:
            while peer.sends and peer.sends[0][0].Test():
                peer.sends.popleft()
                any_done = True
        except self._mpi.Exception as error:  # the request has ended
            peer.sends.popleft()
            self._failed(peer, error)
            any_done = True
        return any_done

    def _has_ended(self, request):
        try:
            return request.Test()
        except self._mpi.Exception:
            return True

    def _receive(self):
        """Takes headers that have arrived, and begins to receive their payloads."""
        any_news = False
        while (message := self._probe()) is not None:
            any_news = True
            peer, header = message
            if header is not None and not peer.gone:
                self._expect(peer, header)
        return any_news

    def _probe(self):
        """(peer, header) of a message that has arrived, or None; the header is None if it could not be read."""
        status = self._mpi.Status()
        try:
            message = self._comm.Improbe(self._mpi.ANY_SOURCE, HEADER, status)
        except self._mpi.Exception as error:
            self._note_dead(error)
            return None
        if message is None:
            return None
        peer, data = self._peers[status.Get_source()], bytearray(status.Get_count(self._mpi.BYTE))
        try:
            message.Recv([data, self._mpi.BYTE])
        except self._mpi.Exception as error:
            self._end(peer, f"a message from it was lost ({error})")
            return peer, None
        return peer, bytes(data)

    def _expect(self, peer, header):
        """Queues a message for delivery, and begins to receive its payload."""
        try:
            array, memory = self._memory(header)
            message = _Message(header, array)
            peer.incoming.append(message)
            for piece in memory:
                request = self._comm.Irecv([piece, self._mpi.BYTE], peer.rank, PAYLOAD)
                message.transfers.append((request, piece))
        except (self._mpi.Exception, errors.OpError) as error:
            self._end(peer, f"a message from it was lost ({error})")

    def _memory(self, header):
        """The array for the payload of a message (None without memory for it), and the pieces to receive into."""
        if header == BYE:
            return None, []
        try:
            array = fabric.allocate(header)
        except (errors.ResourceExhaustedError, MemoryError):
            size = fabric.payload_bytes(header)  # it must be received all the same
            return None, [self._discard[: min(self._chunk, size - start)] for start in range(0, size, self._chunk)]
        return array, self._pieces(array, 0 if array is None else len(array))

    def _deliver(self, peer):
        """Delivers complete messages, in order."""
        any_news = False
        while peer.incoming and not peer.gone and self._is_complete(peer, peer.incoming[0]):
            message = peer.incoming.popleft()
            any_news = True
            if message.header == BYE:
                peer.said_bye = True
            else:
                self._hand_over(peer, message)
        return any_news

    def _is_complete(self, peer, message):
        """Whether the payload has arrived completely. Ends the peer if it never will."""
        while message.transfers:
            request, piece = message.transfers[0]
            try:
                if not request.Test(self._status):
                    return False
            except self._mpi.Exception as error:
                message.transfers.popleft()
                self._end(peer, f"it ended while it sent a tensor ({error})")
                return False
            message.transfers.popleft()
            if self._status.Get_count(self._mpi.BYTE) != len(piece):
                self._end(peer, "it sent a tensor of the wrong size")
                return False
        return True

    def _hand_over(self, peer, message):
        try:
            fabric.deliver(message.header, message.array)
        except errors.FailedPreconditionError:
            pass  # the fabric has been closed
        except errors.OpError as error:
            self._end(peer, f"it sent a malformed message ({error})")

    # ---- Failure

    def _note_dead(self, error):
        """Acknowledges the processes that MPI reports as dead, so that it can report others."""
        try:
            dead = self._comm.Get_failed()
            self._comm.Ack_failed(dead.Get_size())
        except self._mpi.Exception:
            raise error from None
        ranks = dead.Translate_ranks(range(dead.size), self._comm.Get_group())
        found = [self._peers[rank] for rank in ranks if rank in self._peers]
        is_new = any(not peer.gone and peer.dies_at is None for peer in found)
        if not is_new and error.Get_error_class() not in self._process_errors():
            raise error
        for peer in found:
            self._failed(peer, error)

    def _process_errors(self):
        names = ("ERR_PROC_FAILED", "ERR_PROC_FAILED_PENDING", "ERR_REVOKED")
        return {getattr(self._mpi, name) for name in names if hasattr(self._mpi, name)}

    def _failed(self, peer, error):
        """MPI reports a process as dead. It may have left in order just before: its last messages are waited for."""
        if peer.dies_at is None and not peer.gone:
            peer.dies_at = time.monotonic() + LAST_WORDS_S
            peer.reason = f"its process is gone ({error})"

    def _bury(self, now):
        for peer in self._peers.values():
            if peer.dies_at is not None and not peer.gone and now > peer.dies_at:
                self._end(peer, peer.reason)

    def _end(self, peer, reason):
        """Gives up a peer and all that it sent that is not yet delivered."""
        peer.gone = True
        for request, piece in [transfer for message in peer.incoming for transfer in message.transfers]:
            self._cancel(request)
            self._abandoned.append((request, piece))
        self._abandoned += [(request, data) for request, data, _ in peer.sends]
        peer.incoming.clear()
        peer.sends.clear()
        try:
            fabric.fail(peer.rank, reason)
        except errors.FailedPreconditionError:
            pass  # the fabric has been closed

    def _cancel(self, request):
        try:
            request.Cancel()
        except self._mpi.Exception:
            pass  # it has ended
