"""This process as a task: joins the cluster, serves it, leaves it.

How a process ends: it tells the others that it leaves, and from then on they treat it as gone. The rest depends on how
mpirun was started. By default mpirun ends all others as soon as one process exits without MPI_Finalize, which waits for
all; so a process finalizes if it and the others ended well, and otherwise just exits. With fault tolerance (`--with-ft
ulfm`, which `tfcore.run` sets) processes may exit in any way, and never wait for each other.

mpirun would wait for frozen processes for ever. A task that ends kills those of its own host; for frozen processes on
other hosts, the last task aborts the whole job.
"""

import atexit
import contextlib
import hashlib
import json
import os
import socket
import sys
import threading
import time
import weakref

from tfcore.client import lone_sessions
from tfcore.core.registry.kernel import ResourceManager
from tfcore.core.rendezvous.rendezvous import first_step
from tfcore.core.runtime import memory_stats, set_num_threads
from tfcore.core.step.executor import number_steps_from
from tfcore.core.threads import progress
from tfcore.distributed.cluster import addresses, joining, world
from tfcore.distributed.cluster import devices as cluster_devices
from tfcore.distributed.cluster.cluster import ClusterSpec, device_name, explicit_rank
from tfcore.distributed.collectives import collective
from tfcore.distributed.collectives import consistency as collective_consistency
from tfcore.distributed.fabric import fabric
from tfcore.distributed.membership import failure, heartbeat, meeting
from tfcore.distributed.membership import places as membership
from tfcore.distributed.membership.heartbeat import Heartbeat
from tfcore.distributed.partitions import steps
from tfcore.distributed.partitions.worker import Worker
from tfcore.distributed.replicas import replication
from tfcore.distributed.status import status, status_socket
from tfcore.distributed.task.last_error import LastError
from tfcore.distributed.transport import opening as mpi_transport
from tfcore.framework import errors
from tfcore.framework.device import DeviceSpec

START_S = 300.0
JOIN_S = 5.0  # for a task to confirm that this one has joined
LOOK_S = 0.2
LEAVE_S = 0.5
EXCLUDED_S = 5.0  # for the program of a task that was excluded to end by itself
BUDGET_SHARE = 1 / 4  # of the memory of a task: the default of its receive budget

_current = None
_lock = threading.Lock()


