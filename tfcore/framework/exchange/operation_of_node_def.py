"""`tf.Operation(node_def, graph, ...)`: one operation of a NodeDef, as programs that copy parts of graphs make it.

TensorFlow up to 1.7 let such programs add the inputs later, one by one (`Operation._add_input`), so that they can copy
loops. Until it has all inputs, the operation is in `Graph.incomplete_ops`, and steps that need it fail.

The name `tf.Operation` imports this module, which gives the class the methods that need it: it needs the importer of
GraphDefs, which `import tfcore` does not load.
"""

from tfcore.framework import errors, protos
from tfcore.framework.definitions.op_call import output_dtypes
from tfcore.framework.definitions.op_def import get_op_def, is_registered
from tfcore.framework.device import canonical_name
from tfcore.framework.exchange.import_checks import check_arity, check_node, check_type, expected_inputs, node_text
from tfcore.framework.exchange.importer import ImportedNode, complete_attributes, decode_attributes
from tfcore.framework.graph.graph import Graph
from tfcore.framework.graph.new_operation import add_to_context, infer_shapes, insert
from tfcore.framework.graph.operation import Operation, Tensor, add_consumer, capture_user_frames, new_operation


def fill(op, node_def, graph, inputs, control_inputs, original_op):
    """Makes `op`, an `Operation` without attributes, that of a NodeDef, and adds it to its graph."""
    node_def = protos.as_message(protos.NodeDef, node_def)
    if not isinstance(node_def, protos.NodeDef):
        raise TypeError(f"node_def needs to be a NodeDef: {node_def!r}")
    if not isinstance(graph, Graph):
        raise TypeError(f"g needs to be a Graph: {graph!r}")
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"input needs to be a Tensor: {tensor!r}")
        graph.as_graph_element(tensor)
    controls = dict.fromkeys(graph.as_graph_element(c) for c in control_inputs)
    graph._check_not_finalized()
    node = _node(node_def, graph)
    with graph._lock:
        name, context = node_def.name, graph.scopes.context
        if name in graph._nodes_by_name:
            raise ValueError(f"Operation name {name!r} is already in use")
        new_operation(
            graph,
            node.op_def,
            name,
            [],
            node.attrs,
            output_dtypes(node.op_def, node.attrs),
            tuple(c.op if isinstance(c, Tensor) else c for c in controls),
            graph.scopes.frames or capture_user_frames(),
            context,
            canonical_name(node_def.device),
            op,
        )
        expected = expected_inputs(op.op_def, op.attrs)
        if inputs and len(inputs) != len(expected):
            check_arity(node_def, op.op_def, op.attrs, len(inputs))
        for index, (tensor, dtype) in enumerate(zip(inputs, expected)):
            check_type(name, index, tensor, dtype)
            op.inputs.append(tensor)
        if len(op.inputs) == len(expected):
            infer_shapes(op)
            if context is not None:
                add_to_context(op, context)
        else:
            graph.incomplete_ops.add(op)
        insert(op)
        graph._names_in_use.setdefault(name.lower(), 1)
        op._original_op = original_op


def add_input(op, tensor, dtype=None):
    """Appends an input to an operation that lacks some; `dtype` is ignored."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"tensor must be a Tensor: {tensor!r}")
    graph = op.graph
    graph.as_graph_element(tensor)
    with graph._lock:
        expected = expected_inputs(op.op_def, op.attrs)
        if op not in graph.incomplete_ops:
            raise ValueError(f"Operation '{op.name}' (op: '{op.type}') has all of its {len(expected)} inputs.")
        check_type(op.name, len(op.inputs), tensor, expected[len(op.inputs)])
        op.inputs.append(tensor)
        if len(op.inputs) == len(expected):
            try:
                infer_shapes(op)
            except BaseException:
                op.inputs.pop()
                raise
            graph.incomplete_ops.discard(op)
        add_consumer(op, [tensor])


def _node(node_def, graph):
    """The NodeDef with all attributes decoded and checked."""
    check_node(node_def)
    function = graph._get_function(node_def.op)
    if function is None and not is_registered(node_def.op):
        text = f"Op type not registered '{node_def.op}'. Make sure the Op and Kernel are registered in this process."
        raise errors.NotFoundError(node_def, None, text)
    node = ImportedNode(0, node_def, get_op_def(node_def.op) if function is None else function.op_def)
    unknown = decode_attributes(node)
    if unknown:
        raise ValueError(f"NodeDef mentions attr '{unknown[0]}' not in {node_text(node_def, node.op_def)}")
    complete_attributes(node)
    return node


Operation._fill = fill
Operation._add_input = add_input
