"""Messages between the tasks of a cluster: opening and closing, calls of Python functions, tasks on other hosts.

Order: `open` in every process, exchange the addresses it returns, `connect`, set handlers and `serve`, `start`.
fabric.h defines messages and how C code sends them.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from tfcore.core.runtime cimport *
from tfcore.core.memory.tensor cimport TensorValue
from tfcore.distributed.fabric.fabric_internals cimport *

import atexit
import collections
import contextlib
import io
import json
import os
import socket
import threading
import time
import traceback

from tfcore.framework import errors


cdef enum:
    LOOK_NS = 50000000  # how often a waiting main thread looks for signals

IDLE_SECONDS = 10.0  # after which an idle thread that serves calls ends
WATCHED = 2  # tasks of this host whose heartbeat each task sees from the start
# How long a waiting thread polls before it sleeps, while that pays:
SPIN_US = 50.0  # where each task has a core,
LENDING_SPIN_US = 20.0  # where tasks that poll lend their cores to each other (service.c),
CROWDED_SPIN_US = 10.0  # and where more than LENDING_TASKS_PER_CORE share a core: it may be long until it comes back
LENDING_TASKS_PER_CORE = 2

MAX_GENERATION = TFC_MAX_GENERATION  # how often a place can be taken again

_methods = {}
_on_failure = []
_told = set()  # (rank, incarnation) of those whose end has been told, under `_telling`
_serving = threading.local()  # the incarnation of the process whose call this thread serves
_opened_by = None  # the process that opened the fabric
_address = None
_per_core = 1.0  # see tasks_per_core


cdef void doorbell_rang() noexcept nogil:
    tfc_link_doorbell_rang()


# ---- Opening and closing


def _check(started=True):
    if _opened_by is None or tfc_rank_here() < 0:
        if _opened_by is not None and _opened_by != os.getpid():
            raise errors.FailedPreconditionError(
                None, None, f"The connections to the cluster belong to process {_opened_by}; a forked process has none."
            )
        raise errors.FailedPreconditionError(None, None, "There is no connection to a cluster: the fabric is not open.")
    if started and not tfc_running():
        raise errors.FailedPreconditionError(None, None, "The fabric is open, but not started.")


cdef tfc_peer *_peer(int peer) except NULL:
    _check(False)
    cdef tfc_peer *p = tfc_peer_of(peer)
    if p == NULL:
        raise errors.InvalidArgumentError(None, None, f"There is no task of rank {peer}: the cluster has {size()}.")
    return p


def host_id():
    """Identifies the processes of one host that see each other's memory."""
    with io.open("/proc/sys/kernel/random/boot_id") as f:
        boot = f.read().strip()
    return f"{boot} {os.readlink('/proc/self/ns/pid')}"


def open(int rank, int size, sharing=None):
    """Makes this process's memory for messages. Returns its address, which every other task needs for `connect`.

    Here the process gets its incarnation, a random number that is not 0: with it, messages tell the processes apart
    that have the same rank one after the other.

    Args:
      sharing: how many of the tasks, this one included, may share memory; they divide the address space. None: all.

    Raises:
      InvalidArgumentError: there is no such rank, or there are too many tasks.
      FailedPreconditionError: the fabric is open, or this is a forked process.
      UnavailableError: the system has no memory that processes can share.
    """
    global _opened_by, _address
    if not 0 <= rank < size:
        raise errors.InvalidArgumentError(None, None, f"Rank {rank} is not one of {size} tasks.")
    if size > TFC_MAX_TASKS:
        raise errors.InvalidArgumentError(
            None, None, f"A cluster can have at most {TFC_MAX_TASKS:,} tasks, as steps are numbered; this has {size:,}."
        )
    if tfc_rank_here() >= 0:
        raise errors.FailedPreconditionError(None, None, "The fabric is open already.")
    cdef uint32_t own = int.from_bytes(os.urandom(4), "little") or 1
    cdef uint64_t token = int.from_bytes(os.urandom(8), "little")
    cdef const char *problem = tfc_endpoint_open(rank, size, size if sharing is None else sharing, own, token)
    if problem != NULL:
        raise errors.UnavailableError(None, None, f"Tasks of this host can't share memory: {problem.decode()}.")
    tfc_calls_init()
    _methods.clear()
    _on_failure.clear()
    _told.clear()
    _opened_by = os.getpid()
    _address = {
        "rank": rank,
        "incarnation": own,
        "pid": os.getpid(),
        "host": host_id(),
        "hostname": socket.gethostname(),
        "inbox": tfc_here.inbox_fd,
        "arena": tfc_arena_fd(),
        "arena_bytes": tfc_arena_bytes(),
        "token": token,
        "cpus": sorted(os.sched_getaffinity(0)),
    }
    return json.dumps(_address).encode()


