"""tf.contrib.staging: staging areas."""

from tfcore.ops.stage import StagingArea

__all__ = ["StagingArea"]
