"""The bijector that undoes batch normalization."""

from tfcore.distributions.bijectors.bijector import Bijector
from tfcore.layers.normalization import BatchNormalization as Layer
from tfcore.ops.array.array import reshape
from tfcore.ops.cwise.unary import log, sqrt
from tfcore.ops.nn.activations import relu
from tfcore.ops.nn.normalization import moments
from tfcore.ops.reduce.reduce import reduce_sum


class BatchNormalization(Bijector):
    """Its inverse normalizes a batch with a layer; `forward` undoes that with the layer's moving averages.

    In training, the inverse has the statistics of the batch and is not that of `forward`.

    Args:
      batchnorm_layer: A `tf.layers.BatchNormalization`; by default one whose scale is kept positive.
      training: Whether the inverse normalizes by the statistics of the batch and updates moving averages.
      validate_args: Accepted for compatibility; has no effect.
      name: Prefix of the names of the operations.

    Raises:
      ValueError: The layer is not a `tf.layers.BatchNormalization`, or has renormalization or virtual batches.
    """

    def __init__(self, batchnorm_layer=None, training=True, validate_args=False, name="batch_normalization"):
        self.batchnorm = batchnorm_layer or Layer(gamma_constraint=lambda x: relu(x) + 1e-6)
        if not isinstance(self.batchnorm, Layer):
            raise ValueError("batchnorm_layer must be an instance of BatchNormalization layer.")
        if getattr(self.batchnorm, "renorm", False):
            raise ValueError("BatchNorm Bijector does not support renormalization.")
        if getattr(self.batchnorm, "virtual_batch_size", None):
            raise ValueError("BatchNorm Bijector does not support virtual batch sizes.")
        self._training = training
        axis = self.batchnorm.axis
        super().__init__(
            forward_min_event_ndims=1 if isinstance(axis, int) else len(axis), validate_args=validate_args, name=name
        )

    def _axes(self, value):
        """The dimensions that are normalized apart, of a value of a known shape, after the layer has its variables."""
        if not value.shape.is_fully_defined():
            raise ValueError("Input must have shape known at graph construction.")
        if not self.batchnorm.built:
            self.batchnorm.build(value.shape)
        axis = self.batchnorm.axis
        return [axis % value.shape.ndims] if isinstance(axis, int) else [one % value.shape.ndims for one in axis]

    def _broadcast(self, parameter, value, axes):
        sizes = [size if i in axes else 1 for i, size in enumerate(value.shape.as_list())]
        return reshape(parameter, sizes)

    def _forward(self, x):
        axes, layer = self._axes(x), self.batchnorm
        if layer.center:
            x -= self._broadcast(layer.beta, x, axes)
        if layer.scale:
            x /= self._broadcast(layer.gamma, x, axes)
        deviation = sqrt(self._broadcast(layer.moving_variance, x, axes) + layer.epsilon)
        return x * deviation + self._broadcast(layer.moving_mean, x, axes)

    def _inverse(self, y):
        return self.batchnorm.apply(y, training=self._training)

    def _forward_log_det_jacobian(self, x):
        return -self._log_det(x, saved=True)

    def _inverse_log_det_jacobian(self, y):
        return self._log_det(y, saved=not self._training)

    def _log_det(self, value, saved):
        axes, layer = self._axes(value), self.batchnorm
        if saved:
            variance = layer.moving_variance
        else:
            variance = moments(value, [i for i in range(value.shape.ndims) if i not in axes])[1]
        total = -0.5 * reduce_sum(log(variance + layer.epsilon))
        return total + reduce_sum(log(layer.gamma)) if layer.scale else total
