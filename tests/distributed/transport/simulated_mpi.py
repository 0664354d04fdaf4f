"""The transport's endpoints (transport.c), several in one process, over a stand-in for MPI that tests steer.

The stand-in keeps what MPI promises: messages of one tag between two ranks are matched in the order in which they were
sent, and a synchronous send ends only after its message was matched. All else is a test's choice, one event at a time:
when a message arrives, which request ends first, who dies or freezes and who notices. Whatever the transport may not do
(to free or change memory of a request that has not ended, to test one that has) is written to `Network.problems`.
"""

import collections
import contextlib
import ctypes
import functools
import glob
import itertools
import os
import re
import shutil
import struct
import subprocess
import tempfile

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FOLDERS = [
    os.path.join(ROOT, *path) for path in [("tfcore", "distributed"), ("tfcore", "core"), ("kernels_c", "include")]
]

# An allocator that counts, fails when asked to, and tells what is freed: TRACKED_H is included before all else of the
# transport's files.
TRACKED_H = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime.h"
void* tracked_malloc(size_t bytes);
void* tracked_calloc(size_t n, size_t size);
void tracked_free(void* p);
#ifndef TRACKED
#define malloc(n) tracked_malloc(n)
#define calloc(n, size) tracked_calloc(n, size)
#define free(p) tracked_free(p)
#endif
"""
TRACKED_C = """
#define TRACKED
#include "tracked.h"

typedef struct block {
  size_t bytes;
  int owner;
} __attribute__((aligned(16))) block;

enum { LARGEST = 1 << 28 };
static __thread int owner;
static int64_t live[16];
static int64_t until_failure = -1;
static void (*tell_freed)(void*, size_t);

void tracked_set(void (*freed)(void*, size_t)) { tell_freed = freed; }
void tracked_owner(int who) { owner = who; }
int64_t tracked_live(int who) { return __atomic_load_n(&live[who], __ATOMIC_SEQ_CST); }
void tracked_forget(void) { memset(live, 0, sizeof live); }
/* Sets after how many allocations one fails; returns how many were left. -1: none fails. */
int64_t tracked_fail(int64_t after) {
  int64_t before = until_failure;
  until_failure = after;
  return before;
}

void* tracked_malloc(size_t bytes) {
  if (until_failure >= 0 && until_failure-- == 0) return NULL;
  block* b = bytes > LARGEST ? NULL : malloc(sizeof *b + bytes);
  if (!b) return NULL;
  *b = (block){bytes, owner};
  __atomic_fetch_add(&live[owner], 1, __ATOMIC_SEQ_CST);
  return memset(b + 1, 0xdd, bytes);
}

void* tracked_calloc(size_t n, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(n, size, &bytes)) return NULL;
  void* p = tracked_malloc(bytes);
  return p ? memset(p, 0, bytes) : NULL;
}

void tracked_free(void* p) {
  if (!p) return;
  block* b = (block*)p - 1;
  tell_freed(p, b->bytes);
  __atomic_fetch_sub(&live[b->owner], 1, __ATOMIC_SEQ_CST);
  memset(b, 0xdd, sizeof *b + b->bytes);
  free(b);
}

static void release(tfc_buffer* b) {
  tracked_free(b->data);
  tracked_free(b);
}

bool tracked_tensor(int64_t bytes, tfc_tensor* out) {
  tfc_buffer* b = tracked_calloc(1, sizeof *b);
  void* data = b ? tracked_malloc((size_t)bytes) : NULL;
  if (!data) {
    tracked_free(b);
    return false;
  }
  *b = (tfc_buffer){.refs = 1, .release = release, .data = data};
  *out = (tfc_tensor){.data = data, .buffer = b, .n = bytes, .dtype = TFC_UINT8, .rank = 1};
  out->dims[0] = bytes;
  return true;
}

