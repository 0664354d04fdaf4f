"""Losses of tensorflow.python.keras.backend. Those of probabilities begin at the logits, where the graph has them."""

import tfcore as tf
from tfcore.as_tensorflow.keras.settings import epsilon


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy of distributions and outputs along an axis.

    Args:
      target: A tensor of the shape of `output`.
      output: Probabilities, which need not sum to 1, or logits.
      from_logits: Whether the outputs are logits.
      axis: The axis of the classes.
    """
    logits = output if from_logits else _logits(output, "Softmax")
    if logits is not None:
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=logits, axis=axis)
    output = _clipped(output / tf.reduce_sum(output, axis, keepdims=True))
    return -tf.reduce_sum(target * tf.log(output), axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy of classes, given by their numbers, and outputs along an axis.

    Args:
      target: A tensor of integers, of the shape of `output` without the axis, or of 1 along it.
      output: Probabilities, or logits.
      from_logits: Whether the outputs are logits.
      axis: The axis of the classes.
    """
    logits = output if from_logits else _logits(output, "Softmax")
    if logits is None:
        logits = tf.log(_clipped(output))
    rank = logits.shape.ndims
    if rank is not None and axis % rank != rank - 1:
        logits = tf.transpose(logits, [*(d for d in range(rank) if d != axis % rank), axis % rank])
    target = tf.reshape(tf.cast(target, tf.int64), tf.shape(logits)[:-1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits)


def binary_crossentropy(target, output, from_logits=False):
    """The cross entropy of each of several yes or no decisions and its probability, or logit."""
    logits = output if from_logits else _logits(output, "Sigmoid")
    if logits is not None:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    output = _clipped(output)
    return -(target * tf.log(output + epsilon()) + (1 - target) * tf.log(1 - output + epsilon()))


def _logits(output, op_type):
    """The input of the operation that made output, if that is of type op_type; otherwise None."""
    op = getattr(output, "op", None)
    return op.inputs[0] if op is not None and op.type == op_type else None


def _clipped(output):
    return tf.clip_by_value(output, epsilon(), 1.0 - epsilon())
