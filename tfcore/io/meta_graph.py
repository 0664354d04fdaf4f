"""MetaGraphDef: a graph with its collections, so that another program can continue to use it."""

import os
import re
import warnings

from tfcore.framework import errors, protos
from tfcore.framework.definitions.op_def import REGISTRY
from tfcore.framework.exchange.graph_def import node_of, op_def_proto
from tfcore.framework.exchange.graph_io import attach_constants, message_bytes, parse_message, read_message, write_graph
from tfcore.framework.exchange.importer import import_graph_def
from tfcore.framework.graph.graph import Graph, GraphKeys, get_default_graph
from tfcore.io.late_reads import with_late_reads
from tfcore.platform.file_system import LOCAL, file_system_of, text_of
from tfcore.variables.variables import Variable

_UNBOUND = "$unbound_inputs_"
_TENSORFLOW_VERSION = "1.15.0"  # the version whose graphs and collections these are

# ---- Members of collections as protocol buffers

_proto_functions = {}  # collection name -> (message class or its name in `proto`, to_proto, from_proto)


def register_proto_function(collection_name, proto_type=None, to_proto=None, from_proto=None):
    """Registers the conversion of a collection's members to protocol buffers and back.

    Args:
      proto_type: the message class.
      to_proto: function `(member, export_scope=None)` that returns the message, or None to omit the member.
      from_proto: function `(message, import_scope=None)` that returns the member.
    """
    if to_proto is not None and not callable(to_proto):
        raise TypeError("to_proto must be callable.")
    if from_proto is not None and not callable(from_proto):
        raise TypeError("from_proto must be callable.")
    _proto_functions[collection_name] = (proto_type, to_proto, from_proto)


def _functions_of(collection_name):
    proto_type, to_proto, from_proto = _proto_functions.get(collection_name, (None, None, None))
    return getattr(protos, proto_type) if isinstance(proto_type, str) else proto_type, to_proto, from_proto


def _variable_to_proto(variable, export_scope=None):
    return variable.to_proto(export_scope)


for _key in (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.CONCATENATED_VARIABLES,
    GraphKeys.GLOBAL_STEP,
):
    register_proto_function(_key, "VariableDef", _variable_to_proto, Variable.from_proto)


def _context_to_proto(context, export_scope=None):
    from tfcore.ops.control_flow import context_proto

    return context_proto.to_proto(context, export_scope)


def _context_from_proto(message, import_scope=None):
    from tfcore.ops.control_flow import context_proto

    return context_proto.from_proto(message, import_scope)


for _key, _message in ((GraphKeys.COND_CONTEXT, "CondContextDef"), (GraphKeys.WHILE_CONTEXT, "WhileContextDef")):
    register_proto_function(_key, _message, _context_to_proto, _context_from_proto)


# ---- Export


