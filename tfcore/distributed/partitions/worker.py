"""The work of a task for masters: it keeps its partitions of their graphs, ready to run.

Masters use it through calls of the fabric, except to run a registered partition (`steps.pyx`). Variables and other
resources belong to the task and are shared by all sessions; stateful kernels (random numbers) belong to one session.
Workers that run the same program register equal partitions. These are compiled once, and share the plan and the values
of constants, unless the plan has kernels with a session's state.
"""

import gc
import json
import struct
import threading
import time
import weakref

from tfcore.client.step_stats import make_step_stats
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices
from tfcore.compiler.program_def import ProgramDef
from tfcore.core.step.executor import RunControl
from tfcore.distributed.collectives import collective
from tfcore.distributed.fabric import fabric
from tfcore.distributed.partitions import steps
from tfcore.framework import errors

_LENGTH = struct.Struct("<I")
EPOCH_S = 2.0  # for a change of the membership to reach this task, once it has reached a master


def pack(header, body=b""):
    """The payload of a call: a dictionary, sent as JSON, and bytes."""
    text = json.dumps(header).encode()
    return b"".join([_LENGTH.pack(len(text)), text, body])


def unpack(payload):
    """(header, body) of what `pack` made."""
    view = memoryview(payload)
    end = _LENGTH.size + _LENGTH.unpack_from(view)[0]
    return json.loads(bytes(view[_LENGTH.size : end])), view[end:]


class _Session:
    """This task's part of a master's session."""

    def __init__(self, resources):
        self.compiler = None  # once it has had to compile something
        self.control = RunControl(resources.variables, lambda name: None)
        self.constants = {}  # the larger ones of earlier partitions: see ProgramDef
        self.lock = threading.Lock()  # one partition is compiled at a time
        self.handles = set()  # this and `ended` are under the Worker's lock
        self.ended = False


class _Plans:
    """The plans that masters share, by their keys, as long as somebody has them. compiled: number of plans made."""

    def __init__(self):
        self._plans = weakref.WeakValueDictionary()
        self._compiling = weakref.WeakValueDictionary()  # key -> a lock, while some thread has it
        self._lock = threading.Lock()
        self._cleared = 0
        self.compiled = 0

    def get(self, key, compile):
        """The Plan of this key, made by `compile()` unless there is one."""
        with self._lock:
            compiling = self._compiling.get(key)
            if compiling is None:
                compiling = self._compiling[key] = threading.Lock()
        with compiling:  # the others that want it wait
            with self._lock:
                plan, cleared = self._plans.get(key), self._cleared
            if plan is None:
                plan = compile()
                with self._lock:
                    self.compiled += 1
                    if cleared == self._cleared and not plan.has_state:
                        self._plans[key] = plan
        return plan

    def clear(self):
        """Forgets all plans, because they hold on to resources that are gone."""
        with self._lock:
            self._cleared += 1
            self._plans.clear()


