"""Convolutions in one to three spatial dimensions, dilated ones, and those of sequences, over Conv2D and Conv3D."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.join as array_join
import tfcore.ops.conv.conv as conv
import tfcore.ops.conv.conv_3d as conv_3d
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor


def _named_padding(padding):
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}.")
    return padding


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
        attrs = conv.conv_attrs([1, 1], _named_padding(padding), "NHWC", [rate, rate])
        return conv.Conv2DBackpropInput(output_shape, filters, value, name=name, **attrs)


_LAYOUTS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


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
    """Convolution in one, two or three spatial dimensions.

    Args:
      input: A `Tensor` of shape [batch, width, channels], [batch, height, width, channels] or [batch, depth, height,
        width, channels], or as `data_format` says, float16, bfloat16, float32 or float64, or int32 if not of volumes.
      filter: A `Tensor` of the type of `input`, shape [filter_width, in_channels, out_channels], [filter_height,
        filter_width, in_channels, out_channels] or [filter_depth, filter_height, filter_width, in_channels,
        out_channels].
      padding: "SAME" or "VALID".
      strides: A list of ints, one for each spatial dimension; all 1 by default.
      dilation_rate: A list of ints, one for each spatial dimension; all 1 by default. Strides and dilations above 1
        exclude each other.
      name: Name of the operation (optional).
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images, "NDHWC" or "NCDHW" for volumes; channels
        last by default.
      filters: Other name of `filter`.
      dilations: Other name of `dilation_rate`.

    Returns:
      A `Tensor` of the type and rank of `input`.

    Raises:
      ValueError: The static shapes don't fit together, or strides, dilations, padding or layout are not valid.
      TypeError: The inputs have different types, or a type that is not listed.
      tf.errors.InvalidArgumentError: When run: the shapes don't fit together.
    """
    filter = conv.one_of("filter", filter, "filters", filters)
    rate = conv.one_of("dilation_rate", dilation_rate, "dilations", dilations)
    with name_scope(name, "convolution", [input, filter]) as name:
        input = convert_to_tensor(input, name="input")
        filter = convert_to_tensor(filter, name="filter")
        rank = input.shape.ndims or filter.shape.ndims
        if rank is None:
            raise ValueError("rank of input or filter must be known")
        spatial = rank - 2
        if spatial not in _LAYOUTS:
            raise ValueError(f"`input` must have 1, 2 or 3 spatial dimensions. Received: rank {rank}")
        data_format = _check_layout(data_format, spatial)
        strides, rate = _spatial(strides, spatial, "strides"), _spatial(rate, spatial, "dilation_rate")
        if any(s > 1 for s in strides) and any(r > 1 for r in rate):
            raise ValueError(
                f"`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides={strides} "
                f"and dilation_rate={rate}"
            )
        if spatial == 3:
            window = {"strides": in_layout(strides, data_format), "dilations": in_layout(rate, data_format)}
            return conv_3d.Conv3D(input, filter, padding=padding, data_format=data_format, name=name, **window)
        if spatial == 2:
            return conv.Conv2D(input, filter, name=name, **conv.conv_attrs(strides, padding, data_format, rate))
        return _conv1d(input, filter, strides[0], padding, data_format, rate[0], name)


def in_layout(window, data_format):
    """The sizes of a window for all dimensions: 1 for batch and channels."""
    return [1, 1, *window] if data_format.startswith("NC") else [1, *window, 1]


def _spatial(value, n, name):
    if value is None:
        return [1] * n
    value = conv.integers(value, name)
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
    attrs = conv.conv_attrs([1, stride], padding, layout, [1, rate])
    return array_ops.squeeze(conv.Conv2D(value, filters, name=name, **attrs), [axis])


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
    value = conv.one_of("value", value, "input", input)
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
        attrs = conv.conv_attrs([1, _width(strides, data_format)], padding, layout, [1, _width(dilations, data_format)])
        output_shape = list(output_shape) if isinstance(output_shape, (list, tuple)) else output_shape
        if isinstance(output_shape, list):
            sizes = [*output_shape[:axis], 1, *output_shape[axis:]]
        else:
            sizes = array_join.concat([output_shape[:axis], [1], output_shape[axis:]], axis=0)
        image = array_ops.expand_dims(input, axis)
        result = conv.Conv2DBackpropInput(sizes, array_ops.expand_dims(filters, 0), image, name=name, **attrs)
        return array_ops.squeeze(result, [axis])


def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None, name=None):
    """The transpose of `convolution` in one, two or three spatial dimensions.

    Args:
      input: A `Tensor` of rank 3, 4 or 5, as `convolution` returns it.
      filters: A `Tensor` of the type of `input`, shape [filter_width, out_channels, in_channels], [filter_height,
        filter_width, out_channels, in_channels] or [filter_depth, filter_height, filter_width, out_channels,
        in_channels].
      output_shape: An int32 vector: the shape of the result.
      strides: An int, or a list with the stride of each spatial dimension.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images, "NDHWC" or "NCDHW" for volumes; channels
        last by default.
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
        if rank not in (3, 4, 5):
            raise ValueError(f"`input` must have 1, 2 or 3 spatial dimensions. Received: rank {rank}")
        data_format = _check_layout(data_format, rank - 2)
        transpose = (conv1d_transpose, conv.conv2d_transpose, conv_3d.conv3d_transpose)[rank - 3]
        return transpose(
            input, filters, output_shape, strides, padding, data_format=data_format, dilations=dilations, name=name
        )