def export_meta_graph(
    filename=None,
    meta_info_def=None,
    graph_def=None,
    saver_def=None,
    collection_list=None,
    as_text=False,
    graph=None,
    export_scope=None,
    clear_devices=False,
    clear_extraneous_savers=False,
    strip_default_attrs=False,
    save_debug_info=False,
    **kwargs,
):
    """The MetaGraphDef of a graph: its operations, the definitions of their types, and its collections.

    Args:
      filename: file to write it to, too.
      meta_info_def: a MetaGraphDef.MetaInfoDef with tags and the like to copy.
      graph_def: GraphDef to use instead of the graph's own.
      saver_def: a SaverDef to include.
      collection_list: names of collections; default: all.
      as_text: write the text format.
      graph: default: the default graph.
      export_scope: export only this name scope and strip its name. Inputs from outside get names that start with
        "$unbound_inputs_" and are listed in the collection `unbound_inputs_col_name`.
      clear_devices: omit devices.
      clear_extraneous_savers: omit operations that save and restore, and savers in collections, except `saver_def`.
      strip_default_attrs: omit attributes with default values.
      save_debug_info: must be False.
      **kwargs: `unbound_inputs_col_name`, the name of a collection ("unbound_inputs" by default).

    Returns:
      A MetaGraphDef.

    Raises:
      TypeError: arguments of wrong types. UnimplementedError: `save_debug_info`.
    """
    unbound_inputs_col_name = kwargs.pop("unbound_inputs_col_name", "unbound_inputs")
    if kwargs:
        raise TypeError(f"export_meta_graph() got unexpected keyword arguments: {sorted(kwargs)}")
    graph = graph or get_default_graph()
    meta_info_def = protos.as_message(protos.MetaGraphDef.MetaInfoDef, meta_info_def)
    graph_def, saver_def = protos.as_message(protos.GraphDef, graph_def), protos.as_message(protos.SaverDef, saver_def)
    _check_types(graph, meta_info_def, graph_def, saver_def)
    if save_debug_info:
        raise errors.UnimplementedError(
            None, None, "export_meta_graph can't save debug information (save_debug_info=True)"
        )
    result = protos.MetaGraphDef()
    if meta_info_def is not None:
        result.meta_info_def.CopyFrom(meta_info_def)
    result.meta_info_def.tensorflow_version = _TENSORFLOW_VERSION
    if saver_def is not None:
        result.saver_def.CopyFrom(saver_def)
    source = graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    excluded = {node.name for node in source.node if node.op in _UNUSED}
    if clear_extraneous_savers:
        excluded |= _extraneous_savers(source, saver_def)
    unbound = _fill_graph_def(result.graph_def, source, export_scope, clear_devices, excluded)
    if not len(result.meta_info_def.stripped_op_list.op):
        bodies = [f.node_def for f in result.graph_def.library.function]
        types = sorted({node.op for nodes in (result.graph_def.node, *bodies) for node in nodes} & REGISTRY.keys())
        result.meta_info_def.stripped_op_list.op.extend([op_def_proto(REGISTRY[t]) for t in types])
    if strip_default_attrs:
        _strip_defaults(result)
    for key in graph.get_all_collection_keys() if collection_list is None else collection_list:
        if clear_extraneous_savers and key == GraphKeys.SAVERS:
            if saver_def is not None:
                result.collection_def[key].bytes_list.value.append(saver_def.SerializeToString(deterministic=True))
        elif key != unbound_inputs_col_name:
            _add_collection(result, graph, key, export_scope, excluded)
    if unbound and unbound_inputs_col_name:
        result.collection_def[unbound_inputs_col_name].bytes_list.value.extend([name.encode() for name in unbound])
    if filename:
        _write(result, filename, as_text)
    return result


def _write(meta_graph_def, filename, as_text):
    files = file_system_of(text_of(filename))
    if files is LOCAL:
        write_graph(meta_graph_def, os.path.dirname(filename), os.path.basename(filename), as_text)
    else:
        files.write_whole(filename, message_bytes(meta_graph_def, as_text))


def _read(filename):
    files = file_system_of(text_of(filename))
    if files is LOCAL:
        meta_graph_def = read_message(filename, protos.MetaGraphDef)
        attach_constants(meta_graph_def.graph_def, filename)
        return meta_graph_def
    with files.open(filename, "rb") as file:
        return parse_message(file.read(), filename, protos.MetaGraphDef)


def _check_types(graph, meta_info_def, graph_def, saver_def):
    for name, value, wanted in (
        ("graph", graph, Graph),
        ("meta_info_def", meta_info_def, protos.MetaGraphDef.MetaInfoDef),
        ("graph_def", graph_def, protos.GraphDef),
        ("saver_def", saver_def, protos.SaverDef),
    ):
        if value is not None and not isinstance(value, wanted):
            raise TypeError(f"{name} must be of type {wanted.__name__}. Received type: {type(value)}.")


def _in_scope(name, scope):
    return not scope or name == scope or name.startswith(scope.rstrip("/") + "/")


def _strip(name, scope):
    """The name of a node, tensor ("a:0"), control input ("^a") or group ("loc:@a") without the scope."""
    return re.sub(rf"^(\^|loc:@|){re.escape(scope.rstrip('/'))}/", r"\1", name) if scope else name


def _fill_graph_def(target, source, scope, clear_devices, excluded):
    """Copies the nodes to export; returns the names of inputs from outside the scope."""
    for part in ("versions", "library"):
        if source.HasField(part):
            getattr(target, part).CopyFrom(getattr(source, part))
    unbound = {}
    for node in source.node:
        if node.name in excluded or not _in_scope(node.name, scope):
            continue
        copy = target.node.add()
        copy.CopyFrom(node)
        if clear_devices:
            copy.device = ""
        if scope:
            _rename_node(copy, scope, unbound)
    return list(unbound)


