"""The messages of TensorFlow's `control_flow.proto`, which tensorboard lacks: contexts as MetaGraphDefs store them."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "tfcore"
_Field = descriptor_pb2.FieldDescriptorProto
_KINDS = {"string": _Field.TYPE_STRING, "int32": _Field.TYPE_INT32, "bool": _Field.TYPE_BOOL}

# Message -> its fields in numerical order, as "type name" or "repeated type name".
_MESSAGES = {
    "ValuesDef": ["repeated string values", "repeated ValuesDef.ExternalValuesEntry external_values"],
    "ControlFlowContextDef": ["CondContextDef cond_ctxt", "WhileContextDef while_ctxt"],
    "CondContextDef": [
        "string context_name", "string pred_name", "string pivot_name", "int32 branch", "ValuesDef values_def",
        "repeated ControlFlowContextDef nested_contexts",
    ],
    "WhileContextDef": [
        "string context_name", "int32 parallel_iterations", "bool back_prop", "bool swap_memory", "string pivot_name",
        "string pivot_for_pred_name", "string pivot_for_body_name", "repeated string loop_exit_names",
        "ValuesDef values_def", "repeated string loop_enter_names", "string maximum_iterations_name",
        "repeated ControlFlowContextDef nested_contexts",
    ],
}  # fmt: skip


def _add_fields(message, fields):
    for number, text in enumerate(fields, 1):
        *repeated, kind, name = text.split()
        label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
        field = message.field.add(name=name, number=number, label=label)
        if kind in _KINDS:
            field.type = _KINDS[kind]
        else:
            field.type, field.type_name = _Field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"


def _message_classes():
    file = descriptor_pb2.FileDescriptorProto(name="tfcore/control_flow.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        _add_fields(message, fields)
        if name == "ValuesDef":
            entry = message.nested_type.add(name="ExternalValuesEntry")
            _add_fields(entry, ["string key", "string value"])
            entry.options.map_entry = True
        if name == "ControlFlowContextDef":
            message.oneof_decl.add(name="ctxt")
            for field in message.field:
                field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    # Renamed in protobuf 4.22.
    class_of = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return {name: class_of(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES}


globals().update(_message_classes())
