"""Graphs as GraphDef protocol buffers, and op definitions as OpDef protocol buffers."""

from tfcore.framework import protos
from tfcore.framework.attr_proto import encode_attr, encode_shape
from tfcore.framework.definitions.op_parts import REQUIRED

# As of TensorFlow 1.15: the version written, the oldest that can read it, and the oldest that can be read.
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

# Attributes added after version 1.15, which would reject them. They are not written if they have their defaults, which
# newer versions fill in.
LEFT_OUT_AT_DEFAULT = frozenset(
    "grad_a grad_b grad_x grad_y explicit_paddings exponential_avg_factor multiply_linear_by_lr shape_type "
    "Tsegmentids".split()
)


def node_of(text):
    """The name of the operation in an input of a NodeDef, such as "name:1" or "^name"."""
    return text.lstrip("^").partition(":")[0]


def unused_name(text, names):
    """The text, with a number if `names` has it already; adds it there."""
    name, number = text, 0
    while name in names:
        number += 1
        name = f"{text}_{number}"
    names.add(name)
    return name


def graph_def_of(graph, from_version=None, add_shapes=False):
    """The GraphDef of a graph.

    Args:
      from_version: only operations added since `graph.version` had this value.
      add_shapes: add the attribute `_output_shapes` to every operation that has outputs.
    """
    result = without_nodes(graph)
    for op in graph.get_operations():
        if from_version is None or op._id > from_version:
            fill_node(op, result.node.add(), add_shapes)
    return result


def without_nodes(graph):
    """The GraphDef of a graph without its nodes: the versions and the library."""
    result = protos.GraphDef(versions=versions_of(graph))
    for function in graph._functions.values():
        result.library.function.append(function.definition)
        if function.grad_func is not None:
            result.library.gradient.add(function_name=function.name, gradient_func=function.grad_func.name)
    return result


def versions_of(graph):
    """The VersionDef of a graph: the current one, or older if an older GraphDef was imported."""
    producer, min_consumer, bad_consumers = graph.imported_versions or (
        GRAPH_DEF_VERSION,
        GRAPH_DEF_VERSION_MIN_CONSUMER,
        (),
    )
    return protos.VersionDef(producer=producer, min_consumer=min_consumer, bad_consumers=sorted(bad_consumers))


def merge_versions(graph, versions):
    """Records that a GraphDef of these versions was imported into the graph."""
    producer, min_consumer, bad_consumers = graph.imported_versions or (
        GRAPH_DEF_VERSION,
        GRAPH_DEF_VERSION_MIN_CONSUMER,
        (),
    )
    graph.imported_versions = (
        min(producer, versions.producer),
        max(min_consumer, versions.min_consumer),
        {*bad_consumers, *versions.bad_consumers},
    )


def node_def_of(op):
    """The NodeDef of an operation."""
    return fill_node(op, protos.NodeDef())


def fill_node(op, node, add_shapes=False, skip=()):
    """Writes an operation into a NodeDef, without the attributes in `skip`."""
    node.name = op.name
    node.op = op.type
    node.input.extend([t.op.name if t.value_index == 0 else t.name for t in op.inputs])
    node.input.extend(sorted(["^" + control.name for control in op.controls]))
    if op.device:
        node.device = op.device
    kinds = op.op_def.attrs
    for name, value in op.attrs.items():
        kind = kinds.get(name)
        newer = name in LEFT_OUT_AT_DEFAULT and kind is not None and value == kind.default
        if not newer and name not in skip:
            encode_attr(value, None if kind is None else kind.type, node.attr[name])
    if add_shapes and op.outputs:
        shapes = node.attr["_output_shapes"].list.shape
        for tensor in op.outputs:
            encode_shape(tensor.dims, shapes.add())
    return node


# ---- Op definitions


def op_def_proto(op_def):
    """The OpDef protocol buffer of a registered op type (without documentation)."""
    result = protos.OpDef(name=op_def.name, is_stateful=op_def.stateful, is_commutative=op_def.commutative)
    for args, target in ((op_def.inputs, result.input_arg), (op_def.outputs, result.output_arg)):
        for arg in args:
            _fill_arg(arg, target.add())
    for attr in op_def.attrs.values():
        _fill_attr_def(attr, result.attr.add())
    return result


def _fill_arg(arg, target):
    target.name = arg.name
    target.is_ref = arg.is_ref
    if arg.number_attr is not None:
        target.number_attr = arg.number_attr
    if arg.type_list_attr is not None:
        target.type_list_attr = arg.type_list_attr
    elif arg.type_attr is not None:
        target.type_attr = arg.type_attr
    else:
        target.type = arg.dtype.as_datatype_enum


def _fill_attr_def(attr, target):
    target.name = attr.name
    target.type = attr.type
    if attr.default is not REQUIRED:
        encode_attr(attr.default, attr.type, target.default_value)
    if attr.minimum is not None:
        target.has_minimum = True
        target.minimum = attr.minimum
    if attr.allowed is not None:
        is_type = attr.type in ("type", "list(type)")
        encode_attr(list(attr.allowed), "list(type)" if is_type else "list(string)", target.allowed_values)
