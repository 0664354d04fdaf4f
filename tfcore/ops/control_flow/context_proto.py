"""Converts contexts of conditionals and loops to the protocol buffers of MetaGraphDefs, and back."""

from tfcore.framework import protos
from tfcore.framework.graph.control_flow_util import is_loop_enter
from tfcore.framework.graph.graph import get_default_graph
from tfcore.ops.control_flow.cond import CondContext
from tfcore.ops.control_flow.while_loop import WhileContext


def to_proto(context, export_scope=None):
    """A CondContextDef or WhileContextDef with nested contexts; None for a context outside of `export_scope`."""
    if export_scope and not context.name.startswith(export_scope):
        return None

    def name_of(tensor):
        return _strip(tensor.name, export_scope)

    if context.IsCondContext():
        result = protos.CondContextDef(pred_name=name_of(context.pred), branch=context.branch)
    else:
        result = protos.WhileContextDef(
            parallel_iterations=context.parallel_iterations,
            back_prop=context.back_prop,
            swap_memory=context.swap_memory,
            pivot_for_pred_name=name_of(context.pivot_for_pred),
            pivot_for_body_name=name_of(context.pivot_for_body),
            loop_exit_names=[name_of(t) for t in context.loop_exits],
            loop_enter_names=[name_of(t) for t in context.loop_enters],
        )
        if context.maximum_iterations is not None:
            result.maximum_iterations_name = name_of(context.maximum_iterations)
    result.context_name = _strip(context.name, export_scope)
    result.pivot_name = name_of(context.pivot)
    result.values_def.values.extend([_strip(name, export_scope) for name in sorted(context._values)])
    for key, tensor in context._external_values.items():
        result.values_def.external_values[_strip(key, export_scope)] = name_of(tensor)
    for nested in context._nested_contexts:
        if nested.pivot is not None:  # otherwise building it failed
            field = "cond_ctxt" if nested.IsCondContext() else "while_ctxt"
            getattr(result.nested_contexts.add(), field).CopyFrom(to_proto(nested, export_scope))
    return result


def _strip(name, scope):
    prefix = scope.rstrip("/") + "/" if scope else ""
    return name.removeprefix(prefix)


def from_proto(message, import_scope=None):
    """The context of a CondContextDef or WhileContextDef, whose operations are in the default graph under
    `import_scope`.

    Raises:
      KeyError: it names something that the graph lacks.
    """
    graph = get_default_graph()
    prefix = import_scope.rstrip("/") + "/" if import_scope else ""

    def element(name):
        return graph.as_graph_element(prefix + name)

    is_cond = hasattr(message, "branch")
    context = (CondContext if is_cond else WhileContext).with_name(prefix + message.context_name)
    context._pivot = element(message.pivot_name)
    if is_cond:
        context._pred = element(message.pred_name)
        context._branch = message.branch
    else:
        limit = message.maximum_iterations_name
        context._maximum_iterations = element(limit) if limit else None
        context._parallel_iterations = message.parallel_iterations
        context._back_prop = message.back_prop
        context._swap_memory = message.swap_memory
        context._pivot_for_pred = element(message.pivot_for_pred_name)
        context._pivot_for_body = element(message.pivot_for_body_name)
        context._loop_exits = [element(name) for name in message.loop_exit_names]
        context._loop_enters = [element(name) for name in message.loop_enter_names]
        context._grad_state = None
    context._values = {prefix + name for name in message.values_def.values}
    external = message.values_def.external_values
    context._external_values = {prefix + key: element(external[key]) for key in external}
    _adopt_operations(graph, context)
    context.Enter()
    try:
        for nested in message.nested_contexts:
            from_proto(getattr(nested, nested.WhichOneof("ctxt")), import_scope)
    finally:
        context.Exit()
    return context


def _adopt_operations(graph, context):
    for name in dict.fromkeys(n.partition(":")[0] for n in sorted(context._values - context._external_values.keys())):
        op = graph.as_graph_element(name)
        op._set_control_flow_context(context)
        context.guard(op)
        if is_loop_enter(op) and context.IsWhileContext():
            op.attrs["frame_name"] = context.name.encode()