def share_machine(addresses):
    """By rank, whether the process runs on this one's machine, so that both compete for its cores.

    It may be in another container, and need not share memory with this one. An address is None where there is none.
    Waits spin for as long as suits the number of those processes.
    """
    global _per_core
    decoded = [None if a is None else json.loads(a) for a in addresses]
    is_here = [a is not None and _machine(a) == _machine(_address) for a in decoded]
    neighbours = [a for a, near in zip(decoded, is_here) if near]
    spin = os.environ.get("TFCORE_SPIN_US")
    _per_core = len(neighbours) / len(set().union(*[a["cpus"] for a in neighbours]))
    tfc_here.lends_core = 1 < _per_core <= LENDING_TASKS_PER_CORE
    usual = SPIN_US if _per_core <= 1 else LENDING_SPIN_US if tfc_here.lends_core else CROWDED_SPIN_US
    tfc_here.spin_ns = <int64_t>((float(spin) if spin else usual) * 1e3)
    return is_here


def _machine(address):
    return address["host"].partition(" ")[0]


def same_host(bytes a, bytes b):
    """Whether two addresses are of processes that can see each other's memory."""
    return json.loads(a)["host"] == json.loads(b)["host"]


cdef int _read_address(address, tfc_memory_address *at) except -1:
    at.pid, at.inbox_fd, at.arena_fd = address["pid"], address["inbox"], address["arena"]
    at.arena_bytes, at.token = address["arena_bytes"], address["token"]
    return 0


cdef int _read_tcp_address(port, hosts, tfc_tcp_address *at) except -1:
    memset(at, 0, sizeof(at[0]))
    at.port = port
    for host in hosts[:TFC_TCP_MAX_HOSTS]:
        packed = socket.inet_aton(host)
        memcpy(&at.hosts[at.n], <const char *>packed, 4)
        at.n += 1
    return 0


cdef int _set_address(address) except -1:
    cdef tfc_memory_address at
    _read_address(address, &at)
    tfc_reach_set_address(_peer(address["rank"]), &at)
    return 0


def reach(int peer):
    """Maps the memory of a task of this host now, to see its heartbeat.

    Raises:
      UnavailableError: it can't be mapped.
    """
    cdef tfc_peer *p = _peer(peer)
    cdef const char *problem = NULL
    if not p.foreign:
        with nogil:
            problem = tfc_reach(p)
    if problem == NULL:
        return
    if not os.path.exists(f"/proc/{p.pid}"):
        raise errors.UnavailableError(None, None, f"Rank {peer} (process {p.pid}) died while the cluster started.")
    raise errors.UnavailableError(
        None,
        None,
        f"Rank {peer} (process {p.pid}) is on this host, but its memory can't be shared: {problem.decode()}. Set "
        "TFCORE_TRANSPORT=mpi in the environment of all tasks to do without shared memory.",
    )


def transport_name():
    """What TFCORE_TRANSPORT says: "mpi", "tcp", or "" if it is not set."""
    name = os.environ.get("TFCORE_TRANSPORT", "")
    if name not in ("", "mpi", "tcp"):
        raise errors.InvalidArgumentError(None, None, f"TFCORE_TRANSPORT is {name!r}, but must be 'mpi' or 'tcp'.")
    return name


def tasks_per_core():
    """How many tasks of this job share a core of this machine, after `connect`."""
    return _per_core


