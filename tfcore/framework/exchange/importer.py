"""`tf.import_graph_def`: the operations of a GraphDef in the default graph.

Everything is checked before the graph changes: the steps of `_Import.run` before `_commit` work on `ImportedNode`s and
on operations that are not yet part of the graph.
"""

import contextlib
import heapq
import os

from tfcore.framework import errors, protos
from tfcore.framework.attr_proto import AttrError, decode_attr
from tfcore.framework.definitions.op_call import output_dtypes
from tfcore.framework.definitions.op_def import REGISTRY
from tfcore.framework.definitions.op_parts import REQUIRED
from tfcore.framework.device import canonical_name
from tfcore.framework.exchange.graph_def import GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_PRODUCER, merge_versions
from tfcore.framework.exchange.graph_io import load_constants, read_message
from tfcore.framework.exchange.import_checks import (
    NEWER_ATTRS,
    check_arity,
    check_attr_value,
    check_constant,
    check_node,
    check_type,
    check_versions,
    count,
    expected_inputs,
    listing,
    node_text,
)
from tfcore.framework.exchange.import_shapes import ENTER, LOOP_BACK, LOOP_HEAD, infer_all_shapes
from tfcore.framework.graph.control_flow_util import check_input_from_valid_context
from tfcore.framework.graph.graph import get_default_graph, name_scope
from tfcore.framework.graph.new_operation import add_to_context, apply_devices, insert
from tfcore.framework.graph.operation import Operation, Tensor, new_operation
from tfcore.framework.values.conversion import convert_to_tensor

_LOCATION = b"loc:@"  # prefix of operation names in `_class`
_INTERNAL_KINDS = {
    "_class": "list(string)",
    "_forward_call": "string",
    "_output_shapes": "list(shape)",
    "_value_file": "string",
    "_value_shape": "shape",
}


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    """Adds the operations of a GraphDef to the default graph.

    Args:
      graph_def: A GraphDef, or the path of a file that holds one, see `tf.train.write_graph`.
      input_map: A dict from names of tensors in `graph_def` ("x", "x:1", or "^x" for control inputs) to `Tensor`s of
        the default graph, or values that convert to them, that replace them as inputs (optional).
      return_elements: A list of names of operations ("x") and tensors ("x:0") in `graph_def` to return (optional).
      name: Prefix of the imported names: "import" by default, none if "".
      op_dict: Ignored (deprecated).
      producer_op_list: The OpList of the program that wrote `graph_def`: attributes unknown here are dropped if they
        have the default value listed there.

    Returns:
      A list of the `Operation`s and `Tensor`s that `return_elements` names; None without it.

    Raises:
      TypeError: An argument is of the wrong type.
      ValueError: `graph_def` is malformed, or lacks a name that an argument refers to. The graph is left unchanged.
      tf.errors.NotFoundError: An op type is not registered. The graph is left unchanged.

    Example:

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     x = tf.placeholder(tf.float32, [], name="x")
    ...     y = tf.square(x, name="y")
    >>> [y] = tf.import_graph_def(graph.as_graph_def(), {"x:0": tf.constant(3.0)}, ["y:0"])
    >>> print(sess.run(y))
    9.0
    """
    return _Import(graph_def, input_map, return_elements, producer_op_list).run(name)


class ImportedNode:
    """A NodeDef that is being imported."""

    __slots__ = ("index", "proto", "op_def", "attrs", "inputs", "controls", "n_outputs", "op")

    def __init__(self, index, node_def, op_def):
        self.index = index
        self.proto = node_def
        self.op_def = op_def
        self.inputs = []  # (ImportedNode, output index) or (_Mapped, 0)
        self.controls = []  # ImportedNodes and _Mappeds


class _Mapped:
    """An entry of the input map: the replacement for a tensor or for a control input."""

    __slots__ = ("value", "tensor", "used")

    def __init__(self, value):
        self.value = value
        self.used = False


