"""The namespace tf.distributed: collectives."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.distributed")
