"""What surviving.py has written down, and which states of its variables are legal then.

No update is in the state twice. It has at least the updates of all steps that have succeeded since the variables were
restored or initialized, and at most those of all steps attempted since then. So an attempt that failed may have
updated the variables of one server and not those of another one, as in TensorFlow; all others have updated both. The
state of a checkpoint is that of a moment between the beginning of its save and the moment in which the session that
saves continues; variables of several servers are not saved at the same moment. The global step comes first: no update
counts as made that is not in the checkpoint.

With replicas, variables are restored only if both servers were lost. One more kind of state is legal then: the global
step may count a failed step whose update was lost, as its server died before the backup had it.
"""

import bisect
import dataclasses
import math
import os
import time

import numpy as np

import tfcore as tf
from tests.distributed.replicas import surviving

MODES = ("asynchronous", "alone", "synchronous")  # two servers with three workers, one, and three that wait


class IllegalStateError(Exception):
    """A state that no run without kills has, a checkpoint that is damaged, or one that was reported and is lost."""


@dataclasses.dataclass
class Counts:
    """How many updates a state has: the global step, and by server each row and the dense variable."""

    step: int
    rows: list  # [server][worker]
    dense: list  # [server]

    @property
    def spread(self):
        return max(self.step, *self.dense) - min(self.step, *self.dense)


@dataclasses.dataclass
class Base:
    """The variables were restored or initialized: from when on, by whom. end is None if that was never finished."""

    begin: float
    end: float | None = None
    path: str = ""  # of the checkpoint
    counts: Counts | None = None  # of the state after that; None until the checkpoint has been read


@dataclasses.dataclass
class Save:
    """A checkpoint that was written; end is None if nobody has reported that it is complete."""

    path: str
    begin: float
    end: float | None = None
    frozen: float | None = None  # when the session has gone on, before which all values were fixed
    over: float = math.inf  # when the process has begun something else, or another one has taken its place

    @property
    def until(self):
        return min(when for when in (self.end, self.frozen, self.over) if when is not None)


class Attempts:
    """Those of one worker, one after the other, in the order of their times."""

    def __init__(self):
        self.begins = []  # of all
        self.overs = []  # of those that are over, well or not
        self.done = []  # (begin, end) of those that have ended well
        self.steps = []  # the global step after each of these

    def most(self, since, until):
        """How many may have made an update between two times."""
        return bisect.bisect_left(self.begins, until) - bisect.bisect_right(self.overs, since)

    def least(self, since, until):
        """How many must have."""
        done = bisect.bisect_left(self.done, until, key=lambda pair: pair[1])
        return max(0, done - bisect.bisect_right(self.done, since, key=lambda pair: pair[0]))


@dataclasses.dataclass
class Process:
    rank: int
    pid: int
    file: object  # its log
    born: float
    begin: float | None = None  # of the attempt that it makes
    save: Save | None = None
    base: Base | None = None
    sessions: int = 0
    incarnation: str = ""
    replicas: tuple = ()  # of a server: the incarnation of its backup, and what `steps.replica_counts` says of it


def _first_time(file):
    """The time of the first line of a log, infinity if it is not there yet. The file is read from its beginning."""
    line = file.readline()
    file.seek(0)
    return float(line.split(b" ")[0]) if line.endswith(b"\n") else math.inf