class _Import:
    def __init__(self, graph_def, input_map, return_elements, producer_op_list):
        self.graph_def, self.constants = _as_graph_def(graph_def)
        self.input_map = _parse_input_map(input_map)
        self.return_elements = _parse_return_elements(return_elements)
        producer_ops = producer_op_list.op if producer_op_list is not None else ()
        self.producer_attrs = {(op.name, attr.name): attr for op in producer_ops for attr in op.attr}
        self.nodes = {}  # by name, in the order of the GraphDef
        self.functions = {}  # functions of the library that are new to the graph

    def run(self, name):
        graph = get_default_graph()
        graph._check_not_finalized()
        self._collect_nodes(graph)
        self._decode_attributes()
        self._parse_inputs()
        self._check_names_asked_for()
        order = self._topological_order()
        with name_scope(name, "import", [m.value for m in self.input_map.values()]) as scope:
            self._convert_input_map(graph, name)
        with graph._lock, self._functions_in(graph):
            self._make_operations(graph, scope, order)
            for node in order:
                _connect(node)
            infer_all_shapes([node.op for node in order])
            _place(graph, order)
            _commit(graph, order, self.graph_def.versions)
        return None if self.return_elements is None else [self._result(*e) for e in self.return_elements]

    # ---- Checks that do not need operations

    @contextlib.contextmanager
    def _functions_in(self, graph):
        """Adds the new functions to the graph, and removes them if the block fails."""
        graph._functions.update(self.functions)
        try:
            yield
        except BaseException:
            for name in self.functions:
                del graph._functions[name]
            raise

    def _op_def(self, graph, name):
        if name in REGISTRY:
            return None if name[:1] == "_" else REGISTRY[name]  # ops with "_" are internal to the compiler
        function = self.functions.get(name) or graph._get_function(name)
        return None if function is None else function.op_def

    def _collect_nodes(self, graph):
        check_versions(self.graph_def.versions, GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_PRODUCER)
        library = self.graph_def.library
        if len(library.function) or len(library.gradient):
            from tfcore.framework.functions.function_library import read_library

            self.functions = read_library(library, graph)
        unknown = {}
        for index, node_def in enumerate(self.graph_def.node):
            check_node(node_def)
            if node_def.name in self.nodes:
                raise ValueError(f"Node '{node_def.name}' is not unique")
            op_def = self._op_def(graph, node_def.op)
            node = self.nodes[node_def.name] = ImportedNode(index, node_def, op_def)
            if node.op_def is None:
                unknown.setdefault(node_def.op, []).append(node_def.name)
        if unknown:
            types = "; ".join(f"'{op}' (node {listing(names, 3)})" for op, names in sorted(unknown.items()))
            text = f"Op type not registered {types}. Ops have to be defined before a graph that uses them is imported."
            raise errors.NotFoundError(None, None, text)

    def _decode_attributes(self):
        refused = []
        for node in self.nodes.values():
            for key in decode_attributes(node):
                if not self._may_drop(node.proto.op, key, node.proto.attr[key]):
                    refused.append(f"NodeDef mentions attr '{key}' not in {node_text(node.proto, node.op_def)}")
            if "_value_file" in node.attrs:
                self._attach_constant(node)
            complete_attributes(node)
            self._check_colocation(node)
        if refused:
            more = f"\nand {len(refused) - 20} more" if len(refused) > 20 else ""
            raise ValueError(
                "\n".join(refused[:20])
                + more
                + ". (Check whether your GraphDef-interpreting binary is up to date with "
                "your GraphDef-generating binary.)"
            )

    def _may_drop(self, op_type, key, value):
        """Whether an unknown attribute may be ignored because it has its default value."""
        if key in NEWER_ATTRS and decode_attr(value) == NEWER_ATTRS[key]:
            return True
        attr = self.producer_attrs.get((op_type, key))
        return attr is not None and attr.HasField("default_value") and attr.default_value == value

    def _attach_constant(self, node):
        """Sets the value of a constant that is stored in a separate file (see graph_io.py)."""
        file = node.attrs.pop("_value_file").decode()
        node.attrs.pop("_value_shape", None)
        if node.proto.name not in self.constants:
            raise ValueError(
                f"The value of the constant '{node.proto.name}' is in the file '{file}' next to the GraphDef: pass the "
                "path of the GraphDef's file to tf.import_graph_def, or read it with tf.train.read_graph."
            )
        node.attrs["value"] = self.constants[node.proto.name]

    def _check_colocation(self, node):
        for group in node.attrs.get("_class", ()):
            other = group[5:].decode(errors="replace")
            if group.startswith(_LOCATION) and other not in self.nodes:
                raise ValueError(f"Node '{node.proto.name}' expects to be colocated with unknown node '{other}'")

    def _parse_inputs(self):
        for node in self.nodes.values():
            for text in node.proto.input:
                name, index = _parse_input(text)
                mapped = self.input_map.get((name, index))
                if mapped is not None:
                    mapped.used = True
                    source, index = mapped, min(index, 0)
                else:
                    source = self.nodes.get(name)
                    if source is None:
                        raise ValueError(f"Node '{node.proto.name}': Unknown input node '{text}'")
                    if index >= source.n_outputs:
                        raise ValueError(
                            f"Node '{node.proto.name}': Connecting to invalid output {index} of source node {name} "
                            f"which has {source.n_outputs} outputs"
                        )
                if index >= 0:
                    node.inputs.append((source, index))
                elif source not in node.controls:
                    node.controls.append(source)
            check_arity(node.proto, node.op_def, node.attrs, len(node.inputs))

    def _check_names_asked_for(self):
        def exists(name, index):
            node = self.nodes.get(name)
            return node is not None and index < node.n_outputs

        missing = [k for k, m in self.input_map.items() if not m.used and not exists(*k)]
        if missing:
            names = ", ".join(f"^{name}" if index < 0 else f"{name}:{index}" for name, index in missing)
            raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{names}]")
        for name, index in self.return_elements or ():
            if (name, index) in self.input_map and index is not None:
                continue
            if name not in self.nodes:
                what = f"node '{name}'" if index is None else f"tensor '{name}:{index}'"
                raise ValueError(f"Requested return {what} not found in graph def")
            if index is not None and not exists(name, index):
                n_outputs = self.nodes[name].n_outputs
                raise ValueError(f"Invalid return output {index} of node '{name}', which has {n_outputs} output(s)")

    def _topological_order(self):
        """The nodes in topological order, ties in the order of the GraphDef."""
        nodes = list(self.nodes.values())
        consumers = [[] for _ in nodes]
        pending = [0] * len(nodes)
        for node in nodes:
            for source in _sources(node):
                consumers[source.index].append(node.index)
                pending[node.index] += 1
        ready = [i for i, n in enumerate(pending) if n == 0]
        order = []
        while ready:
            index = heapq.heappop(ready)
            order.append(nodes[index])
            for consumer in consumers[index]:
                pending[consumer] -= 1
                if pending[consumer] == 0:
                    heapq.heappush(ready, consumer)
        if len(order) < len(nodes):
            _raise_cycle([node for node in nodes if pending[node.index]])
        return order

    # ---- Operations

    def _convert_input_map(self, graph, name):
        """Converts the values of the input map to Tensors (the only operations added before all checks are done)."""
        others = [m for m in self.input_map.values() if not isinstance(m.value, (Tensor, Operation))]
        if others and name == "":
            raise ValueError(
                "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values. Try "
                "calling tf.convert_to_tensor() on `input_map` values before calling tf.import_graph_def()."
            )
        for mapped in self.input_map.values():
            mapped.tensor = mapped.value
            if mapped in others:
                with graph.name_scope("_inputs"):
                    mapped.tensor = convert_to_tensor(mapped.value)
            graph.as_graph_element(mapped.tensor)

    def _make_operations(self, graph, scope, order):
        """Creates the operations and their outputs. Inputs are connected later, so that nodes may be in any order."""
        frames, context = graph.scopes.user_frames(), graph.scopes.context
        names = _unique_names(graph, scope, order)
        _rename_frames(graph, scope, order)
        for node, name in zip(order, names.values()):
            types, device = output_dtypes(node.op_def, node.attrs), canonical_name(node.proto.device)
            node.op = new_operation(graph, node.op_def, name, [], node.attrs, types, (), frames, context, device)
            groups = node.attrs.get("_class")
            if groups:
                node.attrs["_class"] = [_renamed(group, names) for group in groups]
            if "_forward_call" in node.attrs:  # see gradients/function.py
                forward = node.attrs["_forward_call"].decode(errors="replace")
                node.attrs["_forward_call"] = names.get(forward, forward).encode()

    def _result(self, name, index):
        if index is None:
            return self.nodes[name].op
        mapped = self.input_map.get((name, index))
        return self.nodes[name].op.outputs[index] if mapped is None else mapped.tensor


