"""The processes that mpirun started, and MPI, which is imported on demand.

A process that no launcher started is alone: rank 0 of 1, and MPI is not needed.
"""

import atexit
import contextlib
import os
import sys
import time

from tfcore.core.threads import progress
from tfcore.distributed.cluster import joining, slurm
from tfcore.distributed.cluster.exchange import Exchange
from tfcore.framework import errors
from tfcore.run.supervisor import MARK

TAG_START = 3
GRACE_S = 5.0  # by which other ranks wait longer than rank 0, which decides
ROLL_CALL_S = 2.0  # for those that are there to answer when others are missing
LONGEST_NAP_S = 20e-3  # a hundred processes on one core wait for the rest to start

# Variables that the launchers of Open MPI, MPICH and Slurm set in every rank. mpirun in a job of Slurm leaves Slurm's
# there, too: those of its own launches of mpirun's daemons.
_RANK_VARIABLES = ("PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMI_ID")
_SIZE_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS")

_ended = False
_meeting = None  # the Meeting of this process, if it was started separately
_exchanges = 0  # how many this process has taken part in: the same number in all


def replaced():
    """(rank, size, tasks of this host) of a process that MPI does not know, as `tfcore.run` has started it again, or to
    join a cluster; else None.
    """
    if joining.is_asked():
        rank, size = joining.place()
        return rank, size, size
    if "TFCORE_REJOIN" not in os.environ:
        return None
    return tuple(map(int, os.environ["TFCORE_REJOIN"].split("/")))


def meet(meeting):
    """This process has met the others by their addresses, not by MPI."""
    global _meeting
    _meeting = meeting


def has_mpi():
    """Whether the processes of the cluster belong to a job of MPI, this one included."""
    return _meeting is None and not joining.is_asked() and replaced() is None


def is_launched():
    """Whether a launcher started this process as one of several, or the program has imported MPI itself."""
    return any(name in os.environ for name in _RANK_VARIABLES) or "mpi4py.MPI" in sys.modules


def mpi():
    """The module `mpi4py.MPI`, with MPI started for any number of threads.

    Raises:
      ImportError: mpi4py is not installed, or finds no MPI library.
    """
    if "mpi4py.MPI" not in sys.modules:
        _prepare()
    try:
        import mpi4py

        if "mpi4py.MPI" not in sys.modules:
            mpi4py.rc.finalize = False  # see `end`
            note("starts", next((os.environ[name] for name in _RANK_VARIABLES if name in os.environ), 0))
            from mpi4py import MPI

            atexit.register(lambda: end(getattr(sys, "last_value", None) is None))
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise ImportError(f"A cluster needs MPI ({error}). Install it with: pip install 'tfcore[mpi]'") from error
    return MPI


def _prepare():
    """Settings of Open MPI.

    Where all ranks run on one host it need not look for networks: it starts in 0.2 instead of 1.2 s. Where processes
    may die, it must not move large messages by "put" over TCP: a receive from a process that has just died would never
    return (`docs/design/mpi.md`).
    """
    if is_fault_tolerant():
        os.environ.setdefault("OMPI_MCA_btl_tcp_flags", "send,inplace,need-ack,need-csum,hetero-rdma")
        os.environ.setdefault("OMPI_MCA_btl_tcp_max_send_size", str(1 << 20))  # by default slow pieces of 128 KB
    if started() is not None and started() == started_here():
        for name, value in {"pml": "ob1", "btl": "self,sm", "osc": "^ucx,rdma", "mtl": "^ofi"}.items():
            os.environ.setdefault(f"OMPI_MCA_{name}", value)


def rank():
    """The number of this process, from 0."""
    if _meeting is not None:
        return _meeting.rank
    if place := replaced():
        return place[0]
    return mpi().COMM_WORLD.rank if is_launched() else 0


