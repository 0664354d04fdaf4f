"""The namespace tf.graph_util: extracting subgraphs and freezing variables."""

import collections

from tfcore.framework import protos
from tfcore.framework.exchange.frozen_references import node_of, replace_references
from tfcore.framework.exchange.graph_def import fill_node
from tfcore.framework.exchange.importer import import_graph_def
from tfcore.framework.graph.control_flow_util import HANDS_ON
from tfcore.framework.graph.operation import Operation
from tfcore.framework.tensor_proto import array_to_proto

__all__ = [
    "convert_variables_to_constants",
    "extract_sub_graph",
    "import_graph_def",
    "must_run_on_cpu",
    "remove_training_nodes",
    "tensor_shape_from_node_def_name",
]

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_PINNED = frozenset(
    """
    Assign AssignAdd AssignSub Queue ScatterAdd ScatterSub ScatterUpdate TruncatedNormal Variable VariableV2
""".split()
)  # as in TensorFlow

_READS = {  # reads of handles: what reads the value, and the attribute with the type of the value
    "ReadVariableOp": ("Identity", "T"),
    "ResourceGather": ("Gather", "Tparams"),
    "ResourceGatherNd": ("GatherNd", "Tparams"),
    "VariableShape": ("Shape", "T"),
}


def convert_variables_to_constants(
    sess, input_graph_def, output_node_names, variable_names_whitelist=None, variable_names_blacklist=None
):
    """Freezes a graph: keeps the part that the outputs need and replaces variables by their current values.

    What uses the result of an assignment gets the new value, but no variable changes.

    Args:
      sess: The `Session` that holds the variables.
      input_graph_def: The GraphDef of its graph.
      output_node_names: A list of the names of the operations to keep.
      variable_names_whitelist: Names of the variables to convert; all by default.
      variable_names_blacklist: Names of variables not to convert (optional).

    Returns:
      A GraphDef.

    Raises:
      AssertionError: An output is not in the graph.
      ValueError: An operation cannot take a constant in place of a handle, or a value in place of a reference.
      tf.errors.FailedPreconditionError: A variable is not initialized.
    """
    result = extract_sub_graph(input_graph_def, output_node_names)
    keep = set(variable_names_blacklist or ())
    names = [n.name for n in result.node if n.op in _VARIABLES and n.name not in keep]
    if variable_names_whitelist is not None:
        names = [name for name in names if name in set(variable_names_whitelist)]
    handles = {n.name for n in result.node if n.op == "VarHandleOp"}
    fetches = [_read_of(sess.graph, name) if name in handles else name + ":0" for name in names]
    values = dict(zip(names, sess.run(fetches))) if names else {}
    _replace_uses_of_handles(result, handles.intersection(names))
    replace_references(result, set(names) - handles)
    for node in result.node:
        if node.name in values:
            dtype = node.attr["dtype"].type
            device = node.device
            name = node.name
            node.Clear()
            node.name, node.op, node.device = name, "Const", device
            node.attr["dtype"].type = dtype
            node.attr["value"].tensor.CopyFrom(array_to_proto(values[name]))
    return result


def _read_of(graph, name):
    """A read of the variable behind a handle in the session's graph, which waits for nothing."""
    users = graph.get_tensor_by_name(name + ":0").consumers()
    reads = [op for op in users if op.type == "ReadVariableOp" and not op.control_inputs]
    if not reads:
        raise ValueError(f"No operation of the graph reads the variable {name} without control inputs")
    return next((op for op in reads if op.name == f"{name}/Read/ReadVariableOp"), reads[0]).outputs[0]


def _replace_uses_of_handles(graph_def, frozen):
    """Makes what uses handles of frozen variables use constants, which get the names of the handles."""
    behind = _variables_behind(graph_def, frozen)
    types = {node.name: node.attr["dtype"].type for node in graph_def.node if node.name in frozen}
    for node in graph_def.node:
        found = [behind[_output(text)] for text in node.input if _output(text) in behind]
        if found:
            _replace_use(node, len(found), sorted(set().union(*found)), types)


def _variables_behind(graph_def, frozen):
    """The names of the frozen variables that an output may be the handle of, for each output that is such a handle."""
    users = collections.defaultdict(list)
    for node in graph_def.node:
        for text in node.input if node.op in HANDS_ON else ():
            users[_output(text)].append(node)
    behind = {name: {name} for name in frozen}
    todo = list(behind)
    while todo:
        output = todo.pop()
        for node in users[output]:
            for name in (node.name, node.name + ":1") if node.op == "Switch" else (node.name,):
                known = behind.setdefault(name, set())
                if not behind[output] <= known:
                    known |= behind[output]
                    todo.append(name)
    return behind


