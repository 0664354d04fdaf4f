"""Convolutions of volumes: Conv3D, its gradients, and their wrappers."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.conv.conv as conv
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.constant import constant_value_as_shape

# ---- Shapes


def volume_axes(data_format):
    """Plane, row, column and channel axis."""
    return (2, 3, 4, 1) if data_format == b"NCDHW" else (1, 2, 3, 4)


def _conv3d_shape(op):
    volume, filters = with_rank(op.inputs[0].dims, 5), with_rank(op.inputs[1].dims, 5)
    attrs = op.attrs
    for what, value in (("dilation", attrs["dilations"]), ("stride", attrs["strides"])):
        if len(value) != 5:
            raise ValueError(f"Conv3D requires the {what} attribute to contain 5 values, but got: {len(value)}")
    *axes, channel_axis = volume_axes(attrs["data_format"])
    conv.check_depth(volume[channel_axis], filters[3], filters[4])
    dims = [volume[0], None, None, None, None]
    for i, axis in enumerate(axes):
        window = filters[i], attrs["strides"][axis], attrs["dilations"][axis]
        dims[axis] = conv.window_size(volume[axis], *window, attrs["padding"])
    dims[channel_axis] = filters[4]
    return [tuple(dims)]


def _shape_of_sizes(index):
    """The shape that an input gives. As in TensorFlow, the other inputs are checked when the op runs."""
    return lambda op: [with_rank(constant_value_as_shape(op.inputs[index]), 5)]


# ---- Ops

_ATTRS = [
    "T: {half, bfloat16, float, double}",
    "strides: list(int) >= 5",
    "padding: {'SAME', 'VALID'}",
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
    "dilations: list(int) = [1, 1, 1, 1, 1]",
]

Conv3D = define_op(
    "Conv3D",
    inputs=["input: T", "filter: T"],
    outputs=["output: T"],
    attrs=_ATTRS,
    shape=_conv3d_shape,
    doc="Convolution of volumes with filters of shape [depth, height, width, in_channels, out_channels], as Conv2D.",
)
Conv3DBackpropInputV2 = define_op(
    "Conv3DBackpropInputV2",
    inputs=["input_sizes: Tshape", "filter: T", "out_backprop: T"],
    outputs=["output: T"],
    attrs=[*_ATTRS, "Tshape: {int32, int64} = DT_INT32"],
    shape=_shape_of_sizes(0),
    doc="Gradient of Conv3D for its input, whose shape is `input_sizes`.",
)
Conv3DBackpropFilterV2 = define_op(
    "Conv3DBackpropFilterV2",
    inputs=["input: T", "filter_sizes: int32", "out_backprop: T"],
    outputs=["output: T"],
    attrs=_ATTRS,
    shape=_shape_of_sizes(1),
    doc="Gradient of Conv3D for its filter, whose shape is `filter_sizes`.",
)


def _shape_of_example(index):
    """The shape of an input of the first version of the gradients, which have no layouts."""
    return lambda op: [with_rank(op.inputs[index].dims, 5)]


_OLD_ATTRS = ["T: {half, float, double}", *_ATTRS[1:3], _ATTRS[4]]

Conv3DBackpropInput = define_op(
    "Conv3DBackpropInput",
    inputs=["input: T", "filter: T", "out_backprop: T"],
    outputs=["output: T"],
    attrs=_OLD_ATTRS,
    shape=_shape_of_example(0),
    doc="Conv3DBackpropInputV2 that takes a tensor of the input's shape instead of `input_sizes`.",
)
Conv3DBackpropFilter = define_op(
    "Conv3DBackpropFilter",
    inputs=["input: T", "filter: T", "out_backprop: T"],
    outputs=["output: T"],
    attrs=_OLD_ATTRS,
    shape=_shape_of_example(1),
    doc="Conv3DBackpropFilterV2 that takes a tensor of the filter's shape instead of `filter_sizes`.",
)
undefined_gradient("Conv3DBackpropInput", "Conv3DBackpropFilter")


# ---- Gradients. The convolution is bilinear, so the three ops are each other's gradients.


def _same_attrs(op):
    return {name: op.get_attr(name) for name in ("strides", "padding", "data_format", "dilations")}


@gradient("Conv3D")
def _conv3d_grad(op, grad):
    shapes = array_ops.shape_n([op.inputs[0], op.inputs[1]])
    attrs = _same_attrs(op)
    return [
        Conv3DBackpropInputV2(shapes[0], op.inputs[1], grad, **attrs),
        Conv3DBackpropFilterV2(op.inputs[0], shapes[1], grad, **attrs),
    ]


@gradient("Conv3DBackpropInputV2")
def _conv3d_backprop_input_grad(op, grad):
    attrs = _same_attrs(op)
    return [
        None,
        Conv3DBackpropFilterV2(grad, array_ops.shape(op.inputs[1]), op.inputs[2], **attrs),
        Conv3D(grad, op.inputs[1], **attrs),
    ]


@gradient("Conv3DBackpropFilterV2")
def _conv3d_backprop_filter_grad(op, grad):
    attrs = _same_attrs(op)
    return [
        Conv3DBackpropInputV2(array_ops.shape(op.inputs[0]), grad, op.inputs[2], **attrs),
        None,
        Conv3D(op.inputs[0], grad, **attrs),
    ]


# ---- Wrappers


def conv3d(
    input,
    filter=None,
    strides=None,
    padding=None,
    data_format="NDHWC",
    dilations=(1, 1, 1, 1, 1),
    name=None,
    filters=None,
):
    """3-D convolution of a batch of volumes with a bank of filters.

    output[b, z, y, x, o] is the sum over h, i, j, c of input[b, s * z + d * h - pad, s * y + d * i - pad,
    s * x + d * j - pad, c] * filter[h, i, j, c, o], with stride s and dilation d.

    Args:
      input: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, float16, bfloat16,
        float32 or float64.
      filter: A `Tensor` of the type of `input`, shape [filter_depth, filter_height, filter_width, in_channels,
        out_channels].
      strides: A list of 5 ints: the stride of the window in each dimension, 1 for batch and channels.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" (channels last) or "NCDHW" (channels first).
      dilations: A list of 5 ints: the distance of neighbouring filter taps in each dimension.
      name: Name of the operation (optional).
      filters: Other name of `filter`.

    Returns:
      A `Tensor` of the type and layout of `input`, shape [batch, out_depth, out_height, out_width, out_channels]. With
      "SAME" the size is ceil(size / stride), with "VALID" ceil((size - (filter_size - 1) * dilation) / stride).

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.

    Example:

    >>> volume = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> box = tf.ones([2, 2, 2, 1, 1])
    >>> print(sess.run(tf.nn.conv3d(volume, box, [1, 1, 1, 1, 1], "SAME"))[0, :, :, 0, 0])
    [[28. 18.]
     [22. 13.]]
    """
    filter = conv.one_of("filter", filter, "filters", filters)
    attrs = {"strides": strides, "padding": padding, "data_format": data_format, "dilations": dilations}
    return Conv3D(input, filter, name=name, **attrs)


def conv3d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    data_format="NDHWC",
    dilations=(1, 1, 1, 1, 1),
    name=None,
):
    """Computes the gradient of `conv3d` with respect to its filter.

    Args:
      input: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, float16, bfloat16,
        float32 or float64.
      filter_sizes: An int32 vector: the shape of the filter.
      out_backprop: Gradients for the output of `conv3d`, a `Tensor` of its shape.
      strides: As for `conv3d`.
      padding: As for `conv3d`.
      data_format: "NDHWC" (channels last) or "NCDHW" (channels first).
      dilations: As for `conv3d`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `input`, with the shape `filter_sizes`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    attrs = {"strides": strides, "padding": padding, "data_format": data_format, "dilations": dilations}
    return Conv3DBackpropFilterV2(input, filter_sizes, out_backprop, name=name, **attrs)


