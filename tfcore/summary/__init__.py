"""The namespace tf.summary: what a program computes, for TensorBoard."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.summary")
