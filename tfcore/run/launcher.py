"""Runs mpirun and cleans up after it."""

import collections
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from tfcore.run.command import OF_LAUNCHED
from tfcore.run.supervisor import MARK, role, segments, write

PATIENCE_S = 8.0  # for mpirun to end its ranks
HOLD_S = 0.2  # a traceback is complete when its rank has printed nothing for this long
LONGEST_HOLD_S = 2  # after that a block of lines is written as it is
CHUNK = 1 << 16
MESSAGE = re.compile(
    rb"(starts|started|failed) (\d{1,9})|(ended|restarts|follows) (\d{1,9}) (-?\d{1,9})"
    rb"|(runs) (\d{1,9}) ([\w.:-]{1,255})"
    rb"|(door) (\d{1,9}) (\{.{1,2000}\})"
)
LOST_HOST = re.compile(rb" *Remote daemon: .* on node ([\w.:-]+)")  # mpirun says so, and ends the job
MOST_NAMES = 5  # of processes, in a line
MOST_ENDS = 8  # processes whose ends are told one by one
RESTART_HINT = "tfcore.run: with --restart N, processes that are lost are started again, and training continues\n"
GRACE_S = 3.0  # for ranks that failed, once all others have ended


class Tracebacks:
    """Writes lines, and keeps those of a traceback together: ranks that fail at the same time would mix theirs.

    write: a function that takes bytes.
    held: dict from role to the lines of its traceback, with the time of the last one.
    """

    def __init__(self, write):
        self._write_bytes = write
        self.held = {}

    def add(self, line, now):
        who, bar, text = line.partition(b"| ")
        if who in self.held:
            lines, begun, _ = self.held[who]
            lines.append(line)
            self.held[who] = lines, begun, now
            if now - begun > LONGEST_HOLD_S:  # a process that still logs after an error that it handled
                del self.held[who]
                self._write(lines)
        elif bar and text.startswith(b"Traceback (most recent call last):"):
            self.held[who] = [line], now, now
        else:
            self._write([line])

    def flush(self, before=float("inf")):
        """Writes tracebacks to which no line was added after the given time."""
        for who, (lines, _, last) in list(self.held.items()):
            if last <= before:
                del self.held[who]
                self._write(lines)

    def _write(self, lines):
        self._write_bytes(b"".join(lines))


class Invitation:
    """The file for `--join`: where tasks let others in, and the environment of those that join, with the secret."""

    def __init__(self, folder, env):
        self.path = os.path.join(folder, "join")
        self._workers = int(env["TFCORE_WORKERS"].rpartition(".")[2])
        self.places = int(env["TFCORE_PS"]) + self._workers
        of_one = (*OF_LAUNCHED, "TFCORE_NUM_THREADS")
        shared = [name for name in env if name.startswith("TFCORE_") and name not in of_one]
        self._environment = {name: env[name] for name in shared}
        self._doors = {}  # rank -> where it is

    def note(self, rank, door):
        """Only this user can read the folder. Returns what to tell the user, the first time."""
        is_first = not self._doors
        self._doors[rank] = door
        doors = [self._doors[rank] for rank in sorted(self._doors)]
        try:
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump({"doors": doors, "environment": self._environment}, file)
            os.replace(self.path + ".new", self.path)
        except OSError as error:
            return f"tfcore.run: workers can't join, as their file can't be written: {error}\n"
        join = f"python -m tfcore.run --join {self.path} PROGRAM"
        return f"tfcore.run: the cluster has room for {self._workers} workers: {join}\n" if is_first else ""