def connect(addresses, hosts=None, generations=None, failures=None, token=None):
    """Says where the other tasks are. The memory of those of this host is mapped when it is first needed.

    That of the next WATCHED ones is mapped at once: each task's heartbeat is seen by that many others, and a host on
    which memory can't be shared is noticed. Tasks on other hosts are reached over MPI or TCP.

    Args:
      addresses: what `open` returned in each task, by rank; that of its last process if the place is empty, None if it
        has had none so far.
      hosts: by rank, the same number for tasks that may be on one host, the same list in all tasks; None: all may be.
        Their addresses must say so, too. With TFCORE_TRANSPORT in the environment, each is on a host of its own.
      generations: for a process that joins later: by rank, how often the place was taken again. `hosts` is then what
        `hosts()` returns in the other tasks.
      failures: by rank, why a place is empty; None: it is not. A place without an address is empty.
      token: of the job, which a task that takes a place is told; None: it is in the first address.

    Returns: list of bools by rank: whether the task shares memory with this one, or is this one.

    Raises:
      InvalidArgumentError: TFCORE_TRANSPORT is something else.
      UnavailableError: the memory of a task of this host can't be mapped.
    """
    _check(False)
    cdef int me = rank()
    decoded = [None if a is None else json.loads(a) for a in addresses]
    if len(decoded) != size():
        raise errors.InvalidArgumentError(None, None, f"There are {size()} tasks, but {len(decoded)} addresses.")
    lowest = {}  # (host's name, number of the host) -> the lowest rank there
    for i, a in enumerate(decoded):
        if generations:
            tfc_peer_of(i).host = hosts[i]
        elif a is not None:
            apart = i if transport_name() else None if hosts is None else hosts[i]
            tfc_peer_of(i).host = lowest.setdefault((a["host"], apart), i)
    shares = [tfc_peer_of(i).host == tfc_peer_of(me).host for i in range(len(decoded))]
    tfc_here.token = next(a["token"] for a in decoded if a) if token is None else token
    share_machine(addresses)
    for i, address in enumerate(decoded):
        if failures and failures[i] is not None:
            shares[i] = False
            tfc_endpoint_identify(i, 0, generations[i] if generations else 0)
            reason = failures[i].encode()
            tfc_endpoint_vacate(i, reason)
            _told.add((i, 0))
            continue
        tfc_endpoint_identify(i, address["incarnation"], generations[i] if generations else 0)
        describe(i, f"task on host {address['hostname']}")
        if i == me or not shares[i]:
            continue
        _set_address(address)
    here = [i for i, is_here in enumerate(shares) if is_here]
    at = here.index(me)
    for peer in (here[at + 1 :] + here[:at])[:WATCHED]:
        reach(peer)
    return shares


def pretend_hosts(hosts):
    """For tests: groups that are made from now on take tasks to be on these hosts, though all share memory.

    Args:
      hosts: by rank, the lowest rank on the same host; the same list in all tasks.
    """
    for i, host in enumerate(hosts):
        _peer(i).host = host


def is_vacant(int peer):
    """Whether the process of the place has failed or left, and this has been handled, so that it may be replaced."""
    return not alive(peer) and _peer(peer).told != 0


def host_for(address, others):
    """The number of the host (`hosts`) of a process that takes a place that has had none so far: the same in all tasks.

    Args:
      address: what `open` returned there.
      others: by rank, the addresses of the last processes; None: the place has had none.
    """
    new = json.loads(address)
    if not transport_name():
        for i, other in enumerate(others):
            if other is not None and json.loads(other)["host"] == new["host"]:
                return _peer(i).host
    return new["rank"]


