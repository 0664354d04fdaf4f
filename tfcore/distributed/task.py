"""This process as a task: joins the cluster, serves it, leaves it.

How a process ends: it tells the others that it leaves, and from then on they treat it as gone. The rest depends on how
mpirun was started. By default mpirun ends all others as soon as one process exits without MPI_Finalize, which waits for
all; so a process finalizes if it and the others ended well, and otherwise just exits. With fault tolerance (`--with-ft
ulfm`, which `tfcore.run` sets) processes may exit in any way, and never wait for each other.

mpirun would wait for frozen processes for ever. A task that ends kills those of its own host; for frozen processes on
other hosts, the last task aborts the whole job.
"""

import atexit
import hashlib
import json
import os
import socket
import sys
import threading
import time

from tfcore.core.executor import number_steps_from
from tfcore.core.kernel import ResourceManager
from tfcore.core.runtime import memory_stats, set_num_threads
from tfcore.distributed import (
    cluster_devices,
    collective,
    collective_consistency,
    fabric,
    failure,
    mpi_transport,
    status,
    steps,
    world,
)
from tfcore.distributed.cluster import ClusterSpec, device_name, explicit_rank
from tfcore.distributed.heartbeat import Heartbeat, own_addresses
from tfcore.distributed.worker import Worker
from tfcore.framework import errors
from tfcore.framework.device import DeviceSpec

START_S = 300.0
JOIN_S = 5.0  # for a task to confirm that this one has joined
LOOK_S = 0.2
LEAVE_S = 0.5
MOST_ADDRESSES = 7  # of this host that others are told: TFC_TCP_MAX_HOSTS - 1
BUDGET_SHARE = 1 / 4  # of the memory of a task: the default of its receive budget
STEP_BITS = 40  # bits below the rank in the number of a step: TFC_STEP_BITS in core/rendezvous.h

_current = None
_lock = threading.Lock()


def start(server_def, alone):
    """Makes this process a task of a cluster and returns it; no effect if it already is that task.

    Raises:
      AlreadyExistsError: this process is another task.
      ValueError: the processes don't agree about the cluster.
      DeadlineExceededError: not all processes have started a server in time.
    """
    global _current
    with _lock:
        if _current is None:
            _current = Task(server_def, alone)
        elif (_current.own, _current.spec) != ((server_def.job_name, server_def.task_index), server_def.cluster_spec):
            raise errors.AlreadyExistsError(
                None, None, f"This process is {_current.name} of {_current.spec!r} and can't be another task."
            )
        return _current


def current():
    """The task that this process is, or None."""
    return _current


