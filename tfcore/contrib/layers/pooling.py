"""Pooling."""

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.contrib.layers import utils
from tfcore.contrib.layers.docs import documented
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.pooling import AveragePooling2D, AveragePooling3D, MaxPooling2D, MaxPooling3D
from tfcore.ops.pooling import pooling


@add_arg_scope
@documented
def avg_pool2d(
    inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None
):
    """Computes the mean of each window of a batch of images.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      kernel_size: An int or a pair of ints: height and width of the window.
      stride: An int or a pair of ints.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      {outputs}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 4.
    """
    channels = utils.channels_name(data_format)
    with name_scope(scope, "AvgPool2D", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        outputs = AveragePooling2D(kernel_size, stride, padding, channels, _scope=scope).apply(inputs)
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@add_arg_scope
@documented
def avg_pool3d(
    inputs, kernel_size, stride=2, padding="VALID", data_format="NDHWC", outputs_collections=None, scope=None
):
    """Computes the mean of each window of a batch of volumes.

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      kernel_size: An int or three ints: depth, height and width of the window.
      stride: An int or three ints.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      {outputs}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as depth, height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 5.
    """
    channels = utils.channels_name(data_format, ("NCDHW", "NDHWC"))
    with name_scope(scope, "AvgPool3D", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        outputs = AveragePooling3D(kernel_size, stride, padding, channels, _scope=scope).apply(inputs)
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@add_arg_scope
@documented
def max_pool2d(
    inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None
):
    """Computes the maximum of each window of a batch of images.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of a floating-point type.
      kernel_size: An int or a pair of ints: height and width of the window.
      stride: An int or a pair of ints.
      padding: "VALID" or "SAME".
      data_format: "NHWC" or "NCHW".
      {outputs}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 4.
    """
    channels = utils.channels_name(data_format)
    with name_scope(scope, "MaxPool2D", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        outputs = MaxPooling2D(kernel_size, stride, padding, channels, _scope=scope).apply(inputs)
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@add_arg_scope
@documented
def max_pool3d(
    inputs, kernel_size, stride=2, padding="VALID", data_format="NDHWC", outputs_collections=None, scope=None
):
    """Computes the maximum of each window of a batch of volumes.

    Args:
      inputs: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, of a
        floating-point type.
      kernel_size: An int or three ints: depth, height and width of the window.
      stride: An int or three ints.
      padding: "VALID" or "SAME".
      data_format: "NDHWC" or "NCDHW".
      {outputs}

    Returns:
      A `Tensor` of the type and layout of `inputs`, with the number of windows as depth, height and width.

    Raises:
      ValueError: An argument is not valid, or `inputs` is not of rank 5.
    """
    channels = utils.channels_name(data_format, ("NCDHW", "NDHWC"))
    with name_scope(scope, "MaxPool3D", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        outputs = MaxPooling3D(kernel_size, stride, padding, channels, _scope=scope).apply(inputs)
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@add_arg_scope
@documented
def pool(
    inputs,
    kernel_size,
    pooling_type,
    padding="VALID",
    data_format=None,
    dilation_rate=1,
    stride=1,
    outputs_collections=None,
    scope=None,
):
    """Computes the mean or maximum of each window in one to three spatial dimensions.

    Args:
      inputs: A `Tensor` of shape [batch, width, channels], [batch, height, width, channels] or [batch, depth, height,
        width, channels], or as `data_format` says.
      kernel_size: An int or a list of ints: the size of the window.
      pooling_type: "AVG" or "MAX".
      padding: "VALID" or "SAME".
      data_format: "NWC" or "NCW" for sequences, "NHWC" or "NCHW" for images, "NDHWC" or "NCDHW" for volumes; channels
        last by default.
      dilation_rate: An int or a list of ints: the distance of neighbouring elements of the window.
      stride: An int or a list of ints.
      {outputs}

    Returns:
      A `Tensor` of the type, rank and layout of `inputs`.

    Raises:
      ValueError: An argument is not valid, or the rank is not known or too small.
    """
    with name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Rank of inputs must be known")
        if rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        outputs = pooling.pool(
            inputs,
            utils.n_positive_integers(rank - 2, kernel_size),
            pooling_type,
            padding,
            dilation_rate=utils.n_positive_integers(rank - 2, dilation_rate),
            strides=utils.n_positive_integers(rank - 2, stride),
            data_format=data_format,
            name=scope,
        )
        return utils.collect_named_outputs(outputs_collections, scope, outputs)
