"""tf.contrib.layers: layers as functions, for `arg_scope`, with collections for their variables and outputs."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.layers")
