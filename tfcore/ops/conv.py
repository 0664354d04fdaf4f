"""Convolutions: Conv2D, its gradients, and the wrappers around them."""

import tfcore.ops.array as array_ops
import tfcore.ops.array_join as array_join
from tfcore.framework.constant import constant_value_as_shape
from tfcore.framework.conversion import convert_to_tensor
from tfcore.framework.graph import name_scope
from tfcore.framework.op_def import define_op, gradient
from tfcore.framework.shapes import merge_dim, with_rank

__all__ = []
__nn__ = [
    "atrous_conv2d", "atrous_conv2d_transpose", "conv1d", "conv1d_transpose", "conv2d", "conv2d_backprop_filter",
    "conv2d_backprop_input", "conv2d_transpose", "conv_transpose", "convolution",
]  # fmt: skip


# ---- Shapes of windowed ops; pooling.py uses them too


def spatial_axes(data_format):
    """Height, width and channel axis."""
    return (2, 3, 1) if data_format == b"NCHW" else (1, 2, 3)


def window_size(size, window, stride, dilation, padding, pads=(0, 0)):
    """Size of an output dimension; None if it is not known."""
    if stride <= 0:
        raise ValueError(f"Stride must be > 0, but got {stride}")
    if dilation < 1:
        raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")
    if size is None:
        return None
    if padding == b"SAME":
        return -(-size // stride)
    if window is None:
        return None
    span, room = (window - 1) * dilation + 1, size + sum(pads)
    if room < span:
        raise ValueError(f"Negative dimension size caused by subtracting {span} from {room}")
    return (room - span) // stride + 1


def explicit_pads(op, axes):
    """(before, after) of height and width."""
    pads = op._attrs.get("explicit_paddings") or []
    if op._attrs["padding"] != b"EXPLICIT":
        if pads:
            raise ValueError("explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT")
        return ((0, 0), (0, 0))
    if len(pads) != 8:
        raise ValueError(f"explicit_paddings attribute must contain 8 values, but got: {len(pads)}")
    if any(p < 0 for p in pads):
        raise ValueError("All elements of explicit_paddings must be nonnegative")
    batch, channel = 0, axes[2]
    if any(pads[2 * axis] or pads[2 * axis + 1] for axis in (batch, channel)):
        raise ValueError("Nonzero explicit padding in the batch or depth dimensions is not supported")
    return tuple((pads[2 * axis], pads[2 * axis + 1]) for axis in axes[:2])


def window_attrs(op, name):
    """Axes, strides and dilations (in the order of data_format), pads."""
    data_format = op._attrs["data_format"]
    strides, dilations = op._attrs["strides"], op._attrs["dilations"]
    if len(dilations) != 4:
        raise ValueError(f"{name} requires the dilation attribute to contain 4 values, but got: {len(dilations)}")
    if len(strides) != 4:
        layout = f" on data format {data_format.decode()}" if name == "Conv2D" else ""
        raise ValueError(f"{name}{layout} requires the stride attribute to contain 4 values, but got: {len(strides)}")
    axes = spatial_axes(data_format)
    return axes, strides, dilations, explicit_pads(op, axes)


def output_dims(op, name, image, filters, channels):
    axes, strides, dilations, pads = window_attrs(op, name)
    dims = [image[0], None, None, None]
    for i, axis in enumerate(axes[:2]):
        dims[axis] = window_size(image[axis], filters[i], strides[axis], dilations[axis], op._attrs["padding"], pads[i])
    dims[axes[2]] = channels
    return tuple(dims)


def _conv2d_shape(op):
    image, filters = with_rank(op.inputs[0].dims, 4), with_rank(op.inputs[1].dims, 4)
    window_attrs(op, "Conv2D")
    depth, filter_depth = image[spatial_axes(op._attrs["data_format"])[2]], filters[2]
    if depth is not None and filter_depth:
        if depth % filter_depth:
            raise ValueError(f"Depth of input ({depth}) is not a multiple of input depth of filter ({filter_depth})")
        groups = depth // filter_depth
        if filters[3] is not None and groups > 1 and filters[3] % groups:
            raise ValueError(f"Depth of output ({filters[3]}) is not a multiple of the number of groups ({groups})")
    return [output_dims(op, "Conv2D", image, filters, filters[3])]


def backprop_input_shape(op):
    sizes = constant_value_as_shape(op.inputs[0])
    filters, grad = with_rank(op.inputs[1].dims, 4), with_rank(op.inputs[2].dims, 4)
    with_rank(op.inputs[0].dims, 1)
    axes = spatial_axes(op._attrs["data_format"])
    if op.type == "Conv2DBackpropInput":
        merge_dim(grad[axes[2]], filters[3])
    if sizes is not None and len(sizes) == 2:  # height and width only
        dims = [grad[0], None, None, None]
        dims[axes[0]], dims[axes[1]], dims[axes[2]] = *sizes, filters[2]
        return [tuple(dims)]
    dims = with_rank(sizes, 4)
    return [(merge_dim(dims[0], grad[0]), *dims[1:])]


def backprop_filter_shape(op):
    with_rank(op.inputs[0].dims, 4), with_rank(op.inputs[2].dims, 4)
    return [with_rank(constant_value_as_shape(op.inputs[1]), 4)]


# ---- Ops

_TYPES = "{half, bfloat16, float, double, int32}"
_FLOAT_TYPES = "{half, bfloat16, float, double}"
PADDING = ["padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []"]
LAYOUT = ["data_format: {'NHWC', 'NCHW'} = 'NHWC'", "dilations: list(int) = [1, 1, 1, 1]"]


def _attrs(types):
    return [f"T: {types}", "strides: list(int)", "use_cudnn_on_gpu: bool = true", *PADDING, *LAYOUT]


Conv2D = define_op(
    "Conv2D",
    inputs=["input: T", "filter: T"],
    outputs=["output: T"],
    attrs=_attrs(_TYPES),
    shape=_conv2d_shape,
    doc="""Convolution of images with filters of shape [height, width, in_channels, out_channels]:
    output[b, y, x, o] = sum over i, j, c of
    input[b, sy * y + dy * i - pad, sx * x + dx * j - pad, c] * filter[i, j, c, o].""",
)
Conv2DBackpropInput = define_op(
    "Conv2DBackpropInput",
    inputs=["input_sizes: int32", "filter: T", "out_backprop: T"],
    outputs=["output: T"],
    attrs=_attrs(_TYPES),
    shape=backprop_input_shape,
    doc="Gradient of Conv2D for its input, whose shape is `input_sizes`; also known as deconvolution.",
)
Conv2DBackpropFilter = define_op(
    "Conv2DBackpropFilter",
    inputs=["input: T", "filter_sizes: int32", "out_backprop: T"],
    outputs=["output: T"],
    attrs=_attrs(_FLOAT_TYPES),
    shape=backprop_filter_shape,
    doc="Gradient of Conv2D for its filter, whose shape is `filter_sizes`.",
)
_FusedConv2D = define_op(
    "_FusedConv2D",
    inputs=["input: T", "filter: T", "args: num_args * T"],
    outputs=["output: T"],
    attrs=[
        *_attrs(_FLOAT_TYPES),
        "num_args: int >= 0",
        "fused_ops: list(string) = []",
        "epsilon: float = 0.0001",
        "leakyrelu_alpha: float = 0.2",
    ],
    shape=_conv2d_shape,
    doc="""Conv2D with bias and activation, made by the compiler. fused_ops is ["BiasAdd"] or ["BiasAdd", activation]
    with Relu, Relu6, Elu or LeakyRelu; args is the bias.""",
)


# ---- Gradients. The convolution is bilinear, so the three ops are each other's gradients.


def same_attrs(op):
    names = ("strides", "padding", "explicit_paddings", "use_cudnn_on_gpu", "data_format", "dilations")
    return {name: op.get_attr(name) for name in names if name in op._attrs}


@gradient("Conv2D")
def _conv2d_grad(op, grad):
    shapes = array_ops.shape_n([op.inputs[0], op.inputs[1]])
    attrs = same_attrs(op)
    return [
        Conv2DBackpropInput(shapes[0], op.inputs[1], grad, **attrs),
        Conv2DBackpropFilter(op.inputs[0], shapes[1], grad, **attrs),
    ]


@gradient("Conv2DBackpropInput")
def _conv2d_backprop_input_grad(op, grad):
    attrs = same_attrs(op)
    return [
        None,
        Conv2DBackpropFilter(grad, array_ops.shape(op.inputs[1]), op.inputs[2], **attrs),
        Conv2D(grad, op.inputs[1], **attrs),
    ]


@gradient("Conv2DBackpropFilter")
def _conv2d_backprop_filter_grad(op, grad):
    attrs = same_attrs(op)
    return [
        Conv2DBackpropInput(array_ops.shape(op.inputs[0]), grad, op.inputs[2], **attrs),
        None,
        Conv2D(op.inputs[0], grad, **attrs),
    ]


@gradient("_FusedConv2D")
def _fused_conv2d_grad(op, grad):
    raise LookupError("_FusedConv2D is made by the compiler, after gradients; use conv2d and bias_add in a graph")


# ---- Arguments of the wrappers


def one_of(old_name, old, new_name, new):
    """The value of an argument that has two names."""
    if old is not None and new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old if new is None else new


def _integers(value, name):
    """A list of integers from one integer or a sequence of them: a list, an array, a TensorShape."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"Expected list for argument '{name}', not {value!r}.")
    try:
        value = list(value)
    except TypeError:
        value = [value]
    try:
        return [int(v) for v in value]
    except OverflowError as error:
        raise ValueError(f"{name}: {error}") from None


def expand_window(value, n, channel_axis, name):
    """Extends a window attribute with n spatial values to all dimensions."""
    value = [1] if value is None else _integers(value, name)
    if len(value) == n + 2:
        return value
    if len(value) == 1:
        value *= n
    elif len(value) != n:
        raise ValueError(
            f"{name} should be of length 1, {n} or {n + 2}. Received: {name}={value} of length {len(value)}"
        )
    return [1, 1, *value] if channel_axis == 1 else [1, *value, 1]


def _padding_attrs(padding, data_format):
    """`padding` is "SAME", "VALID" or a list of (before, after) for each dimension."""
    if isinstance(padding, (str, bytes)) or padding is None:
        if padding in ("EXPLICIT", b"EXPLICIT"):
            raise ValueError(
                "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
            )
        return {"padding": padding}
    pairs = [list(p) for p in padding]
    if len(pairs) != 4 or any(len(p) != 2 for p in pairs):
        raise ValueError(
            f"When `padding` is a list, it must be a list of 4 pairs (before, after). Received: padding={padding}"
        )
    axis = spatial_axes(data_format.encode())[2]
    if any(pairs[0]) or any(pairs[axis]):
        raise ValueError(
            f"Nonzero explicit padding in the batch or depth dimensions is not supported. Received: padding={padding}"
        )
    flat = [int(p) for pair in pairs for p in pair]
    return {"padding": "EXPLICIT", "explicit_paddings": flat} if any(flat) else {"padding": "VALID"}


def layout(data_format):
    return "NHWC" if data_format is None else data_format


def conv_attrs(strides, padding, data_format, dilations):
    channel_axis = 1 if data_format.startswith("NC") else 3
    return {
        "strides": expand_window(strides, 2, channel_axis, "strides"),
        "dilations": expand_window(dilations, 2, channel_axis, "dilations"),
        "data_format": data_format,
        **_padding_attrs(padding, data_format),
    }


def op_attrs(op_name, strides, padding, data_format, dilations):
    """As `conv_attrs`, for functions that, as in TensorFlow, take the attributes of an op and no abbreviations."""
    for name, value in (("strides", strides), ("dilations", dilations)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{name}' argument to '{op_name}' Op, not {value!r}.")
    return conv_attrs(strides, padding, data_format, dilations)


def _named_padding(padding):
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}.")
    return padding


# ---- Wrappers of single ops


def conv2d(
    input,
    filter=None,
    strides=None,
    padding=None,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
    filters=None,
):
    """2-D convolution of a batch of images with a bank of filters.

    output[b, y, x, o] is the sum over i, j, c of input[b, s * y + d * i - pad, s * x + d * j - pad, c] * filter[i, j,
    c, o], with stride s and dilation d. If `input` has g times as many channels as the filter takes, the channels and
    the filters are split into g groups, and each group is convolved by itself.

    Args:
      input: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, float16, bfloat16, float32,
        float64 or int32.
      filter: A `Tensor` of the type of `input`, shape [filter_height, filter_width, in_channels, out_channels].
      strides: An int or a list of 1, 2 or 4 ints: the stride of the window in height and width.
      padding: "SAME", "VALID", or a list of four pairs (before, after), one for each dimension in the order of
        `data_format`.
      use_cudnn_on_gpu: Ignored; kept for compatibility.
      data_format: "NHWC" (channels last) or "NCHW" (channels first).
      dilations: An int or a list of 1, 2 or 4 ints: the distance of neighbouring filter taps in height and width.
      name: Name of the operation (optional).
      filters: Other name of `filter`.

    Returns:
      A `Tensor` of the type and layout of `input`, shape [batch, out_height, out_width, out_channels]. With "SAME" the
      size is ceil(size / stride), with "VALID" ceil((size - (filter_size - 1) * dilation) / stride).

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.

    Example:

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> box = tf.ones([2, 2, 1, 1])
    >>> print(sess.run(tf.nn.conv2d(image, box, strides=2, padding="VALID"))[0, :, :, 0])
    [[10. 18.]
     [42. 50.]]
    """
    filter = one_of("filter", filter, "filters", filters)
    attrs = conv_attrs(strides, padding, layout(data_format), dilations)
    return Conv2D(input, filter, use_cudnn_on_gpu=use_cudnn_on_gpu, name=name, **attrs)


def conv2d_backprop_input(
    input_sizes,
    filter=None,
    out_backprop=None,
    strides=None,
    padding=None,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
    filters=None,
):
    """Computes the gradient of `conv2d` with respect to its input.

    Args:
      input_sizes: An int32 vector: the shape of the input of `conv2d`, or only its height and width.
      filter: A `Tensor` of shape [filter_height, filter_width, in_channels, out_channels], float16, bfloat16, float32,
        float64 or int32.
      out_backprop: Gradients for the output of `conv2d`, a `Tensor` of its shape.
      strides: As for `conv2d`.
      padding: As for `conv2d`.
      use_cudnn_on_gpu: Ignored; kept for compatibility.
      data_format: "NHWC" (channels last) or "NCHW" (channels first).
      dilations: An int or a list of 1, 2 or 4 ints: the distance of neighbouring filter taps in height and width.
      name: Name of the operation (optional).
      filters: Other name of `filter`.

    Returns:
      A `Tensor` of the type of `filter`, with the shape `input_sizes`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    filter = one_of("filter", filter, "filters", filters)
    attrs = op_attrs("conv2d_backprop_input", strides, padding, layout(data_format), dilations)
    return Conv2DBackpropInput(input_sizes, filter, out_backprop, use_cudnn_on_gpu=use_cudnn_on_gpu, name=name, **attrs)


def conv2d_backprop_filter(
    input,
    filter_sizes,
    out_backprop,
    strides,
    padding,
    use_cudnn_on_gpu=True,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    name=None,
):
    """Computes the gradient of `conv2d` with respect to its filter.

    Args:
      input: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, float16, bfloat16, float32
        or float64.
      filter_sizes: An int32 vector: the shape of the filter.
      out_backprop: Gradients for the output of `conv2d`, a `Tensor` of its shape.
      strides: As for `conv2d`.
      padding: As for `conv2d`.
      use_cudnn_on_gpu: Ignored; kept for compatibility.
      data_format: "NHWC" (channels last) or "NCHW" (channels first).
      dilations: An int or a list of 1, 2 or 4 ints: the distance of neighbouring filter taps in height and width.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `input`, with the shape `filter_sizes`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    attrs = op_attrs("conv2d_backprop_filter", strides, padding, layout(data_format), dilations)
    return Conv2DBackpropFilter(
        input, filter_sizes, out_backprop, use_cudnn_on_gpu=use_cudnn_on_gpu, name=name, **attrs
    )


def conv2d_transpose(
    value=None,
    filter=None,
    output_shape=None,
    strides=None,
    padding="SAME",
    data_format="NHWC",
    name=None,
    input=None,
    filters=None,
    dilations=None,
):
    """The transpose of `conv2d`, also called deconvolution.

    It maps gradients of the output of a convolution to gradients of its input. With a stride it enlarges images.

    Source: M. D. Zeiler et al., "Deconvolutional Networks", CVPR 2010.

    Args:
      value: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, float16, bfloat16, float32,
        float64 or int32.
      filter: A `Tensor` of the type of `value`, shape [filter_height, filter_width, out_channels, in_channels].
      output_shape: An int32 vector of 4 elements: the shape of the result.
      strides: An int or a list of 1, 2 or 4 ints: the stride of the window in height and width.
      padding: "SAME", "VALID", or a list of four pairs (before, after), one for each dimension in the order of
        `data_format`.
      data_format: "NHWC" (channels last) or "NCHW" (channels first).
      name: Name of the operation (optional).
      input: Other name of `value`.
      filters: Other name of `filter`.
      dilations: An int or a list of 1, 2 or 4 ints: the distance of neighbouring filter taps in height and width.

    Returns:
      A `Tensor` of the type of `value`, with the shape `output_shape`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.

    Example:

    >>> image = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> box = tf.ones([2, 2, 1, 1])
    >>> large = tf.nn.conv2d_transpose(tf.reshape(image, [1, 2, 2, 1]), box, [1, 4, 4, 1], strides=2)
    >>> print(sess.run(large)[0, :, :, 0])
    [[1. 1. 2. 2.]
     [1. 1. 2. 2.]
     [3. 3. 4. 4.]
     [3. 3. 4. 4.]]
    """
    value = one_of("value", value, "input", input)
    filter = one_of("filter", filter, "filters", filters)
    data_format = layout(data_format)
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as name:
        if data_format not in ("NHWC", "NCHW"):
            raise ValueError(f"`data_format` must be either 'NHWC' or 'NCHW'. Received: data_format={data_format}")
        attrs = conv_attrs(strides, padding, data_format, dilations)
        return Conv2DBackpropInput(output_shape, filter, value, name=name, **attrs)


# ---- Compositions. The kernels dilate by themselves, so no SpaceToBatchND is needed.


def atrous_conv2d(value, filters, rate, padding, name=None):
    """2-D convolution with filter taps `rate` pixels apart, also called dilated convolution.

    Source: F. Yu and V. Koltun, "Multi-Scale Context Aggregation by Dilated Convolutions", ICLR 2016.

    Args:
      value: A `Tensor` of shape [batch, height, width, channels], float16, bfloat16, float32, float64 or int32.
      filters: A `Tensor` of the type of `value`, shape [filter_height, filter_width, in_channels, out_channels].
      rate: An int, at least 1: the dilation in height and width.
      padding: "SAME" or "VALID".
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `value`, shape [batch, out_height, out_width, out_channels].

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    value = convert_to_tensor(value, name="value")
    filters = convert_to_tensor(filters, name="filters")
    with_rank(value.dims, 4)
    with_rank(filters.dims, 4)
    return convolution(value, filters, _named_padding(padding), dilation_rate=[rate, rate], name=name)


def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """The transpose of `atrous_conv2d`.

    Args:
      value: A `Tensor` of shape [batch, height, width, in_channels], float16, bfloat16, float32, float64 or int32.
      filters: A `Tensor` of the type of `value`, shape [filter_height, filter_width, out_channels, in_channels].
      output_shape: An int32 vector of 4 elements: the shape of the result.
      rate: An int, at least 1: the dilation in height and width.
      padding: "SAME" or "VALID".
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `value`, with the shape `output_shape`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    if rate < 1:
        raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    with name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]) as name:
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        if not value.shape.dims[3].is_compatible_with(filters.shape.dims[3]):
            raise ValueError(
                f"value's input channels does not match filters' input channels, {value.shape[3]} != {filters.shape[3]}"
            )
        attrs = conv_attrs([1, 1], _named_padding(padding), "NHWC", [rate, rate])
        return Conv2DBackpropInput(output_shape, filters, value, name=name, **attrs)


_LAYOUTS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW")}


def _check_layout(data_format, spatial):
    layouts = _LAYOUTS[spatial]
    if data_format is None:
        return layouts[0]
    if data_format not in layouts:
        raise ValueError(
            f"`data_format` must be one of {layouts} for {spatial} spatial dimensions. Received: {data_format}"
        )
    return data_format


def convolution(
    input,
    filter,
    padding,
    strides=None,
    dilation_rate=None,
    name=None,
    data_format=None,
    filters=None,
    dilations=None,
):
    """Convolution in one or two spatial dimensions.

    Args:
      input: A `Tensor` of shape [batch, width, channels] or [batch, height, width, channels], or as `data_format` says,
        float16, bfloat16, float32, float64 or int32.
      filter: A `Tensor` of the type of `input`, shape [filter_width, in_channels, out_channels] or [filter_height,
        filter_width, in_channels, out_channels].
      padding: "SAME" or "VALID".
      strides: A list of ints, one for each spatial dimension; all 1 by default.
      dilation_rate: A list of ints, one for each spatial dimension; all 1 by default. Strides and dilations above 1
        exclude each other.
      name: Name of the operation (optional).
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images; channels last by default.
      filters: Other name of `filter`.
      dilations: Other name of `dilation_rate`.

    Returns:
      A `Tensor` of the type and rank of `input`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    filter = one_of("filter", filter, "filters", filters)
    rate = one_of("dilation_rate", dilation_rate, "dilations", dilations)
    with name_scope(name, "convolution", [input, filter]) as name:
        input = convert_to_tensor(input, name="input")
        filter = convert_to_tensor(filter, name="filter")
        rank = input.shape.ndims or filter.shape.ndims
        if rank is None:
            raise ValueError("rank of input or filter must be known")
        spatial = rank - 2
        if spatial not in _LAYOUTS:
            raise ValueError(f"`input` must have 1 or 2 spatial dimensions. Received: rank {rank}")
        data_format = _check_layout(data_format, spatial)
        strides, rate = _spatial(strides, spatial, "strides"), _spatial(rate, spatial, "dilation_rate")
        if any(s > 1 for s in strides) and any(r > 1 for r in rate):
            raise ValueError(
                f"`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={strides} "
                f"and dilation_rate={rate}"
            )
        if spatial == 2:
            return Conv2D(input, filter, name=name, **conv_attrs(strides, padding, data_format, rate))
        return _conv1d(input, filter, strides[0], padding, data_format, rate[0], name)


def _spatial(value, n, name):
    if value is None:
        return [1] * n
    value = _integers(value, name)
    value = value * n if len(value) == 1 else value
    if len(value) != n:
        raise ValueError(f"`{name}` must have {n} values. Received: {value}")
    if any(v < 1 for v in value):
        raise ValueError(f"All values of `{name}` must be positive. Received: {value}")
    return value


def _conv1d(value, filters, stride, padding, data_format, rate, name):
    """A convolution of images of height 1. `name` is an absolute scope name."""
    axis, layout = (2, "NCHW") if data_format.startswith("NC") else (1, "NHWC")
    value = array_ops.expand_dims(value, axis)
    filters = array_ops.expand_dims(filters, 0)
    attrs = conv_attrs([1, stride], padding, layout, [1, rate])
    return array_ops.squeeze(Conv2D(value, filters, name=name, **attrs), [axis])


def conv1d(
    value=None,
    filters=None,
    stride=None,
    padding=None,
    use_cudnn_on_gpu=None,
    data_format=None,
    name=None,
    input=None,
    dilations=None,
):
    """1-D convolution of a batch of sequences with a bank of filters.

    Args:
      value: A `Tensor` of shape [batch, width, channels], or as `data_format` says, float16, bfloat16, float32, float64
        or int32.
      filters: A `Tensor` of the type of `value`, shape [filter_width, in_channels, out_channels].
      stride: An int or a list of 1 or 3 ints.
      padding: "SAME" or "VALID".
      use_cudnn_on_gpu: Ignored; kept for compatibility.
      data_format: "NWC" (channels last, the default) or "NCW" (channels first).
      name: Name of the operation (optional).
      input: Other name of `value`.
      dilations: An int or a list of 1 or 3 ints: the distance of neighbouring filter taps.

    Returns:
      A `Tensor` of the type of `value`, shape [batch, out_width, out_channels], or as `data_format` says.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.

    Example:

    >>> sequence = tf.reshape([1.0, 2.0, 4.0, 8.0], [1, 4, 1])
    >>> difference = tf.reshape([-1.0, 1.0], [2, 1, 1])
    >>> print(sess.run(tf.nn.conv1d(sequence, difference, 1, "VALID"))[0, :, 0])
    [1. 2. 4.]
    """
    value = one_of("value", value, "input", input)
    with name_scope(name, "conv1d", [value, filters]) as name:
        if data_format in (None, "NHWC", "NWC"):
            data_format = "NWC"
        elif data_format in ("NCHW", "NCW"):
            data_format = "NCW"
        else:
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        stride, rate = _width(stride, data_format), _width(dilations, data_format)
        return _conv1d(value, filters, stride, padding, data_format, rate, name)


def _width(value, data_format):
    """The spatial entry of a value with 1 or 3 entries."""
    if value is None:
        return 1
    if not isinstance(value, (list, tuple)):
        return value
    if len(value) not in (1, 3):
        raise ValueError(f"stride and dilations should be of length 1 or 3. Received: {value} of length {len(value)}")
    return value[0] if len(value) == 1 else value[2 if data_format == "NCW" else 1]


def conv1d_transpose(
    input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None
):
    """The transpose of `conv1d`.

    Args:
      input: A `Tensor` of shape [batch, width, channels], or as `data_format` says, float16, bfloat16, float32, float64
        or int32.
      filters: A `Tensor` of the type of `input`, shape [filter_width, out_channels, in_channels].
      output_shape: An int32 vector of 3 elements: the shape of the result.
      strides: An int or a list of 1 or 3 ints.
      padding: "SAME" or "VALID".
      data_format: "NWC" (channels last, the default) or "NCW" (channels first).
      dilations: An int or a list of 1 or 3 ints: the distance of neighbouring filter taps.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `input`, with the shape `output_shape`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as name:
        data_format = {"NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)
        if data_format not in ("NWC", "NCW"):
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        axis, layout = (2, "NCHW") if data_format == "NCW" else (1, "NHWC")
        attrs = conv_attrs([1, _width(strides, data_format)], padding, layout, [1, _width(dilations, data_format)])
        output_shape = list(output_shape) if isinstance(output_shape, (list, tuple)) else output_shape
        if isinstance(output_shape, list):
            sizes = [*output_shape[:axis], 1, *output_shape[axis:]]
        else:
            sizes = array_join.concat([output_shape[:axis], [1], output_shape[axis:]], axis=0)
        image = array_ops.expand_dims(input, axis)
        result = Conv2DBackpropInput(sizes, array_ops.expand_dims(filters, 0), image, name=name, **attrs)
        return array_ops.squeeze(result, [axis])


def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
    """The transpose of `convolution` in one or two spatial dimensions.

    Args:
      input: A `Tensor` of rank 3 or 4, as `convolution` returns it.
      filters: A `Tensor` of the type of `input`, shape [filter_width, out_channels, in_channels] or [filter_height,
        filter_width, out_channels, in_channels].
      output_shape: An int32 vector: the shape of the result.
      strides: An int, or a list with the stride of each spatial dimension.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images; channels last by default.
      dilations: An int, or a list with the dilation of each spatial dimension.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type of `input`, with the shape `output_shape`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    with name_scope(name, "conv_transpose", [input, filters, output_shape]) as name:
        rank = convert_to_tensor(input).shape.ndims
        if rank not in (3, 4):
            raise ValueError(f"`input` must have 1 or 2 spatial dimensions. Received: rank {rank}")
        data_format = _check_layout(data_format, rank - 2)
        transpose = conv1d_transpose if rank == 3 else conv2d_transpose
        return transpose(
            input, filters, output_shape, strides, padding, data_format=data_format, dilations=dilations, name=name
        )