conv3d_backprop_filter_v2 = conv3d_backprop_filter


def conv3d_transpose(
    value,
    filter=None,
    output_shape=None,
    strides=None,
    padding="SAME",
    data_format="NDHWC",
    name=None,
    input=None,
    filters=None,
    dilations=None,
):
    """The transpose of `conv3d`, also called deconvolution.

    It maps gradients of the output of a convolution to gradients of its input. With a stride it enlarges volumes.

    Source: M. D. Zeiler et al., "Deconvolutional Networks", CVPR 2010.

    Args:
      value: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, float16, bfloat16,
        float32 or float64.
      filter: A `Tensor` of the type of `value`, shape [filter_depth, filter_height, filter_width, out_channels,
        in_channels].
      output_shape: An int32 or int64 vector of 5 elements: the shape of the result.
      strides: An int or a list of 1, 3 or 5 ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" (channels last) or "NCDHW" (channels first).
      name: Name of the operation (optional).
      input: Other name of `value`.
      filters: Other name of `filter`.
      dilations: An int or a list of 1, 3 or 5 ints: the distance of neighbouring filter taps.

    Returns:
      A `Tensor` of the type of `value`, with the shape `output_shape`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.

    Example:

    >>> line = tf.reshape([1.0, 2.0], [1, 1, 1, 2, 1])
    >>> large = tf.nn.conv3d_transpose(line, tf.ones([1, 1, 2, 1, 1]), [1, 1, 1, 4, 1], strides=[1, 1, 2])
    >>> print(sess.run(large).ravel())
    [1. 1. 2. 2.]
    """
    value = conv.one_of("value", value, "input", input)
    filter = conv.one_of("filter", filter, "filters", filters)
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as name:
        data_format = data_format or "NDHWC"
        channel_axis = 1 if data_format.startswith("NC") else 4
        attrs = {
            "strides": conv.expand_window(strides, 3, channel_axis, "strides"),
            "dilations": conv.expand_window(dilations, 3, channel_axis, "dilations"),
        }
        return Conv3DBackpropInputV2(
            output_shape, filter, value, padding=padding, data_format=data_format, name=name, **attrs
        )
