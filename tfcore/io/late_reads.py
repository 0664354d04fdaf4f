"""Makes reads of variables in graphs that TensorFlow wrote see the updates before them.

In such a graph a variable behind a reference has one read, `v/read`, whose value is the variable's own memory. What
uses it after an update sees the new value: constraints and moving averages depend on that. In tfcore a read is a
snapshot. So each of those users gets a read of its own, which waits for the update.
"""

import collections

from tfcore.framework import protos
from tfcore.framework.definitions.op_def import REGISTRY
from tfcore.framework.exchange.graph_def import node_of, unused_name

_VARIABLES = ("Variable", "VariableV2")
_MERGES = ("Merge", "RefMerge")  # they wait for one of their inputs alone


def with_late_reads(graph_def, mapped=()):
    """Gives a read of its own to each operation that uses a variable's read after an update of the variable.

    Args:
      graph_def: A GraphDef. It is not changed.
      mapped: Names of inputs in whose place the importer puts others; see `tf.import_graph_def`.

    Returns:
      A GraphDef; the same if there is nothing to do.
    """
    nodes = {node.name: node for node in graph_def.node}
    reads = {}  # {name of a variable: name of its read}
    for node in graph_def.node:
        read = nodes.get(node.name + "/read") if node.op in _VARIABLES else None
        if read is not None and read.op == "Identity" and [node_of(text) for text in read.input] == [node.name]:
            reads[node.name] = read.name
    if not reads:
        return graph_def
    mapped = {_plain(name.decode() if isinstance(name, bytes) else str(name)) for name in mapped}
    users = collections.defaultdict(list)
    for node in graph_def.node:
        for text in node.input:
            if _plain(text) not in mapped:
                users[node_of(text)].append(node)
    after = _after_updates(reads, users)
    late = {}  # {name of a user: {name of a read: what it waits for}}
    for number, read in enumerate(reads.values()):
        for user in {user.name: user for user in users[read]}.values():
            values, waits_for = _inputs_of(user, mapped)
            updates = sorted(name for name in waits_for if after.get(name, 0) >> number & 1)
            if updates and read in values:
                late.setdefault(user.name, {})[read] = updates
    return _rewritten(graph_def, nodes, late) if late else graph_def


def _after_updates(variables, users):
    """By name: the operations that may change variables, and all that come after them.

    The values are sets of variables: bit i is for the i-th. So graphs are walked once, not once for each variable.
    """
    after, todo = collections.defaultdict(int), collections.OrderedDict()  # `todo` is a queue
    for number, variable in enumerate(variables):
        for user in users[variable]:
            if _may_write(user):
                after[user.name] |= 1 << number
                todo[user.name] = None
    while todo:
        name, _ = todo.popitem(last=False)
        for user in users[name]:
            if after[name] & ~after[user.name]:
                after[user.name] |= after[name]
                todo[user.name] = None
    return after


def _may_write(node):
    op_def = REGISTRY.get(node.op)
    return op_def is not None and node.op != "IsVariableInitialized" and any(arg.is_ref for arg in op_def.inputs)


def _rewritten(graph_def, nodes, late):
    result = protos.GraphDef()
    result.CopyFrom(graph_def)
    names = set(nodes)
    for user in result.node[:]:
        for read, waits_for in late.get(user.name, {}).items():
            new = result.node.add()
            new.CopyFrom(nodes[read])
            new.name = unused_name(f"{user.name}/{read.rpartition('/')[0].rpartition('/')[2]}/read", names)
            new.input.extend([f"^{name}" for name in waits_for])
            user.input[:] = [new.name if text in (read, read + ":0") else text for text in user.input]
    return result


def _plain(text):
    return text.removesuffix(":0")


def _inputs_of(node, mapped):
    """Names of the operations whose outputs a node takes, and of those that it waits for."""
    inputs = [text for text in node.input if _plain(text) not in mapped]
    values = {node_of(text) for text in inputs if not text.startswith("^")}
    controls = {node_of(text) for text in inputs if text.startswith("^")}
    return values, controls if node.op in _MERGES else values | controls
