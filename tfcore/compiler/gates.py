"""Drops the gates of gradients (ops/gradients/gates.py) whose order has no effect here, and nodes that only feed them.

Only gates: elsewhere a control dependency between pure operations may be a program's way to save memory.
"""

from tfcore.compiler.frames import CONTROL_FLOW, has_control_flow, may_be_dead
from tfcore.compiler.python_functions import PYTHON
from tfcore.compiler.stacks import pushed_values
from tfcore.ops.gradients.gates import IN_LOOP

# Pure, but other nodes may wait for them to fail or to be fed.
_CHECKS = PYTHON.union(["CheckNumerics", "EnsureShape", "Placeholder", "PlaceholderV2"])
VARIABLES = frozenset(["Variable", "VariableV2", "_ResourceVariable"])
_ORDERED_OTHERWISE = ("Stack", "TensorArray")  # by loop counters and flow values


def drop_gates(program):
    """Drops the gates made by `tf.tuple` where all that a gate waits for is waited for anyway.

    Nodes with effects, nodes that use variables and checks keep their order among themselves and with respect to all
    other nodes. Targets of the run keep their control inputs.
    """
    gated = {n for n in program.nodes if n.controls and _is_gated(n)}.difference(program.targets)
    if gated and has_control_flow(program.nodes):  # a gate also makes its output dead if one of its group is
        inside = may_be_dead(program.nodes)
        gated = {n for n in gated if IN_LOOP in n.attrs or not any(c in inside for c in n.controls)}
    if not gated:
        return
    counts = _counts if any(node.may_write() for node in program.nodes) else _counts_without_writers
    pops = pushed_values(program)
    waits = {}
    if pops:  # a popped value was pushed in an earlier loop
        before = _order(program.nodes, {}, counts, waits)
        waits = {pop: before.get(value, 0) for pop, value in pops.items()}
    _order(program.nodes, gated, counts, waits)
    program.prune()


def _order(nodes, gated, counts, waits):
    """Maps each node to the bits of the counted nodes among itself and all that it waits for. Opens the `gated` nodes
    that wait for no other counted ones.

    waits: additional nodes that each node waits for, as bits.
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
    """Whether it forwards its input once the input's group has run."""
    if node.type != "Identity":
        return False
    source = node.inputs[0][0]
    return all(c.type == "NoOp" and source in c.controls for c in node.controls)


def _counts(node):
    return node.type in _CHECKS or not (node.is_pure() or _is_ordered_otherwise(node))


def _is_ordered_otherwise(node):
    return node.type in CONTROL_FLOW and not node.reads_reference() or node.type.startswith(_ORDERED_OTHERWISE)


def _counts_without_writers(node):
    """Like _counts, but for steps without writers: then it does not matter when a variable is read."""
    if node.type in _CHECKS:
        return True
    return node.op_def.stateful and node.type not in VARIABLES and not node.type.startswith(_ORDERED_OTHERWISE)
