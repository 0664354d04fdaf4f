"""The operations of functions' bodies, one for each call, which stay from one program of a graph to the next: groups of
operations that are placed together are made of them, and state goes by their names."""

from tfcore.framework import errors, strict

FUNCTIONAL = frozenset(["If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"])
CALLS = FUNCTIONAL | {"PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient"}


def is_call(element):
    """Whether a Node or Operation runs functions."""
    return element.op_def is not None and (element.op_def.is_function or element.type in CALLS)


class _InlinedBodies:
    """The operations of all bodies of a graph's calls, in the order in which they were made."""

    def __init__(self, version):
        self.version = version
        self.made = {}
        self.ops = []
        self.by_name = {}

    def of(self, call, body, prefix, args, shared):
        """dict: operation of the body -> InlinedOperation; `shared`: operations that another call has already."""
        key = (call, body, prefix, *shared.values())
        found = self.made.get(key)
        if found is None:
            from tfcore.framework.function_call import inline_body

            try:
                found = self.made[key] = inline_body(body, args, call, prefix, shared)
            except ValueError as error:
                raise errors.InvalidArgumentError(None, call, f"{error}{location(call)}") from None
            marked = strict.undecided(body.graph)
            for source, op in found.items():
                self.ops.append(op)
                self.by_name[op.name] = op
                if source in marked:
                    strict._mark(op)
        return found


def inlined_bodies(graph):
    """The _InlinedBodies of a graph as it is now."""
    found = graph._inlined_bodies
    if found is None or found.version != graph.mutation_version:
        found = graph._inlined_bodies = _InlinedBodies(graph.mutation_version)
    return found


def location(op):
    where = f" (defined at {op.creation_line})" if op.creation_line else ""
    return f"\n\t [[node {op.name} (op: {op.type}){where}]]"
