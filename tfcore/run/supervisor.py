"""Runs one rank of a cluster: python supervisor.py COMMAND... (started by mpirun, for `tfcore.run`).

It prefixes every line of the program's output with the rank's role, and tells the launcher how the program ended. It
always exits with 0, because mpirun ends all other ranks when a second one exits with anything else. It imports nothing
of tfcore and little of Python, since there is one such process per rank.
"""

import os
import select
import shutil
import signal
import sys
import tempfile

MARK = b"\x1etfcore "  # begins a message to the launcher
COLORS = (36, 33, 32, 35, 34, 31)
CHUNK = 1 << 16
LONGEST = 1 << 16  # a longer line is written in pieces


def role(rank, ps):
    return ("ps", rank) if rank < ps else ("worker", rank - ps)


def prefix(rank, ps, colored):
    job, index = role(rank, ps)
    text = f"{job} {index}| "
    return (f"\x1b[{COLORS[rank % len(COLORS)]}m{text}\x1b[0m" if colored else text).encode()


class Lines:
    """Copies from one descriptor to another, line by line with a prefix."""

    def __init__(self, source, target, start):
        self.source = source
        self.target = target
        self.start = start
        self.rest = b""

    def copy(self):
        """Copies what is available; False at the end."""
        data = os.read(self.source, CHUNK)
        *lines, self.rest = (self.rest + data).split(b"\n")
        if MARK[:1] not in self.rest:
            self.rest = without_overwritten(self.rest)
        if self.rest and (not data or len(self.rest) > LONGEST):
            # A message whose end is still to come stays whole.
            at = self.rest.rfind(MARK[:1], 1) if data else -1
            end = at if at > 0 else len(self.rest)
            lines.append(self.rest[:end])
            self.rest = self.rest[end:]
        write(self.target, b"".join(map(self._shown, lines)))
        return bool(data)

    def _shown(self, line):
        text, mark, message = line.partition(MARK)
        shown = self.start + without_overwritten(text).rstrip(b"\r") + b"\n" if text or not mark else b""
        return shown + (mark + message + b"\n" if mark else b"")


def without_overwritten(line):
    """What a terminal shows of a line: a progress bar writes over its earlier text. A return at the end stays."""
    text = line.rstrip(b"\r")
    return text.rpartition(b"\r")[2] + line[len(text) :][:1]


def write(target, data):
    """Writes all of it, also to a file in non-blocking mode."""
    while data:
        try:
            data = data[os.write(target, data) :]
        except BlockingIOError:
            select.select([], [target], [])


def segments(env=os.environ):
    """The folder for Open MPI's shared-memory files, which ranks that end without MPI_Finalize leave behind."""
    return "/dev/shm/tfcore-" + env["TFCORE_JOB"]


def use_segments():
    if "PMIX_RANK" not in os.environ:
        return  # not Open MPI
    try:
        os.makedirs(segments(), exist_ok=True)
    except OSError:
        return  # Open MPI finds another place
    os.environ.setdefault("OMPI_MCA_btl_sm_backing_directory", segments())


def remove_segments():
    """Removes this rank's files, and the folder with the last ones."""
    if "PMIX_RANK" not in os.environ:
        return
    start, end = f"sm_segment.{os.uname().nodename}.", "." + os.environ["OMPI_COMM_WORLD_LOCAL_RANK"]
    try:
        mine = [name for name in os.listdir(segments()) if name.startswith(start) and name.endswith(end)]
        for name in mine:
            os.remove(os.path.join(segments(), name))
        if mine:  # else others may be about to create theirs
            os.rmdir(segments())
    except OSError:
        pass  # others still use it, or were faster


def launched_as():
    """The rank that Open MPI's or MPICH's mpirun has given this process."""
    return int(os.environ.get("PMIX_RANK") or os.environ["PMI_RANK"])


def launched_here():
    """How many ranks Open MPI's or MPICH's mpirun has started on this host; None: it does not say."""
    return os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE") or os.environ.get("MPI_LOCALNRANKS")