class Logs:
    """Reads the logs of a training whose first `ps` ranks are servers; `read` may be called again and again."""

    def __init__(self, folder, ps, workers):
        self.ps, self.workers = ps, workers
        self._folder = os.path.join(folder, "logs")
        self._known = set()
        self._files = []  # of processes that may still write
        self.places = [[] for _ in range(ps + workers)]  # the processes of each, in the order of their births
        self.attempts = [Attempts() for _ in range(workers)]
        self.bases = []
        self.saves = []
        self.births = []  # (time, rank) of all processes
        self.complete_until = 0.0  # all that was written before is known
        self.highest = -1  # the greatest global step that anybody has seen

    def read(self):
        until = time.monotonic()
        for name in sorted(os.listdir(self._folder)):
            if name not in self._known:
                self._known.add(name)
                rank, pid, _ = name.split(".")
                file = open(os.path.join(self._folder, name), "rb")  # noqa: SIM115  closed by `close`
                self._files.append(Process(int(rank), int(pid), file, _first_time(file)))
        for process in sorted(self._files, key=lambda p: p.born):  # first the rest of those that have ended
            self.read_one(process)
        newest = {place[-1].pid for place in self.places if place}
        for process in [p for p in self._files if p.born < math.inf and p.pid not in newest]:
            process.file.close()
            self._files.remove(process)
        self.complete_until = until

    def read_one(self, process):
        """Reads what one process has written."""
        at = process.file.tell()
        data = process.file.read()
        whole = data.rfind(b"\n") + 1
        process.file.seek(at + whole)
        for line in data[:whole].decode().splitlines():
            when, kind, *words = line.split(" ")
            self._note(process, float(when), kind, words)

    def close(self):
        for process in self._files:
            process.file.close()

    def _note(self, process, when, kind, words):
        self._end_what_failed(process, when, kind)
        if kind == "born":
            process.born = when
            self.births.append((when, process.rank))
            place = self.places[process.rank]
            if place:
                self._end_what_failed(place[-1], when, kind)
            place.append(process)
        elif kind == "session":
            process.sessions += 1
        elif kind == "incarnation":
            (process.incarnation,) = words
        elif kind == "replicas":
            process.replicas = tuple(words)
        elif kind == "begin":
            process.begin = when
            if process.save is not None and process.save.frozen is None:
                process.save.frozen = when
            self.attempts[process.rank - self.ps].begins.append(when)
        elif kind == "end":
            attempts = self.attempts[process.rank - self.ps]
            attempts.done.append((process.begin, when))
            attempts.steps.append(int(words[0]))
            attempts.overs.append(when)
            process.begin = None
            self.highest = max(self.highest, attempts.steps[-1])
        elif kind == "save":
            process.save = Save(words[0], when)
            self.saves.append(process.save)
        elif kind == "saved":
            process.save.end = when
            process.save.frozen = process.save.frozen or when
            process.save = None
        elif kind == "restore":
            process.base = Base(when, path=words[0])
            self.bases.append(process.base)
        elif kind == "restored":
            process.base.end = when
            process.base = None
        elif kind == "initialized":
            zeros = Counts(0, [[0] * self.workers for _ in range(self.ps)], [0] * self.ps)
            self.bases.append(Base(process.born, when, counts=zeros))

    def _end_what_failed(self, process, when, kind):
        """What a process has begun and not ended has failed when it continues with something else, but it may
        save meanwhile."""
        if process.begin is not None and kind not in ("end", "saved"):
            self.attempts[process.rank - self.ps].overs.append(when)
            process.begin = None
        if process.save is not None and kind not in ("saved", "begin", "end"):
            process.save.over, process.save = when, None
        if process.base is not None and kind not in ("restored", "saved"):
            process.base = None

    def base_at(self, when):
        """The last one that was finished before; None if none was."""
        return max((b for b in self.bases if b.end is not None and b.end <= when), key=lambda b: b.end, default=None)

    def is_settled(self, base, until):
        """Whether nobody has begun to restore or initialize the variables again."""
        return not any(base.begin < other.begin < until for other in self.bases)

    def reported(self):
        """The last checkpoint that was reported as saved; None if none was."""
        done = [save for save in self.saves if save.end is not None]
        return max(done, key=lambda save: save.end, default=None)


def number_of(path):
    """The global step in a checkpoint's name."""
    return int(path.rpartition("-")[2])


