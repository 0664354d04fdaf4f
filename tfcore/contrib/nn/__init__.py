"""tf.contrib.nn: dropout for SELU, losses, and older names of tf.nn."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.nn")
