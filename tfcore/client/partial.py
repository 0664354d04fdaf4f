"""Partial runs: one step whose feeds and fetches are spread over several calls.

A call computes what its fetches need and no earlier call of the same handle has computed. Operations named as targets
at set-up run as soon as the last feed they need is given; with the last feed and fetch the rest of the step runs.
Whether feeds suffice is decided on the graph, so that it does not depend on rewrites.
"""

import threading
import weakref

from tfcore.client import plan_cache
from tfcore.client.fetches import FetchPlan, feed_pairs, feed_tensors
from tfcore.core.step.partial import PartialStep
from tfcore.framework import errors


class _Handle(str):
    """The name of a partial run, which ends with this object: its values are freed."""


class _SetUp:
    """Shared by partial runs of the same fetches and feeds: the plan, and which feeds each value needs."""

    def __init__(self, plan, fetch, feeds, version, held):
        self.plan = plan
        self.version = version
        self.held = held  # keys are compared by identity, so their objects must live
        self.feeds = {tensor: i for i, tensor in enumerate(feeds)}
        self.fetches = {tensor: i for i, tensor in enumerate(fetch.tensors)}
        needs = _Needs(self.feeds)
        self.fetch_needs = [needs.of(t.op) for t in fetch.tensors]
        node_of = {node.original: i for i, node in enumerate(plan.ops) if node.name == node.original.name}
        # A target that was merged with an equal node has no node, and no effect either.
        self.targets = [(node_of[op], needs.of(op)) for op in fetch.targets if op in node_of]


class _Needs:
    """For operations of a graph, which of the fed tensors they depend on, as sets of indices."""

    def __init__(self, feeds):
        self._feeds = feeds
        self._known = {}

    def of(self, op):
        stack = [op]
        while stack:
            top = stack[-1]
            open_ = [o for o in self._before(top) if o not in self._known]
            if open_:
                stack.extend(open_)
                continue
            stack.pop()
            if top not in self._known:
                own = {self._feeds[t] for t in top.inputs if t in self._feeds}
                self._known[top] = frozenset(own.union(*[self._known[o] for o in self._before(top)]))
        return self._known[op]

    def _before(self, op):
        return [t.op for t in op.inputs if t not in self._feeds] + op.control_inputs


