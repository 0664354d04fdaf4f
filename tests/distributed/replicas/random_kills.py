"""Trainings whose processes are killed with SIGKILL at random instants; checks that nothing is lost or damaged.

    python -m tests.distributed.replicas.random_kills --kills 500 --seed 1     # takes half an hour
    python -m tests.distributed.replicas.random_kills --seed 1 --training 7    # one of these trainings again
    python -m tests.distributed.replicas.random_kills --kills 100 --replicas 2 # servers have replicas

Each training (surviving.py) has two parameter servers and one worker or three, the chief among them, under
`tfcore.run --restart`, with a monitored session that saves several times a second, in the background or not. Tasks talk
over shared memory, MPI or TCP. Killed are a worker, the chief, a server, two of them, or everything (the training is
started again then): after a random rest, at a random instant of a save, or at one of a restore that an earlier kill has
caused.

Checked after each kill: all workers continue beyond the step before; all complete checkpoints can be read, and they and
the global steps that workers have seen are legal states (legal_states.py); what was reported as saved is not lost. With
replicas each kill comes when both servers have them, and variables are restored only if both are killed. A failure
prints seed, training and kill, and keeps the folder with logs, output and checkpoints.
"""

import argparse
import contextlib
import dataclasses
import os
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time

import pytest

from tests.distributed import PATIENCE, mpi
from tests.distributed.membership.random_faults import crowd, is_running
from tests.distributed.replicas import legal_states
from tfcore.run import supervisor

SERVERS = 2
WORKERS = {"asynchronous": 3, "alone": 1, "synchronous": 3}
ORDER = ("asynchronous", "alone", "asynchronous", "synchronous")  # of the trainings
TRANSPORTS = ("", "", "mpi", "tcp")  # TFCORE_TRANSPORT, by chance; "": shared memory
KILLS = 25  # in a training
START_S = 90.0 * PATIENCE
RECOVERY_S = 30.0 * PATIENCE  # until all workers continue, on a machine with nothing else to do
LOOK_S = 0.01
SAVE_LIMIT_S = 5.0 * PATIENCE  # until a save begins
FIRST_S = 0.03  # that a save or a restore takes, until one was seen
RESTARTS = 1000
MOST_FAILED = 10  # trainings, after which no more are tried
EVERYTHING = "everything"


class ViolationError(Exception):
    """Training does not continue."""


@dataclasses.dataclass(frozen=True)
class Kill:
    """A kill of one rank, of two, or of everything; and when it happens.

    when: "rest", "save" or "restore": after `rest` seconds; then, at that share of a save, or, after all victims but
    the last were killed, of the restore that follows. pause: seconds between two victims.
    """

    victims: tuple  # of ranks, or EVERYTHING
    when: str = "rest"
    rest: float = 0.0
    share: float = 0.0
    pause: float = 0.0

    def __str__(self):
        whom = EVERYTHING if self.victims == EVERYTHING else "rank " + ", ".join(map(str, self.victims))
        moment = "" if self.when == "rest" else f", at {self.share:.2f} of a {self.when}"
        return f"{whom}, after {self.rest:.2f} s{moment}" + f", pause {self.pause:.2f} s" * (len(self.victims) == 2)

    @property
    def loses_variables(self):
        """Whether servers with replicas may lose variables."""
        return self.victims == EVERYTHING or len({rank for rank in self.victims if rank < SERVERS}) == SERVERS


@dataclasses.dataclass(frozen=True)
class Plan:
    mode: str
    kills: tuple
    in_background: bool  # whether checkpoints are written while training continues
    replicas: int  # ps_replicas
    transport: str

    def __str__(self):
        how = [self.mode, self.transport or "shared memory"]
        how += ["saved in the background"] * self.in_background + ["with replicas"] * (self.replicas > 1)
        return ", ".join(how)


