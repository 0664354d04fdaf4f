"""Replicas of the variables of parameter servers: which task keeps them, and what follows when one of them is lost.

With `ClusterSpec(..., ps_replicas=2)` the variables of each task of job "ps" are kept by the next one of them, too.
`replica.h` describes how they are kept up to date; this module connects that with the members of the cluster.
"""

import json
import sys
import threading
import traceback

from tfcore.distributed.cluster.cluster import device_name
from tfcore.distributed.fabric import fabric
from tfcore.distributed.membership.failure import ENDED, NOT_STARTED, report
from tfcore.distributed.partitions import steps
from tfcore.framework import errors

JOB = "ps"
LOOK_S = 0.05  # how often a server looks whether its backup has started
AGAIN_S = 5.0  # after which a backup that could not follow gets another copy
AWAIT_S = 3600.0
STOP_S = 1.0  # for the thread to end


class Replication:
    """A task's part in it.

    task: the Task of this process. backup, primary: the ranks of the tasks that keep its variables, and whose variables
    it keeps; None if it takes no part. ready: an Event: its variables are there, as far as they could be restored.
    """

    def __init__(self, task):
        self._task = task
        self.backup = self.primary = None
        self.ready = threading.Event()
        self._stopped = threading.Event()
        self._thread = None
        job, index = task.own
        if task.spec.ps_replicas > 1 and job == JOB and task.size > 1:
            indices = task.spec.task_indices(JOB)
            at = indices.index(index)
            self.backup = task.rank_of(device_name(JOB, indices[(at + 1) % len(indices)]))
            self.primary = task.rank_of(device_name(JOB, indices[at - 1]))
            steps.open_replicas(task.resources, self.backup, self.primary)
            fabric.serve("restore_variables", self._on_restore)

    @property
    def is_active(self):
        return self.backup is not None

    def start(self):
        """To be called when the fabric has started. `ready` is set soon after."""
        if not self.is_active:
            self.ready.set()
            return
        self._thread = threading.Thread(target=self._run, name="tfcore-replication", daemon=True)
        self._thread.start()

    def stop(self):
        """To be called before the fabric closes."""
        if self.is_active:
            self._stopped.set()
            self.ready.set()
            steps.close_replicas()
            steps.wake_replicas()
            if self._thread is not None:
                self._thread.join(STOP_S)

    def admit(self, rank):
        """Another process has taken a place."""
        if rank == self.backup:
            steps.wake_replicas()

    def counts(self):
        """How far the replicas are (see `steps.replica_counts`); None without replicas."""
        return steps.replica_counts() if self.is_active else None

    def check(self, program):
        """Raises if a step of this process, rather than one that serves another task, changes replicated variables.

        Raises:
          UnimplementedError: it does; nobody would wait for the backup.
        """
        writer = next((n for n in program.nodes if n.may_write()), None) if self.is_active else None
        if writer is not None:
            raise errors.UnimplementedError(
                None,
                writer.op,
                f"{writer.name} changes a variable of {self._task.name}, which has replicas (ps_replicas=2). Its own "
                "sessions can't change it: let a worker do that, or another parameter server."
                + errors.location(writer.op),
            )

    # ---- The thread

    def _run(self):
        while fabric.failure(self.backup) == NOT_STARTED:  # no step changes a variable before it can be kept
            if self._stopped.wait(LOOK_S):
                return
        try:
            if not (self._task.took_over and self._restore()):
                self._copy()
        except BaseException:
            if not self._stopped.is_set():
                traceback.print_exc(file=sys.stderr)
                steps.wake_replicas()  # `_follow` makes a copy of what there is
        self.ready.set()
        while not self._stopped.is_set():
            self._follow()

    def _follow(self):
        """Waits until something has happened to the backup, and makes a copy in a new one."""
        lost = steps.await_loss(AWAIT_S)
        if self._stopped.is_set():
            return
        if lost and fabric.failure(self.backup) != ENDED:
            report(f"{self._name()} continues without replicas of its variables: {self._trouble()}")
            if fabric.alive(self.backup):
                self._stopped.wait(AGAIN_S)
        if not self._stopped.is_set() and self._copy():
            report(f"{self._name()} has replicas of its variables in {self._backup_name()} again")

    def _copy(self):
        """Gives the backup a full copy, unless it is gone or has one; whether it has got it."""
        if not fabric.alive(self.backup) or steps.replica_counts()["state"] != "off":
            return False
        return steps.copy_variables()

    def _restore(self):
        """Takes the variables of the former process from their replicas; whether there were any."""
        why, giver = "they are gone as well", fabric.incarnation(self.backup)
        try:
            answer = json.loads(fabric.call(self.backup, "restore_variables", incarnation=giver))
            if answer["variables"] >= 0:
                taken = steps.take_replicas(self._task.resources, answer["variables"], answer["changes"], giver)
                if taken is not None:
                    report(f"{self._name()} has {taken} variables from their replicas in {self._backup_name()}")
                    return True
                why = "they were lost on the way"
        except errors.OpError as error:
            why = error.message
            steps.forget_given()
        report(
            f"{self._name()} has no replicas to take its variables from ({why}): "
            "they have to be restored from a checkpoint, or initialized"
        )
        return False

    def _on_restore(self, source, payload):
        """Hands out what is kept for a primary, to the process that has taken its place."""
        incarnation = fabric.caller()
        if source != self.primary:
            raise errors.InvalidArgumentError(
                None, None, f"{self._name()} keeps replicas for rank {self.primary}, but rank {source} asks for some."
            )
        variables, changes = steps.give_replicas(incarnation)
        if variables == -2:
            raise errors.ResourceExhaustedError(None, None, f"{self._name()} has no memory to send its replicas.")
        return json.dumps({"variables": variables, "changes": changes}).encode()

    def _name(self):
        return f"{device_name(*self._task.own)} (rank {self._task.rank})"

    def _backup_name(self):
        return device_name(*self._task.tasks[self.backup])

    def _trouble(self):
        if fabric.alive(self.backup):
            return f"{self._backup_name()} has no memory for them"
        return fabric.description(self.backup)
