"""Normalization of each example by itself: of layers, groups of channels, channels, vectors."""

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.contrib.framework.variables import model_variable
from tfcore.contrib.layers import utils
from tfcore.contrib.layers.docs import documented
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array import array
from tfcore.ops.cwise.unary import rsqrt, sqrt, square
from tfcore.ops.nn import normalization
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.variables.initializers import Ones, Zeros
from tfcore.variables.variable_scope import variable_scope


def _scale_and_shift(shape, dtype, center, scale, initializers, collections, trainable, new_shape=None):
    """beta and gamma, in another shape if one is given; None for those that are not wanted"""

    def variable(wanted, name, default):
        if not wanted:
            return None
        made = model_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=(initializers or {}).get(name, default),
            collections=utils.get_variable_collections(collections, name),
            trainable=trainable,
        )
        return made if new_shape is None else array.reshape(made, new_shape)

    return variable(center, "beta", Zeros()), variable(scale, "gamma", Ones())


@add_arg_scope
@documented
def layer_norm(
    inputs,
    center=True,
    scale=True,
    activation_fn=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    begin_norm_axis=1,
    begin_params_axis=-1,
    scope=None,
):
    """Layer normalization: gives each example mean 0 and variance 1, then scales by gamma and adds beta.

    Source: J. L. Ba, J. R. Kiros and G. E. Hinton, "Layer Normalization", 2016.

    Args:
      inputs: A `Tensor` of a floating-point type with a known rank.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      activation_fn: A function of the output; None for none.
      begin_norm_axis: An int: the first dimension that statistics are taken over.
      begin_params_axis: An int: the first dimension of beta and gamma.
      {bookkeeping}

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: The rank is not known or too small, or a size of beta and gamma is not known.

    Example:

    >>> y = tf.contrib.layers.layer_norm(tf.constant([[1.0, 3.0], [10.0, 30.0]]))
    >>> sess.run(tf.global_variables_initializer())
    >>> print(np.round(sess.run(y), 2))
    [[-1.  1.]
     [-1.  1.]]
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as scope:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        begin_norm_axis += rank if begin_norm_axis < 0 else 0
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < "
                f"rank(inputs) ({rank})"
            )
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {inputs.shape}"
            )
        dtype = inputs.dtype.base_dtype
        beta, gamma = _scale_and_shift(shape, dtype, center, scale, None, variables_collections, trainable)
        mean, variance = normalization.moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        epsilon = 1e-3 if dtype == dtypes.float16 else 1e-12
        outputs = normalization.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
@documented
def instance_norm(
    inputs,
    center=True,
    scale=True,
    epsilon=1e-6,
    activation_fn=None,
    param_initializers=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    data_format="NHWC",
    scope=None,
):
    """Instance normalization: gives each channel of each example mean 0 and variance 1, then scales and shifts it.

    Source: D. Ulyanov, A. Vedaldi and V. Lempitsky, "Instance Normalization: The Missing Ingredient for Fast
    Stylization", 2016.

    Args:
      inputs: A `Tensor` of a floating-point type with a known rank.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      epsilon: A small float added to the variance.
      activation_fn: A function of the output; None for none.
      param_initializers: A dict of initializers for "beta" and "gamma".
      data_format: "NHWC" or "NCHW": whether the channels are the last dimension or the second one.
      {bookkeeping}

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: The rank or the number of channels is not known, or `data_format` is not valid.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as scope:
        channel_axis = 1 if data_format == "NCHW" else rank - 1
        shape = inputs.shape[channel_axis : channel_axis + 1]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")
        broadcast = [1, -1] + [1] * (rank - 2) if data_format == "NCHW" else None
        beta, gamma = _scale_and_shift(
            shape, inputs.dtype.base_dtype, center, scale, param_initializers, variables_collections, trainable,
            broadcast,
        )  # fmt: skip
        axes = [a for a in range(1, rank) if a != channel_axis]
        mean, variance = normalization.moments(inputs, axes, keep_dims=True)
        outputs = normalization.batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