def _replace_use(node, handles, variables, types):
    """Changes a node with `handles` inputs that are handles, each of one of `variables`."""
    what = f"Can't freeze the variable {variables[0]}: {node.name} ({node.op})"
    dtype = types[variables[0]]
    if any(types[name] != dtype for name in variables):
        raise ValueError(f"{what} uses handles of variables of several types ({', '.join(variables)})")
    if node.op in HANDS_ON:
        if node.op == "Merge" and handles < sum(not text.startswith("^") for text in node.input):
            raise ValueError(f"{what} also takes the handle of a variable that is not frozen")
        node.attr["T"].type = dtype
    elif node.op in _READS and not node.attr["batch_dims"].i:
        node.op, type_attr = _READS[node.op]
        for name in ("dtype", "batch_dims"):
            if name in node.attr:
                del node.attr[name]
        node.attr[type_attr].type = dtype
    else:
        raise ValueError(f"{what} uses its handle")
    if "_output_shapes" in node.attr:
        del node.attr["_output_shapes"]  # those of handles


def extract_sub_graph(graph_def, dest_nodes):
    """The part of a GraphDef that given nodes depend on.

    Args:
      graph_def: A GraphDef.
      dest_nodes: A list of names of nodes.

    Returns:
      A GraphDef.

    Raises:
      TypeError: An argument is of the wrong type.
      AssertionError: A node is not in the graph.
    """
    graph_def = protos.as_message(protos.GraphDef, graph_def)
    if not isinstance(graph_def, protos.GraphDef):
        raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
    nodes = {node.name: node for node in graph_def.node}
    todo = list(dest_nodes)
    missing = [name for name in todo if name not in nodes]
    if missing:
        raise AssertionError(f"{', '.join(missing)} is not in graph")
    keep = set()
    while todo:
        name = todo.pop()
        if name not in keep and name in nodes:
            keep.add(name)
            todo += [node_of(text) for text in nodes[name].input]
            todo += _colocated(nodes[name])
    result = protos.GraphDef()
    result.node.extend([node for node in graph_def.node if node.name in keep])
    for part in ("library", "versions"):
        if graph_def.HasField(part):
            getattr(result, part).CopyFrom(getattr(graph_def, part))
    return result


def remove_training_nodes(input_graph, protected_nodes=None):
    """Removes CheckNumerics, Identity and StopGradient nodes from a GraphDef; their inputs replace them.

    Nodes that have or are control inputs, or that others are colocated with, stay.

    Args:
      input_graph: A GraphDef.
      protected_nodes: Names of nodes to keep (optional).

    Returns:
      A GraphDef.

    Raises:
      AttributeError: `input_graph` is not a GraphDef.
    """
    input_graph = protos.as_message(protos.GraphDef, input_graph)
    protected = set(protected_nodes or ())
    for node in input_graph.node:
        protected.update(node_of(text) for text in node.input if text.startswith("^"))
        protected.update(name for name in _colocated(node) if name != node.name)
    spliced = {}
    for node in input_graph.node:
        if node.op in ("CheckNumerics", "Identity", "StopGradient") and node.name not in protected:
            if len(node.input) == 1:
                spliced[node.name] = node.input[0]
    result = protos.GraphDef()
    if input_graph.HasField("versions"):
        result.versions.CopyFrom(input_graph.versions)
    for node in input_graph.node:
        if node.name in spliced:
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        for i, text in enumerate(node.input):
            while node_of(text) in spliced:
                text = spliced[node_of(text)]
            copy.input[i] = text
    return result


def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Whether an operation can only run on a CPU.

    Args:
      node: An `Operation` or NodeDef.
      pin_variables_on_cpu: Whether variables behind references and their updates count as such, and with them, as in
        TensorFlow, `TruncatedNormal`.

    Returns:
      A bool.

    Raises:
      AttributeError: `node` is neither.
    """
    node_def = fill_node(node, protos.NodeDef(), skip=("value",)) if isinstance(node, Operation) else node
    if pin_variables_on_cpu and node_def.op in _PINNED:
        return True
    attr = {"Const": "dtype", "DynamicStitch": "T", "ParallelDynamicStitch": "T", "Cast": "SrcT"}.get(node_def.op)
    if attr is None:
        return False
    names = ("DT_INT32", "DT_STRING") if node_def.op == "Const" else ("DT_INT32",)
    dtype = node_def.attr[attr]
    return dtype.DESCRIPTOR.fields_by_name["type"].enum_type.values_by_number[dtype.type].name in names


def tensor_shape_from_node_def_name(graph, input_name):
    """The static shape of a tensor, looked up by the name that a NodeDef uses for its inputs.

    Args:
      graph: The `Graph`.
      input_name: A name, "op" or "op:index".

    Returns:
      A `TensorShape`.

    Raises:
      KeyError: There is no such tensor.
    """
    return graph.get_tensor_by_name(input_name if ":" in input_name else input_name + ":0").get_shape()


def _output(text):
    """A NodeDef's input in the form that names each output in one way."""
    return text[:-2] if text.endswith(":0") else text


def _colocated(node):
    groups = node.attr["_class"].list.s if "_class" in node.attr else ()
    return [g[5:].decode() for g in groups if g.startswith(b"loc:@")]
