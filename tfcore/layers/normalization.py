"""Batch normalization."""

import operator

from tfcore.framework import constant as constant_ops
from tfcore.framework import dtypes
from tfcore.layers.base import Layer, last_dimension
from tfcore.ops import fused_batch_norm, normalization
from tfcore.ops.array import reshape
from tfcore.ops.cast import cast
from tfcore.ops.constants import ones, zeros
from tfcore.ops.cwise_select import where
from tfcore.train.moving_averages import assign_moving_average
from tfcore.variables.initializers import Ones, Zeros

__all__ = ["BatchNormalization", "batch_norm", "batch_normalization"]

_ZEROS = Zeros()
_ONES = Ones()


class BatchNormalization(Layer):
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta.

    In training, mean and variance are those of the batch, and operations in the collection UPDATE_OPS update their
    moving averages. The training step must run them:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_step = optimizer.minimize(loss)

    Otherwise the moving averages are used.

    Source: S. Ioffe and C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift", ICML 2015.

    Args:
      axis: An int: the dimension of the channels.
      momentum: A float: the decay of the moving averages.
      epsilon: A small float added to the variance.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      beta_initializer: Initializer of beta; zeros by default.
      gamma_initializer: Initializer of gamma; ones by default.
      moving_mean_initializer: Initializer of the moving mean; zeros by default.
      moving_variance_initializer: Initializer of the moving variance; ones by default.
      beta_regularizer: A function of beta that returns a loss.
      gamma_regularizer: A function of gamma that returns a loss.
      beta_constraint: A function of beta, applied after each update.
      gamma_constraint: A function of gamma, applied after each update.
      renorm: Not supported: must be False.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      fused: False to never use the fused operation, which images otherwise use unless `training` is a `Tensor`.
      **kwargs: Arguments of `Layer`: `dtype`, the type of the variables, by default that of the inputs.
    """

    def __init__(
        self,
        axis=-1,
        momentum=0.99,
        epsilon=1e-3,
        center=True,
        scale=True,
        beta_initializer=_ZEROS,
        gamma_initializer=_ONES,
        moving_mean_initializer=_ZEROS,
        moving_variance_initializer=_ONES,
        beta_regularizer=None,
        gamma_regularizer=None,
        beta_constraint=None,
        gamma_constraint=None,
        renorm=False,
        trainable=True,
        name=None,
        fused=None,
        **kwargs,
    ):
        if renorm:
            raise NotImplementedError("tf.layers.batch_normalization: renorm is not supported")
        super().__init__(trainable=trainable, name=name, **kwargs)
        self._fused = fused
        self.axis = axis[0] if isinstance(axis, (list, tuple)) and len(axis) == 1 else axis
        try:
            self.axis = operator.index(self.axis)
        except TypeError:
            raise TypeError(f"axis must be an int, one axis is supported; got {axis}") from None
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.beta = self.gamma = None

    def build(self, input_shape):
        rank = input_shape.ndims
        if rank is None:
            raise ValueError(f"Input has undefined rank. Received: input_shape={input_shape}.")
        if not -rank <= self.axis < rank:
            raise ValueError(f"Invalid axis: {self.axis}")
        self._axis = self.axis % rank
        size = last_dimension(input_shape, self._axis, f"The dimension of axis {self.axis}")
        dtype = dtypes.float32 if self._dtype in (dtypes.float16, dtypes.bfloat16) else self._dtype
        if self.scale:
            self.gamma = self.add_weight(
                "gamma", [size], dtype, self.gamma_initializer, self.gamma_regularizer, constraint=self.gamma_constraint
            )
        if self.center:
            self.beta = self.add_weight(
                "beta", [size], dtype, self.beta_initializer, self.beta_regularizer, constraint=self.beta_constraint
            )
        self.moving_mean = self.add_weight("moving_mean", [size], dtype, self.moving_mean_initializer, trainable=False)
        self.moving_variance = self.add_weight(
            "moving_variance", [size], dtype, self.moving_variance_initializer, trainable=False
        )

    def call(self, inputs, training=False):
        rank = inputs.shape.ndims
        axes = [a for a in range(rank) if a != self._axis]
        constant = isinstance(training, (bool, int))
        if constant and rank == 4 and self._axis in (1, 3) and self._fused is not False:
            return self._fused_call(inputs, bool(training))
        mean, variance = self.moving_mean.value(), self.moving_variance.value()
        if not constant or training:
            batch_mean, batch_variance = normalization.moments(inputs, axes)
            batch_mean = cast(batch_mean, mean.dtype.base_dtype)
            batch_variance = cast(batch_variance, variance.dtype.base_dtype)
            decay = self.momentum
            if constant:
                mean, variance = batch_mean, batch_variance
            else:
                mean = where(training, batch_mean, mean)
                variance = where(training, batch_variance, variance)
                decay = where(training, cast(self.momentum, dtypes.float32), constant_ops.constant(1.0))
            self.add_update(
                assign_moving_average(self.moving_mean, mean, decay, zero_debias=False),
                assign_moving_average(self.moving_variance, variance, decay, zero_debias=False),
            )
        return self._normalize(inputs, mean, variance, rank)

    def _fused_call(self, inputs, training):
        """The fused operation for images, which also applies Bessel's correction to the variance of the batch."""
        size = self.moving_mean.shape.as_list()
        dtype = self.moving_mean.dtype.base_dtype
        gamma = ones(size, dtype) if self.gamma is None else self.gamma
        beta = zeros(size, dtype) if self.beta is None else self.beta
        outputs, mean, variance = fused_batch_norm.fused_batch_norm(
            inputs,
            gamma,
            beta,
            mean=None if training else self.moving_mean,
            variance=None if training else self.moving_variance,
            epsilon=self.epsilon,
            data_format="NHWC" if self._axis == 3 else "NCHW",
            is_training=training,
        )
        if training:
            self.add_update(
                assign_moving_average(self.moving_mean, mean, self.momentum, zero_debias=False),
                assign_moving_average(self.moving_variance, variance, self.momentum, zero_debias=False),
            )
        return outputs

    def _normalize(self, inputs, mean, variance, rank):
        def along_axis(value):
            if value is None:
                return None
            value = cast(value, inputs.dtype.base_dtype)
            if self._axis == rank - 1:
                return value
            return reshape(value, [-1 if a == self._axis else 1 for a in range(rank)])

        beta, gamma = along_axis(self.beta), along_axis(self.gamma)
        outputs = normalization.batch_normalization(
            inputs, along_axis(mean), along_axis(variance), beta, gamma, self.epsilon
        )
        outputs.set_shape(inputs.shape)
        return outputs


