"""Gates of gradients (see framework/gates.py), which order nothing that matters here, and what is only computed for them.

Only gates: elsewhere a control dependency between pure operations may be how a program saves memory.
"""

from tfcore.compiler.frames import has_control_flow, may_be_dead

# Pure, and yet somebody may wait for them to fail, or to be fed.
_CHECKS = frozenset(["CheckNumerics", "EnsureShape", "Placeholder", "PlaceholderV2", "PyFuncStateless"])
_VARIABLES = frozenset(["Variable", "VariableV2"])


def drop_gates(program):
    """Opens the gates that `tf.tuple` has made, where all that a gate waits for is waited for anyway.

    What counts are the nodes with effects, those that use variables and those that check something: the order between
    them, and between them and everything else, is as before. Targets of the run keep their control inputs.
    """
    gated = {n for n in program.nodes if n.controls and _is_gated(n)}.difference(program.targets)
    if gated and has_control_flow(program.nodes):  # a gate also hands on that one of its group is dead
        inside = may_be_dead(program.nodes)
        gated = {n for n in gated if not any(c in inside for c in n.controls)}
    if not gated:
        return
    counts = _counts if any(node.may_write() for node in program.nodes) else _counts_without_writers
    before = {}  # node -> bits of the nodes that count among it and all that it waits for
    n_bits = 0
    for node in program.nodes:
        mask = 0
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
    program.prune()


def _is_gated(node):
    """Whether it hands on its input when a group that the input belongs to has run."""
    if node.type != "Identity":
        return False
    source = node.inputs[0][0]
    return all(c.type == "NoOp" and source in c.controls for c in node.controls)


def _counts(node):
    return node.type in _CHECKS or not node.is_pure()


def _counts_without_writers(node):
    """Variables keep their values during the step, so that it does not matter when they are read."""
    return node.type in _CHECKS or node.op_def.stateful and node.type not in _VARIABLES
