"""The namespace tf.layers: layers with variables, as functions and as classes."""

from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.layers import base, convolutional, core, experimental, input_spec, normalization, pooling, separable
from tfcore.layers.base import *  # noqa: F403
from tfcore.layers.convolutional import *  # noqa: F403
from tfcore.layers.core import *  # noqa: F403
from tfcore.layers.input_spec import *  # noqa: F403
from tfcore.layers.normalization import *  # noqa: F403
from tfcore.layers.pooling import *  # noqa: F403
from tfcore.layers.separable import *  # noqa: F403

__all__ = [
    *base.__all__,
    *convolutional.__all__,
    *core.__all__,
    "experimental",
    *input_spec.__all__,
    *normalization.__all__,
    *pooling.__all__,
    *separable.__all__,
]

__getattr__, __dir__ = _lazy_names(globals(), {})
