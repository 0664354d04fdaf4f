"""Depthwise convolutions: each channel has its own filters."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.conv.conv as conv
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor


def _depthwise_shape(op):
    image, filters = with_rank(op.inputs[0].dims, 4), with_rank(op.inputs[1].dims, 4)
    conv.window_attrs(op, "DepthwiseConv2D")
    depth = merge_dim(image[conv.spatial_axes(op.attrs["data_format"])[2]], filters[2])
    channels = None if depth is None or filters[3] is None else depth * filters[3]
    return [conv.output_dims(op, "DepthwiseConv2D", image, filters, channels)]


_ATTRS = ["T: {half, bfloat16, float, double}", "strides: list(int)", *conv.PADDING, *conv.LAYOUT]


DepthwiseConv2dNative = define_op(
    "DepthwiseConv2dNative",
    inputs=["input: T", "filter: T"],
    outputs=["output: T"],
    attrs=_ATTRS,
    shape=_depthwise_shape,
    doc="""Convolution of each channel with its own filters, of shape [height, width, channels, multiplier]; output
    channel c * multiplier + m belongs to input channel c.""",
)


def _backprop_input_shape(op):
    """Only the run compares the shapes, as in TensorFlow."""
    return [with_rank(constant_value_as_shape(op.inputs[0]), 4)]


DepthwiseConv2dNativeBackpropInput = define_op(
    "DepthwiseConv2dNativeBackpropInput",
    inputs=["input_sizes: int32", "filter: T", "out_backprop: T"],
    outputs=["output: T"],
    attrs=_ATTRS,
    shape=_backprop_input_shape,
    doc="Gradient of DepthwiseConv2dNative for its input, whose shape is `input_sizes`.",
)


DepthwiseConv2dNativeBackpropFilter = define_op(
    "DepthwiseConv2dNativeBackpropFilter",
    inputs=["input: T", "filter_sizes: int32", "out_backprop: T"],
    outputs=["output: T"],
    attrs=_ATTRS,
    shape=conv.backprop_filter_shape,
    doc="Gradient of DepthwiseConv2dNative for its filter, whose shape is `filter_sizes`.",
)


@gradient("DepthwiseConv2dNative")
def _depthwise_grad(op, grad):
    attrs = conv.same_attrs(op)
    return [
        DepthwiseConv2dNativeBackpropInput(array_ops.shape(op.inputs[0]), op.inputs[1], grad, **attrs),
        DepthwiseConv2dNativeBackpropFilter(op.inputs[0], array_ops.shape(op.inputs[1]), grad, **attrs),
    ]


@gradient("DepthwiseConv2dNativeBackpropInput")
def _depthwise_backprop_input_grad(op, grad):
    attrs = conv.same_attrs(op)
    return [
        None,
        DepthwiseConv2dNativeBackpropFilter(grad, array_ops.shape(op.inputs[1]), op.inputs[2], **attrs),
        DepthwiseConv2dNative(grad, op.inputs[1], **attrs),
    ]


@gradient("DepthwiseConv2dNativeBackpropFilter")
def _depthwise_backprop_filter_grad(op, grad):
    attrs = conv.same_attrs(op)
    return [
        DepthwiseConv2dNativeBackpropInput(array_ops.shape(op.inputs[0]), grad, op.inputs[2], **attrs),
        None,
        DepthwiseConv2dNative(op.inputs[0], grad, **attrs),
    ]


@described(DepthwiseConv2dNative)
def depthwise_conv2d_native(input, filter, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1), name=None):
    """Depthwise 2-D convolution, with the arguments of the op."""
    attrs = conv.op_attrs("depthwise_conv2d_native", strides, padding, conv.layout(data_format), dilations)
    return DepthwiseConv2dNative(input, filter, name=name, **attrs)


@described(DepthwiseConv2dNativeBackpropInput)
def depthwise_conv2d_native_backprop_input(
    input_sizes, filter, out_backprop, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1), name=None
):
    """Gradient of the depthwise convolution for its input."""
    name_of_op = "depthwise_conv2d_native_backprop_input"
    attrs = conv.op_attrs(name_of_op, strides, padding, conv.layout(data_format), dilations)
    return DepthwiseConv2dNativeBackpropInput(input_sizes, filter, out_backprop, name=name, **attrs)


@described(DepthwiseConv2dNativeBackpropFilter)
def depthwise_conv2d_native_backprop_filter(
    input, filter_sizes, out_backprop, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1), name=None
):
    """Gradient of the depthwise convolution for its filter."""
    name_of_op = "depthwise_conv2d_native_backprop_filter"
    attrs = conv.op_attrs(name_of_op, strides, padding, conv.layout(data_format), dilations)
    return DepthwiseConv2dNativeBackpropFilter(input, filter_sizes, out_backprop, name=name, **attrs)


def _strides(value):
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"Expected list for 'strides' argument to 'depthwise_conv2d_native' Op, not {value!r}.")
    return value


def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None):
    """2-D convolution of each channel with separate filters.

    Channel c of the input makes the output channels c * channel_multiplier, ..., (c + 1) * channel_multiplier - 1.

    Args:
      input: A `Tensor` of shape [batch, height, width, in_channels], or as `data_format` says, float16, bfloat16,
        float32 or float64.
      filter: A `Tensor` of the type of `input`, shape [filter_height, filter_width, in_channels, channel_multiplier].
      strides: A list of 1, 2 or 4 ints: the stride of the window in height and width.
      padding: "SAME", "VALID", or a list of four pairs (before, after), one for each dimension in the order of
        `data_format`.
      rate: An int or a list of 2 ints: the dilation of height and width.
      name: Name of the operation (optional).
      data_format: "NHWC" (the default) or "NCHW".
      dilations: Other name of `rate`.

    Returns:
      A `Tensor` of the type and layout of `input`, with in_channels * channel_multiplier channels.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    rate = conv.one_of("rate", rate, "dilations", dilations)
    with name_scope(name, "depthwise", [input, filter]) as name:
        filter = convert_to_tensor(filter, name="filter_in")
        input = convert_to_tensor(input, name="tensor_in")
        with_rank(input.dims, 4)
        attrs = conv.conv_attrs(_strides(strides), padding, conv.layout(data_format), rate)
        return DepthwiseConv2dNative(input, filter, name=name, **attrs)


