"""The TCP link over real sockets: partial writes, ends in the middle of something, outsiders, new lives, a model."""

import collections
import gc
import os
import select
import socket
import struct
import time

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.distributed.transport import simulated_mpi
from tests.distributed.transport.simulated_mpi import JOB_TOKEN, LARGE, TAG_CHUNK, content
from tests.distributed.transport.tcp_network import (
    CHUNKS,
    HEADER,
    Network,
    Outsider,
    admit,
    endpoints,
    listening,
    run,
    spend,
)
from tests.threads import rounds


@pytest.fixture(autouse=True)
def no_descriptors_are_left():
    gc.collect()  # what earlier tests left
    before = len(os.listdir("/proc/self/fd"))
    yield
    assert len(os.listdir("/proc/self/fd")) == before


def end_all(network, *ends):
    for e in ends:
        network.end(e)
    network.check()


def outsider(network, to, port=1):
    """A process of rank 1 that `to` has admitted, under the control of a test."""
    other = Outsider(network, 1, to)
    admit(to, 1, other.incarnation, port)
    return other


@pytest.fixture
def end():
    """An endpoint whose only peer is an outsider."""
    network = Network(2)
    end = network.begin(0)
    yield end
    end_all(network, end)


# ---- Messages


@pytest.mark.parametrize(("most", "one_of"), [(1, 0), (3, 2), (100, 4), (2**40, 0)])
def test_whatever_the_system_takes_at_a_time(most, one_of):
    network, (a, b) = endpoints(2)
    network.c.script(most, one_of, 7)
    numbers = []
    for i in range(20):
        numbers.append(a.send(1, inside=100 * i))
        numbers.append(a.send(1, payload=LARGE + i))
        b.send(0, payload=1)
    run(network, [a, b], lambda: b.numbers(0) == numbers and len(a.numbers(1)) == 20)
    assert all(d.whole for d in a.delivered + b.delivered) and not a.failures + b.failures
    end_all(network, a, b)


def test_large_payloads_are_not_copied_or_cut():
    network, (a, b) = endpoints(2, chunk_bytes=5_000_000)
    for size in (50_000_000, 5_000_000, 1):
        a.send(1, payload=size)
        b.send(0, payload=size)
    run(network, [a, b], lambda: len(a.delivered) == len(b.delivered) == 3)
    assert all(d.whole for d in a.delivered + b.delivered)
    end_all(network, a, b)


def test_who_reads_nothing_gets_all_later(end):
    other = outsider(end.network, end)
    s = other.connect()
    assert other.is_answered(s, [end])
    s.sendall(other.hello() + other.message(0))
    run(end.network, [end], lambda: end.numbers(1) == [0])
    numbers = [end.send(1, inside=5000) for _ in range(3000)]
    spend(end.network, [end], 0.3)
    assert not end.failures
    expected = [HEADER.size + 24 + struct.calcsize("<4sIqi??") + 5000] * len(numbers)
    got, want = 0, sum(expected) + len(other.hello())
    while got < want:
        end.poll()
        s.setblocking(False)
        try:
            got += len(s.recv(1 << 20))
        except BlockingIOError:
            pass
    assert got == want
    s.close()
    run(end.network, [end], lambda: end.has_failed(1))


def test_small_messages_do_not_wait_behind_tensors(end):
    """The peer reads frames, and nothing of a tensor."""
    other = outsider(end.network, end)
    frames, chunks = other.connect(), other.connect(CHUNKS)
    assert other.is_answered(frames, [end]) and other.is_answered(chunks, [end])
    frames.sendall(other.hello() + other.message(0))
    chunks.sendall(HEADER.pack(1, TAG_CHUNK))
    run(end.network, [end], lambda: end.numbers(1) == [0])
    end.send(1, payload=20_000_000)
    end.send(1, inside=7)
    seen = b""
    while content(0, 1, 1, 7) not in seen:
        end.poll()
        frames.setblocking(False)
        try:
            seen += frames.recv(1 << 16)
        except BlockingIOError:
            pass
    frames.close(), chunks.close()
    run(end.network, [end], lambda: end.has_failed(1))


