"""The namespace tf.contrib.distributions.bijectors."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.distributions.bijectors")
