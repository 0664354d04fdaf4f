"""The namespace tf.metrics: what a model achieves, accumulated over batches."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.metrics")
