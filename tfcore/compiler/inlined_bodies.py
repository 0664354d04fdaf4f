"""The operations of inlined function bodies: one for each operation of a called function, per call.

They persist from one program of a graph to the next: colocation groups contain them, and state is found by their names.
"""

from tfcore.framework import errors
from tfcore.framework.definitions import strict

FUNCTIONAL = frozenset(["If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"])
CALLS = FUNCTIONAL | {"PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient"}


def is_call(element):
    """Whether a Node or Operation calls functions."""
    return element.op_def is not None and (element.op_def.is_function or element.type in CALLS)


class _InlinedBodies:
    """The operations of all inlined bodies of a graph, in creation order."""

    def __init__(self, version):
        self.version = version
        self.made = {}
        self.ops = []
        self.by_name = {}

    def of(self, call, body, prefix, args, shared):
        """dict from operations of the body to InlinedOperations. shared: operations that another call provides."""
        key = (call, body, prefix, *shared.values())
        found = self.made.get(key)
        if found is None:
            from tfcore.framework.functions.function_call import inline_body

            try:
                found = self.made[key] = inline_body(body, args, call, prefix, shared)
            except ValueError as error:
                raise errors.InvalidArgumentError(None, call, f"{error}{errors.location(call)}") from None
            marked = strict.undecided(body.graph)
            for source, op in found.items():
                self.ops.append(op)
                self.by_name[op.name] = op
                if source in marked:
                    strict.mark(op)
        return found


def inlined_bodies(graph):
    """The _InlinedBodies of a graph as it is now."""
    found = graph.inlined_bodies
    if found is None or found.version != graph.mutation_version:
        found = graph.inlined_bodies = _InlinedBodies(graph.mutation_version)
    return found
