"""The namespace tf.feature_column: how features of examples become the input of a model."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.feature_column")
