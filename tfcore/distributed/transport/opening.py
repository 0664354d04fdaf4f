"""Opens and closes the transport: takes from mpi4py what transport.c needs, or has it use TCP."""

import ctypes
import os

from tfcore.distributed.cluster import world
from tfcore.distributed.fabric import fabric
from tfcore.framework import errors

CHUNK = 64 << 20  # bytes
LARGEST_CHUNK = (1 << 31) - 1  # MPI counts in ints
SHUTDOWN_S = 1.0


def start(comm, heartbeat):
    """Connects the fabric to the tasks of `comm` on other hosts, which `heartbeat` wakes.

    Args:
      comm: a communicator of all tasks; None: tasks are reached over TCP as soon as they are admitted.

    Raises:
      FailedPreconditionError: MPI may not be called by several threads.
      InvalidArgumentError: TFCORE_TRANSPORT_CHUNK is not a size.
    """
    fabric.open_transport(None if comm is None else _find_mpi(comm), heartbeat, _chunk_bytes())


def _find_mpi(comm):
    """The path of mpi4py's library, and the handles of MPI that the transport needs."""
    mpi = world.mpi()
    _check_threads(mpi)
    handles = {
        "comm": _handle(mpi, comm),
        "byte": _handle(mpi, mpi.BYTE),
        "no_request": _handle(mpi, mpi.REQUEST_NULL),
        "any_source": mpi.ANY_SOURCE,
        "status_source_offset": _status_source_offset(mpi),
    }
    return mpi.__file__, handles


def stop():
    """Sends what is still queued and says goodbye. Takes a bounded time."""
    fabric.close_transport(SHUTDOWN_S)


def _check_threads(mpi):
    """Any thread may call MPI, one at a time."""
    level = mpi.Query_thread()
    if level < mpi.THREAD_SERIALIZED:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"MPI was started for fewer threads (level {level}) than tasks on other hosts need: it must be at least "
            f"MPI_THREAD_SERIALIZED ({mpi.THREAD_SERIALIZED}).",
        )


def _chunk_bytes():
    text = os.environ.get("TFCORE_TRANSPORT_CHUNK", str(CHUNK))
    if not text.isdecimal() or int(text) < 1:
        raise errors.InvalidArgumentError(
            None, None, f"TFCORE_TRANSPORT_CHUNK is {text!r}, but must be a number of bytes: at least 1."
        )
    return min(int(text), LARGEST_CHUNK)


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
