"""tf.contrib.training: training steps, hyperparameters, resampling, strategies for parameter servers."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.training")