void tracked_clear(tfc_tensor* t) { tfc_tensor_clear(t); }
"""

COMM, BYTE, NO_REQUEST, ANY_SOURCE = 0x7F00DEADBEE0, 0x7F00DEADBEF0, 0x7F00DEADBFF0, -7
STATUS_SOURCE_OFFSET, STATUS_COUNT_OFFSET = 12, 24  # in a status
TRUNCATED, NO_SUCH_PROCESS, PENDING_ANY_SOURCE = 15, 75, 76
US, MS, SECOND = 1_000, 1_000_000, 1_000_000_000
JOB_TOKEN = 0xFEDCBA9876543210
LARGE = 4500  # bytes of a payload in 5 chunks


def _constants(*headers):
    """The numbers that the transport's headers define as constants, by name."""
    found = {}
    for header in headers:
        with open(os.path.join(FOLDERS[0], header), encoding="utf-8") as file:
            found.update(re.findall(r"\b([A-Z_]+) = (0x[0-9a-f]+|[0-9]+)\b", file.read()))
    return {name: int(number, 0) for name, number in found.items()}


PROTOCOL = _constants("transport/mpi_calls.h", "transport/transport.h", "transport/state.h")
TAG_HELLO, TAG_FRAME, TAG_CHUNK = PROTOCOL["TAG_HELLO"], PROTOCOL["TAG_FRAME"], PROTOCOL["TAG_CHUNK"]
PROTOCOL_MAGIC, PROTOCOL_VERSION = PROTOCOL["PROTOCOL_MAGIC"], PROTOCOL["PROTOCOL_VERSION"]
MAX_RECORD = PROTOCOL["TFC_TRANSPORT_MAX_RECORD"]

Int, Number, Pointer = ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p
RequestPointer = ctypes.POINTER(Number)
Ints = ctypes.POINTER(Int)


class Tensor(ctypes.Structure):
    _fields_ = [("data", Pointer), ("buffer", Pointer), ("n", ctypes.c_int64), ("dtype", ctypes.c_int32)]
    _fields_ += [("rank", ctypes.c_int32), ("dims", ctypes.c_int64 * 20)]


class PayloadInfo(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_int64), ("may_be_overtaken", ctypes.c_bool), ("comes_last", ctypes.c_bool)]


MPI_FUNCTIONS = {
    "issend": (Pointer, Int, Number, Int, Int, Number, RequestPointer),
    "irecv": (Pointer, Int, Number, Int, Int, Number, RequestPointer),
    "test": (RequestPointer, Ints, Pointer),
    "get_status": (Number, Ints, Pointer),
    "cancel": (RequestPointer,),
    "get_count": (Pointer, Number, Ints),
    "error_string": (Int, Pointer, Ints),
    "get_failed": (Number, RequestPointer),
    "ack_failed": (Number, Int, Ints),
    "comm_group": (Number, RequestPointer),
    "group_size": (Number, Ints),
    "group_translate": (Number, Int, Ints, Number, Ints),
    "group_free": (RequestPointer,),
}
MPI_FUNCTIONS = {name: ctypes.CFUNCTYPE(Int, *arguments) for name, arguments in MPI_FUNCTIONS.items()}
CALLBACKS = {
    "now": ctypes.CFUNCTYPE(ctypes.c_int64),
    "parse": ctypes.CFUNCTYPE(Pointer, Int, Pointer, ctypes.c_size_t, ctypes.POINTER(PayloadInfo)),
    "allocate": ctypes.CFUNCTYPE(ctypes.c_bool, Int, Pointer, ctypes.c_size_t, ctypes.c_int64, ctypes.POINTER(Tensor)),
    "deliver": ctypes.CFUNCTYPE(Pointer, Int, Pointer, ctypes.c_size_t, ctypes.POINTER(Tensor)),
    "peer_failed": ctypes.CFUNCTYPE(None, Int, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_bool),
    "ring_doorbell": ctypes.CFUNCTYPE(None, Pointer, Int),
    "doorbell_works": ctypes.CFUNCTYPE(ctypes.c_bool, Pointer, Int),
}


class MPI(ctypes.Structure):
    _fields_ = [("comm", Number), ("byte", Number), ("no_request", Number), ("status_source_offset", ctypes.c_size_t)]
    _fields_ += [("any_source", Int), *MPI_FUNCTIONS.items(), ("of_other_links", Pointer * 4)]