def start(server_def, alone, named):
    """Makes this process a task of a cluster and returns it; no effect if it already is that task.

    named: whether the program says which task it is.

    Raises:
      AlreadyExistsError: this process is another task.
      ValueError: the processes don't agree about the cluster.
      DeadlineExceededError: not all processes that were started together have started a server in time.
    """
    global _current
    with _lock:
        if _current is None:
            _current = Task(server_def, alone, named)
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

    rank, size: its number, and how many there are, those included that may join later.
    own: (job name, task index); tasks: the same for all tasks, by rank.
    devices: by rank, what devices the tasks have (see `cluster_devices.own_devices`).
    name: "/job:worker/replica:0/task:1".
    resources: variables and other state of all sessions that use this task.
    status: the status.Status of this task, which knows that of the others.
    spec, config: the cluster, and the ConfigProto for sessions without one.
    replication: the Replication of this task, which keeps variables of other tasks.
    took_over: whether this process took the place of one that has ended, in a running cluster.
    """

    def __init__(self, server_def, alone, named):
        lone_sessions.note_task()
        self.took_over = False
        self._meeting = None
        launched = alone or world.is_launched() or world.replaced()
        if not launched and meeting.is_for(server_def.cluster_spec, named):
            self._meeting = meeting.Meeting(server_def.cluster_spec, (server_def.job_name, server_def.task_index))
            world.meet(self._meeting)
        self.rank = 0 if alone else world.rank()
        self.spec = server_def.cluster_spec
        asked = 1 if alone else int(os.environ.get("TFCORE_PS_REPLICAS", 1))
        if asked > self.spec.ps_replicas:
            raise ValueError(
                f"tfcore.run was started with --ps-replicas {asked}, but the program's cluster has ps_replicas="
                f"{self.spec.ps_replicas}: make it by tf.train.ClusterSpec.from_mpi(), or pass ps_replicas={asked}"
            )
        self._processes = 1 if alone or self._meeting else world.size()  # that start together
        places = sum(map(self.spec.num_tasks, self.spec.jobs)) if self.spec.at_least or self._meeting else 0
        self.size = max(self._processes, places)
        self.config = server_def.default_session_config
        self.own = (server_def.job_name, server_def.task_index)
        self.name = "/job:{}/replica:0/task:{}".format(*self.own)
        self._place = (self.own[0], 0, self.own[1])
        self.resources = ResourceManager()
        near = 1 if alone or self._meeting else world.neighbours()
        self._sharing = near + self.size - self._processes
        self._joined = set()  # this and the next are under `_changed`
        self._joins = False
        self._changed = threading.Condition()
        self._compilers = weakref.WeakSet()
        self._is_ending = False
        self._pid = os.getpid()
        self._door = None
        if self._meeting:
            self._door = self._meeting.door
        elif self.size > 1 and (membership.is_restartable() or self.spec.at_least):
            self._door = membership.open_door(self._sharing == self.size and not self.spec.at_least, self.size)
        self._comm = None
        self._heartbeat = Heartbeat(self.rank, self.size)
        try:
            self._begin(not alone and world.replaced())
            self._serve()
            joining.release_place()
        except BaseException:
            joining.release_place()
            fabric.close()
            mpi_transport.stop()
            self._heartbeat.stop()
            world.meet(None)
            if self._door:
                self._door.close()
            raise

    def _make_entry(self):
        """Opens the fabric; returns what the other tasks have to know of this process."""
        self._ranges = json.dumps([self.spec.as_ranges(), self.spec.at_least, self.spec.ps_replicas])
        return {
            "address": fabric.open(self.rank, self.size, self._sharing).decode(),
            "task": list(self.own),
            "digest": hashlib.sha256(self._ranges.encode()).hexdigest()[:32],
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "heartbeat": self._heartbeat.address(),
            "tcp": addresses.of_port(fabric.listen()) if self.size > 1 else None,
            "receive_budget": receive_budget(self._sharing),
            "cores": sorted(os.sched_getaffinity(0)),
            "devices": cluster_devices.own_devices(self._place, self.config),
            "door": self._door_address(),
            "joins": joining.is_asked(),
            "returns": membership.returns(),
            "supervisor": membership.supervisor(),
        }

    def _door_address(self):
        if self._meeting:
            return self._meeting.doors[self.rank]
        return self._door and addresses.of_port(self._door.port)

    def _begin(self, is_replacement):
        """Becomes a member of a cluster that starts or already runs."""
        if self._meeting:
            if self._meeting.founds(start_timeout()):
                entries = [None] * self.size
                entries[self.rank] = self._make_entry()
                return self._found(self._meeting.tasks, entries)
            doors, token = self._meeting.doors, self._meeting.token
        elif is_replacement:
            doors, token = membership.noted_doors()
            self._door.open(membership.wait_for_others)
        else:
            return self._connect()
        membership.join(self.rank, doors, token, self._make_entry, self._enter, start_timeout())

    def _connect(self):
        """Exchanges addresses with the other tasks, which start at the same time."""
        entry, limit = self._make_entry(), start_timeout()
        texts = world.exchange(json.dumps(entry), limit, self._processes)
        entries = [text and json.loads(text) for text in texts] + [None] * (self.size - self._processes)
        tasks = [e and tuple(e["task"]) for e in entries]
        tasks = agree(tasks, self._specs(self._ranges, entries, limit))
        self._comm = world.communicator(self._processes)
        self._found(tasks, entries)

    def _found(self, tasks, entries):
        """Begins a cluster, with the processes that are there."""
        self._learn(tasks, entries)
        empty = [rank for rank, e in enumerate(entries) if not e]
        failures = [None if e else failure.NOT_STARTED for e in entries]
        fabric.connect(_addresses(entries), world.hosts(self._comm), failures=failures)
        # Nobody continues, and may exit, before the others have its memory.
        world.exchange("", start_timeout(), self._processes)
        self._become_member(entries, 0, empty)

    def _enter(self, welcome, entry):
        """Connects this process with a running cluster, in which it takes an empty place."""
        self.took_over = welcome.entries[self.rank] is not None
        entries = [*welcome.entries[: self.rank], entry, *welcome.entries[self.rank + 1 :]]
        self._learn([tuple(task) for task in welcome.tasks], entries)
        there = {self.rank, *welcome.living}
        failures = [None if rank in there else why for rank, why in enumerate(welcome.failures)]
        generations = [*welcome.generations[: self.rank], welcome.generation, *welcome.generations[self.rank + 1 :]]
        near = fabric.connect(_addresses(entries), welcome.hosts, generations, failures, welcome.token)
        if self._meeting:
            self._meeting.check_secret([near[rank] or rank not in there for rank in range(self.size)])
        fabric.beat()  # once they have admitted it, the others watch this process
        collective.begin_epoch(welcome.epoch, self.not_counted(welcome.empty))
        self._become_member(entries, welcome.epoch, welcome.empty)

    def _become_member(self, entries, epoch, empty):
        for rank, entry in enumerate(entries):
            self._describe(rank, entry)
        self._membership = membership.Membership(self, entries, self._door, self._meeting, epoch, empty)
        self._share_cores(entries)

    def _learn(self, tasks, entries):
        """Notes who the tasks are, by rank."""
        self.tasks = tasks
        unknown = [device for device in entries[self.rank]["devices"] if device[0] == "CPU"][:1]  # until one is there
        self.devices = _shared([e["devices"] if e else unknown for e in entries])
        self._heartbeats = [e and e["heartbeat"] for e in entries]
        self._listeners = [e and e["tcp"] for e in entries]
        self.status = status.Status(
            self, _shared([e and e["host"] for e in entries]), [e and e["pid"] for e in entries]
        )
        self._ranks = {task: rank for rank, task in enumerate(tasks)}
        incarnations = [json.loads(e["address"])["incarnation"] if e else 0 for e in entries]
        steps.open_flow_control([e["receive_budget"] if e else 0 for e in entries], incarnations, self.rank)

    def _describe(self, rank, entry):
        """Tells the fabric what errors call a task."""
        where = f" on host {entry['host']}" if entry else ""
        fabric.describe(rank, device_name(*self.tasks[rank]) + where)

    def _share_cores(self, entries):
        """Divides the cores of this machine among its tasks, whether or not they share memory."""
        near = fabric.share_machine([e and e["address"] for e in entries])
        if "TFCORE_NUM_THREADS" not in os.environ:
            cores = entries[self.rank]["cores"]
            sharing = [e for e, is_near in zip(entries, near) if is_near and e["cores"] == cores]
            set_num_threads(max(1, len(cores) // len(sharing)))

    def _specs(self, own, entries, limit):
        """The different ClusterSpecs of the processes: a dict from the first rank that has one. Mostly there is one."""
        first = {}  # digest -> rank
        for rank, entry in enumerate(entries):
            if entry:
                first.setdefault(entry["digest"], rank)
        if len(first) == 1:
            return {0: self.spec}
        texts = world.exchange(own if self.rank in first.values() else "", limit, self._processes)
        return {rank: ClusterSpec.from_ranges(*json.loads(texts[rank])) for rank in first.values()}

    def _serve(self):
        fabric.serve("join", self._on_join)
        collective.set_tasks(self.tasks, self.not_counted(self._membership.empty))
        collective_consistency.serve()
        number_steps_from(first_step(self.rank, fabric.generation(self.rank)))
        cluster_devices.serve()
        self.replication = replication.Replication(self)
        self._worker = Worker(self.resources, self._place, self.replication.ready)
        self._failures = failure.Failures(self)
        self._last_error = LastError(self)
        fabric.on_failure(self._on_failure)
        generation = fabric.generation(self.rank)
        crowded = failure.is_crowded()
        number = heartbeat.number_of(generation)
        self._heartbeat.start(self._heartbeats, fabric.pids(), failure.limit(), number, crowded)
        foreign = [rank for rank in fabric.foreign() if self._listeners[rank]]
        if foreign or (self._meeting.token if self._meeting else self.spec.at_least):  # newcomers may be on other hosts
            comm = self._comm if foreign and fabric.transport_name() != "tcp" else None
            mpi_transport.start(comm, self._heartbeat)
            for rank in [] if comm is not None else filter(fabric.alive, foreign):
                listener = self._listeners[rank]
                fabric.admit(rank, fabric.incarnation(rank), listener["port"], addresses.hosts(listener))
        self._note_changes()  # before `begin`: messages of processes whose numbers are not known are ignored
        fabric.start()
        self._heartbeat.begin()
        self._membership.start()
        self.replication.start()
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

    def make_compiler(self, target, options):
        """The Compiler of a session with SessionOptions on `target`, which names this task or another one.

        It returns when the tasks are there that the session needs: all that its `device_filters` keep.

        Raises:
          DeadlineExceededError: they have not started in time.
        """
        from tfcore.distributed.partitions.master import ClusterCompiler

        filters = [*(self.config.device_filters if self.config else ()), *options.device_filters]
        if self._absent(filters):
            self._await(filters, start_timeout())
        compiler = ClusterCompiler(self, int(target.removeprefix("mpi://")), options)
        self._compilers.add(compiler)
        return compiler

    def _absent(self, filters):
        """The tasks that a session needs and that have not started, with their addresses, as a text."""
        kept = [DeviceSpec.from_string(text) for text in filters]
        absent = self._membership.absent()
        missing = self.spec.lacks([task for rank, task in enumerate(self.tasks) if rank not in absent])
        return ", ".join(
            f"{device_name(job, index)} ({self.spec.task_address(job, index)})"
            for job, index in missing
            if not kept or any(f.job in (None, job) and f.task in (None, index) for f in kept)
        )

    def _await(self, filters, seconds):
        end = time.monotonic() + seconds
        with progress.work("waiting for tasks") as work, self._changed:
            while (absent := self._absent(filters)) and not fabric.excluded():
                work.what = f"a session of {self.name} waits for {absent}"
                if time.monotonic() > end:
                    least = "".join(f" (job {job} needs {n} to start)" for job, n in self.spec.at_least.items())
                    raise errors.DeadlineExceededError(
                        None,
                        None,
                        f"A session of {self.name} needs tasks that have not started within {seconds:.0f} s: "
                        f"{absent}{least}. With tf.ConfigProto(device_filters=[...]) it needs only those named there.",
                    )
                self._changed.wait(LOOK_S)

    def reset(self, containers):
        from tfcore.distributed.partitions import master

        master.reset(containers)

    def partitions(self):
        """What this task keeps for masters: see `Worker.counts`."""
        return self._worker.counts()

    # ---- Members

    def _note_changes(self):
        """Tells the detector which places had changed when this process joined."""
        for rank in self.others():
            generation, reason = fabric.generation(rank), fabric.failure(rank)
            if reason == failure.NOT_STARTED:
                continue  # all know that
            if reason is not None:
                event = heartbeat.LEFT if reason == failure.ENDED else heartbeat.DEAD
                self._heartbeat.note(rank, heartbeat.number_of(generation, has_ended=True), event, reason)
            elif generation:
                self._heartbeat.note(rank, heartbeat.number_of(generation), heartbeat.JOINED, "it has joined")

    def generation_heard(self, rank):
        """How often a place was taken again, as far as the detector has heard: maybe by one that died at once."""
        return heartbeat.generation_of(self._heartbeat.membership()[2][rank])

    def place_numbers(self):
        """What this task knows of each place: greater for a later process, and odd once the process has ended."""
        generations = list(map(fabric.generation, range(self.size)))  # first: else a newcomer may seem to have ended
        alive = [rank == self.rank or fabric.alive(rank) for rank in range(self.size)]
        return [heartbeat.number_of(generation, not lives) for generation, lives in zip(generations, alive)]

    @property
    def job_number(self):
        """A number of this job, which others do not have."""
        return int(status_socket.job_name(fabric.job_token()), 16)

    def expect(self, rank, generation, host, entry):
        """Tells the detector that a process takes a place, on a host of this number."""
        shares = host == fabric.hosts()[self.rank]
        self._heartbeat.admit(rank, entry["heartbeat"], json.loads(entry["address"])["pid"] if shares else 0)
        self._heartbeat.note(rank, heartbeat.number_of(generation), heartbeat.JOINED, "it has joined")

    @property
    def epoch(self):
        """How often a place of the cluster was taken again."""
        return self._membership.epoch

    def may_recover(self):
        """Whether steps that fail because of tasks that are gone may succeed later: one of these may come back."""
        if fabric.excluded():
            return False
        told = self._failures.told()
        unheard = any(not fabric.alive(rank) for rank in self.others() if rank not in told)
        return unheard or any(self._membership.may_return(rank) for rank in told)

    def admit(self, rank, entry):
        """The process of a place that has been admitted to the fabric is another one now."""
        self._failures.admit(rank)
        self._describe(rank, entry)
        self._last_error.admit(rank)
        self.status.admit(rank, entry)
        self.replication.admit(rank)
        self.devices[rank] = entry["devices"]
        self._share_cores(self._membership.entries)
        with self._changed:
            self._joined.discard(rank)
            self._changed.notify_all()
            if self._joins:  # the new process does not know that
                with contextlib.suppress(errors.OpError):
                    fabric.notify(rank, "join")

    def not_counted(self, empty):
        """Those of the places without any process that groups of collectives leave out: they may stay empty."""
        return [rank for rank in empty if self.tasks[rank][0] in self.spec.at_least]

    def membership_changed(self):
        """Sessions compile their plans again."""
        for compiler in list(self._compilers):
            compiler.membership_changed()

    def _gone(self):
        """The ranks of the tasks that have joined, ended or failed, and do not come back.

        Of processes that are started separately, those that were not started so far may come.
        """
        told = {rank for rank in self._failures.told() if not self._membership.may_return(rank)}
        return (self._joined | told).difference(self._membership.absent() if self._meeting else ())

    # ---- Joining

    def join(self):
        """Returns when every other task has ended, failed or joined. AbortedError: they have excluded this one."""
        with self._changed:
            self._joins = True
        for rank in self.others():
            try:
                fabric.call(rank, "join", timeout_s=JOIN_S)
            except errors.OpError:
                pass  # it has ended, or will be found dead
        with self._changed:
            while not (fabric.excluded() or self._gone() >= set(self.others())):
                self._changed.wait(LOOK_S)
        if fabric.excluded():
            raise errors.AbortedError(None, None, f"{self.name} (rank {self.rank}): {fabric.failure(self.others()[0])}")

    def _on_join(self, source, payload):
        with self._changed:
            if fabric.lives(source, fabric.caller()):
                self._joined.add(source)
            self._changed.notify_all()
        return b""

    def _on_failure(self, rank):
        with self._changed:
            self._changed.notify_all()
        if fabric.excluded() and membership.is_restartable() and not self._is_ending:
            self._is_ending = True
            threading.Thread(target=self._end_excluded, name="tfcore-excluded", daemon=True).start()

    # ---- Leaving

    def _end_excluded(self):
        """Ends a process that the others do not listen to any more, so that its supervisor starts another one: its
        program may not notice, if it runs steps again that have failed with AbortedError."""
        time.sleep(EXCLUDED_S)
        failure.report(f"{self.name} (rank {self.rank}) ends, as it was excluded")
        os._exit(1)

    def _end(self):
        """Runs at the end of the program, and of the children that it forks, which are not tasks."""
        if os.getpid() != self._pid:
            return
        error = getattr(sys, "last_value", None)
        why = None if error is None else self._last_error.why(error)
        if why:
            self._failures.tell_own(why)
        self._failures.catch_up()
        failed = self._failures.failed
        frozen_elsewhere = self._failures.frozen & set(fabric.foreign())
        # One that was excluded takes all others for gone, but they still run.
        is_last = frozen_elsewhere and not fabric.excluded() and self._leave_and_look()
        self._failures.stop()
        self.replication.stop()
        self._membership.stop()
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


def start_timeout():
    """Seconds that this process waits for the others."""
    return float(os.environ.get("TFCORE_START_TIMEOUT", START_S))


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
    """Checks what all processes say about themselves and the cluster; returns the tasks of all ranks.

    Args:
      tasks: (job name, task index) by rank; None: of a place that is still empty.
      specs: dict from ranks to ClusterSpecs; each may have a part of the tasks. Ranks that are left out say
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
        if task is None:
            continue
        if first.setdefault(task, rank) != rank:
            raise ValueError(f"Rank {first[task]} and rank {rank} both are {device_name(*task)}")
        named = explicit_rank(said[task][0])
        if named not in (None, rank):
            raise ValueError(
                f"{device_name(*task)} has rank {named} in the cluster, but rank {rank} started a server for it"
            )
    rooms = {json.dumps(spec.at_least, sort_keys=True) for spec in specs.values()}
    if len(rooms) > 1:
        raise ValueError(f"The processes disagree about the tasks that may join later: {' or '.join(sorted(rooms))}")
    if len(numbers := sorted({spec.ps_replicas for spec in specs.values()})) > 1:
        raise ValueError(f"The processes disagree about ps_replicas: {' or '.join(map(str, numbers))}")
    spec = next(iter(specs.values()))
    missing = [device_name(*task) for task in (spec.lacks(first) if spec.at_least else said) if task not in first]
    if missing:
        run = f"{len(first)} processes run" if len(first) > 1 else "1 process runs"
        raise ValueError(f"The cluster has {len(said)} tasks, but {run}: no process is {', '.join(missing)}")
    return _with_empty_places(tasks, spec) if None in tasks else tasks


def _with_empty_places(tasks, spec):
    """The tasks of all ranks: places without a process are tasks in the order in which the cluster lists them."""
    everyone = sorted(((job, i) for job in spec.jobs for i in spec.task_indices(job)), key=lambda t: spec.rank(*t))
    left = iter([task for task in everyone if task not in tasks])
    return [next(left) if task is None else task for task in tasks]


def _addresses(entries):
    return [e and e["address"].encode() for e in entries]


def _shared(values):
    """The same list, with one object for all values that are equal."""
    known = {}
    return [known.setdefault(json.dumps(value), value) for value in values]
