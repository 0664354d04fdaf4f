"""Calls a function for each replica: a thread each, of which one runs at a time, from merge_call to merge_call."""

import collections
import contextlib
import contextvars
import copy
import threading

from tfcore.distribute.replica_context import ReplicaContext, ThreadMode
from tfcore.distribute.values import regroup, select
from tfcore.framework.definitions import strict
from tfcore.framework.graph.default_session import get_default_session
from tfcore.framework.graph.graph import get_default_graph
from tfcore.variables.creators import variable_creator_scope
from tfcore.variables.variable_scope import get_variable_scope, variable_scope, variables_by_name
from tfcore.variables.variables import Variable


def call_for_each_replica(strategy, devices, fn, args, kwargs):
    """Calls a function for each device; returns the results, regrouped.

    Raises:
      RuntimeError: Replicas differ in how often they call merge_call.
    """
    graph = get_default_graph()
    created = _Created(graph.version)
    replicas = [
        _Replica(strategy, graph, i, device, created, (fn, select(i, args), select(i, kwargs)))
        for i, device in enumerate(devices)
    ]
    try:
        while True:
            for replica in replicas:
                replica.advance()
            ended = [replica.has_ended for replica in replicas]
            if all(ended):
                return regroup([replica.result for replica in replicas])
            if any(ended):
                raise RuntimeError(
                    "Some replicas called a different number of replica_context().merge_call() functions."
                )
            _merge(strategy, graph, replicas)
    finally:
        for replica in replicas:
            replica.stop()


def _merge(strategy, graph, replicas):
    """Calls the function of merge_call, in the scopes of the first replica."""
    function, args, kwargs = replicas[0].request
    inside = replicas[0].scopes
    same = {field: inside[field] for field in ("name", "controls", "variables")}
    same["controls"] = tuple(dict.fromkeys(c for replica in replicas for c in replica.scopes["controls"]))
    with strict.replaced(replicas[0].strict), graph.scopes.replaced(**same, strategy_mode=ThreadMode(strategy)):
        args = regroup([replica.request[1] for replica in replicas])
        kwargs = regroup([replica.request[2] for replica in replicas])
        result = function(strategy, *args, **kwargs)
    for i, replica in enumerate(replicas):
        replica.answer = select(i, result)


class _Created:
    """What the first replica makes, for the others.

    Attributes:
      variables: Variables, in order.
      slots: {what they accompany and their name: [slots, in order]}
      version: That of the graph before.
    """

    def __init__(self, version):
        self.variables = []
        self.slots = collections.defaultdict(list)
        self.version = version


class _Stopped(BaseException):
    """Ends the thread of a replica, as another one has failed."""


class _Replica(threading.Thread):
    def __init__(self, strategy, graph, number, device, created, call):
        super().__init__(daemon=True)
        self._strategy = strategy
        self._graph = graph
        self._number = number
        self._device = device
        self._created = created
        self._taken = 0  # how many of the created variables this replica has got
        self._taken_slots = collections.Counter()
        self._makes_slot = False
        self._call = call
        self._outer = {field: getattr(graph.scopes, field) for field in graph.scopes.__slots__}
        if graph.scopes.variables is not None:  # each replica counts the names of its scopes from here
            self._outer["variables"] = copy.copy(graph.scopes.variables)
        self._session = get_default_session()
        self._variables = contextvars.copy_context()  # such as the template that is being made
        self.strict = strict.of_this_thread()
        self._resume, self._paused = threading.Semaphore(0), threading.Semaphore(0)
        self._is_stopping = False
        self.has_ended = False
        self.result = self.error = self.request = self.scopes = self.answer = None

    def advance(self):
        """Lets the replica run until it calls merge_call, ends or fails."""
        if self.has_ended:
            return
        if self.ident is None:
            self.start()
        else:
            self._resume.release()
        self._paused.acquire()
        if self.error is not None:
            raise self.error

    def stop(self):
        """Ends the thread."""
        if self.ident is not None and not self.has_ended:
            self._is_stopping = True
            self._resume.release()
            self.join()

    def merge(self, function, args, kwargs):
        """Waits until all replicas have come to the call; returns what the function returned for this one."""
        if self._is_stopping:  # a call from `finally` or `except`: nobody will answer it
            raise _Stopped
        scopes = self._graph.scopes
        if get_default_graph() is not self._graph or scopes.context is not self._outer["context"]:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function, or inside tf.cond or tf.while_loop. "
                "Replicas meet in the function that strategy.run() calls: call it there."
            )
        self.request = function, args, kwargs
        self.scopes = {field: getattr(scopes, field) for field in scopes.__slots__}
        self.strict = strict.of_this_thread()
        self._paused.release()
        self._resume.acquire()
        if self._is_stopping:
            raise _Stopped
        return self.answer

    def slot(self, primary, name, make):
        """The slot of the first replica for the same variable, or for its tensor in the place of this one's."""
        is_shared = isinstance(primary, Variable) or primary.op._id < self._created.version
        key = (id(primary) if is_shared else None, name)
        made, number = self._created.slots[key], self._taken_slots[key]
        self._taken_slots[key] += 1
        if self._number == 0:
            self._makes_slot = True
            try:
                made.append(make())
            finally:
                self._makes_slot = False
        elif number == len(made):
            self._refuse(f"{primary.op.name}{name}")
        return made[number]

    def run(self):
        try:
            function, args, kwargs = self._call
            with self._inside():
                self.result = self._variables.run(function, *args, **kwargs)
        except _Stopped:
            pass
        except BaseException as error:  # raised again in the thread that called run()
            self.error = error
        finally:
            self.has_ended = True
            self._paused.release()

    @contextlib.contextmanager
    def _inside(self):
        graph = self._graph
        with contextlib.ExitStack() as stack:
            stack.enter_context(graph.as_default())
            stack.enter_context(strict.replaced(self.strict))
            if self._session is not None:
                stack.enter_context(self._session.as_default())
            context = ReplicaContext(self._strategy, self._number)
            context.thread = self
            stack.enter_context(graph.scopes.replaced(**self._outer))
            stack.enter_context(graph.scopes.replaced(strategy_mode=ThreadMode(self._strategy, context)))
            stack.enter_context(graph.device(self._device or None))
            if self._number:
                stack.enter_context(graph.name_scope(f"replica_{self._number}"))
            reuse = True if self._number else None
            scope = variable_scope(get_variable_scope(), reuse=reuse, auxiliary_name_scope=False)
            stack.enter_context(scope)
            stack.enter_context(variable_creator_scope(self._create))
            yield

    def _create(self, next_creator, **kwargs):
        """The first replica's variables are those of all."""
        created = self._created.variables
        if self._number == 0:
            variable = next_creator(**kwargs)
            if not self._makes_slot:
                created.append(variable)
            return variable
        named = variables_by_name().values()  # which get_variable gives replicas
        while self._taken < len(created) and any(created[self._taken] is v for v in named):
            self._taken += 1
        if self._taken == len(created):
            self._refuse(kwargs.get("name"))
        self._taken += 1
        return created[self._taken - 1]

    def _refuse(self, name):
        raise RuntimeError(
            f"Replica {self._number} creates a variable, {name!r}, that replica 0 has not created. "
            "All replicas must create the same variables in the same order."
        )
