"""The transport when much is sent at a time: order, how much MPI holds, what a poll costs."""

import os
import re

import pytest

from tests.distributed.transport.simulated_mpi import (
    FOLDERS,
    LARGE,
    MS,
    TAG_CHUNK,
    TAG_FRAME,
    TAG_HELLO,
    compile_transport,
    connect,
    endpoints,
    frame,
    hello,
    pick,
    record,
    run,
    settle,
    sources,
)


@pytest.fixture(scope="module")
def with_few_tags():
    """The transport with so few tags that they are soon used again."""
    path = os.path.join(FOLDERS[0], "transport/state.h")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"CHUNK_TAGS = \d+", "CHUNK_TAGS = 7", file.read())
    return compile_transport({**sources(), "transport/state.h": text})


@pytest.mark.parametrize("sizes", [[1], [1000], [LARGE, *[1000] * 12], [1, LARGE, 999, 2 * LARGE, 1000, 3 * LARGE]])
def test_tags_are_used_again(with_few_tags, sizes):
    """Each chunk is received as what it was sent, though chunks of other payloads have the same tag."""
    network, (a, b) = endpoints(2, c=with_few_tags)
    connect(network, a, b)
    for i in range(100):
        a.send(1, payload=sizes[i % len(sizes)], may_be_overtaken=True)
    run(network, [a, b])
    assert sorted(b.numbers(0)) == list(range(1, 101)) and b.failures == []
    network.check()


def test_small_payloads_do_not_wait_for_each_other(three):
    """Each ends after a round trip, and many share one."""
    network, a, b, _ = three
    connect(network, a, b)
    for _ in range(100):
        a.send(1, payload=10, may_be_overtaken=True)
    rounds = 0
    network.immediate = True
    while len(b.delivered) < 100:
        a.poll()
        settle(network, "arrive")
        b.poll()
        settle(network, "receive", "send")
        rounds += 1
    assert rounds <= 8


def test_mpi_holds_few_requests_for_a_peer_that_does_not_receive(three):
    network, a, b, _ = three
    connect(network, a, b)
    network.frozen.add(1)
    for _ in range(3000):
        a.send(1, payload=10, may_be_overtaken=True)
    for _ in range(5):
        a.poll()
    assert len([r for r in network.of(0) if r.kind == "send"]) <= 64 + 256


def test_a_poll_costs_the_same_with_a_long_backlog(three):
    network, a, b, _ = three
    connect(network, a, b)
    network.frozen.add(1)
    tested = []
    for _ in range(2):
        for _ in range(2000):
            a.send(1, payload=10, may_be_overtaken=True)
        a.poll()
        before = network.tests
        a.poll()
        tested.append(network.tests - before)
    assert tested[0] == tested[1] < 20


def test_a_receiver_with_a_long_backlog_tests_few_requests(three):
    network, a, b, _ = three
    connect(network, a, b)
    for _ in range(400):
        a.send(1, payload=10, may_be_overtaken=True)
    for _ in range(20):  # all frames come, and nothing else
        a.poll()
        for e in pick(network, "arrive", tag=TAG_FRAME):
            network.do(e)
        for kind in ("receive", "send"):
            for e in pick(network, kind, tag=TAG_FRAME):
                network.do(e)
        b.poll()
    before = network.tests
    b.poll()
    assert network.tests - before < 20
    assert len([r for r in network.of(1) if r.kind == "receive" and r.tag >= TAG_CHUNK]) <= 512
    run(network, [a, b])
    assert sorted(b.numbers(0)) == list(range(1, 401))


def test_a_payload_that_only_its_header_knows_costs_little(three):
    network, _, b, _ = three
    network.inject(0, 1, TAG_HELLO, hello(0))
    network.inject(0, 1, TAG_FRAME, frame(0, 1, record(0, 1, 0, payload=1 << 40), payload_number=1))
    b.no_memory = True
    before = b.live()
    run(network, [b], rounds=10, until=lambda: network.now > 0 and bool(b.refused))
    b.poll()
    assert len([r for r in network.of(1) if r.tag >= TAG_CHUNK]) <= 8
    assert b.live() <= before + 4 and not b.failures


