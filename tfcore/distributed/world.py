"""The processes that mpirun started, and MPI, which is imported on demand.

A process that no launcher started is alone: rank 0 of 1, and MPI is not needed.
"""

import atexit
import contextlib
import json
import os
import sys
import time

from tfcore.framework import errors
from tfcore.run.supervisor import MARK

TAG_START = 3
GRACE_S = 5.0  # by which other ranks wait longer than rank 0, which decides
LONGEST_NAP_S = 5e-3

# Variables that the launchers of Open MPI, MPICH and Slurm set in every rank.
_RANK_VARIABLES = ("PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMI_ID")


_ended = False


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
            note("starts", os.environ.get("PMIX_RANK", 0))
            from mpi4py import MPI

            atexit.register(lambda: end(getattr(sys, "last_value", None) is None))
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise ImportError(f"A cluster needs MPI ({error}). Install it with: pip install 'tfcore[mpi]'") from error
    return MPI


def _prepare():
    """Keeps Open MPI from looking for networks where all ranks run on one host: it starts in 0.2 instead of 1.2 s."""
    everybody, here = (os.environ.get(f"OMPI_COMM_WORLD_{which}SIZE") for which in ("", "LOCAL_"))
    if everybody is not None and everybody == here:
        for name, value in {"pml": "ob1", "btl": "self,sm", "osc": "^ucx,rdma", "mtl": "^ofi"}.items():
            os.environ.setdefault(f"OMPI_MCA_{name}", value)


def rank():
    """The number of this process, from 0."""
    return mpi().COMM_WORLD.rank if is_launched() else 0


def size():
    """Number of processes."""
    return mpi().COMM_WORLD.size if is_launched() else 1


def neighbours():
    """How many processes of the job its launcher started on this host, this one included; all, if it does not say."""
    for name in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"):
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    return size()


def note(what, rank):
    """Sends a note to `tfcore.run`, if it started this process."""
    if "TFCORE_LAUNCHER" in os.environ:
        sys.stderr.flush()
        os.write(2, MARK + f"{what} {rank}\n".encode())


def exchange(text, seconds, processes):
    """The texts of all processes, in the order of the ranks. All processes must call it; `processes` 1: this one alone.

    Rank 0 collects and answers, so that its error can name the missing ranks. Waiting takes no processor time.

    Raises:
      DeadlineExceededError: not all have called it within `seconds`.
      UnavailableError: a process has died meanwhile.
    """
    if processes == 1:
        return [text]
    comm = mpi().COMM_WORLD
    with _naming_the_dead(comm):
        answer = _collect(comm, text, seconds) if comm.rank == 0 else _ask(comm, text, seconds + GRACE_S)
    answer = json.loads(answer)
    if "missing" in answer:
        missing = ", ".join(map(str, answer["missing"]))
        raise errors.DeadlineExceededError(
            None, None, f"Of {comm.size} processes, rank {missing} has not started a server within {seconds:.0f} s"
        )
    return answer["texts"]


@contextlib.contextmanager
def _naming_the_dead(comm):
    """Turns errors of MPI into an UnavailableError."""
    try:
        yield
    except mpi().Exception as error:
        try:
            dead = comm.Get_failed()
            ranks = dead.Translate_ranks(range(dead.size), comm.Get_group())
        except (mpi().Exception, AttributeError):  # MPI without fault tolerance
            ranks = []
        who = f"Rank {', '.join(map(str, ranks))}" if ranks else "A process"
        raise errors.UnavailableError(None, None, f"{who} died while the cluster started ({error})") from None


def _collect(comm, text, seconds):
    texts = {0: text}
    status = mpi().Status()

    def one_more():
        if comm.Iprobe(mpi().ANY_SOURCE, TAG_START, status):
            texts[status.source] = _receive(comm, status)
            return True
        return False

    end = time.monotonic() + seconds
    while len(texts) < comm.size and _wait(one_more, end):
        pass
    missing = sorted(set(range(comm.size)) - set(texts))
    answer = json.dumps({"missing": missing} if missing else {"texts": [texts[r] for r in range(comm.size)]})
    sends = [comm.Isend(answer.encode(), rank, TAG_START) for rank in texts if rank]
    for send in sends:
        _wait(send.Test, time.monotonic() + GRACE_S)
    return answer


def _ask(comm, text, seconds):
    status = mpi().Status()
    send = comm.Isend(text.encode(), 0, TAG_START)
    if not _wait(lambda: comm.Iprobe(0, TAG_START, status), time.monotonic() + seconds):
        return json.dumps({"missing": [0]})
    answer = _receive(comm, status)
    send.Wait()
    return answer


def _receive(comm, status):
    data = bytearray(status.Get_count(mpi().BYTE))
    comm.Recv(data, status.source, TAG_START)
    return data.decode()


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
    """A communicator of all processes, for the transport; None if there is one. All must call it, after `exchange`."""
    if processes == 1:
        return None
    with _naming_the_dead(mpi().COMM_WORLD):
        return mpi().COMM_WORLD.Dup()


def near(comm):
    """By rank: whether MPI says that the process is on this host. All processes must call it."""
    if comm is None:
        return [True]
    with _naming_the_dead(comm):
        host = comm.Split_type(mpi().COMM_TYPE_SHARED)
    everybody, here = comm.Get_group(), host.Get_group()
    ranks = set(here.Translate_ranks(range(here.size), everybody))
    return [rank in ranks for rank in range(comm.size)]


def is_fault_tolerant():
    """Whether mpirun lets the other processes live when one dies."""
    return os.environ.get("OMPI_MCA_mpi_ft_enable", "").lower() in ("1", "true", "yes", "on")


def end(orderly):
    """Ends MPI if `orderly`: all others do the same, so it can't hang (see task.py). Only the first call counts."""
    global _ended
    if _ended or not orderly or is_fault_tolerant() or mpi().Is_finalized():
        _ended = True
        return
    _ended = True
    done = mpi().COMM_WORLD.Ibarrier()
    _wait(done.Test, float("inf"))  # MPI_Finalize would keep a core busy while it waits
    mpi().Finalize()


def abort(code):
    """Makes mpirun end all processes, including frozen ones, and exit with this code."""
    sys.stdout.flush()
    sys.stderr.flush()
    mpi().COMM_WORLD.Abort(code)
