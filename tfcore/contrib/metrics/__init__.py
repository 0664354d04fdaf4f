"""The namespace tf.contrib.metrics: tf.metrics under its older names, and more metrics."""

from tfcore.composed.confusion_matrix import confusion_matrix
from tfcore.contrib.metrics import areas, concatenation, correlation, counts, older, rates
from tfcore.contrib.metrics.areas import *  # noqa: F403
from tfcore.contrib.metrics.concatenation import *  # noqa: F403
from tfcore.contrib.metrics.correlation import *  # noqa: F403
from tfcore.contrib.metrics.counts import *  # noqa: F403
from tfcore.contrib.metrics.older import *  # noqa: F403
from tfcore.contrib.metrics.rates import *  # noqa: F403
from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.ops.sparse.sets import set_difference, set_intersection, set_size, set_union

__all__ = [
    "confusion_matrix",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    *areas.__all__,
    *concatenation.__all__,
    *correlation.__all__,
    *counts.__all__,
    *older.__all__,
    *rates.__all__,
]

__getattr__, __dir__ = _lazy_names(globals(), {})
