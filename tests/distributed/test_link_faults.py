"""The link when MPI reports errors: driven step by step, with stand-ins for MPI and for the fabric."""

import collections
import types

import numpy as np
import pytest

from tests.distributed import mpi
from tfcore.distributed import mpi_link
from tfcore.framework import errors

PEERS = [1, 2]
PAYLOAD_BYTES = 1000


class MPIError(Exception):
    def Get_error_class(self):
        return Process.ERR_PROC_FAILED


class Process:
    """What the link uses of the module MPI."""

    ERR_PROC_FAILED = 75
    ANY_SOURCE = -1
    BYTE = None
    Exception = MPIError

    class Status:
        pass


class Request:
    """state: "pending", "done" or "failed"."""

    def __init__(self, size):
        self.size = size
        self.state = "pending"
        self.tests = 0

    def Test(self, status=None):
        self.tests += 1
        if self.state == "failed":
            raise MPIError("the process has failed")
        if status is not None:
            status.Get_count = lambda unit: self.size
        return self.state == "done"

    def Cancel(self):
        pass


class Header:
    def __init__(self, text, fails):
        self.text, self.fails = text, fails

    def Recv(self, spec):
        if self.fails:
            raise MPIError("the process has failed")
        spec[0][:] = self.text


class Comm:
    """headers: those that have arrived. payloads, sends: by peer, the requests made so far."""

    def __init__(self):
        self.headers = collections.deque()
        self.payloads = collections.defaultdict(list)
        self.sends = collections.defaultdict(list)
        self.refused = set()  # peers from which MPI does not begin to receive

    def arrive(self, peer, text, fails=False):
        self.headers.append((peer, Header(text, fails)))

    def Improbe(self, source, tag, status):
        if not self.headers:
            return None
        peer, header = self.headers.popleft()
        status.Get_count = lambda unit: len(header.text)
        status.Get_source = lambda: peer
        return header

    def Irecv(self, spec, peer, tag):
        if peer in self.refused:
            raise MPIError("the process has failed")
        self.payloads[peer].append(Request(len(spec[0])))
        return self.payloads[peer][-1]

    def Issend(self, spec, peer, tag):
        self.sends[peer].append(Request(len(spec[0])))
        return self.sends[peer][-1]

    def Get_failed(self):
        return types.SimpleNamespace(size=0, Get_size=lambda: 0, Translate_ranks=lambda ranks, group: [])

    def Ack_failed(self, n):
        pass

    def Get_group(self):
        return None


class Fabric:
    """delivered: (header, whether there is a payload). Headers that end with "+" announce one."""

    def __init__(self):
        self.delivered, self.failed, self.outgoing = [], {}, []
        self.no_memory = False
        self.is_open = True

    def foreign(self):
        return list(PEERS)

    def rank(self):
        return 0 if self.is_open else -1

    def alive(self, peer):
        return self.is_open and peer not in self.failed

    def fail(self, peer, reason):
        self.failed.setdefault(peer, reason)

    def take_outgoing(self):
        taken, self.outgoing = self.outgoing, []
        return taken

    def payload_bytes(self, header):
        return PAYLOAD_BYTES if header.endswith(b"+") else 0

    def allocate(self, header):
        if not self.payload_bytes(header):
            return None
        if self.no_memory:
            raise errors.ResourceExhaustedError(None, None, "OOM when receiving a tensor")
        return np.zeros(PAYLOAD_BYTES, np.uint8)

    def deliver(self, header, array=None):
        if header.startswith(b"malformed"):
            raise errors.InternalError(None, None, "From another host: the message is malformed.")
        self.delivered.append((header.decode(), array is not None))


class Doorbell:
    def ring(self, peer):
        pass

    def seen(self, peer):
        return 1


@pytest.fixture
def link(monkeypatch):
    mpi.require()
    monkeypatch.setattr(mpi_link, "fabric", Fabric())
    monkeypatch.setattr(mpi_link.world, "mpi", lambda: Process)
    made = mpi_link.Link(Comm(), Doorbell())
    made.comm, made.fabric = made._comm, mpi_link.fabric
    return made


def test_a_tensor_that_came_in_part_is_not_delivered(link):
    link.comm.arrive(1, b"tensor+")
    link.comm.arrive(1, b"after")
    link._look()
    link.comm.payloads[1][0].state = "failed"
    for _ in range(3):
        link._look()
    assert link.fabric.delivered == []  # nor what was sent after it: messages arrive in order or not at all
    assert "the process has failed" in link.fabric.failed[1]


