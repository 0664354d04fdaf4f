"""The master of a cluster's session: compiles run signatures into plans that span tasks."""

import concurrent.futures
import contextlib
import ctypes
import itertools
import threading
import weakref

from tfcore.client.config import cost_placer_of
from tfcore.compiler.compile import Compiler
from tfcore.compiler.ir import Node
from tfcore.compiler.partition import partition
from tfcore.compiler.program_def import larger_constants, to_graph_def
from tfcore.distributed.cluster.devices import ClusterDevices
from tfcore.distributed.fabric import fabric
from tfcore.distributed.partitions.worker import pack, unpack
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def

AT_ONCE = 16  # tasks with which a signature is registered at the same time
STALE = -1  # no graph has this version
CLOSE_S = 5.0  # time for a task to confirm that it has dropped a session

_numbers = itertools.count(1)


class _Remote(Node):
    """Stands in the master's own program for a partition that another task runs.

    has_fused_loops: whether that task compiled loops to single nodes.
    """

    __slots__ = ("partition", "handle", "has_fused_loops")

    def __init__(self, part, handle, device, has_fused_loops):
        self.op = part.program.targets[0].op
        self.type = "_RunPartition"
        self.op_def = get_op_def("_RunPartition")
        self.name = f"_run/{part.task[0]}_{part.task[2]}/{handle.number}"
        self.device = device
        self.attrs = {"peer": part.rank, "handle": ctypes.c_int64(handle.number).value}  # the same 64 bits
        self.inputs, self.controls, self.dtypes, self.dims = [], [], [], []
        self.kernel = None
        self.partition = part
        self.has_fused_loops = has_fused_loops
        self.handle = handle  # lives as long as plans with this node

    def step_stats(self, step):
        """The bytes of the task's StepStats message for a traced step; b"" if the task can't give it.

        An error must not take the place of the step's own.
        """
        try:
            return fabric.call(self.partition.rank, "step_stats", pack({"step": step}))
        except errors.OpError:
            return b""


class _Handle:
    """A registration with a task. Once no plan uses it any more, the next registration tells the task to drop it."""

    def __init__(self, task, number):
        self.task = task
        self.number = number

    def __del__(self):
        self.task.dropped.append(self.number)


class _Task:
    """A session's record of another task's process. A new process in its place knows nothing of this."""

    def __init__(self, incarnation):
        self.incarnation = incarnation
        self.dropped = []  # handles that are no longer used
        self.sent = {}  # larger constants that the task has: see to_graph_def
        self.uses = {}  # handle -> the constants of its partition, as keys of `sent`
        self.lock = threading.Lock()

    def unused(self, dropped):
        """The keys of the constants that no partition uses once the dropped ones are gone."""
        used = [keys for handle, keys in self.uses.items() if handle not in dropped]
        return self.sent.keys() - set().union(*used)


