"""Convolutions of images."""

from tfcore.layers.base import Layer, data_layout, last_dimension, padding_name, pair
from tfcore.ops import conv
from tfcore.ops.nn_basic import bias_add
from tfcore.variables.initializers import Zeros

__all__ = ["Conv2D", "conv2d"]

_ZEROS = Zeros()


class Conv2D(Layer):
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias).

    The kernel has the shape [height, width, in_channels, filters].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      strides: An int or a pair of ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      dilation_rate: An int or a pair of ints: the distance of neighbouring kernel taps.
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

    _ndim = 4

    def __init__(
        self,
        filters,
        kernel_size,
        strides=(1, 1),
        padding="valid",
        data_format="channels_last",
        dilation_rate=(1, 1),
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
        self.filters = filters
        self.kernel_size = pair(kernel_size, "kernel_size")
        self.strides = pair(strides, "strides")
        self.padding = padding_name(padding)
        self.data_format = data_format
        self._layout = data_layout(data_format)
        self.dilation_rate = pair(dilation_rate, "dilation_rate")
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
        channels = last_dimension(input_shape, self._layout.index("C"), "The channel dimension")
        self.kernel = self.add_weight(
            "kernel", [*self.kernel_size, channels, self.filters], None, self.kernel_initializer,
            self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.filters],
                None,
                self.bias_initializer,
                self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def call(self, inputs):
        outputs = conv.conv2d(
            inputs,
            self.kernel,
            strides=_in_layout(self.strides, self._layout),
            padding=self.padding,
            data_format=self._layout,
            dilations=_in_layout(self.dilation_rate, self._layout),
            name="Conv2D",
        )
        if self.bias is not None:
            outputs = bias_add(outputs, self.bias, data_format=self._layout, name="BiasAdd")
        return outputs if self.activation is None else self.activation(outputs)


def _in_layout(window, layout):
    return [1, *window, 1] if layout == "NHWC" else [1, 1, *window]


def conv2d(
    inputs,
    filters,
    kernel_size,
    strides=(1, 1),
    padding="valid",
    data_format="channels_last",
    dilation_rate=(1, 1),
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
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias).

    The kernel has the shape [height, width, in_channels, filters].

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      filters: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      strides: An int or a pair of ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      dilation_rate: An int or a pair of ints: the distance of neighbouring kernel taps.
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
      A `Tensor` of the type and layout of `inputs`, with `filters` channels.

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> images = tf.zeros([8, 28, 28, 3])
    >>> print(tf.layers.conv2d(images, filters=16, kernel_size=3, strides=2, padding="same").shape)
    (8, 14, 14, 16)
    >>> print([v.shape.as_list() for v in tf.trainable_variables()])
    [[3, 3, 3, 16], [16]]
    """
    layer = Conv2D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
        bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
        bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)
