"""Convolutions."""

import functools

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.contrib.framework.variables import model_variable
from tfcore.contrib.layers import utils
from tfcore.contrib.layers.docs import documented
from tfcore.contrib.layers.initializers import xavier_initializer
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.convolutional import Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
from tfcore.layers.separable import SeparableConv2D
from tfcore.ops.array.move import tile
from tfcore.ops.conv.depthwise import depthwise_conv2d
from tfcore.ops.nn import activations
from tfcore.ops.nn.basic import bias_add
from tfcore.variables.initializers import Zeros
from tfcore.variables.variable_scope import variable_scope

_relu = activations.relu
_xavier = xavier_initializer()
_zeros = Zeros()
_RENAMED = {"bias": "biases", "kernel": "weights"}


@add_arg_scope
@documented
def convolution(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=None,
    rate=1,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
    conv_dims=None,
):
    """Convolution layer in one to three spatial dimensions, with the variables `weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [batch, width, channels], [batch, height, width, channels] or [batch, depth, height,
        width, channels], or as `data_format` says.
      num_outputs: An int: the number of output channels.
      kernel_size: An int or a list of ints: the size of the kernel in each spatial dimension.
      stride: An int or a list of ints. Strides and rates above 1 exclude each other.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images, "NDHWC" or "NCDHW" for volumes; channels
        last by default.
      rate: An int or a list of ints: the distance of neighbouring kernel taps.
      {normalizer}
      {weights}
      {bookkeeping}
      conv_dims: The number of spatial dimensions that `inputs` must have (optional).

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `num_outputs` channels.

    Raises:
      ValueError: The rank of `inputs`, `data_format` or another argument is not valid.
    """
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"):
        raise ValueError(f"Invalid data_format: {data_format!r}")
    getter = utils.variable_getter(_RENAMED)
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter) as scope:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank not in (3, 4, 5):
            raise ValueError("Convolution not supported for input with rank", rank)
        layer = (Conv1D, Conv2D, Conv3D)[rank - 3](
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if (data_format or "").startswith("NC") else "channels_last",
            dilation_rate=rate,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=scope.name,
            dtype=inputs.dtype.base_dtype,
            _scope=scope,
            _reuse=reuse,
        )
        outputs = _applied(layer, inputs, variables_collections)
        outputs = utils.normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def _applied(layer, inputs, variables_collections):
    """The output of a layer, whose variables join their collections."""
    outputs = layer.apply(inputs)
    utils.collect_variable(layer.kernel, variables_collections, "weights")
    if layer.bias is not None:
        utils.collect_variable(layer.bias, variables_collections, "biases")
    return outputs


