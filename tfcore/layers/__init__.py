"""The namespace tf.layers: layers with variables, as functions and as classes."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.layers")