def draw(seed, number, mode=None, kills=KILLS, replicas=1):
    """The plan of a training."""
    rng = random.Random(f"{seed} {number}")
    mode = mode or ORDER[number % len(ORDER)]
    all_kills = tuple(_draw_kill(rng, SERVERS + WORKERS[mode], replicas) for _ in range(kills))
    return Plan(mode, all_kills, rng.random() < 0.5, replicas, rng.choice(TRANSPORTS))


def _draw_kill(rng, size, replicas):
    chief = SERVERS
    server, worker = rng.randrange(SERVERS), rng.randrange(chief, size)
    weights = [3, 4, 4, 4, 3, 2] if replicas == 1 else [2, 4, 8, 5, 2, 2]
    kind = rng.choices(["worker", "chief", "server", "two", "restore", EVERYTHING], weights)[0]
    when = rng.choice(["rest", "save", "save"])
    rest, share, pause = rng.uniform(0.0, 0.5), rng.uniform(0.0, 1.2), rng.choice([0.0, rng.uniform(0.0, 1.5)])
    if kind == "two":
        victims = (rng.randrange(size), rng.randrange(size))
    elif kind == "restore":  # variables are lost, and then whoever restores them, or somebody else
        lost = (server,) if replicas == 1 else (server, 1 - server)
        when, pause, victims = "restore", 0.0, (*lost, rng.choice([chief, chief, rng.randrange(size)]))
    else:
        victims = {"worker": (worker,), "chief": (chief,), "server": (server,)}.get(kind, EVERYTHING)
    return Kill(victims, when, rest, share, pause)


