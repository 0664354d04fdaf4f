"""The namespace tf.distribute: training on several devices."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.distribute")
