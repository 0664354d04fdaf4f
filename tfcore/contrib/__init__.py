"""The parts of tf.contrib that TensorFlow 1 programs use most."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib")
