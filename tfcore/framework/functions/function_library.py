"""The functions of a GraphDef's library.

To read a FunctionDef, it is converted to a GraphDef, which the importer checks and imports into the graph of the
function's body.
"""

import hashlib

from tfcore.framework import errors, protos
from tfcore.framework.attr_proto import AttrError, decode_attr, encode_attr
from tfcore.framework.definitions.op_def import REGISTRY
from tfcore.framework.definitions.op_parts import REQUIRED, AttrDef
from tfcore.framework.exchange.graph_def import GRAPH_DEF_VERSION
from tfcore.framework.exchange.import_checks import MAX_OUTPUTS
from tfcore.framework.exchange.importer import import_graph_def
from tfcore.framework.functions.func_graph import Body, FuncGraph
from tfcore.framework.functions.function import CallOpDef, GraphFunction
from tfcore.framework.functions.function_def import output_names
from tfcore.framework.types import dtypes


class ImportedFunction(GraphFunction):
    """A function of a GraphDef's library. Its body is checked and built on first use."""

    def __init__(self, function_def, graph):
        signature = function_def.signature
        super().__init__(signature.name, _call_op_def(signature))
        self._definition = function_def
        self._bodies = {}
        self._building = False
        self.outer_graph = graph

    @property
    def definition(self):
        return self._definition

    def functions(self):
        return {}  # the whole library was added to the graph

    def same_as(self, other):
        return _comparable(other.definition) == _comparable(self._definition)

    def variant(self, attrs):
        attrs = self._own(attrs)
        return self.name + (
            f"_{hashlib.sha256(repr(sorted(attrs.items())).encode()).hexdigest()[:11]}" if attrs else ""
        )

    def _own(self, attrs):
        """The attributes of a call that the body may depend on, with defaults."""
        known = self._op_def.attrs
        attrs = {key: value for key, value in (attrs or {}).items() if key in known}
        for attr in known.values():
            if attr.name not in attrs and attr.default is not REQUIRED:
                attrs[attr.name] = attr.default
        return attrs

    def body(self, attrs=None):
        """The Body for a call with these attributes; None while it is being built (a recursive call).

        Raises:
          ValueError: it is malformed. NotFoundError: an op type is not registered.
        """
        attrs = self._own(attrs)
        key = repr(sorted(attrs.items()))
        if key not in self._bodies:
            if self._building:
                return None
            self._building = True
            try:
                self._bodies[key] = _Reader(self, attrs).read()
            except ValueError as error:
                raise ValueError(f"In function '{self.name}': {error}") from None
            except errors.OpError as error:
                raise type(error)(None, None, f"In function '{self.name}': {error.message}") from None
            finally:
                self._building = False
        return self._bodies[key]


def _comparable(definition):
    copy = protos.FunctionDef()
    copy.CopyFrom(definition)
    copy.node_def.sort(key=lambda node: node.name)
    return copy.SerializeToString(deterministic=True)


def read_library(library, graph):
    """The functions of a FunctionDefLibrary that `graph` does not have yet: name -> ImportedFunction.

    Raises:
      ValueError: malformed signatures, or gradients of functions that do not exist.
    """
    result = {}
    for function_def in library.function:
        name = function_def.signature.name
        if not name:
            raise ValueError("A function of the library has no name")
        if name in result:
            raise ValueError(
                f"Cannot add function '{name}' because a different function with the same name already exists."
            )
        if name in REGISTRY:
            raise ValueError(f"Cannot add function '{name}' because an op with the same name already exists.")
        result[name] = ImportedFunction(function_def, graph)
    for entry in library.gradient:
        for name in (entry.function_name, entry.gradient_func):
            if name not in result and not graph._is_function(name):
                raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef")
        if entry.function_name in result:
            found = result.get(entry.gradient_func) or graph._get_function(entry.gradient_func)
            result[entry.function_name]._grad_func = found
    for name, function in list(result.items()):
        known = graph._get_function(name)
        if known is not None:
            if not function.same_as(known):
                raise ValueError(
                    f"Cannot add function '{name}' because a different function with the same name already exists."
                )
            del result[name]
    return result


def _call_op_def(signature):
    try:
        attrs = [_attr_def(a) for a in signature.attr]
        inputs, outputs = ([_arg_spec(a) for a in args] for args in (signature.input_arg, signature.output_arg))
        op_def = CallOpDef(
            signature.name,
            inputs,
            outputs,
            signature.is_stateful,
            signature.description or None,
            [f"{a.name}: {a.type}" for a in attrs],
        )
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"The signature of function '{signature.name}' is malformed: {error}") from None
    for attr in attrs:
        op_def.attrs[attr.name].default = attr.default
    return op_def


def _attr_def(attr):
    result = AttrDef(f"{attr.name}: {attr.type}")
    if attr.HasField("default_value"):
        result.default = decode_attr(attr.default_value, attr.type)
    return result


def _arg_spec(arg):
    if arg.type_list_attr:
        return f"{arg.name}: {arg.type_list_attr}"
    if arg.type_attr:
        text = arg.type_attr
    elif arg.type in dtypes.BY_ENUM:
        text = dtypes.BY_ENUM[arg.type].base_dtype.name
    else:
        raise ValueError(f"argument '{arg.name}' has an invalid type: number {arg.type}")
    text = f"{arg.number_attr} * {text}" if arg.number_attr else text
    return f"{arg.name}: Ref({text})" if arg.is_ref else f"{arg.name}: {text}"


