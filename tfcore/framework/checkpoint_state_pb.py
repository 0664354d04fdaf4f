"""The message of TensorFlow's `checkpoint_state.proto`, which tensorboard lacks: the file "checkpoint"."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_FIELDS = [
    ("model_checkpoint_path", _Field.TYPE_STRING, _Field.LABEL_OPTIONAL),
    ("all_model_checkpoint_paths", _Field.TYPE_STRING, _Field.LABEL_REPEATED),
    ("all_model_checkpoint_timestamps", _Field.TYPE_DOUBLE, _Field.LABEL_REPEATED),
    ("last_preserved_timestamp", _Field.TYPE_DOUBLE, _Field.LABEL_OPTIONAL),
]


def _message_class():
    file = descriptor_pb2.FileDescriptorProto(name="tfcore/checkpoint_state.proto", package="tfcore", syntax="proto3")
    message = file.message_type.add(name="CheckpointState")
    for number, (name, kind, label) in enumerate(_FIELDS, 1):
        message.field.add(name=name, number=number, type=kind, label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    # Renamed in protobuf 4.22.
    class_of = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return class_of(pool.FindMessageTypeByName("tfcore.CheckpointState"))


CheckpointState = _message_class()
