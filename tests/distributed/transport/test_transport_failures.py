"""The transport when requests of MPI fail and processes die: endpoints in one process over a stand-in for MPI."""

import itertools

import pytest

from tests.distributed.transport.simulated_mpi import (
    ANY_SOURCE,
    LARGE,
    MS,
    SECOND,
    TAG_CHUNK,
    TAG_FRAME,
    TAG_HELLO,
    US,
    connect,
    endpoints,
    others_go_on,
    pick,
    run,
    settle,
)

# ---- Requests that fail


@pytest.mark.parametrize("keeps_failed", [False, True])
@pytest.mark.parametrize("failing", range(5))
def test_a_failed_receive_is_never_taken_for_one_that_is_done(three, failing, keeps_failed):
    network, a, b, c = three
    connect(network, a, b, c)
    network.keeps_failed = keeps_failed
    a.send(1, payload=LARGE)
    a.send(1)
    for _ in range(4):
        a.poll()
        settle(network, "arrive")
        for e in pick(network, "receive", tag=TAG_FRAME):
            network.do(e)
        b.poll()
    chunks = [r for r in network.of(1) if r.tag == TAG_CHUNK + 1]
    assert len(chunks) == 5
    for number, r in enumerate(chunks):
        for e in [e for e in network.events() if e.message.receive is r and number != failing]:
            network.do(e)
    network.fail(chunks[failing])
    for _ in range(10):
        a.poll()
        b.poll()
        settle(network, "arrive", "receive", "send")
    assert b.delivered == []  # nor what was sent after it: messages arrive in order or not at all
    assert b.failures == [(0, "it ended while it sent a tensor (error 75 of MPI)")]
    others_go_on(network, b, c)


@pytest.mark.parametrize("what", ["hello", "frame", "chunk"])
@pytest.mark.parametrize("keeps_failed", [False, True])
def test_a_failed_send_fails_the_peer_after_the_grace_period(three, what, keeps_failed):
    network, a, b, c = three
    network.keeps_failed = keeps_failed
    if what != "hello":
        connect(network, a, b, c)
    a.send(1, payload=LARGE)
    a.poll()
    tags = {"hello": TAG_HELLO, "frame": TAG_FRAME, "chunk": TAG_CHUNK + 1}
    failed = next(r for r in network.of(0) if r.kind == "send" and r.tag == tags[what])
    network.fail(failed)
    network.messages = [x for x in network.messages if x.send is not failed]
    a.poll()
    assert a.failures == []  # it may have said something before it ended
    network.now += SECOND
    a.poll()
    assert a.failures == [(1, "its process is gone (error 75 of MPI)")]
    network.keeps_failed = False
    others_go_on(network, a, c)
    assert b.numbers(0) == []


