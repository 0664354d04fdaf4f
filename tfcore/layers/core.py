"""Dense, dropout and flatten."""

import math

from tfcore.framework import dtypes
from tfcore.framework.constant import constant
from tfcore.framework.tensor_shape import TensorShape
from tfcore.layers.base import Layer, last_dimension
from tfcore.ops import array, nn_basic
from tfcore.ops.cast import cast
from tfcore.ops.cwise_select import where
from tfcore.ops.matmul import matmul, tensordot
from tfcore.variables.initializers import Zeros

__all__ = ["Dense", "Dropout", "Flatten", "dense", "dropout", "flatten", "fully_connected"]

_ZEROS = Zeros()


class Dense(Layer):
    """activation(inputs * kernel + bias), over the last dimension of the inputs."""

    _min_ndim = 2

    def __init__(
        self,
        units,
        activation=None,
        use_bias=True,
        kernel_initializer=None,
        bias_initializer=_ZEROS,
        kernel_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        kernel_constraint=None,
        bias_constraint=None,
        trainable=True,
        name=None,
        **kwargs,
    ):
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.bias = None

    def build(self, input_shape):
        size = last_dimension(input_shape, -1, "The last dimension", "`Dense` ")
        self.kernel = self.add_weight(
            "kernel", [size, self.units], None, self.kernel_initializer, self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                None,
                self.bias_initializer,
                self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def compute_output_shape(self, input_shape):
        shape = TensorShape(input_shape).with_rank_at_least(2)
        last_dimension(shape, -1, "The innermost dimension", "`Dense` ")
        return shape[:-1].concatenate(self.units)

    def call(self, inputs):
        rank = inputs.shape.ndims
        if rank == 2:
            outputs = matmul(inputs, self.kernel)
        else:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape[:-1].concatenate(self.units))
        if self.bias is not None:
            outputs = nn_basic.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)


def dense(
    inputs,
    units,
    activation=None,
    use_bias=True,
    kernel_initializer=None,
    bias_initializer=_ZEROS,
    kernel_regularizer=None,
    bias_regularizer=None,
    activity_regularizer=None,
    kernel_constraint=None,
    bias_constraint=None,
    trainable=True,
    name=None,
    reuse=None,
):
    """A fully connected layer: activation(inputs * kernel + bias).

    Args:
      units: size of the output's last dimension.
      activation: function of the output, e.g. tf.nn.relu; None: linear.
      kernel_initializer: default: that of the variable scope, else Glorot's uniform distribution.
      name, reuse: variable scope of the layer, and whether to take existing variables.
      (others: as for tf.get_variable)
    """
    layer = Dense(
        units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)


fully_connected = dense


class Dropout(Layer):
    """In training, sets inputs to 0 with probability `rate` and scales the rest; else passes them on."""

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs, training=False):
        if isinstance(training, (bool, int)):
            if not training:
                return array.identity(inputs)
            return nn_basic.dropout(inputs, noise_shape=self.noise_shape, seed=self.seed, rate=self.rate)
        rate = where(training, cast(self.rate, dtypes.float32), constant(0.0))
        return nn_basic.dropout(inputs, noise_shape=self.noise_shape, seed=self.seed, rate=rate)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    """Dropout where `training` (a bool or a bool Tensor) is true, the inputs otherwise."""
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


class Flatten(Layer):
    """[batch, ...] becomes [batch, product of the rest]."""

    _min_ndim = 1

    def __init__(self, data_format="channels_last", name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.data_format = data_format

    def call(self, inputs):
        rank = inputs.shape.ndims
        if rank is None:
            return array.reshape(inputs, [array.shape(inputs)[0], -1])
        if self.data_format == "channels_first" and rank > 2:
            inputs = array.transpose(inputs, [0, *range(2, rank), 1])
        batch, *rest = inputs.shape.as_list() or [1]
        size = None if None in rest else math.prod(rest)
        if size is not None:
            outputs = array.reshape(inputs, [-1 if batch is None or (batch == 0 and size) else batch, size])
        else:
            outputs = array.reshape(inputs, [array.shape(inputs)[0] if batch is None else batch, -1])
        outputs.set_shape([batch, size])
        return outputs


def flatten(inputs, name=None, data_format="channels_last"):
    """[batch, ...] becomes [batch, product of the rest]."""

    _min_ndim = 1
    return Flatten(data_format, name)(inputs)