def die_with_parent():
    """Makes the kernel end this process when its parent ends, in whatever way."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start(command, env):
    """Runs the command in a child; returns (pid, descriptors of its output and errors)."""
    out, err = os.pipe(), os.pipe()
    die_with_parent()
    pid = os.fork()
    if pid:
        os.close(out[1])
        os.close(err[1])
        return pid, out[0], err[0]
    try:
        die_with_parent()
        os.dup2(out[1], 1)
        os.dup2(err[1], 2)
        os.execvpe(command[0], command, env)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def without_mpi():
    """The environment of a replacement: no process of the MPI job, in which the first one has died."""
    return {n: v for n, v in os.environ.items() if not n.startswith(("PMIX_", "PMI_", "OMPI_", "PRTE_"))}


class Restarts:
    """Starts the program of a rank again when it has failed.

    The program notes in the file `members` where a replacement finds the others; without it nobody is there to join.
    """

    def __init__(self, rank):
        self.rank, self.size = rank, os.environ.get("TFCORE_RANKS")
        self.here = launched_here() or self.size  # ranks on this host
        self.left = int(os.environ.get("TFCORE_RESTART", 0))
        self.done = 0
        self.stopped = False  # somebody ends the job
        self.folder = tempfile.mkdtemp(prefix="tfcore-members-") if self.left else None
        self.members = self.folder and os.path.join(self.folder, "members")
        self.name = f"{os.getpid()}/{os.urandom(8).hex()}"  # of this supervisor; see `membership.supervisor`

    def environment(self):
        """For the program, this time."""
        if not self.folder:
            return dict(os.environ)
        env = without_mpi() if self.done else dict(os.environ)
        env.update(TFCORE_MEMBERS=self.members, TFCORE_SUPERVISOR=self.name)
        if self.done:
            env.update(TFCORE_REJOIN=f"{self.rank}/{self.size}/{self.here}", TFCORE_RESTARTED=str(self.done))
        return env

    def take(self, code):
        """Whether the program is to be started again after it has ended with this code."""
        if not (code and self.left > self.done and not self.stopped and os.path.exists(self.members)):
            return False
        self.done += 1
        return True

    def close(self):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def end_of(pid):
    """[a descriptor that becomes readable when the process ends]; empty where containers forbid it."""
    try:
        return [os.pidfd_open(pid)]
    except OSError:
        return []


def main(command):
    rank, ps = launched_as(), int(os.environ["TFCORE_PS"])
    use_segments()
    host = os.environ.get("PMIX_HOSTNAME") or os.uname().nodename
    write(2, MARK + f"runs {rank} {host}\n".encode())
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # so MPICH's mpirun tells the others of a death
    restarts = Restarts(rank)
    start_of_line = prefix(rank, ps, os.environ["TFCORE_LAUNCHER"] == "colors")
    code = run(command, restarts, start_of_line)
    while restarts.take(code):
        write(2, MARK + f"restarts {rank} {code}\n".encode())
        code = run(command, restarts, start_of_line)
    restarts.close()
    remove_segments()
    write(2, MARK + f"ended {rank} {code}\n".encode())


def run(command, restarts, start_of_line):
    """Runs the program to its end; returns its exit code, or minus the signal that ended it."""
    pid, out, err = start(command, restarts.environment())

    def pass_on(number, frame):
        restarts.stopped = True
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has just ended

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, pass_on)
    streams = {out: Lines(out, 1, start_of_line), err: Lines(err, 2, start_of_line)}
    ended = end_of(pid)
    # A grandchild may keep the pipes open, so wait for the end of the program, not of its output.
    while streams:
        ready, _, _ = select.select([*streams, *ended], [], [])
        for stream in [s for s in ready if s in streams]:
            if not streams[stream].copy():
                del streams[stream]
        if ready == ended:
            break
    _, status = os.waitpid(pid, 0)
    for descriptor in (out, err, *ended):
        os.close(descriptor)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    main(sys.argv[1:])
