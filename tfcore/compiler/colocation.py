"""Which operations of a graph have to be on one device, and what their programs' device names say together.

Operations that share a colocation class (`loc:@name` in `_class`, an operation being of its own class) form a group, and who
takes a reference or a handle belongs to where the variable or object is. Groups are those of the whole graph, not of the part that one run needs: a
variable must not be in two places. Where the names of a group contradict each other, that is an error, except that
a variable's device outweighs what users of its reference ask for; soft placement lets contradicting types and indices go.
"""

from tfcore.compiler.inlined_bodies import inlined_bodies
from tfcore.compiler.ir import takes_references
from tfcore.framework import dtypes, errors
from tfcore.framework.device import parse

_PARTS = ("jobs", "replicas", "tasks", "types", "ids")
_ANYWHERE = (None,) * 5
_LISTED = 20  # members of a group that an error names


class ColocationGroups:
    """The groups of one graph; operations that are alone are in none."""

    def __init__(self, graph, soft):
        self.graph = graph
        self.soft = soft
        self.version = graph.mutation_version
        self.seen = self.seen_in_bodies = 0
        self.parent = {}  # union-find over operations
        self.members = {}  # root -> operations, in order of their making
        self.merged = {}  # root -> parts
        self.strangers = {}  # class named after an operation that the graph lacks -> the first that is of it

    def update(self):
        """Enters operations that are new."""
        ops = self.graph._ops
        count = len(ops)
        bodies = inlined_bodies(self.graph)
        for op in (*ops[self.seen : count], *bodies.ops[self.seen_in_bodies :]):
            for group in op._attrs.get("_class") or ():
                if group[:5] == b"loc:@":
                    name = group[5:].decode()
                    named = self.graph._by_name.get(name) or bodies.by_name.get(name)
                    self._join(op, named or self.strangers.setdefault(group, op))
            if _takes_references(op):
                for source in _references(op):
                    self._join(source, op)
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
        """The operation that stands for the group of `op`."""
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
        """All members of the group of `op`, in the order in which they were made."""
        return sorted(self.members.get(self.root(op), (op,)), key=lambda o: o._id)

    def parts(self, op):
        """The parts (job, replica, task, type, index) that the group of `op` asks for together.

        Raises:
          InvalidArgumentError: members contradict each other.
        """
        root = self.root(op)
        if root not in self.members:
            return parse(op._device)
        found = self.merged.get(root)
        if found is None:
            found = self.merged[root] = self._merge(self.of(root))
        return found

    def _merge(self, members):
        merged, stated_by = _ANYWHERE, [None] * 5
        for op in sorted(members, key=_takes_references):  # variables first
            if not op._device:
                continue
            wanted = parse(op._device)
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
        """Whether its device is that of an operation which takes a reference or handle, with which it was colocated."""
        names = [group[5:].decode() for group in op._attrs.get("_class") or () if group[:5] == b"loc:@"]
        others = [self.graph._by_name.get(name) for name in names]
        return any(o and o is not op and o._device == op._device and _takes_references(o) for o in others)

    def _conflict(self, op, other, clash, members):
        text = (
            f"Cannot colocate nodes {{{{colocation_node {op.name}}}}} and {{{{colocation_node {other.name}}}}}: "
            f"Cannot merge devices with incompatible {_PARTS[clash]}: '{other._device}' and '{op._device}'"
        )
        return errors.InvalidArgumentError(None, op, f"{text}{listing(members)}{location(op)}")


def _references(op):
    """The operations whose references or handles `op` takes."""
    flags = takes_references(op.op_def, op._attrs)
    return [t.op for t, is_ref in zip(op.inputs, flags) if is_ref or t.dtype is dtypes.resource]


def _takes_references(op):
    return any(arg.is_ref for arg in op.op_def.inputs) or any(t.dtype is dtypes.resource for t in op.inputs)


def listing(members):
    """The members of a group with devices and lines, for errors."""
    lines = ["\nColocation Debug Info:\nColocation group had the following nodes and devices:"]
    stated = [op for op in members if op._device] or members
    for op in stated[:_LISTED]:
        where = f" (defined at {op.creation_line})" if op.creation_line else ""
        lines.append(f"\n  {op.name} ({op.type}) {op._device or '<no device>'}{where}")
    if len(members) > len(stated[:_LISTED]):
        lines.append(f"\n  and {len(members) - len(stated[:_LISTED])} more")
    return "".join(lines)


def location(op):
    where = f" (defined at {op.creation_line})" if op.creation_line else ""
    return f"\n\t [[node {op.name} (op: {op.type}){where}]]"
