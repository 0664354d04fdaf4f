"""Real clusters for tests: programs under mpirun, with a time limit, and nothing left behind.

`run(source, ranks)` runs a program and returns a finished Job; `Job(...)` as a context manager is for tests that kill
or stop processes meanwhile. Every process of a job has a mark in its environment, by which all are found at the end,
also those that were stopped, are in other namespaces, or have lost their parents.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import uuid

import pytest

from tests.distributed import PATIENCE
from tfcore.run import command

LIMIT_S = 90.0
ORPHAN_S = 5.0 * PATIENCE  # for processes of a finished job to be gone
MARK = "TFCORE_TEST_JOB"
EMULATED_GPU = "tfcore_emulated_gpu"  # a process of each GPU that a rank uses


def require():
    """Skips the test where there is no MPI."""
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install 'tfcore[mpi]')")
    if command.find_mpirun() is None:
        pytest.skip("mpirun is not installed (pip install 'tfcore[mpi]')")


def require_survivors():
    """Skips the test where a death ends all processes: with MPICH, unless `tfcore.run` starts them."""
    require()
    if command.is_mpich(command.find_mpirun()):
        pytest.skip("others outlive a process only under Open MPI's fault tolerance (ULFM), which MPICH lacks")


def mpich():
    """An interpreter whose environment has MPICH: TFCORE_TEST_MPICH or this one. Skips the test where there is none."""
    python = os.environ.get("TFCORE_TEST_MPICH", sys.executable)
    mpirun = command.find_mpirun(python)
    if mpirun is None or not command.is_mpich(mpirun):
        pytest.skip("MPICH is not in this environment, and TFCORE_TEST_MPICH names no Python of one that has it")
    return python


# Some launchers mix what processes write at the same time, and without a buffer `print` writes a line in pieces. This
# stands before the first line of a program, whose lines keep their numbers.
WHOLE_LINES = "import sys; sys.stdout.reconfigure(line_buffering=True, write_through=False); "


class Job:
    """A program that runs.

    Args:
      program: source text, or a list of arguments of Python (["-m", "module", ...] or a file's path first).
      ranks: number of processes; with None `program` is run by itself (it may be a launcher).
      args: further arguments.
      env: environment variables to set (None as value: to unset).
      call: command that starts it, instead of mpirun.
      python: the interpreter, whose environment has the MPI library.
    """

    def __init__(self, program, ranks=None, args=(), env=None, call=None, limit=LIMIT_S, python=sys.executable):
        require()
        self.limit = limit * PATIENCE
        self.mark = uuid.uuid4().hex
        self._folder = tempfile.TemporaryDirectory(prefix="tfcore-test-")
        if isinstance(program, str):
            path = os.path.join(self._folder.name, "program.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(WHOLE_LINES + textwrap.dedent(program))
            program = [path]
        if call is None:
            call = command.mpirun(ranks, python=python) if ranks else []
        # mpirun names its folder after its process number, and does not start where one that was killed has left it.
        place = {"TMPDIR": self._folder.name}
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", MARK: self.mark, **place, **(env or {})}
        if call and "LD_PRELOAD" in environment:  # a sanitizer, for the ranks: mpirun may crash by it
            call = [*call, "env", f"LD_PRELOAD={environment.pop('LD_PRELOAD')}"]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root(), os.environ.get("PYTHONPATH")]))
        self.text = ""
        self.code = None
        self._process = subprocess.Popen(
            [*call, python, *program, *map(str, args)],
            env={k: v for k, v in environment.items() if v is not None},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.end = time.monotonic() + self.limit
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.text += line.decode(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def wait(self):
        """Waits for the end; fails the test when it does not come in time, or when processes are left."""
        try:
            self.code = self._process.wait(max(0.0, self.end - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.stop()
            pytest.fail(f"the job has not ended after {self.limit:.0f} s; its output:\n{self.text}")
        self._reader.join(ORPHAN_S)
        until = time.monotonic() + ORPHAN_S
        while (left := processes(self.mark)) and time.monotonic() < until:
            time.sleep(0.05)
        names = [describe(pid) for pid in left]
        self.stop()
        assert not left, f"processes are left: {names}; output:\n{self.text}"
        return self

    def stop(self):
        """Kills whatever of the job is there. May be called more than once."""
        for _ in range(50):
            left = processes(self.mark)
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                break
            time.sleep(0.05)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join(ORPHAN_S)
        self._folder.cleanup()

    def lines(self, start=""):
        """Sorted lines of the output that begin with `start`, without those of mpirun's event library."""
        found = [line.rstrip() for line in self.text.splitlines() if line.startswith(start)]
        return sorted(line for line in found if not line.startswith("[warn] Epoll "))

    def see(self, text, count=1):
        """Waits until `text` is `count` times in the output; fails the test if that does not happen."""
        while self.text.count(text) < count:
            if time.monotonic() > self.end or (self._process.poll() is not None and not self._reader.is_alive()):
                self.stop()
                pytest.fail(f"{text!r} was not printed; the output:\n{self.text}")
            time.sleep(0.01)
        return self.text

    def pid_of(self, rank):
        """The process id of a rank's program."""
        found = [p for p in processes(self.mark) if str(rank) == rank_of(p)]
        found = [p for p in found if not any(part in describe(p) for part in ("supervisor.py", EMULATED_GPU))]
        assert len(found) == 1, f"{[describe(p) for p in found]}; output:\n{self.text}"
        return found[0]

    def kill(self, rank, number=signal.SIGKILL):
        os.kill(self.pid_of(rank), number)


def run(program, ranks=None, args=(), env=None, call=None, limit=LIMIT_S, python=sys.executable):
    """Runs a program to its end."""
    with Job(program, ranks, args, env, call, limit, python) as job:
        return job.wait()


def root():
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def environ(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            pairs = [entry.partition(b"=") for entry in file.read().split(b"\0")]
    except OSError:
        return {}
    return {name.decode(): value.decode(errors="replace") for name, _, value in pairs if name}


def rank_of(pid):
    """The rank of a process and of its children as a text, or None: Open MPI's and MPICH's names of it."""
    variables = environ(pid)
    return variables.get("PMIX_RANK", variables.get("PMI_RANK"))


def describe(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return f"{pid}: {file.read().replace(bytes(1), b' ').decode(errors='replace')}"
    return f"{pid}: gone"


def processes(mark):
    """Ids of all processes that have the mark in their environment; a process that has ended has none."""
    return [int(p) for p in os.listdir("/proc") if p.isdecimal() and environ(p).get(MARK) == mark]


def processor_seconds(pid):
    """Time that a process has computed, of all its threads."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
