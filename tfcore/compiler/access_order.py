"""Orders what a step does to each variable where the program leaves the order open.

Operations that assign to a variable run in the order of their creation, and one that reads it runs before those that
assign to it, unless a path of the graph says otherwise. So a step has one result, whatever the threads and tasks do.

A control edge is enough between two nodes of the same frame. A loop counts as a whole for nodes outside of it: its
Enters wait for a read, and what comes after it waits for its Exits. What may be dead is waited for by a ControlTrigger,
which runs all the same.

Some pairs stay open: two iterations of a loop whose `parallel_iterations` is more than 1; a pair where each order
would close a cycle, as a loop counts as a whole; and a pair whose first node waits for a queue, a Python function or
another task while something after its second node may be what it waits for (`_NewEdges`).
"""

import itertools

from tfcore.compiler.frames import ENTER, EXIT, assign_frames, before, has_control_flow, may_be_dead
from tfcore.compiler.ir import Node, variables_behind
from tfcore.compiler.place import kernel_for
from tfcore.compiler.python_functions import PYTHON
from tfcore.core.registry.kernel import WAITS
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes


def order_accesses(program):
    """Adds the control edges that give a step one result."""
    if not any(node.writes() for node in program.nodes):
        return
    find_frames(program)
    _read_at_home(program)
    _read_before_loops(program)
    accesses = _accesses(program)
    dead = may_be_dead(program.nodes)
    earlier, bits = _earlier_accesses(program, accesses.values())
    wanted = {
        variable: [_whole_loops(program, *pair) for pair in _wanted(mine, earlier, bits)]
        for variable, mine in accesses.items()
    }
    if not any(wanted.values()):
        return
    on_cycles = _on_cycles(program, itertools.chain(*wanted.values()))
    new = _NewEdges(program)
    # Most edges close no cycle and are added at once. The variables of the others follow one by one, in their order.
    later = []
    for variable, edges in wanted.items():
        if any(_meets(edge, on_cycles) for edge in edges):
            later.append(variable)
        else:
            for edge in edges:
                new.add(*edge)
    new.settle(dead)
    for variable in later:
        # What is settled by now may have put its accesses in order, too.
        earlier, bits = _earlier_accesses(program, [accesses[variable]])
        for pair in _wanted(accesses[variable], earlier, bits):
            firsts, seconds = _whole_loops(program, *pair)
            follow = _earlier(program, dict.fromkeys(seconds, 1))
            if not any(follow[node] for node in firsts):
                new.add(firsts, seconds)
                new.settle(dead)


def _meets(edge, nodes):
    return any(node in nodes for side in edge for node in side)


def find_frames(program):
    """Sets the frames of all nodes: None where the program has no control flow."""
    if has_control_flow(program.nodes):
        assign_frames(program)
    else:
        for node in program.nodes:
            node.frame = node.out_frame = None


def unordered_pairs(program):
    """Yields (first, second, variable): two nodes, the first of which should run first. Needs the frames.

    Both use the variable, at least one assigns to it, and neither waits for the other.
    """
    accesses = _accesses(program)
    earlier, bits = _earlier_accesses(program, accesses.values())
    for variable, mine in accesses.items():
        writers = _in_order(mine, earlier, bits)
        readers = [node for node, writes in mine.items() if not writes]
        for pair in [*itertools.combinations(writers, 2), *itertools.product(readers, writers)]:
            first, second = pair
            if not (earlier[second] & bits[first] or earlier[first] & bits[second]):
                yield first, second, variable


def _earlier_accesses(program, accesses):
    """`_earlier` of all nodes, and the bits: one for each node of some `accesses`."""
    nodes = dict.fromkeys(node for mine in accesses for node in mine)
    bits = {node: 1 << i for i, node in enumerate(nodes)}
    return _earlier(program, bits), bits


def _wanted(accesses, earlier, bits):
    """Pairs of nodes that put the accesses to one variable in order, if the first one runs before the second one: each
    assignment before the next one, and a read before the first assignment that it does not follow.
    """
    writers = _in_order(accesses, earlier, bits)
    pairs = list(zip(writers, writers[1:]))
    for node, writes in accesses.items():
        if writes:
            continue
        follows = next((i for i in range(len(writers), 0, -1) if earlier[node] & bits[writers[i - 1]]), 0)
        if follows < len(writers):
            pairs.append((node, writers[follows]))
    return [(first, second) for first, second in pairs if not earlier[second] & bits[first]]