def test_chunks_without_memory_have_the_buffer_one_after_the_other(three):
    """As receives of MPI must not overlap."""
    network, a, b, c = three
    connect(network, a, b, c)
    c.no_memory = True
    a.send(2, payload=LARGE, may_be_overtaken=True)
    b.send(2, payload=LARGE, may_be_overtaken=True)
    most = 0
    for _ in range(60):
        for end in (a, b, c):
            end.poll()
        settle(network, "arrive")
        most = max(most, len([r for r in network.of(2) if r.tag >= TAG_CHUNK]))
        settle(network, "receive", "send")
    assert most == 1 and [d.whole for d in c.delivered] == [False, False]


def test_more_is_left_after_a_flood(three):
    network, a, b, _ = three
    connect(network, a, b)
    network.immediate = True
    for _ in range(63):
        a.send(1)
    a.poll()
    settle(network, "arrive")
    b.poll()
    assert not b.more
    for number in range(200):
        network.inject(0, 1, TAG_FRAME, frame(0, 65 + number, record(0, 1, 64 + number)))
    settle(network, "arrive")
    b.poll()
    assert b.more and len(b.delivered) < 200
    run(network, [b])
    assert not b.more and len(b.delivered) == 263


def test_what_comes_last_waits_for_all_others(three):
    """As the news that a task leaves does, which else would overtake its last tensors."""
    network, a, b, _ = three
    connect(network, a, b)
    a.send(1, payload=LARGE, may_be_overtaken=True)
    a.send(1, inside=3)
    a.send(1, payload=LARGE, may_be_overtaken=True)
    a.send(1, comes_last=True)
    for _ in range(30):
        a.poll()
        for e in network.events():
            if e.message.tag < TAG_CHUNK:
                network.do(e)
        b.poll()
    assert b.numbers(0) == [2]
    run(network, [a, b])
    assert b.numbers(0) == [2, 1, 3, 4]


def test_what_was_queued_before_a_disconnect_is_handed_to_mpi(three):
    """It may tell a frozen process that it was excluded."""
    network, a, b, _ = three
    connect(network, a, b)
    network.frozen.add(1)
    a.send(1, inside=5)
    a.disconnect(1)
    a.poll()
    assert a.failures == [(1, "it was given up")]
    network.frozen.clear()
    run(network, [a, b])
    assert b.numbers(0) == [1]


def test_who_has_said_goodbye_is_not_waited_for(three):
    network, a, b, _ = three
    connect(network, a, b)
    a.shutdown()
    for _ in range(5):
        a.poll()
        settle(network, "arrive", "receive", "send")
        b.poll()
    network.closed.add(0)
    b.send(0, inside=3)
    b.poll()
    network.now += 1000 * MS
    b.poll()
    assert b.poll_interval() == 50 * MS
    b.shutdown()
    b.poll()
    assert not b.is_shut_down()  # it may still receive
    network.now += 101 * MS
    assert b.is_shut_down()


def test_a_discard_buffer_that_mpi_keeps_is_replaced(three):
    """A chunk of a peer that was given up may never end; those of others without memory still come."""
    network, a, b, c = three
    connect(network, a, b, c)
    c.no_memory, network.cancels = True, False
    a.send(2, payload=LARGE, may_be_overtaken=True)
    for _ in range(20):
        a.poll()
        c.poll()
        for e in network.events():
            if e.message.tag < TAG_CHUNK:
                network.do(e)
    assert [r for r in network.of(2) if r.tag >= TAG_CHUNK]
    network.frozen.add(0)
    c.disconnect(0)
    b.send(2, payload=LARGE, may_be_overtaken=True)
    run(network, [b, c])
    assert [(d.source, d.whole) for d in c.delivered] == [(1, False)]


def test_payloads_that_were_never_started_are_freed_with_their_peer(three):
    network, a, b, _ = three
    connect(network, a, b)
    before = a.live()
    network.immediate = True
    for _ in range(400):
        a.send(1, payload=1000, may_be_overtaken=True)
    for _ in range(20):  # all frames come, and nothing else
        a.poll()
        for e in pick(network, "arrive", tag=TAG_FRAME) + pick(network, "send", tag=TAG_FRAME):
            network.do(e)
        b.poll()
    network.frozen.add(1)
    a.poll()
    a.disconnect(1)
    for _ in range(3):
        a.poll()
    assert a.live() <= before + 3 * (64 + 8)  # of those that MPI has
