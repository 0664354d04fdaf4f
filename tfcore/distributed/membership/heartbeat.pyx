"""Heartbeats between tasks: failure detection without the GIL, and a doorbell between hosts.

watcher.h says how tasks watch each other, detector.h how they agree on who is dead. `Heartbeat` is a task's part in
it; `Detector` is the bare state machine, for tests and simulations.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from tfcore.core.runtime cimport bool
from tfcore.distributed.fabric.fabric cimport Doorbell, doorbell_rang

import os
import socket
import threading
import time

from tfcore.distributed.cluster import addresses
from tfcore.distributed.fabric.fabric import incarnation, job_token
from tfcore.framework import errors

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

cdef extern from "membership/view.h" nogil:
    enum:
        TFC_MEMBER_DEAD
        TFC_MEMBER_FROZEN
        TFC_MEMBER_LEFT
        TFC_MEMBER_JOINED

    ctypedef struct tfc_view:
        int size, n
        uint64_t epoch, digest

    ctypedef struct tfc_rank_set:
        int size

    bool tfc_rank_set_add(tfc_rank_set *, int)
    void tfc_rank_set_clear(tfc_rank_set *)

    uint32_t tfc_view_number(const tfc_view *, int)
    uint32_t tfc_number_of(int, bool)
    int tfc_generation_of_number(uint32_t)

cdef extern from "membership/detector.h" nogil:
    ctypedef struct tfc_detector:
        pass

    ctypedef struct tfc_detector_user:
        void *user
        void (*send)(void *, int, const void *, size_t)
        void (*changed)(void *, int, uint32_t, int, const char *)
        void (*ended)(void *, const char *)

    ctypedef struct tfc_detector_options:
        int rank, size
        uint32_t number
        int64_t limit_ns, slow_ns, interval_ns, start_ns
        const tfc_rank_set *empty

    tfc_detector *tfc_detector_new(const tfc_detector_options *, const tfc_detector_user *, int64_t)
    void tfc_detector_free(tfc_detector *)
    void tfc_detector_tick(tfc_detector *, int64_t)
    int tfc_detector_receive(tfc_detector *, int64_t, const void *, size_t)
    void tfc_detector_note(tfc_detector *, int64_t, int, uint32_t, int, const char *)
    bool tfc_detector_is_counted(const tfc_detector *)
    bool tfc_detector_is_over(const tfc_detector *)
    void tfc_detector_go_slow(tfc_detector *)
    void tfc_detector_tell(tfc_detector *, int)
    const tfc_view *tfc_detector_view(const tfc_detector *)
    int tfc_detector_root(const tfc_detector *)
    int tfc_detector_neighbours(const tfc_detector *, int *, int)

cdef extern from "membership/watcher.h" nogil:
    ctypedef struct tfc_watcher:
        pass

    ctypedef struct tfc_watcher_options:
        int fd, rank, size
        uint32_t number, incarnation
        uint64_t token
        int64_t limit_ns, slow_ns, start_ns
        bool slow
        void (*doorbell_rang)()

    tfc_watcher *tfc_watcher_new(const tfc_watcher_options *)
    bool tfc_watcher_admit(tfc_watcher *, int, uint32_t, const sockaddr_in *, int, int64_t)
    bool tfc_watcher_leave_empty(tfc_watcher *, int)
    bool tfc_watcher_start(tfc_watcher *)
    void tfc_watcher_leave(tfc_watcher *, int, const char *)
    void tfc_watcher_stop(tfc_watcher *)
    void tfc_watcher_free(tfc_watcher *)
    void tfc_watcher_after_fork()
    void tfc_watcher_note(tfc_watcher *, int, uint32_t, int, const char *)
    void tfc_watcher_membership(tfc_watcher *, uint64_t *, uint64_t *, uint32_t *)
    bool tfc_watcher_is_counted(tfc_watcher *)
    void tfc_watcher_ring(void *, int)
    bool tfc_watcher_doorbell_works(void *, int)
    void tfc_how_it_ended(int64_t, char *, size_t)

cdef enum:
    MAX_ADDRESSES = 8  # of a host

DEAD, FROZEN, LEFT, JOINED = TFC_MEMBER_DEAD, TFC_MEMBER_FROZEN, TFC_MEMBER_LEFT, TFC_MEMBER_JOINED
SLOW_S = 10.0  # the limit where datagrams do not arrive, or their readers get no core
START_S = 10.0  # by when tasks that start together have all begun
COUNTED_S = 1.0  # for the first wave


def how_it_ended(int64_t pid):
    """ " (exit code 3)" or " (SIGKILL)", for a message; "" once its parent has collected the status."""
    cdef char text[32]
    tfc_how_it_ended(pid, text, sizeof(text))
    return (<bytes>text).decode()


cdef class Heartbeat(Doorbell):
    """The part of one task in failure detection. Send the others its `address`; `start` it with theirs."""

    cdef object socket
    cdef tfc_watcher *watcher
    cdef int rank, size
    cdef object lock
    cdef list early  # under the lock: facts that were noted before the thread ran; None: it runs

    def __init__(self, int rank, int size):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("", 0))
        self.rank, self.size = rank, size
        self.lock, self.early = threading.Lock(), []

    def __dealloc__(self):
        if self.watcher != NULL:
            with nogil:
                tfc_watcher_stop(self.watcher)
            tfc_watcher_free(self.watcher)

    def address(self):
        """Incarnation, port and addresses for the others. The fabric must be open."""
        return {"incarnation": incarnation(self.rank), **addresses.of_port(self.socket.getsockname()[1])}

    def start(self, places, pids, double limit_s, int number=0, bint crowded=False):
        """Begins to take part in failure detection. After the fabric has started.

        Args:
          places: the addresses of all tasks, by rank; None: the place has had no process so far.
          pids: by rank, the process if it shares memory with this one, else 0.
          limit_s: how long a task may be silent; 0: for ever.
          number: of this process in its place: 0, or an even number if it takes the place of one that has ended.
          crowded: tasks here wait so long for a core that all should have SLOW_S at least.

        Raises:
          ResourceExhaustedError: there is no memory or no thread.
        """
        cdef tfc_watcher_options o
        memset(&o, 0, sizeof(o))
        o.fd, o.rank, o.size, o.number = self.socket.fileno(), self.rank, self.size, number
        o.token, o.incarnation = job_token(), incarnation(self.rank)
        o.limit_ns, o.slow_ns = <int64_t>(limit_s * 1e9), <int64_t>(SLOW_S * 1e9)
        o.slow, o.start_ns = crowded, <int64_t>(START_S * 1e9)
        o.doorbell_rang = doorbell_rang
        self.watcher = tfc_watcher_new(&o)
        if self.watcher == NULL:
            raise errors.ResourceExhaustedError(None, None, f"There is no memory to watch {self.size} tasks.")
        self.c.ring, self.c.works, self.c.doorbell = tfc_watcher_ring, tfc_watcher_doorbell_works, self.watcher
        for rank, (place, pid) in enumerate(zip(places, pids)):
            if place is None:
                if not tfc_watcher_leave_empty(self.watcher, rank):
                    raise errors.ResourceExhaustedError(None, None, f"There is no memory to watch {self.size} tasks.")
            elif rank != self.rank:
                self.admit(rank, place, pid)

    def begin(self):
        """Starts the thread; returns when the others count this task in, but after COUNTED_S at the latest.

        Raises:
          ResourceExhaustedError: there is no memory or no thread.
        """
        cdef bool started
        with nogil:
            started = tfc_watcher_start(self.watcher)
        if not started:
            raise errors.ResourceExhaustedError(None, None, "There is no thread for the heartbeat.")
        end = time.monotonic() + COUNTED_S
        with self.lock:
            early, self.early = self.early, None
        for rank, number, event, text in early:
            self._note(rank, number, event, text)
        while not tfc_watcher_is_counted(self.watcher) and time.monotonic() < end:
            time.sleep(1e-3)

    def admit(self, int rank, place, int64_t pid):
        """A process takes a place: its `address`, and its number if it shares memory with this one, else 0.

        For one that joins later, before `note(rank, number, JOINED, ...)`.

        Raises:
          ResourceExhaustedError: there is no memory.
        """
        cdef sockaddr_in a[MAX_ADDRESSES]
        cdef int n = 0
        memset(a, 0, sizeof(a))
        for host in addresses.hosts(place)[:MAX_ADDRESSES]:
            a[n].sin_family = AF_INET
            a[n].sin_port = socket.htons(place["port"])
            packed = socket.inet_aton(host)
            memcpy(&a[n].sin_addr, <const char *>packed, 4)
            n += 1
        if not tfc_watcher_admit(self.watcher, rank, place["incarnation"], a, n, pid):
            raise errors.ResourceExhaustedError(None, None, f"There is no memory to watch {self.size} tasks.")

    def leave(self, str error=None):
        """Tells others that this task ends, with the text of an error or in order, and that nobody need watch it."""
        cdef bytes text = (error or "it has ended").encode(errors="replace")
        cdef const char *why = text
        cdef int event = TFC_MEMBER_DEAD if error else TFC_MEMBER_LEFT
        if self.watcher != NULL:
            with nogil:
                tfc_watcher_leave(self.watcher, event, why)

    def stop(self):
        """Ends the thread. Later facts are of no account."""
        if self.watcher != NULL:
            with nogil:
                tfc_watcher_stop(self.watcher)

    def note(self, int rank, uint32_t number, int event, str text):
        """Notes a certain fact (membership/view.h) and tells the others: the place `rank` has this number. Any time."""
        with self.lock:
            if self.early is not None:
                self.early.append((rank, number, event, text))
                return
        self._note(rank, number, event, text)

    cdef _note(self, int rank, uint32_t number, int event, str text):
        cdef bytes encoded = text.encode(errors="replace")
        cdef const char *why = encoded
        with nogil:
            tfc_watcher_note(self.watcher, rank, number, event, why)

    def membership(self):
        """(epoch, digest, numbers by rank): even numbers are of members. Equal digests: the same members.

        Raises:
          FailedPreconditionError: this task does not take part yet.
        """
        with self.lock:
            if self.early is not None:
                raise errors.FailedPreconditionError(None, None, "Failure detection has not begun.")
        cdef uint64_t epoch, digest
        cdef uint32_t *numbers = <uint32_t *>calloc(self.size, sizeof(uint32_t))
        if numbers == NULL:
            raise MemoryError()
        try:
            with nogil:
                tfc_watcher_membership(self.watcher, &epoch, &digest, numbers)
            return epoch, digest, [numbers[i] for i in range(self.size)]
        finally:
            free(numbers)


def number_of(int generation, bint has_ended=False):
    """The number of a place that was taken again `generation` times, and whose process has ended or not."""
    return tfc_number_of(generation, has_ended)


def generation_of(uint32_t number):
    """How often a place of this number was taken again."""
    return tfc_generation_of_number(number)


def _after_fork():
    tfc_watcher_after_fork()


os.register_at_fork(after_in_child=_after_fork)


# ---- The bare state machine


cdef void _on_send(void *user, int to, const void *data, size_t n) noexcept:
    (<Detector>user).sent.append((to, (<const char *>data)[:n]))


cdef void _on_changed(void *user, int rank, uint32_t number, int event, const char *text) noexcept:
    (<Detector>user).changes.append((rank, number, event, (<bytes>text).decode(errors="replace")))


cdef void _on_ended(void *user, const char *why) noexcept:
    (<Detector>user).ended = (<bytes>why).decode(errors="replace")


cdef class Detector:
    """The state machine of detector.h. Times are in seconds of one clock that everybody has.

    tick, receive, note: return what is to be sent: a list of (rank, bytes).
    changes: what it has learnt, a list of (rank, number, event, text). ended: why this task has to end, or None.
    empty: the ranks of places that have had no process so far.
    """

    cdef tfc_detector *d
    cdef public list sent
    cdef public list changes
    cdef public object ended
    cdef readonly int rank

    def __init__(self, int rank, int size, double limit_s=1.5, double interval_s=0.1, double now=0.0,
                 double start_s=START_S, int number=0, empty=()):
        cdef tfc_detector_options o
        cdef tfc_rank_set places
        cdef tfc_detector_user user
        self.rank, self.sent, self.changes, self.ended = rank, [], [], None
        o.rank, o.size, o.number = rank, size, number
        o.limit_ns, o.slow_ns = <int64_t>(limit_s * 1e9), <int64_t>(SLOW_S * 1e9)
        o.interval_ns, o.start_ns = <int64_t>(interval_s * 1e9), <int64_t>((now + start_s) * 1e9)
        memset(&places, 0, sizeof(places))
        places.size, o.empty = size, &places
        user.user, user.send, user.changed, user.ended = <void *>self, _on_send, _on_changed, _on_ended
        for place in empty:
            if not tfc_rank_set_add(&places, place):
                raise MemoryError()
        self.d = tfc_detector_new(&o, &user, <int64_t>(now * 1e9))
        tfc_rank_set_clear(&places)
        if self.d == NULL:
            raise MemoryError()

    def __dealloc__(self):
        if self.d != NULL:
            tfc_detector_free(self.d)

    cdef list _take(self):
        sent = self.sent
        self.sent = []
        return sent

    def tick(self, double now):
        tfc_detector_tick(self.d, <int64_t>(now * 1e9))
        return self._take()

    def receive(self, double now, bytes data):
        tfc_detector_receive(self.d, <int64_t>(now * 1e9), <const char *>data, len(data))
        return self._take()

    def note(self, double now, int rank, uint32_t number, int event, str text):
        cdef bytes encoded = text.encode()
        tfc_detector_note(self.d, <int64_t>(now * 1e9), rank, number, event, encoded)
        return self._take()

    def tell(self, int rank):
        """All facts, as messages to a newcomer."""
        tfc_detector_tell(self.d, rank)
        return self._take()

    def go_slow(self):
        tfc_detector_go_slow(self.d)

    @property
    def members(self):
        """The ranks of the members."""
        cdef const tfc_view *v = tfc_detector_view(self.d)
        return [r for r in range(v.size) if tfc_view_number(v, r) % 2 == 0]

    @property
    def n_members(self):
        return tfc_detector_view(self.d).n

    @property
    def epoch(self):
        return tfc_detector_view(self.d).epoch

    @property
    def digest(self):
        return tfc_detector_view(self.d).digest

    @property
    def root(self):
        return tfc_detector_root(self.d)

    @property
    def is_over(self):
        return tfc_detector_is_over(self.d)

    @property
    def is_counted(self):
        return tfc_detector_is_counted(self.d)

    def neighbours(self):
        """The ranks of its parent and children in the tree."""
        cdef int ranks[64]
        cdef int n = tfc_detector_neighbours(self.d, ranks, 64)
        return [ranks[i] for i in range(n)]