def _in_order(accesses, earlier, bits):
    """The nodes that assign: each after those that it waits for, in the order of their creation where that is open."""
    rest = sorted((node for node, writes in accesses.items() if writes), key=lambda node: node.op._id)
    missing = sum(bits[node] for node in rest)
    found = []
    while rest:
        node = next((node for node in rest if not earlier[node] & missing), rest[0])
        rest.remove(node)
        missing &= ~bits[node]
        found.append(node)
    return found


def _whole_loops(program, first, second):
    """(firsts, seconds): nodes of one frame. If the former run before the latter, then `first` before `second`."""
    if first.frame is second.frame:
        return [first], [second]
    common = first.frame
    while common not in _frames(second.frame):
        common = common.parent
    firsts, seconds = [first], [second]
    if first.frame is not common:
        loop = _loop_inside(common, first.frame)
        firsts = [n for n in program.nodes if n.type in EXIT and n.frame is loop]
    if second.frame is not common:
        loop = _loop_inside(common, second.frame)
        seconds = [n for n in program.nodes if n.type in ENTER and n.out_frame is loop]
    return firsts, seconds


def _on_cycles(program, edges):
    """The nodes on cycles that the edges would close, and those on paths between such cycles."""
    sources = _sources(program)
    for firsts, seconds in edges:
        for node in seconds:
            sources[node] = sources[node] + firsts
    targets = _reversed(sources)
    # Drops what no cycle leads to, then what leads to no cycle.
    for forth, back in ((sources, targets), (targets, sources)):
        missing = {node: len(found) for node, found in forth.items()}
        free = [node for node, count in missing.items() if not count]
        while free:
            node = free.pop()
            for other in back.pop(node):
                if other in missing:
                    missing[other] -= 1
                    if not missing[other]:
                        free.append(other)
            del forth[node]
    return sources.keys()


def _sources(program, of=before):
    """{node: those that run before it, at least}, where all of a loop, which its Frame stands for, runs before its
    Exits.
    """
    sources = {feed: [] for feed in program.feeds}
    for node in program.nodes:
        sources[node] = list(of(node))
        for frame in _frames(node.frame)[:-1]:
            sources.setdefault(frame, [])
            if node.type in EXIT and frame is node.frame:
                sources[node].append(frame)
            else:
                sources[frame].append(node)
    return sources


def _reversed(sources):
    targets = {node: [] for node in sources}
    for node, found in sources.items():
        for source in found:
            targets[source].append(node)
    return targets


class _NewEdges:
    """Control edges to be added. One that might stop a step for ever is left out: its first node waits for an object
    or another task, and what its second node leads to may be what it waits for. No path of the graph shows this.
    """

    def __init__(self, program):
        self._program = program
        self._edges = {}  # node -> those that run before it
        self._after_waiting, self._before_talking = set(), set()
        waiting = {node for node in program.nodes if _may_wait(node)}
        if waiting:
            talking = [node for node in program.nodes if _takes_handle(node) or node in waiting]
            self._sources = _sources(program, lambda node: [n for n, _ in node.inputs] + node.controls)
            self._targets = _reversed(self._sources)
            _spread(self._after_waiting, waiting, self._targets)
            _spread(self._before_talking, talking, self._sources)

    def add(self, firsts, seconds):
        """Lets `seconds` wait for `firsts`."""
        first_waits = not self._after_waiting.isdisjoint(firsts)
        second_talks = not self._before_talking.isdisjoint(seconds)
        if first_waits and second_talks:
            return
        for node in seconds:
            self._edges.setdefault(node, []).extend(firsts)
        if self._after_waiting:
            for node in seconds:
                self._sources[node] += firsts
            for node in firsts:
                self._targets[node] += seconds
            if first_waits:
                _spread(self._after_waiting, seconds, self._targets)
            if second_talks:
                _spread(self._before_talking, firsts, self._sources)

    def settle(self, dead):
        """Adds the edges to the program. dead: the nodes that may be dead."""
        if self._edges:
            _wait(self._edges, dead)
            self._edges = {}
            self._program.prune()  # also puts the nodes in order


def _may_wait(node):
    if node.type in PYTHON:
        return True
    if not (node.op_def.stateful or _takes_handle(node)):
        return False
    try:
        return bool(kernel_for(node).flags & WAITS)
    except errors.OpError:  # reported when its kernel is made
        return False


def _takes_handle(node):
    return any(source.dtypes[index] is dtypes.resource for source, index in node.inputs)


def _spread(found, nodes, following):
    """Adds to the set `found` what is reached from the nodes."""
    todo = [node for node in nodes if node not in found]
    found.update(todo)
    while todo:
        for node in following[todo.pop()]:
            if node not in found:
                found.add(node)
                todo.append(node)