# ---- Connecting


def test_crossing_connections():
    for _ in range(30):
        network, ends = endpoints(4)
        for a in ends:
            for b in ends:
                if a is not b:
                    a.send(b.rank, payload=1500)
                    a.flush()
        run(network, ends, lambda ends=ends: all(len(e.delivered) == 3 for e in ends))
        assert not any(e.failures for e in ends)
        end_all(network, *ends)


def test_addresses_are_tried_in_turn():
    """Nobody listens at the first, the second is silent, and the third is in no network."""
    network = Network(2)
    a, b = network.begin(0), network.begin(1)
    port = network.port(1)
    network.c.tfc_tcp_after_fork(network.tcp[1])  # which listens at all addresses
    with socket.create_server(("127.0.0.2", port), backlog=16), socket.create_server(("127.0.0.1", port)) as right:
        admit(a, 1, network.incarnation(1), port, ["127.0.0.3", "127.0.0.2", "255.255.255.255", "127.0.0.1"])
        a.send(1)
        run(network, [a], lambda: _has_news(right))
        with right.accept()[0] as s:
            other = Outsider(network, 1, a)
            s.sendall(other.greeting() + other.hello() + other.message(0))
            run(network, [a], lambda: a.numbers(1) == [0])
        assert not a.failures
    end_all(network, a, b)


def test_nobody_listens(end):
    with listening() as s:
        port = s.getsockname()[1]
    outsider(end.network, end, port)
    end.send(1)
    run(end.network, [end], lambda: end.has_failed(1))
    assert end.reason(1) == "its process is gone (nobody listens at its addresses)" and not end.at_fault


def test_silence_is_no_failure(end):
    with listening() as s:
        outsider(end.network, end, s.getsockname()[1])
        end.send(1, payload=LARGE)
        spend(end.network, [end], 3)
        assert not end.failures and not end.delivered


def test_who_answers_wrongly_is_left_alone(end):
    """Another job's process may listen at the address."""
    with listening() as s:
        other = outsider(end.network, end, s.getsockname()[1])
        end.send(1)
        for wrong in ({"token": 5}, {"from_incarnation": 5}, {"to_incarnation": 7}, {"magic": 1}, {"version": 99}):
            run(end.network, [end], lambda: _has_news(s))
            connection, _ = s.accept()
            connection.settimeout(10)
            connection.sendall(other.greeting(**wrong))
            run(end.network, [end], lambda c=connection: _has_news(c))
            assert connection.recv(1000), "it greets"
            run(end.network, [end], lambda c=connection: _has_news(c))
            assert _is_closed(connection)
            connection.close()
        assert not end.failures


def test_a_greeting_that_comes_late_ends_no_connection(end):
    """Its attempt was given up while the network was cut; the next one has been answered before it comes."""
    other = outsider(end.network, end)
    late = other.greeting()
    with other.connect() as s, other.connect(greet=False) as former:
        assert other.is_answered(s, [end])
        former.sendall(late)
        assert not other.is_answered(former, [end])
        s.sendall(other.hello() + other.message(0))
        run(end.network, [end], lambda: end.numbers(1) == [0])
    assert not end.at_fault


def _has_news(s):
    return bool(select.select([s], [], [], 0)[0])


def _is_closed(s):
    try:
        return s.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "wrong",
    [
        {"magic": 1},
        {"version": 1},
        {"channel": 2},
        {"channel": 2**32 - 1},
        {"token": JOB_TOKEN ^ 1},
        {"from": 0},
        {"from": 2},
        {"from": -1},
        {"to": 1},
        {"from_incarnation": 1},
        {"from_incarnation": 0},
        {"to_incarnation": 1},
    ],
    ids=str,
)
def test_outsiders_leave_no_trace(end, wrong):
    other = outsider(end.network, end)
    s = other.connect(**wrong)
    assert not other.is_answered(s, [end])
    s.close()
    s = other.connect()
    assert other.is_answered(s, [end])
    s.sendall(other.hello() + other.message(0))
    run(end.network, [end], lambda: end.numbers(1) == [0])
    assert not end.failures
    s.close()
    run(end.network, [end], lambda: end.has_failed(1))


