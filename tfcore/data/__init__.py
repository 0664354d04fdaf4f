"""The namespace tf.data: input pipelines."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.data")
