"""Pooling: maxima and means over windows of images."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.blocks as block_ops
import tfcore.ops.array.constants as constant_ops
import tfcore.ops.array.join as array_join
import tfcore.ops.pooling.pooling_3d as volumes
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.constant import constant_value, constant_value_as_shape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.conv.conv import expand_window, explicit_pads, one_of, spatial_axes, window_size

# ---- Shapes


def _pool_dims(op, ksize, strides, pads=((0, 0), (0, 0))):
    image = with_rank(op.inputs[0].dims, 4)
    axes = spatial_axes(op.attrs.get("data_format", b"NHWC"))
    for what, value in (("ksize", ksize), ("stride", strides)):
        if len(value) != 4:
            raise ValueError(f"{op.type} requires the {what} attribute to contain 4 values, but got: {len(value)}")
    if any(size <= 0 for size in ksize):
        raise ValueError(f"`ksize` cannot be zero or negative. Received: ksize={list(ksize)}")
    dims = [image[0], None, None, None]
    padding = op.attrs["padding"]
    for axis, pad in zip(axes[:2], pads):
        dims[axis] = window_size(image[axis], ksize[axis], strides[axis], 1, padding, pad)
    axis = axes[2]
    dims[axis] = window_size(image[axis], ksize[axis], strides[axis], 1, padding)
    return tuple(dims)


def _pool_shape(op):
    attrs = op.attrs
    pads = explicit_pads(op, spatial_axes(attrs["data_format"])) if "explicit_paddings" in attrs else ((0, 0), (0, 0))
    return [_pool_dims(op, attrs["ksize"], attrs["strides"], pads)]


def _pool_v2_shape(op):
    with_rank(op.inputs[0].dims, 4)
    window = [constant_value(t) for t in op.inputs[1:3]]
    if any(w is None for w in window):
        return [(None,) * 4]
    return [_pool_dims(op, *([int(v) for v in w.ravel()] for w in window))]


def _argmax_shape(op):
    dims = _pool_dims(op, op.attrs["ksize"], op.attrs["strides"])
    return [dims, dims]


def _like_input(op):
    return [with_rank(op.inputs[0].dims, 4)]


def _like_output(op):
    return [with_rank(op.inputs[1].dims, 4)]


def _like_argmax(op):
    return [with_rank(op.inputs[2].dims, 4)]


def _avg_grad_shape(op):
    return [with_rank(constant_value_as_shape(op.inputs[0]), 4)]


# ---- Ops

_REAL = "realnumbertype"
_FLOATING = "{half, bfloat16, float, double}"
_WINDOW = ["ksize: list(int) >= 4", "strides: list(int) >= 4"]
_PADDING = ["padding: {'SAME', 'VALID'}"]
_ANY_PADDING = ["padding: {'SAME', 'VALID', 'EXPLICIT'}", "explicit_paddings: list(int) = []"]
_LAYOUT = ["data_format: {'NHWC', 'NCHW'} = 'NHWC'"]
_INDEXED = [*_WINDOW, *_PADDING, "include_batch_in_index: bool = false"]
_THREE = ["orig_input: T", "orig_output: T", "grad: T"]
_RUNTIME_WINDOW = ["ksize: int32", "strides: int32"]


def _define(name, inputs, attrs, shape, doc, outputs=("output: T",)):
    return define_op(name, inputs=inputs, outputs=list(outputs), attrs=attrs, shape=shape, doc=doc)


MaxPool = _define(
    "MaxPool",
    ["input: T"],
    [f"T: {_REAL} = DT_FLOAT", *_WINDOW, *_ANY_PADDING, *_LAYOUT],
    _pool_shape,
    "Maximum of each window. NaN is skipped.",
)
MaxPoolV2 = _define(
    "MaxPoolV2",
    ["input: T", *_RUNTIME_WINDOW],
    [f"T: {_REAL} = DT_FLOAT", *_PADDING, *_LAYOUT],
    _pool_v2_shape,
    "MaxPool with the window as inputs.",
)
MaxPoolGrad = _define(
    "MaxPoolGrad",
    _THREE,
    [*_WINDOW, *_ANY_PADDING, *_LAYOUT, f"T: {_REAL} = DT_FLOAT"],
    _like_input,
    "Gradient of MaxPool: the first maximum of each window gets its gradient.",
)
_MaxPoolGradRelu = _define(
    "_MaxPoolGradRelu",
    _THREE,
    [*_WINDOW, *_ANY_PADDING, *_LAYOUT, f"T: {_FLOATING} = DT_FLOAT"],
    _like_input,
    "MaxPoolGrad, made by the compiler together with the ReluGrad that follows it, where the pool's input is a Relu.",
)
MaxPoolGradV2 = _define(
    "MaxPoolGradV2",
    [*_THREE, *_RUNTIME_WINDOW],
    [*_PADDING, *_LAYOUT, f"T: {_REAL} = DT_FLOAT"],
    _like_input,
    "MaxPoolGrad with the window as inputs.",
)
MaxPoolGradGrad = _define(
    "MaxPoolGradGrad",
    _THREE,
    [*_WINDOW, *_PADDING, *_LAYOUT, f"T: {_REAL}"],
    _like_output,
    "Gradient of MaxPoolGrad: `grad` at the first maximum of each window.",
)
MaxPoolGradGradV2 = _define(
    "MaxPoolGradGradV2",
    [*_THREE, *_RUNTIME_WINDOW],
    [*_PADDING, *_LAYOUT, f"T: {_REAL}"],
    _like_output,
    "MaxPoolGradGrad with the window as inputs.",
)
MaxPoolWithArgmax = _define(
    "MaxPoolWithArgmax",
    ["input: T"],
    [*_WINDOW, "Targmax: {int32, int64} = DT_INT64", *_INDEXED[2:], f"T: {_REAL}"],
    _argmax_shape,
    "Maximum of each window and its index in the flattened image, or in the whole batch.",
    ["output: T", "argmax: Targmax"],
)
MaxPoolGradWithArgmax = _define(
    "MaxPoolGradWithArgmax",
    ["input: T", "grad: T", "argmax: Targmax"],
    [*_INDEXED, "Targmax: {int32, int64}", f"T: {_REAL}"],
    _like_input,
    "Gradient of MaxPoolWithArgmax.",
)
MaxPoolGradGradWithArgmax = _define(
    "MaxPoolGradGradWithArgmax",
    ["input: T", "grad: T", "argmax: Targmax"],
    [*_INDEXED, "Targmax: {int32, int64}", f"T: {_REAL}"],
    _like_argmax,
    "Gradient of MaxPoolGradWithArgmax: `grad` at the indices.",
)
AvgPool = _define(
    "AvgPool",
    ["value: T"],
    [*_WINDOW, *_PADDING, *_LAYOUT, f"T: {_FLOATING}"],
    _pool_shape,
    "Mean of each window; padding does not count.",
)
AvgPoolGrad = _define(
    "AvgPoolGrad",
    ["orig_input_shape: int32", "grad: T"],
    [*_WINDOW, *_PADDING, *_LAYOUT, f"T: {_FLOATING}"],
    _avg_grad_shape,
    "Gradient of AvgPool.",
)


# ---- Gradients


def _same_attrs(op, names=("ksize", "strides", "padding", "data_format")):
    return {name: op.get_attr(name) for name in names}


def _no_explicit(op, attrs):
    """MaxPoolGrad supports explicit padding but its gradient does not, as in TensorFlow."""
    if op.get_attr("explicit_paddings"):
        attrs["explicit_paddings"] = op.get_attr("explicit_paddings")
    return attrs


@gradient("MaxPool")
def _max_pool_grad(op, grad):
    return [MaxPoolGrad(op.inputs[0], op.outputs[0], grad, **_no_explicit(op, _same_attrs(op)))]


@gradient("MaxPoolV2")
def _max_pool_v2_grad(op, grad):
    attrs = _same_attrs(op, ("padding", "data_format"))
    return [MaxPoolGradV2(op.inputs[0], op.outputs[0], grad, op.inputs[1], op.inputs[2], **attrs), None, None]


@gradient("MaxPoolGrad")
def _max_pool_grad_grad(op, grad):
    attrs = _no_explicit(op, _same_attrs(op))
    return [
        constant_ops.zeros_like(op.inputs[0]),
        constant_ops.zeros_like(op.inputs[1]),
        MaxPoolGradGrad(op.inputs[0], op.inputs[1], grad, **attrs),
    ]


@gradient("_MaxPoolGradRelu")
def _max_pool_grad_relu_grad(op, grad):
    raise LookupError("_MaxPoolGradRelu is made by the compiler, after gradients; use max_pool and relu in a graph")


@gradient("MaxPoolGradV2")
def _max_pool_grad_v2_grad(op, grad):
    attrs = _same_attrs(op, ("padding", "data_format"))
    back = MaxPoolGradGradV2(op.inputs[0], op.inputs[1], grad, op.inputs[3], op.inputs[4], **attrs)
    return [constant_ops.zeros_like(op.inputs[0]), constant_ops.zeros_like(op.inputs[1]), back, None, None]


@gradient("MaxPoolGradGrad")
def _max_pool_grad_grad_grad(op, grad):
    return [
        constant_ops.zeros_like(op.inputs[0]),
        constant_ops.zeros_like(op.inputs[1]),
        MaxPoolGrad(op.inputs[0], op.inputs[1], grad, **_same_attrs(op)),
    ]


@gradient("MaxPoolGradGradV2")
def _max_pool_grad_grad_v2_grad(op, grad):
    attrs = _same_attrs(op, ("padding", "data_format"))
    back = MaxPoolGradV2(op.inputs[0], op.inputs[1], grad, op.inputs[3], op.inputs[4], **attrs)
    return [constant_ops.zeros_like(op.inputs[0]), constant_ops.zeros_like(op.inputs[1]), back, None, None]


_INDEXED_NAMES = ("ksize", "strides", "padding", "include_batch_in_index")


@gradient("MaxPoolWithArgmax")
def _max_pool_with_argmax_grad(op, grad, _):
    return [MaxPoolGradWithArgmax(op.inputs[0], grad, op.outputs[1], **_same_attrs(op, _INDEXED_NAMES))]


@gradient("MaxPoolGradWithArgmax")
def _max_pool_grad_with_argmax_grad(op, grad):
    attrs = _same_attrs(op, _INDEXED_NAMES)
    back = MaxPoolGradGradWithArgmax(op.inputs[0], grad, op.inputs[2], **attrs)
    return [constant_ops.zeros_like(op.inputs[0]), back, None]


@gradient("MaxPoolGradGradWithArgmax")
def _max_pool_grad_grad_with_argmax_grad(op, grad):
    attrs = _same_attrs(op, _INDEXED_NAMES)
    back = MaxPoolGradWithArgmax(op.inputs[0], grad, op.inputs[2], **attrs)
    return [constant_ops.zeros_like(op.inputs[0]), back, None]


@gradient("AvgPool")
def _avg_pool_grad(op, grad):
    return [AvgPoolGrad(array_ops.shape(op.inputs[0]), grad, **_same_attrs(op))]


@gradient("AvgPoolGrad")
def _avg_pool_grad_grad(op, grad):
    return [None, AvgPool(grad, **_same_attrs(op))]


# ---- Wrappers


def _window(ksize, strides, data_format):
    channel_axis = 1 if data_format.startswith("NC") else 3
    return {
        "ksize": expand_window(ksize, 2, channel_axis, "ksize"),
        "strides": expand_window(strides, 2, channel_axis, "strides"),
    }


def _padding(padding):
    if isinstance(padding, (list, tuple)):
        if len(padding) != 4 or any(len(p) != 2 for p in padding):
            raise ValueError(f"`padding` must be a list of 4 pairs (before, after). Received: padding={padding}")
        return {"padding": "EXPLICIT", "explicit_paddings": [int(p) for pair in padding for p in pair]}
    if padding == "EXPLICIT":
        raise ValueError("`padding` cannot be 'EXPLICIT' without a list of paddings.")
    return {"padding": padding}


def max_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """Computes the maximum of each window of a batch of images.

    Args:
      value: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a real numeric type.
      ksize: An int or a list of 1, 2 or 4 ints: the size of the window.
      strides: An int or a list of 1, 2 or 4 ints: the stride of the window.
      padding: "SAME", "VALID", or a list of four pairs (before, after), one for each dimension in the order of
        `data_format`.
      data_format: "NHWC" or "NCHW".
      name: Name of the operation (optional).
      input: Other name of `value`.

    Returns:
      A `Tensor` of the type and layout of `value`, with the number of windows as height and width.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.

    Example:

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> print(sess.run(tf.nn.max_pool(image, ksize=2, strides=2, padding="VALID"))[0, :, :, 0])
    [[ 5.  7.]
     [13. 15.]]
    """
    value = one_of("value", value, "input", input)
    with name_scope(name, "MaxPool", [value]) as name:
        window = _window(ksize, strides, data_format or "NHWC")
        return MaxPool(value, data_format=data_format or "NHWC", name=name, **_padding(padding), **window)


def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """Computes the maximum of each window of a batch of images.

    Args:
      input: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a real numeric type.
      ksize: An int or a list of 1, 2 or 4 ints: the size of the window.
      strides: An int or a list of 1, 2 or 4 ints: the stride of the window.
      padding: "SAME", "VALID", or a list of four pairs (before, after), one for each dimension in the order of
        `data_format`.
      data_format: "NHWC" or "NCHW".
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and layout of `input`, with the number of windows as height and width.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.
    """
    with name_scope(name, "MaxPool2d", [input]) as name:
        window = _window(ksize, strides, data_format or "NHWC")
        return MaxPool(input, data_format=data_format or "NHWC", name=name, **_padding(padding), **window)


def avg_pool(value, ksize, strides, padding, data_format="NHWC", name=None, input=None):
    """Computes the mean of each window of a batch of images.

    Padding does not count: at a border the mean is that of the pixels inside the image.

    Args:
      value: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, float16, bfloat16, float32
        or float64.
      ksize: An int or a list of 1, 2 or 4 ints: the size of the window.
      strides: An int or a list of 1, 2 or 4 ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      name: Name of the operation (optional).
      input: Other name of `value`.

    Returns:
      A `Tensor` of the type and layout of `value`, with the number of windows as height and width.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.

    Example:

    >>> image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    >>> print(sess.run(tf.nn.avg_pool(image, ksize=2, strides=2, padding="VALID"))[0, :, :, 0])
    [[ 2.5  4.5]
     [10.5 12.5]]
    """
    value = one_of("value", value, "input", input)
    with name_scope(name, "AvgPool", [value]) as name:
        window = _window(ksize, strides, data_format or "NHWC")
        return AvgPool(value, padding=padding, data_format=data_format or "NHWC", name=name, **window)


avg_pool2d = avg_pool


def _pool_nd(input, ksize, strides, padding, data_format, name, pool1d, pool2d, pool3d):
    rank = len(input.shape)
    if rank == 4:
        return pool2d(input, ksize, strides, padding, data_format=data_format or "NHWC", name=name)
    if rank == 3:
        return pool1d(input, ksize, strides, padding, data_format=data_format or "NWC", name=name)
    if rank == 5:
        return pool3d(input, ksize, strides, padding, data_format=data_format, name=name)
    raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank {rank}.")


def max_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    """Computes the maximum of each window in one to three spatial dimensions.

    Args:
      input: A `Tensor` of shape [batch, width, channels], [batch, height, width, channels] or [batch, depth, height,
        width, channels], or as `data_format` says.
      ksize: An int or a list of ints: the size of the window.
      strides: An int or a list of ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images, "NDHWC" or "NCDHW" for volumes; channels
        last by default.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type, rank and layout of `input`.

    Raises:
      ValueError: `input` is not of rank 3, 4 or 5, or the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that the op does not take.
    """
    return _pool_nd(input, ksize, strides, padding, data_format, name, max_pool1d, max_pool, volumes.max_pool3d)


def avg_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    """Computes the mean of each window in one to three spatial dimensions.

    Args:
      input: A `Tensor` of shape [batch, width, channels], [batch, height, width, channels] or [batch, depth, height,
        width, channels], or as `data_format` says.
      ksize: An int or a list of ints: the size of the window.
      strides: An int or a list of ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images, "NDHWC" or "NCDHW" for volumes; channels
        last by default.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type, rank and layout of `input`.

    Raises:
      ValueError: `input` is not of rank 3, 4 or 5, or the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that the op does not take.
    """
    return _pool_nd(input, ksize, strides, padding, data_format, name, avg_pool1d, avg_pool, volumes.avg_pool3d)


def _pool1d(op, input, ksize, strides, padding, data_format, name):
    """A pool of images of height 1; `name` is an absolute scope name."""
    axis, layout = (2, "NCHW") if data_format == "NCW" else (1, "NHWC")
    channel_axis = 1 if axis == 2 else 2
    window = [expand_window(v, 1, channel_axis, what) for v, what in ((ksize, "ksize"), (strides, "strides"))]
    ksize, strides = ([*w[:axis], 1, *w[axis:]] for w in window)
    image = array_ops.expand_dims(input, axis)
    result = op(image, ksize=ksize, strides=strides, padding=padding, data_format=layout, name=name)
    return array_ops.squeeze(result, [axis])


def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Computes the maximum of each window of a batch of sequences.

    Args:
      input: A `Tensor` of shape [batch, width, channels], or as `data_format` says, of a real numeric type.
      ksize: An int or a list of 1 or 3 ints: the size of the window.
      strides: An int or a list of 1 or 3 ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NWC" (channels last) or "NCW" (channels first).
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and layout of `input`, with the number of windows as width.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.
    """
    with name_scope(name, "MaxPool1d", [input]) as name:
        return _pool1d(MaxPool, input, ksize, strides, padding, data_format or "NWC", name)