def size():
    """Number of processes.

    Raises:
      FailedPreconditionError: a launcher started several, but MPI knows only this one.
    """
    if _meeting is not None:
        return _meeting.size
    if place := replaced():
        return place[1]
    known = mpi().COMM_WORLD.size if is_launched() else 1
    if known == 1 and (started() or 1) > 1:
        how = (
            "the mpirun of the library that mpi4py loads"
            if is_launched()
            else "srun --mpi=pmix, or in a batch job with python -m tfcore.run"
        )
        raise errors.FailedPreconditionError(
            None, None, f"{started()} processes were started, but MPI knows only this one. Start them with {how}."
        )
    return known


def started():
    """How many processes the launcher started; None: it does not say."""
    return next((int(os.environ[name]) for name in _SIZE_VARIABLES if os.environ.get(name, "").isdecimal()), None)


def started_here():
    """How many of them on this host, this one included; None: the launcher does not say."""
    for name in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"):
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    counts, node = os.environ.get("SLURM_STEP_TASKS_PER_NODE"), os.environ.get("SLURM_NODEID", "")
    return slurm.tasks_per_node(counts)[int(node)] if counts and node.isdecimal() else None


def neighbours():
    """How many processes of the job are on this host, this one included; all, if the launcher does not say."""
    if place := replaced():
        return place[2]
    return started_here() or size()


def note(what, rank, detail=""):
    """Sends a note to `tfcore.run`, if it started this process."""
    if "TFCORE_LAUNCHER" in os.environ:
        with contextlib.suppress(OSError, ValueError):  # it has gone
            sys.stderr.flush()
            os.write(2, MARK + f"{what} {rank} {detail}".rstrip().encode() + b"\n")


def exchange(text, seconds, processes):
    """The texts of all processes, in the order of the ranks. All processes must call it; `processes` 1: this one alone.

    Waiting takes little processor time.

    Raises:
      DeadlineExceededError: not all have called it within `seconds`.
      UnavailableError: a process has died meanwhile.
    """
    global _exchanges
    if processes == 1:
        return [text]
    comm = mpi().COMM_WORLD
    _exchanges += 1
    part = Exchange(_exchanges, comm.rank, comm.size, text)
    with _naming_the_dead(comm), progress.work(_for_whom(part)) if comm.rank < 2 else contextlib.nullcontext():
        _run(part, _Messages(comm), seconds)
    if part.missing is not None:
        missing = ", ".join(map(str, part.missing))
        raise errors.DeadlineExceededError(
            None, None, f"Of {comm.size} processes, rank {missing} has not started a server within {seconds:.0f} s"
        )
    return part.texts


def _for_whom(part):
    """What rank 0 waits for, as a text, and rank 1, as rank 0 may be missing itself. One line is enough for a job."""
    comm = mpi().COMM_WORLD
    unheard = f" (no message yet from rank {', '.join(map(str, part.unheard()))})" if comm.rank == 0 else ""
    return f"rank {comm.rank} waits until all {comm.size} processes have made a tf.train.Server{unheard}"


@contextlib.contextmanager
def _naming_the_dead(comm):
    """Turns errors of MPI into an UnavailableError."""
    try:
        yield
    except mpi().Exception as error:
        try:
            dead = comm.Get_failed()
            ranks = dead.Translate_ranks(range(dead.size), comm.Get_group())
        except (mpi().Exception, NotImplementedError):  # MPI without fault tolerance
            ranks = []
        who = f"Rank {', '.join(map(str, ranks))}" if ranks else "A process"
        raise errors.UnavailableError(None, None, f"{who} died while the cluster started ({error})") from None


class _Messages:
    """The messages of exchanges, over MPI."""

    def __init__(self, comm):
        self._comm = comm
        self._status = mpi().Status()
        self._sent = []

    def send(self, messages):
        self._sent += [self._comm.Isend(data, rank, TAG_START) for rank, data in messages]

    def deliver(self, part):
        """Gives the exchange a message if there is one, and sends its answers; whether there was one."""
        if not self._comm.Iprobe(mpi().ANY_SOURCE, TAG_START, self._status):
            return False
        data = bytearray(self._status.Get_count(mpi().BYTE))
        self._comm.Recv(data, self._status.source, TAG_START)
        self.send(part.receive(self._status.source, bytes(data)))
        if self._comm.rank == 0:
            progress.phase(_for_whom(part))
        return True

    def finish(self, seconds):
        """Returns when what was sent has gone, or after so many seconds: a missing process does not take it."""
        end = time.monotonic() + seconds
        for request in self._sent:
            if not _wait(request.Test, end):
                request.Cancel()


