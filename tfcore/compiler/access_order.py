"""Orders what a step does to each variable where the program leaves the order open.

Operations that assign to a variable run in the order of their creation, and one that reads it runs before those that
assign to it, unless a path of the graph says otherwise. So a step has one result, whatever the threads and tasks do.

A control edge is enough between two nodes of the same frame. A loop counts as a whole for nodes outside of it: its
Enters wait for a read, and what comes after it waits for its Exits. What may be dead is waited for by a ControlTrigger,
which runs all the same. Pairs that a cycle would forbid stay as they are; the first one in the program's order wins.
"""

import itertools

from tfcore.compiler.frames import ENTER, EXIT, assign_frames, before, has_control_flow, may_be_dead
from tfcore.compiler.ir import Node, variables_behind
from tfcore.framework.definitions.op_def import get_op_def


def order_accesses(program):
    """Adds the control edges that give a step one result."""
    if not any(node.writes() for node in program.nodes):
        return
    find_frames(program)
    _read_at_home(program)
    dead = may_be_dead(program.nodes)
    waits, apart = {}, []
    for first, second, _ in unordered_pairs(program, settled=True):
        if first.frame is second.frame:
            waits.setdefault(second, []).append(first)
        else:
            apart.append((first, second))
    _wait(waits, dead)
    if waits:
        program.prune()
    for first, second in apart:
        if waits := _whole_loops(program, first, second):
            _wait(waits, dead)
            program.prune()  # also puts the nodes in order for the next pair


def find_frames(program):
    """Sets the frames of all nodes: None where the program has no control flow."""
    if has_control_flow(program.nodes):
        assign_frames(program)
    else:
        for node in program.nodes:
            node.frame = node.out_frame = None


def unordered_pairs(program, settled):
    """Yields (first, second, variable): two nodes, the first of which should run first. Needs the frames.

    Both use the variable, at least one assigns to it, and neither waits for the other. settled: assume that the pairs
    within one frame that were already yielded are put in order.
    """
    accesses = _accesses(program)
    nodes = dict.fromkeys(node for mine in accesses.values() for node in mine)
    bits = {node: 1 << i for i, node in enumerate(nodes)}
    earlier = _earlier(program, bits)
    inner = 0  # those that others wait for
    for mask in earlier.values():
        inner |= mask
    for variable, mine in accesses.items():
        for first, second in _wanted(mine):
            if first is second or earlier[second] & bits[first] or earlier[first] & bits[second]:
                continue
            yield first, second, variable
            if not settled or first.frame is not second.frame:
                continue
            gained = earlier[first] | bits[first]
            earlier[second] |= gained
            if inner & bits[second]:
                for node, mask in earlier.items():
                    if mask & bits[second]:
                        earlier[node] = mask | gained
            inner |= gained


def _wanted(accesses):
    """The order in which the accesses to one variable should run: pairs of nodes. First the assignments: a read that
    follows one of them then also follows those that were created before it.
    """
    writers = sorted((node for node, writes in accesses.items() if writes), key=lambda node: node.op._id)
    readers = [node for node, writes in accesses.items() if not writes]
    yield from itertools.combinations(writers, 2)
    yield from itertools.product(readers, writers)


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


def _whole_loops(program, first, second):
    """What has to wait, as for `_wait`, so that all of the loop that has one of two nodes comes before or after the
    other: {} if that would be a cycle.
    """
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
    earlier = _earlier(program, dict.fromkeys(seconds, 1))
    return {} if any(earlier[node] for node in firsts) else {node: firsts for node in seconds}


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
                dtype = source.dtypes[index].base_dtype
                reads[source, index] = Node.derived(
                    source.op,
                    f"{source.name}/value",
                    get_op_def("Identity"),
                    source.device,
                    {"T": dtype},
                    [(source, index)],
                    [dtype],
                    [source.dims[index]],
                )
                reads[source, index].frame = reads[source, index].out_frame = source.out_frame
            node.inputs[i] = (reads[source, index], 0)
    if reads:
        program.prune()


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