@pytest.mark.parametrize("silence", [0, SECOND, 100 * SECOND])
def test_sends_to_a_dead_process_are_kept_while_the_connection_may_have_bytes_of_them(three, silence):
    """TCP repeats what nobody has acknowledged for a time once more within that time."""
    network, a, b, c = three
    connect(network, a, b, c)
    a.send(1, payload=LARGE)
    a.poll()
    network.frozen.add(1)  # the network is cut
    network.now += silence
    a.poll()
    network.kill(1)
    network.stuck_until[1] = network.now + 2 * silence
    network.notice(0, 1)
    for _ in range(30):
        network.now += max(silence // 10, 10 * MS)
        a.poll()
    assert a.failures == [(1, "its process is gone (error 75 of MPI)")]
    assert not [r for r in network.of(0) if r.kind == "send"]
    others_go_on(network, a, c)


@pytest.mark.parametrize("tag", [TAG_FRAME, TAG_CHUNK + 1])
def test_a_failed_receive_that_mpi_does_not_free_is_reported_once(three, tag):
    network, a, b, c = three
    connect(network, a, b, c)
    network.keeps_failed = True
    a.send(1, payload=LARGE)
    a.poll()
    settle(network, "arrive")
    for e in pick(network, "receive", tag=TAG_FRAME):
        network.do(e)
    b.poll()
    network.frozen.add(0)
    assert not b.poll()
    network.fail(next(r for r in network.of(1) if r.kind == "receive" and r.peer == 0 and r.tag == tag))
    assert b.poll() and b.has_failed(0)
    run(network, [b, c])
    assert [r for r in network.of(1) if r.state == "failed"] != []
    assert not b.poll()  # else whoever polls would never stop


def test_a_poll_that_fails_a_peer_has_done_something(three):
    network, a, b, c = three
    connect(network, a, b, c)
    b.answer = "its colour"
    a.send(1)
    a.poll()
    settle(network, "arrive", "receive")
    assert b.poll() and b.has_failed(0)


def test_a_failed_receive_of_frames_ends_its_sender(three):
    network, a, b, c = three
    connect(network, a, b, c)
    network.fail(next(r for r in network.of(0) if r.peer == 1))
    b.send(0)
    run(network, [a, b, c], lambda: a.failures)
    run(network, [a, c])
    assert a.failures == [(1, "its process is gone (error 75 of MPI)")] and a.numbers(1) == []
    others_go_on(network, a, c)


@pytest.mark.parametrize(
    ("kind", "tag"),
    [
        ("send", TAG_HELLO),
        ("send", TAG_FRAME),
        ("send", TAG_CHUNK + 1),
        ("receive", TAG_FRAME),
        ("receive", TAG_CHUNK + 1),
    ],
)
def test_a_send_or_receive_that_mpi_refuses_fails_only_that_peer(three, kind, tag):
    network, a, b, c = three
    if kind == "receive":
        network.refuses.add((1, "receive", 0, tag))
    else:
        network.refuses.add((0, "send", 1, tag))
    a.send(1, payload=LARGE)
    b.send(0)
    run(network, [a, b, c], lambda: (b if kind == "receive" else a).failures, rounds=40_000)
    assert b.numbers(0) == []
    if kind == "receive":
        assert b.failures[0][0] == 0 and "(error 75 of MPI)" in b.reason(0)
    else:
        assert a.failures == [(1, "its process is gone (error 75 of MPI)")]
    others_go_on(network, b, c)
    others_go_on(network, a, c)


def test_hellos_that_mpi_refuses_to_receive_are_received_later(three):
    network, a, b, _ = three
    network.refuses.add((1, "receive", ANY_SOURCE, TAG_HELLO))
    hello = next(r for r in network.of(1) if r.tag == TAG_HELLO)
    network.fail(hello)
    a.send(1)
    for _ in range(5):
        a.poll()
        b.poll()
        network.now += MS
    assert b.delivered == [] and not [r for r in network.of(1) if r.tag == TAG_HELLO]
    network.refuses.clear()
    run(network, [a, b], lambda: b.numbers(0) == [0])


# ---- Processes that die


def traffic(chunk_bytes=1000):
    """Rank 0 sends rank 1 everything there is; the others talk, too."""
    network, ends = endpoints(3, chunk_bytes)
    for to in (1, 2):
        for number, payload in enumerate([0, LARGE, LARGE, 0, LARGE, 0]):
            ends[0].send(to, payload=payload, may_be_overtaken=number == 2)
    ends[1].send(0, payload=LARGE)
    ends[1].send(2, payload=LARGE)
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


@pytest.mark.parametrize("lose_arrived", [False, True])
def test_a_process_dies_at_every_moment(lose_arrived):
    """What it had sent arrives whole and in order, or not at all; the others are not disturbed."""
    for events in itertools.count():
        network, (a, b, c) = traffic()
        more = advance(network, [a, b, c], events)
        network.kill(0, lose_arrived)
        run(network, [b, c])
        for end in (b, c):
            network.notice(end.rank, 0)
        run(network, [b, c], lambda b=b, c=c: b.failures and c.failures, rounds=40_000)
        for end in (b, c):
            assert [peer for peer, _ in end.failures] == [0] and "(error 7" in end.reason(0)
            numbers = end.numbers(0)
            kept = [n for n in numbers if n != 2]  # the only one that may be overtaken
            assert kept == [0, 1, 3, 4, 5][: len(kept)] and all(d.whole for d in end.delivered)
            assert 2 not in numbers or numbers.index(2) >= 2
        others_go_on(network, b, c)
        assert c.numbers(1) == [0, 1, 2]
        network.now += 10 * SECOND
        for end in (b, c):
            end.poll()
            assert [r for r in network.of(end.rank) if r.peer == 0 and r.kind == "send"] == []
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
        ends[dead + 2].send(0)  # it has not talked to it before
        run(network, [ends[0], ends[3], ends[4]], lambda d=dead: ends[0].numbers(d + 2) == [0])
    assert network.groups == {}
    network.check()


def test_without_fault_tolerance_a_failed_request_reports_the_death():
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
    a.send(1, payload=LARGE)
    a.send(1)
    for _ in range(10):
        a.poll()
        settle(network, "arrive")
        for e in pick(network, "receive", tag=TAG_FRAME):
            network.do(e)
        b.poll()
    for _ in range(3):
        a.poll()
        settle(network, "arrive", "receive", "send")  # MPI receives all chunks; nobody has looked yet
    network.kill(0)
    network.notice(1, 0)
    run(network, [b], lambda: b.failures, rounds=40_000)
    assert b.numbers(0) == [1, 2]


def test_messages_of_a_process_that_died_are_received_before_it_is_given_up(three):
    """The first that is heard of its end may be a send to it that failed."""
    network, a, b, c = three
    connect(network, a, b)
    a.send(1, payload=LARGE)
    for _ in range(10):
        a.poll()
        b.poll()
        settle(network, "arrive", "send")
        for e in pick(network, "receive", tag=TAG_FRAME):
            network.do(e)
    b.send(0)
    b.poll()
    network.fail(next(r for r in network.of(1) if r.kind == "send"))
    b.poll()
    network.now += 100 * MS
    b.poll()
    settle(network, "receive")
    b.poll()
    assert b.numbers(0) == [1] and b.failures == []
    network.now += 200 * MS
    b.poll()
    assert [peer for peer, _ in b.failures] == [0]
