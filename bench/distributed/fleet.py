"""The processes of one library: servers and workers on this machine, controlled over a socket."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile

TASK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "task.py")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MPI, TCP = "tfcore over MPI", "tfcore over TCP"
ENVIRONMENTS = {"tfcore": {}, MPI: {"TFCORE_TRANSPORT": "mpi"}, TCP: {"TFCORE_TRANSPORT": "tcp"}}  # of tfcore
START_SECONDS = 180  # imports of many processes on few cores


class FleetError(Exception):
    """A library failed at a request; the text says why."""


class Fleet:
    """Processes that have connected and answer requests.

    Args:
      library: "tfcore", "tfcore over MPI" or "tfcore over TCP" (as between hosts: its tasks share no memory),
        "tensorflow" or "mpi".
      python: the interpreter that has it.
      servers, workers: how many tasks; raw MPI has workers only.
      ps_replicas: how many servers have each variable, of tfcore.
    """

    def __init__(self, library, python, servers, workers, ps_replicas=1):
        self.library = library
        self._links = {}
        self._processes, self._errors = [], []
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
            listener.settimeout(START_SECONDS)
            commands = _commands(library, python, servers, workers, listener.getsockname()[1], ps_replicas)
            try:
                for command in commands:
                    self._errors.append(tempfile.TemporaryFile())
                    self._processes.append(_start(command, self._errors[-1], ENVIRONMENTS.get(library, {})))
                for _ in range(servers + workers):
                    self._accept(listener)
            except TimeoutError:
                raise FleetError(f"{library}: processes did not start: {self._complaint()}") from None
            except BaseException:
                self.close()
                raise
        self.servers = [link for (job, _), link in sorted(self._links.items()) if job == "ps"]
        self.workers = [link for (job, _), link in sorted(self._links.items()) if job != "ps"]

    def _accept(self, listener):
        connection, _ = listener.accept()
        connection.settimeout(600)
        lines = connection.makefile("rw")
        connection.close()  # `lines` keeps it open
        self._links[tuple(json.loads(lines.readline())["name"])] = lines

    def _complaint(self):
        """The end of what the processes wrote."""
        self.close()
        return " | ".join(filter(None, map(_last_words, self._errors)))

    def ask(self, who, **request):
        """The answers of `who`, a list of links; all work at the same time."""
        for lines in who:
            print(json.dumps(request), file=lines, flush=True)
        answers = []
        for lines in who:
            line = lines.readline()
            if not line:
                raise FleetError(f"{self.library}: a process ended: {self._complaint()}")
            answers.append(json.loads(line))
        for answer in answers:
            if "error" in answer:
                raise FleetError(f"{self.library}: {answer['error'][:800]}")
        return [answer["value"] for answer in answers]

    def close(self):
        for lines in self._links.values():
            with contextlib.suppress(OSError):
                lines.close()
        self._links = {}
        for process in self._processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def _start(command, errors, env):
    null = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=ROOT, stdin=null, stdout=null, stderr=errors, env={**os.environ, **env})


def _last_words(file):
    file.seek(0)
    return file.read().decode(errors="replace").strip()[-600:]


def _commands(library, python, servers, workers, port, ps_replicas):
    task = [TASK, "tfcore" if library in ENVIRONMENTS else library, "--port", str(port), "--servers", str(servers)]
    if library == "mpi":
        return [[*_mpirun(python), "-n", str(workers), python, *task]]
    if library in ENVIRONMENTS:
        roles = ["--ps", str(servers), "--workers", str(workers), "--ps-replicas", str(ps_replicas)]
        return [[sys.executable, "-m", "tfcore.run", *roles, *task]]
    ports = _free_ports(servers + workers)
    addresses = [f"127.0.0.1:{p}" for p in ports]
    cluster = {"ps": addresses[:servers], "worker": addresses[servers:]}
    commands = []
    for job, tasks in cluster.items():
        for i in range(len(tasks)):
            commands.append([python, *task, "--cluster", json.dumps(cluster), "--job", job, "--index", str(i)])
    return commands


def _mpirun(python):
    """mpirun of the interpreter's environment, else the one on PATH, with flags for few cores and containers."""
    beside = os.path.join(os.path.dirname(python), "mpirun")
    found = beside if os.path.exists(beside) else shutil.which("mpirun")
    if found is None:
        raise FleetError("there is no mpirun")
    flags = ["--oversubscribe", "--bind-to", "none"]
    return [found, *flags, *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]


def _free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [s.getsockname()[1] for s in sockets]
