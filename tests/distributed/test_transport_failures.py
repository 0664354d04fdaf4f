"""The transport when requests of MPI fail and processes die: endpoints in one process over a stand-in for MPI."""

import itertools

import pytest

from tests.distributed.simulated_mpi import (
    MS,
    SECOND,
    TAG_FRAME,
    TAG_HELLO,
    TAG_PIECE,
    US,
    connect,
    endpoints,
    others_go_on,
    pick,
    run,
    settle,
)

LARGE = 4500  # bytes of a payload in 5 pieces


@pytest.fixture
def three():
    """A network, and endpoints of ranks 0, 1 and 2."""
    network, ends = endpoints(3)
    yield network, *ends
    network.check()


# ---- Requests that fail


@pytest.mark.parametrize("keeps_failed", [False, True])
@pytest.mark.parametrize("failing", range(5))
def test_a_failed_receive_is_never_taken_for_one_that_is_done(three, failing, keeps_failed):
    network, a, b, c = three
    connect(network, a, b, c)
    network.keeps_failed = keeps_failed
    a.put(1, payload=LARGE)
    a.put(1)
    for _ in range(4):
        a.poll()
        settle(network, "arrive")
        for e in pick(network, "receive", tag=TAG_FRAME):
            network.do(e)
        b.poll()
    pieces = [o for o in network.of(1) if o.tag == TAG_PIECE + 1]
    assert len(pieces) == 5
    for number, o in enumerate(pieces):
        for e in [e for e in network.events() if e.letter.receive is o and number != failing]:
            network.do(e)
    network.fail(pieces[failing])
    for _ in range(10):
        a.poll()
        b.poll()
        settle(network, "arrive", "receive", "send")
    assert b.delivered == []  # nor what was sent after it: messages arrive in order or not at all
    assert b.failures == [(0, "it ended while it sent a tensor (error 75 of MPI)")]
    others_go_on(network, b, c)


@pytest.mark.parametrize("what", ["greeting", "frame", "piece"])
@pytest.mark.parametrize("keeps_failed", [False, True])
def test_a_failed_send_ends_its_receiver(three, what, keeps_failed):
    network, a, b, c = three
    network.keeps_failed = keeps_failed
    if what != "greeting":
        connect(network, a, b, c)
    a.put(1, payload=LARGE)
    a.poll()
    tags = {"greeting": TAG_HELLO, "frame": TAG_FRAME, "piece": TAG_PIECE + 1}
    failed = next(o for o in network.of(0) if o.kind == "send" and o.tag == tags[what])
    network.fail(failed)
    network.letters = [x for x in network.letters if x.send is not failed]
    a.poll()
    assert a.failures == []  # it may have said something before it ended
    network.now += SECOND
    a.poll()
    assert a.failures == [(1, "its process is gone (error 75 of MPI)")]
    network.keeps_failed = False
    others_go_on(network, a, c)
    assert b.numbers(0) == []


