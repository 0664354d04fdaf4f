"""The namespace tf.train: optimizers, learning-rate schedules, moving averages, the global step."""

from tfcore.train import learning_rate_decay, moving_averages, optimizers, training_util
from tfcore.train.learning_rate_decay import *  # noqa: F403
from tfcore.train.moving_averages import *  # noqa: F403
from tfcore.train.optimizer import Optimizer
from tfcore.train.optimizers import *  # noqa: F403
from tfcore.train.training_util import *  # noqa: F403

__all__ = [
    "Optimizer",
    *learning_rate_decay.__all__,
    *moving_averages.__all__,
    *optimizers.__all__,
    *training_util.__all__,
]