class Task:
    """This process among the tasks of its cluster.

    rank, size: its number, and how many there are.
    incarnation: a random number that tells this process from others that had or will have its rank; not 0.
    own: (job name, task index); tasks: the same for all tasks, by rank.
    devices: by rank, what devices the tasks have (see `cluster_devices.own_devices`).
    name: "/job:worker/replica:0/task:1".
    resources: variables and other state of all sessions that use this task.
    status: the status.Status of this task, which knows that of the others.
    spec, config: the cluster, and the ConfigProto for sessions without one.
    """

    def __init__(self, server_def, alone):
        self.rank = 0 if alone else world.rank()
        self.size = 1 if alone else world.size()
        self.incarnation = int.from_bytes(os.urandom(4), "little") | 1
        self.spec = server_def.cluster_spec
        self.config = server_def.default_session_config
        self.own = (server_def.job_name, server_def.task_index)
        self.name = "/job:{}/replica:0/task:{}".format(*self.own)
        self._place = (self.own[0], 0, self.own[1])
        self.resources = ResourceManager()
        self._joined = set()
        self._changed = threading.Condition()
        try:
            self._connect(fabric.open(self.rank, self.size, 1 if alone else world.neighbours()))
        except BaseException:
            fabric.close()
            raise
        self._serve()

    def _connect(self, address):
        """Exchanges addresses with the other tasks."""
        self._heartbeat = Heartbeat(self.rank, self.size)
        spec = json.dumps(self.spec.as_ranges())
        entry = {
            "task": self.own,
            "digest": hashlib.sha256(spec.encode()).hexdigest()[:32],
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "address": address.decode(),
            "incarnation": self.incarnation,
            "heartbeat": self._heartbeat.address(),
            "tcp": _listen() if self.size > 1 else None,
            "receive_budget": receive_budget(1 if self.size == 1 else world.neighbours()),
            "cores": sorted(os.sched_getaffinity(0)),
            "devices": cluster_devices.own_devices(self._place, self.config),
        }
        limit = float(os.environ.get("TFCORE_START_TIMEOUT", START_S))
        entries = [json.loads(text) for text in world.exchange(json.dumps(entry), limit, self.size)]
        self.tasks = agree([tuple(e["task"]) for e in entries], self._specs(spec, entries, limit))
        self.devices = _shared([e["devices"] for e in entries])
        self.status = status.Status(self, _shared([e["host"] for e in entries]), [e["pid"] for e in entries])
        self._ranks = {task: rank for rank, task in enumerate(self.tasks)}
        steps.open_flow_control([e["receive_budget"] for e in entries], self.rank)
        self._heartbeats = [e["heartbeat"] for e in entries]
        self._listeners = [e["tcp"] for e in entries]
        self._incarnations = [e["incarnation"] for e in entries]
        self._comm = world.communicator(self.size)
        near = fabric.connect([e["address"].encode() for e in entries], world.hosts(self._comm))
        world.exchange("", limit, self.size)  # nobody goes on, and may exit, before the others have its memory
        for rank, (job, index) in enumerate(self.tasks):
            fabric.describe(rank, f"{device_name(job, index)} on host {entries[rank]['host']}")
        if "TFCORE_NUM_THREADS" not in os.environ:
            sharing = [e for e, n in zip(entries, near) if n and e["cores"] == entry["cores"]]
            set_num_threads(max(1, len(entry["cores"]) // len(sharing)))

    def _specs(self, own, entries, limit):
        """The different ClusterSpecs of the processes: a dict from the first rank that has one. Mostly there is one."""
        first = {}  # digest -> rank
        for rank, entry in enumerate(entries):
            first.setdefault(entry["digest"], rank)
        if len(first) == 1:
            return {0: self.spec}
        texts = world.exchange(own if self.rank in first.values() else "", limit, self.size)
        return {rank: ClusterSpec.from_ranges(json.loads(texts[rank])) for rank in first.values()}

    def _serve(self):
        fabric.serve("join", self._on_join)
        collective.set_tasks(self.tasks)
        collective_consistency.serve()
        number_steps_from(self.rank << STEP_BITS)
        cluster_devices.serve()
        self._worker = Worker(self.resources, self._place)
        self._failures = failure.Failures(self)
        fabric.on_failure(self._on_failure)
        self._heartbeat.start(self._heartbeats, fabric.pids(), failure.limit())
        if foreign := fabric.foreign():
            over_tcp = fabric.transport_name() == "tcp"
            mpi_transport.start(None if over_tcp else self._comm, self._heartbeat, self.incarnation)
            for rank in foreign if over_tcp else []:
                fabric.admit(rank, self._incarnations[rank], **self._listeners[rank])
        fabric.start()
        self._heartbeat.begin()
        self.status.start()
        world.note("started", self.rank)
        atexit.register(self._end)

    def rank_of(self, name):
        """The rank of a task: a device name with job and task. ValueError: there is no such task."""
        device = DeviceSpec.from_string(name)
        rank = self._ranks.get((device.job, device.task))
        if rank is None:
            raise ValueError(f"There is no task {name!r} in the cluster {self.spec!r}")
        return rank

    def others(self):
        return [rank for rank in range(self.size) if rank != self.rank]

    # ---- Sessions

    def is_target(self, target):
        rank = target.removeprefix("mpi://")
        return target != rank and rank.isdecimal() and rank == str(int(rank)) and int(rank) < self.size

    def make_compiler(self, target, config):
        """The Compiler of a session on `target`, which names this task or another one."""
        from tfcore.distributed.master import ClusterCompiler

        return ClusterCompiler(self, int(target.removeprefix("mpi://")), config)

    def reset(self, containers):
        from tfcore.distributed import master

        master.reset(containers)

    # ---- Joining

    def join(self):
        """Returns when every other task has ended, failed or joined. AbortedError: they have excluded this one."""
        for rank in self.others():
            try:
                fabric.call(rank, "join", timeout_s=JOIN_S)
            except errors.OpError:
                pass  # it has ended, or will be found dead
        with self._changed:
            while not self._joined | self._failures.told() >= set(self.others()):
                self._changed.wait(LOOK_S)
        if fabric.excluded():
            raise errors.AbortedError(None, None, f"{self.name} (rank {self.rank}): {fabric.failure(self.others()[0])}")

    def _on_join(self, source, payload):
        with self._changed:
            self._joined.add(source)
            self._changed.notify_all()
        return b""

    def _on_failure(self, rank):
        with self._changed:
            self._changed.notify_all()

    # ---- Leaving

    def _end(self):
        """Runs at the end of the program."""
        error = getattr(sys, "last_value", None)
        why = None if error is None else f"it ended with {type(error).__name__}: {error}"
        if why:
            self._failures.tell(self.rank, why)
        self._failures.catch_up()
        failed = self._failures.failed
        frozen_elsewhere = self._failures.frozen & set(fabric.foreign())
        is_last = frozen_elsewhere and self._leave_and_look()
        self._failures.stop()
        self.status.stop(failed)
        fabric.close()
        self._heartbeat.leave(why)
        mpi_transport.stop()
        self._heartbeat.stop()
        self._failures.end_frozen()
        if is_last:
            world.abort(0 if error is None else 1)
        if self.size > 1:
            world.end(error is None and not failed)

    def _leave_and_look(self):
        """Announces that this task leaves; whether all others have left too. At least one of the last two gets True."""
        for rank in self.others():
            failure.send(rank, failure.LEAVE)
        time.sleep(LEAVE_S)
        return not any(fabric.alive(rank) for rank in self.others())


def _listen():
    """Where other tasks can connect to this one over TCP. The last address is for those on this host."""
    return {"port": fabric.listen(), "hosts": [*own_addresses()[:MOST_ADDRESSES], "127.0.0.1"]}


def receive_budget(sharing):
    """Bytes that values from other tasks may take in this one before they are used (`values.h`).

    Args:
      sharing: number of tasks that share the host's memory.

    Raises:
      ValueError: TFCORE_RECEIVE_BUDGET is not a number of bytes.
    """
    text = os.environ.get("TFCORE_RECEIVE_BUDGET")
    if text is None:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // sharing
        return int((memory_stats()["bytes_limit"] or memory) * BUDGET_SHARE)
    if not text.isdecimal():
        raise ValueError(f"TFCORE_RECEIVE_BUDGET must be a number of bytes, not {text!r}")
    return min(int(text), 2**62)  # so that sums do not overflow 64 bits


def agree(tasks, specs):
    """Checks what all processes say about themselves and the cluster; returns `tasks`.

    Args:
      tasks: (job name, task index) by rank.
      specs: dict from ranks to ClusterSpecs, of which each may have a part of the tasks. Ranks that are left out say
        the same as another one.

    Raises:
      ValueError: they contradict each other, or the cluster has other tasks than there are processes.
    """
    said = {}  # (job, index) -> (address, rank that said so)
    for rank, spec in specs.items():
        for job in spec.jobs:
            for index in spec.task_indices(job):
                address = spec.task_address(job, index)
                other, by = said.setdefault((job, index), (address, rank))
                if other != address:
                    raise ValueError(
                        f"The processes disagree about the cluster: {device_name(job, index)} is {other!r} for rank "
                        f"{by}, but {address!r} for rank {rank}"
                    )
    first = {}  # task -> rank
    for rank, task in enumerate(tasks):
        if first.setdefault(task, rank) != rank:
            raise ValueError(f"Rank {first[task]} and rank {rank} both are {device_name(*task)}")
        named = explicit_rank(said[task][0])
        if named not in (None, rank):
            raise ValueError(
                f"{device_name(*task)} has rank {named} in the cluster, but rank {rank} started a server for it"
            )
    missing = [device_name(*task) for task in said if task not in first]
    if missing:
        run = f"{len(tasks)} processes run" if len(tasks) > 1 else "1 process runs"
        raise ValueError(f"The cluster has {len(said)} tasks, but {run}: no process is {', '.join(missing)}")
    return tasks


def _shared(values):
    """The same list, with one object for all values that are equal."""
    known = {}
    return [known.setdefault(json.dumps(value), value) for value in values]
