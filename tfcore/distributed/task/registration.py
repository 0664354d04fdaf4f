"""Registrations of this package with lower layers, which must not import it.

Imported with tfcore. The modules that do the work, and MPI, are loaded when a program first needs them.
"""

import tfcore.distributed.collectives.groups  # noqa: F401  the gradient of broadcasts
from tfcore.client.session import register_target
from tfcore.compiler.compile import COLLECTIVES, register_collective_check
from tfcore.core.registry.registry import kernels_are_in


def _find_task(target):
    """The task of this process, if the target is in its cluster."""
    from tfcore.distributed.task import task

    found = task.current()
    return found if found is not None and found.is_target(target) else None


def _check_schedule(nodes):
    from tfcore.distributed.collectives.consistency import check_schedule

    check_schedule(nodes)


kernels_are_in("tfcore.distributed.collectives.collective", COLLECTIVES)
kernels_are_in("tfcore.distributed.partitions.steps", ["_RunPartition"])
register_target("mpi", _find_task)
register_collective_check(_check_schedule)