def replace(address, int generation, int host, int port, hosts):
    """Lets a new process take a place that is empty.

    Functions that wait for the end of tasks (`on_failure`) have been called for the old process before.

    Args:
      address: what `open` returned there.
      generation: how often the place was taken again.
      host: the number of its host, the same in all tasks: that of the last process, or else `host_for`.
      port, hosts: where the new one listens, if it shares no memory with this task: see `admit`.

    Raises:
      FailedPreconditionError: the end of the old process is not known, or not handled, here.
      UnavailableError: the memory of the new one can't be mapped, or there is no transport.
      InvalidArgumentError: the place was taken again too often.
    """
    _check()
    cdef tfc_memory_address at
    cdef tfc_tcp_address tcp
    cdef int peer
    cdef uint32_t incarnation
    cdef const char *problem
    new = json.loads(address)
    peer, incarnation = new["rank"], new["incarnation"]
    if generation > TFC_MAX_GENERATION:
        raise errors.InvalidArgumentError(None, None, f"Rank {peer} was taken again {TFC_MAX_GENERATION} times before.")
    if not is_vacant(peer):
        raise errors.FailedPreconditionError(None, None, f"{description(peer)}: its former process has not ended yet.")
    _tell(peer, _peer(peer).incarnation)
    _read_address(new, &at)
    _read_tcp_address(port, hosts, &tcp)
    with nogil:
        problem = tfc_endpoint_replace(peer, incarnation, generation, host, &at, &tcp)
    if problem != NULL:
        raise errors.UnavailableError(None, None, f"Rank {peer} (process {at.pid}): {problem.decode()}.")
    reach(peer)


def beat():
    """Lets the others of this host see, from now on, that this process lives. `start` does so, too."""
    _check(False)
    if not tfc_beat_start():
        raise errors.ResourceExhaustedError(None, None, "There is no thread for the heartbeat.")


def start():
    """Begins to handle messages. Handlers, methods and callbacks must be set before."""
    _check(False)
    if tfc_running():
        raise errors.FailedPreconditionError(None, None, "The fabric is started already.")
    tfc_endpoint_start(tfc_here.spin_ns)
    beat()
    if tfc_here.size > 1:
        _Thread(_service, "tfcore-fabric").start()
    _Thread(_work, "tfcore-calls").start()


def close(double patience_s=1.0):
    """Tells all others that this task ends.

    Before that it waits briefly until they no longer read its memory, and afterwards, as briefly, until what it runs
    for them has ended: a thread that the interpreter ends in the middle of Python code leaks all that it holds.
    """
    if tfc_rank_here() < 0:
        return
    cdef int64_t patience = <int64_t>(patience_s * 1e9)
    with nogil:
        tfc_beat_stop()
        tfc_endpoint_close(patience)
    end = time.monotonic() + patience_s
    for thread in threading.enumerate():
        if isinstance(thread, _Thread) and thread.is_alive() and thread is not threading.current_thread():
            thread.join(max(0.0, end - time.monotonic()))


atexit.register(close)


def _after_fork():
    tfc_endpoint_after_fork()


os.register_at_fork(after_in_child=_after_fork)


class _Thread(threading.Thread):
    """A thread that serves other tasks until the fabric is closed."""

    def __init__(self, fn, name):
        super().__init__(target=fn, name=name, daemon=True)


def _service():
    with nogil:
        tfc_service_run()


def rank():
    """This task's number; -1 without a cluster."""
    return tfc_rank_here()


def size():
    """How many tasks there are; 0 without a cluster."""
    return tfc_size_here()


def foreign():
    """Ranks of the tasks on other hosts."""
    _check(False)
    return [i for i in range(size()) if tfc_peer_of(i).foreign]


def poll():
    """Handles messages that have arrived; returns whether there were any."""
    _check()
    cdef bint any
    with nogil:
        any = tfc_poll()
    return any


def stats():
    """Bytes and free ranges of the arena; numbers of tensors that peers hold (outstanding), that are kept for processes
    which count as dead and are not gone (withheld), of peers whose ring is full, and of messages that were refused
    because they came from, or were for, an earlier process of a place. awake: threads that handle messages, so that no
    sender wakes one. spin_us: for how many microseconds a thread polls before it sleeps. lends_core: whether it lends
    its core to other tasks meanwhile; lent: how often threads have done so."""
    cdef tfc_source_stats a
    memset(&a, 0, sizeof(a))
    if tfc_arena_source() != NULL:
        tfc_memory_source_stats(tfc_arena_source(), &a)
    peers = [] if rank() < 0 else range(size())
    return {
        "arena_bytes": tfc_arena_bytes(),
        "arena_bytes_in_use": a.bytes_committed,
        "arena_free_ranges": a.free_ranges,
        "outstanding": sum([tfc_outstanding(tfc_peer_of(i)) for i in peers]),
        "overflowing": sum([tfc_waits(tfc_peer_of(i)) for i in peers]),
        "withheld": tfc_count_withheld(),
        "refused": tfc_here.refused,
        "awake": tfc_count_awake(),
        "spin_us": tfc_here.spin_ns / 1e3,
        "lends_core": tfc_here.lends_core,
        "lent": tfc_count_lent(),
    }