@documented
def group_norm(
    inputs,
    groups=32,
    channels_axis=-1,
    reduction_axes=(-3, -2),
    center=True,
    scale=True,
    epsilon=1e-6,
    activation_fn=None,
    param_initializers=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    scope=None,
    mean_close_to_zero=False,
):
    """Group normalization: gives each group of channels of each example mean 0 and variance 1, then scales and shifts.

    Source: Y. Wu and K. He, "Group Normalization", ECCV 2018.

    Args:
      inputs: A `Tensor` of a floating-point type with a known rank.
      groups: An int: the number of groups; it must divide the number of channels.
      channels_axis: An int: the dimension of the channels.
      reduction_axes: A tuple of ints: the other dimensions that statistics are taken over.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      epsilon: A small float added to the variance.
      activation_fn: A function of the output; None for none.
      param_initializers: A dict of initializers for "beta" and "gamma".
      mean_close_to_zero: Whether the variance may be computed in one pass, which is exact enough for small means.
      {bookkeeping}

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: A dimension is out of range, not known or given twice, or the groups don't divide the channels.
    """
    inputs = convert_to_tensor(inputs)
    channels_axis, reduction_axes = _checked_axes(inputs, channels_axis, reduction_axes)
    channels = inputs.shape.as_list()[channels_axis]
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    dynamic = array.shape(inputs)
    sizes = [dynamic[i] if d is None else d for i, d in enumerate(inputs.shape.as_list())]
    split = [groups, channels // groups]
    original = inputs.shape
    inputs = array.reshape(inputs, sizes[:channels_axis] + split + sizes[channels_axis + 1 :])
    axes = [channels_axis + 1] + [a + 1 if a > channels_axis else a for a in reduction_axes]
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as scope:
        broadcast = [1] * channels_axis + split + [1] * (len(sizes) - channels_axis - 1)
        beta, gamma = _scale_and_shift(
            [channels], inputs.dtype.base_dtype, center, scale, param_initializers, variables_collections, trainable,
            broadcast,
        )  # fmt: skip
        if mean_close_to_zero:
            counts, sums, squares, _ = normalization.sufficient_statistics(inputs, axes, keep_dims=True)
            mean, variance = normalization.normalize_moments(counts, sums, squares, shift=None)
        else:
            mean, variance = normalization.moments(inputs, axes, keep_dims=True)
        gain = rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain, offset = gain * gamma, offset * gamma
        if beta is not None:
            offset += beta
        outputs = array.reshape(inputs * gain + offset, sizes)
        outputs.set_shape(original)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


def _checked_axes(inputs, channels_axis, reduction_axes):
    """The dimensions counted from the front."""
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if channels_axis > rank - 1:
        raise ValueError("Axis is out of bounds.")
    channels_axis += rank if channels_axis < 0 else 0
    sizes = inputs.shape.as_list()
    if sizes[channels_axis] is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {channels_axis}.")
    reduction_axes = [a + rank if a < 0 else a for a in reduction_axes]
    for axis in reduction_axes:
        if axis >= rank:
            raise ValueError("Axis is out of bounds.")
        if sizes[axis] is None:
            raise ValueError(f"Inputs {inputs.name} has undefined dimensions {axis}.")
        if axis == channels_axis:
            raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    return channels_axis, reduction_axes


@add_arg_scope
def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    """Divides each vector along a dimension by its Euclidean length.

    Args:
      inputs: A `Tensor` of a floating-point type with a known rank.
      dim: An int: the dimension of the vectors, counted from the front.
      epsilon: A small float added to the square of the length.
      scope: A variable scope or its name.

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: The rank is not known, or `dim` is out of range.
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        rank = inputs.shape.ndims
        if not rank:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        return inputs / sqrt(epsilon + reduce_sum(square(inputs), dim, keepdims=True))
