"""The exchange at the start of a cluster, without MPI: its messages are delivered in random order, and counted."""

import collections
import random

import pytest

from tfcore.distributed.cluster.exchange import Exchange, children, parent


class Network:
    """Processes that exchange texts; those in `absent` never call.

    messages, bytes: what was sent in all. received: bytes that came to each process.
    """

    def __init__(self, size, absent=(), seed=0, text=lambda rank: f"text of {rank}", number=1):
        self.parts = {r: Exchange(number, r, size, text(r)) for r in range(size) if r not in absent}
        self.messages, self.bytes = 0, 0
        self.received = collections.Counter()
        self._random = random.Random(seed)
        self._links = {}  # (from, to) -> messages in order
        starts = list(self.parts)
        self._random.shuffle(starts)
        for rank in starts:
            self.send(rank, self.parts[rank].begin())

    def send(self, source, messages):
        for to, data in messages:
            self.messages += 1
            self.bytes += len(data)
            self.received[to] += len(data)
            self._links.setdefault((source, to), []).append(data)

    def deliver(self):
        """Delivers messages until there are none."""
        while self._links:
            source, to = self._random.choice(list(self._links))
            data = self._links[source, to].pop(0)
            if not self._links[source, to]:
                del self._links[source, to]
            if to in self.parts:
                self.send(to, self.parts[to].receive(source, data))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 13, 64, 100])
def test_all_get_all_texts(size):
    for seed in range(5):
        network = Network(size, seed=seed)
        network.deliver()
        for part in network.parts.values():
            assert part.texts == [f"text of {r}" for r in range(size)] and part.missing is None


@pytest.mark.parametrize("size", [1, 2, 5, 16, 33])
def test_the_tree(size):
    for rank in range(size):
        assert all(parent(child) == rank for child in children(rank, size))
        assert rank == 0 or rank in children(parent(rank), size)
        assert len(children(rank, size)) <= size.bit_length()


@pytest.mark.parametrize("absent", [{1}, {4}, {6}, {2, 3}, {1, 4, 7, 12}])
def test_only_those_that_are_missing_are_named(absent):
    for seed in range(5):
        network = Network(13, absent, seed)
        network.deliver()
        assert not any(part.is_over for part in network.parts.values())
        network.send(0, network.parts[0].call_the_roll())
        network.deliver()
        assert not network.parts[0].all_are_here
        network.send(0, network.parts[0].give_up())
        network.deliver()
        for part in network.parts.values():
            assert part.missing == sorted(absent) and part.texts is None


def test_those_that_are_only_late_are_waited_for():
    network = Network(8, {4})
    network.deliver()
    late = Exchange(1, 4, 8, "text of 4")
    network.parts[4] = late
    network.send(0, network.parts[0].call_the_roll())
    network.deliver()
    assert network.parts[0].all_are_here and not network.parts[0].is_over
    network.send(5, [(4, data) for _, data in Exchange(1, 5, 8, "text of 5").begin()])
    network.send(4, late.begin())
    for rank in (6, 7):
        network.send(rank, Exchange(1, rank, 8, f"text of {rank}").begin())
    network.deliver()
    assert all(part.texts == [f"text of {r}" for r in range(8)] for part in network.parts.values())


def test_messages_of_other_exchanges_are_ignored():
    old, new = Network(4, number=1), Network(4, number=2, text=lambda rank: "new")
    for link, messages in old._links.items():
        new._links[link] = messages + new._links.get(link, [])
    new.send(0, old.parts[0].call_the_roll())
    new.deliver()
    assert all(part.texts == ["new"] * 4 for part in new.parts.values())


def text(rank):
    """About what a task says of itself."""
    return f'{{"task": ["worker", {rank}], "digest": "{"0123456789abcdef" * 2}", "cores": {list(range(64))}}}'


def test_messages_and_bytes_grow_linearly():
    """Doubling the processes doubles all messages, and what each of them receives; none handles more than log2 N."""
    counts = {}
    for size in (64, 128, 256, 512, 1024):
        network = Network(size, text=text)
        network.deliver()
        assert network.messages == 2 * (size - 1)
        counts[size] = max(network.received.values()) / size
        assert counts[size] <= 1.1 * counts[64] and counts[size] < 2 * len(text(0))
    assert sum(network.received.values()) == network.bytes
