"""What counting.py has written down, and whether it may be true.

A step is lost, done once, or, if it ended with an error, perhaps done: whatever any other step has seen must agree.
"""

import bisect
import collections
import dataclasses
import itertools
import os
import time

from tests.distributed.membership import counting

LOST = ("UnavailableError", "AbortedError")  # what a step may end with when a task fails
UNINITIALIZED = "FailedPreconditionError"


@dataclasses.dataclass
class Step:
    """One attempt; times are those of CLOCK_MONOTONIC, which all processes share. end is None while it runs."""

    rank: int
    pid: int
    number: int
    what: str
    server: int
    begin: float
    end: float | None = None
    outcome: str | None = None  # "ok" or the class of the error
    words: list = dataclasses.field(default_factory=list)

    @property
    def ok(self):
        return self.outcome == "ok"

    def __str__(self):
        where = f" with server {self.server}" if self.server >= 0 else ""
        end = "still runs" if self.end is None else f"{self.outcome} {' '.join(self.words)[:300]} at {self.end:.3f}"
        return f"{self.what}{where} of rank {self.rank} (process {self.pid}), begun at {self.begin:.3f}: {end}"


@dataclasses.dataclass
class Process:
    """The times of one process of a place; None: not yet."""

    rank: int
    pid: int
    born: float | None = None
    up: float | None = None  # it is a member of the cluster
    ready: float | None = None  # it makes steps
    bye: float | None = None
    why: str = ""
    steps: dict = dataclasses.field(default_factory=dict)  # by number


class Logs:
    """Reads the files of all processes of a cluster; `read` may be called again and again."""

    def __init__(self, folder):
        self._folder = folder
        self._read = {}  # file -> bytes that have been read
        self.processes = {}  # by process number
        self.complete_until = 0.0  # all that was written before is known
        self.running = {}  # by number: the steps that have not ended
        self.ended = []  # those that have, since somebody emptied this list

    def read(self):
        until = time.monotonic()
        for name in sorted(os.listdir(self._folder)):
            rank, dot, pid = name.removesuffix(".log").partition(".")
            if not (name.endswith(".log") and dot):
                continue
            process = self.processes.setdefault(int(pid), Process(int(rank), int(pid)))
            with open(os.path.join(self._folder, name), "rb") as file:
                file.seek(self._read.get(name, 0))
                data = file.read().rpartition(b"\n")[0]
            if data:
                self._read[name] = self._read.get(name, 0) + len(data) + 1
                for line in data.decode().splitlines():
                    self._note(process, *line.split(" "))
        self.complete_until = until

    def _note(self, process, when, kind, *words):
        when = float(when)
        if kind == "begin":
            number = int(words[0])
            step = Step(process.rank, process.pid, number, words[1], int(words[2]), when)
            process.steps[number] = self.running[number] = step
        elif kind == "end":
            step = process.steps[int(words[0])]
            self.running.pop(step.number, None)  # it is not there if its process was found dead before
            step.end, step.outcome, step.words = when, words[1], list(words[2:])
            self.ended.append(step)
        else:
            setattr(process, kind, when)
            process.why = " ".join(words) if kind == "bye" else process.why

    def of(self, rank):
        """The processes of a place, in the order of their births."""
        found = [p for p in self.processes.values() if p.rank == rank and p.born is not None]
        return sorted(found, key=lambda p: p.born)

    def steps(self, *what):
        return [s for p in list(self.processes.values()) for s in list(p.steps.values()) if not what or s.what in what]

    def completed(self, *what):
        """The steps that have returned a value, as far as all is known that others had begun before."""
        return [s for s in self.steps(*what) if s.ok and s.end < self.complete_until]


class WrongValueError(Exception):
    """A completed step has a result that nothing explains, or an error that is none of those it may have."""


def check(logs, ps, workers):
    """Raises WrongValueError if what the steps have returned can't be."""
    for step in logs.steps():
        if step.end is not None and not step.ok and step.outcome not in (*LOST, UNINITIALIZED):
            raise WrongValueError(f"{step}: this is not an error of a task that fails")
        if step.outcome == UNINITIALIZED and step.what in ("sum", "send", "loop", "initialize"):
            raise WrongValueError(f"{step}: it uses no variable")
    _check_sent(logs)
    _check_sums(logs, ps, workers)
    for server in range(ps):
        _Server(logs, server, ps, workers).check()


def _check_sent(logs):
    for step in logs.completed("send", "loop"):
        expected = [step.number, step.number, counting.LARGE]
        if step.what == "loop":
            expected = [sum(range(counting.ROUNDS))]
        if list(map(int, step.words)) != expected:
            raise WrongValueError(f"{step}: expected {expected}")


