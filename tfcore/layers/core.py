"""Dense, dropout and flatten."""

import math

from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.layers import settings
from tfcore.layers.base import Layer
from tfcore.layers.docs import documented
from tfcore.layers.input_spec import InputSpec
from tfcore.layers.kernel_layer import KernelLayer
from tfcore.ops.array import array
from tfcore.ops.control_flow.smart_cond import smart_cond
from tfcore.ops.linalg.matmul import matmul, tensordot
from tfcore.ops.nn import basic as nn_basic
from tfcore.variables.initializers import Zeros

_ZEROS = Zeros()


@documented
class Dense(KernelLayer):
    """Fully connected layer: activation(inputs * kernel + bias) over the last dimension.

    Args:
      units: An int: size of the last dimension of the output.
      {kernel_and_bias}
      {kwargs}
    """

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
        super().__init__(
            activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
            activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip
        self.units = int(units)
        if self.units < 0:
            raise ValueError(f"Received an invalid value for `units`, expected a positive integer. Received: {units=}")
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape):
        if self._dtype is not None and not (self._dtype.is_floating or self._dtype.is_complex):
            raise TypeError(
                f"A Dense layer can only be built with a floating-point dtype. Received: dtype={self._dtype}"
            )
        size = self._size_of_inputs(TensorShape(input_shape))
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self._add_kernel([size, self.units])
        self._add_bias(self.units)
        self.built = True

    def _size_of_inputs(self, shape):
        size = None if shape.ndims is None else shape.as_list()[-1]
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
                f"received: {shape}"
            )
        return size

    def compute_output_shape(self, input_shape):
        shape = TensorShape(input_shape).with_rank_at_least(2)
        self._size_of_inputs(shape)
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
        return self._activated(outputs)


@documented
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
      {kernel_and_bias}
      {reuse}

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


@documented
class Dropout(Layer):
    """Drops elements in training: sets them to 0 with probability `rate` and divides the others by 1 - rate.

    Args:
      rate: A float or scalar `Tensor`: the fraction of the elements to drop.
      noise_shape: An int32 vector: the shape of the mask, which is broadcast to the inputs; theirs by default.
      seed: An int, the seed for drawing the mask.
      name: Name of the layer and of its variable scope; made from the class if None.
      {kwargs}
    """

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def compute_output_shape(self, input_shape):
        return TensorShape(input_shape)

    def call(self, inputs, training=False):
        def dropped():
            return nn_basic.dropout(inputs, noise_shape=self.noise_shape, seed=self.seed, rate=self.rate)

        return smart_cond(settings.condition(training), dropped, lambda: array.identity(inputs))


@documented
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


@documented
class Flatten(Layer):
    """Flattens all dimensions but the first.

    Args:
      data_format: "channels_last" (the default), or "channels_first": the channels are then moved to the end first.
      **kwargs: Arguments of `Layer`, such as `name`.
    """

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = "channels_last" if data_format is None else data_format
        settings.layout(self.data_format, 2)
        self.input_spec = InputSpec(min_ndim=1)

    def compute_output_shape(self, input_shape):
        batch, *rest = TensorShape(input_shape).as_list() or [1]
        return TensorShape([batch, None if None in rest else math.prod(rest)])

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


@documented
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

    return Flatten(data_format, name=name)(inputs)
