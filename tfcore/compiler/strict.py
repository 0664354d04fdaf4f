"""Strict broadcasting: adds a check before operations whose static shapes don't decide whether they broadcast."""

from tfcore.compiler.ir import Node
from tfcore.framework.definitions import strict
from tfcore.framework.definitions.op_def import get_op_def

_CHECK = "_CheckBroadcast"


def guard_broadcasts(program):
    """Adds a checking node as a control input of each marked node."""
    marked = strict.undecided(program.nodes[0].op.graph) if program.nodes else ()
    if not marked:
        return
    nodes = []
    for node in program.nodes:
        if node.op in marked:
            check = _check_of(node)
            nodes.append(check)
            node.controls = [*node.controls, check]
        nodes.append(node)
    program.nodes = nodes


def _check_of(node):
    """The check of a node. It has the name of the operation that it guards, so that errors name that operation."""
    types = [source.dtypes[index].base_dtype for source, index in node.inputs[:2]]
    attrs = dict(zip(("Tx", "Ty"), types))
    return Node.derived(node.op, node.name, get_op_def(_CHECK), node.device, attrs, node.inputs[:2], [], [])