def separable_conv2d(
    input,
    depthwise_filter,
    pointwise_filter,
    strides,
    padding,
    rate=None,
    name=None,
    data_format=None,
    dilations=None,
):
    """A depthwise convolution, then a 1 x 1 convolution that mixes the channels.

    Args:
      input: A `Tensor` of shape [batch, height, width, in_channels], or as `data_format` says, float16, bfloat16,
        float32 or float64.
      depthwise_filter: A `Tensor` of the type of `input`, shape [filter_height, filter_width, in_channels,
        channel_multiplier].
      pointwise_filter: A `Tensor` of the type of `input`, shape [1, 1, in_channels * channel_multiplier, out_channels].
      strides: Strides of the depthwise convolution, as for `depthwise_conv2d`.
      padding: "SAME", "VALID", or a list of four pairs (before, after), one for each dimension in the order of
        `data_format`.
      rate: An int or a list of 2 ints: the dilation of height and width.
      name: Name of the operation (optional).
      data_format: "NHWC" (the default) or "NCHW".
      dilations: Other name of `rate`.

    Returns:
      A `Tensor` of the type and layout of `input`, with out_channels channels.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    rate = conv.one_of("rate", rate, "dilations", dilations)
    data_format = conv.layout(data_format)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as name:
        input = convert_to_tensor(input, name="tensor_in")
        with_rank(input.dims, 4)
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        point = with_rank(pointwise_filter.dims, 4)
        for axis in (0, 1):
            if point[axis] not in (None, 1):
                raise ValueError(
                    f"Pointwise filter must have height and width of 1 but has shape {pointwise_filter.get_shape()}"
                )
        attrs = conv.conv_attrs(_strides(strides), padding, data_format, rate)
        depthwise = DepthwiseConv2dNative(input, depthwise_filter, name="depthwise", **attrs)
        return conv.Conv2D(depthwise, pointwise_filter, [1, 1, 1, 1], "VALID", data_format=data_format, name=name)


depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input
depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter
