"""Random faults in clusters of 4 to 8 tasks; each step's value is checked against what the surviving state allows.

    python -m tests.distributed.membership.random_faults --faults 300 --seed 1      # takes half an hour
    python -m tests.distributed.membership.random_faults --seed 1 --cluster 17      # one cluster of these again

A seed and the number of a cluster stand for its size, its network, and its faults in their order; a failure prints them
with what happened. Clusters run on one host over shared memory, or on simulated hosts (hosts.py; needs root) over MPI
or TCP (--network). Faults are processes that are killed, or stopped for a time that is shorter or longer than the limit
after which they count as frozen, hosts that are cut off, and full receive budgets.

Checked after each fault: no step takes longer than the limit and 3 s; every step ends with a value or with an error of
a task that has failed; training continues with all tasks that should be there; values are right (step_log.py). At the
end: no process, file or shared memory is left, and nobody has ended in an unexpected way.
"""

import argparse
import collections
import contextlib
import dataclasses
import os
import random
import re
import signal
import sys
import tempfile
import time

import pytest

from tests.distributed import PATIENCE, mpi
from tests.distributed.hosts import TCP_ONLY, Hosts
from tests.distributed.membership import step_log
from tests.distributed.membership.test_faults import Control
from tfcore.run import supervisor
from tfcore.run.launcher import RESTART_HINT

LIMIT_S = 2.0 * PATIENCE  # TFCORE_FAILURE_TIMEOUT
BEYOND_S = 3.0 * PATIENCE  # that a step may take longer, on a machine with nothing else to do
START_S = 90.0 * PATIENCE
RECOVERY_S = 30.0 * PATIENCE  # until training continues with all tasks
LOOK_S = 0.1
LATE_S = LIMIT_S / 10  # a thread that gets a core so late shows that a task may be silent without a fault
RESTARTS = 1000
SMALL_BUDGET = 2 << 20  # two of the large vectors
NETWORKS = ("shared", "mpi", "tcp")
FAULTS = {True: 8, False: 3}  # in a cluster with and without restarts
KILLED, EXCLUDED = "was ended by signal 9 (SIGKILL)", "ended with exit code 3"
END = re.compile(r"tfcore\.run: (ps|worker) (\d+) (.*?)(?:; it is started again.*)?")


class ViolationError(Exception):
    """A promise that does not hold."""


@dataclasses.dataclass(frozen=True)
class Fault:
    """What happens: to which ranks, or to which host; for how long; after how much time of rest.

    kind: "kill", "kill two" (the second after `seconds`), "stop" or "cut" (for `seconds`), "flood" (of values, for
    `seconds`, while the first victim is stopped for a part of it).
    """

    kind: str
    ranks: tuple = ()
    host: int = 0
    seconds: float = 0.0
    rest: float = 0.0

    def __str__(self):
        whom = f"host {self.host}" if self.kind == "cut" else f"rank {', '.join(map(str, self.ranks))}"
        return f"{self.kind} {whom}, {self.seconds:.2f} s"


@dataclasses.dataclass(frozen=True)
class Plan:
    """A cluster and its faults."""

    network: str
    restarts: bool  # whether places are taken again
    hosts: int
    ps: int
    workers: int
    budget: int | None
    faults: tuple

    @property
    def size(self):
        return self.ps + self.workers

    def on(self, host):
        """The ranks on a host."""
        return range(host, self.size, self.hosts)

    def __str__(self):
        where = "one host" if self.hosts == 1 else f"{self.hosts} hosts over {self.network}"
        budget = "" if self.budget is None else f", receive budget {self.budget}"
        restarts = ", with restarts" if self.restarts else ""
        return f"{self.ps} servers and {self.workers} workers on {where}{restarts}{budget}"


def draw(seed, number, networks, restarts=True, faults=None):
    """The plan of a cluster."""
    rng = random.Random(f"{seed} {number}")
    network = networks[number % len(networks)]
    hosts = 1 if network == "shared" else rng.randint(2, 4)
    size = rng.randint(4, 8)
    ps = rng.randint(1, min(3, size - 2))
    budget = rng.choice([None, SMALL_BUDGET])
    plan = Plan(network, restarts, hosts, ps, size - ps, budget, ())
    most = FAULTS[restarts] if faults is None else min(faults, FAULTS[restarts])
    return dataclasses.replace(plan, faults=tuple(_draw_fault(rng, plan) for _ in range(most)))


def _draw_fault(rng, plan):
    kinds = ["kill", "kill", "stop", "stop", "flood", "kill two"] + ["cut", "cut"] * (plan.hosts > 1)
    kind, rest = rng.choice(kinds), rng.uniform(0.0, 1.0)
    ranks = tuple(rng.sample(range(plan.size), 2 if kind == "kill two" else 1))
    is_short = rng.random() < 0.4
    if kind == "kill two":
        seconds = rng.choice([0.0, rng.uniform(0.0, 0.3), rng.uniform(0.3, 4.0)])
    elif kind == "flood":
        seconds = rng.uniform(1.0, 2.0)
    else:
        seconds = rng.uniform(0.05, 0.4) * LIMIT_S if is_short else LIMIT_S + rng.uniform(1.0, 3.0)
    # The side of a cut that continues has rank 0, or more tasks.
    smaller = [h for h in range(plan.hosts) if 2 * len(plan.on(h)) < plan.size + bool(h)]
    return Fault(kind, ranks, rng.choice(smaller) if kind == "cut" else 0, seconds, rest)


class Cluster:
    """A cluster that runs counting.py under tfcore.run."""

    def __init__(self, plan, log):
        self.plan, self._log = plan, log
        self._stack = contextlib.ExitStack()
        self._folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="tfcore-faults-"))
        self._place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="tf"))  # for temporary files
        self._network = None if plan.hosts == 1 else self._stack.enter_context(Hosts(plan.hosts, 0.0))
        self.logs = step_log.Logs(self._folder)
        self.longest = self.slowest_recovery = 0.0
        self.gone = set()  # ranks that do not come back
        self._pauses = []  # (process number, begin, end or None) of those that were stopped
        # How often processes of a rank may end: a fault may find a process that is about to end of another one.
        self._ends = {KILLED: collections.Counter(), EXCLUDED: collections.Counter()}
        self._control = Control()
        self._control.start()
        self.job = self._start()

    def _start(self):
        plan = self.plan
        roles = ["--ps", str(plan.ps), "--workers", str(plan.workers), "--threads", "1"]
        if plan.restarts:
            roles += ["--restart", str(RESTARTS)]
        env = {"TMPDIR": self._place, "XDG_RUNTIME_DIR": self._place, "TFCORE_FAILURE_TIMEOUT": str(LIMIT_S)}
        if plan.budget is not None:
            env["TFCORE_RECEIVE_BUDGET"] = str(plan.budget)
        call = None
        if self._network:
            env.update(TCP_ONLY, **self._network.launch_agent())
            env["TFCORE_TRANSPORT"] = {"mpi": None, "tcp": "tcp"}[plan.network]
            roles += ["--hosts", ",".join(self._network.names)]
            call = self._network.inside(0, [])
        program = ["-m", "tfcore.run", *roles, "-m", "tests.distributed.membership.counting", self._folder]
        return mpi.Job(program, call=call, env=env, limit=1e6)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._control.ends.set()
        self.job.stop()
        self._stack.close()

    # ---- Observing

    def current(self, rank):
        """The newest process of a place."""
        return self.logs.of(rank)[-1]

    def living(self):
        return [rank for rank in range(self.plan.size) if rank not in self.gone]

    def look(self):
        """Reads what has happened; raises ViolationError when a step takes too long."""
        time.sleep(LOOK_S)
        self.logs.read()
        now = time.monotonic()
        steps, self.logs.ended = [*self.logs.ended, *self.logs.running.values()], []
        for step in steps:
            self._look_at(step, now)
        if self.job._process.poll() is not None:
            raise ViolationError("the job has ended")

    def _look_at(self, step, now):
        if step.end is None and not is_running(step.pid):
            del self.logs.running[step.number]  # it will never end
            return
        taken = (step.end or now) - step.begin
        if taken > LIMIT_S + BEYOND_S:
            taken -= self._excused(step, now)
            if taken > LIMIT_S + BEYOND_S * crowd():
                raise ViolationError(f"{step}, which took {taken:.2f} s")
        if step.end is not None:
            self.longest = max(self.longest, taken)

    def _excused(self, step, now):
        """Seconds in which the step could not end: its own process was stopped, or a worker of a sum was starting."""
        spans = [(a, b or now) for pid, a, b in self._pauses if pid == step.pid]
        if step.what == "sum":
            for rank in range(self.plan.ps, self.plan.size):
                for other in self.logs.of(rank):
                    spans.append((other.born, other.ready or now))
        end, total = step.begin, 0.0
        for a, b in sorted(spans):
            a, b = max(a, end), min(b, step.end or now)
            if b > a:
                total, end = total + b - a, b
        return total

    def wait_for(self, what, condition, seconds):
        began = time.monotonic()
        while missing := condition():
            if time.monotonic() - began > seconds:
                raise ViolationError(f"{what}: after {seconds:.0f} s still missing: {missing}")
            self.look()
        return time.monotonic() - began

    def wait_until_ready(self):
        self.wait_for("start", lambda: self._absent() or self._idle(0.0), START_S)
        self._segments = supervisor.segments(mpi.environ(self.current(0).pid))

    def _absent(self):
        """The places whose newest process is not a member yet."""
        there = {rank: self.logs.of(rank) for rank in self.living()}
        return [rank for rank, found in there.items() if not found or not self._is_there(found[-1])]

    def _is_there(self, process):
        return process.up is not None and process.bye is None and is_running(process.pid)

    def _idle(self, since):
        """The steps that should have been made since then."""
        workers = [rank for rank in self.living() if rank >= self.plan.ps]
        servers = [rank for rank in self.living() if rank < self.plan.ps]
        made, tried = set(), set()
        for rank in workers:
            for step in reversed(self.current(rank).steps.values()):
                if step.begin <= since:
                    break  # they are in the order in which they have begun
                if step.end is not None:
                    tried.add((rank, step.what, step.server))
                    if step.ok:
                        made.add((rank, step.what, step.server))
        wanted = {(w, what, s) for w in workers for s in servers for what in ("add", "fetch", "send", "loop")}
        if len(workers) == self.plan.workers:
            return sorted((wanted | {(w, "sum", -1) for w in workers}) - made)
        return sorted(wanted - made) + sorted({(w, "sum", -1) for w in workers} - tried)

    # ---- Faults

    def signal(self, rank, number):
        """Sends a signal to the newest process of a place, whatever it does at present."""
        self.logs.read()
        pid = self.current(rank).pid
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        return pid

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()

    def pause(self, rank, seconds):
        pid = self.signal(rank, signal.SIGSTOP)
        begin = time.monotonic()
        self._pauses.append((pid, begin, None))
        self.wait(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
        self._pauses[-1] = pid, begin, time.monotonic()

    def hit(self, fault):
        """Lets a fault happen, and end."""
        self.wait(fault.rest)
        if not self.plan.restarts and not self._leaves_enough(fault):
            self._log(f"left out: {fault}")
            return
        self._log(str(fault))
        self._note_ends(fault)
        if fault.kind.startswith("kill"):
            for rank in fault.ranks:
                if rank != fault.ranks[0]:
                    self.wait(fault.seconds)
                self.signal(rank, signal.SIGKILL)
        elif fault.kind == "stop":
            self.pause(fault.ranks[0], fault.seconds)
        elif fault.kind == "flood":
            self._flood(fault)
        else:
            self._network.cut(fault.host)
            self.wait(fault.seconds)
            self._network.heal(fault.host)
        if not self.plan.restarts:
            self.gone |= self._lost_by(fault)
        since = time.monotonic()
        self.wait_for(str(fault), lambda: self._absent() or self._idle(since), RECOVERY_S * crowd())
        self.slowest_recovery = max(self.slowest_recovery, time.monotonic() - since)
        step_log.check(self.logs, self.plan.ps, self.plan.workers)

    def _note_ends(self, fault):
        if fault.kind.startswith("kill"):
            self._ends[KILLED].update(fault.ranks)
        elif fault.seconds > LIMIT_S and fault.kind in ("stop", "cut"):
            self._ends[EXCLUDED].update(self.plan.on(fault.host) if fault.kind == "cut" else fault.ranks)

    def _flood(self, fault):
        path = os.path.join(self._folder, "flood")
        with open(path, "w"):
            pass
        self.wait(fault.seconds / 2)
        self.pause(fault.ranks[0], min(fault.seconds / 2, 0.4 * LIMIT_S))
        self.wait(fault.seconds / 2)
        os.unlink(path)

    def _lost_by(self, fault):
        """The ranks that do not survive a fault without restarts."""
        if fault.kind.startswith("kill"):
            return set(fault.ranks)
        is_long = fault.seconds > LIMIT_S and fault.kind in ("stop", "cut")
        return set(self.plan.on(fault.host) if fault.kind == "cut" else fault.ranks) if is_long else set()

    def _leaves_enough(self, fault):
        """A server and a worker are left; no step waits for a process that is gone; a cut has a larger side."""
        left = set(self.living()) - self._lost_by(fault)
        if fault.kind != "cut" and not set(fault.ranks) <= set(self.living()):
            return False
        if fault.kind in ("cut", "stop") and not 2 * len(left) > len(self.living()):
            return False
        return bool(left & set(range(self.plan.ps))) and bool(left & set(range(self.plan.ps, self.plan.size)))

    # ---- The end

    def finish(self):
        with open(os.path.join(self._folder, "stop"), "w"):
            pass
        self.job.end = time.monotonic() + START_S
        self.job.wait()
        self.logs.read()
        step_log.check(self.logs, self.plan.ps, self.plan.workers)
        text = self.job.text
        if "Traceback" in text or "Sanitizer" in text:
            raise ViolationError("a process has printed a traceback")
        for line in text.replace(RESTART_HINT, "").splitlines():
            if line.startswith("tfcore.run: "):
                self._check_end(line)
        if self.plan.restarts and self.job.code:
            raise ViolationError(f"the job has ended with {self.job.code}")
        left = os.listdir(self._place) + [self._segments] * os.path.exists(self._segments)
        if left:
            raise ViolationError(f"files are left: {left}")

    def _check_end(self, line):
        """Nobody ends but those that were killed, stopped for long or cut off."""
        found = END.fullmatch(line)
        rank = found and int(found[2]) + (0 if found[1] == "ps" else self.plan.ps)
        expected = found and self._ends[found[3]]
        if found and found[3] == EXCLUDED and self._control.worst > LATE_S:
            return
        if not expected or expected[rank] == 0:
            raise ViolationError(f"unexpected end: {line}")
        expected[rank] -= 1


def crowd():
    """How many threads want each core, in the mean of a minute; at least 1."""
    return max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))