def _wait(waits, dead):
    """Lets nodes wait. waits: {node: those that run before it}, of one frame."""
    for node, firsts in waits.items():
        node.controls = list(dict.fromkeys([*node.controls, *[first for first in firsts if first not in dead]]))
        if uncertain := [first for first in firsts if first in dead]:
            trigger = Node.derived(
                node.op,
                f"{node.name}/after_reads",
                get_op_def("ControlTrigger"),
                node.device,
                {},
                [],
                [],
                [],
                uncertain,
            )
            trigger.frame = trigger.out_frame = node.frame
            node.controls.append(trigger)


def _loop_inside(outer, frame):
    """The frame directly inside of `outer` that has `frame`."""
    while frame.parent is not outer:
        frame = frame.parent
    return frame


def _frames(frame):
    """The frame and those around it."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.parent
    return found


def _read_at_home(program):
    """Adds an Identity beside a variable that is read by nodes of other devices, unless these wait for an assignment or
    are in a loop: then the value is taken when it is sent (`partition.py`).
    """
    if len({node.device for node in program.nodes}) == 1:
        return
    writers = {node for node in program.nodes if node.writes()}
    assigned = set().union(*map(variables_behind, writers))
    earlier, reads = _earlier(program, dict.fromkeys(writers, 1)), {}
    for node in program.nodes:
        if earlier[node] or _frames(node.frame)[1:]:
            continue
        for i, ((source, index), takes) in enumerate(zip(node.inputs, node.takes_references())):
            away = not source.is_feed and source.dtypes[index]._is_ref_dtype and source.device != node.device
            if not away or takes or variables_behind(source).isdisjoint(assigned):
                continue
            if (source, index) not in reads:
                reads[source, index] = _read_of(source, index, source.name)
            node.inputs[i] = (reads[source, index], 0)
    if reads:
        program.prune()


def _read_before_loops(program):
    """Adds an Identity before each Enter that reads a variable: a read is waited for by all Enters of a loop."""
    assigned = set().union(*(variables_behind(node) for node in program.nodes if node.writes()))
    enters = [
        node
        for node in program.nodes
        if node.type in ENTER and node.reads_reference() and not node.takes_references()[0]
    ]
    for node in enters:
        source, index = node.inputs[0]
        if not variables_behind(source).isdisjoint(assigned):
            node.inputs[0] = (_read_of(source, index, node.name), 0)
    if enters:
        program.prune()


def _read_of(source, index, name):
    """An Identity of a variable's value."""
    dtype = source.dtypes[index].base_dtype
    read = Node.derived(
        source.op,
        f"{name}/value",
        get_op_def("Identity"),
        source.device,
        {"T": dtype},
        [(source, index)],
        [dtype],
        [source.dims[index]],
    )
    read.frame = read.out_frame = source.out_frame
    return read


def _accesses(program):
    """For each variable that a node assigns to, if there are several accesses: {node: whether it assigns}."""
    written = {node: variables_behind(node) for node in program.nodes if node.writes()}
    assigned = set().union(*written.values())
    found = {}
    for node in program.nodes:
        for variable in written.get(node, ()):
            found.setdefault(variable, {})[node] = True
        if not node.reads_reference():
            continue
        for (source, index), takes in zip(node.inputs, node.takes_references()):
            if source.is_feed or not source.dtypes[index]._is_ref_dtype:
                continue
            if not takes or node.type == "IsVariableInitialized":
                for variable in variables_behind(source) & assigned:
                    found.setdefault(variable, {}).setdefault(node, False)
    return {variable: mine for variable, mine in found.items() if len(mine) > 1}


def _earlier(program, bits):
    """For each node, the bits of those that it waits for. An Exit counts as waiting for all of its loop."""
    masks, inside = {}, {}  # with their own bits; frame -> those of all nodes in it
    changed = True
    while changed:
        changed = False
        for node in program.nodes:
            mask = bits.get(node, 0) | (inside.get(node.frame, 0) if node.type in EXIT else 0)
            for source in before(node):
                mask |= masks.get(source, 0)
            masks[node] = mask
            if node.frame is None or node.frame.parent is None:
                continue
            for frame in _frames(node.frame)[:-1]:
                if mask & ~inside.get(frame, 0):
                    inside[frame] = inside.get(frame, 0) | mask
                    changed = True
    return {node: mask & ~bits.get(node, 0) for node, mask in masks.items()}