def job_token():
    """A random number that the tasks of this job share: that in the address of the first rank 0. After `connect`."""
    _check(False)
    return tfc_here.token


cdef dict _counts(const tfc_traffic *t):
    cdef tfc_traffic now = tfc_traffic_of(t)
    return {"messages": now.messages, "bytes": now.bytes}


def traffic():
    """By rank: what went to and from each task since this one started, and what waits to go: a list of dicts.

    sent, received: messages and bytes; queued: those that found no room in the task's ring, or that MPI or TCP has not
    taken. ring_full: whether its ring has no room. outstanding: tensors of this task that it reads in place. state:
    "alive", "left" or "failed". The entry of this task itself counts nothing.
    """
    cdef tfc_peer *p
    cdef int64_t messages, n_bytes
    _check(False)
    found = []
    for i in range(size()):
        p = tfc_peer_of(i)
        queued = _counts(&p.waiting)
        if p.foreign:
            tfc_link_queued(i, &messages, &n_bytes)
            queued = {"messages": messages, "bytes": n_bytes}
        found.append({
            "state": ("alive", "left", "failed")[tfc_peer_state_of(p)],
            "sent": _counts(&p.sent),
            "received": _counts(&p.received),
            "queued": queued,
            "ring_full": tfc_waits(p) != 0,
            "outstanding": tfc_outstanding(p),
        })
    return found


# ---- Failure


def alive(int peer):
    """Whether the task has neither failed nor left."""
    return tfc_is_alive(peer)


def incarnation(int peer):
    """The random number of the process that has the place now; 0: of none that this task knows."""
    return _peer(peer).incarnation


def generation(int peer):
    """How often the place was taken again."""
    _peer(peer)
    return tfc_generation_of(peer)


def caller():
    """In a function that `serve` has made callable: the incarnation of the process that called it."""
    return getattr(_serving, "incarnation", 0)


def lives(int peer, incarnation):
    """Whether this process still has its place."""
    return alive(peer) and tfc_incarnation_of(peer) == incarnation


def fail(int peer, str reason, incarnation=None):
    """Declares a task dead: its buffers are dropped, its messages ignored. The first reason is kept.

    Args:
      incarnation: of the process that is meant; there is no effect if another one has its place. None: any.
    """
    cdef uint32_t failed = _peer(peer).incarnation if incarnation is None else incarnation
    cdef bytes text = reason.encode(errors="replace")
    cdef const char *c = text
    with nogil:
        tfc_fail_incarnation(peer, failed, c)


def excluded():
    """Whether the others have taken this task for dead. It can't reach them then."""
    return tfc_failure_code() == errors.ABORTED


def failure(int peer):
    """Why a task is not alive, or None."""
    _peer(peer)
    cdef char *text = tfc_failure(peer)
    if text == NULL:
        return None
    try:
        return text.decode(errors="replace")
    finally:
        free(text)


def on_failure(fn):
    """Calls fn(rank) for every task that fails or leaves, one at a time, on a thread of the fabric."""
    _on_failure.append(fn)


_telling = threading.Lock()


def _tell(peer, incarnation):
    with _telling:
        if (peer, incarnation) in _told:
            return
        _told.add((peer, incarnation))
        for fn in list(_on_failure):
            try:
                fn(peer)
            except Exception:
                if rank() >= 0:  # else it is the end of this task, too
                    _print_exception()


def _print_exception():
    with contextlib.suppress(Exception):  # nobody reads standard error any more: threads must continue all the same
        traceback.print_exc()