# ---- Arguments


def _as_graph_def(graph_def):
    """The GraphDef, and the values of constants stored in a separate file."""
    graph_def = protos.as_message(protos.GraphDef, graph_def)
    if isinstance(graph_def, protos.GraphDef):
        return graph_def, {}
    if isinstance(graph_def, (str, os.PathLike)):
        message = read_message(graph_def, protos.GraphDef)
        return message, load_constants(message, graph_def)
    raise TypeError("graph_def must be a GraphDef proto.")


def _parse_input_map(input_map):
    """`{(node name, output index or -1): _Mapped}`."""
    if input_map is None:
        return {}
    if not isinstance(input_map, dict) or not all(isinstance(k, (str, bytes)) for k in input_map):
        raise TypeError("input_map must be a dictionary mapping strings to Tensor objects.")
    parsed = {}
    for key, value in input_map.items():
        key = key.decode() if isinstance(key, bytes) else key
        parsed[(key[1:], -1) if key[:1] == "^" else _parse_tensor_name(key)] = _Mapped(value)
    return parsed


def _parse_return_elements(return_elements):
    """(node name, output index) pairs; the index is None for the operation itself."""
    if return_elements is None:
        return None
    if isinstance(return_elements, (str, bytes)) or not all(isinstance(e, (str, bytes)) for e in return_elements):
        raise TypeError("return_elements must be a list of strings.")
    names = [e.decode() if isinstance(e, bytes) else e for e in return_elements]
    return [_parse_tensor_name(name) if ":" in name else (name, None) for name in names]


