"""tf.contrib.image: images that are rotated, moved, warped and recoloured."""

from tfcore.framework.lazy import publish as _publish

_publish(globals(), "tf.contrib.image")
