"""The namespace tf.io: graph files, bytes of strings, and tf.io.gfile."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.io")
