"""Fused loops: a loop whose iterations one thread can run in a fixed order becomes one node, which runs all of them.

This saves the overhead of the general executor for each value of each iteration (tokens, counters, queues), and lets an
iteration reuse the memory of the previous one. The order within an iteration is fixed here: constants, computed once;
then what the condition needs; then what runs only if the loop continues. Conditionals are allowed inside: their nodes
are guarded by the predicates. So are inner loops that are fused themselves.

Other loops stay as they are: those with kernels that wait, references to variables, sends or receives, and those not
built by while_loop and cond. The results are the same, bit for bit.
"""

from tfcore.compiler.devices import has_own_memory
from tfcore.compiler.frames import ENTER, EXIT, MERGE, NEXT_ITERATION, SWITCH, Frame, assign_frames, before
from tfcore.compiler.ir import Feed, Node
from tfcore.core.registry.kernel import WAITS
from tfcore.framework.definitions.op_def import OpDef

_STAY_OUT = ("Ref", "_Send", "_Recv", "_RunPartition", "CudaFunc", "PyFunc", "EagerPyFunc", "Group")
_LOOP = OpDef(
    "_Loop",
    ["inputs: Tin"],
    ["outputs: Tout"],
    ["Tin: list(type) >= 0", "Tout: list(type) >= 0", "frame_name: string"],
    None,
    True,
    False,
    "A whole loop; its inputs are the initial values of the variables and the loop invariants.",
)


class FusedLoop:
    """A loop for `lower` to turn into a kernel.

    Attributes:
      variables, constants: Feeds that stand for the loop variables and for values from outside.
      nodes: in order: the first `first_cond` run once, those before `first_body` in every iteration, the rest while the
        loop continues.
      pred: whether the loop continues. following: the next values of the variables. exits: which variables leave the
        loop. guards: for some nodes a list of (pair, side): the node runs if each of these values equals its side.
        merges: for each Merge of a conditional (pair, the input to take if that value is true).
    """

    __slots__ = (
        "constants",
        "exits",
        "first_body",
        "first_cond",
        "following",
        "guards",
        "merges",
        "nodes",
        "pred",
        "variables",
    )


class _Given(Feed):
    """A variable or constant of a fused loop."""

    __slots__ = ()

    def __init__(self, enter):
        self.op = enter.op
        self.type = "_Feed"
        self.op_def = None
        self.name = enter.name
        self.device = enter.device
        self.attrs = {}
        self.inputs = []
        self.controls = []
        self.dtypes = list(enter.dtypes)
        self.dims = list(enter.dims)
        self.kernel = None


class _UnfitError(Exception):
    """The loop can't be fused."""


def fuse_loops(program, kernel_of, make_kernel):
    """Fuses all loops that can be fused, from the innermost ones outwards.

    Args:
      kernel_of: function from a node to its kernel. make_kernel: function from a FusedLoop to the kernel of its node.
    """
    unfit = set()
    while True:
        frames = assign_frames(program)
        around = {f.parent for f in frames[1:]}
        leaves = [f for f in frames[1:] if f not in around and f.name not in unfit]
        if not leaves:
            return
        made = _Round(program, frames, kernel_of, make_kernel).form(leaves, unfit)
        if made:
            _put_in_place(program, made)


def _put_in_place(program, made):
    """made: dict from the node of each newly fused loop to the exits it replaces."""
    program.nodes += made  # new nodes may use each other's values
    program.replace(
        values={(n, 0): (loop, k) for loop, exits in made.items() for k, n in enumerate(exits)},
        nodes={n: loop for loop, exits in made.items() for n in exits},
    )
    program.prune()


