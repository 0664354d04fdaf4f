"""tf.contrib.staging: staging areas."""

from tfcore.ops.queues.stage import StagingArea
from tfcore.ops.queues.stage_map import MapStagingArea

__all__ = ["MapStagingArea", "StagingArea"]
