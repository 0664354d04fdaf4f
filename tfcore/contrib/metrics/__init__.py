"""The namespace tf.contrib.metrics: tf.metrics under its older names, and more metrics."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.metrics")