class _Round:
    """An analysis of the current program, shared by all its loops."""

    def __init__(self, program, frames, kernel_of, make_kernel):
        self.nodes = program.nodes
        self.kernel_of, self.make_kernel = kernel_of, make_kernel
        self.conditions = _Conditions(program.nodes)
        self.members = {f: [] for f in frames}
        self.enters = {f: [] for f in frames}
        for node in program.nodes:
            self.members[node.frame].append(node)
            if node.type in ENTER:
                self.enters[node.out_frame].append(node)
        self.entangled = _entangled(program.nodes)

    def form(self, leaves, unfit):
        """Fuses innermost loops and adds the names of those that can't be fused to `unfit`; see `_put_in_place`.

        Of loops that need each other's values only one is fused; the program is then analysed again.
        """
        made, has_entangled = {}, False
        for frame in leaves:
            if has_entangled and frame in self.entangled:
                continue
            try:
                loop, exits = self._form(frame)
            except _UnfitError:
                unfit.add(frame.name)
                continue
            made[loop] = exits
            has_entangled |= frame in self.entangled
        return made

    def _form(self, frame):
        shape = _Shape(frame, self.members[frame], self.enters[frame], self.conditions)
        for node in shape.inner:
            if has_own_memory(node.device):
                raise _UnfitError(f"{node.name} is not on the CPU")
            if node.type not in MERGE and self.kernel_of(node).flags & WAITS:
                raise _UnfitError(f"{node.name} may wait")
        if frame in self.entangled and _is_entered_late(self.nodes, frame, shape.exits, self.enters[frame]):
            raise _UnfitError("a part of it waits for the result of another part")
        fused = shape.fused()
        entered = [*shape.entered, *shape.fixed]
        dtypes = [n.dtypes[0] for n in shape.exits]
        name = frame.name.encode(errors="replace")
        loop = Node.derived(
            frame.loop_cond.op,
            frame.name,
            _LOOP,
            frame.loop_cond.device,
            {"Tin": [n.dtypes[0] for n in entered], "Tout": dtypes, "frame_name": name},
            [n.inputs[0] for n in entered],
            dtypes,
            [n.dims[0] for n in shape.exits],
            list(dict.fromkeys([c for n in self.enters[frame] for c in n.controls])),
        )
        loop.kernel = self.make_kernel(fused)
        return loop, shape.exits


def _entangled(nodes):
    """The loops on a cycle, when each loop counts as one node that needs all its inputs and produces all its outputs;
    includes some loops between such cycles.
    """
    after, waits = {}, {}
    for node in nodes:
        target = node.out_frame if node.type in ENTER else node
        for source in before(node):
            if source.is_feed or source.type in ENTER:
                continue
            source = source.frame if source.type in EXIT else source
            after.setdefault(source, []).append(target)
            waits.setdefault(target, []).append(source)
    left = _peel(_peel({*after, *waits}, after, waits), waits, after)
    return {x for x in left if isinstance(x, Frame)}


def _peel(vertices, after, waits):
    """The vertices that are on a cycle or after one."""
    counts = {v: sum(s in vertices for s in waits.get(v, ())) for v in vertices}
    todo = [v for v, n in counts.items() if not n]
    for vertex in todo:  # grows meanwhile
        for target in after.get(vertex, ()):
            if target in counts:
                counts[target] -= 1
                if not counts[target]:
                    todo.append(target)
    return vertices.difference(todo)


def _is_entered_late(nodes, frame, exits, enters):
    """Whether an input of a loop depends on one of its outputs in the same iteration of the enclosing loops."""
    after, size = set(exits), 0
    around = set()
    while frame.parent is not None:
        frame = frame.parent
        around.add(frame)
    while size < len(after):  # repeated while loops pass dependence on to earlier nodes
        size = len(after)
        for node in nodes:
            sources = before(node) if node.frame in around else [*[n for n, _ in node.inputs], *node.controls]
            if any(s in after for s in sources):
                after.add(node)
    return any(n in after for n in enters)