def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Computes the mean of each window of a batch of sequences.

    Args:
      input: A `Tensor` of shape [batch, width, channels], or as `data_format` says, float16, bfloat16, float32 or
        float64.
      ksize: An int or a list of 1 or 3 ints: the size of the window.
      strides: An int or a list of 1 or 3 ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NWC" (channels last) or "NCW" (channels first).
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and layout of `input`, with the number of windows as width.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.
    """
    with name_scope(name, "AvgPool1D", [input]) as name:
        return _pool1d(AvgPool, input, ksize, strides, padding, data_format or "NWC", name)


def max_pool_with_argmax(
    input,
    ksize,
    strides,
    padding,
    data_format="NHWC",
    Targmax=None,  # noqa: N803  TensorFlow's name
    name=None,
    output_dtype=None,
    include_batch_in_index=False,
):
    """Computes the maximum of each window and where it is.

    The index of a maximum at [b, y, x, c] is (y * width + x) * channels + c, with `include_batch_in_index`
    ((b * height + y) * width + x) * channels + c.

    Args:
      input: A `Tensor` of shape [batch, height, width, channels], of a real numeric type.
      ksize: A list of 4 ints: the size of the window.
      strides: A list of 4 ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: Only "NHWC".
      Targmax: Type of the indices, int32 or int64 (the default).
      name: Name of the operation (optional).
      output_dtype: Other name of `Targmax`.
      include_batch_in_index: Whether the index counts from the start of the batch rather than of the image.

    Returns:
      A named tuple (output, argmax): the maxima, a `Tensor` of the type of `input`, and their indices, a `Tensor` of
      type `Targmax` and of the same shape.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.
    """
    if data_format != "NHWC":
        raise ValueError("`data_format` values other than 'NHWC' are not supported.")
    Targmax = one_of("Targmax", Targmax, "output_dtype", output_dtype)
    attrs = {} if Targmax is None else {"Targmax": Targmax}
    return MaxPoolWithArgmax(
        input,
        ksize=ksize,
        strides=strides,
        padding=padding,
        include_batch_in_index=include_batch_in_index,
        name=name,
        **attrs,
    )


def pool(
    input,
    window_shape,
    pooling_type,
    padding,
    dilation_rate=None,
    strides=None,
    name=None,
    data_format=None,
    dilations=None,
):
    """Pools windows in one to three spatial dimensions.

    Args:
      input: A `Tensor` of shape [batch, width, channels], [batch, height, width, channels] or [batch, depth, height,
        width, channels], or as `data_format` says.
      window_shape: A list of 1 to 3 ints: the size of the window.
      pooling_type: "MAX" or "AVG".
      padding: "SAME" or "VALID"; with a dilation only "VALID".
      dilation_rate: A list of ints, one for each spatial dimension: the distance of neighbours in a window; all 1 by
        default.
      strides: A list of ints, one for each spatial dimension, not above `window_shape`; all 1 by default.
      name: Name of the operation (optional).
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images, "NDHWC" or "NCDHW" for volumes; channels
        last by default.
      dilations: Other name of `dilation_rate`.

    Returns:
      A `Tensor` of the type, rank and layout of `input`.

    Raises:
      ValueError: An argument is not valid, or both strides and dilations are above 1.
      TypeError: The input has a type that the op does not take.
    """
    rate = one_of("dilation_rate", dilation_rate, "dilations", dilations)
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as name:
        if pooling_type not in ("MAX", "AVG"):
            raise ValueError(f"`pooling_type` must be 'MAX' or 'AVG'. Received: pooling_type={pooling_type}")
        input = convert_to_tensor(input, name="input")
        n = len(window_shape)
        if n not in (1, 2, 3):
            raise ValueError(
                f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape} of length {n}"
            )
        with_rank(input.dims, n + 2)
        strides = [1] * n if strides is None else list(strides)
        rate = [1] * n if rate is None else list(rate)
        for what, value in (("strides", strides), ("dilation_rate", rate)):
            if len(value) != n or any(v < 1 for v in value):
                raise ValueError(f"`{what}` must have {n} positive values. Received: {value}")
        if any(s > 1 for s in strides) and any(r > 1 for r in rate):
            raise ValueError(
                f"`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={strides} "
                f"and dilation_rate={rate}"
            )
        if any(s > w for s, w in zip(strides, window_shape)):
            raise ValueError(
                "`strides > window_shape` not supported due to inconsistency between CPU and GPU implementations. "
                f"Received: strides={strides} and window_shape={window_shape}"
            )
        if any(r > 1 for r in rate):
            return _dilated_pool(input, window_shape, pooling_type, padding, rate, data_format, name)
        return _plain_pool(input, window_shape, pooling_type, padding, strides, data_format, name)


def _plain_pool(input, window_shape, pooling_type, padding, strides, data_format, name):
    if len(window_shape) == 3:
        op = volumes.max_pool3d if pooling_type == "MAX" else volumes.avg_pool3d
        return op(input, list(window_shape), strides, padding, data_format, name)
    op = MaxPool if pooling_type == "MAX" else AvgPool
    if len(window_shape) == 1:
        return _pool1d(op, input, window_shape, strides, padding, data_format or "NWC", name)
    data_format = data_format or "NHWC"
    return op(input, padding=padding, data_format=data_format, name=name, **_window(window_shape, strides, data_format))


def _dilated_pool(input, window_shape, pooling_type, padding, rate, data_format, name):
    """Pools each of the grids of every rate-th pixel."""
    if padding == "SAME":
        raise ValueError(
            f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: padding={padding} "
            f"and dilation_rate={rate}"
        )
    n = len(rate)
    if data_format in ("NCW", "NCHW", "NCDHW"):
        last = array_ops.transpose(input, [0, *range(2, n + 2), 1])
        pooled = _dilated_pool(last, window_shape, pooling_type, padding, rate, None, None)
        return array_ops.transpose(pooled, [0, n + 1, *range(1, n + 1)], name=name)
    sizes = array_ops.shape(input)
    blocks = convert_to_tensor(rate)
    pads = array_join.stack([blocks * 0, -sizes[1 : 1 + n] % blocks], axis=1)
    apart = block_ops.space_to_batch_nd(input, rate, pads)
    # Padded rows are cropped together with the windows that touch them.
    pooled = _plain_pool(apart, window_shape, pooling_type, "VALID", [1] * n, data_format, name)
    spans = convert_to_tensor([(w - 1) * r for w, r in zip(window_shape, rate)])
    whole = array_ops.shape(pooled)[1 : 1 + n] * blocks
    crops = array_join.stack([blocks * 0, whole - (sizes[1 : 1 + n] - spans)], axis=1)
    result = block_ops.batch_to_space_nd(pooled, rate, crops)
    if input.dims is not None:
        inner = zip(input.dims[1:-1], window_shape, rate)
        known = [None if size is None else max(size - (w - 1) * r, 0) for size, w, r in inner]
        result.set_shape([input.dims[0], *known, input.dims[-1]])
    return result
