"""The namespace tf.distributions."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.distributions")
