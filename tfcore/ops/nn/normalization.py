"""Normalization: over a batch, over neighbouring channels, and by a vector's length."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constant_ops
import tfcore.ops.array.join as array_join
import tfcore.ops.cwise.binary as binary_ops
import tfcore.ops.cwise.cast as cast_ops
import tfcore.ops.cwise.unary as unary_ops
import tfcore.ops.pooling.pooling as pooling_ops
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge, merge_dim, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.conv.conv import one_of
from tfcore.ops.gradients.gradients import gradients

# ---- Local response normalization

_LRN_ATTRS = [
    "depth_radius: int = 5",
    "bias: float = 1",
    "alpha: float = 1",
    "beta: float = 0.5",
    "T: {half, bfloat16, float} = DT_FLOAT",
]


def _lrn_shape(op):
    return [with_rank(op.inputs[0].dims, 4)]


def _lrn_grad_shape(op):
    dims = with_rank(op.inputs[0].dims, 4)
    for t in op.inputs[1:]:
        dims = merge(dims, with_rank(t.dims, 4))
    return [dims]


LRN = define_op(
    "LRN",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=_LRN_ATTRS,
    shape=_lrn_shape,
    doc="input / (bias + alpha * sum of input^2 over the channels within depth_radius) ^ beta.",
)
LRNGrad = define_op(
    "LRNGrad",
    inputs=["input_grads: T", "input_image: T", "output_image: T"],
    outputs=["output: T"],
    attrs=_LRN_ATTRS,
    shape=_lrn_grad_shape,
    doc="Gradient of LRN.",
)


@gradient("LRN")
def _lrn_gradient(op, grad):
    attrs = {name: op.get_attr(name) for name in ("depth_radius", "bias", "alpha", "beta")}
    return [LRNGrad(grad, op.inputs[0], op.outputs[0], **attrs)]


def _window_sum(x, radius):
    """Sum over the channels within radius: mean times count, as means at the edges count existing channels only."""
    sizes = array_ops.shape(x)
    channels = sizes[-1]
    position = constant_ops.range(channels)
    first = binary_ops.maximum(position - radius, 0)
    last = binary_ops.minimum(position + radius, channels - 1)
    counts = cast_ops.cast(last - first + 1, x.dtype)
    rows = array_ops.reshape(x, array_join.stack([-1, channels, 1]))
    means = pooling_ops.avg_pool1d(rows, 2 * radius + 1, 1, "SAME")
    return array_ops.reshape(means, sizes) * counts


@gradient("LRNGrad")
def _lrn_grad_gradient(op, grad):
    """Through the same formula, written in elementary ops."""
    dy, x, y = op.inputs
    radius, bias, alpha, beta = (op.get_attr(name) for name in ("depth_radius", "bias", "alpha", "beta"))
    norm = bias + alpha * _window_sum(x * x, radius)
    dx = dy * binary_ops.pow(norm, -beta) - 2 * alpha * beta * x * _window_sum(dy * y / norm, radius)
    return gradients(dx, [dy, x, y], [grad])


@described(LRN)
def local_response_normalization(input, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, name=None):  # noqa: A002
    """Divides by a power of the sum of squares over nearby channels: input / (bias + alpha * sum) ** beta.

    The sum is over `depth_radius` channels on each side. `input` has the shape [batch, height, width, channels].
    Source: A. Krizhevsky et al., "ImageNet Classification with Deep Convolutional Neural Networks", NIPS 2012.
    """
    return LRN(input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


lrn = local_response_normalization


# ---- Batch normalization with given statistics


def _global_shape(op):
    dims = with_rank(op.inputs[0].dims, 4)
    channels = dims[3]
    for t in op.inputs[1:]:
        channels = merge_dim(channels, with_rank(t.dims, 1)[0])
    return [(*dims[:3], channels)]


def _global_grad_shape(op):
    dims = merge(with_rank(op.inputs[0].dims, 4), with_rank(op.inputs[4].dims, 4))
    channels = dims[3]
    for t in op.inputs[1:4]:
        channels = merge_dim(channels, with_rank(t.dims, 1)[0])
    return [(*dims[:3], channels), *[(channels,)] * 4]


_GLOBAL_ATTRS = ["T: numbertype", "variance_epsilon: float", "scale_after_normalization: bool"]
BatchNormWithGlobalNormalization = define_op(
    "BatchNormWithGlobalNormalization",
    inputs=["t: T", "m: T", "v: T", "beta: T", "gamma: T"],
    outputs=["result: T"],
    attrs=_GLOBAL_ATTRS,
    shape=_global_shape,
    doc="(t - m) / sqrt(v + variance_epsilon) * gamma + beta; gamma only if scale_after_normalization.",
)
BatchNormWithGlobalNormalizationGrad = define_op(
    "BatchNormWithGlobalNormalizationGrad",
    inputs=["t: T", "m: T", "v: T", "gamma: T", "backprop: T"],
    outputs=["dx: T", "dm: T", "dv: T", "db: T", "dg: T"],
    attrs=_GLOBAL_ATTRS,
    shape=_global_grad_shape,
    doc="Gradient of BatchNormWithGlobalNormalization.",
)


@gradient("BatchNormWithGlobalNormalization")
def _batch_norm_global_grad(op, grad):
    attrs = {name: op.get_attr(name) for name in ("variance_epsilon", "scale_after_normalization")}
    t, m, v, _, gamma = op.inputs
    return list(BatchNormWithGlobalNormalizationGrad(t, m, v, gamma, grad, **attrs))


@gradient("BatchNormWithGlobalNormalizationGrad")
def _batch_norm_global_grad_grad(op, *grads):
    """Through the same formulas, written in elementary ops."""
    t, m, v, gamma, backprop = op.inputs
    rstd = unary_ops.rsqrt(v + op.get_attr("variance_epsilon"))
    scales = op.get_attr("scale_after_normalization")
    scale = gamma * rstd if scales else rstd
    total = reduce_ops.reduce_sum(backprop, [0, 1, 2])
    moment = reduce_ops.reduce_sum(backprop * (t - m), [0, 1, 2])
    ys = [backprop * scale, -total * scale, -0.5 * moment * scale * rstd * rstd, total, moment * rstd]
    given = list(grads)
    if not scales:
        ys.pop(), given.pop()
    return gradients(ys, [t, m, v, gamma, backprop], given, unconnected_gradients="zero")


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    """Normalizes with a given mean and variance: (x - mean) / sqrt(variance + variance_epsilon) * scale + offset.

    Source: S. Ioffe and C. Szegedy, "Batch Normalization: Accelerating Deep Network Training by Reducing Internal
    Covariate Shift", ICML 2015.

    Args:
      x: A `Tensor` of a floating-point type.
      mean: A `Tensor` that broadcasts to `x`.
      variance: A `Tensor` that broadcasts to `x`.
      offset: A `Tensor` that broadcasts to `x`, or None for 0.
      scale: A `Tensor` that broadcasts to `x`, or None for 1.
      variance_epsilon: A small float that avoids division by zero.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `x`.

    Raises:
      ValueError: The shapes don't fit together.
      TypeError: The types differ.

    Example:

    >>> x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
    >>> mean, variance = tf.nn.moments(x, [0])
    >>> y = tf.nn.batch_normalization(x, mean, variance, offset=5.0, scale=2.0, variance_epsilon=1e-6)
    >>> print(np.round(sess.run(y), 3))
    [[3. 3.]
     [7. 7.]]
    """
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        inverse = unary_ops.rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse *= scale
        shift = offset - mean * inverse if offset is not None else -mean * inverse
        x = convert_to_tensor(x, x.dtype)
        return x * cast_ops.cast(inverse, x.dtype) + cast_ops.cast(shift, x.dtype)


def batch_norm_with_global_normalization(
    t=None,
    m=None,
    v=None,
    beta=None,
    gamma=None,
    variance_epsilon=None,
    scale_after_normalization=None,
    name=None,
    input=None,
    mean=None,
    variance=None,
):
    """Batch normalization with the arguments of its oldest form; prefer `batch_normalization`.

    Args:
      t: A `Tensor` of a floating-point type, of shape [batch, height, width, channels].
      m: The mean of each channel, a `Tensor` of shape [channels].
      v: The variance of each channel, a `Tensor` of shape [channels].
      beta: The offset of each channel, a `Tensor` of shape [channels].
      gamma: The scale of each channel, a `Tensor` of shape [channels].
      variance_epsilon: A small float that avoids division by zero.
      scale_after_normalization: Whether to multiply by `gamma`.
      name: Prefix of the names of the operations (optional).
      input: Other name of `t`.
      mean: Other name of `m`.
      variance: Other name of `v`.

    Returns:
      A `Tensor` of the type and shape of `t`.

    Raises:
      ValueError: The shapes don't fit together, or an argument is given by both names.
      TypeError: The types differ.
    """
    t = one_of("t", t, "input", input)
    m = one_of("m", m, "mean", mean)
    v = one_of("v", v, "variance", variance)
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


# ---- Moments


def _keep(keep_dims, keepdims):
    keep = one_of("keep_dims", keep_dims, "keepdims", keepdims)
    return bool(keep)


def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """Computes mean and variance along dimensions.

    The variance is that of the population: the mean of (x - mean)^2. float16 and bfloat16 are computed in float32.

    Args:
      x: A `Tensor` of a numeric type.
      axes: An int or a list of ints: the dimensions to reduce.
      shift: Ignored; kept for compatibility.
      name: Prefix of the names of the operations (optional).
      keep_dims: Whether the reduced dimensions stay, with size 1 (False).
      keepdims: Other name of `keep_dims`.

    Returns:
      A tuple (mean, variance) of `Tensor`s of the type of `x`.

    Raises:
      ValueError: An axis is out of range, the shapes don't fit together, or both `keep_dims` and `keepdims` are given.
      TypeError: `x` is not numeric.

    Example:

    >>> mean, variance = tf.nn.moments(tf.constant([[1.0, 10.0], [3.0, 30.0]]), axes=[0])
    >>> print(sess.run(mean), sess.run(variance))
    [ 2. 20.] [  1. 100.]
    """
    keep = _keep(keep_dims, keepdims)
    with name_scope(name, "moments", [x, axes]):
        x = convert_to_tensor(x, x.dtype, name="x")
        y = cast_ops.cast(x, dtypes.float32) if x.dtype in (dtypes.float16, dtypes.bfloat16) else x
        mean = reduce_ops.reduce_mean(y, axes, keepdims=True, name="mean")
        squared = binary_ops.squared_difference(y, array_ops.stop_gradient(mean))
        variance = reduce_ops.reduce_mean(squared, axes, keepdims=True, name="variance")
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        if y is not x:
            mean, variance = cast_ops.cast(mean, x.dtype), cast_ops.cast(variance, x.dtype)
        return mean, variance


def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    """Computes weighted mean and variance along dimensions, both 0 where the weights add up to 0.

    Args:
      x: A `Tensor` of a numeric type.
      axes: An int or a list of ints: the dimensions to reduce.
      frequency_weights: The weight of each element, a `Tensor` that broadcasts to `x`.
      name: Prefix of the names of the operations (optional).
      keep_dims: Whether the reduced dimensions stay, with size 1 (False).
      keepdims: Other name of `keep_dims`.

    Returns:
      A tuple (mean, variance) of `Tensor`s of the type of `x`.

    Raises:
      ValueError: An axis is out of range, the shapes don't fit together, or both `keep_dims` and `keepdims` are given.
      TypeError: `x` is not numeric.
    """
    keep = _keep(keep_dims, keepdims)
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        narrow = x.dtype in (dtypes.float16, dtypes.bfloat16)
        y = cast_ops.cast(x, dtypes.float32) if narrow else x
        weights = cast_ops.cast(weights, y.dtype)
        total = reduce_ops.reduce_sum(weights * y, axes, keepdims=True, name="weighted_input_sum")
        # The weights may broadcast; they count once for each element of x.
        count = reduce_ops.reduce_sum(weights + constant_ops.zeros_like(y), axes, keepdims=True, name="sum_of_weights")
        mean = binary_ops.div_no_nan(total, count)
        distances = reduce_ops.reduce_sum(
            weights * binary_ops.squared_difference(y, mean), axes, keepdims=True, name="weighted_distsq"
        )
        variance = binary_ops.div_no_nan(distances, count)
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        if narrow:
            mean, variance = cast_ops.cast(mean, x.dtype), cast_ops.cast(variance, x.dtype)
        return mean, variance


def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """Computes sufficient statistics for mean and variance: counts and sums.

    Sums of several parts of the data can be added before `normalize_moments` turns them into mean and variance.

    Args:
      x: A `Tensor` of a numeric type.
      axes: An int or a list of ints: the dimensions to reduce.
      shift: A `Tensor` that broadcasts to `x`, near the mean, which makes the sums more precise; None for 0.
      keep_dims: Whether the reduced dimensions stay, with size 1 (False).
      name: Prefix of the names of the operations (optional).
      keepdims: Other name of `keep_dims`.

    Returns:
      A tuple (count, mean_ss, var_ss, shift) of `Tensor`s: the number of elements that are reduced to one, the sum of x
      - shift, the sum of (x - shift)^2, and `shift` as given or None.

    Raises:
      ValueError: An axis is out of range, the shapes don't fit together, or both `keep_dims` and `keepdims` are given.
      TypeError: `x` is not numeric.
    """
    keep = _keep(keep_dims, keepdims)
    axes = sorted(set(axes)) if isinstance(axes, (list, tuple)) else [axes]
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        dims = x.dims
        if dims is not None and all(dims[a] is not None for a in axes):
            count = 1
            for a in axes:
                count *= dims[a]
            counts = constant(count, dtype=x.dtype)
        else:
            sizes = array_ops.shape(x)
            counts = reduce_ops.reduce_prod(array_join.stack([sizes[a] for a in axes]))
            counts = cast_ops.cast(counts, x.dtype, name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            mean_ss, squares = x - shift, binary_ops.squared_difference(x, shift)
        else:
            mean_ss, squares = x, unary_ops.square(x)
        mean_ss = reduce_ops.reduce_sum(mean_ss, axes, keepdims=keep, name="mean_ss")
        var_ss = reduce_ops.reduce_sum(squares, axes, keepdims=keep, name="var_ss")
        return counts, mean_ss, var_ss, shift


def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    """Computes mean and variance from the results of `sufficient_statistics`.

    Args:
      counts: The number of elements, a scalar `Tensor` of a floating-point type.
      mean_ss: The sum of x - shift, a `Tensor`.
      variance_ss: The sum of (x - shift)^2, a `Tensor`.
      shift: A `Tensor`, or None for 0.
      name: Prefix of the names of the operations (optional).

    Returns:
      A tuple (mean, variance) of `Tensor`s of the type and shape of `mean_ss`.

    Raises:
      ValueError: The shapes don't fit together.
      TypeError: The types differ.
    """
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = unary_ops.reciprocal(convert_to_tensor(counts), name="divisor")
        mean_ss, variance_ss = convert_to_tensor(mean_ss), convert_to_tensor(variance_ss)
        if shift is not None:
            shifted = binary_ops.multiply(mean_ss, divisor, name="shifted_mean")
            mean = binary_ops.add(shifted, shift, name="mean")
        else:
            shifted = mean = binary_ops.multiply(mean_ss, divisor, name="mean")
        variance = binary_ops.subtract(
            binary_ops.multiply(variance_ss, divisor), unary_ops.square(shifted), name="variance"
        )
        return mean, variance


def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    """Divides by the Euclidean norm along dimensions: x / sqrt(max(sum(x^2), epsilon)).

    Args:
      x: A `Tensor` of a floating-point type.
      axis: An int or a list of ints: the dimensions of a vector; None for all.
      epsilon: The lower bound of the squared norm.
      name: Name of the operation (optional).
      dim: Old name of `axis`.

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      ValueError: `axis` is out of range, or both `axis` and `dim` are given.
      TypeError: `x` is not of a floating-point type.

    Example:

    >>> print(sess.run(tf.nn.l2_normalize([3.0, 4.0], axis=0)))
    [0.6 0.8]
    """
    axis = one_of("axis", axis, "dim", dim)
    with name_scope(name, "l2_normalize", [x]) as name:
        x = convert_to_tensor(x, name="x")
        squares = reduce_ops.reduce_sum(unary_ops.square(x), axis, keepdims=True)
        inverse = unary_ops.rsqrt(binary_ops.maximum(squares, epsilon))
        return binary_ops.multiply(x, inverse, name=name)
