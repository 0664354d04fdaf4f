"""The namespace tf.nn.rnn_cell."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.nn.rnn_cell")
