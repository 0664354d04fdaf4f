"""Start-up: the real exchange of all processes (`tfcore.distributed.cluster.exchange`) over a simulated network.

What a process computes is measured while the real code runs. The lists that come down the tree are the same for all:
some processes unpack theirs, and the mean of their times stands for the others.
"""

import json
import time

from bench.scale.network import Simulation
from tfcore.distributed.cluster.exchange import Exchange, children

UNPACKED = 20  # processes that really do


def entry(rank, per_host):
    """About what a task says of itself."""
    host = rank // per_host
    address = {"rank": rank, "pid": 1000 + rank * 7919 % 30000, "host": f"{host:032x} pid:[4026531836]", "inbox": 7}
    address |= {"hostname": f"node{host}", "arena": 8, "arena_bytes": 1 << 40, "cpus": [0, 1, 2, 3]}
    address["token"] = hash((rank, 1))
    beat = {"port": 30000 + rank * 31 % 30000, "hosts": [f"10.{host >> 8}.{host & 255}.1"]}
    text = {"task": ["worker", rank], "host": f"node{host}", "address": json.dumps(address), "heartbeat": beat}
    return json.dumps(text | {"cores": [0, 1, 2, 3], "devices": [], "receive_budget": 1 << 32, "spec": "5f1e0b"})


class Exchanges:
    """The exchanges of all processes of a cluster, one for each process."""

    def __init__(self, size, texts):
        self.tasks = [Exchange(1, rank, size, text) for rank, text in enumerate(texts)]
        self.size, self.over, self._unpacking = size, 0, []

    def handle(self, rank, source, data):
        task = self.tasks[rank]
        if data is not None and data[0] == 1 and len(self._unpacking) >= UNPACKED:  # DOWN
            self.over += 1
            self.tasks[rank] = None
            mean = sum(self._unpacking) / len(self._unpacking)
            return mean, [(child, data, len(data)) for child in children(rank, self.size)]
        begin = time.perf_counter()
        sent = task.begin() if data is None else task.receive(source, data)
        seconds = time.perf_counter() - begin
        if task.is_over:
            self.over += 1
            if data is not None and data[0] == 1:
                self._unpacking.append(seconds)
            self.tasks[rank] = None  # the list of all texts is large
        return seconds, [(to, content, len(content)) for to, content in sent]


def seconds(size, costs, per_host=8, cores=8):
    """(seconds, most bytes received by a task, most messages) of the two exchanges, without what does not grow."""
    total, most, messages = 0.0, 0, 0
    for texts in ([entry(rank, per_host) for rank in range(size)], [""] * size):
        exchanges = Exchanges(size, texts)
        simulation = Simulation(size, costs, exchanges.handle, per_host, cores)
        for rank in range(size):
            simulation.start(rank)
        simulation.run()
        assert exchanges.over == size
        total += simulation.now
        most = max(most, max(simulation.bytes.values(), default=0))
        messages = max(messages, max(simulation.messages.values(), default=0))
    return total, most, messages
