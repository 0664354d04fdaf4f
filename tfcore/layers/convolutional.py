"""Convolutions of images."""

from tfcore.layers.base import Layer, data_layout, last_dimension, padding_name, pair
from tfcore.ops import conv
from tfcore.ops.nn_basic import bias_add
from tfcore.variables.initializers import Zeros

__all__ = ["Conv2D", "conv2d"]

_ZEROS = Zeros()


class Conv2D(Layer):
    """activation(convolution of images with kernel + bias); the kernel is [height, width, inputs, filters]."""

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
    """A layer that convolves images [batch, height, width, channels] with `filters` kernels.

    Args:
      kernel_size, strides, dilation_rate: a number or (height, width).
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for [batch, channels, height, width].
      (others: as for tf.layers.dense)
    """
    layer = Conv2D(
        filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, kernel_initializer,
        bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
        bias_constraint, trainable, name, _reuse=reuse, _scope=name,
    )  # fmt: skip
    return layer(inputs)
