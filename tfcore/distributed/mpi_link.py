"""Messages to and from tasks on other hosts, over MPI: hands the fabric what it needs of mpi4py (transport.c)."""

import ctypes
import os

from tfcore.distributed import fabric, world

CHUNK = 64 << 20  # bytes
LARGEST_CHUNK = (1 << 31) - 1  # MPI counts in ints
BYE_S = 1.0


def start(comm, heartbeat):
    """Connects the fabric to the tasks of `comm` on other hosts."""
    mpi = world.mpi()
    handles = {
        "comm": _handle(mpi, comm),
        "byte": _handle(mpi, mpi.BYTE),
        "no_request": _handle(mpi, mpi.REQUEST_NULL),
        "any_source": mpi.ANY_SOURCE,
        "source_at": _place_of_source(mpi),
    }
    incarnation = int.from_bytes(os.urandom(4), "little") | 1
    chunk = min(int(os.environ.get("TFCORE_LINK_CHUNK", CHUNK)), LARGEST_CHUNK)
    fabric.use_mpi(mpi.__file__, handles, heartbeat, incarnation, chunk)


def stop():
    """Sends what is still queued and says goodbye. Takes a bounded time."""
    fabric.leave_mpi(BYE_S)


def _memory(mpi, thing):
    return ctypes.string_at(mpi._addressof(thing), mpi._sizeof(thing))


def _handle(mpi, thing):
    """The handle of MPI's C interface: a pointer or an int."""
    return int.from_bytes(_memory(mpi, thing), "little")


def _place_of_source(mpi):
    """Where the field MPI_SOURCE lies in a status."""
    status, sign = mpi.Status(), 0x12345678
    status.Set_source(sign)
    return _memory(mpi, status).index(sign.to_bytes(4, "little"))
