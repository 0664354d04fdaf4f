"""Messages to and from tasks on other hosts, over MPI.

One thread alone talks to MPI once the cluster has started. It takes messages from the fabric's queue and hands it those
that it receives. A message is a header, with tag HEADER, which also carries a small payload; a large payload follows with
tag PAYLOAD, straight from and into the memory of tensors, in pieces if it is larger than MPI can count. MPI keeps the
order between two processes for each tag, so that headers and payloads need no numbers.

Waiting: MPI can't be waited for without computing, so the thread looks again and again: without a pause while messages
come and go, then in growing intervals. While it pauses, the fabric's queue wakes it, and so does the datagram that a
sender sends along (pulse.pyx); where networks let no datagrams through, a message has to wait for the next look.

Sends are synchronous ones, done when the receiver has begun to receive: Open MPI ends the job ("Send error after request
freed") when a process dies to which a message is on its way that was done earlier. So who leaves may go when his sends are
done; he stays a little longer for what others that leave at the same time send him.
"""

import collections
import os
import sys
import threading
import time
import traceback

from tfcore.distributed import fabric, world

HEADER, PAYLOAD = 1, 2  # tags
BYE = b""  # a header
CHUNK = 1 << 30  # bytes; counts of MPI are ints
SHORTEST_NAP_S = 20e-6
LONGEST_NAP_S = 50e-3  # when every sender rings
UNRUNG_NAP_S = 1e-3
EAGER_S = 100e-6  # after a message it looks without pauses for so long
BYE_S = 1.0
LINGER_S = 0.1
LAST_WORDS_S = 0.2  # for messages of a process that MPI says is dead: it may have left


class _Incoming:
    """A message of which the header is here, and perhaps not yet the payload."""

    def __init__(self, header, array=None, requests=()):
        self.header = header
        self.array = array
        self.requests = list(requests)