class Job:
    """A started cluster. The supervisors report how ranks end through mpirun's standard error."""

    def __init__(self, command, env, ranks, ps, invitation=None):
        self.ranks = ranks
        self._invitation = invitation
        self._places = ranks if invitation is None else invitation.places
        self.ps = ps
        self.codes = {}  # rank -> exit code, negative: signal
        self.failed = set()  # ranks that others have found dead or frozen
        self.starting = set()  # ranks that wait for the others to start
        self.started = set()
        self.causes = {}  # rank -> the rank because of whose failure its program ended
        self._untold = 0  # processes that have failed without a line that says so
        self.restarts = collections.Counter()  # rank -> how often its program was started again
        self._returning = set()  # ranks whose program was started again and has not joined yet
        self._most_restarts = int(env.get("TFCORE_RESTART", 0))
        self.hosts = {}  # rank -> the name that mpirun has for its host
        self.lost_hosts = set()
        self._unread = False  # nobody reads standard error any more
        self._process = subprocess.Popen(
            command, env=env, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=_die_with_parent
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._timer = None

    def _read(self):
        """Forwards the ranks' output, and notes the messages of their supervisors."""
        source, rest = self._process.stderr.fileno(), b""
        output = Tracebacks(self._write)
        while True:
            if select.select([source], [], [], HOLD_S if output.held else None)[0]:
                data = os.read(source, CHUNK)
                *lines, rest = (rest + data).split(b"\n")
                if not data:
                    lines.append(rest)
                for line in lines:
                    text, mark, message = line.partition(MARK)
                    message = self._message(message) if mark else None
                    if mark and not message:  # a program has printed the mark
                        text = line
                    if lost := LOST_HOST.fullmatch(text):
                        self.lost_hosts.add(lost[1].decode())
                    if text or (not mark and data):
                        output.add(text + b"\n", time.monotonic())
                    if message:
                        output.flush()
                        self._note(*message)
                if not data:
                    break
            output.flush(time.monotonic() - HOLD_S)
        output.flush()

    def _message(self, text):
        """(what, rank, detail) of a supervisor's message, the detail "" for most; None: it is not one."""
        found = MESSAGE.fullmatch(text)
        if not found:
            return None
        what, rank, detail = ([part.decode() for part in found.groups() if part is not None] + [""])[:3]
        if what == "door" and not _is_json(detail):
            return None
        return (what, int(rank), detail) if int(rank) < self._places else None

    def _note(self, what, rank, detail):
        if rank >= self.ranks:
            return  # it has joined: no process of mpirun's
        if what == "starts":
            self.starting.add(rank)
        elif what == "started":
            self.started.add(rank)
            self.failed.discard(rank)
            self._returning.discard(rank)
        elif what == "failed" and rank not in self._returning:  # others may find out late
            self.failed.add(rank)
        elif what == "follows":
            self.causes[rank] = int(detail)
        elif what == "restarts":
            self.causes.pop(rank, None)
            self.failed.discard(rank)
            self._returning.add(rank)
            self.restarts[rank] += 1
            often = f"{self.restarts[rank]} of at most {self._most_restarts} times"
            self._say(rank, f"{_how(int(detail))}; it is started again ({often})")
        elif what == "runs":
            self.hosts[rank] = detail
        elif what == "door" and self._invitation:
            self._write(self._invitation.note(rank, json.loads(detail)).encode())
        elif what == "ended":
            self.codes[rank] = code = int(detail)
            if code and rank not in self.causes:
                self._say_end(rank, _how(code))
        left = set(range(self.ranks)) - set(self.codes)
        absent = set(self.codes) - self.started
        if absent and left & (self.starting - self.started):
            self._end_soon(lambda: self._say(min(absent), "has ended before the cluster was complete"))
        elif left and left <= self.failed:  # frozen: nothing will wake them
            self._end_soon()

    def _say_end(self, rank, what):
        told = sum(map(bool, self.codes.values())) - len(self.causes.keys() & self.codes.keys())
        if told > MOST_ENDS:  # this one included
            self._untold += 1
        else:
            self._say(rank, what)

    def _say_rest(self, lost):
        """What was not said when it happened: who failed because of whom, and what the user can do."""
        for cause in sorted(set(self.causes.values())):
            who = _names([rank for rank in sorted(self.causes) if self.causes[rank] == cause], self.ps)
            self._write(f"tfcore.run: {who} ended because of {_names([cause], self.ps)}\n".encode())
        if self._untold:
            self._write(f"tfcore.run: {self._untold} more processes failed\n".encode())
        if (lost or min(self.codes.values(), default=0) < 0) and not self._most_restarts:
            self._write(RESTART_HINT.encode())

    def _say(self, rank, what):
        self._write("tfcore.run: {} {} {}\n".format(*role(rank, self.ps), what).encode())

    def _write(self, data):
        """Writes to standard error. Ends the job when nobody reads that any more, as with `2>&1 | head`."""
        if self._unread:
            return
        try:
            write(2, data)
        except OSError:
            self._unread = True
            # This thread continues to read: mpirun could not end while the pipe to here is full.
            threading.Thread(target=self.end, daemon=True).start()

    def _end_soon(self, say=None):
        if self._timer is None:
            self._timer = threading.Timer(GRACE_S, self._end_if_stuck, [say])
            self._timer.daemon = True
            self._timer.start()

    def _end_if_stuck(self, say):
        if self._process.poll() is None:
            if say:
                say()
            self.end()

    def wait(self):
        """Waits for the end; returns the exit code for a shell: that of the first rank (by number) that failed."""
        code = self._process.wait()
        self._reader.join(PATIENCE_S)
        lost = [rank for rank in sorted(self.hosts) if rank not in self.codes and self.hosts[rank] in self.lost_hosts]
        for rank, host in sorted(self.hosts.items()):
            if rank in lost:
                self._say(rank, f"was lost with host {host}")
            elif rank not in self.codes and code == 0:
                self._say(rank, "was lost with its supervisor")
        self._say_rest(lost)
        for rank in range(self.ranks):
            its = self.codes.get(rank, 1 if code == 0 else code)
            if its:
                return 128 - its if its < 0 else its
        return 0  # whatever became of mpirun

    def end(self):
        """Ends all ranks through mpirun, which also ends those on other hosts, or else by force."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)


def _names(ranks, ps):
    """ps 0, worker 1 and 3 others"""
    names = ["{} {}".format(*role(rank, ps)) for rank in ranks]
    names = names if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _how(code):
    """How a process has ended."""
    return f"was ended by signal {-code} ({_signal_name(-code)})" if code < 0 else f"ended with exit code {code}"


def _is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _signal_name(number):
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


def _die_with_parent():
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def run(command, env, ranks, ps):
    """Runs the job to its end; returns the exit code. Ctrl-C and SIGTERM end the whole job."""
    # mpirun names its folder after its process number, and does not start if a killed one has left a folder of that
    # name.
    with tempfile.TemporaryDirectory(prefix="tfcore-run-", ignore_cleanup_errors=True) as folder:
        invitation = Invitation(folder, env) if "TFCORE_WORKERS" in env else None
        return _run(command, {**env, "PRTE_MCA_prte_local_tmpdir_base": folder}, ranks, ps, invitation)


def _run(command, env, ranks, ps, invitation):
    job = Job(command, env, ranks, ps, invitation)
    stopped_by = []

    def stop(number, frame):
        stopped_by.append(number)
        raise KeyboardInterrupt

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return job.wait()
    except KeyboardInterrupt:
        for number in previous:
            signal.signal(number, signal.SIG_IGN)  # once is enough
        job.end()
        return 128 + stopped_by[0]
    finally:
        # If mpirun was killed, no process on this host has removed them.
        shutil.rmtree(segments(env), ignore_errors=True)
        for number, handler in previous.items():
            signal.signal(number, handler)
