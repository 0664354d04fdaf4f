"""The transport, message by message: several endpoints in one process over a stand-in for MPI."""

import itertools
import threading

import pytest

from tests.distributed.transport.simulated_mpi import (
    JOB_TOKEN,
    LARGE,
    MAX_RECORD,
    MS,
    PROTOCOL_MAGIC,
    PROTOCOL_VERSION,
    RECORD,
    SECOND,
    TAG_CHUNK,
    TAG_FRAME,
    TAG_HELLO,
    US,
    Endpoint,
    Network,
    connect,
    content,
    frame,
    hello,
    others_go_on,
    pick,
    record,
    run,
    settle,
)

# ---- Messages


def test_messages_of_all_sizes_arrive_in_order(three):
    network, *ends = three
    largest = MAX_RECORD - RECORD.size
    sizes = [(0, 0), (1, 0), (largest, 0), (0, 1), (5, 999), (5, 1000), (0, 1001), (7, 12_345), (0, 0)]
    for a, b in itertools.permutations(ends, 2):
        for inside, payload in sizes:
            assert a.send(b.rank, inside, payload) is not None
        assert a.send(b.rank, largest + 1) is None
    run(network, ends)
    for end in ends:
        assert {source: end.numbers(source) for source in range(3) if source != end.rank} == {
            source: list(range(len(sizes))) for source in range(3) if source != end.rank
        }
        assert all(d.whole for d in end.delivered) and end.failures == []


def test_messages_overtake_payloads_that_may_be_overtaken(three):
    network, a, b, _ = three
    connect(network, a, b)
    a.send(1, payload=LARGE, may_be_overtaken=True)
    a.send(1, inside=4)
    a.send(1, payload=LARGE, may_be_overtaken=True)
    a.send(1, inside=5)
    for _ in range(30):
        a.poll()
        for e in network.events():
            if e.message.tag < TAG_CHUNK:
                network.do(e)
        b.poll()
    assert b.numbers(0) == [2, 4]
    run(network, [a, b])
    assert sorted(b.numbers(0)) == [1, 2, 3, 4]


def test_nothing_overtakes_a_message_that_must_not_be_overtaken(three):
    network, a, b, _ = three
    connect(network, a, b)
    a.send(1, payload=500)
    a.send(1, payload=500, may_be_overtaken=True)
    a.send(1, inside=3, may_be_overtaken=True)
    a.send(1)
    for _ in range(30):
        a.poll()
        for e in network.events():
            if e.message.tag != TAG_CHUNK + 1:
                network.do(e)
        b.poll()
    assert b.delivered == []
    run(network, [a, b])
    assert b.numbers(0) == [1, 2, 3, 4]


def test_chunks_complete_in_any_order(three):
    network, a, b, _ = three
    connect(network, a, b)
    a.send(1, payload=LARGE)
    for _ in range(20):
        a.poll()
        b.poll()
        for e in pick(network, "arrive") + pick(network, "receive")[::-1] + pick(network, "send")[::-1]:
            network.do(e)
    assert b.numbers(0) == [1]


def test_a_flood_from_one_peer_does_not_starve_another(three):
    network, _, b, c = three
    network.immediate = True
    b.send(2)
    b.poll()
    nonsense(network, 2, frame(0, 1, record(0, 2, 0)))
    for number in range(1, 500):
        nonsense(network, 2, frame(0, number + 1, record(0, 2, number)), with_hello=False)
    c.poll()
    settle(network, "arrive")
    c.poll()  # makes the connections
    c.poll()
    assert 0 < len(c.numbers(0)) < 300 and c.numbers(1) == [0]
    run(network, [b, c])
    assert c.numbers(0) == list(range(500))


