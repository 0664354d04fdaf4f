"""Evaluates the part of a graph that does not depend on the inputs of a model."""

import numpy as np

from tfcore.client.session import Session
from tfcore.framework import errors
from tfcore.framework.exchange.graph_def import fill_node, without_nodes
from tfcore.framework.exchange.importer import import_graph_def
from tfcore.framework.functions.function_call import callee, find_function, inline_body
from tfcore.framework.graph.graph import Graph
from tfcore.framework.types import dtypes
from tfcore.ops.state.resource_variable import ReadVariableOp

_HOLDERS = {"Variable", "VariableV2", "VarHandleOp"}
# Operations with state whose value is that of the session when the graph is exported.
_READS = {
    "ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "IsVariableInitialized",
    "VarIsInitializedOp",
}  # fmt: skip
_CONTROL_FLOW = {"Enter", "Exit", "NextIteration", "Switch", "Merge", "LoopCond"}


def error_of(op, calls=()):
    """The error unless the value of an operation is a constant, else None. `calls` are functions that it is in."""
    if op.type in ("Placeholder", "PlaceholderV2"):
        return ValueError(f"The outputs depend on the placeholder '{op.name}', which is not among the inputs.")
    if op.type in _HOLDERS | _READS:
        return None
    if callee(op) is not None:  # a call runs all that has state in the function
        inside = (error_of(inner, (*calls, callee(op).name)) for inner in _called(op, calls) if inner.type != "Assert")
        return next((error for error in inside if error is not None), None)
    changes = any(arg.is_ref for arg in op.op_def.inputs) and op.type.removeprefix("Ref") == op.type
    if op.op_def.stateful or changes:
        return errors.UnimplementedError(
            None, op, f"Operation '{op.name}' of type {op.type} has state or is random, so it is not a constant."
        )
    return None


def _called(op, calls):
    """Copies of the operations of the function that an operation calls; none if it is one of `calls`."""
    function = callee(op)
    if function is None or function.name in calls:
        return []
    body = find_function(op, function.name).body(function.attrs)
    return list(inline_body(body, op.inputs, op, op.name + "/").values())


def _reads_variables(op, calls=()):
    """Whether an operation holds or reads a variable, or a function that it calls does."""
    if op.type in _HOLDERS | _READS:
        return True
    return any(_reads_variables(inner, (*calls, callee(op).name)) for inner in _called(op, calls))


def evaluate(session, ops, tensors):
    """{tensor: array} of tensors that the constant operations `ops`, in the order of execution, compute.

    Of handles it is the value of the variable. Nothing that only control inputs reach runs, as that may change
    variables, or need inputs of the model.

    Raises:
      tf.errors.UnimplementedError: a value cannot be had without what control inputs reach, or nothing reads a handle.
      tf.errors.FailedPreconditionError: a variable is not initialized.
    """
    handles = {t: _read_of(t) for t in tensors if t.dtype.base_dtype == dtypes.resource}
    plain = [t for t in tensors if t not in handles]
    if _bad_control(ops) is None:
        fetches = {**{t: t for t in plain}, **handles}
        values = session.run(list(fetches.values())) if fetches else []
        return dict(zip(fetches, map(np.asarray, values)))
    _check_control_flow(ops)
    sources = {}  # tensor of the constant part that has state -> what gives its value in the session
    for op in ops:
        if op.type == "ReadVariableOp":
            sources[op.outputs[0]] = _read_of(op.inputs[0])
        elif _reads_variables(op):
            sources.update((t, handles.get(t, t)) for t in op.outputs)
    sources = {t: fetch for t, fetch in sources.items() if t in handles or t.dtype.base_dtype != dtypes.resource}
    for fetch in sources.values():
        if (reached := _bad_control([fetch.op])) is not None:
            raise errors.UnimplementedError(
                None,
                fetch.op,
                f"Operation '{fetch.op.name}' of type {fetch.op.type} runs after '{reached.name}', which is not "
                "part of the model.",
            )
    values = dict(zip(sources, map(np.asarray, session.run(list(sources.values())) if sources else [])))
    computed = [t for t in plain if t not in values]
    return {**values, **_run_without_controls(session.graph, ops, values, computed)}


def _read_of(handle):
    """A tensor with the value of the variable behind a handle, that waits for nothing."""
    for op in handle.consumers():
        if op.type == "ReadVariableOp" and not op.control_inputs:
            return op.outputs[0]
    holder = handle.op
    while holder.type == "Identity":
        holder = holder.inputs[0].op
    graph = holder.graph
    if holder.type != "VarHandleOp" or graph.finalized:
        raise errors.UnimplementedError(
            None, handle.op, f"No operation of the graph reads the variable '{handle.op.name}' without a control input."
        )
    with graph.as_default(), graph.control_dependencies(None), graph.device(holder.device or None):
        return ReadVariableOp(handle, dtype=holder.attrs["dtype"], name=f"{holder.name}/read_for_export/")


def _bad_control(ops):
    """An operation without a constant value that control inputs of operations, or of what they need, reach; or None."""
    seen, todo = set(ops), list(ops)
    while todo:
        for other in (current := todo.pop()).control_inputs + [t.op for t in current.inputs]:
            if other not in seen:
                if other.type != "Assert" and error_of(other) is not None:
                    return other
                seen.add(other)
                todo.append(other)
    return None


def _check_control_flow(ops):
    """Control inputs are a part of conditionals and loops, so that they cannot be left out there."""
    for op in ops:
        if op.type.removeprefix("Ref") in _CONTROL_FLOW:
            reached = _bad_control(ops)
            raise errors.UnimplementedError(
                None,
                op,
                f"Operation '{op.name}' of type {op.type} is evaluated when the graph is exported, but a control input "
                f"makes '{reached.name}' run too.",
            )


def _run_without_controls(graph, ops, values, tensors):
    """Values of tensors, computed by a copy of operations with some outputs known."""
    known = {t.op for t in values}
    graph_def = without_nodes(graph)
    for op in ops:
        if op not in known and op.type not in _HOLDERS:
            node = fill_node(op, graph_def.node.add())
            data = [text for text in node.input if not text.startswith("^")]
            del node.input[:]
            node.input.extend(data)
            node.attr.pop("_class", None)
            node.device = ""
    with Graph().as_default() as copy, Session(graph=copy) as session:
        used = {t for op in ops if op not in known for t in op.inputs}
        given = {t.name: value for t, value in values.items() if t in used}
        found = import_graph_def(graph_def, given, [t.name for t in tensors], name="copy")
        return dict(zip(tensors, map(np.asarray, session.run(found)))) if tensors else {}
