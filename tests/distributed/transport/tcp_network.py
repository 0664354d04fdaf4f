"""The transport's endpoints, several in one process, over the TCP link (tcp_link.c) and real sockets.

As many bytes are written at a time as a test says, and calls of the system are interrupted. `Outsider` is a process
that speaks the protocol of the link, or not.
"""

import contextlib
import ctypes
import functools
import select
import shutil
import socket
import struct
import time

import pytest

from tests.distributed.transport import simulated_mpi
from tests.distributed.transport.simulated_mpi import MPI, Endpoint, Int, Pointer

MAGIC, VERSION = 0x7FC07C9D1E5A11ED, 2
FRAMES, CHUNKS = 0, 1
GREETING, HEADER = struct.Struct("<QIIQiiIIQ"), struct.Struct("<II")

SCRIPTED_H = """
#include <errno.h>
#include <sys/socket.h>
ssize_t scripted_sendmsg(int fd, const struct msghdr* m, int flags);
ssize_t scripted_recv(int fd, void* data, size_t bytes, int flags);
ssize_t scripted_recvmsg(int fd, struct msghdr* m, int flags);
#define sendmsg(fd, m, flags) scripted_sendmsg(fd, m, flags)
#define recv(fd, data, bytes, flags) scripted_recv(fd, data, bytes, flags)
#define recvmsg(fd, m, flags) scripted_recvmsg(fd, m, flags)
"""
SCRIPTED_C = """
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

static size_t most = (size_t)-1;  /* bytes of a write */
static int interrupted;           /* of so many calls one; 0: none */
static unsigned state = 1;

void script(size_t most_bytes, int one_of, unsigned seed) {
  most = most_bytes;
  interrupted = one_of;
  state = seed;
}

static int is_interrupted(void) {
  if (!interrupted || rand_r(&state) % interrupted) return 0;
  errno = EINTR;
  return 1;
}

ssize_t scripted_sendmsg(int fd, const struct msghdr* m, int flags) {
  struct iovec parts[64];
  struct msghdr some = *m;
  size_t left = most == (size_t)-1 ? most : 1 + (size_t)rand_r(&state) % most;
  if (is_interrupted()) return -1;
  some.msg_iov = parts;
  for (some.msg_iovlen = 0; some.msg_iovlen < m->msg_iovlen && left; some.msg_iovlen++) {
    struct iovec* p = &parts[some.msg_iovlen];
    *p = m->msg_iov[some.msg_iovlen];
    if (p->iov_len > left) p->iov_len = left;
    left -= p->iov_len;
  }
  return sendmsg(fd, &some, flags);
}

ssize_t scripted_recv(int fd, void* data, size_t bytes, int flags) {
  return is_interrupted() ? -1 : recv(fd, data, bytes, flags);
}

ssize_t scripted_recvmsg(int fd, struct msghdr* m, int flags) {
  return is_interrupted() ? -1 : recvmsg(fd, m, flags);
}
"""


class Address(ctypes.Structure):
    _fields_ = [("port", ctypes.c_uint16), ("n", Int), ("hosts", ctypes.c_uint32 * 8)]