def test_threads_send_while_another_polls(three):
    network, a, b, _ = three
    each, failures = 200, []

    def send(first):
        failures.extend(n for n in range(first, first + each) if a.send(1, payload=n % 3, number=n) is None)

    threads = [threading.Thread(target=send, args=(1000 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        a.poll()
        b.poll()
    run(network, [a, b])
    assert not failures and len(b.delivered) == 4 * each
    for i in range(4):
        assert [n for n in b.numbers(0) if n // 1000 == i] == list(range(1000 * i, 1000 * i + each))


# ---- Memory


def test_a_payload_without_memory_is_lost_and_the_next_one_arrives(three):
    network, a, b, c = three
    b.no_memory = True
    a.send(1, payload=LARGE)
    a.send(1, payload=3)
    run(network, [a, b, c])
    b.no_memory = False
    a.send(1, payload=LARGE)
    a.send(1)
    run(network, [a, b, c])
    assert [(d.number, d.whole) for d in b.delivered] == [(0, False), (1, False), (2, True), (3, True)]
    assert a.failures == b.failures == []


def endpoints_of(network):
    found = []
    for rank in range(network.size):
        found.append(Endpoint(network, rank))
        if not found[-1].t:
            assert found[-1].live() == 0
    return found


def test_memory_runs_out_at_each_allocation():
    """Nothing crashes; a message is sent or refused, and arrives unless a peer has been given up."""
    refused = failures = 0
    left = -1
    for after in itertools.count():
        network = Network(2)
        network.c.tracked_fail(after)
        ends = [end for end in endpoints_of(network) if end.t]
        if len(ends) == 2:
            numbers = {end: [end.send(1 - end.rank, payload=p) for p in (0, LARGE, 0)] for end in ends}
            run(network, ends)
            for end, other in itertools.permutations(ends):
                sent = [n for n in numbers[end] if n is not None]
                refused += len(sent) < 3
                failed = end.failures or other.failures
                failures += bool(failed)
                assert failed or other.numbers(end.rank) == sent, after
            left = network.c.tracked_fail(-1)
            network.kill(1)  # the one that is left may not wait for the other
            network.notice(0, 1)
            run(network, ends[:1])
            network.now += 10 * SECOND  # so that no connection has bytes of what was sent
            run(network, ends[:1])
            ends = ends[:1]
        for end in ends:
            end.close()
            assert end.live() == 0
        network.check()
        if left >= 0:
            break
    assert refused and failures and after > 15


def test_memory_that_mpi_may_use_is_kept_until_its_requests_have_completed(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.cancels = False
    before = b.live()
    a.send(1, payload=LARGE)
    b.send(0, payload=LARGE)
    for _ in range(5):
        a.poll()
        b.poll()
        settle(network, "arrive")
        for e in pick(network, "receive", tag=TAG_FRAME) + pick(network, "send", tag=TAG_FRAME):
            network.do(e)
    b.disconnect(0)
    for _ in range(20):
        b.poll()
        network.now += MS
    assert b.failures == [(0, "it was given up")] and b.live() > before
    assert [r for r in network.of(1) if r.peer == 0 and r.tag >= TAG_CHUNK]
    chunks = [r for r in network.of(1) if r.peer == 0]
    for r in chunks:
        assert r in network.of(1)
        network.fail(r)
        b.poll()
        network.check()
    b.poll()
    assert [r for r in network.of(1) if r.peer == 0] == []
    assert b.live() <= before and b.delivered == []


@pytest.mark.parametrize("cancels", [False, True])
def test_closing_keeps_what_mpi_may_use(three, cancels):
    network, a, b, c = three
    connect(network, a, b, c)
    network.cancels = cancels
    a.send(1, payload=LARGE)
    b.send(0, payload=LARGE)
    b.send(2)
    network.frozen.add(0)
    b.poll()
    b.close()
    network.check()  # in which no memory of an open request was freed
    assert b.live() > 0
    c.close()
    assert (c.live() == 0) == cancels


def test_what_waits_for_a_peer_is_freed_when_it_is_given_up(three):
    network, a, b, c = three
    connect(network, a, b, c)
    before = a.live()
    network.frozen.add(1)
    for _ in range(500):
        a.send(1, payload=10)
    a.poll()
    assert a.live() > before + 1000
    a.disconnect(1)
    a.poll()
    a.poll()
    assert a.live() <= before + 4 * 80  # those that MPI has begun to send
    others_go_on(network, a, c)


def test_nothing_is_kept_of_what_has_been_sent(three):
    network, a, b, _ = three
    connect(network, a, b)
    before = a.live(), b.live()
    for _ in range(50):
        a.send(1, payload=LARGE)
        b.send(0, payload=LARGE, may_be_overtaken=True)
    run(network, [a, b])
    assert (a.live(), b.live()) == before


# ---- Malformed messages


def nonsense(network, to, data, tag=TAG_FRAME, with_hello=True):
    """Rank 0, which is not an endpoint, sends these bytes to rank `to`, after a HELLO if `with_hello`."""
    if with_hello:
        network.inject(0, to, TAG_HELLO, hello(0))
    network.inject(0, to, tag, data)


DATA = record(0, 1, 0, inside=3)
WITH_PAYLOAD = record(0, 1, 0, payload=LARGE)
MALFORMED = {
    "nothing": (b"", "malformed message"),
    "too short for a frame": (frame(0, 1, DATA)[:23], "malformed message"),
    "shorter than it says": (frame(0, 1, DATA)[:-1], "malformed message"),
    "longer than it says": (frame(0, 1, DATA) + b"x", "malformed message"),
    "a length beyond everything": (frame(0, 1, DATA, size=0xFFFFFFFF), "malformed message"),
    "larger than any": (frame(0, 1, record(0, 1, 0, inside=20_000)), "error 15 of MPI"),
    "wrong magic": (frame(0, 1, DATA, magic=PROTOCOL_MAGIC + 1), "malformed message"),
    "wrong number": (frame(0, 2, DATA), "a message from it was lost"),
    "number zero": (frame(0, 0, DATA), "a message from it was lost"),
    "wrong incarnation": (frame(0, 1, DATA, incarnation=77), "another incarnation"),
    "wrong number of its payload": (frame(0, 1, WITH_PAYLOAD, payload_number=2), r"its payload is not the next one"),
    "no number of its payload": (frame(0, 1, WITH_PAYLOAD, payload_number=0), r"its payload is not the next one"),
    "a record that is too short": (frame(0, 1, DATA[:3]), "malformed message .its size"),
    "a record that contradicts itself": (frame(0, 1, DATA[:-1]), "malformed message .its header"),
    "a record of nonsense": (frame(0, 1, b"?" * 100), "malformed message .its header"),
    "a payload larger than any memory": (
        frame(0, 1, record(0, 1, 0, payload=1 << 62), payload_number=1),
        "the size of its payload",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_frame_ends_its_sender_only(three, case):
    network, _, b, c = three
    data, reason = MALFORMED[case]
    nonsense(network, 1, data)
    nonsense(network, 1, frame(0, 2, DATA), with_hello=False)
    run(network, [b, c])
    assert [peer for peer, _ in b.failures] == [0]
    assert reason.replace(".", "(") in b.reason(0) or reason in b.reason(0)
    assert b.delivered == []
    others_go_on(network, b, c)


MALFORMED_HELLOS = {
    "nothing": (b"", "malformed message"),
    "too short": (hello(0)[:-1], "malformed message"),
    "too long": (hello(0) + b"x", "error 15 of MPI"),
    "wrong magic": (hello(0, magic=1), "malformed message"),
    "in another's name": (hello(2), "malformed message"),
    "without the job's token": (hello(0, token=JOB_TOKEN ^ 1 << 63), "does not know the token of this job"),
    "another version": (
        hello(0, version=PROTOCOL_VERSION + 1),
        f"version {PROTOCOL_VERSION + 1} of the protocol, this task version {PROTOCOL_VERSION}",
    ),
    "other chunks": (hello(0, chunk_bytes=999), "its TFCORE_TRANSPORT_CHUNK is 999, that of this task 1000"),
}


@pytest.mark.parametrize("case", MALFORMED_HELLOS)
def test_a_malformed_hello_ends_its_sender_only(three, case):
    network, _, b, c = three
    data, reason = MALFORMED_HELLOS[case]
    nonsense(network, 1, data, TAG_HELLO, with_hello=False)
    nonsense(network, 1, frame(0, 1, DATA), with_hello=False)
    run(network, [b, c])
    if case == "too long":  # MPI does not say who sent what it could not receive
        assert b.failures == []
    else:
        assert [peer for peer, _ in b.failures] == [0] and reason in b.reason(0)
    assert b.delivered == []
    others_go_on(network, b, c)
    assert not b.has_failed(2)


def test_frames_are_read_only_after_a_hello(three):
    network, _, b, c = three
    b.send(0)  # so that it has a receive for frames of rank 0
    run(network, [b, c])
    nonsense(network, 1, frame(0, 1, DATA), with_hello=False)
    run(network, [b, c])
    assert b.delivered == [] and b.failures == []
    network.inject(0, 1, TAG_HELLO, hello(0))
    run(network, [b, c])
    assert [d.source for d in b.delivered] == [0] and b.failures == []
    others_go_on(network, b, c)


def test_a_hello_of_another_incarnation_ends_its_sender(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.inject(0, 1, TAG_HELLO, hello(0, incarnation=77))
    run(network, [b, c])
    assert b.failures == [(0, "a message came from another incarnation of it")]
    others_go_on(network, b, c)


@pytest.mark.parametrize("wrong", [0, 2, 4])
@pytest.mark.parametrize("by", [-1, 1])
def test_a_chunk_of_the_wrong_size_ends_its_sender(three, wrong, by):
    network, _, b, c = three
    nonsense(network, 1, frame(0, 1, WITH_PAYLOAD, payload_number=1))
    data = content(0, 1, 0, LARGE)
    for i in range(5):
        chunk = data[1000 * i : 1000 * (i + 1)]
        network.inject(0, 1, TAG_CHUNK + 1, chunk if i != wrong else chunk[:-1] if by < 0 else chunk + b"x")
    nonsense(network, 1, frame(0, 2, DATA), with_hello=False)
    run(network, [b, c])
    assert b.failures == [(0, b.reason(0))] and b.delivered == []
    assert ("error 15 of MPI" if by > 0 else "a tensor of the wrong size") in b.reason(0)
    others_go_on(network, b, c)


def test_what_the_user_calls_malformed_ends_its_sender(three):
    network, a, b, c = three
    b.answer = "its colour"
    a.send(1)
    a.send(1)
    run(network, [a, b, c])
    assert b.numbers(0) == [0]  # and nothing after it
    b.answer = None
    assert b.failures == [(0, "it sent a malformed message (its colour)")]
    others_go_on(network, b, c)


# ---- Frozen processes


def test_a_frozen_peer_holds_up_nobody_else(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.frozen.add(1)
    for _ in range(300):
        a.send(1, payload=LARGE, may_be_overtaken=True)
        a.send(1)
    a.send(2, payload=LARGE)
    run(network, [a, c], lambda: c.numbers(0) == [1])
    others_go_on(network, a, c)
    to_frozen = [r for r in network.of(0) if r.peer == 1 and r.kind == "send"]
    assert len(to_frozen) <= 64 + 4  # what MPI has to hold is limited
    network.frozen.clear()
    run(network, [a, b, c], rounds=20_000)
    assert sorted(b.numbers(0)) == list(range(1, 601)) and a.failures == []


def test_a_peer_that_freezes_in_a_payload_and_is_given_up(three):
    network, a, b, c = three
    connect(network, a, b, c)
    a.send(1, payload=LARGE)
    run(network, [a, b])
    a.send(1, payload=LARGE)
    a.poll()
    settle(network, "arrive")
    for e in pick(network, "receive", tag=TAG_FRAME):
        network.do(e)
    b.poll()
    network.frozen.add(0)
    run(network, [b, c])
    assert b.poll_interval() <= MS  # it looks for the rest
    b.disconnect(0)
    run(network, [b, c])
    assert b.failures == [(0, "it was given up")]
    assert [r for r in network.of(1) if r.peer == 0 and r.matched is None and r.state == "pending"] == []
    others_go_on(network, b, c)
    network.frozen.clear()  # it wakes up, and does not know
    for _ in range(20):
        a.poll()
        b.poll()
        settle(network, "arrive", "receive", "send")
    assert b.numbers(0) == [1]


# ---- Shutdown


def shut_down(ends):
    return lambda: all(end.is_shut_down() for end in ends)


def test_all_shut_down_at_the_same_time(three):
    network, *ends = three
    connect(network, *ends)
    for a, b in itertools.permutations(ends, 2):
        a.send(b.rank, payload=LARGE)
    for end in ends:
        end.shutdown()
        assert not end.is_shut_down()
    start = network.now
    run(network, ends, shut_down(ends))
    assert network.now - start < 50 * MS  # nobody has to wait for silence
    for end in ends:
        assert len(end.delivered) == 2 and end.failures == []
        end.close()
        assert end.live() == 0
    assert network.requests == {}


def test_one_shuts_down_and_the_others_stay(three):
    network, a, b, c = three
    connect(network, a, b, c)
    a.send(1, payload=LARGE)
    a.shutdown()
    start = network.now
    run(network, [a, b, c], a.is_shut_down, rounds=40_000)
    assert b.numbers(0) == [1]
    assert 100 * MS <= network.now - start < SECOND  # it listens while others may be about to shut down
    a.close()
    assert a.live() == 0
    network.kill(0)
    others_go_on(network, b, c)


def test_shutdown_does_not_wait_for_the_dead(three):
    network, a, b, c = three
    connect(network, a, b, c)
    a.send(1, payload=LARGE)
    network.kill(1)
    network.notice(0, 1)
    a.shutdown()
    run(network, [a, c], a.is_shut_down, rounds=40_000)
    a.close()
    assert a.live() == 0


def test_shutdown_waits_until_what_was_sent_has_been_received(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.frozen.add(1)
    a.send(1, payload=LARGE)
    a.shutdown()
    for _ in range(100):
        a.poll()
        network.now += 10 * MS
        assert not a.is_shut_down()  # whoever polls has a limit of its own
    network.frozen.clear()
    run(network, [a, b, c], a.is_shut_down, rounds=40_000)
    assert b.numbers(0) == [1]


def test_without_connections_shutdown_is_over_at_once(three):
    _, a, _, _ = three
    a.shutdown()
    assert a.is_shut_down()
    a.close()
    assert a.live() == 0


# ---- When to look


def test_poll_interval_grows_with_silence_and_depends_on_doorbells_and_chunks(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.now += SECOND
    a.poll()
    assert a.poll_interval() == 50 * MS  # doorbells ring
    a.doorbell_works = False
    a.poll()
    assert a.poll_interval() == MS
    a.doorbell_rang()
    assert a.poll_interval() == 0
    network.now += 2 * MS - US
    assert a.poll_interval() == 0
    network.now += MS + US
    assert a.poll_interval() == 750 * US
    network.now += MS // 2
    assert 750 * US < a.poll_interval() < MS
    a.doorbell_works = True
    a.send(1, payload=LARGE)
    a.poll()
    network.now += 4 * MS
    a.poll()
    assert a.poll_interval() == 250 * US  # a tensor is on its way
    network.now += 4 * MS
    assert a.poll_interval() == 500 * US
    network.now += SECOND
    assert a.poll_interval() == MS  # its receiver stands still
    run(network, [a, b, c])
    network.now += SECOND
    a.poll()
    assert a.poll_interval() == 50 * MS


def test_nobody_looks_for_what_a_dead_peer_sent(three):
    network, a, b, c = three
    connect(network, a, b, c)
    a.send(1, payload=LARGE)
    b.send(0, payload=LARGE)
    for _ in range(5):
        a.poll()
        b.poll()
        settle(network, "arrive")
        for e in pick(network, "receive", tag=TAG_FRAME):
            network.do(e)
    network.frozen.add(0)
    b.disconnect(0)
    b.poll()
    network.now += 10 * SECOND
    b.poll()
    assert b.poll_interval() == 50 * MS


def test_doorbells_ring_for_peers_that_may_sleep(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.now += SECOND
    a.rung.clear()
    a.send(1)
    a.send(1)
    a.flush()
    assert a.rung == [1]
    network.now += 50 * US
    a.send(1)
    a.flush()
    assert a.rung == [1]  # the second within a short time says nothing new
    a.send(2)
    a.flush()
    assert a.rung == [1, 2]
    run(network, [a, b, c])
    b.send(0)
    run(network, [a, b, c], lambda: a.numbers(1) == [1], step=US)
    a.send(1)
    a.flush()
    assert a.rung == [1, 2]  # it has just spoken: it is awake
    network.now += MS
    a.send(1)
    a.flush()
    assert a.rung == [1, 2, 1]
