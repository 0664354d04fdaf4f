"""The namespace tf.losses: what training minimizes."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.losses")