@add_arg_scope
@documented
def convolution1d(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=None,
    rate=1,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """1-D convolution layer with the variables `weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [batch, width, channels], or as `data_format` says, of a floating-point type.
      num_outputs: An int: the number of output channels.
      kernel_size: An int: the width of the kernel.
      stride: An int. A stride and a rate above 1 exclude each other.
      padding: "SAME" or "VALID".
      data_format: "NWC" (channels last, the default) or "NCW".
      rate: An int: the distance of neighbouring kernel taps.
      {normalizer}
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `num_outputs` channels.

    Raises:
      ValueError: `inputs` is not of rank 3, or an argument is not valid.
    """
    return convolution(
        inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn,
        normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable, scope, conv_dims=1,
    )  # fmt: skip


@add_arg_scope
@documented
def convolution2d(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=None,
    rate=1,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """2-D convolution layer with the variables `weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      num_outputs: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      stride: An int or a pair of ints. Strides and rates above 1 exclude each other.
      padding: "SAME" or "VALID".
      data_format: "NHWC" (channels last, the default) or "NCHW".
      rate: An int or a pair of ints: the distance of neighbouring kernel taps.
      {normalizer}
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `num_outputs` channels.

    Raises:
      ValueError: `inputs` is not of rank 4, or an argument is not valid.

    Example:

    >>> layers = tf.contrib.layers
    >>> y = layers.conv2d(tf.zeros([8, 28, 28, 1]), 16, 3, normalizer_fn=layers.batch_norm, scope="conv1")
    >>> print(y.op.name, [v.op.name for v in tf.trainable_variables()])
    conv1/Relu ['conv1/weights', 'conv1/BatchNorm/beta']
    """
    return convolution(
        inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn,
        normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable, scope, conv_dims=2,
    )  # fmt: skip


@add_arg_scope
@documented
def convolution3d(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format=None,
    rate=1,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """3-D convolution layer with the variables `weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      num_outputs: An int: the number of output channels.
      kernel_size: An int or three ints: depth, height and width of the kernel.
      stride: An int or three ints. Strides and rates above 1 exclude each other.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" (channels last, the default) or "NCDHW".
      rate: An int or three ints: the distance of neighbouring kernel taps.
      {normalizer}
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `num_outputs` channels.

    Raises:
      ValueError: `inputs` is not of rank 5, or an argument is not valid.
    """
    return convolution(
        inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn,
        normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable, scope, conv_dims=3,
    )  # fmt: skip


@add_arg_scope
@documented
def convolution2d_in_plane(
    inputs,
    kernel_size,
    stride=1,
    padding="SAME",
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """2-D convolution of each channel with the same kernel.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels] of a floating-point type.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      stride: An int or a pair of equal ints.
      padding: "SAME" or "VALID".
      {normalizer}
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type of `inputs`, with as many channels.

    Raises:
      ValueError: The number of channels is not known, or an argument is not valid.
    """
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as scope:
        inputs = convert_to_tensor(inputs)
        variable = _variables_of(inputs, trainable, variables_collections)
        channels = utils.last_dimension(inputs.shape, min_rank=4)
        shape = [*utils.two_element_tuple(kernel_size), 1, 1]
        weights = variable("weights", shape, weights_initializer, weights_regularizer)
        strides = [1, *utils.two_element_tuple(stride), 1]
        outputs = depthwise_conv2d(inputs, tile(weights, [1, 1, channels, 1]), strides, padding)
        if normalizer_fn is None and biases_initializer is not None:
            outputs = bias_add(outputs, variable("biases", [channels], biases_initializer, biases_regularizer))
        outputs = utils.normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def _variables_of(inputs, trainable, variables_collections):
    """A function that creates variables of the type of the inputs; `kind` is their key in `variables_collections`."""

    def variable(name, shape, initializer, regularizer, kind=None):
        return model_variable(
            name,
            shape=shape,
            dtype=inputs.dtype.base_dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=utils.get_variable_collections(variables_collections, kind or name),
            trainable=trainable,
        )

    return variable


@add_arg_scope
@documented
def convolution2d_transpose(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format="NHWC",
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """The transpose of the 2-D convolution layer, with the variables `weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      num_outputs: An int: the number of output channels.
      kernel_size: An int or a pair of ints: height and width of the kernel.
      stride: An int or a pair of ints.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      {normalizer}
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `num_outputs` channels.

    Raises:
      ValueError: `inputs` is not of rank 4, or an argument is not valid.
    """
    layer = functools.partial(
        Conv2DTranspose, num_outputs, kernel_size, stride, padding,
        use_bias=not normalizer_fn and biases_initializer is not None, kernel_initializer=weights_initializer,
        bias_initializer=biases_initializer, kernel_regularizer=weights_regularizer,
        bias_regularizer=biases_regularizer, trainable=trainable,
    )  # fmt: skip
    getter = utils.variable_getter(_RENAMED)
    with variable_scope(scope, "Conv2d_transpose", [inputs], reuse=reuse, custom_getter=getter) as scope:
        channels = utils.channels_name(data_format)
        outputs = _in_scope(layer, convert_to_tensor(inputs), channels, scope, reuse, variables_collections)
        outputs = utils.normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
@documented
def convolution3d_transpose(
    inputs,
    num_outputs,
    kernel_size,
    stride=1,
    padding="SAME",
    data_format="NDHWC",
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """The transpose of the 3-D convolution layer, with the variables `weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      num_outputs: An int: the number of output channels.
      kernel_size: An int or three ints: depth, height and width of the kernel.
      stride: An int or three ints.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" or "NCDHW".
      {normalizer}
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with `num_outputs` channels.

    Raises:
      ValueError: `inputs` is not of rank 5, or an argument is not valid.
    """
    layer = functools.partial(
        Conv3DTranspose, num_outputs, kernel_size, stride, padding,
        use_bias=not normalizer_fn and biases_initializer is not None, kernel_initializer=weights_initializer,
        bias_initializer=biases_initializer, kernel_regularizer=weights_regularizer,
        bias_regularizer=biases_regularizer, trainable=trainable,
    )  # fmt: skip
    getter = utils.variable_getter(_RENAMED)
    with variable_scope(scope, "Conv3d_transpose", [inputs], reuse=reuse, custom_getter=getter) as scope:
        channels = utils.channels_name(data_format, ("NCDHW", "NDHWC"))
        outputs = _in_scope(layer, convert_to_tensor(inputs), channels, scope, reuse, variables_collections)
        outputs = utils.normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def _in_scope(layer, inputs, channels, scope, reuse, variables_collections):
    layer = layer(data_format=channels, name=scope.name, dtype=inputs.dtype.base_dtype, _scope=scope, _reuse=reuse)
    return _applied(layer, inputs, variables_collections)


@add_arg_scope
@documented
def separable_convolution2d(
    inputs,
    num_outputs,
    kernel_size,
    depth_multiplier=1,
    stride=1,
    padding="SAME",
    data_format="NHWC",
    rate=1,
    activation_fn=_relu,
    normalizer_fn=None,
    normalizer_params=None,
    weights_initializer=_xavier,
    pointwise_initializer=None,
    weights_regularizer=None,
    biases_initializer=_zeros,
    biases_regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
):
    """Depthwise 2-D convolution, then one of size 1 that mixes the channels.

    The variables are `depthwise_weights`, `pointwise_weights` and `biases`.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      num_outputs: An int: the number of output channels; None for the depthwise convolution only.
      kernel_size: An int or a pair of ints: height and width of the depthwise kernel.
      depth_multiplier: An int: the number of outputs of the depthwise convolution for each input channel.
      stride: An int or a pair of equal ints. Strides and rates above 1 exclude each other.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      rate: An int or a pair of ints: the distance of neighbouring kernel taps.
      {normalizer}
      pointwise_initializer: Initializer of the pointwise weights; `weights_initializer` if None.
      {weights}
      {bookkeeping}

    Returns:
      A `Tensor` of the type and layout of `inputs`.

    Raises:
      ValueError: `inputs` is not of rank 4, or an argument is not valid.
    """
    channels = utils.channels_name(data_format)
    renamed = {"depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights", "bias": "biases"}
    getter = utils.variable_getter(renamed)
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter) as scope:
        inputs = convert_to_tensor(inputs)
        if num_outputs is None:
            variable = _variables_of(inputs, trainable, variables_collections)
            size = utils.channel_dimension(inputs.shape, channels, min_rank=4)
            shape = [*utils.two_element_tuple(kernel_size), size, depth_multiplier]
            weights = variable("depthwise_weights", shape, weights_initializer, weights_regularizer, "weights")
            outputs = _depthwise(inputs, weights, stride, padding, rate, data_format)
            if normalizer_fn is None and biases_initializer is not None:
                biases = variable("biases", [size * depth_multiplier], biases_initializer, biases_regularizer)
                outputs = bias_add(outputs, biases, data_format=data_format)
        else:
            layer = SeparableConv2D(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=channels,
                dilation_rate=utils.two_element_tuple(rate),
                depth_multiplier=depth_multiplier,
                use_bias=not normalizer_fn and biases_initializer is not None,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=scope.name,
                dtype=inputs.dtype.base_dtype,
                _scope=scope,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs)
            for kernel in (layer.depthwise_kernel, layer.pointwise_kernel):
                utils.collect_variable(kernel, variables_collections, "weights")
            if layer.bias is not None:
                utils.collect_variable(layer.bias, variables_collections, "biases")
        outputs = utils.normalized_and_activated(outputs, normalizer_fn, normalizer_params, activation_fn)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def _depthwise(inputs, weights, stride, padding, rate, data_format):
    stride, rate = utils.two_element_tuple(stride), utils.two_element_tuple(rate)
    strides = [1, 1, *stride] if data_format == "NCHW" else [1, *stride, 1]
    return depthwise_conv2d(inputs, weights, strides, padding, rate=rate, data_format=data_format)


conv1d = convolution1d
conv2d = convolution2d
conv2d_in_plane = convolution2d_in_plane
conv2d_transpose = convolution2d_transpose
conv3d = convolution3d
conv3d_transpose = convolution3d_transpose
separable_conv2d = separable_convolution2d
