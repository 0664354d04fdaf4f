"""Convolutions of images: Conv2D, its gradients, and their wrappers."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.constant import constant_value_as_shape

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
    pads = op.attrs.get("explicit_paddings") or []
    if op.attrs["padding"] != b"EXPLICIT":
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
    data_format = op.attrs["data_format"]
    strides, dilations = op.attrs["strides"], op.attrs["dilations"]
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
        dims[axis] = window_size(image[axis], filters[i], strides[axis], dilations[axis], op.attrs["padding"], pads[i])
    dims[axes[2]] = channels
    return tuple(dims)


def check_depth(depth, filter_depth, out_depth):
    """Whether the channels of an input can be those of a filter, or of groups of them."""
    if depth is None or filter_depth is None:
        return
    if filter_depth == 0:
        raise ValueError("Depth of filter must not be 0")
    if depth % filter_depth:
        raise ValueError(f"Depth of input ({depth}) is not a multiple of input depth of filter ({filter_depth})")
    groups = depth // filter_depth
    if out_depth is not None and groups > 1 and out_depth % groups:
        raise ValueError(f"Depth of output ({out_depth}) is not a multiple of the number of groups ({groups})")


def _conv2d_shape(op):
    image, filters = with_rank(op.inputs[0].dims, 4), with_rank(op.inputs[1].dims, 4)
    window_attrs(op, "Conv2D")
    check_depth(image[spatial_axes(op.attrs["data_format"])[2]], *filters[2:])
    return [output_dims(op, "Conv2D", image, filters, filters[3])]


def backprop_input_shape(op):
    sizes = constant_value_as_shape(op.inputs[0])
    filters, grad = with_rank(op.inputs[1].dims, 4), with_rank(op.inputs[2].dims, 4)
    with_rank(op.inputs[0].dims, 1)
    axes = spatial_axes(op.attrs["data_format"])
    if op.type == "Conv2DBackpropInput":
        merge_dim(grad[axes[2]], filters[3])
    if sizes is not None and len(sizes) == 2:  # height and width only
        dims = [grad[0], None, None, None]
        dims[axes[0]], dims[axes[1]], dims[axes[2]] = *sizes, filters[2]
        return [tuple(dims)]
    dims = with_rank(sizes, 4)
    return [(merge_dim(dims[0], grad[0]), *dims[1:])]


def backprop_filter_shape(op):
    """That of the filter. As in TensorFlow, the ranks of the other inputs are checked only when it runs."""
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
    return {name: op.get_attr(name) for name in names if name in op.attrs}


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


def integers(value, name):
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
    value = [1] if value is None else integers(value, name)
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