def _parse_tensor_name(text):
    name, colon, index = text.partition(":")
    if colon and not (index.isascii() and index.isdigit()):
        raise ValueError(f"Cannot convert {text!r} to a tensor name.")
    return name, int(index or 0)


def _parse_input(text):
    """The node name and output index of a NodeDef's input; index -1 for a control input."""
    if text[:1] == "^":
        return text[1:], -1
    name, _, index = text.rpartition(":")
    if name and index.isascii() and index.isdigit():
        return name, int(index)
    return text, 0


# ---- Parts of nodes


def _decode(node, key, value, kind):
    try:
        return decode_attr(value, kind)
    except AttrError as error:
        raise ValueError(f"{error}\n\t for attr '{key}'\n\t; {node_text(node.proto, node.op_def)}") from None


def decode_attributes(node):
    """Sets the attributes of a node to those of its NodeDef. Returns the names of those that its op type lacks."""
    known, unknown = node.op_def.attrs, []
    node.attrs = {}
    for key, value in node.proto.attr.items():
        if key in known:
            node.attrs[key] = _decode(node, key, value, known[key].type)
        elif key[:1] == "_":
            node.attrs[key] = _decode(node, key, value, _INTERNAL_KINDS.get(key))
        else:
            unknown.append(key)
    return unknown


def complete_attributes(node):
    """Adds the defaults of missing attributes and checks all values."""
    for attr in node.op_def.attrs.values():
        if attr.name not in node.attrs:
            if attr.default is REQUIRED:
                raise ValueError(f"NodeDef missing attr '{attr.name}' from {node_text(node.proto, node.op_def)}")
            node.attrs[attr.name] = attr.default
        check_attr_value(node.proto, node.op_def, attr, node.attrs[attr.name])
    if node.op_def.name == "Const":
        check_constant(node.proto, node.attrs)
    node.n_outputs = count(node.op_def.outputs, node.attrs, node.proto)


def _sources(node):
    """The nodes that must be imported before `node`."""
    found = {source for source, _ in node.inputs if type(source) is ImportedNode}
    found.update(source for source in node.controls if type(source) is ImportedNode)
    if node.op_def.name in LOOP_HEAD:
        return [source for source in found if source.op_def.name not in LOOP_BACK]
    return found