def describe(int peer, str text):
    """Sets what error messages call the task, such as "/job:ps/task:0"."""
    _peer(peer)
    cdef bytes encoded = text.encode(errors="replace")
    tfc_set_description(peer, encoded)


def name(int peer):
    """The task for error messages: its name and rank."""
    cdef char text[512]
    tfc_name_task(peer, text, sizeof(text))
    return (<bytes>text).decode(errors="replace")


def description(int peer):
    """The task for error messages: its name, rank and, if it failed, why."""
    cdef char text[512]
    tfc_describe(peer, text, sizeof(text))
    return (<bytes>text).decode(errors="replace")


def hosts():
    """By rank: the lowest rank with which the task shares memory, or its own; alike in all tasks. After `connect`."""
    return [_peer(i).host for i in range(size())]


def pids():
    """By rank: the process, 0 on other hosts."""
    _check(False)
    return [tfc_peer_of(i).pid for i in range(size())]


# ---- Messages from Python


cdef int _sent(int code, int peer) except -1:
    if code == TFC_OK:
        return 0
    text = f"{description(peer)}"
    if code == tfc_failure_code():
        raise errors.from_code(code, None, f"{text}. It can't be reached.")
    if code == TFC_RESOURCE_EXHAUSTED:
        raise errors.ResourceExhaustedError(None, None, f"OOM when sending to {text}")
    raise errors.InvalidArgumentError(None, None, f"A value of this type can't be sent to {text}.")


def send(int peer, int kind, value=None, *, int flags=0, int code=0, int64_t step=0, uint64_t edge=0, uint64_t frame=0,
         int64_t iteration=0):
    """Sends a message with a TensorValue, something to make one of, or nothing. Never blocks."""
    _check()
    _peer(peer)
    cdef tfc_message m
    cdef TensorValue v
    cdef int problem
    memset(&m, 0, sizeof(m))
    m.kind, m.flags, m.code, m.step, m.edge, m.frame, m.iteration = kind, flags, code, step, edge, frame, iteration
    if value is None:
        with nogil:
            problem = tfc_send(peer, &m, NULL)
    else:
        v = value if type(value) is TensorValue else TensorValue.from_numpy(value)
        with nogil:
            problem = tfc_send(peer, &m, &v.t)
    _sent(problem, peer)


def publish(int peer, value, *, bint ring=False):
    """Sends a REPLICA without waking the peer, unless it has to `ring`; whether it outlives this process (fabric.h)."""
    _check()
    cdef uint32_t incarnation = _peer(peer).incarnation
    cdef TensorValue v = value if type(value) is TensorValue else TensorValue.from_numpy(value)
    cdef tfc_message m
    cdef bool published = False
    cdef int problem
    memset(&m, 0, sizeof(m))
    m.kind = TFC_MSG_REPLICA
    with nogil:
        problem = tfc_publish(peer, incarnation, &m, &v.t, ring, &published)
    _sent(problem, peer)
    return published


Message = collections.namedtuple("Message", "source kind flags code step edge frame iteration value")


cdef class Mailbox:
    """All messages of one kind, in order of arrival; the one there is for its kind."""

    cdef tfc_mailbox *box

    def __init__(self, int kind):
        if not 0 < kind < TFC_MSG_KINDS:
            raise errors.InvalidArgumentError(None, None, f"There are no messages of kind {kind}.")
        self.box = tfc_mailbox_open(kind)

    def get(self, timeout_s=None):
        """The next message; None: none came in time. ResourceExhaustedError: there was no memory for its value."""
        cdef tfc_mail *mail = NULL
        cdef int64_t until = -1 if timeout_s is None else tfc_now_monotonic() + <int64_t>(timeout_s * 1e9)
        cdef int64_t left = LOOK_NS
        cdef bint spin = True
        while True:
            with nogil:
                mail = tfc_mailbox_take(self.box)
                if mail == NULL:
                    if until >= 0:
                        left = min(<int64_t>LOOK_NS, until - tfc_now_monotonic())
                    if left > 0:
                        tfc_wait_word(&self.box.filled, left, spin)
                        spin = False
            if mail != NULL:
                return _message(mail)
            PyErr_CheckSignals()
            if left <= 0:
                return None