@pytest.mark.parametrize("greets", [False, True])
def test_frames_need_a_hello_with_the_token(end, greets):
    other = outsider(end.network, end)
    s = other.connect()
    assert other.is_answered(s, [end])
    s.sendall((other.hello(token=JOB_TOKEN ^ 1 << 63) if greets else b"") + other.message(0))
    if greets:
        run(end.network, [end], lambda: end.has_failed(1))
        assert end.reason(1) == "it does not know the token of this job" and end.at_fault == {1}
    spend(end.network, [end], 0.1)
    assert not end.delivered
    s.close()


def test_many_that_say_nothing(end):
    """They are bounded in number and time, and keep nobody out."""
    other = outsider(end.network, end)
    silent = [other.connect(greet=False) for _ in range(100)]
    for i, s in enumerate(silent):
        s.sendall(other.greeting()[: i % 40])
    spend(end.network, [end], 0.2)
    assert sum(map(_has_news, silent)) >= 100 - 64, "the oldest go"
    s = other.connect()
    assert other.is_answered(s, [end])
    run(end.network, [end], lambda: all(map(_has_news, silent)))
    assert all(map(_is_closed, silent))
    for x in [s, *silent]:
        x.close()
    spend(end.network, [end], 0.1)
    assert not end.failures, "it had not said anything yet"


def test_who_withdraws_may_come_again(end):
    other = outsider(end.network, end)
    for _ in range(3):
        s = other.connect()
        assert other.is_answered(s, [end])
        s.close()
    first = other.connect()
    assert other.is_answered(first, [end])
    second = other.connect()
    assert other.is_answered(second, [end])
    second.sendall(other.hello() + other.message(0))
    run(end.network, [end], lambda: end.numbers(1) == [0])
    third = other.connect()
    assert not other.is_answered(third, [end]), "there is one already"
    assert not end.failures
    for s in (first, second, third):
        s.close()
    run(end.network, [end], lambda: end.has_failed(1))


# ---- The end


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_the_end_in_the_middle_of_a_payload(end, reset, share):
    """What arrived whole before is delivered; a payload is delivered whole or not at all."""
    other = outsider(end.network, end)
    frames, chunks = other.connect(), other.connect(CHUNKS)
    assert other.is_answered(frames, [end]) and other.is_answered(chunks, [end])
    data = content(1, 0, 1, LARGE)
    sent = b"".join(HEADER.pack(len(d), TAG_CHUNK + 1) + d for d in (data[i : i + 1000] for i in range(0, LARGE, 1000)))
    chunks.sendall(sent[: int(len(sent) * share)])
    frames.sendall(other.hello() + other.message(0) + other.message(1, payload=LARGE) + other.message(2))
    if reset:
        for s in (frames, chunks):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    frames.close()
    chunks.close()
    run(end.network, [end], lambda: end.has_failed(1))
    numbers = [0, 1, 2] if share == 1.0 else [0]
    assert end.numbers(1) in ([numbers] if not reset else [numbers, [0], []])  # a reset may be faster than data
    assert not end.at_fault


@pytest.mark.parametrize("channel", ["frames", "chunks"])
def test_one_connection_is_lost(end, channel):
    other = outsider(end.network, end)
    s = {"frames": other.connect(), "chunks": other.connect(CHUNKS)}
    assert all(other.is_answered(x, [end]) for x in s.values())
    s["chunks"].sendall(HEADER.pack(1000, TAG_CHUNK + 1))
    s["frames"].sendall(other.hello() + other.message(0, payload=LARGE))
    spend(end.network, [end], 0.05)
    s[channel].close()
    run(end.network, [end], lambda: end.has_failed(1))
    assert not end.delivered and "closed" in end.reason(1)
    for x in s.values():
        x.close()