class Callbacks(ctypes.Structure):
    _fields_ = [*CALLBACKS.items(), ("doorbell", Pointer)]


class Options(ctypes.Structure):
    _fields_ = [("rank", Int), ("size", Int), ("incarnation", ctypes.c_uint32), ("chunk_bytes", ctypes.c_int64)]
    _fields_ += [("token", ctypes.c_uint64)]


Freed = ctypes.CFUNCTYPE(None, Pointer, ctypes.c_size_t)


@functools.cache
def library():
    """The transport, compiled once. Skips the test where there is no gcc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    return compile_transport(sources())


def sources(*patterns):
    """The transport's C files, and those with other names: name -> text."""
    found = {}
    for pattern in ("transport.c", "send.c", "receive.c", *patterns):
        for path in sorted(glob.glob(os.path.join(FOLDERS[0], "transport", pattern))):
            with open(path, encoding="utf-8") as file:
                found[os.path.basename(path)] = file.read()
    return found


def compile_transport(texts, *extra_flags):
    """Compiles the transport's files, by name, with the allocator that is tracked."""
    texts = {**texts, "tracked.h": TRACKED_H, "tracked.c": TRACKED_C}
    with tempfile.TemporaryDirectory(prefix="tfcore-test-") as folder:
        for name, text in texts.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        files = [os.path.join(folder, name) for name in texts if name.endswith(".c")]
        target = os.path.join(folder, "transport.so")
        flags = ["-O1", "-g", "-std=gnu11", "-pthread", "-shared", "-fPIC"]
        if sanitizers := os.environ.get("TFCORE_TEST_SANITIZE"):
            flags += [f"-fsanitize={sanitizers}", "-fno-omit-frame-pointer"]
        includes = [*(f"-I{path}" for path in [folder, *FOLDERS])]
        subprocess.run(["gcc", *flags, *includes, "-c", files.pop(), "-o", f"{target}.o"], check=True)
        flags += ["-include", os.path.join(folder, "tracked.h"), *extra_flags]
        subprocess.run(["gcc", *flags, *includes, *files, f"{target}.o", "-o", target], check=True)
        c = ctypes.CDLL(target)
    enqueue = (Pointer, Int, Pointer, ctypes.c_size_t, Pointer, ctypes.c_size_t, Pointer, ctypes.c_int64)
    for name, result, arguments in [
        ("open", Pointer, (Pointer, Pointer, ctypes.POINTER(Callbacks), ctypes.POINTER(Options))),
        ("enqueue", ctypes.c_bool, enqueue),
        ("flush", None, (Pointer,)),
        ("poll", ctypes.c_bool, (Pointer, ctypes.POINTER(ctypes.c_bool))),
        ("poll_interval", ctypes.c_int64, (Pointer,)),
        ("doorbell_rang", None, (Pointer,)),
        ("disconnect", None, (Pointer, Int)),
        ("admit", ctypes.c_char_p, (Pointer, Int, ctypes.c_uint32, Pointer)),
        ("shutdown", None, (Pointer,)),
        ("is_shut_down", ctypes.c_bool, (Pointer,)),
        ("close", None, (Pointer,)),
    ]:
        function = getattr(c, f"tfc_transport_{name}")
        function.restype, function.argtypes = result, arguments
    c.tracked_set.argtypes = (Freed,)
    c.tracked_live.restype = c.tracked_fail.restype = ctypes.c_int64
    c.tracked_fail.argtypes = (ctypes.c_int64,)
    c.tracked_tensor.restype = ctypes.c_bool
    c.tracked_tensor.argtypes = (ctypes.c_int64, ctypes.POINTER(Tensor))
    c.tracked_clear.argtypes = (ctypes.POINTER(Tensor),)
    return c


# ---- MPI


class Request:
    """A request. state: "pending", "done" or "failed"; `matched`: what a receive was matched with."""

    def __init__(self, handle, rank, kind, peer, tag, pointer, size):
        self.handle, self.rank, self.kind, self.peer, self.tag = handle, rank, kind, peer, tag
        self.pointer, self.size = pointer, size
        self.state, self.error, self.source, self.count = "pending", 0, -1, 0
        self.matched = None
        self.ends_when_tested = False  # because its peer is dead, which the connection does not know yet

    def fail(self, error=NO_SUCH_PROCESS):
        self.state, self.error = "failed", error

    def __repr__(self):
        return f"{self.kind} of rank {self.rank}, peer {self.peer}, tag {self.tag}, {self.size} bytes: {self.state}"


