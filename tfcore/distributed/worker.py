"""What a task does for masters: keeps its part of their graphs, and runs it when they say so.

Everything here is asked for by calls of the fabric; running a registered partition is not (`steps.pyx`). Variables and
other resources belong to the task and are shared by all sessions; kernels with a state of their own (random numbers)
belong to one session.
"""

import json
import struct
import threading

from tfcore.client.step_stats import make_step_stats
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices
from tfcore.compiler.program_def import from_graph_def
from tfcore.core.executor import RunControl
from tfcore.distributed import fabric, steps
from tfcore.framework import errors

_LENGTH = struct.Struct("<I")


def pack(header, body=b""):
    """A call's payload: a dictionary for JSON, and bytes."""
    text = json.dumps(header).encode()
    return b"".join([_LENGTH.pack(len(text)), text, body])


def unpack(payload):
    """(header, body) of what `pack` made."""
    view = memoryview(payload)
    end = _LENGTH.size + _LENGTH.unpack_from(view)[0]
    return json.loads(bytes(view[_LENGTH.size : end])), view[end:]


class _Session:
    """One session of a master, as far as it concerns this task."""

    def __init__(self, resources, devices):
        self.compiler = Compiler(resources, devices=devices)
        self.control = RunControl(resources.variables, lambda name: None)
        self.constants = {}  # the larger ones of earlier partitions
        self.lock = threading.Lock()  # one partition is compiled at a time
        self.handles = set()  # this and `ended` under the lock of the Worker
        self.ended = False


class Worker:
    """Serves masters. resources: the ResourceManager of this task. task: (job, replica, index)."""

    def __init__(self, resources, task):
        self.resources = resources
        self._devices = Devices(client=task)
        self._sessions = {}  # (rank, number) -> _Session
        self._lock = threading.Lock()
        fabric.serve("register_partition", self._register)
        fabric.serve("close_session", self._close_session)
        fabric.serve("reset", self._reset)
        fabric.serve("step_stats", self._step_stats)
        fabric.on_failure(self._forget_master)

    def _register(self, source, payload):
        """Compiles a partition; answers with its handle.

        Handles in `drop` and constants in `forget` are not used any more.

        Raises:
          AbortedError: the session was ended meanwhile.
        """
        header, graph = unpack(payload)
        session = self._session(source, header["session"])
        with self._lock:
            session.handles.difference_update(header["drop"])
        for handle in header["drop"]:
            steps.deregister(handle)
        with session.lock:
            for number in header["forget"]:
                session.constants.pop(number, None)
            program = from_graph_def(graph, session.constants)
            program.fuses_loops = header["fuses_loops"]
            plan = session.compiler.lower(program)
        with self._lock:
            if session.ended:
                raise errors.AbortedError(None, None, "The session was closed, or its containers were cleared.")
            handle = steps.register(plan, header["threads"], header["inter_op"], session.control)
            session.handles.add(handle)
        if not fabric.alive(source):  # _forget_master may have been there already
            self._forget_master(source)
        return pack({"handle": handle, "has_fused_loops": bool(plan.inner_ops)})

    def _session(self, source, number):
        with self._lock:
            session = self._sessions.get((source, number))
            if session is None:
                session = self._sessions[source, number] = _Session(self.resources, self._devices)
        return session

    def _close_session(self, source, payload):
        header, _ = unpack(payload)
        self._end(lambda key: key == (source, header["session"]))
        return b""

    def _step_stats(self, source, payload):
        """What this task did in a step that its master traced: a StepStats message."""
        header, _ = unpack(payload)
        observer = steps.traces.pop((source, header["step"]), None)
        return b"" if observer is None else make_step_stats(observer).SerializeToString()

    def _forget_master(self, rank):
        self._end(lambda key: key[0] == rank)

    def _reset(self, source, payload):
        """Clears containers (all, if none is named): what sessions of all masters have kept in them."""
        header, _ = unpack(payload)
        if not header["containers"]:
            self.resources.clear()
        for container in header["containers"]:
            self.resources.clear(container)
        self._end(lambda key: True)
        return b""

    def _end(self, chosen):
        """Forgets the sessions for whose keys `chosen` is true, and cancels their steps."""
        with self._lock:
            ended = [self._sessions.pop(key) for key in list(self._sessions) if chosen(key)]
            for session in ended:
                session.ended = True  # from here on nothing is registered for it
            handles = [handle for session in ended for handle in session.handles]
        for session in ended:
            session.control.close(0)
        for handle in handles:
            steps.deregister(handle)