class _Conditions:
    """The Switch predicates that decide whether a node of an iteration runs: a tuple of (pair, side) for each node."""

    def __init__(self, nodes):
        self.of_node = {}
        self.entered = {}  # frame -> conditions of its Enters
        for node in nodes:
            self.of_node[node] = self._find(node)

    def of(self, pair):
        node, index = pair
        found = self.of_node.get(node, ())
        return (*found, (_plain(node.inputs[1]), index)) if node.type in SWITCH else found

    def _find(self, node):
        if node.type in ENTER:
            self.entered.setdefault(node.out_frame, []).append(self._union(node))
            return ()
        if node.type in EXIT:
            entered = self.entered[node.frame]
            return entered[0] if same(entered) else ((node, None),)
        if node.type in MERGE:
            return self._merged(node)
        if node.type == "ControlTrigger":
            return ()
        return self._union(node)

    def _union(self, node):
        found = dict.fromkeys([c for pair in node.inputs for c in self.of(pair)])
        found.update(dict.fromkeys([c for n in node.controls for c in self.of_node.get(n, ())]))
        return tuple(found)

    def _merged(self, node):
        """For a Merge of the two ends of a conditional: their common conditions."""
        if any(n.type in NEXT_ITERATION for n, _ in node.inputs):
            return ()
        choice = self.choice(node)
        if choice is None:
            return ((node, None),)  # an unknown condition
        common = [c for c in self.of(node.inputs[0]) if c[0] != choice[0]]
        common += [c for n in node.controls for c in self.of_node.get(n, ())]
        return tuple(dict.fromkeys(common))

    def choice(self, node):
        """(value, input to take if it is true) of a Merge of two ends of a conditional; None for others."""
        if len(node.inputs) != 2:
            return None
        first, second = map(set, map(self.of, node.inputs))
        only_first, only_second = first - second, second - first
        if len(only_first) != 1 or len(only_second) != 1:
            return None
        ((pair, side),), ((other, other_side),) = only_first, only_second
        if pair != other or side is None or {side, other_side} != {0, 1}:
            return None
        return pair, 0 if side else 1


def same(conditions):
    return all(set(c) == set(conditions[0]) for c in conditions)


def _plain(pair):
    """The value behind Identity nodes, by which conditionals are identified."""
    node, _ = pair
    while node.type == "Identity":
        pair = node.inputs[0]
        node, _ = pair
    return pair