@functools.cache
def library():
    """Transport and TCP link, compiled once. Skips the test where there is no gcc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    texts = simulated_mpi.sources("tcp_*.c")
    for name in ("tcp_channel.c", "tcp_connect.c"):
        text = texts[name]
        last = text.rindex("#include")
        end = text.index("\n", last) + 1
        texts[name] = text[:end] + SCRIPTED_H + text[end:]
    c = simulated_mpi.compile_transport({**texts, "scripted.c": SCRIPTED_C})
    for name, result, arguments in [
        ("open", Pointer, (ctypes.POINTER(ctypes.c_char_p),)),
        ("port", ctypes.c_uint16, (Pointer,)),
        ("start", ctypes.c_bool, (Pointer, Int, Int, ctypes.c_uint32, ctypes.c_uint64)),
        ("table", MPI, (Pointer,)),
        ("close", None, (Pointer,)),
        ("after_fork", None, (Pointer,)),
    ]:
        function = getattr(c, f"tfc_tcp_{name}")
        function.restype, function.argtypes = result, arguments
    c.script.argtypes = (ctypes.c_size_t, Int, ctypes.c_uint)
    return c


class Network(simulated_mpi.Network):
    """Endpoints that reach each other over TCP. `tcp`: the links, by rank; `lives`: how many each rank has had."""

    def __init__(self, size):
        self.tcp, self.lives = {}, [0] * size
        super().__init__(size, c=library())
        self.c.script(2**64 - 1, 0, 1)

    @property
    def now(self):
        return time.monotonic_ns()

    @now.setter
    def now(self, value):
        pass

    def incarnation(self, rank):
        return 1000 + rank + 100 * self.lives[rank]

    def links(self, rank):
        why = ctypes.c_char_p()
        self.c.tracked_owner(rank)
        self.tcp[rank] = self.c.tfc_tcp_open(ctypes.byref(why))
        assert self.tcp[rank], why.value
        assert self.c.tfc_tcp_start(self.tcp[rank], rank, self.size, self.incarnation(rank), simulated_mpi.JOB_TOKEN)
        return None, self.c.tfc_tcp_table(self.tcp[rank])

    def port(self, rank):
        return self.c.tfc_tcp_port(self.tcp[rank])

    def begin(self, rank, chunk_bytes=1000):
        """A process of this rank; others must admit it."""
        self.lives[rank] += 1
        self.closed.discard(rank)
        return Endpoint(self, rank, chunk_bytes)

    def end(self, endpoint):
        """Ends a process in order; checks that nothing of it is left."""
        endpoint.close()
        self.c.tfc_tcp_close(self.tcp.pop(endpoint.rank))
        assert endpoint.live() == 0

    def kill(self, endpoint):
        """The system closes what a killed process had open."""
        self.c.tfc_tcp_after_fork(self.tcp[endpoint.rank])
        self.end(endpoint)


def admit(endpoint, rank, incarnation, port, hosts=("127.0.0.1",)):
    at = Address(port, len(hosts))
    for i, host in enumerate(hosts):
        at.hosts[i] = int.from_bytes(socket.inet_aton(host), "little")
    assert endpoint.admit(rank, incarnation, ctypes.addressof(at)) is None
    endpoint.failures = [f for f in endpoint.failures if f[0] != rank]
    endpoint.delivered = [d for d in endpoint.delivered if d.source != rank]
    endpoint.sent[rank] = 0


def meet(network, *ends):
    """They know where to find each other."""
    for a in ends:
        for b in ends:
            if a is not b:
                admit(a, b.rank, network.incarnation(b.rank), network.port(b.rank))


def endpoints(n, chunk_bytes=1000):
    network = Network(n)
    ends = [network.begin(rank, chunk_bytes) for rank in range(n)]
    meet(network, *ends)
    return network, ends


def run(network, ends, until, seconds=20.0):
    """Polls until `until()`; AssertionError: that does not come about."""
    end = time.monotonic() + seconds
    while True:
        busy = [e.poll() for e in ends]
        network.check()
        if until():
            return
        assert time.monotonic() < end, "nothing comes of it"
        if not any(busy):
            time.sleep(1e-4)


def spend(network, ends, seconds):
    """Polls for a while."""
    end = time.monotonic() + seconds
    run(network, ends, lambda: time.monotonic() > end)


class Outsider:
    """A socket of a test that is connected to an endpoint, or that waits for one."""

    def __init__(self, network, rank, to):
        self.network, self.rank, self.to = network, rank, to
        self.incarnation, self.token = network.incarnation(rank), simulated_mpi.JOB_TOKEN
        self.sequence = self.attempts = 0

    def connect(self, channel=FRAMES, greet=True, **changed):
        """A new connection; `changed`: fields of the greeting that differ from the right ones."""
        s = socket.create_connection(("127.0.0.1", self.network.port(self.to.rank)))
        s.settimeout(10)
        if greet:
            s.sendall(self.greeting(channel, **changed))
        return s

    def greeting(self, channel=FRAMES, **changed):
        self.attempts += 1
        fields = {
            "magic": MAGIC,
            "version": VERSION,
            "channel": channel,
            "token": self.token,
            "from": self.rank,
            "to": self.to.rank,
            "from_incarnation": self.incarnation,
            "to_incarnation": self.network.incarnation(self.to.rank),
            "attempt": self.attempts,
        }
        assert changed.keys() <= fields.keys()
        return GREETING.pack(*{**fields, **changed}.values())

    def is_answered(self, s, ends):
        """Whether the endpoint answers, or closes the connection."""
        answer = b""
        while len(answer) < GREETING.size:
            for e in ends:
                e.poll()
            if not select.select([s], [], [], 1e-3)[0]:
                continue
            try:
                more = s.recv(GREETING.size - len(answer))
            except ConnectionResetError:
                more = b""
            if not more:
                return False
            answer += more
        return GREETING.unpack(answer)[4:8] == (
            self.to.rank,
            self.rank,
            self.network.incarnation(self.to.rank),
            self.incarnation,
        )

    def hello(self, token=simulated_mpi.JOB_TOKEN):
        data = simulated_mpi.hello(self.rank, incarnation=self.incarnation, token=token)
        return HEADER.pack(len(data), simulated_mpi.TAG_HELLO) + data

    def frame(self, data, payload_number=0):
        self.sequence += 1
        data = simulated_mpi.frame(self.rank, self.sequence, data, payload_number, incarnation=self.incarnation)
        return HEADER.pack(len(data), simulated_mpi.TAG_FRAME) + data

    def message(self, number, inside=0, payload=0):
        """A frame with a message; one payload at most."""
        data = simulated_mpi.record(self.rank, self.to.rank, number, inside, payload)
        return self.frame(data, 1 if payload else 0)


@contextlib.contextmanager
def listening():
    """A socket at which an endpoint may find a process of a test."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as s:
        s.settimeout(10)
        yield s
