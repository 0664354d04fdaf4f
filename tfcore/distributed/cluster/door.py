"""The door of a task: a listening socket where processes knock that want to join.

They take a place in the cluster again (membership/places.py), or were started separately (meeting.py).

Both sides prove that they know the job's token without sending it: each answers the other's random challenge, the
visitor first. Before that the door allows each visitor PROVE_S seconds, and AT_ONCE visitors; what it reads from them
has a fixed size. Messages are JSON behind their length. They are not encrypted.

While one side waits for the other, the system's keepalive tells it within LOST_S that the other one's host is gone or
cut off.
"""

import contextlib
import errno
import hmac
import json
import os
import socket
import struct
import threading
import time

MAGIC = b"tfcore door 1\n"
NONCE_BYTES = 16
PROVE_S = 5.0
CONNECT_S = 3.0  # for each address of a door
LOST_S = 6  # after which a connection ends whose other host does not answer
AT_ONCE = 64
LONGEST = 256 << 20  # bytes of a message, once the visitor has proved that it knows the token

_LENGTH = struct.Struct("<I")
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN)


class SilentError(OSError):
    """A host does not answer: it is down, or the network is cut."""


class Connection:
    """Messages over a socket whose other side has proved that it knows the token."""

    def __init__(self, sock):
        self._socket = sock
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, LOST_S // 3)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, LOST_S // 3)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 2)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, LOST_S * 1000)

    def send(self, value):
        """Raises OSError."""
        data = json.dumps(value).encode()
        self._socket.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self, seconds):
        """The next message. OSError: none came in time, the other side has gone, or it sent malformed data."""
        end = time.monotonic() + seconds
        (length,) = _LENGTH.unpack(_read(self._socket, _LENGTH.size, seconds))
        if length > LONGEST:
            raise OSError(f"a message of {length} bytes")
        try:
            return json.loads(_read(self._socket, length, end - time.monotonic()))
        except ValueError as error:
            raise OSError(f"a message that is not JSON: {error}") from None

    def close(self):
        self._socket.close()


def _read(sock, count, seconds):
    """Exactly so many bytes, within `seconds` in all. Raises OSError."""
    data, end = bytearray(), time.monotonic() + seconds
    while len(data) < count:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        sock.settimeout(left)
        piece = sock.recv(min(count - len(data), 1 << 20))
        if not piece:
            raise ConnectionResetError("the other side has closed the connection")
        data += piece
    sock.settimeout(seconds)  # for what is sent next
    return bytes(data)


def _proof(token, side, challenges):
    return hmac.digest(token.encode(), side + challenges, "sha256")


def _prove(sock, token, visits):
    """Raises OSError if the other side does not know the token."""
    end = time.monotonic() + PROVE_S
    sock.settimeout(PROVE_S)
    mine = os.urandom(NONCE_BYTES)
    sock.sendall(MAGIC + mine)
    greeting = _read(sock, len(MAGIC) + NONCE_BYTES, PROVE_S)
    if not greeting.startswith(MAGIC):
        raise OSError("it is not a door of tfcore, or it is of another version")
    theirs = greeting[len(MAGIC) :]
    challenges = mine + theirs if visits else theirs + mine
    visitor, host = (_proof(token, side, challenges) for side in (b"visitor", b"host"))
    if visits:
        sock.sendall(visitor)
    knows = hmac.compare_digest(_read(sock, len(host), end - time.monotonic()), host if visits else visitor)
    if not visits:
        sock.sendall(host if knows else bytes(len(host)))
    if not knows:
        raise PermissionError("it does not know the token of the job")


class Door:
    """Listens from the start; `open` lets visitors in: serve(connection) is called on a thread for each.

    Args:
      token: the job's secret.
      host, port: where to listen; host "": all addresses; port 0: any.
      at_once: how many visitors it serves at a time; more are turned away.

    Raises:
      OSError: it can't listen there.
    """

    def __init__(self, token, host="", port=0, at_once=AT_ONCE):
        self._token = token
        self._socket = socket.create_server((host, port), backlog=at_once)
        self._places = threading.BoundedSemaphore(at_once)
        self._serve = None
        os.register_at_fork(after_in_child=self._socket.close)

    @property
    def port(self):
        return self._socket.getsockname()[1]

    def open(self, serve):
        """Lets visitors in, or hands them to another function from now on."""
        was_open, self._serve = self._serve, serve
        if was_open:
            return
        threading.Thread(target=self._listen, name="tfcore-door", daemon=True).start()

    def close(self):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._socket.close()

    def _listen(self):
        while True:
            try:
                visitor, _ = self._socket.accept()
            except OSError:
                if self._socket.fileno() < 0:
                    return
                threading.Event().wait(0.1)  # out of descriptors
                continue
            if not self._places.acquire(blocking=False):
                visitor.close()
                continue
            try:
                threading.Thread(target=self._receive, args=[visitor], name="tfcore-visitor", daemon=True).start()
            except RuntimeError:  # out of threads
                self._places.release()
                visitor.close()

    def _receive(self, visitor):
        try:
            with visitor:
                _prove(visitor, self._token, visits=False)
                visitor.settimeout(None)
                self._serve(Connection(visitor))
        except OSError:
            pass  # it has gone, or does not belong to the job
        finally:
            self._places.release()


def knock(hosts, port, token):
    """A Connection with the door at the first of the hosts that answers.

    Raises OSError: none does. SilentError: one of them gives no sign of life at all. PermissionError: whoever listens
    there does not know the token.
    """
    problem = OSError("it has no address")
    for host in hosts:
        try:
            sock = socket.create_connection((host, port), timeout=CONNECT_S)
        except OSError as error:
            if isinstance(error, TimeoutError) or error.errno in _UNREACHABLE:
                problem = SilentError(f"{host} does not answer")
            elif not isinstance(problem, SilentError):
                problem = error
            continue
        try:
            _prove(sock, token, visits=True)
        except OSError as error:
            sock.close()
            problem = error
            continue
        return Connection(sock)
    raise problem