class Link:
    """The connection to tasks on other hosts. `start` after the fabric is started, `stop` after it is closed."""

    def __init__(self, comm, pulse):
        self._mpi = world.mpi()
        self._comm = comm
        self._pulse = pulse
        self._chunk = int(os.environ.get("TFCORE_LINK_CHUNK", CHUNK))
        self._peers = set(fabric.foreign())
        self._sends = {peer: collections.deque() for peer in self._peers}  # (request, what it sends, tag)
        self._incoming = {peer: collections.deque() for peer in self._peers}
        self._dying = {}  # peer -> when it will be taken for dead
        self._leaving = None  # when to stop waiting for the others
        self._byes = set()
        self._thread = threading.Thread(target=self._run, name="tfcore-link", daemon=True)

    def start(self):
        self._thread.start()

    def stop(self):
        """Sends what is still to be sent, says goodbye, and ends the thread; waits a bounded time."""
        self._leaving = time.monotonic() + BYE_S
        self._thread.join(2 * BYE_S)

    def _run(self):
        try:
            self._loop()
        except BaseException as error:  # whatever it is, steps must not wait for ever
            if not sys.is_finalizing():
                traceback.print_exc()
                for peer in self._peers:
                    _fail(peer, f"the link to other hosts has broken down: {error}")

    def _loop(self):
        busy, nap, said_bye = time.monotonic(), SHORTEST_NAP_S, False
        while True:
            any_news = self._look()
            now = time.monotonic()
            if self._dying:
                self._bury(now)
            if self._leaving and not said_bye:
                said_bye = True
                for peer in self._reachable():
                    self._send(peer, BYE, HEADER)
                    self._pulse.ring(peer)
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
        # Transfers need MPI to be called; the kernel's buffers last for a short pause.
        if any(sends[0][2] == PAYLOAD for sends in self._sends.values() if sends) or any(self._incoming.values()):
            return SHORTEST_NAP_S
        if self._leaving or any(self._sends.values()) or not all(map(self._pulse.seen, self._peers)):
            return UNRUNG_NAP_S
        return LONGEST_NAP_S

    def _is_over(self, now, quiet):
        peers = self._reachable()
        done = not any(self._sends[peer] for peer in peers) and (self._byes >= peers or quiet > LINGER_S)
        return done or now > self._leaving

    def _reachable(self):
        return self._peers - self._dying.keys()

    # ---- One round

    def _look(self):
        """Everything that can be done now; false: nothing could."""
        news = False
        for peer, header, payload in fabric.take_outgoing():
            news = True
            if peer in self._peers:
                self._send(peer, header, HEADER)
                self._pulse.ring(peer)
                if payload is not None:
                    for start in range(0, len(payload), self._chunk):
                        self._send(peer, payload[start : start + self._chunk], PAYLOAD)
        news |= self._finish_sends()
        news |= self._receive()
        for peer, messages in self._incoming.items():
            if messages:
                news |= self._deliver(peer, messages)
        return news

    def _send(self, peer, data, tag):
        if peer not in self._peers:
            return
        try:
            request = self._comm.Issend([data, self._mpi.BYTE], peer, tag)
        except self._mpi.Exception as error:
            self._failed(peer, error)
        else:
            self._sends[peer].append((request, data, tag))

    def _finish_sends(self):
        """Sends to a peer are done in the order in which they were begun, more or less."""
        any_done = False
        for peer, sends in self._sends.items():
            while sends and self._is_done(sends[0][0], peer):
                sends.popleft()
                any_done = True
        return any_done

    def _is_done(self, request, peer):
        try:
            return request.Test()
        except self._mpi.Exception as error:
            self._failed(peer, error)
            return True

    def _receive(self):
        """Takes headers that have arrived, and asks for their payloads."""
        any_news = False
        while (message := self._probe()) is not None:
            any_news = True
            header, peer = message
            if peer in self._peers:
                self._incoming[peer].append(self._expect(peer, header))
        return any_news

    def _probe(self):
        status = self._mpi.Status()
        try:
            message = self._comm.Improbe(self._mpi.ANY_SOURCE, HEADER, status)
            if message is not None:
                data = bytearray(status.Get_count(self._mpi.BYTE))
                message.Recv([data, self._mpi.BYTE])
                return bytes(data), status.Get_source()
        except self._mpi.Exception as error:
            self._note_dead(error)
        return None

    def _expect(self, peer, header):
        array = fabric.allocate(header) if header != BYE else None
        if array is None:
            return _Incoming(header)
        pieces = [array[start : start + self._chunk] for start in range(0, len(array), self._chunk)]
        requests = [self._comm.Irecv([piece, self._mpi.BYTE], peer, PAYLOAD) for piece in pieces]
        return _Incoming(header, array, requests)

    def _deliver(self, peer, messages):
        """Hands over messages that are complete, in order."""
        any_news = False
        while messages and peer in self._peers:
            message = messages[0]
            message.requests = [r for r in message.requests if not self._is_done(r, peer)]
            if message.requests or peer not in self._peers:
                break
            messages.popleft()
            any_news = True
            if message.header == BYE:
                self._byes.add(peer)
            elif fabric.rank() >= 0:
                fabric.deliver(message.header, message.array)
        return any_news

    # ---- Failure

    def _note_dead(self, error):
        """Lets MPI forget the processes that it says are dead, so that it can be asked for others again."""
        try:
            dead = self._comm.Get_failed()
            self._comm.Ack_failed(dead.Get_size())
        except self._mpi.Exception:
            raise error from None
        ranks = dead.Translate_ranks(range(dead.size), self._comm.Get_group())
        if not set(ranks) - self._dying.keys() and error.Get_error_class() not in self._process_errors():
            raise error
        for peer in ranks:
            self._failed(peer, error)

    def _process_errors(self):
        names = ("ERR_PROC_FAILED", "ERR_PROC_FAILED_PENDING", "ERR_REVOKED")
        return {getattr(self._mpi, name) for name in names if hasattr(self._mpi, name)}

    def _failed(self, peer, error):
        """MPI says that a process is dead. It may have left just before, and its last message be here soon."""
        if peer in self._peers:
            self._dying.setdefault(peer, (time.monotonic() + LAST_WORDS_S, str(error)))

    def _bury(self, now):
        for peer, (when, why) in list(self._dying.items()):
            if now > when and peer in self._peers:
                self._peers.discard(peer)
                _fail(peer, f"its process is gone ({why})")


def _fail(peer, reason):
    if fabric.rank() >= 0:
        fabric.fail(peer, reason)
