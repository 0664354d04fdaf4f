"""Steps and collectives: models of the pattern of their messages, over a simulated network.

A null step sends RUN to each server and waits for DONE (`master.py`, `remote.c`); a parameter-server step also carries
the parameters there and back. In an allreduce each block goes to its owner, and back: every rank sends 2 (N - 1)
messages, or N - 1 if the input is one block, which everybody then reduces. Tasks do so only with tiny inputs and up to
8 ranks, and otherwise combine along trees (`collectives/tree.c`), which this model does not have: its times for more
ranks are too long.
"""

from bench.scale.network import Simulation

HEADER = 100  # bytes of a message without a payload
SMALL = 16 << 10  # an input of one block


class Workers:
    """Workers that run steps on all servers, one after the other. The servers are the first ranks."""

    def __init__(self, servers, workers, steps, request, reply, worker_s, server_s):
        self.servers, self.steps = servers, steps
        self.request, self.reply, self.worker_s, self.server_s = request, reply, worker_s, server_s
        self.waits = [0] * (servers + workers)
        self.made = [0] * (servers + workers)

    def handle(self, rank, source, data):
        if rank < self.servers:
            return self.server_s, [(source, "done", self.reply)]
        if data is not None:
            self.waits[rank] -= 1
            self.made[rank] += self.waits[rank] == 0
        if self.waits[rank] or self.made[rank] == self.steps:
            return 0.0, []
        self.waits[rank] = self.servers
        return self.worker_s, [(server, "run", self.request) for server in range(self.servers)]


def step_time(servers, workers, costs, worker_s, server_s, moved=0, steps=5, per_host=1, cores=1):
    """Mean seconds of a step of `moved` bytes each way over all servers."""
    share = HEADER + moved // servers
    tasks = Workers(servers, workers, steps, share, share, worker_s, server_s)
    simulation = Simulation(servers + workers, costs, tasks.handle, per_host, cores)
    for rank in range(servers, servers + workers):
        simulation.start(rank)
    simulation.run()
    assert all(made == steps for made in tasks.made[servers:])
    return simulation.now / steps


class Ranks:
    """One allreduce of all ranks; `only`: this rank alone is simulated, as all do the same at the same time."""

    def __init__(self, size, moved, only):
        self.size, self.only = size, only
        self.small = moved <= SMALL
        self.block = moved if self.small else -(-moved // size)
        self.parts, self.results = [0] * size, [0] * size

    def handle(self, rank, source, data):
        others = [other for other in range(self.size) if other != rank]
        if data is None:
            return 0.0, [(other, "part", HEADER + self.block) for other in others]
        if data == "part":
            self.parts[rank] += 1
            last = self.parts[rank] == self.size - 1
            return 0.0, [(other, "result", HEADER + self.block) for other in others] if last and not self.small else []
        self.results[rank] += 1
        return 0.0, []


def allreduce_time(size, moved, costs, per_host=1, cores=1):
    """Seconds of an allreduce of `moved` bytes of all ranks."""
    if size * size > 200_000:
        return _one_rank(size, moved, costs)
    ranks = Ranks(size, moved, None)
    simulation = Simulation(size, costs, ranks.handle, per_host, cores)
    for rank in range(size):
        simulation.start(rank)
    simulation.run()
    assert all(n == size - 1 for n in ranks.parts)
    return simulation.now


def _one_rank(size, moved, costs):
    """The same where all ranks do the same at the same time: one sends to itself what it sends to the others."""
    small = moved <= SMALL
    block = HEADER + (moved if small else -(-moved // size))
    n, core, out, received = size - 1, 0.0, 0.0, 0.0
    for _ in range(1 if small else 2):
        arrivals = []
        for _ in range(n):
            core += costs.send_s
            out = max(out, core) + block / costs.bandwidth
            arrivals.append(out + costs.latency_s)
        for arrival in arrivals:
            received = max(received + block / costs.bandwidth, arrival)
            core = max(core, received) + costs.receive_s
    return core
