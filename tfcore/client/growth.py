"""Warns once when a loop adds operations to a graph that sessions run: each run compiles a new plan, and memory only
grows.

The rule: the same line of the program (with the lines that called it), starting from the same earlier tensors or from
its own results of the time before, adds operations between runs that need a new plan, LIMIT times. Programs that build
the graph in parts, assign to each variable with a separate operation, or are rerun cell by cell don't match it.
Python's warning filters control it, e.g. `warnings.simplefilter("ignore", tf.GraphGrowthWarning)`.
"""

import threading
import warnings
import weakref

from tfcore.framework.fork_safety import fork_safe

LIMIT = 25

_lock = fork_safe(threading.RLock())  # a signal handler that runs while it is held may run a session
_graphs = weakref.WeakKeyDictionary()  # graph -> _Growth


class GraphGrowthWarning(UserWarning):
    """A loop adds operations to a graph that a session runs."""


class _Growth:
    """The operations added to one graph between the plans that were compiled for it."""

    __slots__ = ("seen", "rounds")

    def __init__(self, seen):
        self.seen = seen
        self.rounds = {}  # (lines, earlier tensors) -> how often; None after the warning

    def look(self, operations):
        """Counts new operations; returns one of a line that has reached the limit, or None."""
        rounds = self.rounds  # a signal handler's run may end the count meanwhile
        new, last = operations[self.seen :], self.seen
        self.seen = len(operations)
        sources, first = {}, {}
        for op in new:
            frames = op.frames
            first.setdefault(frames, op)
            earlier = sources.setdefault(frames, set())
            for t in op.inputs:
                if t.op._id <= last:
                    earlier.add("itself" if t.op.frames == frames else id(t))
        for frames, earlier in sources.items():
            key = (frames, frozenset(earlier))
            count = rounds[key] = rounds.get(key, 0) + 1
            if count == LIMIT and frames:
                return first[frames]
        return None


def watch(graph):
    """Call before a plan is compiled for a graph."""
    operations = graph.ops
    with _lock:
        growth = _graphs.get(graph)
        if growth is None:
            _graphs[graph] = _Growth(len(operations))
            return
        if growth.rounds is None or len(operations) == growth.seen:
            return
        culprit = growth.look(operations)
        if culprit is None:
            return
        growth.rounds = None
    _warn(culprit, len(operations))


def _warn(op, size):
    file, line, function, _ = op.traceback[-1]
    text = (
        f"line {line} in {function} has added operations to the graph again and again between runs ({LIMIT} times, "
        f"e.g. {op.name!r} of type {op.type}; the graph has {size:,} operations now). Each of these runs compiles a "
        "new plan and the memory is never given back. Make the operations once, before the loop, and feed what "
        "changes; tf.get_default_graph().finalize() finds such lines."
    )
    warnings.warn_explicit(text, GraphGrowthWarning, file, line)