class _PartialRun:
    """One partial run: the step's values and what remains to be fed and fetched."""

    def __init__(self, set_up, threads, control):
        self.set_up = set_up
        self.step = PartialStep(set_up.plan, threads, control)
        self.lock = threading.Lock()  # calls from several threads go one after the other
        self.fed = set()
        self.fetched = set()
        self.targets = list(set_up.targets)
        self.over = False

    def check(self, feeds, tensors):
        """Raises InvalidArgumentError unless these feeds and fetches are allowed now."""
        known_feeds, known_fetches = self.set_up.feeds, self.set_up.fetches
        for tensor in feeds:
            if tensor not in known_feeds:
                raise _invalid(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if known_feeds[tensor] in self.fed:
                raise _invalid(f"The feed {tensor.name} has already been fed.")
        fed = self.fed.union([known_feeds[t] for t in feeds])
        for tensor in tensors:
            if tensor not in known_fetches:
                raise _invalid(f"The fetch {tensor.name} was not specified in partial_run_setup.")
            if known_fetches[tensor] in self.fetched:
                raise _invalid(f"The fetch {tensor.name} has already been fetched.")
        for tensor in tensors:
            missing = self.set_up.fetch_needs[known_fetches[tensor]] - fed
            if missing:
                names = ", ".join(t.name for t, i in known_feeds.items() if i in missing)
                raise _invalid(
                    f"Fetch {tensor.name} can't be computed from the feeds that have been fed so far. Missing: {names}"
                )

    def advance(self, feeds, tensors):
        """Feeds, runs, fetches; returns the values. After an error of an operation the partial run is over."""
        self.check([t for t, _ in feeds], tensors)
        indices = [self.set_up.feeds[t] for t, _ in feeds]
        self.step.feed(indices, [value for _, value in feeds])
        self.fed.update(indices)
        fetches = [self.set_up.fetches[t] for t in tensors]
        last = len(self.fed) == len(self.set_up.feeds) and len(self.fetched) + len(fetches) == len(self.set_up.fetches)
        due = [node for node, needs in self.targets if needs <= self.fed]
        self.targets = [(node, needs) for node, needs in self.targets if not needs <= self.fed]
        self.over = True  # unless the code below succeeds
        values = self.step.advance(fetches, due, last)
        self.fetched.update(fetches)
        self.over = last
        return values


class PartialRuns:
    """The partial runs of one session."""

    def __init__(self, session):
        self._session = weakref.proxy(session)
        self._set_ups = {}
        self._running = weakref.WeakValueDictionary()  # by handle; the handle object keeps its run alive
        self._count = 0
        self._closed = False

    def setup(self, key, fetches, feeds):
        """Starts a partial run and returns its handle; `key` represents `fetches` in a dictionary."""
        if feeds is None:
            feeds = []
        set_up = self._set_up(key, fetches, list(feeds) if isinstance(feeds, (list, tuple)) else [feeds])
        run = _PartialRun(set_up, self._session._threads, self._session._control)
        if any(not needs for _, needs in run.targets):
            run.advance([], [])
        self._count += 1
        names = (",".join(t.name for t in group) for group in (set_up.feeds, set_up.fetches))
        handle = _Handle(f"{'->'.join(names)}//{self._count}")
        handle.run = run
        if not run.over:
            self._running[str(handle)] = run
        return handle

    def run(self, handle, fetches, feed_dict):
        """Implements Session.partial_run."""
        graph = self._session.graph
        fetch = FetchPlan(graph, fetches, self._session)
        feeds = feed_pairs(graph, feed_dict) if feed_dict else []
        if fetch.targets:
            raise RuntimeError(
                f"partial_run() requires empty `target_list`. Received: target_list={fetch.targets} (non-empty)"
            )
        run = self._running.get(handle) if isinstance(handle, str) else None
        if run is None:
            raise _invalid("Must run 'setup' before performing partial runs!")
        with run.lock:
            if run.step is None:  # it ended while this call waited for another one
                raise _invalid("Must run 'setup' before performing partial runs!")
            try:
                values = run.advance(feeds, fetch.tensors)
            finally:
                if run.over or self._closed:
                    self._running.pop(str(handle), None)
                    run.step = None
        return fetch.rebuild(values)

    def close(self):
        """Forgets all partial runs. A run in the middle of a call frees its values when the call returns."""
        self._closed = True
        self._set_ups.clear()
        for run in list(self._running.values()):
            if run.lock.acquire(blocking=False):
                run.step = None
                run.lock.release()
        self._running.clear()

    def _set_up(self, key, fetches, feeds):
        session = self._session
        tensors = feed_tensors(session.graph, feeds)
        key = (key, *tensors)
        found = self._set_ups.get(key)
        if found is None or found.version != session.graph.mutation_version:
            fetch = FetchPlan(session.graph, fetches, session)
            _check(fetch, tensors)
            # An access runs as soon as its inputs are fed: it can't wait for one that a later call feeds.
            signature = session._make_signature(fetch, None, tensors, True, None, fused_loops=False, ordered=False)
            if signature.plan.flows:
                raise errors.UnimplementedError(
                    None,
                    None,
                    "partial_run does not support loops and conditionals: fetch their results with Session.run",
                )
            found = _SetUp(signature.plan, fetch, tensors, signature.version, fetches)
            plan_cache.keep(self._set_ups, key, found)
        found.plan.runs += 1
        return found


def _check(fetch, feeds):
    for i, tensor in enumerate(feeds):
        if tensor in feeds[:i]:
            raise _invalid(f'Endpoint "{tensor.name}" fed more than once.')
        if tensor in fetch.tensors:
            raise _invalid(f"{tensor.name} is both fed and fetched.")
    if not fetch.tensors and not fetch.targets:
        raise _invalid("Must specify at least one target to fetch or execute.")


def _invalid(message):
    return errors.InvalidArgumentError(None, None, message)