class Training:
    """A training, from its first start to its end."""

    def __init__(self, plan):
        self.plan = plan
        self.kills = 0
        self.folder = tempfile.mkdtemp(prefix="tfcore-kills-")
        self._place = tempfile.mkdtemp(prefix="tf")  # for temporary files
        os.makedirs(os.path.join(self.folder, "logs"))
        self.logs = legal_states.Logs(self.folder, SERVERS, WORKERS[plan.mode])
        self.checkpoints = legal_states.Checkpoints(self.folder, self.logs, plan.mode, plan.replicas > 1)
        self.recoveries = []  # seconds from a kill, but of everything, until all workers continued
        self._outputs = []
        self.start()

    def start(self):
        plan = self.plan
        roles = ["--ps", str(SERVERS), "--workers", str(WORKERS[plan.mode]), "--restart", str(RESTARTS)]
        roles += ["--ps-replicas", str(plan.replicas)] if plan.replicas > 1 else []
        program = ["-m", "tfcore.run", *roles, "--threads", "1", "-m", "tests.distributed.replicas.surviving"]
        # Those that are killed are missed at once; on a busy machine others must not be taken for frozen.
        env = {"TMPDIR": self._place, "XDG_RUNTIME_DIR": self._place, "TFCORE_FAILURE_TIMEOUT": str(20 * PATIENCE)}
        env["TFCORE_TRANSPORT"] = plan.transport or None
        how = ["background"] if plan.in_background else []
        self.job = mpi.Job(program, args=[self.folder, plan.mode, *how], env=env, limit=1e6)
        self._started = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, kind, *error):
        self._stop_job()
        self.logs.close()
        shutil.rmtree(self._place, ignore_errors=True)
        if kind is None:
            shutil.rmtree(self.folder)
        else:
            with open(os.path.join(self.folder, "output"), "w", encoding="utf-8") as file:
                file.write("\n---- started again\n".join(self._outputs))

    def _stop_job(self):
        """Kills everything that is left."""
        segments = {
            supervisor.segments(env) for p in mpi.processes(self.job.mark) if "TFCORE_JOB" in (env := mpi.environ(p))
        }
        self.job.stop()
        for path in segments:
            shutil.rmtree(path, ignore_errors=True)
        for name in os.listdir(self._place):
            path = os.path.join(self._place, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        self._outputs.append(self.job.text)

    # ---- Observing

    def look(self):
        time.sleep(LOOK_S)
        self.logs.read()
        self.checkpoints.note_bases()
        if self.job._process.poll() is not None:
            raise ViolationError("the job has ended")

    def wait_for(self, what, condition, seconds):
        began = time.monotonic()
        while missing := condition():
            if time.monotonic() - began > seconds * crowd():
                raise ViolationError(f"{what}: after {time.monotonic() - began:.0f} s still missing: {missing}")
            self.look()

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.look()

    def behind(self, since, step):
        """The workers that have not made a step since then, beyond that global step."""
        return [w for w, its in enumerate(self.logs.attempts) if not self._goes_on(its, since, step)]

    @staticmethod
    def _goes_on(its, since, step):
        return bool(its.done) and its.done[-1][0] > since and its.steps[-1] > step

    def without_replicas(self):
        """The servers whose backup does not have all of their variables."""
        now = [self.newest(rank) for rank in range(SERVERS)]
        complete = [
            server is not None and backup is not None and server.replicas == (backup.incarnation, "on")
            for server, backup in zip(now, now[1:] + now[:1])
        ]
        return [rank for rank, yes in enumerate(complete) if not yes]

    def newest(self, rank):
        """The newest process of a place that has begun its program since the job was started; None if there is none."""
        place = self.logs.places[rank]
        return place[-1] if place and place[-1].born > self._started else None

    # ---- Kills

    def hit(self, kill):
        """Kills, waits until training continues, and checks everything."""
        is_all = kill.victims == EVERYTHING
        if self.plan.replicas > 1:
            self.wait_for("replicas", self.without_replicas, RECOVERY_S)
        self.wait(kill.rest)
        all_processes = mpi.processes(self.job.mark)  # before the save begins, as this takes a while
        if kill.when == "save":
            self._wait_into("save", kill.share)
        began = time.monotonic()
        since = self._kill_all(all_processes) if is_all else self._kill_ranks(kill)
        self.kills += 1
        before = self.logs.highest
        if is_all:
            self._stop_job()
            self.logs.read()
            self.checkpoints.note_bases()
            self.checkpoints.check(at_rest=True)
            before = min(before, self._reported_step())
            self.start()
        self.wait_for(str(kill), lambda: self.behind(since, before), START_S if is_all else RECOVERY_S)
        if not is_all:
            self.recoveries.append(time.monotonic() - since)
        self.check()
        if self.plan.replicas > 1 and not kill.loses_variables:
            again = [base for base in self.logs.bases if base.begin > began]
            if again:
                raise ViolationError(f"{kill}: the variables had replicas, and were not taken from them: {again}")

    def check(self):
        self.checkpoints.check(at_rest=False)
        self.checkpoints.check_steps()

    def _reported_step(self):
        reported = self.logs.reported()
        return legal_states.number_of(reported.path) if reported else -1

    @staticmethod
    def _kill_all(processes):
        random.shuffle(processes)
        for pid in processes:
            _kill(pid)
        return time.monotonic()

    def _kill_ranks(self, kill):
        for number, rank in enumerate(kill.victims):
            if number:
                if kill.when == "restore" and number == len(kill.victims) - 1:
                    self._wait_into("restore", kill.share)
                else:
                    self.wait(kill.pause)
            self.logs.read()
            process = self.newest(rank)
            if process is not None and is_running(process.pid):
                _kill(process.pid)
        return time.monotonic()

    def _wait_into(self, what, share):
        """Waits until the chief begins to save or to restore, and then for that share of the time that it takes."""
        events = self.logs.saves if what == "save" else self.logs.bases
        seen, taken = len(events), [e.end - e.begin for e in events[-9:] if e.end is not None and e.path]
        end = time.monotonic() + SAVE_LIMIT_S
        while len(events) == seen and time.monotonic() < end:
            chief = self.newest(SERVERS)
            if chief is None or not is_running(chief.pid):
                self.look()
            else:
                time.sleep(0.001)
                self.logs.read_one(chief)
        time.sleep(share * (statistics.median(taken) if taken else FIRST_S))

    # ---- The end

    def finish(self):
        with open(os.path.join(self.folder, "stop"), "w"):
            pass
        if self.plan.mode == "synchronous":  # whoever ends first leaves others waiting for its gradients
            self._kill_all(mpi.processes(self.job.mark))
        else:
            self.job.end = time.monotonic() + START_S
            if self.job.wait().code:
                raise ViolationError(f"the job has ended with {self.job.code}")
        self._stop_job()
        self.logs.read()
        self.checkpoints.note_bases()
        self.checkpoints.check(at_rest=True)
        self.checkpoints.check_steps()
        if "Traceback" in "".join(self._outputs):
            raise ViolationError("a process has printed a traceback")


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


@dataclasses.dataclass
class Totals:
    """Of several trainings, also of those that failed."""

    kills: int = 0
    in_saves: int = 0  # kills while a save was under way
    checkpoints: int = 0  # read after kills
    unreported: int = 0  # of these, complete ones whose save was not reported
    apart: int = 0  # by how many updates of a worker two servers have differed, at most
    recoveries: list = dataclasses.field(default_factory=list)

    def note(self, training):
        self.kills += training.kills
        self.in_saves += sum(save.end is None for save in training.logs.saves)
        self.checkpoints += training.checkpoints.read
        self.unreported += training.checkpoints.unreported
        self.apart = max(self.apart, training.checkpoints.apart)
        self.recoveries += training.recoveries

    def __str__(self):
        times = sorted(self.recoveries) or [0.0]
        return (
            f"{self.kills} kills, {self.in_saves} of them ended a save; read {self.checkpoints} times a checkpoint, "
            f"{self.unreported} times one that was complete and not reported; servers differed by at most {self.apart} "
            f"updates of a worker; until all workers continued: median {statistics.median(times):.2f} s, of 95 % less "
            f"than {times[len(times) * 95 // 100]:.2f} s, at most {times[-1]:.2f} s"
        )


def run(plan, totals=None, say=print):
    """Runs one training to its end. Raises ViolationError, IllegalStateError or pytest's Failed."""
    began = time.monotonic()
    with Training(plan) as training:
        try:
            training.wait_for("start", lambda: training.behind(0.0, 0), START_S)
            for number, kill in enumerate(plan.kills):
                say(f"    {time.monotonic() - began:7.2f} {number}: {kill}")
                training.hit(kill)
            training.finish()
        except BaseException:
            say(f"    {time.monotonic() - began:7.2f} (now {time.monotonic():.3f}) failed; see {training.folder}")
            raise
        finally:
            if totals is not None:
                totals.note(training)


def parse(arguments):
    parser = argparse.ArgumentParser("python -m tests.distributed.replicas.random_kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--training", type=int, help="only this one")
    parser.add_argument("--mode", choices=legal_states.MODES, help="only trainings of this kind")
    parser.add_argument("--replicas", type=int, choices=(1, 2), default=1, help="ps_replicas of the clusters")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # no training outlives this program
    began, totals, failed, number = time.monotonic(), Totals(), [], options.training or 0
    while totals.kills < options.kills:
        left = min(KILLS, options.kills - totals.kills)
        plan = draw(options.seed, number, options.mode, left, options.replicas)
        print(f"seed {options.seed}, training {number}: {plan}", flush=True)
        try:
            run(plan, totals, lambda text: print(text, flush=True))
        except (Exception, pytest.fail.Exception) as error:
            failed.append(number)
            print(f"    {type(error).__name__}: {error}", flush=True)
        print(f"    {time.monotonic() - began:.0f} s: {totals}", flush=True)
        number += 1
        if options.training is not None or len(failed) == MOST_FAILED:
            break
    print(f"seed {options.seed}: {totals.kills} kills; {len(failed)} trainings failed: {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
