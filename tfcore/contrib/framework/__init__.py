"""tf.contrib.framework: arg_scope, variables of models, checks of tensors."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.framework")
