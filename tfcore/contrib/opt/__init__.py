"""tf.contrib.opt: more optimizers, and wrappers of optimizers."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.opt")