class Worker:
    """Serves masters.

    resources: the ResourceManager of this task. task: (job, replica, index). ready: an Event: until it is set, masters
    wait, as the variables may have to come from replicas first; None: they don't.
    """

    def __init__(self, resources, task, ready=None):
        self.resources = resources
        self._ready = ready
        self._devices = Devices(client=task)
        self._sessions = {}  # (rank and incarnation of the master, number) -> _Session
        self._plans = _Plans()
        self._constants = weakref.WeakValueDictionary()  # digest -> value: the larger ones of all sessions
        self._lock = threading.Lock()
        fabric.serve("register_partition", self._register)
        fabric.serve("close_session", self._close_session)
        fabric.serve("reset", self._reset)
        fabric.serve("step_stats", self._step_stats)
        fabric.on_failure(self._forget_master)

    def _register(self, source, payload):
        """Makes a partition ready to run; answers with its handle.

        Handles in `drop` and constants in `forget` are no longer used.

        Raises:
          AbortedError: the session has ended, meanwhile or since an earlier registration that sent constants; or the
            master knows of a new member, and this task does not within EPOCH_S, so that collectives would be those
            of an earlier epoch.
        """
        if self._ready is not None:
            self._ready.wait()
        header, graph = unpack(payload)
        end = time.monotonic() + EPOCH_S
        while header["epoch"] > collective.epoch():
            if time.monotonic() > end:
                raise errors.AbortedError(
                    None,
                    None,
                    f"A task has joined: membership epoch {header['epoch']} has begun for rank {source}, but this task "
                    f"is still in epoch {collective.epoch()}. Run the step again.",
                )
            time.sleep(1e-3)
        master = source, fabric.caller()
        session = self._session(master, header["session"])
        with self._lock:
            session.handles.difference_update(header["drop"])
        for handle in header["drop"]:
            steps.deregister(handle)
        with session.lock:
            for number in header["forget"]:
                session.constants.pop(number, None)
            plan = self._plan(session, header, graph)
        with self._lock:
            if session.ended:
                raise errors.AbortedError(None, None, "The session was closed, or its containers were cleared.")
            handle = steps.register(master, plan, header["threads"], header["inter_op"], session.control)
            session.handles.add(handle)
        if not fabric.lives(*master):  # _forget_master may have run before
            self._end(lambda key: key[0] == master)
        return pack({"handle": handle, "has_fused_loops": bool(plan.inner_ops)})

    def _plan(self, session, header, graph):
        received = ProgramDef(graph, session.constants, self._constants)
        settings = [header[name] for name in ("fuses_loops", "threads", "inter_op")]  # plans learn how to run with them

        def compile():
            program = received.program()
            program.fuses_loops = header["fuses_loops"]
            if session.compiler is None:
                session.compiler = Compiler(self.resources, devices=self._devices)
            return session.compiler.lower(program)

        return self._plans.get((received.digest, *settings), compile)

    def counts(self):
        """How many partitions are registered, how many plans run them, and how many were compiled so far."""
        with self._lock:
            handles = [handle for session in self._sessions.values() for handle in session.handles]
        return {"registered": len(handles), "plans": steps.count_plans(handles), "compiled": self._plans.compiled}

    def _session(self, master, number):
        with self._lock:
            session = self._sessions.get((master, number))
            if session is None:
                session = self._sessions[master, number] = _Session(self.resources)
        return session

    def _close_session(self, source, payload):
        header, _ = unpack(payload)
        self._end(lambda key: key == ((source, fabric.caller()), header["session"]))
        return b""

    def _step_stats(self, source, payload):
        """A StepStats message of this task's part of a step that its master traced; empty if there is none."""
        header, _ = unpack(payload)
        observer = steps.traces.pop((source, header["step"]), None)
        return b"" if observer is None else make_step_stats(observer).SerializeToString()

    def _forget_master(self, rank):
        self._end(lambda key: key[0][0] == rank)

    def _reset(self, source, payload):
        """Clears containers (all if none is named) and ends the sessions of all masters."""
        if self._ready is not None:
            self._ready.wait()  # else variables could come back from their replicas after this
        header, _ = unpack(payload)
        if not header["containers"]:
            self.resources.clear()
        for container in header["containers"]:
            self.resources.clear(container)
        self._plans.clear()
        self._end(lambda key: True)
        gc.collect()  # plans with loops refer to themselves: their variables, and the replicas of these, end now
        return b""

    def _end(self, chosen):
        """Drops the sessions for whose keys `chosen` is true, and cancels their steps."""
        with self._lock:
            ended = [self._sessions.pop(key) for key in list(self._sessions) if chosen(key)]
            for session in ended:
                session.ended = True  # from now on nothing is registered for it
            handles = [handle for session in ended for handle in session.handles]
        for session in ended:
            session.control.close(0)
        for handle in handles:
            steps.deregister(handle)
