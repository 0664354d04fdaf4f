"""The same calls on a GPU and on the CPU."""

import tfcore as tf
from tfcore.framework.definitions.op_def import get_op_def


def raw(name, **attrs):
    """A function that adds an op with the given inputs, in their order."""
    arguments = [arg.name for arg in get_op_def(name).inputs]
    return lambda *inputs: getattr(tf.raw_ops, name)(**dict(zip(arguments, inputs)), **attrs)


def run(device, build, values):
    """What `build` computes of placeholders on a device."""
    with tf.Graph().as_default(), tf.Session() as session, tf.device(device):
        inputs = [tf.placeholder(value.dtype) for value in values]
        return session.run(build(*inputs), dict(zip(inputs, values)))


def failure(device, build, values):
    """The class and text of the error, without the place in the program."""
    try:
        run(device, build, values)
    except tf.errors.OpError as error:
        return type(error), error.message.split("\n")[0]
    return None