class ClusterCompiler(Compiler):
    """Compiles for all tasks of a cluster.

    task: the Task of this process. target: the rank of the task for operations without one in their device. options:
    the SessionOptions.
    """

    def __init__(self, task, target, options):
        devices = ClusterDevices(list(zip(task.tasks, task.devices)), task.rank, target)
        super().__init__(
            task.resources,
            options.rewrites,
            devices,
            options.allow_soft_placement,
            options.log_device_placement,
            cost_placer_of(options),
        )
        self._task = task
        self._signatures = weakref.WeakSet()  # that are to be compiled again when the membership changes
        self._ranks = devices.ranks()
        self._options = options
        self._number = next(_numbers)
        self._tasks = {}  # rank -> _Task
        self._closed = False
        self._lock = threading.RLock()  # a signal handler that runs while it is held may run the session
        # For a session that is dropped without `close`.
        self._finalizer = weakref.finalize(self, _abandon_session, self._number, self._tasks)
        self._finalizer.atexit = False  # the tasks notice on their own when this process ends

    def compile(self, fetches, feeds, targets, **how):
        """Like Compiler.compile; also registers the partitions of other tasks with them.

        Raises:
          UnavailableError: a task that takes part has failed. AbortedError: this task has been excluded.
          CancelledError: the session was closed meanwhile.
        """
        program = self.program(fetches, feeds, targets, **how)
        own, *others = partition(program, self.devices.default, self._ranks)
        self._task.replication.check(own.program)
        if others:
            with concurrent.futures.ThreadPoolExecutor(min(len(others), AT_ONCE)) as pool:
                remote = list(pool.map(self._register, others))
            own.program.nodes[:0] = remote
            own.program.targets[:0] = remote  # no node reads their values, but they must run
        return self.lower(own.program)

    def changes(self):
        return self._task.epoch

    def keep_current(self, signature, changes):
        with self._lock:
            self._signatures.add(signature)
        if changes != self.changes():
            signature.version = STALE

    def membership_changed(self):
        """A place was taken again: what was registered there is gone, and the counts of collectives restart."""
        with self._lock:
            stale = list(self._signatures)
            self._signatures.clear()
        for signature in stale:
            signature.version = STALE

    def _register(self, part):
        incarnation = fabric.incarnation(part.rank)
        with self._lock:
            task = self._tasks.get(part.rank)
            if task is None or task.incarnation != incarnation:
                task = self._tasks[part.rank] = _Task(incarnation)
        header = {
            "session": self._number,
            "threads": self._options.intra_op_parallelism_threads,
            "inter_op": self._options.inter_op_parallelism_threads,
            "fuses_loops": part.program.fuses_loops,
            "epoch": self.changes(),
        }
        with task.lock:  # a registration relies on the constants that earlier ones sent
            header["drop"] = list(task.dropped)
            sent = dict(task.sent)
            header["forget"] = [sent.pop(key)[0] for key in task.unused(header["drop"])]
            graph = to_graph_def(part.program, sent)
            try:
                request = pack(header, graph)
                answer, _ = unpack(fabric.call(part.rank, "register_partition", request, incarnation=incarnation))
            except (errors.UnavailableError, errors.AbortedError) as error:
                op = part.program.targets[0].original
                raise type(error)(None, op, f"{error.message.rstrip('.')}. {part.share()}") from None
            # Not before: the registration may fail, and more handles may be dropped meanwhile.
            task.sent = sent
            task.uses[answer["handle"]] = larger_constants(part.program)
            for handle in header["drop"]:
                task.uses.pop(handle, None)
            del task.dropped[: len(header["drop"])]
        if self._closed:  # the task may have dropped the session before it registered this
            _close_session(self._number, part.rank, incarnation)
            raise errors.CancelledError(None, None, "Session has been closed.")
        return _Remote(part, _Handle(task, answer["handle"]), self.devices.default, answer["has_fused_loops"])

    def close(self):
        """Makes the tasks drop the session; tasks that can't be reached have dropped it already. Variables stay."""
        self._finalizer.detach()
        self._stateful = {}
        with self._lock:
            self._closed = True
            tasks = [(rank, task.incarnation) for rank, task in self._tasks.items()]
        for rank, incarnation in tasks:
            _close_session(self._number, rank, incarnation)


def _close_session(number, rank, incarnation):
    """Makes a task drop a session, if it can be reached."""
    with contextlib.suppress(errors.OpError):
        fabric.call(rank, "close_session", pack({"session": number}), timeout_s=CLOSE_S, incarnation=incarnation)


def _abandon_session(number, ranks):
    """Makes tasks drop a session. Runs during garbage collection, so it neither waits nor raises."""
    for rank in list(ranks):
        with contextlib.suppress(Exception):  # the task has dropped it, or this process ends or has no memory
            fabric.notify(rank, "close_session", pack({"session": number}))


def reset(containers):
    """Clears containers (all if none is named) in all tasks of the cluster that are alive."""
    for rank in filter(fabric.alive, range(fabric.size())):
        fabric.call(rank, "reset", pack({"containers": list(containers or ())}))