@pytest.mark.parametrize("payload", [0, 200_000])
def test_who_ends_waits_until_all_has_arrived(payload):
    """The receiver is busy at first. That it sends something makes the system drop what a closed socket had to send."""
    network, (a, b) = endpoints(2)
    a.send(1), b.send(0)
    run(network, [a, b], lambda: a.numbers(1) == b.numbers(0) == [0])
    numbers = [0, *(a.send(1, inside=5000) for _ in range(60)), a.send(1, payload=payload)]
    a.shutdown()
    end = time.monotonic() + 0.3
    while time.monotonic() < end and not a.is_shut_down():
        a.poll()
    b.send(0)
    run(network, [a, b], a.is_shut_down)
    network.end(a)
    run(network, [b], lambda: b.has_failed(0))
    assert b.numbers(0) == numbers and all(d.whole for d in b.delivered)
    end_all(network, b)


def test_who_ends_waits_for_nobody_that_reads_nothing(end):
    """An endpoint that shuts down sees that nothing moves, and gives up when it likes."""
    other = outsider(end.network, end)
    s = other.connect()
    assert other.is_answered(s, [end])
    s.sendall(other.hello() + other.message(0))
    run(end.network, [end], lambda: end.numbers(1) == [0])
    for _ in range(60):
        end.send(1, inside=5000)
    end.shutdown()
    spend(end.network, [end], 0.2)
    assert not end.poll() and not end.is_shut_down()
    s.close()
    run(end.network, [end], end.is_shut_down)
    assert end.has_failed(1)


NONSENSE = {
    "a frame that is too long": (0, HEADER.pack(2**32 - 1, simulated_mpi.TAG_FRAME)),
    "a frame longer than the largest": (0, HEADER.pack(20000, simulated_mpi.TAG_FRAME) + b"x" * 20000),
    "a tag that frames do not have": (0, HEADER.pack(100, TAG_CHUNK) + b"x" * 100),
    "random bytes": (0, bytes(range(100, 200)) * 50),
    "a chunk that is too long": (1, HEADER.pack(2**32 - 1, TAG_CHUNK + 1) + b"x" * 5000),
    "a chunk that is too short": (1, HEADER.pack(999, TAG_CHUNK + 1) + b"x" * 5000),
    "a chunk of another payload": (1, HEADER.pack(1000, TAG_CHUNK + 2) + b"x" * 5000),
}


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_is_cut_off(end, kind):
    channel, data = NONSENSE[kind]
    other = outsider(end.network, end)
    s = [other.connect(), other.connect(CHUNKS)]
    assert all(other.is_answered(x, [end]) for x in s)
    s[0].sendall(other.hello() + other.message(0) + other.message(1, payload=LARGE))
    run(end.network, [end], lambda: end.numbers(1) == [0])
    s[channel].sendall(data)
    run(end.network, [end], lambda: end.has_failed(1))
    assert end.numbers(1) == [0] and end.at_fault == {1}
    for x in s:
        x.close()


# ---- Lives


def test_a_new_life():
    network, (a, b, c) = endpoints(3)
    a.send(1, payload=LARGE)
    b.send(0)
    c.send(1)
    run(network, [a, b, c], lambda: len(a.delivered) == 1 and len(b.delivered) == 2)
    for life in range(5):
        a.send(1, payload=3_000_000)  # under way when it dies
        a.flush()
        network.kill(b)
        run(network, [a, c], lambda: a.has_failed(1) and c.has_failed(1))
        a.send(1)  # for nobody
        b = network.begin(1)
        for x in (a, c):
            admit(x, 1, network.incarnation(1), network.port(1))
        for x in (a, c):
            admit(b, x.rank, network.incarnation(x.rank), network.port(x.rank))
        a.send(1, payload=LARGE)
        b.send(2, payload=LARGE + life)
        run(network, [a, b, c], lambda b=b: b.numbers(0) == [0] and c.numbers(1) == [0])
    spend(network, [a, b, c], 0.05)
    end_all(network, a, b, c)