def _rename_node(node, scope, unbound):
    node.name = _strip(node.name, scope)
    for i, text in enumerate(node.input):
        mark = "^" if text.startswith("^") else ""
        if _in_scope(node_of(text), scope):
            node.input[i] = _strip(text, scope)
        else:
            node.input[i] = mark + _UNBOUND + text.lstrip("^")
            unbound[node.input[i]] = True
    if "_class" in node.attr:
        groups = [g for g in node.attr["_class"].list.s if _in_scope(g.decode().partition("@")[2], scope)]
        node.attr["_class"].list.s[:] = [_strip(g.decode(), scope).encode() for g in groups]


# Operations that savers run by themselves (`train/checkpoints/saved_state.py`): other programs do not know them.
_UNUSED = ("_GetRandomState", "_SetRandomState")
_SAVERS = ("Save", "SaveSlices", "SaveV2", "Restore", "RestoreSlice", "RestoreV2")


def _extraneous_savers(graph_def, saver_def):
    """Names of the nodes in scopes that have savers other than `saver_def`'s."""
    scopes = {node.name.rpartition("/")[0] for node in graph_def.node if node.op in _SAVERS} - {""}
    if saver_def is not None:
        kept = (saver_def.save_tensor_name, saver_def.restore_op_name)
        scopes -= {name.rpartition("/")[0] for name in kept}
    return {node.name for node in graph_def.node if any(_in_scope(node.name, scope) for scope in scopes)}


def _strip_defaults(meta_graph_def):
    defaults = {}
    for op in meta_graph_def.meta_info_def.stripped_op_list.op:
        defaults[op.name] = {attr.name: attr.default_value for attr in op.attr if attr.HasField("default_value")}
    for node in meta_graph_def.graph_def.node:
        known = defaults.get(node.op, {})
        for key in [key for key, value in node.attr.items() if key in known and known[key] == value]:
            del node.attr[key]
    meta_graph_def.meta_info_def.stripped_default_attrs = True


def _add_collection(meta_graph_def, graph, key, scope, excluded):
    members = [m for m in graph.get_collection(key) if _is_exported(m, scope, excluded)]
    if not members:
        return
    target = protos.CollectionDef()
    try:
        _fill_collection(target, key, members, scope)
    except (TypeError, ValueError, AttributeError) as error:
        warnings.warn(
            f"Collection '{key}' is not exported: its members cannot be converted to protocol buffers ({error}).",
            stacklevel=3,
        )
        return
    meta_graph_def.collection_def[key].CopyFrom(target)


def _is_exported(member, scope, excluded):
    name = member if isinstance(member, str) else getattr(member, "name", None)  # a string may be a name
    if not isinstance(name, str):
        return True
    node = name.partition(":")[0]
    return node not in excluded and _in_scope(node, scope)


def _fill_collection(target, key, members, scope):
    proto_type, to_proto, _ = _functions_of(key)
    if to_proto is not None:
        messages = [to_proto(member, export_scope=scope) for member in members]
        for message in messages:
            if message is not None and not isinstance(message, proto_type):
                raise TypeError(f"a {type(message).__name__} where {proto_type.__name__} is expected")
        target.bytes_list.value.extend([m.SerializeToString(deterministic=True) for m in messages if m is not None])
        return
    first = members[0]
    if isinstance(first, (str, bytes)):
        target.bytes_list.value.extend([m.encode() if isinstance(m, str) else m for m in members])
    elif isinstance(first, int):
        target.int64_list.value.extend(members)
    elif isinstance(first, float):
        target.float_list.value.extend(members)
    elif getattr(getattr(first, "DESCRIPTOR", None), "full_name", None) == "google.protobuf.Any":
        target.any_list.value.extend([protos.as_message(protos.Any, member) for member in members])
    else:
        target.node_list.value.extend([_strip(m.name, scope) for m in members])


# ---- Import


