"""Gates of gradients (see ops/gates.py), which order nothing that matters here, and what is only computed for
them.

Only gates: elsewhere a control dependency between pure operations may be how a program saves memory.
"""

from tfcore.compiler.frames import CONTROL_FLOW, has_control_flow, may_be_dead
from tfcore.compiler.stacks import pushed_values
from tfcore.ops.gates import IN_LOOP

# Pure, and yet somebody may wait for them to fail, or to be fed.
_CHECKS = frozenset(["CheckNumerics", "EnsureShape", "Placeholder", "PlaceholderV2", "PyFuncStateless"])
_VARIABLES = frozenset(["Variable", "VariableV2"])
_ORDERED_OTHERWISE = ("Stack", "TensorArray")  # by the counters of loops, and by flow


def drop_gates(program):
    """Opens the gates that `tf.tuple` has made, where all that a gate waits for is waited for anyway.

    What counts are the nodes with effects, those that use variables and those that check something: the order between
    them, and between them and everything else, is as before. Targets of the run keep their control inputs.
    """
    gated = {n for n in program.nodes if n.controls and _is_gated(n)}.difference(program.targets)
    if gated and has_control_flow(program.nodes):  # a gate also hands on that one of its group is dead
        inside = may_be_dead(program.nodes)
        gated = {n for n in gated if IN_LOOP in n.attrs or not any(c in inside for c in n.controls)}
    if not gated:
        return
    counts = _counts if any(node.may_write() for node in program.nodes) else _counts_without_writers
    pops = pushed_values(program)
    waits = {}
    if pops:  # a value that was popped has been pushed, in a loop before
        before = _order(program.nodes, {}, counts, waits)
        waits = {pop: before.get(value, 0) for pop, value in pops.items()}
    _order(program.nodes, gated, counts, waits)
    program.prune()


def _order(nodes, gated, counts, waits):
    """Maps each node to bits of those that count among it and all that it waits for; opens the `gated` ones that wait
    for nothing else.

    waits: what more nodes wait for, as bits.
    """
    before = {}
    n_bits = 0
    for node in nodes:
        mask = waits.get(node, 0)
        for source, _ in node.inputs:
            mask |= before.get(source, 0)
        if node in gated:
            node.controls = [c for c in node.controls if before[c] & ~mask]
        for control in node.controls:
            mask |= before[control]
        if counts(node):
            mask |= 1 << n_bits
            n_bits += 1
        before[node] = mask
    return before


def _is_gated(node):
    """Whether it hands on its input when a group that the input belongs to has run."""
    if node.type != "Identity":
        return False
    source = node.inputs[0][0]
    return all(c.type == "NoOp" and source in c.controls for c in node.controls)


def _counts(node):
    return node.type in _CHECKS or not (node.is_pure() or _is_ordered_otherwise(node))


def _is_ordered_otherwise(node):
    return node.type in CONTROL_FLOW and not node.reads_reference() or node.type.startswith(_ORDERED_OTHERWISE)


def _counts_without_writers(node):
    """Variables keep their values during the step, so that it does not matter when they are read."""
    if node.type in _CHECKS:
        return True
    return node.op_def.stateful and node.type not in _VARIABLES and not node.type.startswith(_ORDERED_OTHERWISE)
