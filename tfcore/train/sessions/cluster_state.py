"""What sessions that recover ask about their cluster: which tasks were lost, and whether they may come back."""

import sys

from tfcore.client.session import BaseSession


def changes(session):
    """How often a process of the session's cluster was replaced by another one, which has no variables yet."""
    return session._cluster_changes() if isinstance(session, BaseSession) else 0


def may_recover():
    """Whether a session that could not be made because tasks are lost may be made later."""
    task = _task()
    return task is None or task.may_recover()


def has_others():
    """Whether this process is a task among others, which may be lost."""
    task = _task()
    return task is not None and task.size > 1


def own_task():
    """The job and the number of the task that this process is; None without a cluster."""
    task = _task()
    return task and task.own


def described(device):
    """The task of a device as error messages call it, with the reason if it is lost."""
    from tfcore.distributed.fabric import fabric

    return fabric.description(_task().rank_of(device))


def own_target():
    """The target of sessions on the task that this process is; None without a cluster."""
    task = _task()
    return task and f"mpi://{task.rank}"


def took_over():
    """Whether this process has taken the place of one that has ended, in a running cluster."""
    task = _task()
    return task is not None and task.took_over


def _task():
    """The task that this process is; None without a cluster, whose modules are loaded only where there is one."""
    module = sys.modules.get("tfcore.distributed.task.task")
    return module and module.current()
