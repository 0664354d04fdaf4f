"""Opens and closes the transport: takes from mpi4py what transport.c needs."""

import ctypes
import os

from tfcore.distributed import fabric, world

CHUNK = 64 << 20  # bytes
LARGEST_CHUNK = (1 << 31) - 1  # MPI counts in ints
SHUTDOWN_S = 1.0


def start(comm, heartbeat):
    """Connects the fabric to the tasks of `comm` on other hosts, which `heartbeat` wakes."""
    mpi = world.mpi()
    handles = {
        "comm": _handle(mpi, comm),
        "byte": _handle(mpi, mpi.BYTE),
        "no_request": _handle(mpi, mpi.REQUEST_NULL),
        "any_source": mpi.ANY_SOURCE,
        "status_source_offset": _status_source_offset(mpi),
    }
    incarnation = int.from_bytes(os.urandom(4), "little") | 1  # not 0, which stands for an unknown one
    chunk = min(int(os.environ.get("TFCORE_TRANSPORT_CHUNK", CHUNK)), LARGEST_CHUNK)
    fabric.open_transport(mpi.__file__, handles, heartbeat, incarnation, chunk)


def stop():
    """Sends what is still queued and says goodbye. Takes a bounded time."""
    fabric.close_transport(SHUTDOWN_S)


def _memory(mpi, thing):
    return ctypes.string_at(mpi._addressof(thing), mpi._sizeof(thing))


def _handle(mpi, thing):
    """The handle of MPI's C interface: a pointer or an int."""
    return int.from_bytes(_memory(mpi, thing), "little")


def _status_source_offset(mpi):
    """Where the field MPI_SOURCE lies in a status."""
    status, marker = mpi.Status(), 0x12345678
    status.Set_source(marker)
    return _memory(mpi, status).index(marker.to_bytes(4, "little"))
