"""The namespace tf.saved_model: graphs with their variables and files, in TensorFlow's format."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.saved_model")
