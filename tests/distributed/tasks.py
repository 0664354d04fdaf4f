"""Tasks for tests: processes joined by a fabric, without MPI.

`run(n, function, ...)` starts n processes in which the given function of a test module is called with its Task;
addresses go over pipes through the test's process. A hard time limit kills them all.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time

from tests.distributed import PATIENCE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


_out = None  # in a task: the pipe to the test


class Task:
    """What a task's function gets: its rank, the number of tasks, and points at which all meet."""

    def __init__(self, rank, size):
        self.rank, self.size = rank, size
        self.others = [r for r in range(size) if r != rank]

    def meet(self):
        """Returns when all tasks that live are here."""
        _write({"meet": True})
        _read()

    def exchange(self, address):
        """The addresses (texts) of all tasks, by rank."""
        _write({"address": address})
        return _read()

    def connect(self, before_start=None):
        """Opens the fabric and connects it to the others; `before_start` sets handlers."""
        from tfcore.distributed.fabric import fabric

        addresses = self.exchange(fabric.open(self.rank, self.size).decode())
        fabric.connect([a.encode() for a in addresses])
        if before_start is not None:
            before_start()
        self.meet()
        fabric.start()
        self.meet()
        return fabric


def _write(message):
    os.write(_out, (json.dumps(message) + "\n").encode())


def _read():
    line = sys.stdin.readline()
    if not line:
        raise SystemExit("the test has ended")
    return json.loads(line)


class _Process:
    def __init__(self, rank, n, function, arguments, env):
        self.rank = rank
        read, write = os.pipe()
        self.errors = tempfile.TemporaryFile()
        what = [function.__module__, function.__name__, str(rank), str(n), json.dumps(arguments), str(write)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.distributed.tasks", *what],
            stdin=subprocess.PIPE,
            stderr=self.errors,
            stdout=self.errors,
            cwd=ROOT,
            env={**os.environ, **env},
            pass_fds=[write],
        )
        os.close(write)
        self.pipe = read
        self.buffered = b""
        self.ended = False
        self.message = None

    def read(self):
        data = os.read(self.pipe, 1 << 16)
        self.ended = not data
        self.buffered += data
        if b"\n" in self.buffered:
            line, self.buffered = self.buffered.split(b"\n", 1)
            self.message = json.loads(line)

    def answer(self, value):
        self.message = None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write((json.dumps(value) + "\n").encode())
            self.process.stdin.flush()

    def text(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")[-4000:]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        os.close(self.pipe)
        self.errors.close()


def _serve(tasks, limit):
    """Passes addresses on and lets tasks meet, until all have ended."""
    while running := [t for t in tasks if not t.ended and "result" not in (t.message or ())]:
        left = limit - time.monotonic()
        waiting = [t for t in running if t.message is None]
        if left <= 0:
            return False
        ready, _, _ = select.select([t.pipe for t in waiting], [], [], left)
        for t in waiting:
            if t.pipe in ready:
                t.read()
        running = [t for t in tasks if not t.ended and "result" not in (t.message or ())]
        if running and all(t.message for t in running):
            addresses = [(t.message or {}).get("address") for t in tasks]
            for t in running:
                t.answer(addresses)
    return True


def run(n, function, *arguments, seconds=60, killed=(), env=()):
    """What function(task, *arguments) returned in each of n tasks; arguments and results are JSON.

    Raises:
      AssertionError: a task failed, or had not ended after `seconds` (times PATIENCE). Tasks in `killed` may end by a
        signal; their result is None.
    """
    tasks = [_Process(rank, n, function, arguments, dict(env)) for rank in range(n)]
    try:
        in_time = _serve(tasks, time.monotonic() + seconds * PATIENCE)
        for t in tasks:
            if in_time:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    t.process.wait(10 * PATIENCE)
            else:
                t.process.send_signal(signal.SIGABRT)  # faulthandler prints where it hangs
        time.sleep(0 if in_time else 1)
        problems = [
            f"rank {t.rank} ended with {t.process.poll()}:\n{t.text()}"
            for t in tasks
            if t.process.poll() != 0 and not (t.rank in killed and in_time and (t.process.poll() or 0) < 0)
        ]
        assert in_time, f"tasks hang after {seconds * PATIENCE:g} s\n" + "\n".join(problems)
        assert not problems, "\n".join(problems)
        return [(t.message or {}).get("result") for t in tasks]
    finally:
        for t in tasks:
            t.close()


def main():
    import faulthandler
    import importlib

    global _out
    faulthandler.enable()
    module, name, rank, n, arguments, _out = sys.argv[1:]
    _out = int(_out)
    os.set_inheritable(_out, False)
    function = getattr(importlib.import_module(module), name)
    result = function(Task(int(rank), int(n)), *json.loads(arguments))
    _write({"result": result})


if __name__ == "__main__":
    main()