def import_scoped_meta_graph(
    meta_graph_or_file,
    clear_devices=False,
    import_scope=None,
    graph=None,
    input_map=None,
    unbound_inputs_col_name="unbound_inputs",
    restore_collections_predicate=lambda key: True,
    return_elements=None,
):
    """Adds the operations and collections of a MetaGraphDef to a graph; see `tf.train.import_meta_graph`.

    Returns:
      The MetaGraphDef, the name scope that its names are in now ("" for none), and the list that `tf.import_graph_def`
      returns for `return_elements`, or None.
    """
    meta_graph_or_file = protos.as_message(protos.MetaGraphDef, meta_graph_or_file)
    if isinstance(meta_graph_or_file, protos.MetaGraphDef):
        meta_graph_def = meta_graph_or_file
    else:
        meta_graph_def = _read(meta_graph_or_file)
    _check_bound(meta_graph_def, unbound_inputs_col_name, input_map)
    graph = graph or get_default_graph()
    collections = {
        key: _parse_collection(key, value, meta_graph_def)
        for key, value in sorted(meta_graph_def.collection_def.items(), key=_trainable_first)
        if key != unbound_inputs_col_name and restore_collections_predicate(key)
    }
    graph_def = meta_graph_def.graph_def
    if meta_graph_def.meta_info_def.tensorflow_git_version:  # written by TensorFlow
        graph_def = with_late_reads(graph_def, input_map or ())
    if clear_devices:
        copy = protos.GraphDef()
        _fill_graph_def(copy, graph_def, None, True, frozenset())
        graph_def = copy
    op_list = meta_graph_def.meta_info_def.stripped_op_list
    lacks_trainable = _lacks_trainable(meta_graph_def.meta_info_def.tensorflow_version)
    with graph.as_default():
        scope = import_scope or ""
        if scope.endswith("/"):  # an open scope, as a whole name
            scope = scope[:-1]
        elif scope:
            scope = graph.unique_name(scope, mark_as_used=False)
        result = import_graph_def(graph_def, input_map, return_elements, import_scope or "", None, op_list)
        variables = {}  # so that a variable in several collections is one object
        for key, members in collections.items():
            for kind, member in members:
                graph.add_to_collection(key, _restored(graph, key, kind, member, scope, variables, lacks_trainable))
    return meta_graph_def, scope, result


def _trainable_first(item):
    """Sort key: a variable is made for the first collection that has it, which `_restored` needs to be this one."""
    return item[0] != GraphKeys.TRAINABLE_VARIABLES, item[0]


def _lacks_trainable(version):
    """Whether a version of TensorFlow wrote VariableDefs without the field `trainable`, which came with 1.9."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) < (1, 9)


def _check_bound(meta_graph_def, collection, input_map):
    if not collection or collection not in meta_graph_def.collection_def:
        return
    names = [name.decode() for name in meta_graph_def.collection_def[collection].bytes_list.value]
    missing = [name for name in names if name not in (input_map or ())]
    if missing:
        raise ValueError(
            f"Graph contains unbound inputs: {','.join(missing)}. Must provide these inputs through input_map."
        )


def _parse_collection(key, collection, meta_graph_def):
    """(kind, member) pairs; messages are parsed, and names of nodes checked against the GraphDef."""
    from google.protobuf.message import DecodeError

    kind = collection.WhichOneof("kind")
    if kind is None:
        return []
    values = list(getattr(collection, kind).value)
    proto_type, _, from_proto = _functions_of(key)
    if from_proto is not None and kind == "bytes_list":
        try:
            return [("message", proto_type.FromString(value)) for value in values]
        except DecodeError as error:
            raise ValueError(f"Collection '{key}' has a malformed {proto_type.__name__}: {error}") from None
    if kind == "node_list":
        known = {node.name for node in meta_graph_def.graph_def.node}
        missing = [value for value in values if value.partition(":")[0] not in known]
        if missing:
            raise ValueError(f"Collection '{key}' has nodes that are not in the graph: {', '.join(missing)}")
    return [(kind, value) for value in values]


def _scoped_name(text, prefix):
    """A string of a collection with the scope before it: TensorFlow takes all of them for names."""
    try:
        return re.sub(r"^(\^|loc:@|)", lambda mark: mark[0] + prefix, text.decode())
    except UnicodeDecodeError:
        return text


def _restored(graph, key, kind, member, scope, variables, lacks_trainable):
    prefix = scope + "/" if scope else ""
    if kind == "node_list":
        return graph.as_graph_element(prefix + member)
    if kind == "bytes_list" and scope:
        return _scoped_name(member, prefix)
    if kind != "message":
        return member
    _, _, from_proto = _functions_of(key)
    if not isinstance(member, protos.VariableDef):
        return from_proto(member, import_scope=scope or None)
    identity = member.SerializeToString(deterministic=True)
    if identity not in variables:
        if lacks_trainable:
            member.trainable = key == GraphKeys.TRAINABLE_VARIABLES
        variables[identity] = from_proto(member, import_scope=scope or None)
    return variables[identity]
