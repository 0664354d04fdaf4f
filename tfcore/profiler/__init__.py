"""The namespace tf.profiler: what the operations of a graph cost."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.profiler")
