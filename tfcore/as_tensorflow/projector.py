"""tensorflow.contrib.tensorboard.plugins.projector: says which variables TensorBoard shows as points."""

import os

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

from tfcore.platform.gfile_object import GFile

PROJECTOR_FILENAME = "projector_config.pbtxt"
_FIELD = descriptor_pb2.FieldDescriptorProto

_SCALARS = {str: {"type": _FIELD.TYPE_STRING}, int: {"type": _FIELD.TYPE_UINT32}}
# Message -> fields, in the order of their numbers: name, type, and whether it is repeated.
_MESSAGES = {
    "SpriteMetadata": [("image_path", str, False), ("single_image_dim", int, True)],
    "EmbeddingInfo": [
        ("tensor_name", str, False),
        ("metadata_path", str, False),
        ("bookmarks_path", str, False),
        ("tensor_shape", int, True),
        ("sprite", "SpriteMetadata", False),
        ("tensor_path", str, False),
    ],
    "ProjectorConfig": [
        ("model_checkpoint_path", str, False),
        ("embeddings", "EmbeddingInfo", True),
        ("model_checkpoint_dir", str, False),
    ],
}


def _messages():
    """The classes of the messages, in a pool of their own: TensorBoard has messages of these names."""
    file = descriptor_pb2.FileDescriptorProto(name="projector_config.proto", package="tensorflow", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind, repeated) in enumerate(fields, 1):
            of_kind = _SCALARS.get(kind) or {"type": _FIELD.TYPE_MESSAGE, "type_name": f".tensorflow.{kind}"}
            label = _FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL
            message.field.add(name=field, number=number, label=label, **of_kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return [message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{name}")) for name in _MESSAGES]


SpriteMetadata, EmbeddingInfo, ProjectorConfig = _messages()


def visualize_embeddings(summary_writer, config):
    """Writes a ProjectorConfig beside the summaries of a tf.summary.FileWriter, where TensorBoard looks for it.

    Args:
      summary_writer: The writer.
      config: The ProjectorConfig.

    Raises:
      ValueError: The writer has no folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    with GFile(os.path.join(logdir, PROJECTOR_FILENAME), "w") as file:
        file.write(text_format.MessageToString(config))
