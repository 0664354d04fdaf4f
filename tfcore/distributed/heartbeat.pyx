"""Heartbeats between hosts, and a doorbell: small UDP datagrams, outside MPI.

Each task sends the others a datagram every DATAGRAM_NS. The threads that do so never need the GIL, so neither a long
Python call nor a long queue of tensors looks like a failure. A datagram also wakes a sleeping thread of a task to
which a message is on its way, since MPI can't. Datagrams may be lost, and some networks drop all of them: `seen` then
stays 0, and callers have to do without.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from tfcore.core.runtime cimport bool
from tfcore.distributed.fabric cimport Doorbell, doorbell_rang

import fcntl
import os
import socket
import struct
import threading

cdef extern from "<netinet/in.h>" nogil:
    struct in_addr:
        unsigned int s_addr
    struct sockaddr_in:
        unsigned short sin_family
        unsigned short sin_port
        in_addr sin_addr

cdef extern from "<sys/socket.h>" nogil:
    enum:
        AF_INET
        MSG_DONTWAIT
    struct sockaddr:
        pass
    ssize_t sendto(int, const void *, size_t, int, const sockaddr *, unsigned int)
    ssize_t recvfrom(int, void *, size_t, int, sockaddr *, unsigned int *)

cdef extern from "<time.h>" nogil:
    enum:
        CLOCK_MONOTONIC
    struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int, timespec *)
    int nanosleep(const timespec *, timespec *)

cdef enum:
    MAX_ADDRESSES = 8  # of a host
    DATAGRAM_NS = 200000000
    SEES_NS = 300000000
    WORKS_NS = 1000000000
    HEARTBEAT = 0
    DOORBELL = 1
    SEES_YOURS = 2  # added: datagrams of the receiver have come to the sender lately

cdef struct Datagram:
    uint64_t token  # of the job: datagrams with another one are ignored
    int32_t rank
    int32_t kind  # HEARTBEAT or DOORBELL

cdef struct Peer:
    sockaddr_in addresses[MAX_ADDRESSES]
    int n
    sockaddr_in source  # of the first datagram: an address that works; set before `seen`
    int64_t seen  # atomic: when the last datagram came; 0: none has come
    int64_t given_up  # atomic
    int64_t sees  # atomic: when one came that says that ours come there

cdef extern from *:
    """
    #define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
    #define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
    """
    int64_t load(int64_t *) nogil
    void store(int64_t *, int64_t) nogil


cdef int64_t now() noexcept nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec * <int64_t>1000000000 + t.tv_nsec


def own_addresses():
    """The IPv4 addresses of this host that others can reach."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(s.fileno(), 0x8915, struct.pack("16s24x", name.encode()[:15]))  # SIOCGIFADDR
            except OSError:
                continue  # it has no IPv4 address
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                found.append(address)
    return found


cdef struct Datagrams:
    Peer *peers
    int fd
    Datagram mine


cdef void send(Datagrams *s, int rank, int kind) noexcept nogil:
    cdef Datagram d = s.mine
    cdef Peer *p = &s.peers[rank]
    cdef int i
    d.kind = kind | (SEES_YOURS if now() - load(&p.seen) < SEES_NS else 0)
    if load(&p.seen):
        sendto(s.fd, &d, sizeof(d), MSG_DONTWAIT, <sockaddr *>&p.source, sizeof(sockaddr_in))
        return
    for i in range(p.n):
        sendto(s.fd, &d, sizeof(d), MSG_DONTWAIT, <sockaddr *>&p.addresses[i], sizeof(sockaddr_in))


cdef void ring(void *doorbell, int rank) noexcept nogil:
    send(<Datagrams *>doorbell, rank, DOORBELL)


cdef bool works(void *doorbell, int rank) noexcept nogil:
    return now() - load(&(<Datagrams *>doorbell).peers[rank].seen) < WORKS_NS


cdef class Heartbeat(Doorbell):
    """Datagrams of one task. Send the others its `address`; `start` it with theirs.

    seen(rank): when the last sign of life came, in ns of time.monotonic_ns(); 0: none.
    is_seen_by(rank): whether the last ones of this task have come there.
    """

    cdef object socket
    cdef Datagrams datagrams
    cdef int size
    cdef int64_t stopped

    def __init__(self, int rank, int size):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("", 0))
        self.datagrams.fd = self.socket.fileno()
        self.size = size
        self.datagrams.peers = <Peer *>calloc(size, sizeof(Peer))
        if self.datagrams.peers == NULL:
            raise MemoryError()
        self.datagrams.mine.rank = rank
        self.c.ring, self.c.works, self.c.doorbell = ring, works, &self.datagrams

    def __dealloc__(self):  # only after the threads have ended: they hold this object
        free(self.datagrams.peers)

    def address(self):
        """Port and addresses for the others, and a random number: that of rank 0 becomes the job's."""
        port = self.socket.getsockname()[1]
        token = int.from_bytes(os.urandom(7), "little")
        return {"port": port, "hosts": own_addresses()[:MAX_ADDRESSES], "token": token}

    def start(self, addresses, ranks):
        """Starts the exchange with tasks on other hosts: the `ranks` among all `addresses`."""
        cdef sockaddr_in a
        self.datagrams.mine.token = addresses[0]["token"]
        for rank in ranks:
            for host in addresses[rank]["hosts"]:
                memset(&a, 0, sizeof(a))
                a.sin_family = AF_INET
                a.sin_port = socket.htons(addresses[rank]["port"])
                packed = socket.inet_aton(host)
                memcpy(&a.sin_addr, <const char *>packed, 4)
                self.datagrams.peers[rank].addresses[self.datagrams.peers[rank].n] = a
                self.datagrams.peers[rank].n += 1
        threading.Thread(target=self._beat, name="tfcore-heartbeat", daemon=True).start()
        threading.Thread(target=self._listen, name="tfcore-doorbell", daemon=True).start()

    def stop(self):
        """Makes the threads end soon."""
        store(&self.stopped, 1)
        self.socket.sendto(b"", ("127.0.0.1", self.socket.getsockname()[1]))  # wakes the listening thread

    def seen(self, int rank):
        return load(&self.datagrams.peers[rank].seen)

    def is_seen_by(self, int rank):
        return now() - load(&self.datagrams.peers[rank].sees) < SEES_NS

    def give_up(self, int rank):
        """Sends a task no more signs of life: if it lives, it has to notice that it was given up."""
        store(&self.datagrams.peers[rank].given_up, 1)

    def _beat(self):
        cdef timespec pause
        cdef int rank
        pause.tv_sec = 0
        pause.tv_nsec = DATAGRAM_NS
        with nogil:
            while not load(&self.stopped):
                for rank in range(self.size):
                    if not load(&self.datagrams.peers[rank].given_up):
                        send(&self.datagrams, rank, HEARTBEAT)
                nanosleep(&pause, NULL)

    def _listen(self):
        cdef Datagram d
        cdef sockaddr_in source
        cdef unsigned int n
        cdef ssize_t got
        cdef Peer *p
        with nogil:
            while not load(&self.stopped):
                n = sizeof(source)
                got = recvfrom(self.datagrams.fd, &d, sizeof(d), 0, <sockaddr *>&source, &n)
                if got != sizeof(d) or d.token != self.datagrams.mine.token or d.rank < 0 or d.rank >= self.size:
                    continue
                p = &self.datagrams.peers[d.rank]
                if not load(&p.seen):
                    p.source = source
                store(&p.seen, now())
                if d.kind & SEES_YOURS:
                    store(&p.sees, now())
                if d.kind & DOORBELL:
                    doorbell_rang()
