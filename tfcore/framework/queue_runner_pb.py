"""The message of TensorFlow's `queue_runner.proto`, which tensorboard lacks: the queue runners of a MetaGraphDef."""

from tfcore.framework import errors
from tfcore.framework.message import Enum, Message

Code = Enum("Code", **{name: getattr(errors, name) for name in errors.__all__ if name.isupper()})


class QueueRunnerDef(Message):
    """Names of a queue and of the operations of its runner."""

    _schema = """
        string queue_name = 1
        repeated string enqueue_op_name = 2
        string close_op_name = 3
        string cancel_op_name = 4
        repeated Code queue_closed_exception_types = 5
    """
