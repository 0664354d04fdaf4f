"""tf.contrib.training: training steps, hyperparameters, resampling, strategies for parameter servers."""

from tfcore.contrib.training import evaluation, gradients, hparams, resample, train_op
from tfcore.contrib.training.evaluation import *  # noqa: F403
from tfcore.contrib.training.gradients import *  # noqa: F403
from tfcore.contrib.training.hparams import *  # noqa: F403
from tfcore.contrib.training.resample import *  # noqa: F403
from tfcore.contrib.training.train_op import *  # noqa: F403
from tfcore.framework.lazy import lazy_names as _lazy_names
from tfcore.train.optimizers.device_setter import GreedyLoadBalancingStrategy, RandomStrategy, byte_size_load_fn

__all__ = [
    *evaluation.__all__,
    *gradients.__all__,
    *hparams.__all__,
    *resample.__all__,
    *train_op.__all__,
    "GreedyLoadBalancingStrategy",
    "RandomStrategy",
    "byte_size_load_fn",
]

__getattr__, __dir__ = _lazy_names(globals(), {})
