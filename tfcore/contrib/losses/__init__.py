"""tf.contrib.losses: the first losses of TensorFlow, which take predictions before labels."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.losses")