def _raise_cycle(nodes):
    """Raises ValueError for `nodes` that could not be sorted because they are in a cycle or depend on one."""
    stuck = set(nodes)
    node, path = nodes[0], []
    while node not in path:
        path.append(node)
        node = min((s for s in _sources(node) if s in stuck), key=lambda s: s.index)
    cycle = path[path.index(node) :][::-1]
    names = " -> ".join(f"'{n.proto.name}'" for n in [cycle[-1], *cycle][:11])
    raise ValueError(f"{len(nodes)} nodes in a cycle or behind one: {names}{' -> ...' if len(cycle) > 10 else ''}")


def _unique_names(graph, scope, order):
    """{name in the GraphDef: name in the graph}: with the prefix, and a suffix if that name is taken."""
    existing = {name for name in graph._nodes_by_name if name.startswith(scope)}
    for name in list(existing):
        existing.update(_prefixes(name))
    imported = {scope + node.proto.name for node in order} if existing else set()
    for name in list(imported):
        imported.update(_prefixes(name))
    result = {}
    for node in order:
        original = name = scope + node.proto.name
        number = 0
        while name in existing or number and name in imported:
            number += 1
            name = f"{original}_{number}"
        if number:
            existing.add(name)
        result[node.proto.name] = name
    return result


def _rename_frames(graph, scope, order):
    """Makes frame names, which identify loops, unique: with the prefix, and a suffix if that name is taken."""
    enters = [node for node in order if node.op_def.name in ENTER]
    if not enters:
        return
    existing = {op.attrs["frame_name"] for op in graph.ops if op.type in ENTER}
    names = {}
    for node in enters:
        old = node.attrs["frame_name"]
        if old not in names:
            new, number = scope.encode() + old, 0
            while new in existing:
                number += 1
                new = scope.encode() + old + b"_%d" % number
            names[old] = new
        node.attrs["frame_name"] = names[old]


def _prefixes(name):
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def _renamed(group, names):
    if not group.startswith(_LOCATION):
        return group
    return _LOCATION + names[group[len(_LOCATION) :].decode()].encode()


def _connect(node):
    op = node.op
    expected = expected_inputs(node.op_def, node.attrs)
    for index, ((source, output), dtype) in enumerate(zip(node.inputs, expected, strict=True)):
        tensor = source.tensor if type(source) is _Mapped else source.op.outputs[output]
        check_type(op.name, index, tensor, dtype)
        check_input_from_valid_context(op, tensor.op)
        op.inputs.append(tensor)
    controls = [s.op if type(s) is ImportedNode else getattr(s.tensor, "op", s.tensor) for s in node.controls]
    op.controls = tuple(dict.fromkeys(controls))


# ---- The graph


def _place(graph, order):
    """Sets devices: the NodeDef's, completed by the surrounding scopes, or that of the operation colocated with."""
    colocated = []
    for node in order:
        op = node.op
        own = _LOCATION + op.name.encode()
        groups = [g for g in op.attrs.get("_class", ()) if g.startswith(_LOCATION) and g != own]
        if groups:
            op.requested_device = ""
            colocated.append((op, groups))
        elif graph.scopes.devices:
            apply_devices(op, op.device)
    by_name = {node.op.name: node.op for node in order}
    for op, groups in colocated:
        devices = (by_name[g[len(_LOCATION) :].decode()].device for g in groups)
        op.requested_device = next(filter(None, devices), "")


def _commit(graph, order, versions):
    """Adds the operations to the graph and to the conditional or loop around the import. Nothing here can fail."""
    for node in order:
        op = node.op
        if graph.scopes.controls:
            outer = graph._control_dependencies_for_inputs([t.op for t in op.inputs])
            graph._record_op_seen_by_control_dependencies(op)
            op.controls += tuple(c for c in outer if c not in op.controls)
        insert(op)
        graph._names_in_use.setdefault(op.name.lower(), 1)
    merge_versions(graph, versions)
    context = graph.scopes.context
    if context is not None:
        for node in order:
            add_to_context(node.op, context)
