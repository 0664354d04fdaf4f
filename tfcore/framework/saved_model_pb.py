"""The message of TensorFlow's `saved_model.proto`, which tensorboard lacks: the file "saved_model.pb"."""

from google.protobuf import descriptor_pb2, message_factory
from tensorboard.compat.proto import meta_graph_pb2

_Field = descriptor_pb2.FieldDescriptorProto


def _message_class():
    file = descriptor_pb2.FileDescriptorProto(
        name="tfcore/saved_model.proto",
        package="tfcore",
        syntax="proto3",
        dependency=[meta_graph_pb2.DESCRIPTOR.name],
    )
    message = file.message_type.add(name="SavedModel")
    message.field.add(name="saved_model_schema_version", number=1, type=_Field.TYPE_INT64, label=_Field.LABEL_OPTIONAL)
    message.field.add(
        name="meta_graphs",
        number=2,
        type=_Field.TYPE_MESSAGE,
        type_name=f".{meta_graph_pb2.MetaGraphDef.DESCRIPTOR.full_name}",
        label=_Field.LABEL_REPEATED,
    )
    pool = meta_graph_pb2.DESCRIPTOR.pool  # where the messages inside are known
    pool.AddSerializedFile(file.SerializeToString())
    # Renamed in protobuf 4.22.
    class_of = getattr(message_factory, "GetMessageClass", None) or message_factory.MessageFactory(pool).GetPrototype
    return class_of(pool.FindMessageTypeByName("tfcore.SavedModel"))


SavedModel = _message_class()
