"""Convolutions of sequences, images and volumes, and their transpose."""

from tfcore.composed.nn import conv_nd
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.layers import settings
from tfcore.layers.docs import documented
from tfcore.layers.input_spec import InputSpec
from tfcore.layers.kernel_layer import KernelLayer
from tfcore.ops.array.array import reshape, shape
from tfcore.ops.array.join import stack
from tfcore.ops.array.move import pad
from tfcore.ops.conv import conv, conv_3d
from tfcore.ops.nn.basic import bias_add
from tfcore.variables.initializers import Zeros

_ZEROS = Zeros()


class Convolution(KernelLayer):
    """A convolution with a kernel of the shape [*kernel_size, in_channels, filters]."""

    def __init__(self, rank, filters, kernel_size, strides, padding, data_format, dilation_rate, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name, value in (("filters", filters), ("kernel_size", kernel_size)):
            if isinstance(value, bool):
                raise TypeError(f"The `{name}` argument must be an integer. Received: {value}")
        self.filters = filters if filters is None else int(filters)
        if filters is not None and self.filters <= 0:
            raise ValueError(
                f"Invalid value for argument `filters`. Expected a strictly positive value. Received filters={filters}."
            )
        self.rank = rank
        self.kernel_size = settings.sizes(kernel_size, rank, "kernel_size")
        self.strides = settings.sizes(strides, rank, "strides")
        self.padding = settings.padding(padding, ("valid", "same", "causal"))
        if self.padding == "CAUSAL" and rank != 1:
            raise ValueError("Causal padding is only supported for `Conv1D` and `SeparableConv1D`.")
        self.data_format = data_format
        self._layout = settings.layout(data_format, rank)
        self._channel_axis = -1 if self._layout.endswith("C") else -1 - rank
        self.dilation_rate = settings.sizes(dilation_rate, rank, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.input_spec = InputSpec(min_ndim=rank + 2)

    def build(self, input_shape):
        channels = self._channels(TensorShape(input_shape))
        self.compute_output_shape(input_shape)
        self._add_kernel([*self.kernel_size, channels, self.filters])
        self._add_bias(self.filters)
        self.built = True

    def _channels(self, input_shape):
        """The number of channels of the inputs, which later calls must have, too."""
        channels = None if input_shape.ndims is None else input_shape.as_list()[self._channel_axis]
        if channels is None:
            raise ValueError(
                f"The channel dimension of the inputs should be defined. The input_shape received is {input_shape}, "
                f"where axis {self._channel_axis} (0-based) is the channel dimension, which found to be `None`."
            )
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={self._channel_axis: channels})
        return channels

    def compute_output_shape(self, input_shape):
        dims = TensorShape(input_shape).as_list()
        first = 1 if self._channel_axis == -1 else 2
        for i in range(self.rank):
            if dims[first + i] is not None:
                dims[first + i] = self._output_size(dims[first + i], i)
        dims[self._channel_axis] = self.filters
        if any(d is not None and d < 0 for d in dims):
            raise ValueError(
                f"One of the dimensions in the output is <= 0 due to downsampling in {self.name}. Consider increasing "
                f"the input size. Received input shape {TensorShape(input_shape).as_list()} which would produce output "
                "shape with a zero or negative value in a dimension."
            )
        return TensorShape(dims)

    def _output_size(self, size, i):
        if self.padding == "VALID":
            size -= (self.kernel_size[i] - 1) * self.dilation_rate[i]
        return (size + self.strides[i] - 1) // self.strides[i]

    def convolution_op(self, inputs, kernel):
        """The convolution itself.

        Args:
          inputs: A `Tensor`.
          kernel: A `Tensor` of the shape of the kernel.

        Returns:
          A `Tensor`.
        """
        return conv_nd.convolution(
            inputs,
            kernel,
            "VALID" if self.padding == "CAUSAL" else self.padding,
            strides=self.strides,
            dilation_rate=self.dilation_rate,
            data_format=self._layout,
            name=type(self).__name__,
        )

    def call(self, inputs):
        if self.padding == "CAUSAL":
            inputs = self._padded_before(inputs)
        outputs = self._with_bias(self.convolution_op(inputs, self.kernel))
        return self._activated(outputs)

    def _padded_before(self, inputs):
        before = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
        return pad(inputs, [[0, 0], before, [0, 0]] if self._layout == "NWC" else [[0, 0], [0, 0], before])

    def _with_bias(self, outputs):
        if self.bias is None:
            return outputs
        if self._layout == "NCW":
            return outputs + reshape(self.bias, [1, self.filters, 1])
        return bias_add(outputs, self.bias, data_format="NCHW" if self._layout.startswith("NC") else "NHWC",
                        name="BiasAdd")  # fmt: skip


@documented
class Conv1D(Convolution):
    """1-D convolution layer: activation(convolution(inputs, kernel) + bias).

    The kernel has the shape [width, in_channels, filters].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int: the width of the kernel.
      strides: An int.
      padding: "valid", "same" or "causal": no output depends on later inputs.
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      dilation_rate: An int: the distance of neighbouring kernel taps.
      {kernel_and_bias}
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
            1, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip


@documented
def conv1d(
    inputs,
    filters,
    kernel_size,
    strides=1,
    padding="valid",
    data_format="channels_last",
    dilation_rate=1,
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
    """1-D convolution layer: activation(convolution(inputs, kernel) + bias).

    The kernel has the shape [width, in_channels, filters].

    Args:
      inputs: A `Tensor` of shape [batch, width, channels], or as `data_format` says, of a floating-point type.
      filters: An int: the number of output channels.
      kernel_size: An int: the width of the kernel.
      strides: An int.
      padding: "valid", "same" or "causal": no output depends on later inputs.
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      dilation_rate: An int: the distance of neighbouring kernel taps.
      {kernel_and_bias}
      {reuse}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `filters` channels.

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> sequences = tf.zeros([8, 20, 3])
    >>> print(tf.layers.conv1d(sequences, filters=16, kernel_size=5, padding="causal").shape)
    (8, 20, 16)
    """
    layer = Conv1D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
        bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
        bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)


@documented
class Conv2D(Convolution):
    """2-D convolution layer: activation(convolution(inputs, kernel) + bias).

    The kernel has the shape [height, width, in_channels, filters].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      strides: An int or a pair of ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      dilation_rate: An int or a pair of ints: the distance of neighbouring kernel taps.
      {kernel_and_bias}
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
            2, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip


@documented
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
      {kernel_and_bias}
      {reuse}

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


@documented
class Conv3D(Convolution):
    """3-D convolution layer: activation(convolution(inputs, kernel) + bias).

    The kernel has the shape [depth, height, width, in_channels, filters].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int or three ints: depth, height and width of the kernel.
      strides: An int or three ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      dilation_rate: An int or three ints: the distance of neighbouring kernel taps.
      {kernel_and_bias}
      {kwargs}
    """

    def __init__(
        self,
        filters,
        kernel_size,
        strides=(1, 1, 1),
        padding="valid",
        data_format="channels_last",
        dilation_rate=(1, 1, 1),
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
            3, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
            kernel_constraint, bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip


@documented
def conv3d(
    inputs,
    filters,
    kernel_size,
    strides=(1, 1, 1),
    padding="valid",
    data_format="channels_last",
    dilation_rate=(1, 1, 1),
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
    """3-D convolution layer: activation(convolution(inputs, kernel) + bias).

    The kernel has the shape [depth, height, width, in_channels, filters].

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      filters: An int: the number of output channels.
      kernel_size: An int or three ints: depth, height and width of the kernel.
      strides: An int or three ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      dilation_rate: An int or three ints: the distance of neighbouring kernel taps.
      {kernel_and_bias}
      {reuse}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `filters` channels.

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> volumes = tf.zeros([8, 10, 28, 28, 3])
    >>> print(tf.layers.conv3d(volumes, filters=16, kernel_size=3, strides=2, padding="same").shape)
    (8, 5, 14, 14, 16)
    """
    layer = Conv3D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
        bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
        bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)


class Transposed(Convolution):
    """The transpose of a convolution; the kernel has the shape [*kernel_size, filters, in_channels]."""

    def build(self, input_shape):
        channels = self._channels(TensorShape(input_shape).with_rank(self.rank + 2))
        self._add_kernel([*self.kernel_size, self.filters, channels])
        self._add_bias(self.filters)
        self.built = True

    def _output_size(self, size, i):
        """The size of the output for that of the input, an int or a Tensor."""
        size = size * self.strides[i]
        return size + max(self.kernel_size[i] - self.strides[i], 0) if self.padding == "VALID" else size

    def convolution_op(self, inputs, kernel):
        known = inputs.shape.as_list()
        sizes = shape(inputs)
        first = 1 if self._channel_axis == -1 else 2
        window = [
            self._output_size(sizes[first + i] if known[first + i] is None else known[first + i], i)
            for i in range(self.rank)
        ]
        batch = sizes[0] if known[0] is None else known[0]
        output_shape = [batch, *window, self.filters] if first == 1 else [batch, self.filters, *window]
        outputs = self._transposed(inputs, kernel, stack(output_shape))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs


@documented
class Conv2DTranspose(Transposed):
    """The transpose of the 2-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias).

    The kernel has the shape [height, width, filters, in_channels].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      strides: An int or a pair of ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      {kernel_and_bias}
      {kwargs}
    """

    def __init__(
        self,
        filters,
        kernel_size,
        strides=(1, 1),
        padding="valid",
        data_format="channels_last",
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
            2, filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, kernel_initializer,
            bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
            bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip

    def _transposed(self, inputs, kernel, output_shape):
        return conv.conv2d_transpose(
            inputs,
            kernel,
            output_shape,
            strides=settings.in_layout(self.strides, self._layout),
            padding=self.padding,
            data_format=self._layout,
        )


@documented
def conv2d_transpose(
    inputs,
    filters,
    kernel_size,
    strides=(1, 1),
    padding="valid",
    data_format="channels_last",
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
    """The transpose of the 2-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias).

    The kernel has the shape [height, width, filters, in_channels].

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      filters: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      strides: An int or a pair of ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      {kernel_and_bias}
      {reuse}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `filters` channels.

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> images = tf.zeros([8, 7, 7, 64])
    >>> print(tf.layers.conv2d_transpose(images, filters=16, kernel_size=3, strides=2, padding="same").shape)
    (8, 14, 14, 16)
    """
    layer = Conv2DTranspose(
        filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
        bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
        bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)


@documented
class Conv3DTranspose(Transposed):
    """The transpose of the 3-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias).

    The kernel has the shape [depth, height, width, filters, in_channels].

    Args:
      filters: An int: the number of output channels.
      kernel_size: An int or three ints: depth, height and width of the kernel.
      strides: An int or three ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      {kernel_and_bias}
      {kwargs}
    """

    def __init__(
        self,
        filters,
        kernel_size,
        strides=(1, 1, 1),
        padding="valid",
        data_format="channels_last",
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
            3, filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, kernel_initializer,
            bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
            bias_constraint, trainable, name, **kwargs,
        )  # fmt: skip

    def _transposed(self, inputs, kernel, output_shape):
        return conv_3d.conv3d_transpose(
            inputs,
            kernel,
            output_shape,
            strides=settings.in_layout(self.strides, self._layout),
            padding=self.padding,
            data_format=self._layout,
        )


@documented
def conv3d_transpose(
    inputs,
    filters,
    kernel_size,
    strides=(1, 1, 1),
    padding="valid",
    data_format="channels_last",
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
    """The transpose of the 3-D convolution layer, also called deconvolution: activation(transpose(inputs) + bias).

    The kernel has the shape [depth, height, width, filters, in_channels].

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      filters: An int: the number of output channels.
      kernel_size: An int or three ints: depth, height and width of the kernel.
      strides: An int or three ints.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, height, width].
      {kernel_and_bias}
      {reuse}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `filters` channels.

    Raises:
      ValueError: The rank of `inputs` or the size of the dimension that is needed is unknown or wrong.
      TypeError: `inputs` has a type that the layer does not take.

    Example:

    >>> volumes = tf.zeros([8, 5, 7, 7, 64])
    >>> print(tf.layers.conv3d_transpose(volumes, filters=16, kernel_size=3, strides=2, padding="same").shape)
    (8, 10, 14, 14, 16)
    """
    layer = Conv3DTranspose(
        filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
        bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
        bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)
