"""The stacks in which loops save values for their gradients: replaces those of TensorFlow 1.0 by StackV2, and drops
pushes that are never popped.

Gradient functions compute a gradient for every input of an operation, even an unused one, and save what they need from
the forward loop. The loop counter waits for each push, so pruning alone would keep the pushes.
"""

import numpy as np

from tfcore.compiler.ir import Node
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.types import dtypes

_OLD = frozenset(["StackPush", "StackPop", "StackClose"])


def modernize_stacks(program):
    """Replaces each Stack, whose handle is a reference to names, and its users by StackV2 ops."""
    todo = [n for n in program.nodes if n.type == "Stack"]
    if not todo:
        return
    consumers = program.consumers()
    for node in todo:
        no_limit = Node.derived(
            node.op,
            f"{node.name}/max_size",
            get_op_def("Const"),
            node.device,
            {"value": np.array(-1, np.int32), "dtype": dtypes.int32},
            [],
            [dtypes.int32],
            [()],
            node.controls,
        )
        _become(node, "StackV2", [dtypes.resource])
        node.inputs = [(no_limit, 0)]
    seen = set(todo)
    while todo:
        source = todo.pop()
        users = [n for i in range(len(source.dtypes)) for n in consumers.get((source, i), ()) if n is not None]
        for node in users:
            if node in seen:
                continue
            seen.add(node)
            if node.type in _OLD:
                _become(node, node.type + "V2", node.dtypes)
            elif node.type.startswith("Ref") and node.type[3:] in HANDS_ON:
                handles = [dtypes.resource if t._is_ref_dtype else t for t in node.dtypes]
                node.attrs = {**node.attrs, "T": dtypes.resource}
                _become(node, node.type[3:], handles)
                todo.append(node)
    program.prune()


def _become(node, op_type, out):
    node.type, node.op_def, node.dtypes = op_type, get_op_def(op_type), out


def drop_unread_stacks(program):
    """Drops the pushes of stacks without a used popped value, and what is computed only for them."""
    while _drop_some(program):
        pass


def _drop_some(program):
    stacks = [n for n in program.nodes if n.type == "StackV2"]
    if not stacks:
        return False
    consumers = program.consumers()
    wanted = {None}.union((n for n, _ in program.fetches), program.targets)
    unread = {user for node in stacks for user in _unread(node, consumers, wanted)}
    if not unread:
        return False
    for node in program.nodes:
        if node.type == "ControlTrigger" and unread.issuperset(node.controls) and node not in wanted:
            unread.add(node)
    for node in program.nodes:
        if node.controls:
            node.controls = [c for c in node.controls if c not in unread]
    program.replace(values={(n, 0): n.inputs[1] for n in unread if n.type == "StackPushV2"})
    program.prune()
    return True


def _unread(stack, consumers, wanted):
    """The pushes and pops of a stack; none if a popped value is used."""
    users = _users(stack, consumers)
    if not wanted.isdisjoint(users):
        return []
    for node in users:
        if node.type != "StackPushV2" and (node.type != "StackPopV2" or (node, 0) in consumers):
            return []
    return users


def _users(stack, consumers):
    """The nodes that use its handle, None for a fetch, without those that only forward it."""
    users, seen, todo = [], {stack}, [stack]
    while todo:
        source = todo.pop()
        for i in range(len(source.dtypes)):
            for node in consumers.get((source, i), ()):
                if node in seen:
                    continue
                seen.add(node)
                if node is not None and node.type in HANDS_ON:
                    todo.append(node)
                else:
                    users.append(node)
    return users


def pushed_values(program):
    """For stacks with one push, maps each pop to the node whose value is pushed."""
    found, consumers = {}, None
    for stack in program.nodes:
        if stack.type == "StackV2":
            consumers = consumers or program.consumers()
            users = _users(stack, consumers)
            pushes = [n for n in users if n is not None and n.type == "StackPushV2"]
            if len(pushes) == 1:
                found.update((n, pushes[0].inputs[1][0]) for n in users if n is not None and n.type == "StackPopV2")
    return found