class Checkpoints:
    """Reads and checks those of a training. replicas: whether servers have replicas."""

    def __init__(self, folder, logs, mode, replicas=False):
        self.folder, self._logs, self._mode = os.path.join(folder, "checkpoints"), logs, mode
        self._replicas = replicas
        self._steps_checked = [0] * logs.workers
        self.read = 0  # how many were read
        self.apart = 0  # by how many updates of a worker two servers have differed
        self.unreported = 0  # of these, complete ones whose save was not reported

    def note_bases(self):
        """Reads the checkpoints from which the variables were restored."""
        for base in self._logs.bases:
            if base.end is not None and base.counts is None:
                base.counts = self.counts(base.path)

    def complete(self):
        """The prefixes of those that are complete."""
        if not os.path.isdir(self.folder):
            return []
        state = tf.train.get_checkpoint_state(self.folder)
        listed = list(state.all_model_checkpoint_paths) if state else []
        names = [name.removesuffix(".index") for name in os.listdir(self.folder) if name.endswith(".index")]
        return sorted({*listed, *(os.path.join(self.folder, name) for name in names)}, key=number_of)

    def check(self, at_rest):
        """Reads the logs; raises IllegalStateError if a checkpoint is damaged or illegal. at_rest: none is written."""
        if at_rest:
            self._check_latest()
        for path in self.complete():
            counts = self._counts_unless_gone(path, at_rest)
            if counts is not None:
                self._logs.read()  # what may be in it
                self.note_bases()
                self._check_counts(path, counts)
                self.read += 1
                if self._mode != "synchronous":  # where servers take the gradients of different workers
                    self.apart = max([self.apart, *(max(found) - min(found) for found in zip(*counts.rows))])

    def _counts_unless_gone(self, path, at_rest):
        """The counts of a checkpoint; None if it was deleted in its turn, first its index."""
        for again in True, True, False:
            try:
                return self.counts(path)
            except (tf.errors.OpError, ValueError) as error:
                if not at_rest and not os.path.exists(path + ".index"):
                    return None
                if at_rest or not again:  # else it may have been saved again, with other files
                    raise IllegalStateError(f"{path} is damaged: {error}") from error

    def _check_latest(self):
        """What was reported as saved is there, or something newer."""
        reported = self._logs.reported()
        if reported is None:
            return
        latest = tf.train.latest_checkpoint(self.folder)
        if latest is None:
            raise IllegalStateError(f"{reported} was reported, and there is no checkpoint")
        step = tf.train.NewCheckpointReader(latest).get_tensor("global_step")
        if step < number_of(reported.path):
            raise IllegalStateError(f"{reported} was reported, and the latest checkpoint, {latest}, has step {step}")

    def counts(self, path):
        """The counts of a checkpoint, whose variables must not be torn."""
        reader = tf.train.NewCheckpointReader(path)
        rows, dense = [], []
        for server in range(self._logs.ps):
            fixed = reader.get_tensor(f"fixed{server}")
            if not (fixed == server + 1.0).all() or fixed.shape != (surviving.FIXED,):
                raise IllegalStateError(f"{path}: fixed{server} is {np.unique(fixed)}, shape {fixed.shape}")
            dense.append(self._updates(path, reader, f"dense{server}", (surviving.DENSE,))[0])
            rows.append(self._updates(path, reader, f"rows{server}", (self._logs.workers, surviving.ROW)))
        return Counts(int(reader.get_tensor("global_step")), rows, dense)

    def _updates(self, path, reader, name, shape):
        """How often each row of a variable was updated."""
        value, slot = reader.get_tensor(name), reader.get_tensor(f"{name}/Momentum")
        if value.shape != shape or slot.shape != shape:
            raise IllegalStateError(f"{path}: the shapes of {name} and its slot are {value.shape}, {slot.shape}")
        value, slot = np.atleast_2d(value), np.atleast_2d(slot)
        for row, momentum in zip(value, slot):
            for found in row, momentum:
                if not (found == found[0]).all():
                    raise IllegalStateError(f"{path}: {name} is torn: {np.unique(found)}")
            # Other workers may update a variable after it was saved, and before its slot is.
            if self._mode == "alone" and row[0] != momentum[0] * (momentum[0] + 1) / 2:
                raise IllegalStateError(f"{path}: {name} is {row[0]} after {momentum[0]} updates")
        return [int(momentum[0]) for momentum in slot]

    # ---- Which states are legal

    def _check_counts(self, path, counts):
        saves = [save for save in self._logs.saves if save.path == path]
        if not saves:
            raise IllegalStateError(f"{path}: nobody has written it")
        if counts.step < number_of(path):
            raise IllegalStateError(f"{path} has step {counts.step}")
        # Its name may have been used before. The files are those of the last complete save, or of a later one.
        last = max((i for i, save in enumerate(saves) if save.end is not None), default=0)
        self.unreported += saves[last].end is None
        wrong = [found for save in saves[last:] if (found := self._what_is_illegal(counts, save.begin, save.until))]
        if len(wrong) == len(saves[last:]):
            raise IllegalStateError(f"{path}: {counts}: {'; or '.join(wrong)}")

    def _what_is_illegal(self, counts, begin, until):
        base = self._logs.base_at(begin)
        if base is None:
            return f"nobody had initialized the variables at {begin:.3f}"
        claims = self._claims(counts, base, begin)
        if self._mode == "synchronous":
            first = 0 if self._replicas else self._logs.ps  # the death of a server or of the chief ends a step of its
            deaths = self._births(range(first, self._logs.ps + 1), base.begin, until)
            passed = self._steps_between(base, begin, until)
            most = math.inf if passed is None else base.counts.spread + 1 + deaths + passed
            return claims or ("" if counts.spread <= most else f"the counts differ by more than {most}")
        found = [claims, self._outside("the global step", counts.step, base.counts.step, base, begin, until)]
        for server in range(self._logs.ps):
            where = f"server {server}"
            found.append(self._outside(where, counts.dense[server], base.counts.dense[server], base, begin, until))
            for worker in range(self._logs.workers):
                count, before = counts.rows[server][worker], base.counts.rows[server][worker]
                found.append(self._outside(f"{where}, worker {worker}", count, before, base, begin, until, worker))
        return ", ".join(filter(None, found))

    def _claims(self, counts, base, begin):
        """How the global step counts a step whose updates are not on all servers, or ""."""
        steps = counts.step - base.counts.step
        made = min(now - before for now, before in zip(counts.dense, base.counts.dense))
        if self._mode != "synchronous":  # where a step may have rows of some workers only
            rows = [[now - before for now, before in zip(*pair)] for pair in zip(counts.rows, base.counts.rows)]
            made = min(made, sum(map(min, zip(*rows))))
        lost = self._births(range(self._logs.ps), base.begin, begin) * self._logs.workers if self._replicas else 0
        return f"{steps} steps were counted, and {made} are on all servers" if steps > made + lost else ""

    def _steps_between(self, base, begin, until):
        """By how much the global step has grown between two times, at most; None if that is not known yet."""
        before, after = base.counts.step, []
        for attempts in self._logs.attempts:
            ended = bisect.bisect_right(attempts.done, begin, key=lambda pair: pair[1]) - 1
            if ended >= 0 and attempts.done[ended][0] > base.end:
                before = max(before, attempts.steps[ended])
            begun = bisect.bisect_left(attempts.done, until, key=lambda pair: pair[0])
            if begun < len(attempts.done) and self._logs.is_settled(base, attempts.done[begun][1]):
                after.append(attempts.steps[begun])
        return min(after) - before if after else None

    def _births(self, ranks, since, until):
        return sum(since < when < until and rank in ranks for when, rank in self._logs.births)

    def _outside(self, what, count, before, base, begin, until, worker=None, own=0):
        """How a count is outside of what was acknowledged and attempted, or "".

        begin, until: when it was read. own: how many of the attempts under way then had been made.
        """
        attempts = self._logs.attempts if worker is None else [self._logs.attempts[worker]]
        least = before + own + sum(a.least(base.end, begin) for a in attempts)
        most = before + sum(a.most(base.begin, until) for a in attempts)
        if least <= count <= most:
            return ""
        return (
            f"{what}: {count} updates, and not {least} to {most} (since {base.begin:.3f}, {begin:.3f} to {until:.3f})"
        )

    def check_steps(self):
        """The global steps that steps have returned are legal, too, and not before what was reported as saved."""
        reports = [(save.end, number_of(save.path)) for save in self._logs.saves if save.end is not None]
        reports.sort()
        for worker, attempts in enumerate(self._logs.attempts):
            first = self._steps_checked[worker]
            for (begin, end), step in list(zip(attempts.done, attempts.steps))[first:]:
                if end > self._logs.complete_until:
                    break
                self._steps_checked[worker] += 1
                report = bisect.bisect_left(reports, (begin,)) - 1
                if report >= 0 and step < reports[report][1]:
                    raise IllegalStateError(
                        f"worker {worker} at {end:.3f}: step {step}, and {reports[report]} was saved"
                    )
                base = self._logs.base_at(begin)
                if base is None or self._mode == "synchronous" or not self._logs.is_settled(base, end):
                    continue
                before = base.counts.step
                wrong = self._outside("the global step", step, before, base, begin, end, own=1)
                if wrong:
                    raise IllegalStateError(f"worker {worker} at {end:.3f}: {wrong}")
