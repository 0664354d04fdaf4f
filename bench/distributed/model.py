"""A model of the null step for more workers than this machine can run: predictions, not measurements.

A step is a customer of a closed queueing network: it spends time in its worker and in transit (no queue), and at
stations where it waits for others. Mean value analysis (Reiser and Lavenberg 1980) gives the mean time of a step for 1,
2, ..., 200 workers. Two networks share the measured costs:
- this machine: one station, the cores that all processes share. It shows how well the model fits the measurements.
- a cluster with one host per task: the stations are one core of a parameter server and its network link. Servers do
their shares of a step at the same time.
"""

import math


def step_times(think, services, workers):
    """Mean time of a step for 1 to `workers` workers.

    Args:
      think: seconds of a step without queues. services: seconds of a step at each station.
    """
    waiting = [0.0] * len(services)
    times = []
    for n in range(1, workers + 1):
        spent = [service * (1 + queue) for service, queue in zip(services, waiting)]
        total = think + sum(spent)
        waiting = [n / total * s for s in spent]
        times.append(total)
    return times


class Costs:
    """The costs of a step of one library, from measurements with several numbers of workers.

    Args:
      points: dict from the number of workers to {"time", "server_cpu", "worker_cpu"}, in seconds per step; server_cpu
        is that of all servers together.
      servers: their number. moved: bytes that a step fetches, and sends.
    """

    def __init__(self, points, servers, moved):
        self.points, self.servers, self.moved = points, servers, moved
        most = points[max(points)]  # busy processes spend the least time on waiting
        self.server_cpu = min(p["server_cpu"] for p in (most, points[min(points)]))
        self.alone = points[min(points)]["time"]
        self.shared = self._fit_shared()

    def _fit_shared(self):
        """Seconds of a step at the shared cores: the best fit to the times, in the logarithm."""

        def misfit(share):
            times = step_times(self.alone * (1 - share), [self.alone * share], max(self.points))
            return sum(math.log(times[n - 1] / p["time"]) ** 2 for n, p in self.points.items())

        return self.alone * min((i / 200 for i in range(201)), key=misfit)

    def here(self, workers):
        """Times of a step on this machine."""
        return step_times(self.alone - self.shared, [self.shared], workers)

    def cluster(self, workers, link):
        """Times of a step in a cluster, seconds.

        Args:
          link: (seconds of a round trip, bytes per second) of the network.
        """
        latency, bandwidth = link
        server = min(self.server_cpu, self.alone) / self.servers
        wire = self.moved / self.servers / bandwidth  # each way; links are full duplex, so one way is the bottleneck
        think = self.alone - server + latency + wire
        return step_times(think, [server, wire], workers)

    def error(self):
        """Largest relative difference between the fitted model and the measurements on this machine."""
        times = self.here(max(self.points))
        return max(abs(times[n - 1] / p["time"] - 1) for n, p in self.points.items())
