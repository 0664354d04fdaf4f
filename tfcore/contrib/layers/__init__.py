"""tf.contrib.layers: layers as functions, for `arg_scope`, with collections for their variables and outputs."""

from tfcore.contrib.layers import (
    batch_normalization,
    convolutions,
    dense,
    embeddings,
    gdn_layer,
    initializers,
    norms,
    optimizers,
    pooling,
    regularizers,
    reversible,
    stacking,
    transforms,
    utils,
)
from tfcore.contrib.layers.batch_normalization import *  # noqa: F403
from tfcore.contrib.layers.convolutions import *  # noqa: F403
from tfcore.contrib.layers.dense import *  # noqa: F403
from tfcore.contrib.layers.embeddings import *  # noqa: F403
from tfcore.contrib.layers.gdn_layer import *  # noqa: F403
from tfcore.contrib.layers.initializers import *  # noqa: F403
from tfcore.contrib.layers.norms import *  # noqa: F403
from tfcore.contrib.layers.optimizers import *  # noqa: F403
from tfcore.contrib.layers.pooling import *  # noqa: F403
from tfcore.contrib.layers.regularizers import *  # noqa: F403
from tfcore.contrib.layers.reversible import *  # noqa: F403
from tfcore.contrib.layers.stacking import *  # noqa: F403
from tfcore.contrib.layers.transforms import *  # noqa: F403
from tfcore.contrib.layers.utils import *  # noqa: F403
from tfcore.framework.lazy import lazy_names as _lazy_names

__all__ = [
    *batch_normalization.__all__,
    *convolutions.__all__,
    *dense.__all__,
    *embeddings.__all__,
    *gdn_layer.__all__,
    *initializers.__all__,
    *norms.__all__,
    *optimizers.__all__,
    *pooling.__all__,
    *regularizers.__all__,
    *reversible.__all__,
    *stacking.__all__,
    *transforms.__all__,
    *utils.__all__,
]

__getattr__, __dir__ = _lazy_names(globals(), {})