def test_a_failed_receive_of_frames_ends_its_sender(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.fail(next(o for o in network.of(0) if o.peer == 1))
    b.put(0)
    run(network, [a, b, c], lambda: a.failures)
    run(network, [a, c])
    assert a.failures == [(1, "its process is gone (error 75 of MPI)")] and a.numbers(1) == []
    others_go_on(network, a, c)


@pytest.mark.parametrize("kind", ["send", "receive"])
@pytest.mark.parametrize("tag", [TAG_HELLO, TAG_FRAME, TAG_PIECE + 1])
def test_mpi_refuses(three, kind, tag):
    network, a, b, c = three
    if kind == "receive":
        if tag == TAG_HELLO:
            pytest.skip("messages of this kind are received from any source")
        network.refuses.add((1, "receive", 0, tag))
    else:
        network.refuses.add((0, "send", 1, tag))
    a.put(1, payload=LARGE)
    b.put(0)
    run(network, [a, b, c], lambda: (b if kind == "receive" else a).failures, rounds=40_000)
    assert b.numbers(0) == []
    if kind == "receive":
        assert b.failures[0][0] == 0 and "(error 75 of MPI)" in b.reason(0)
    else:
        assert a.failures == [(1, "its process is gone (error 75 of MPI)")]
    others_go_on(network, b, c)
    others_go_on(network, a, c)


def test_greetings_that_mpi_refuses_to_receive_are_received_later(three):
    network, a, b, _ = three
    network.refuses.add((1, "receive", -7, TAG_HELLO))
    greeting = next(o for o in network.of(1) if o.tag == TAG_HELLO)
    network.fail(greeting)
    a.put(1)
    for _ in range(5):
        a.poll()
        b.poll()
        network.now += MS
    assert b.delivered == [] and not [o for o in network.of(1) if o.tag == TAG_HELLO]
    network.refuses.clear()
    run(network, [a, b], lambda: b.numbers(0) == [0])


# ---- Processes that die


def traffic(piece_bytes=1000):
    """Rank 0 sends rank 1 everything there is; the others talk, too."""
    network, ends = endpoints(3, piece_bytes)
    for to in (1, 2):
        for payload, passed in [(0, False), (LARGE, False), (LARGE, True), (0, False), (LARGE, False), (0, False)]:
            ends[0].put(to, payload=payload, may_be_passed=passed)
    ends[1].put(0, payload=LARGE)
    ends[1].put(2, payload=LARGE)
    return network, ends


def advance(network, ends, events):
    """Lets so many events happen; false: there are not so many."""
    quiet = 0
    while events and quiet < 3:
        for end in ends:
            end.poll()
        network.now += 10 * US
        found = network.events()[:events]
        for event in found:
            network.do(event)
        events -= len(found)
        quiet = 0 if found else quiet + 1
    return not events


@pytest.mark.parametrize("arrived_too", [False, True])
def test_a_process_dies_at_every_moment(arrived_too):
    """What it had sent arrives whole and in order, or not at all; the others are not disturbed."""
    for events in itertools.count():
        network, (a, b, c) = traffic()
        more = advance(network, [a, b, c], events)
        network.kill(0, arrived_too)
        run(network, [b, c])
        for end in (b, c):
            network.notice(end.rank, 0)
        run(network, [b, c], lambda b=b, c=c: b.failures and c.failures, rounds=40_000)
        for end in (b, c):
            assert [peer for peer, _ in end.failures] == [0] and "(error 7" in end.reason(0)
            numbers = end.numbers(0)
            kept = [n for n in numbers if n != 2]  # the only one that may be passed
            assert kept == [0, 1, 3, 4, 5][: len(kept)] and all(d.whole for d in end.delivered)
            assert 2 not in numbers or numbers.index(2) >= 2
        others_go_on(network, b, c)
        assert c.numbers(1) == [0, 1, 2]
        for end in (b, c):
            assert [o for o in network.of(end.rank) if o.peer == 0 and o.kind == "send"] == []
        if not more:
            break
    assert events > 40 and sorted(b.numbers(0)) == [0, 1, 2, 3, 4, 5]


def test_a_process_that_nobody_talked_to_is_reported(three):
    network, a, b, c = three
    connect(network, a, b)
    network.kill(2)
    network.notice(0, 2)
    run(network, [a, b], lambda: a.failures, rounds=40_000)
    assert [peer for peer, _ in a.failures] == [2] and "its process is gone (error 7" in a.reason(2)
    assert b.failures == []
    others_go_on(network, a, b)


def test_receiving_from_any_source_goes_on_after_a_death(three):
    network, ends = endpoints(5)
    connect(network, *ends[:3])
    for dead in (2, 1):
        network.kill(dead)
        network.notice(0, dead)
        assert network.acknowledged[0] < len(network.known[0])
        run(network, [ends[0], ends[3], ends[4]], lambda d=dead: ends[0].has_failed(d), rounds=40_000)
        assert network.acknowledged[0] == len(network.known[0])
        ends[dead + 2].put(0)  # it has not talked to it before
        run(network, [ends[0], ends[3], ends[4]], lambda d=dead: ends[0].numbers(d + 2) == [0])
    assert network.groups == {}
    network.check()


def test_without_fault_tolerance_a_failed_request_tells():
    network, (a, b, c) = endpoints(3, fault_tolerant=False)
    connect(network, a, b, c)
    network.kill(1)
    network.notice(0, 1)
    run(network, [a, c], lambda: a.failures)
    assert a.failures == [(1, "its process is gone (error 75 of MPI)")]
    others_go_on(network, a, c)


def test_what_had_come_whole_before_its_sender_ended_is_delivered(three):
    network, a, b, _ = three
    connect(network, a, b)
    a.put(1, payload=LARGE)
    a.put(1)
    for _ in range(10):
        a.poll()
        settle(network, "arrive")
        for e in pick(network, "receive", tag=TAG_FRAME):
            network.do(e)
        b.poll()
    for _ in range(3):
        a.poll()
        settle(network, "arrive", "receive", "send")  # MPI receives all pieces; nobody has looked yet
    network.kill(0)
    network.notice(1, 0)
    run(network, [b], lambda: b.failures, rounds=40_000)
    assert b.numbers(0) == [1, 2]


def test_messages_of_a_process_that_died_are_received_before_it_is_given_up(three):
    """The first that is heard of its end may be a send to it that failed."""
    network, a, b, c = three
    connect(network, a, b)
    a.put(1, payload=LARGE)
    for _ in range(10):
        a.poll()
        b.poll()
        settle(network, "arrive", "send")
        for e in pick(network, "receive", tag=TAG_FRAME):
            network.do(e)
    b.put(0)
    b.poll()
    network.fail(next(o for o in network.of(1) if o.kind == "send"))
    b.poll()
    network.now += 100 * MS
    b.poll()
    settle(network, "receive")
    b.poll()
    assert b.numbers(0) == [1] and b.failures == []
    network.now += 200 * MS
    b.poll()
    assert [peer for peer, _ in b.failures] == [0]
