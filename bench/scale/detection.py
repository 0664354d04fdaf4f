"""Failure detection: the real state machines of all tasks (`heartbeat.Detector`) over a simulated network.

Used by `python -m bench.scale` and by the tests of the state machine.
"""

import collections
import heapq
import random

from tfcore.distributed.membership.heartbeat import DEAD, Detector

TICK_S = 0.05
DATAGRAM_BYTES = 24 + 28  # the header of watcher.c, and those of UDP and IP


class Network:
    """Tasks with one clock, and messages between them that take time.

    now: the time in seconds. tasks: their detectors, by rank; stopped, dead: ranks of processes that are so.
    delay: a function that gives a message's delay in seconds, or None if it is lost.
    ended: by rank, when and why a task ended itself. learnt: by rank, what it has learnt, and when.
    empty: ranks of places without a process.
    """

    def __init__(self, size, delay=lambda: 1e-4, limit_s=1.5, start_s=0.05, seed=0, empty=()):
        self.size, self.delay, self.limit_s = size, delay, limit_s
        self.now = 0.0
        self.random = random.Random(seed)
        self.tasks = [Detector(rank, size, limit_s, now=0.0, empty=empty) for rank in range(size)]
        self.side = [0] * size  # tasks of different sides do not reach each other
        self.dead, self.stopped = set(empty), {}
        self.ended, self.learnt = {}, [{} for _ in range(size)]
        self.messages, self.bytes = collections.Counter(), collections.Counter()  # by receiver
        self.sent, self.sent_bytes = collections.Counter(), collections.Counter()
        self.on_change = None
        self._awake = [0.0] * size  # how far a task's clock is behind
        self._queue, self._count = [], 0
        for rank in range(size):
            self.at(self.random.uniform(0, start_s), self._tick, rank)

    def at(self, delay, fn, *arguments):
        """Calls fn after `delay` seconds."""
        self._count += 1
        heapq.heappush(self._queue, (self.now + delay, self._count, fn, arguments))

    def run(self, seconds, until=None):
        """Lets time pass, at most until the condition is true; returns whether it is."""
        end = self.now + seconds
        while self._queue and self._queue[0][0] <= end:
            self.now, _, fn, arguments = heapq.heappop(self._queue)
            fn(*arguments)
            if until is not None and until():
                return True
        self.now = end
        return until is not None and until()

    # ---- What happens to tasks

    def kill(self, rank, witnesses=()):
        """The process ends. Witnesses see it at once, as tasks of the same host do."""
        self.dead.add(rank)
        self.stopped.pop(rank, None)
        for witness in witnesses:
            if self.runs(witness):
                number = 1
                self._after(witness, self.tasks[witness].note(self.clock(witness), rank, number, DEAD, "it is gone"))

    def stop(self, rank):
        if rank not in self.dead:
            self.stopped.setdefault(rank, (self.now, []))

    def go_on(self, rank):
        """A stopped process continues: first it reads what has come meanwhile. It does not count the time."""
        since, waiting = self.stopped.pop(rank, (self.now, []))
        if self.now - since > max(self.limit_s / 2, 0.2):  # as in watcher.c
            self._awake[rank] += self.now - since
        for data in waiting[-2000:]:
            self._hear(rank, data)

    def runs(self, rank):
        """Whether a task takes part: its process runs, and it has not ended itself."""
        return rank not in self.dead and rank not in self.stopped and rank not in self.ended

    def lives(self):
        return [rank for rank in range(self.size) if self.runs(rank)]

    def clock(self, rank):
        return self.now - self._awake[rank]

    # ---- Inside

    def _tick(self, rank):
        if rank in self.dead or rank in self.ended:
            return
        if rank not in self.stopped:
            self._after(rank, self.tasks[rank].tick(self.clock(rank)))
        self.at(TICK_S, self._tick, rank)

    def _hear(self, rank, data):
        if rank in self.stopped:
            self.stopped[rank][1].append(data)
        elif self.runs(rank):
            self.messages[rank] += 1
            self.bytes[rank] += len(data) + DATAGRAM_BYTES
            self._after(rank, self.tasks[rank].receive(self.clock(rank), data))

    def _deliver(self, source, rank, data):
        if self.side[source] == self.side[rank]:
            self._hear(rank, data)

    def _after(self, rank, sent):
        task = self.tasks[rank]
        for to, data in sent:
            self.sent[rank] += 1
            self.sent_bytes[rank] += len(data) + DATAGRAM_BYTES
            delay = self.delay()
            if delay is not None:
                self.at(delay, self._deliver, rank, to, data)
        if task.changes:
            for about, number, event, text in task.changes:
                self.learnt[rank][about] = (self.now, number, event, text)
            changes, task.changes = task.changes, []
            if self.on_change is not None:
                self.on_change(rank, changes)
        if task.ended is not None and rank not in self.ended:
            self.ended[rank] = (self.now, task.ended)


class Found:
    """What a run of `measure` has found.

    detection_s: from a freeze until the last task knew. bytes_s, most_bytes_s: sent and received by a task per second,
    on average and at most, while nothing happens. messages_s: the same in messages, at most.
    cut_s: from a cut of the network until all tasks of the larger side had continued; None: not measured.
    """


def measure(size, victim=-1, with_cut=True, latency_s=50e-6, steady_s=2.0):
    """Runs all state machines: at rest, with a frozen task, and cut in two."""
    found = Found()
    network = Network(size, lambda: latency_s)
    network.run(1.0)
    network.messages.clear(), network.bytes.clear(), network.sent.clear(), network.sent_bytes.clear()
    network.run(steady_s)
    both = [network.bytes[rank] + network.sent_bytes[rank] for rank in range(size)]
    found.bytes_s, found.most_bytes_s = sum(both) / size / steady_s, max(both) / steady_s
    found.messages_s = max(network.messages[rank] + network.sent[rank] for rank in range(size)) / steady_s
    victim %= size
    begin = network.now
    network.stop(victim)
    know = set()
    network.on_change = lambda rank, changes: know.update([rank] if any(c[0] == victim for c in changes) else [])
    found.detection_s = network.now - begin if network.run(10, lambda: len(know) == size - 1) else None
    found.cut_s = None
    if with_cut and size > 4:
        _cut(network, found)
    return found


def _cut(network, found):
    """A third of the hosts is cut off, with the root."""
    side = [rank for rank in network.lives() if rank < network.size // 3]
    for rank in side:
        network.side[rank] = 1
    begin, lost, larger = network.now, set(side), network.size - network.size // 3 - 1
    gone_on = set()

    def on_change(rank, _):
        if lost <= network.learnt[rank].keys():
            gone_on.add(rank)

    network.on_change = on_change
    if network.run(10, lambda: len(gone_on) >= larger):
        found.cut_s = network.now - begin
    assert lost <= network.ended.keys(), "a side that was cut off continues"
    assert not (set(network.ended) - lost), "a task of the larger side has ended"


def processor_share(found, costs):
    """Share of a core, at most: messages, and waking twenty times a second."""
    return found.messages_s * costs["datagram_s"] + costs["tick_s"] / TICK_S