def is_running(pid):
    """Whether a process exists; not if it has ended and its parent has not asked how."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def run(plan, say=print):
    """Runs one cluster to its end; returns the Cluster. Raises ViolationError, WrongValueError or pytest's Failed."""
    began, events = time.monotonic(), []

    def log(text):
        events.append(f"{time.monotonic() - began:7.2f} {text}")

    log(str(plan))
    with Cluster(plan, log) as cluster:
        try:
            cluster.wait_until_ready()
            for fault in plan.faults:
                cluster.hit(fault)
            log("end")
            cluster.finish()
        except BaseException as error:
            say("\n".join([*events, f"{time.monotonic() - began:7.2f} {type(error).__name__}: {error}"]))
            say(report(cluster))
            raise
    return cluster


def report(cluster):
    """What is known when something went wrong."""
    cluster.logs.read()
    lines = []
    for process in sorted(cluster.logs.processes.values(), key=lambda p: p.born or 0.0):
        state = "runs" if is_running(process.pid) else "has ended"
        times = {name: getattr(process, name) for name in ("born", "up", "ready", "bye")}
        times = ", ".join(f"{name} {when:.3f}" for name, when in times.items() if when is not None)
        lines.append(f"rank {process.rank}, process {process.pid}: {times} {process.why}; {state}")
        lines += [f"    {s}" for s in process.steps.values() if s.end is None and state == "runs"]
    counts = [f"{what} {how}: {n}" for (what, how), n in sorted(step_log.outcomes(cluster.logs).items())]
    errors = [s for s in cluster.logs.steps() if s.outcome not in (None, "ok")]
    errors = [f"    {s}" for s in sorted(errors, key=lambda s: s.end)[-8:]]
    return "\n".join([*lines, "; ".join(counts), "last errors:", *errors, "output:", cluster.job.text])


def parse(arguments):
    parser = argparse.ArgumentParser("python -m tests.distributed.membership.random_faults", description=__doc__)
    parser.add_argument("--faults", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cluster", type=int, help="only this one")
    parser.add_argument("--network", choices=NETWORKS, help="only this one")
    parser.add_argument("--without-restarts", action="store_true", help="no place is taken again")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # no cluster outlives this program
    networks = [options.network] if options.network else NETWORKS
    done, failed, number = 0, [], options.cluster or 0
    while done < options.faults:
        plan = draw(options.seed, number, networks, not options.without_restarts)
        print(f"seed {options.seed}, cluster {number}: {plan}", flush=True)
        try:
            cluster = run(plan)
            slow = f"longest step {cluster.longest:.2f} s, slowest recovery {cluster.slowest_recovery:.2f} s"
            print(
                f"    {len(plan.faults)} faults; {slow}; {sum(step_log.outcomes(cluster.logs).values())} steps",
                flush=True,
            )
        except (Exception, pytest.fail.Exception) as error:
            failed.append(number)
            print(f"    {type(error).__name__}: {error}", flush=True)
        done += len(plan.faults)
        number += 1
        if options.cluster is not None:
            break
    print(f"{done} faults; {len(failed)} clusters failed: {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