def batch_normalization(
    inputs,
    axis=-1,
    momentum=0.99,
    epsilon=1e-3,
    center=True,
    scale=True,
    beta_initializer=_ZEROS,
    gamma_initializer=_ONES,
    moving_mean_initializer=_ZEROS,
    moving_variance_initializer=_ONES,
    beta_regularizer=None,
    gamma_regularizer=None,
    beta_constraint=None,
    gamma_constraint=None,
    training=False,
    trainable=True,
    name=None,
    reuse=None,
    renorm=False,
    renorm_clipping=None,
    renorm_momentum=0.99,
    fused=None,
    virtual_batch_size=None,
    adjustment=None,
):
    """Batch normalization layer: gives each channel mean 0 and variance 1, then scales by gamma and adds beta.

    In training, mean and variance are those of the batch, and operations in the collection UPDATE_OPS update their
    moving averages. The training step must run them:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_step = optimizer.minimize(loss)

    Otherwise the moving averages are used.

    Source: S. Ioffe and C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift", ICML 2015.

    Args:
      inputs: A `Tensor` of a floating-point type with a known number of channels.
      axis: An int: the dimension of the channels.
      momentum: A float: the decay of the moving averages.
      epsilon: A small float added to the variance.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      beta_initializer: Initializer of beta; zeros by default.
      gamma_initializer: Initializer of gamma; ones by default.
      moving_mean_initializer: Initializer of the moving mean; zeros by default.
      moving_variance_initializer: Initializer of the moving variance; ones by default.
      beta_regularizer: A function of beta that returns a loss.
      gamma_regularizer: A function of gamma that returns a loss.
      beta_constraint: A function of beta, applied after each update.
      gamma_constraint: A function of gamma, applied after each update.
      training: A bool, or a scalar `Tensor` of type bool: whether to use the statistics of the batch.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      reuse: Whether to reuse existing variables of that name.
      renorm: Not supported: must be False.
      renorm_clipping: Ignored, as `renorm` is not supported.
      renorm_momentum: Ignored, as `renorm` is not supported.
      fused: False to never use the fused operation, which images otherwise use unless `training` is a `Tensor`.
      virtual_batch_size: Not supported: must be None.
      adjustment: Not supported: must be None.

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: `axis` is out of range, or the rank or the number of channels is unknown.
      TypeError: `axis` is not a single int.
      NotImplementedError: An argument that is not supported is given.

    Example:

    >>> x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
    >>> y = tf.layers.batch_normalization(x, training=True)
    >>> sess.run(tf.global_variables_initializer())
    >>> print(np.round(sess.run(y), 2))
    [[-1. -1.]
     [ 1.  1.]]
    """
    if virtual_batch_size is not None or adjustment is not None:
        raise NotImplementedError("tf.layers.batch_normalization: virtual_batch_size and adjustment are not supported")
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
        moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint, renorm,
        trainable, name, fused, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs, training=training)


batch_norm = batch_normalization
