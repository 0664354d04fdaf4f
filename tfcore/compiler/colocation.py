"""Colocation groups: which operations of a graph must share a device, and their combined device request.

Operations of one colocation class (`loc:@name` in `_class`; every operation belongs to the class of its own name) form
a group. An operation that takes a reference or a handle joins the group of the variable or object. Groups are those of
the whole graph, not of the part that one run needs: a variable must not be in two places. Conflicting device names
within a group are an error, except that a variable's device overrides those of operations that use its reference. Soft
placement also ignores conflicting device types and indices.
"""

from tfcore.compiler.inlined_bodies import inlined_bodies
from tfcore.compiler.ir import takes_references
from tfcore.compiler.legacy_tensor_arrays import handle_edges
from tfcore.framework import errors
from tfcore.framework.device import parse
from tfcore.framework.types import dtypes

_PARTS = ("jobs", "replicas", "tasks", "types", "ids")
_ANYWHERE = (None,) * 5
_LISTED = 20  # members of a group that an error lists


class ColocationGroups:
    """The colocation groups of one graph; a single operation belongs to none."""

    def __init__(self, graph, soft):
        self.graph = graph
        self.soft = soft
        self.version = graph.mutation_version
        self.seen = self.seen_in_bodies = 0
        self.parent = {}  # union-find over operations
        self.members = {}  # root -> operations, in creation order
        self.merged = {}  # root -> parts
        self.strangers = {}  # class of an operation that the graph lacks -> its first member

    def update(self):
        """Adds new operations."""
        ops = self.graph.ops
        count = len(ops)
        bodies = inlined_bodies(self.graph)
        for op in (*ops[self.seen : count], *bodies.ops[self.seen_in_bodies :]):
            for group in op.attrs.get("_class") or ():
                if group[:5] == b"loc:@":
                    name = group[5:].decode()
                    named = self.graph._nodes_by_name.get(name) or bodies.by_name.get(name)
                    self._join(op, named or self.strangers.setdefault(group, op))
            if _takes_references(op):
                for source in _references(op):
                    self._join(source, op)
            for maker, taker in handle_edges(op):
                self._join(maker, taker)
        self.seen = count
        self.seen_in_bodies = len(bodies.ops)

    def _join(self, a, b):
        if a is b:
            return
        a, b = self.root(a), self.root(b)
        if a is b:
            return
        if len(self.members.get(a, ())) < len(self.members.get(b, ())):
            a, b = b, a
        self.parent[b] = a
        self.members[a] = [*self.members.pop(a, (a,)), *self.members.pop(b, (b,))]
        self.merged.pop(a, None)
        self.merged.pop(b, None)

    def root(self, op):
        """The operation that represents the group of `op`."""
        parent = self.parent
        while True:
            up = parent.get(op)
            if up is None:
                return op
            above = parent.get(up)
            if above is None:
                return up
            parent[op] = op = above

    def of(self, op):
        """All members of the group of `op`, in creation order."""
        return sorted(self.members.get(self.root(op), (op,)), key=lambda o: o._id)

    def parts(self, op):
        """The combined device request (job, replica, task, type, index) of the group of `op`.

        Raises:
          InvalidArgumentError: members conflict.
        """
        root = self.root(op)
        if root not in self.members:
            return parse(op.device)
        found = self.merged.get(root)
        if found is None:
            found = self.merged[root] = self._merge(self.of(root))
        return found

    def _merge(self, members):
        merged, stated_by = _ANYWHERE, [None] * 5
        for op in sorted(members, key=_takes_references):  # variables first
            if not op.device:
                continue
            wanted = parse(op.device)
            clash = next((i for i, (a, b) in enumerate(zip(merged, wanted)) if None not in (a, b) and a != b), 5)
            if clash < 5 and not (self.soft and clash > 2):
                if _takes_references(op) or self._goes_with_a_user(op):
                    continue
                raise self._conflict(op, stated_by[clash], clash, members)
            stated_by = [s or (op if w is not None else None) for s, w in zip(stated_by, wanted)]
            both = [w if m is None else m for m, w in zip(merged, wanted)]
            merged = tuple([*both[:clash], *[None] * (5 - clash)])
        return merged

    def _goes_with_a_user(self, op):
        """Whether it takes its device from a colocated operation that takes a reference or handle."""
        names = [group[5:].decode() for group in op.attrs.get("_class") or () if group[:5] == b"loc:@"]
        others = [self.graph._nodes_by_name.get(name) for name in names]
        return any(o and o is not op and o.device == op.device and _takes_references(o) for o in others)

    def _conflict(self, op, other, clash, members):
        text = (
            f"Cannot colocate nodes {{{{colocation_node {op.name}}}}} and {{{{colocation_node {other.name}}}}}: "
            f"Cannot merge devices with incompatible {_PARTS[clash]}: '{other.device}' and '{op.device}'"
        )
        return errors.InvalidArgumentError(None, op, f"{text}{listing(members)}{errors.location(op)}")


def _references(op):
    """The operations that make the references or handles that `op` takes."""
    flags = takes_references(op.op_def, op.attrs)
    return [t.op for t, is_ref in zip(op.inputs, flags) if is_ref or t.dtype is dtypes.resource]


def _takes_references(op):
    return any(arg.is_ref for arg in op.op_def.inputs) or any(t.dtype is dtypes.resource for t in op.inputs)


def listing(members):
    """The members of a group with devices and lines, for error texts."""
    lines = ["\nColocation Debug Info:\nColocation group had the following nodes and devices:"]
    stated = [op for op in members if op.device] or members
    for op in stated[:_LISTED]:
        where = f" (defined at {op.creation_line})" if op.creation_line else ""
        lines.append(f"\n  {op.name} ({op.type}) {op.device or '<no device>'}{where}")
    if len(members) > len(stated[:_LISTED]):
        lines.append(f"\n  and {len(members) - len(stated[:_LISTED])} more")
    return "".join(lines)