cdef object _message(tfc_mail *mail):
    cdef TensorValue v = None
    cdef tfc_message *m = &mail.message
    if mail.payload.dtype:
        v = TensorValue.__new__(TensorValue)
        v.t = mail.payload
    result = Message(m.source, m.kind, m.flags, m.code, m.step, m.edge, m.frame, m.iteration, v)
    free(mail)
    if result.flags & TFC_MSG_LOST:
        raise errors.ResourceExhaustedError(None, None, f"OOM when receiving from {description(result.source)}")
    return result


include "calls.pxi"

# ---- Tasks on other hosts


cdef class Doorbell:
    """How tasks on other hosts are told that a message is on its way (heartbeat.pyx)."""


def listen():
    """Listens for tasks that will connect over TCP; returns the port. After `open`, until `close_transport`.

    Raises:
      UnavailableError: the system has no socket for it.
    """
    cdef uint16_t port = 0
    _check(False)
    cdef const char *problem = tfc_link_listen(&port)
    if problem != NULL:
        raise errors.UnavailableError(None, None, f"Reaching tasks on other hosts: {problem.decode()}.")
    return port


def open_transport(mpi, Doorbell doorbell, int64_t chunk_bytes):
    """Reaches the tasks of other hosts over MPI, or, without it, those that are admitted. After `connect` and `listen`,
    before `start`.

    Args:
      mpi: None, or the path of a loaded library that needs that of MPI, and the fields of tfc_mpi that are not
        functions (mpi_calls.h), by name.
      doorbell: wakes the other tasks; it must exist until `close_transport` has returned.
      chunk_bytes: large payloads are sent in chunks of this size, the same in all tasks.

    Raises:
      NotFoundError: the library is not loaded, or that of MPI lacks a function.
      ResourceExhaustedError: there is no memory.
    """
    cdef tfc_mpi found
    _check(False)
    if mpi is not None:
        _find_mpi(mpi[0], mpi[1], &found)
    cdef const char *problem = tfc_link_open(NULL if mpi is None else &found, &doorbell.c, chunk_bytes)
    if problem != NULL:
        raise errors.ResourceExhaustedError(None, None, f"Reaching tasks on other hosts: {problem.decode()}.")


cdef int _find_mpi(library, handles, tfc_mpi *mpi) except -1:
    cdef bytes path = os.fsencode(library)
    cdef void *loaded = dlopen(path, RTLD_NOLOAD | RTLD_LAZY)
    if loaded == NULL:  # which would stand for all that the program itself has loaded
        raise errors.NotFoundError(None, None, f"{library} is not loaded.")
    memset(mpi, 0, sizeof(mpi[0]))
    mpi.comm, mpi.byte, mpi.no_request = handles["comm"], handles["byte"], handles["no_request"]
    mpi.status_source_offset, mpi.any_source = handles["status_source_offset"], handles["any_source"]
    cdef const char *missing = tfc_mpi_find(loaded, mpi)
    if missing != NULL:
        raise errors.NotFoundError(None, None, f"The MPI library of {library} has no function {missing.decode()}.")
    return 0


def admit(int peer, uint32_t incarnation, int port, hosts):
    """Makes the process that listens at `port` of `hosts` (IPv4 addresses, tried in turn) the task `peer`, over TCP.

    Raises:
      InvalidArgumentError: there is no such task.
      FailedPreconditionError: there is no transport, or no memory.
    """
    cdef tfc_tcp_address at
    cdef const char *problem
    _peer(peer)
    _read_tcp_address(port, hosts, &at)
    with nogil:
        tfc_lock_polling()
        problem = tfc_link_admit(peer, incarnation, &at)
        tfc_unlock_polling()
    if problem != NULL:
        raise errors.FailedPreconditionError(None, None, f"Rank {peer} can't be reached over TCP: {problem.decode()}.")


def close_transport(double patience_s):
    """Sends what is queued and says goodbye. After `close`; takes at most `patience_s` seconds in which nothing moves,
    and ten times as long in all."""
    cdef int64_t patience = <int64_t>(patience_s * 1e9)
    with nogil:
        tfc_link_close(patience)