def _check_sums(logs, ps, workers):
    """The numbers of the steps that were summed: each is in one sum only, and each worker sees the same ones there."""
    steps = {step.number: step for step in logs.steps("sum")}
    met = {}  # (which vector, number of a step) -> the numbers it was summed with, and who saw that
    for step in logs.completed("sum"):
        pairs = list(zip(*[iter(map(int, step.words))] * 2))
        if any(low != high for low, high in pairs):
            raise WrongValueError(f"{step}: a sum is made of different steps")
        for vector in range(len(counting.BLOCK)):
            together = tuple(low for low, _ in pairs[vector * workers : (vector + 1) * workers])
            if step.number not in together:
                raise WrongValueError(f"{step}: its own part is missing")
            for position, number in enumerate(together):
                other = steps.get(number)
                if other is None or other.begin > step.end or (other.end is not None and other.end < step.begin):
                    raise WrongValueError(f"{step}: number {number} is not a step that ran meanwhile, but {other}")
                if other.rank != ps + position:
                    raise WrongValueError(f"{step}: the part of position {position} is that of {other}")
                before, who = met.setdefault((vector, number), (together, step))
                if before != together:
                    raise WrongValueError(f"{step} was summed with {together}, but {who} with {before}")


class _Server:
    """Checks what was seen of one parameter server's variables."""

    def __init__(self, logs, server, ps, workers):
        self.server, self.ps, self.workers = server, ps, workers
        self.processes = logs.of(server)
        mine = [s for s in logs.steps() if s.server == server]
        self.initialized = {s.number: s for s in mine if s.what == "initialize"}
        self.adds = [s for s in mine if s.what == "add"]
        completed = [s for s in logs.completed() if s.server == server]
        self.fetched = [s for s in completed if s.what in ("fetch", "look")]
        self.added = [(s, int(s.words[0])) for s in completed if s.what == "add"]

    def check(self):
        for step in self.fetched:
            low, high, size = map(int, step.words)
            if low != high or size != counting.LARGE:
                raise WrongValueError(f"{step}: the elements should all be the same")
            self._life(step, low)
        self._check_order([(step, int(step.words[0])) for step in self.fetched])
        for step, life in self.added:
            self._life(step, life)
        self._check_order(self.added)
        for life in {life for _, life in self.added}:
            self._check_counts(life, [step for step, its in self.added if its == life])

    def _life(self, step, life):
        """The step that has begun a life."""
        first = self.initialized.get(life)
        if first is None or first.begin > step.end:
            raise WrongValueError(f"{step}: nobody had written {life} then")
        return first

    def _check_order(self, seen):
        """Nobody sees an earlier life after a later one. Steps that overlap may have been done in any order."""
        first_end, last_begin = {}, {}
        for step, life in seen:
            first_end[life] = min(step.end, first_end.get(life, step.end))
            last_begin[life] = max(step.begin, last_begin.get(life, step.begin))
        for step, life in seen:
            for other in first_end:
                if other != life and first_end[other] < step.begin and step.end < last_begin[other]:
                    raise WrongValueError(f"{step}: the variable is that of {life} between two times of {other}")

    def _check_counts(self, life, seen):
        """acknowledged <= counted <= attempted, for each worker, as each step of any worker has seen it."""
        begun = self.initialized[life].begin
        born = max([p.born for p in self.processes if p.up is not None and p.up <= begun], default=0.0)
        for worker in range(self.workers):
            its = [s for s in self.adds if s.rank == self.ps + worker]
            done = [s for s in its if s.ok and int(s.words[0]) == life]
            # An add that failed may have been done by this process of the server, but by no earlier one.
            perhaps = [s for s in its if not s.ok and (s.end is None or s.end >= born)]
            perhaps = [s for s in perhaps if s.outcome != UNINITIALIZED]
            ends, begins = sorted(s.end for s in done), sorted(s.begin for s in itertools.chain(done, perhaps))
            for step in seen:
                least = bisect.bisect_left(ends, step.begin) + (step.rank == self.ps + worker)
                most = bisect.bisect_left(begins, step.end)
                counted = int(step.words[1 + worker])
                if not least <= counted <= most:
                    raise WrongValueError(
                        f"{step}: worker {worker} had added between {least} (acknowledged) and {most} (attempted) times"
                    )


def outcomes(logs):
    """How often steps of each kind ended in which way."""
    return collections.Counter((s.what, s.outcome) for s in logs.steps() if s.end is not None)
