"""Makes reads of variables in graphs that TensorFlow wrote see the updates before them.

In such a graph a variable behind a reference has one read, `v/read`, whose value is the variable's own memory. What
uses it after an update sees the new value: constraints and moving averages depend on that. In tfcore a read is a
snapshot. So each of those users gets a read of its own, which waits for the update.
"""

import collections

from tfcore.framework import proto
from tfcore.framework.op_def import _REGISTRY

_VARIABLES = ("Variable", "VariableV2")


def with_late_reads(graph_def):
    """Gives a read of its own to each operation that uses a variable's read after an update of the variable.

    Args:
      graph_def: A GraphDef. It is not changed.

    Returns:
      A GraphDef; the same if there is nothing to do.
    """
    nodes = {node.name: node for node in graph_def.node}
    users = collections.defaultdict(list)
    for node in graph_def.node:
        for text in node.input:
            users[_node_of(text)].append(node)
    late = {}  # {name of a user: {name of a read: what it waits for}}
    for node in graph_def.node:
        read = nodes.get(node.name + "/read") if node.op in _VARIABLES else None
        if read is None or read.op != "Identity" or [_node_of(text) for text in read.input] != [node.name]:
            continue
        after = _after_updates(node.name, users)
        for user in {user.name: user for user in users[read.name]}.values():
            waits_for = sorted({_node_of(text) for text in user.input} & after)
            if waits_for and read.name in _values_of(user):
                late.setdefault(user.name, {})[read.name] = waits_for
    return _rewritten(graph_def, nodes, late) if late else graph_def


def _after_updates(variable, users):
    """Names of the operations that may change a variable, and of all that come after them."""
    found, todo = set(), [variable]
    while todo:
        name = todo.pop()
        for user in users[name]:
            if user.name not in found and (name in found or _may_write(user)):
                found.add(user.name)
                todo.append(user.name)
    return found


def _may_write(node):
    op_def = _REGISTRY.get(node.op)
    return op_def is not None and node.op != "IsVariableInitialized" and any(arg.is_ref for arg in op_def.inputs)


def _rewritten(graph_def, nodes, late):
    result = proto.GraphDef()
    result.CopyFrom(graph_def)
    names = set(nodes)
    for user in result.node[:]:
        for read, waits_for in late.get(user.name, {}).items():
            new = result.node.add()
            new.CopyFrom(nodes[read])
            new.name = _unused(f"{user.name}/{read.rpartition('/')[0].rpartition('/')[2]}/read", names)
            new.input.extend([f"^{name}" for name in waits_for])
            user.input[:] = [new.name if text in (read, read + ":0") else text for text in user.input]
    return result


def _unused(name, names):
    number, base = 0, name
    while name in names:
        number += 1
        name = f"{base}_{number}"
    names.add(name)
    return name


def _node_of(text):
    return text.lstrip("^").partition(":")[0]


def _values_of(node):
    """Names of the operations whose outputs a node takes."""
    return {_node_of(text) for text in node.input if not text.startswith("^")}
