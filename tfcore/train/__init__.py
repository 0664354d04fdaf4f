"""The namespace tf.train: optimizers, learning-rate schedules, moving averages, the global step."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.train")
