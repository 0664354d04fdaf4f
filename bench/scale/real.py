"""What the simulations are fitted to and checked against: costs of this machine, and real clusters under mpirun."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time

from tfcore.distributed.membership.heartbeat import Detector

from tfcore.run import command

LIMIT_S = 120
PROGRAM = "bench.scale.real"


def costs():
    """Processor seconds of a datagram with what a detector does about it, on average of sending and receiving, and of a
    tick with a wake-up; of a message of the fabric between two processes that poll (bench.fabric: half a round trip).
    """
    count = 2000
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind(("127.0.0.1", 0))
        here, begin = s.getsockname(), time.process_time()
        for _ in range(count):
            s.sendto(bytes(64), here)
            s.recv(2048)
        datagram = (time.process_time() - begin) / count / 2
    root, member = Detector(0, 2), Detector(1, 2)
    now, begin = 0.0, time.process_time()
    for _ in range(count):
        now += 0.1
        for _, wave in root.tick(now):
            for _, answer in member.receive(now, wave):
                root.receive(now, answer)
    machine = (time.process_time() - begin) / count / 4
    begin = time.process_time()
    for _ in range(200):
        select.select([], [], [], 1e-4)
        member.tick(now)
    return {"datagram_s": datagram + machine, "tick_s": (time.process_time() - begin) / 200}


class Cluster:
    """A real cluster of this program: one parameter server, ranks - 1 workers. call: the start of its command."""

    def __init__(self, ranks, call=None, env=()):
        self.ranks, self.begin = ranks, time.monotonic()
        self._process = subprocess.Popen(
            [*(call or command.mpirun(ranks)), sys.executable, "-m", PROGRAM, str(ranks)],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **dict(env), "PYTHONUNBUFFERED": "1"},
            start_new_session=True,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def lines(self, kind, count):
        """The next `count` reports of this kind: dicts."""
        found, end = [], time.monotonic() + LIMIT_S
        while len(found) < count:
            line = self._process.stdout.readline()
            if not line or time.monotonic() > end:
                raise RuntimeError(
                    f"The cluster of {self.ranks} ranks ended before it reported {kind!r} {count} times."
                )
            with contextlib.suppress(ValueError):
                said = json.loads(line)
                if said.get("kind") == kind:
                    found.append(said)
        return found


def measure(ranks, call=None, env=()):
    """Start-up, steps, allreduce and detection of a real cluster, in seconds."""
    with Cluster(ranks, call, env) as cluster:
        started = cluster.lines("started", ranks)
        found = {"start": time.monotonic() - cluster.begin}
        times = cluster.lines("times", ranks)
        found["step"] = sum(t["step"] for t in times) / max(1, ranks - 1)
        found["small"] = max(t["small"] for t in times)
        found["large"] = max(t["large"] for t in times)
        victim = next(s for s in started if s["rank"] == ranks - 1)
        begin = time.monotonic()
        os.kill(victim["pid"], signal.SIGSTOP)
        known = cluster.lines("failed", ranks - 1)
        found["detection"] = max(k["at"] for k in known) - begin
        os.kill(victim["pid"], signal.SIGKILL)
        return found


def main():
    import tfcore as tf
    from tfcore.distributed.fabric import fabric

    def say(**what):
        os.write(1, (json.dumps({**what, "rank": fabric.rank()}) + "\n").encode())

    ranks = int(sys.argv[1])
    spec = tf.train.ClusterSpec.from_mpi(ps=1)
    fabric_failed = []
    server = tf.train.Server(spec)
    fabric.on_failure(lambda rank: fabric_failed.append(time.monotonic()))
    say(kind="started", pid=os.getpid())
    with tf.device("/job:ps/task:0"):
        scalar = tf.Variable(0.0)
    step = scalar.assign_add(1.0).op
    everybody = list(range(ranks))
    sums = {
        size: tf.distributed.allreduce(tf.ones([size // 4]), group=everybody, name=f"sum_{size}").op
        for size in (4096, 16 << 20)
    }
    worker = spec.job_name == "worker"
    with tf.Session(server.target) as session:
        if fabric.rank() == 0:
            session.run(scalar.initializer)
        session.run(sums[4096])
        found = {"step": _time(lambda: session.run(step), 2000) if worker else 0.0}
        session.run(sums[4096])
        found["small"] = _time(lambda: session.run(sums[4096]), 200)
        found["large"] = _time(lambda: session.run(sums[16 << 20]), 5)
    say(kind="times", **found)
    while not fabric_failed:
        time.sleep(1e-3)
    say(kind="failed", at=fabric_failed[0], ranks=ranks)
    time.sleep(2)
    os._exit(0)


def _time(fn, count):
    fn()
    begin = time.perf_counter()
    for _ in range(count):
        fn()
    return (time.perf_counter() - begin) / count


if __name__ == "__main__":
    main()
