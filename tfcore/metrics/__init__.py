"""The namespace tf.metrics: what a model achieves, accumulated over batches."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.metrics import classes, counts, means, thresholds, top_k
from tfcore.metrics.classes import *  # noqa: F403
from tfcore.metrics.counts import *  # noqa: F403
from tfcore.metrics.means import *  # noqa: F403
from tfcore.metrics.thresholds import *  # noqa: F403
from tfcore.metrics.top_k import *  # noqa: F403

__all__ = [*classes.__all__, *counts.__all__, *means.__all__, *thresholds.__all__, *top_k.__all__]

__getattr__, __dir__ = _lazy_names(globals(), {})