class Message:
    """A message of MPI on its way. `send` is None if no endpoint has sent it, but a test."""

    def __init__(self, source, to, tag, data, send=None):
        self.source, self.to, self.tag, self.data, self.send = source, to, tag, data, send
        self.arrived, self.receive, self.copied, self.sent = False, None, False, send is None


Event = collections.namedtuple("Event", "kind message")


class Network:
    """All processes' MPI.

    refuses: (rank, kind, peer, tag or None) of requests that MPI does not begin; kind: "send" or "receive".
    keeps_failed: a request that has failed is not freed by the test that says so.
    cancels: whether cancelling has an effect.
    fault_tolerant: whether MPI says which processes have failed.
    immediate: messages that have arrived are received at once.
    stuck_until: by rank: until when the connection to it has bytes of what is sent to it.
    """

    def __init__(self, size, fault_tolerant=True, c=None):
        self.c = c or library()
        self.size, self.fault_tolerant = size, fault_tolerant
        self.now = SECOND
        self.tests = 0  # calls of MPI_Test so far
        self.problems = []
        self.requests = {}  # by handle: those that have not ended
        self.messages = []  # not both received and sent, in the order of sending
        self.posted = collections.defaultdict(list)  # (rank, tag): receives without a message, in order
        self.dead, self.frozen, self.closed = set(), set(), set()
        self.known = collections.defaultdict(list)  # by rank: the deaths that its MPI knows of, in order
        self.acknowledged = collections.Counter()
        self.stuck_until = collections.Counter()
        self.groups = {}
        self.refuses = set()
        self.keeps_failed, self.cancels, self.immediate = False, True, False
        self._handles = iter(range(0x7F0000001000, 1 << 60, 16))
        self._freed = Freed(self._guard(self._on_freed))
        self.c.tracked_set(self._freed)
        self.c.tracked_forget()
        self.c.tracked_fail(-1)

    # -- What tests do

    def events(self):
        """What may happen next."""
        stopped, heads, found = self.frozen | self.closed, set(), []
        for x in self.messages:
            if x.source in stopped or x.to in stopped or x.to in self.dead:
                continue
            if not x.arrived and (x.source, x.to, x.tag) not in heads:
                heads.add((x.source, x.to, x.tag))
                found.append(Event("arrive", x))
            if x.receive and not x.copied and x.receive.state == "pending":
                found.append(Event("receive", x))
            if x.receive and not x.sent and x.send.state == "pending" and x.source not in self.dead:
                found.append(Event("send", x))
        return found

    def do(self, event):
        x = event.message
        if event.kind == "arrive":
            x.arrived = True
            self._match(x)
        elif event.kind == "receive":
            self._check_unchanged(x)
            x.copied = True
            self._end_receive(x.receive, x)
        else:
            self._check_unchanged(x)
            x.sent, x.send.state = True, "done"
        if x.copied and (x.sent or x.source in self.dead) and x in self.messages:
            self.messages.remove(x)

    def inject(self, source, to, tag, data):
        """A message that no endpoint has sent."""
        self.messages.append(Message(source, to, tag, bytes(data)))

    def kill(self, rank, lose_arrived=False):
        """Ends a process. `lose_arrived`: what has arrived, but was not received to its end, is lost as well."""
        self.dead.add(rank)
        self.frozen.discard(rank)
        for x in list(self.messages):
            if x.to == rank or (x.source == rank and (not x.arrived or lose_arrived)):
                self.messages.remove(x)
        for r in self.of(rank):
            del self.requests[r.handle]
        self.posted = collections.defaultdict(list, {k: v for k, v in self.posted.items() if k[0] != rank})

    def notice(self, rank, dead):
        """The MPI of a process learns of a death."""
        if dead in self.known[rank] or rank in self.dead:
            return
        self.known[rank].append(dead)
        for r in self.of(rank):
            of_dead = dead in (r.peer, r.matched and r.matched.source)
            if of_dead and r.state == "pending" and r.matched not in self.messages:
                r.ends_when_tested = r.kind == "send"
                self.fail(r)

    def fail(self, request, error=NO_SUCH_PROCESS):
        """Ends a request with an error."""
        request.fail(error)
        self._unpost(request)

    def of(self, rank):
        """The requests of a process that have not ended."""
        return [r for r in self.requests.values() if r.rank == rank]

    def check(self):
        assert not self.problems, self.problems

    # -- What endpoints call

    def incarnation(self, rank):
        return 1000 + rank

    def links(self, rank):
        """The functions of MPI and of TCP for an endpoint."""
        return self._table(rank), None

    def _table(self, rank):
        table = MPI(COMM, BYTE, NO_REQUEST, STATUS_SOURCE_OFFSET, ANY_SOURCE)
        for name, kind in MPI_FUNCTIONS.items():
            if self.fault_tolerant or name not in ("get_failed", "ack_failed"):
                setattr(table, name, kind(self._guard(functools.partial(getattr(self, "_" + name), rank), 16)))
        return table

    def _guard(self, function, failure=None):
        def guarded(*arguments):
            try:
                return function(*arguments)
            except Exception as error:
                self.problems.append(repr(error))
                return failure

        return guarded

    def _expect(self, condition, text):
        if not condition:
            self.problems.append(text)

    def _begin(self, rank, kind, pointer, count, unit, peer, tag, comm, request):
        self._expect(
            (unit, comm) == (BYTE, COMM) and 0 <= tag < 32768 and count >= 0, f"wrong arguments: {tag} {count}"
        )
        self._expect(0 <= peer < self.size or (kind, peer) == ("receive", ANY_SOURCE), f"no rank {peer}")
        if self.refuses & {(rank, kind, peer, tag), (rank, kind, peer, None)}:
            return None
        r = Request(next(self._handles), rank, kind, peer, tag, pointer, count)
        self.requests[r.handle] = r
        request[0] = r.handle
        return r

    def _issend(self, rank, pointer, count, unit, to, tag, comm, request):
        r = self._begin(rank, "send", pointer, count, unit, to, tag, comm, request)
        if r is None:
            return NO_SUCH_PROCESS
        if to in self.known[rank]:
            r.fail()
        elif to not in self.dead:
            self.messages.append(Message(rank, to, tag, ctypes.string_at(pointer, count), r))
        return 0

    def _irecv(self, rank, pointer, count, unit, source, tag, comm, request):
        r = self._begin(rank, "receive", pointer, count, unit, source, tag, comm, request)
        if r is None:
            return NO_SUCH_PROCESS
        self.posted[rank, tag].append(r)
        for x in self.messages:
            if x.arrived and not x.receive and x.to == rank and x.tag == tag:
                self._match(x)
        if source in self.known[rank] and r.matched is None:
            self.fail(r)
        return 0

    def _match(self, x):
        for r in self.posted[x.to, x.tag]:
            if r.peer in (x.source, ANY_SOURCE):
                self._unpost(r)
                x.receive, r.matched = r, x
                ctypes.memset(r.pointer, 0xEE, min(r.size, len(x.data)))  # it may come in part, and no further
                if self.immediate:
                    self.do(Event("receive", x))
                return

    def _unpost(self, r):
        with contextlib.suppress(ValueError):
            self.posted[r.rank, r.tag].remove(r)

    def _end_receive(self, r, x):
        r.source, r.count = x.source, len(x.data)
        if len(x.data) > r.size:
            r.fail(TRUNCATED)
            return
        ctypes.memmove(r.pointer, x.data, len(x.data))
        r.state = "done"

    def _check_unchanged(self, x):
        if x.send and x.send.state == "pending" and x.source not in self.dead:
            if ctypes.string_at(x.send.pointer, x.send.size) != x.data:
                self.problems.append(f"memory has changed before its request has ended: {x.send}")

    def _test(self, rank, request, done, status):
        self.tests += 1
        r = self.requests.get(request[0])
        self._expect(r is not None and r.rank == rank, f"rank {rank} tests a request that it does not have")
        ctypes.memset(status, 0xCC, 64)  # only what is done has a status
        done[0] = 0
        if r.state == "pending":
            unknown = r.peer == ANY_SOURCE and len(self.known[rank]) > self.acknowledged[rank]
            return PENDING_ANY_SOURCE if unknown else 0
        self._expect(not (r.ends_when_tested and self.now < self.stuck_until[r.peer]), f"freed too early: {r}")
        if r.state == "done" or not self.keeps_failed:
            del self.requests[r.handle]
            request[0] = NO_REQUEST
        if r.state == "failed":
            return r.error
        done[0] = 1
        Int.from_address(status + STATUS_SOURCE_OFFSET).value = r.source
        Int.from_address(status + STATUS_COUNT_OFFSET).value = r.count
        return 0

    def _get_status(self, rank, request, done, status):
        """A send that fails because the other process is dead does so when it is tested, and not before."""
        r = self.requests.get(request)
        self._expect(r is not None and r.rank == rank and r.kind == "send", f"rank {rank} asks for another's request")
        done[0] = r.state == "done" or (r.state == "failed" and not r.ends_when_tested)
        return 0

    def _cancel(self, rank, request):
        r = self.requests.get(request[0])
        self._expect(r is not None and r.kind == "receive", "only a receive that is open is cancelled")
        if self.cancels and r.state == "pending" and r.matched is None:
            self._unpost(r)
            r.state = "done"
        return 0

    def _get_count(self, rank, status, unit, count):
        count[0] = Int.from_address(status + STATUS_COUNT_OFFSET).value
        return 0

    def _error_string(self, rank, error, text, length):
        words = f"error {error} of MPI".encode()
        ctypes.memmove(text, words, len(words))  # its end is told by the length
        length[0] = len(words)
        return 0

    def _group(self, ranks, group):
        group[0] = next(self._handles)
        self.groups[group[0]] = list(ranks)
        return 0

    def _get_failed(self, rank, comm, group):
        return self._group(self.known[rank], group)

    def _ack_failed(self, rank, comm, number, acknowledged):
        self.acknowledged[rank] = acknowledged[0] = min(number, len(self.known[rank]))
        return 0

    def _comm_group(self, rank, comm, group):
        return self._group(range(self.size), group)

    def _group_size(self, rank, group, size):
        size[0] = len(self.groups[group])
        return 0

    def _group_translate(self, rank, group, n, ranks, other, found):
        for i in range(n):
            found[i] = self.groups[other].index(self.groups[group][ranks[i]])
        return 0

    def _group_free(self, rank, group):
        del self.groups[group[0]]
        return 0

    def _on_freed(self, pointer, size):
        for r in self.requests.values():
            if r.pointer < pointer + size and pointer < r.pointer + r.size:
                self.problems.append(f"memory is freed before its request has ended: {r}")


