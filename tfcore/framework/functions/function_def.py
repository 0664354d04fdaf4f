"""Functions as FunctionDef protocol buffers, in which inputs are named "argument", "node:output:index" or "^node"."""

from tfcore.framework import protos
from tfcore.framework.attr_proto import encode_attr
from tfcore.framework.exchange.graph_def import fill_node, op_def_proto
from tfcore.framework.exchange.import_checks import MAX_OUTPUTS

_LOCATION = b"loc:@"


def function_def_of(function):
    """The FunctionDef of a function that was created in this process."""
    body, op_def = function.body(), function.op_def
    result = protos.FunctionDef(signature=op_def_proto(op_def))
    if op_def.summary:
        result.signature.description = op_def.summary
    names = {t: arg.name for t, arg in zip(body.inputs, op_def.inputs)}
    given = {t.op for t in body.inputs}
    for op in body.ops:
        names.update(zip(op.outputs, output_names(op.name, op.op_def, op.attrs)))
    for op in body.ops:
        _fill_node(op, result.node_def.add(), names, given)
    for arg, tensor in zip(op_def.outputs, body.outputs):
        result.ret[arg.name] = names[tensor]
    for op in body.ops:
        if op.op_def.stateful and op.type[:1] != "_":  # they run whether or not an output needs them
            result.control_ret[op.name] = op.name
            result.signature.control_output.append(op.name)
    for key, value in function.attrs.items():
        encode_attr(value, into=result.attr[key])
    return result


def output_names(name, op_def, attrs):
    """The names of all outputs of a node."""
    for arg in op_def.outputs:
        count = 1
        if arg.number_attr is not None:
            count = attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(attrs[arg.type_list_attr])
        if count > MAX_OUTPUTS:
            raise ValueError(f"Node '{name}' has {count} outputs, more than {MAX_OUTPUTS}")
        for i in range(count):
            yield f"{name}:{arg.name}:{i}"


def _fill_node(op, node, names, given):
    fill_node(op, node)
    controls = sorted("^" + c.name for c in op.controls if c not in given)
    node.input[:] = [names[t] for t in op.inputs] + controls
    if "_class" in node.attr:
        arguments = {_LOCATION + o.name.encode() for o in given}
        groups = [g for g in node.attr["_class"].list.s if g not in arguments]
        del node.attr["_class"]
        if groups:
            node.attr["_class"].list.s.extend(groups)