def _run(part, messages, seconds):
    """Runs an exchange to its end. Rank 0 decides who is missing; the others wait for it a little longer."""
    is_root = mpi().COMM_WORLD.rank == 0
    messages.send(part.begin())
    if not _deliver_until(part, messages, seconds if is_root else seconds + GRACE_S):
        if not is_root:
            part.missing = [0]
            return
        messages.send(part.call_the_roll())
        _deliver_until(part, messages, ROLL_CALL_S, lambda: part.all_are_here)
        if part.all_are_here:
            _deliver_until(part, messages, ROLL_CALL_S)
        if not part.is_over:
            messages.send(part.give_up())
    messages.finish(GRACE_S if part.missing is None else ROLL_CALL_S)


def _deliver_until(part, messages, seconds, or_else=lambda: False):
    """Delivers messages until the exchange is over; false if the time ends first, or the condition holds."""
    end = time.monotonic() + seconds
    while not part.is_over and not or_else():
        if not _wait(lambda: messages.deliver(part), end):
            return part.is_over
    return part.is_over


def _wait(done, end):
    """Calls done() until it is true, in growing intervals; false if the time `end` comes first."""
    nap = 50e-6
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(nap)
        nap = min(nap * 1.5, LONGEST_NAP_S)
    return True


def communicator(processes):
    """A communicator of all processes, for the transport. All must call it, after `exchange`.

    None: there is one process, or they don't belong to a job of MPI.
    """
    if processes == 1 or not has_mpi():
        return None
    with _naming_the_dead(mpi().COMM_WORLD):
        return mpi().COMM_WORLD.Dup()


def hosts(comm):
    """By rank: the lowest rank that is on the same host, as MPI says; None without a communicator. All must call it."""
    if comm is None:
        return None
    with _naming_the_dead(comm):
        host = comm.Split_type(mpi().COMM_TYPE_SHARED)
        return comm.allgather(host.Get_group().Translate_ranks([0], comm.Get_group())[0])


def is_fault_tolerant():
    """Whether mpirun lets the other processes live when one dies: always if `tfcore.run` calls it."""
    enabled = os.environ.get("OMPI_MCA_mpi_ft_enable", "").lower() in ("1", "true", "yes", "on")
    return enabled or "TFCORE_LAUNCHER" in os.environ


def end(orderly):
    """Ends MPI if `orderly`: all others do the same, so it can't hang (see task.py). Only the first call counts."""
    global _ended
    if _ended or not has_mpi() or mpi().Is_finalized():
        return
    _ended = True
    if not orderly or is_fault_tolerant():
        _remove_segments()
        return
    done = mpi().COMM_WORLD.Ibarrier()
    _wait(done.Test, float("inf"))  # MPI_Finalize would keep a core busy while it waits
    _receive_the_rest(mpi().COMM_WORLD)
    mpi().Finalize()


def _receive_the_rest(comm):
    """Takes messages that nobody has waited for, as of a start that failed: MPICH's MPI_Finalize fails over them."""
    status = mpi().Status()
    while comm.Iprobe(mpi().ANY_SOURCE, mpi().ANY_TAG, status):
        comm.Recv(bytearray(status.Get_count(mpi().BYTE)), status.source, status.tag)


def _remove_segments():
    """Removes MPICH's shared memory of this host, as MPI_Finalize would. A process that still uses it has it mapped."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
        paths = {line[line.index("/") :].rstrip("\n") for line in file if "/dev/shm/mpich_shm_" in line}
    for path in paths:
        with contextlib.suppress(OSError):  # another process was faster
            os.remove(path)


def abort(code):
    """Makes mpirun, if there is one, end all processes, including frozen ones, and exit with this code."""
    if not has_mpi():
        return
    _remove_segments()
    sys.stdout.flush()
    sys.stderr.flush()
    mpi().COMM_WORLD.Abort(code)
