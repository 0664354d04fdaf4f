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
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension.

    Args:
      units: An int: size of the last dimension of the output.
      activation: A function of the output such as `tf.nn.relu`; None for none.
      use_bias: Whether to add a bias.
      kernel_initializer: Initializer of the kernel; that of the variable scope by default, else Glorot's uniform.
      bias_initializer: Initializer of the bias; zeros by default.
      kernel_regularizer: A function of the kernel that returns a loss.
      bias_regularizer: A function of the bias that returns a loss.
      activity_regularizer: A function of the output that returns a loss.
      kernel_constraint: A function of the kernel, applied after each update.
      bias_constraint: A function of the bias, applied after each update.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      **kwargs: Arguments of `Layer`: `dtype`, the type of the variables, by default that of the inputs.
    """

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
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension.

    Args:
      inputs: A `Tensor` of shape [..., size] of a floating-point type, rank 2 or more.
      units: An int: size of the last dimension of the output.
      activation: A function of the output such as `tf.nn.relu`; None for none.
      use_bias: Whether to add a bias.
      kernel_initializer: Initializer of the kernel; that of the variable scope by default, else Glorot's uniform.
      bias_initializer: Initializer of the bias; zeros by default.
      kernel_regularizer: A function of the kernel that returns a loss.
      bias_regularizer: A function of the bias that returns a loss.
      activity_regularizer: A function of the output that returns a loss.
      kernel_constraint: A function of the kernel, applied after each update.
      bias_constraint: A function of the bias, applied after each update.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
      reuse: Whether to reuse existing variables of that name.

    Returns:
      A `Tensor` of the type of `inputs`, shape [..., units].

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> x = tf.constant([[1.0, 2.0, 3.0]])
    >>> y = tf.layers.dense(x, 2, activation=tf.nn.relu, kernel_initializer=tf.ones_initializer())
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y))
    [[6. 6.]]
    """
    layer = Dense(
        units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)


fully_connected = dense


class Dropout(Layer):
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate.

    Args:
      rate: A float or scalar `Tensor`: the fraction of the elements to drop.
      noise_shape: An int32 vector: the shape of the mask, which is broadcast to the inputs; theirs by default.
      seed: An int, the seed for drawing the mask.
      name: Name of the layer and of its variable scope; made from the class if None.
      **kwargs: Arguments of `Layer`: `dtype`, the type of the variables, by default that of the inputs.
    """

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
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate.

    Source: N. Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", JMLR 2014.

    Args:
      inputs: A `Tensor` of a floating-point type.
      rate: A float or scalar `Tensor`: the fraction of the elements to drop.
      noise_shape: An int32 vector: the shape of the mask, which is broadcast to the inputs; theirs by default.
      seed: An int, the seed for drawing the mask.
      training: A bool, or a scalar `Tensor` of type bool: whether to drop elements; otherwise the inputs are returned.
      name: Name of the layer and of its variable scope; made from the class if None.

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: `rate` is not in [0, 1), or `inputs` is not of a floating-point type.

    Example:

    >>> x = tf.ones([1000])
    >>> y = tf.layers.dropout(x, rate=0.5, training=True)
    >>> print(np.unique(sess.run(y)))
    [0. 2.]
    >>> print(np.unique(sess.run(tf.layers.dropout(x, rate=0.5))))
    [1.]
    """
    return Dropout(rate, noise_shape, seed, name)(inputs, training=training)


class Flatten(Layer):
    """Flattens all dimensions but the first.

    Args:
      data_format: "channels_last", or "channels_first": the channels are then moved to the end first.
      name: Name of the layer and of its variable scope; made from the class if None.
      **kwargs: Arguments of `Layer`: `dtype`, the type of the variables, by default that of the inputs.
    """

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
    """Flattens all dimensions but the first.

    Args:
      inputs: A `Tensor` of rank 1 or more.
      name: Name of the layer and of its variable scope; made from the class if None.
      data_format: "channels_last", or "channels_first": the channels are then moved to the end first.

    Returns:
      A `Tensor` of the type of `inputs`, shape [batch, product of the other sizes].

    Raises:
      ValueError: `inputs` is a scalar.

    Example:

    >>> print(tf.layers.flatten(tf.zeros([8, 28, 28, 3])).shape)
    (8, 2352)
    """

    return Flatten(data_format, name)(inputs)
