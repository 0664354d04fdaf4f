"""tf.contrib.staging: staging areas."""

from tfcore.ops.stage import StagingArea
from tfcore.ops.stage_map import MapStagingArea

__all__ = ["MapStagingArea", "StagingArea"]
