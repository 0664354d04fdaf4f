"""The namespace tf.losses: what training minimizes."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.losses import collection, functions, reduction
from tfcore.losses.collection import *  # noqa: F403
from tfcore.losses.functions import *  # noqa: F403
from tfcore.losses.reduction import *  # noqa: F403

__all__ = [*collection.__all__, *functions.__all__, *reduction.__all__]

__getattr__, __dir__ = _lazy_names(globals(), {})
