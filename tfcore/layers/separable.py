"""Separable convolutions: one of each channel by itself, then one of size 1 that mixes the channels."""

from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.layers import settings
from tfcore.layers.convolutional import Convolution
from tfcore.layers.docs import documented
from tfcore.ops.array.array import expand_dims, squeeze
from tfcore.ops.conv.depthwise import separable_conv2d as separable_convolution
from tfcore.variables.initializers import Zeros

_ZEROS = Zeros()


class _SeparableConvolution(Convolution):
    def __init__(
        self,
        rank,
        filters,
        kernel_size,
        strides,
        padding,
        data_format,
        dilation_rate,
        depth_multiplier,
        activation,
        use_bias,
        depthwise_initializer,
        pointwise_initializer,
        bias_initializer,
        depthwise_regularizer,
        pointwise_regularizer,
        bias_regularizer,
        activity_regularizer,
        depthwise_constraint,
        pointwise_constraint,
        bias_constraint,
        trainable,
        name,
        **kwargs,
    ):
        super().__init__(
            rank, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, None,
            bias_initializer, None, bias_regularizer, activity_regularizer, None, bias_constraint, trainable, name,
            **kwargs,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = settings.initializer(depthwise_initializer)
        self.pointwise_initializer = settings.initializer(pointwise_initializer)
        self.depthwise_regularizer = settings.regularizer(depthwise_regularizer)
        self.pointwise_regularizer = settings.regularizer(pointwise_regularizer)
        self.depthwise_constraint = settings.constraint(depthwise_constraint)
        self.pointwise_constraint = settings.constraint(pointwise_constraint)

    def build(self, input_shape):
        channels = self._channels(TensorShape(input_shape))
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel",
            [*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel",
            [1] * self.rank + [channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )
        self._add_bias(self.filters)
        self.built = True

    def convolution_op(self, inputs, kernel):
        """The convolution itself.

        Args:
          inputs: A `Tensor`.
          kernel: Ignored; the layer has two kernels.

        Returns:
          A `Tensor`.
        """
        padding = "VALID" if self.padding == "CAUSAL" else self.padding
        depthwise, pointwise = self.depthwise_kernel, self.pointwise_kernel
        strides, rate, layout = self.strides, self.dilation_rate, self._layout
        if self.rank == 1:  # images of height 1; their strides must be equal
            axis, layout = (1, "NHWC") if layout == "NWC" else (2, "NCHW")
            inputs = expand_dims(inputs, axis)
            depthwise, pointwise = expand_dims(depthwise, 0), expand_dims(pointwise, 0)
            strides, rate = strides * 2, (1, *rate)
        outputs = separable_convolution(
            inputs, depthwise, pointwise, settings.in_layout(strides, layout), padding, rate=rate, data_format=layout
        )
        return squeeze(outputs, [axis]) if self.rank == 1 else outputs


@documented
class SeparableConv1D(_SeparableConvolution):
    """Separable 1-D convolution layer: a convolution of each channel by itself, then one that mixes the channels.

    The kernels have the shapes [width, in_channels, depth_multiplier] and [1, in_channels * depth_multiplier, filters].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int: the width of the depthwise kernel.
      strides: An int.
      padding: "valid", "same" or "causal": no output depends on later inputs.
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      dilation_rate: An int: the distance of neighbouring kernel taps.
      {separable}
      {kwargs}
    """

    def __init__(
        self,
        filters,
        kernel_size,
        strides=1,
        padding="valid",
        data_format="channels_last",
        dilation_rate=1,
        depth_multiplier=1,
        activation=None,
        use_bias=True,
        depthwise_initializer=None,
        pointwise_initializer=None,
        bias_initializer=_ZEROS,
        depthwise_regularizer=None,
        pointwise_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        depthwise_constraint=None,
        pointwise_constraint=None,
        bias_constraint=None,
        trainable=True,
        name=None,
        **kwargs,
    ):
        super().__init__(
            1, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation,
            use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
            pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint, pointwise_constraint,
            bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip


@documented
def separable_conv1d(
    inputs,
    filters,
    kernel_size,
    strides=1,
    padding="valid",
    data_format="channels_last",
    dilation_rate=1,
    depth_multiplier=1,
    activation=None,
    use_bias=True,
    depthwise_initializer=None,
    pointwise_initializer=None,
    bias_initializer=_ZEROS,
    depthwise_regularizer=None,
    pointwise_regularizer=None,
    bias_regularizer=None,
    activity_regularizer=None,
    depthwise_constraint=None,
    pointwise_constraint=None,
    bias_constraint=None,
    trainable=True,
    name=None,
    reuse=None,
):
    """Separable 1-D convolution layer: a convolution of each channel by itself, then one that mixes the channels.

    The kernels have the shapes [width, in_channels, depth_multiplier] and [1, in_channels * depth_multiplier, filters].

    Args:
      inputs: A `Tensor` of shape [batch, width, channels], or as `data_format` says, of a floating-point type.
      filters: An int: the number of output channels.
      kernel_size: An int: the width of the depthwise kernel.
      strides: An int.
      padding: "valid", "same" or "causal": no output depends on later inputs.
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      dilation_rate: An int: the distance of neighbouring kernel taps.
      {separable}
      {reuse}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `filters` channels.

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.
    """
    layer = SeparableConv1D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
        depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer, pointwise_regularizer,
        bias_regularizer, activity_regularizer, depthwise_constraint, pointwise_constraint, bias_constraint, trainable,
        name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)


@documented
class SeparableConv2D(_SeparableConvolution):
    """Separable 2-D convolution layer: a convolution of each channel by itself, then one that mixes the channels.

    The kernels have the shapes [height, width, in_channels, depth_multiplier] and [1, 1, in_channels *
    depth_multiplier, filters].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the depthwise kernel.
      strides: An int or a pair of equal ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      dilation_rate: An int or a pair of ints: the distance of neighbouring kernel taps.
      {separable}
      {kwargs}
    """

    def __init__(
        self,
        filters,
        kernel_size,
        strides=(1, 1),
        padding="valid",
        data_format="channels_last",
        dilation_rate=(1, 1),
        depth_multiplier=1,
        activation=None,
        use_bias=True,
        depthwise_initializer=None,
        pointwise_initializer=None,
        bias_initializer=_ZEROS,
        depthwise_regularizer=None,
        pointwise_regularizer=None,
        bias_regularizer=None,
        activity_regularizer=None,
        depthwise_constraint=None,
        pointwise_constraint=None,
        bias_constraint=None,
        trainable=True,
        name=None,
        **kwargs,
    ):
        super().__init__(
            2, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation,
            use_bias, depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer,
            pointwise_regularizer, bias_regularizer, activity_regularizer, depthwise_constraint, pointwise_constraint,
            bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip


@documented
def separable_conv2d(
    inputs,
    filters,
    kernel_size,
    strides=(1, 1),
    padding="valid",
    data_format="channels_last",
    dilation_rate=(1, 1),
    depth_multiplier=1,
    activation=None,
    use_bias=True,
    depthwise_initializer=None,
    pointwise_initializer=None,
    bias_initializer=_ZEROS,
    depthwise_regularizer=None,
    pointwise_regularizer=None,
    bias_regularizer=None,
    activity_regularizer=None,
    depthwise_constraint=None,
    pointwise_constraint=None,
    bias_constraint=None,
    trainable=True,
    name=None,
    reuse=None,
):
    """Separable 2-D convolution layer: a convolution of each channel by itself, then one that mixes the channels.

    The kernels have the shapes [height, width, in_channels, depth_multiplier] and [1, 1, in_channels *
    depth_multiplier, filters].

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      filters: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the depthwise kernel.
      strides: An int or a pair of equal ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      dilation_rate: An int or a pair of ints: the distance of neighbouring kernel taps.
      {separable}
      {reuse}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `filters` channels.

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> images = tf.zeros([8, 28, 28, 3])
    >>> print(tf.layers.separable_conv2d(images, filters=16, kernel_size=3, padding="same").shape)
    (8, 28, 28, 16)
    >>> print([v.shape.as_list() for v in tf.trainable_variables()])
    [[3, 3, 3, 1], [1, 1, 3, 16], [16]]
    """
    layer = SeparableConv2D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, activation, use_bias,
        depthwise_initializer, pointwise_initializer, bias_initializer, depthwise_regularizer, pointwise_regularizer,
        bias_regularizer, activity_regularizer, depthwise_constraint, pointwise_constraint, bias_constraint, trainable,
        name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)