def test_who_is_given_up_takes_nobody_for_dead():
    """One that was frozen and wakes up would tell others of deaths that did not happen."""
    network, (a, b) = endpoints(2)
    a.send(1, payload=LARGE)
    b.send(0, payload=LARGE)
    run(network, [a, b], lambda: a.numbers(1) == b.numbers(0) == [0])
    a.disconnect(1)
    run(network, [a], lambda: a.has_failed(1))
    b.send(0, payload=LARGE)
    spend(network, [a, b], 0.5)
    assert not b.failures and a.numbers(1) == [0]
    network.kill(a)
    run(network, [b], lambda: b.has_failed(0))
    end_all(network, b)


def test_an_earlier_life_is_refused():
    network, (a, b) = endpoints(2)
    a.send(1)
    b.send(0)
    run(network, [a, b], lambda: a.numbers(1) == b.numbers(0) == [0])
    network.lives[1] += 1
    admit(a, 1, network.incarnation(1), 1)
    network.lives[1] -= 1
    b.send(0)
    b.send(0, payload=LARGE)
    run(network, [a, b], lambda: b.has_failed(0))
    assert not a.delivered and not a.failures
    end_all(network, a, b)


# ---- Against a model


class Links(RuleBasedStateMachine):
    """sent: by (from, to), what the life of each has sent to the life of the other."""

    @initialize(n=st.integers(2, 3), most=st.sampled_from([1, 7, 300, 2**40]), one_of=st.sampled_from([0, 2]))
    def start(self, n, most, one_of):
        self.network, self.ends = endpoints(n, 200)
        self.network.c.script(most, one_of, 1)
        self.sent = collections.defaultdict(list)
        self.dead = set()

    def living(self):
        return [e for e in self.ends if e.rank not in self.dead]

    @rule(
        rank=st.integers(0, 2),
        by=st.integers(1, 2),
        size=st.sampled_from([(0, 0), (300, 0), (5, 100), (0, 200), (0, 1500)]),
        n=st.sampled_from([1, 3, 100]),
    )
    def send(self, rank, by, size, n):
        a, b = rank % len(self.ends), (rank + by) % len(self.ends)
        if a == b or a in self.dead:
            return
        for _ in range(n):
            number = self.ends[a].send(b, *size)
            if b not in self.dead:
                self.sent[a, b].append(number)

    @rule(rank=st.integers(0, 2), n=st.sampled_from([1, 5, 20]))
    def poll(self, rank, n):
        end = self.ends[rank % len(self.ends)]
        for _ in range(n if end.rank not in self.dead else 0):
            end.poll()

    @rule(rank=st.integers(0, 2))
    def kill(self, rank):
        rank %= len(self.ends)
        if rank not in self.dead:
            self.network.kill(self.ends[rank])
            self.dead.add(rank)

    @rule(rank=st.integers(0, 2))
    def begin(self, rank):
        rank %= len(self.ends)
        if rank not in self.dead:
            return
        self.ends[rank] = self.network.begin(rank, 200)
        self.dead.discard(rank)
        for e in self.living():
            for a, b in ((e, self.ends[rank]), (self.ends[rank], e)):
                if e.rank != rank:
                    admit(a, b.rank, self.network.incarnation(b.rank), self.network.port(b.rank))
                    self.sent[a.rank, b.rank] = []

    @invariant()
    def nothing_is_wrong(self):
        for e in self.living():
            for source in range(len(self.ends)):
                if source not in self.dead:
                    got = e.numbers(source)
                    assert got == self.sent[source, e.rank][: len(got)]
                    assert not e.has_failed(source), e.failures
        self.network.check()

    @rule()
    def all_arrives(self):
        living = self.living()
        pairs = [(a.rank, b) for a in living for b in living if a is not b]
        run(self.network, living, lambda: all(b.numbers(a) == self.sent[a, b.rank] for a, b in pairs))

    def teardown(self):
        self.all_arrives()
        end_all(self.network, *self.living())


TestLinks = Links.TestCase
TestLinks.settings = settings(max_examples=rounds(30), stateful_step_count=30, deadline=None)
