"""A simulated network with a clock: processes that take time to handle messages, and links to carry them.

The costs are measured on this machine (real.py) or given on the command line.
"""

import collections
import heapq


class Costs:
    """send_s, receive_s: processor time of a message; latency_s: one way; bandwidth: bytes/s of a link each way."""

    def __init__(self, send_s, receive_s, latency_s, bandwidth):
        self.send_s, self.receive_s, self.latency_s, self.bandwidth = send_s, receive_s, latency_s, bandwidth


class Simulation:
    """`size` tasks, `per_host` on each host, which has `cores` and one link.

    handle: function (task, source, data) -> (processor seconds, messages to send as (rank, data, bytes)).
    now: the time in seconds. messages, bytes: by receiver. busy: processor seconds by task.
    """

    def __init__(self, size, costs, handle, per_host=1, cores=1):
        self.size, self.costs, self.handle, self.per_host = size, costs, handle, per_host
        hosts = -(-size // per_host)
        self._cores = [[0.0] * cores for _ in range(hosts)]
        self._out, self._in = [0.0] * hosts, [0.0] * hosts
        self._queue, self._count = [], 0
        self.now = 0.0
        self.messages, self.bytes, self.busy = collections.Counter(), collections.Counter(), collections.Counter()

    def at(self, when, fn, *arguments):
        self._count += 1
        heapq.heappush(self._queue, (when, self._count, fn, arguments))

    def start(self, rank, data=None):
        """Lets a task handle something that comes from itself."""
        self.at(self.now, self._arrive, rank, rank, data)

    def run(self, until=None):
        """Runs until nothing happens any more, or the condition is true."""
        while self._queue and not (until and until()):
            self.now, _, fn, arguments = heapq.heappop(self._queue)
            fn(*arguments)

    def _work(self, rank, seconds, at):
        """When a core of the task's host has done work that begins at `at` or later."""
        cores = self._cores[rank // self.per_host]
        first = min(range(len(cores)), key=cores.__getitem__)
        cores[first] = max(cores[first], at) + seconds
        self.busy[rank] += seconds
        return cores[first]

    def _arrive(self, rank, source, data):
        own = rank == source
        seconds, sent = self.handle(rank, source, data)
        done = self._work(rank, seconds + (0 if own else self.costs.receive_s), self.now)
        for to, content, size in sent:
            done = self._work(rank, self.costs.send_s, done)
            self._carry(rank, to, content, size, done)

    def _carry(self, source, to, data, size, at):
        a, b = source // self.per_host, to // self.per_host
        if a != b:
            wire = size / self.costs.bandwidth
            self._out[a] = max(self._out[a], at) + wire
            # The receiving link is busy as long, from the arrival of the first byte.
            self._in[b] = max(self._in[b], self._out[a] - wire + self.costs.latency_s) + wire
            at = self._in[b]
        self.messages[to] += 1
        self.bytes[to] += size
        self.at(at, self._arrive, to, source, data)