class _Reader:
    """Builds the body of a FunctionDef for given attributes."""

    def __init__(self, function, attrs):
        self.function = function
        self.definition = function.definition
        self.attrs = attrs
        outer = function.outer_graph
        self.graph = FuncGraph(function.name, outer)
        self.graph._functions = dict(outer._functions)
        self.values = {}  # name in the FunctionDef -> names in the GraphDef, or Tensors for arguments
        self.node_names = {node.name for node in self.definition.node_def}

    def read(self):
        self._make_arguments()
        nodes = [self._substituted(node) for node in self.definition.node_def]
        for node in nodes:
            self._name_outputs(node)
        graph_def = protos.GraphDef()
        graph_def.versions.producer = GRAPH_DEF_VERSION
        input_map = {}
        for node in nodes:
            node.input[:] = [text for name in node.input for text in self._inputs(name, input_map)]
            graph_def.node.append(node)
        returned = [self._returned(arg) for arg in self.definition.signature.output_arg]
        returned = [item for items in returned for item in items]
        names = [item for item in returned if isinstance(item, str)]
        with self.graph.as_default():
            found = iter(import_graph_def(graph_def, input_map, names, name=""))
        outputs = [next(found) if isinstance(item, str) else item for item in returned]
        return Body(self.graph, list(self.graph.inputs), outputs)

    def _make_arguments(self):
        for arg in self.function.op_def.inputs:
            types, graph = _types_of(arg, self.attrs), self.graph
            tensors = [
                graph.add_argument(arg.name if not arg.is_list else f"{arg.name}_{i}", t) for i, t in enumerate(types)
            ]
            graph.inputs += tensors
            self.values[arg.name] = tensors
            self.values.update((f"{arg.name}:{i}", [t]) for i, t in enumerate(tensors))

    def _substituted(self, node):
        """A copy with the call's attributes in place of `placeholder`s."""
        copy = protos.NodeDef()
        copy.CopyFrom(node)
        for key in list(copy.attr):
            self._substitute(copy.attr[key], f"attr '{key}' of node '{node.name}'")
        if "_class" in copy.attr:
            self._drop_unknown_groups(copy)
        return copy

    def _drop_unknown_groups(self, node):
        """Drops colocation with operations that the body lacks: TensorFlow 2 names captured variables and tables."""
        groups = node.attr["_class"].list.s
        known = [g for g in groups if not g.startswith(b"loc:@") or g[5:].decode(errors="replace") in self.node_names]
        if len(known) < len(groups):
            groups[:] = known
        if not known:
            del node.attr["_class"]

    def _substitute(self, value, what):
        kind = value.WhichOneof("value")
        if kind == "placeholder":
            name = value.placeholder
            attr = self.function.op_def.attrs.get(name)
            if attr is None or name not in self.attrs:
                raise ValueError(f"{what} refers to attribute '{name}', which the call does not give")
            encode_attr(self.attrs[name], attr.type, into=value)
        elif kind == "func":
            for inner in value.func.attr.values():
                self._substitute(inner, what)

    def _name_outputs(self, node):
        op_def = REGISTRY.get(node.op)
        if op_def is None:
            function = self.graph._functions.get(node.op)
            if function is None:
                raise errors.NotFoundError(None, None, f"Op type not registered '{node.op}' (node '{node.name}')")
            op_def = function.op_def
        attrs = {}
        for arg in op_def.outputs:
            for name in (arg.number_attr, arg.type_list_attr):
                if name is not None:
                    attrs[name] = self._list_attr(node, op_def, name)
        lists = {}
        for i, name in enumerate(output_names(node.name, op_def, attrs)):
            text = node.name if i == 0 else f"{node.name}:{i}"
            self.values[name] = [text]
            lists.setdefault(name.rpartition(":")[0], []).append(text)
        self.values.update(lists)

    def _list_attr(self, node, op_def, name):
        attr = op_def.attrs[name]
        if name not in node.attr:
            if attr.default is REQUIRED:
                raise ValueError(f"NodeDef missing attr '{name}' from node '{node.name}'")
            return attr.default
        try:
            return decode_attr(node.attr[name], attr.type)
        except AttrError as error:
            raise ValueError(f"{error} for attr '{name}' of node '{node.name}'") from None

    def _inputs(self, name, input_map):
        """The GraphDef inputs that correspond to one input in the FunctionDef."""
        if name[:1] == "^":
            if not self._is_argument(name[1:]):
                yield name
            return
        for item in self._find(name):
            if isinstance(item, str):
                yield item
            else:
                text = f"{item.op.name}/argument"
                input_map[text] = item
                yield text

    def _is_argument(self, name):
        return any(arg.name == name for arg in self.function.op_def.inputs)

    def _find(self, name):
        found = self.values.get(name)
        if found is None:
            raise ValueError(f"input {name} is not found")
        return found

    def _returned(self, arg):
        if arg.name not in self.definition.ret:
            raise ValueError(f"Return values are missing output '{arg.name}'")
        return [
            t if not isinstance(t, str) else t if ":" in t else f"{t}:0"
            for t in self._find(self.definition.ret[arg.name])
        ]


def _types_of(arg, attrs):
    try:
        if arg.type_list_attr is not None:
            return list(attrs[arg.type_list_attr])
        dtype = arg.dtype if arg.type_attr is None else attrs[arg.type_attr]
        count = 1 if arg.number_attr is None else attrs[arg.number_attr]
    except KeyError as error:
        raise ValueError(f"the call does not give attribute {error}") from None
    if count > MAX_OUTPUTS:
        raise ValueError(f"Argument '{arg.name}' is {count} tensors, more than {MAX_OUTPUTS}")
    return [dtype._as_ref if arg.is_ref else dtype] * count