def test_what_came_whole_before_the_sender_died_is_delivered(link):
    link.comm.arrive(1, b"first+")
    link.comm.arrive(1, b"second+")
    link._look()
    first, second = link.comm.payloads[1]
    first.state, second.state = "done", "failed"
    link._look()
    assert link.fabric.delivered == [("first+", True)]


def test_a_tensor_in_pieces_is_lost_with_one_of_them(link, monkeypatch):
    monkeypatch.setattr(link, "_chunk", 400)
    link.comm.arrive(1, b"tensor+")
    link._look()
    for request, state in zip(link.comm.payloads[1], ["done", "failed", "pending"]):
        request.state = state
    for _ in range(3):
        link._look()
    assert link.fabric.delivered == [] and 1 in link.fabric.failed


def test_a_payload_that_is_too_short_is_not_delivered(link):
    link.comm.arrive(1, b"tensor+")
    link._look()
    link.comm.payloads[1][0].state = "done"
    link.comm.payloads[1][0].size -= 1
    link._look()
    assert link.fabric.delivered == [] and 1 in link.fabric.failed


@pytest.mark.parametrize("where", ["header", "payload"])
def test_a_message_that_can_not_be_received_ends_its_sender_only(link, where):
    if where == "payload":
        link.comm.refused.add(1)
    link.comm.arrive(1, b"tensor+", fails=where == "header")
    link.comm.arrive(1, b"after")
    link.comm.arrive(2, b"another")
    link._look()
    assert link.fabric.delivered == [("another", False)]
    assert list(link.fabric.failed) == [1]


def test_a_malformed_message_ends_its_sender_only(link):
    link.comm.arrive(1, b"malformed")
    link.comm.arrive(1, b"after")
    link.comm.arrive(2, b"another")
    link._look()
    assert link.fabric.delivered == [("another", False)]
    assert list(link.fabric.failed) == [1]


def test_without_memory_one_message_is_lost(link):
    link.fabric.no_memory = True
    link.comm.arrive(1, b"large+")
    link._look()
    link.fabric.no_memory = False
    link.comm.arrive(1, b"after+")
    link.comm.arrive(2, b"another")
    link._look()
    for request in link.comm.payloads[1]:
        request.state = "done"
    link._look()
    assert link.fabric.delivered == [("another", False), ("large+", False), ("after+", True)]
    assert link.fabric.failed == {}


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize("noticed_by", ["MPI", "the watch"])
def test_the_link_rests_after_a_death_in_a_transfer(link, direction, noticed_by):
    if direction == "in":
        link.comm.arrive(1, b"tensor+")
    else:
        link.fabric.outgoing = [(1, b"tensor+", np.zeros(PAYLOAD_BYTES, np.uint8))]
        link._look()
        link.comm.sends[1][0].state = "done"  # the header
    link._look()
    assert link._longest_nap() == mpi_link.SHORTEST_NAP_S
    if noticed_by == "MPI":
        link._failed(link._peers[1], MPIError("dead"))
        link._bury(float("inf"))
        assert list(link.fabric.failed) == [1]
    else:  # a frozen process: MPI never ends its requests
        link.fabric.fail(1, "it has given no sign of life")
    link._look()
    assert link._longest_nap() == mpi_link.LONGEST_NAP_S


def test_a_dead_sender_s_tensors_are_let_go(link):
    link.comm.arrive(1, b"one+")
    link.comm.arrive(1, b"two+")
    link._look()
    one, two = link.comm.payloads[1]
    one.state = "failed"
    link._look()
    tests = two.tests
    link._look()
    assert two.tests > tests  # MPI may still write to it
    two.state = "failed"
    link._look()
    tests = two.tests
    link._look()
    assert two.tests == tests  # it is forgotten, and its tensor with it


def test_a_fabric_that_closes_meanwhile_does_not_end_the_link(link, monkeypatch):
    def closed(*arguments):
        raise errors.FailedPreconditionError(None, None, "the fabric is not open")

    monkeypatch.setattr(link.fabric, "deliver", closed)
    link.comm.arrive(1, b"late")
    assert link._look()
    link._failed(link._peers[1], MPIError("dead"))
    monkeypatch.setattr(link.fabric, "fail", closed)
    link._bury(float("inf"))
