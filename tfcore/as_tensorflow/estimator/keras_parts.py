"""What the modules of tensorflow-estimator find where they import parts of tensorflow.python.keras that Keras lacks.

Of these the models that come with the package need a class that calls layers, whether Keras is installed or not. The
others are for estimators of TensorFlow 2, which are in the same modules.
"""

import tfcore as tf


class Model:
    """Layers that are called together, in a name scope.

    Args:
      name: Name of the scope.
    """

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **kwargs):
        with tf.name_scope(self.name):
            return self.call(*args, **kwargs)

    def call(self, *args, **kwargs):
        """Calls the layers."""
        raise NotImplementedError("When subclassing the `Model` class, you should implement a `call` method.")


class ReductionV2:
    """How the losses of a batch are reduced."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls):
        """All of them."""
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key):
        """Raises a ValueError if something else is given."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def compute_weighted_loss(losses, sample_weight=None, reduction=ReductionV2.SUM_OVER_BATCH_SIZE, name=None):
    """The loss of a batch: weighted losses, which are reduced to one number.

    Args:
      losses: A `Tensor` of losses.
      sample_weight: Weights, of the rank of the losses, one more or one less, or a scalar; None for 1.
      reduction: One of `ReductionV2`.
      name: Name of the scope.
    """
    ReductionV2.validate(reduction)
    with tf.name_scope(name or "weighted_loss"):
        losses = tf.convert_to_tensor(losses)
        weighted = tf.cast(losses, tf.float32)
        if sample_weight is not None:
            weighted *= _with_rank_of(tf.cast(sample_weight, tf.float32), losses)
        if reduction == ReductionV2.NONE:
            return tf.cast(weighted, losses.dtype)
        total = tf.reduce_sum(weighted)
        if reduction != ReductionV2.SUM:
            total = tf.math.divide_no_nan(total, tf.cast(tf.size(weighted), total.dtype))
        return tf.cast(total, losses.dtype)


def scale_loss_for_distribution(loss):
    """The loss divided by the number of replicas, so that their sum is the mean over the global batch."""
    n = tf.distribute.get_strategy().num_replicas_in_sync
    return loss if n == 1 else loss * (1.0 / n)


def _with_rank_of(weights, losses):
    """Weights of which the last dimension of size 1 is removed or added, so that they broadcast."""
    if weights.shape.ndims is None or losses.shape.ndims is None or weights.shape.ndims == 0:
        return weights
    if weights.shape.ndims == losses.shape.ndims + 1:
        return tf.squeeze(weights, [-1])
    return tf.expand_dims(weights, -1) if weights.shape.ndims == losses.shape.ndims - 1 else weights


class OptimizerV2:
    """An optimizer of TensorFlow 2, of which programs make their own. tfcore has none of TensorFlow's.

    Args:
      name: The name.

    Attributes:
      iterations: The number of steps, which an estimator sets to its global step.
    """

    iterations = None

    def __init__(self, name, **kwargs):
        self._name = name

    def get_updates(self, loss, params):
        """The operations of a step, the training step first."""
        raise NotImplementedError("An optimizer defines the method get_updates")


class _Absent(OptimizerV2):
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            f"tfcore does not have the optimizer {type(self).__name__} of TensorFlow 2 yet. Those of tf.train are there"
        )


class Adagrad(_Absent):
    pass


class Adam(_Absent):
    pass


class Ftrl(_Absent):
    pass


class RMSProp(_Absent):
    pass


class SGD(_Absent):
    pass