class _Shape:
    """The parts of a loop that was built by while_loop."""

    def __init__(self, frame, members, enters, conditions):
        self.frame, self.conditions = frame, conditions
        self.going = frame.loop_cond
        if self.going is None or any(n.type in ENTER or n.type.startswith(_STAY_OUT) for n in members):
            raise _UnfitError("it has no condition, an inner loop that is not fused, or an op that can't be inside")
        if any(n.type.startswith("Ref") for n in enters) or not same(conditions.entered[frame]):
            raise _UnfitError("an input may be dead")
        self.fixed = [n for n in enters if n.attrs["is_constant"]]
        self.entered = [n for n in enters if not n.attrs["is_constant"]]
        self.exits = [n for n in members if n.type in EXIT]
        self.loop_switches = {n for n in members if n.type in SWITCH and _plain(n.inputs[1]) == (self.going, 0)}
        self.merges = {}  # Merge of a variable -> its NextIteration
        self._find_variables(members)
        structure = {*self.exits, *self.merges, *self.merges.values(), self.going}
        self.inner = [n for n in members if n not in structure and n.type not in SWITCH]
        self.given = {}
        self._check(members)

    def _find_variables(self, members):
        merge_of = {}
        for node in members:
            if node.type in MERGE and any(n.type in NEXT_ITERATION for n, _ in node.inputs):
                kinds = sorted(n.type for n, _ in node.inputs)
                if kinds != ["Enter", "NextIteration"] or node.controls:
                    raise _UnfitError("a loop variable of an unknown form")
                (enter,) = [n for n, _ in node.inputs if n.type in ENTER]
                (self.merges[node],) = [n for n, _ in node.inputs if n.type in NEXT_ITERATION]
                merge_of[enter] = node
        if set(merge_of) != set(self.entered) or len(merge_of) != len(self.merges):
            raise _UnfitError("an input is not a loop variable")
        self.order = [merge_of[enter] for enter in self.entered]

    def _check(self, members):
        entered, nexts = set(self.entered), set(self.merges.values())
        for node in members:
            for source, index in node.inputs:
                if (
                    source in entered
                    and node not in self.merges
                    or source in nexts
                    and self.merges.get(node) is not source
                ):
                    raise _UnfitError("a value of one iteration is used without a Merge")
                if (
                    source in self.merges
                    and index
                    or source in self.loop_switches
                    and not index
                    and node.type not in EXIT
                ):
                    raise _UnfitError("something runs after the last iteration")
        for node in self.exits:
            source, index = node.inputs[0]
            if source not in self.loop_switches or index or source.inputs[0][0] not in self.merges or node.controls:
                raise _UnfitError("an output is not a loop variable")
        for node in nexts:
            if set(self.conditions.of_node[node]) != {((self.going, 0), 1)}:
                raise _UnfitError("the next value of a variable may be dead, or never is")
        for node in self.inner:
            if node.type in MERGE and self.conditions.choice(node) is None:
                raise _UnfitError("a Merge that does not end a conditional")
            if any(
                side is None or pair == (self.going, 0) and not side for pair, side in self.conditions.of_node[node]
            ):
                raise _UnfitError("whether a node runs is not known")

    def fused(self):
        fused = FusedLoop()
        fused.variables = [_Given(n) for n in self.entered]
        fused.constants = [_Given(n) for n in self.fixed]
        self.given = dict(zip([*self.order, *self.fixed], [*fused.variables, *fused.constants]))
        phases = self._phases()
        fused.guards, fused.merges = {}, {}
        wiring = {}
        for node in self.inner:
            guards = [(self.value(p), side) for p, side in self.conditions.of_node[node] if p != (self.going, 0)]
            if not phases[node]:
                wiring[node] = [], []  # a constant
                continue
            if guards:
                fused.guards[node] = guards
            if node.type in MERGE:
                pair, taken = self.conditions.choice(node)
                fused.merges[node] = self.value(pair), taken
            # Guards of a node and the predicate of a Merge must be computed first.
            asked = [*guards, *([fused.merges[node]] if node in fused.merges else [])]
            controls = self._controls(node) + [p[0] for p, _ in asked if not p[0].is_feed]
            wiring[node] = [self.value(p) for p in node.inputs], [c for c in dict.fromkeys(controls) if c is not node]
        for node, (inputs, controls) in wiring.items():
            if any(phases[node] < phases.get(s, 0) for s in [*[n for n, _ in inputs], *controls]):
                raise _UnfitError("the condition waits for the body")
        fused.pred = self.value((self.going, 0))
        fused.following = [self.value(self.merges[m].inputs[0]) for m in self.order]
        fused.exits = [self.order.index(n.inputs[0][0].inputs[0][0]) for n in self.exits]
        for node, (inputs, controls) in wiring.items():
            node.inputs, node.controls = inputs, controls
        fused.nodes = [n for phase in range(3) for n in self.inner if phases[n] == phase]
        fused.first_cond = sum(phases[n] == 0 for n in self.inner)
        fused.first_body = sum(phases[n] <= 1 for n in self.inner)
        return fused

    def _phases(self):
        """The phase of each node: 0 runs once, 1 in every iteration, 2 if the loop continues."""
        phases = {}
        going = ((self.going, 0), 1)
        for node in self.inner:
            if node.type == "Const":
                phases[node] = 0
            elif node.type == "ControlTrigger":
                phases[node] = 2 if any(going in self.conditions.of_node.get(n, ()) for n in before(node)) else 1
            else:
                phases[node] = 2 if going in self.conditions.of_node[node] else 1
        return phases

    def value(self, pair):
        """The pair that replaces a value inside the fused loop."""
        node, _ = pair
        while node.type in SWITCH or node is self.going:
            pair = node.inputs[0]
            node, _ = pair
        return (self.given[node], 0) if node in self.given else pair

    def _controls(self, node):
        found, todo, seen = [], list(node.controls), set()
        inner = set(self.inner)
        while todo:
            source = todo.pop()
            if source in seen or source in self.given:
                continue
            seen.add(source)
            if source in inner:
                found.append(source)
            elif source.type in SWITCH or source is self.going:
                todo += [n for n, _ in source.inputs] + source.controls
        return found