# ---- Endpoints

# Magic, number, bytes of the payload, bytes inside the record, whether it may be overtaken, and comes last.
RECORD = struct.Struct("<4sIqi??")


@functools.lru_cache(4096)
def content(source, to, number, size):
    """The bytes of a message: each chunk of it differs from all others."""
    period = bytes((7 * i + 31 * number + 5 * source + to) % 251 for i in range(251))
    return (period * (size // 251 + 1))[:size]


def record(source, to, number, inside=0, payload=0, may_be_overtaken=False, comes_last=False, magic=b"MSG!"):
    """What the transport carries as a record."""
    return RECORD.pack(magic, number, payload, inside, may_be_overtaken, comes_last) + content(
        source, to, number, inside
    )


def hello(source, magic=PROTOCOL_MAGIC, version=PROTOCOL_VERSION, incarnation=None, chunk_bytes=1000, token=JOB_TOKEN):
    """The bytes of a HELLO."""
    incarnation = 1000 + source if incarnation is None else incarnation
    return struct.pack("<IIiIqQ", magic, version, source, incarnation, chunk_bytes, token)


def frame(source, sequence, data, payload_number=0, magic=PROTOCOL_MAGIC, incarnation=None, size=None):
    """The bytes of a frame with the record `data`."""
    incarnation = 1000 + source if incarnation is None else incarnation
    size = len(data) if size is None else size
    return struct.pack("<IIQII", magic, incarnation, sequence, payload_number, size) + data


Delivered = collections.namedtuple("Delivered", "source number whole")


class Endpoint:
    """A process's transport and its user.

    delivered: the messages in order; their content is checked. failures: (peer, reason). rung: peers.
    no_memory: whether there is none for payloads. answer: what `deliver` says is wrong. doorbell_works: for all peers.
    """

    def __init__(self, network, rank, chunk_bytes=1000):
        self.network, self.rank, self.c = network, rank, network.c
        self.delivered, self.failures, self.rung = [], [], []
        self.more = False  # whether the last poll has left something
        self.at_fault = set()  # the peers that have failed as they have sent nonsense
        self.refused = set()  # sizes of payloads for which there was no memory
        self.no_memory, self.answer, self.doorbell_works = False, None, True
        self.sent = collections.Counter()  # by peer: number of messages
        self._kept = []
        self._links = network.links(rank)
        self._callbacks = Callbacks()
        for name, kind in CALLBACKS.items():
            failure = None if name in ("peer_failed", "ring_doorbell") else 0
            setattr(self._callbacks, name, kind(network._guard(getattr(self, "_" + name), failure)))
        options = Options(rank, network.size, network.incarnation(rank), chunk_bytes, JOB_TOKEN)
        self.c.tracked_owner(rank)
        self.t = self.c.tfc_transport_open(
            *(link and ctypes.addressof(link) for link in self._links),
            ctypes.byref(self._callbacks),
            ctypes.byref(options),
        )

    def __getattr__(self, name):
        """The functions of the transport: poll, flush, shutdown, ..."""
        function = getattr(self.c, f"tfc_transport_{name}")

        def call(*arguments):
            self.c.tracked_owner(self.rank)
            return function(self.t, *arguments)

        return call

    def send(self, to, inside=0, payload=0, may_be_overtaken=False, comes_last=False, number=None):
        """Sends a message; returns its number, or None: there was no memory."""
        number = self.sent[to] if number is None else number
        data = record(self.rank, to, number, inside, payload, may_be_overtaken, comes_last)
        first, second = data[: RECORD.size], data[RECORD.size :]
        tensor = Tensor()
        self.c.tracked_owner(self.rank)
        left = self.c.tracked_fail(-1)
        if payload:
            assert self.c.tracked_tensor(payload, ctypes.byref(tensor))
            ctypes.memmove(tensor.data, content(self.rank, to, number, payload), payload)
        self.c.tracked_fail(left)
        argument = ctypes.addressof(tensor) if payload else None
        done = self.c.tfc_transport_enqueue(self.t, to, first, len(first), second, len(second), argument, payload)
        self.c.tracked_clear(ctypes.byref(tensor))  # whose reference is left here if it was not sent
        if not done:
            return None
        self.sent[to] += 1
        return number

    def poll(self):
        """Polls; returns whether there was anything."""
        more = ctypes.c_bool(False)
        self.c.tracked_owner(self.rank)
        found = self.c.tfc_transport_poll(self.t, ctypes.byref(more))
        self.more = more.value
        return found

    def close(self):
        self.c.tracked_owner(self.rank)
        self.c.tfc_transport_close(self.t)
        self.t = None
        self.network.closed.add(self.rank)

    def live(self):
        """Blocks of memory that this endpoint has."""
        return self.c.tracked_live(self.rank)

    def numbers(self, source):
        return [d.number for d in self.delivered if d.source == source]

    def has_failed(self, peer):
        return any(p == peer for p, _ in self.failures)

    def reason(self, peer):
        return dict(self.failures).get(peer)

    # -- What the transport calls

    def _say(self, text):
        if text is None:
            return 0
        self._kept.append(ctypes.create_string_buffer(text.encode()))
        return ctypes.addressof(self._kept[-1])

    def _now(self):
        return self.network.now

    def _parse(self, source, data, size, payload):
        if size < RECORD.size:
            return self._say("its size")
        magic, _, payload_bytes, inside, may_be_overtaken, comes_last = RECORD.unpack(
            ctypes.string_at(data, RECORD.size)
        )
        if magic != b"MSG!" or size != RECORD.size + inside or payload_bytes < 0:
            return self._say("its header")
        payload[0].bytes, payload[0].may_be_overtaken = payload_bytes, may_be_overtaken
        payload[0].comes_last = comes_last
        return 0

    def _allocate(self, source, record, record_size, size, out):
        out[0].dtype = 99  # without memory nothing of it counts
        if self.no_memory or not self.c.tracked_tensor(size, out):
            self.refused.add(size)
            return False
        return True

    def _deliver(self, source, data, size, payload):
        expect = self.network._expect
        _, number, payload_bytes, inside, *_ = RECORD.unpack(ctypes.string_at(data, RECORD.size))
        got = ctypes.string_at(data, size)[RECORD.size :]
        expect(got == content(source, self.rank, number, inside), f"the record of message {number} is wrong")
        whole = bool(payload) or not payload_bytes
        if payload:
            got = ctypes.string_at(payload[0].data, payload_bytes)
            right = content(source, self.rank, number, payload_bytes)
            expect(got == right, f"message {number} of rank {source} is wrong")
            mine = Tensor.from_buffer_copy(payload[0])
            payload[0].buffer = None
            self.c.tracked_clear(ctypes.byref(mine))
        expect(not self.has_failed(source), f"rank {source} has failed, but message {number} of it is delivered")
        self.delivered.append(Delivered(source, number, whole))
        return self._say(self.answer)

    def _peer_failed(self, peer, incarnation, reason, at_fault):
        self.network._expect(not self.has_failed(peer), f"rank {self.rank} hears twice that rank {peer} has failed")
        self.failures.append((peer, reason.decode()))
        if at_fault:
            self.at_fault.add(peer)

    def _ring_doorbell(self, doorbell, peer):
        self.rung.append(peer)

    def _doorbell_works(self, doorbell, peer):
        return self.doorbell_works


def endpoints(n, chunk_bytes=1000, **options):
    """A network and an endpoint for each of its ranks."""
    network = Network(n, **options)
    return network, [Endpoint(network, rank, chunk_bytes) for rank in range(n)]


def run(network, processes, until=None, rounds=2000, step=10 * US):
    """Polls and lets everything happen until `until()`, or until nothing more happens.

    Raises:
      AssertionError: that did not come about.
    """
    quiet = 0
    for _ in range(rounds):
        busy = False
        for p in processes:
            if p.rank not in network.dead | network.frozen | network.closed:
                busy |= p.poll()
        for event in network.events():
            network.do(event)
            busy = True
        network.now += step
        network.check()
        if until is not None and until():
            return
        quiet = 0 if busy else quiet + 1
        if until is None and quiet > 3:
            return
    raise AssertionError(f"nothing comes of it; requests: {list(network.requests.values())}")


def pick(network, kind, **conditions):
    """The events of a kind whose messages have these attributes."""
    found = [e for e in network.events() if e.kind == kind]
    return [e for e in found if all(getattr(e.message, name) == value for name, value in conditions.items())]


def settle(network, *kinds):
    """Lets all events of these kinds happen."""
    while events := [e for e in network.events() if e.kind in kinds]:
        for event in events:
            network.do(event)


def connect(network, *ends):
    """Makes connections between all of them: each message has number 0."""
    for a, b in itertools.permutations(ends, 2):
        a.send(b.rank)
    run(network, ends)
    for end in ends:
        assert sorted(d.source for d in end.delivered) == [e.rank for e in ends if e is not end]
        end.delivered.clear()


def others_go_on(network, *ends):
    """Those that are left can send each other everything."""
    for a, b in itertools.permutations(ends, 2):
        first = a.send(b.rank, inside=10)
        second = a.send(b.rank, payload=LARGE)
        run(network, ends, lambda a=a, b=b, n=[first, second]: b.numbers(a.rank)[-2:] == n)
