"""Batch normalization in one op, in its three versions."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.cwise.cast as cast_ops
import tfcore.ops.cwise.unary as unary_ops
import tfcore.ops.reduce.reduce as reduce_ops
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.shapes import merge, merge_dim, with_rank
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor


def _channel_axis(op):
    return 1 if op.get_attr("data_format").startswith(b"NC") else -1


def _image_dims(op, index):
    """Dims of an image input: rank 4, or 5 for the formats with depth."""
    return with_rank(op.inputs[index].dims, len(op.get_attr("data_format")))


def _with_channels(op, dims, channels):
    """The dims completed by the number of channels, and that number."""
    axis = _channel_axis(op) % len(dims)
    channels = merge_dim(dims[axis], channels)
    return (*dims[:axis], channels, *dims[axis + 1 :]), (channels,)


def _batch_norm_shape(op):
    dims = _image_dims(op, 0)
    channels = dims[_channel_axis(op)]
    for i in range(1, 3 if op.get_attr("is_training") else 5):
        channels = merge_dim(channels, with_rank(op.inputs[i].dims, 1)[0])
    image, vector = _with_channels(op, dims, channels)
    return [image, vector, vector, vector, vector, ()][: len(op.outputs)]


def _batch_norm_grad_shape(op):
    dims = merge(_image_dims(op, 0), _image_dims(op, 1))
    channels = dims[_channel_axis(op)]
    for i in range(2, 5):
        channels = merge_dim(channels, with_rank(op.inputs[i].dims, 1)[0])
    image, vector = _with_channels(op, dims, channels)
    return [image, vector, vector, (0,), (0,)]


def _define_batch_norm(version, types, formats):
    """FusedBatchNorm<version> and its gradient op."""
    own = "T" if version == "" else "U"
    scale_type = "T" if version == "" else "float"
    attrs = [f"T: {types}", *([] if version == "" else ["U: {float}"]), "epsilon: float = 0.0001"]
    layout = [f"data_format: {formats} = 'NHWC'", "is_training: bool = true"]
    third = version == "V3"
    forward = define_op(
        f"FusedBatchNorm{version}",
        inputs=["x: T", *(f"{n}: {own}" for n in ("scale", "offset", "mean", "variance"))],
        outputs=[
            "y: T",
            *(f"{n}: {own}" for n in ("batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2")),
            *(["reserve_space_3: U"] if third else []),
        ],
        attrs=[*attrs, "exponential_avg_factor: float = 1", *layout],
        shape=_batch_norm_shape,
        doc="""(x - mean) / sqrt(variance + epsilon) * scale + offset for each channel. In training, mean and variance
        are those of the batch, and are also outputs (the variance without bias).""",
    )
    backward = define_op(
        f"FusedBatchNormGrad{version}",
        inputs=[
            "y_backprop: T",
            "x: T",
            f"scale: {scale_type}",
            f"reserve_space_1: {own}",
            f"reserve_space_2: {own}",
            *(["reserve_space_3: U"] if third else []),
        ],
        outputs=[
            "x_backprop: T",
            *(f"{n}: {own}" for n in ("scale_backprop", "offset_backprop")),
            *(f"reserve_space_{4 + i if third else 3 + i}: {own}" for i in range(2)),
        ],
        attrs=[*attrs, *layout],
        shape=_batch_norm_grad_shape,
        doc=f"Gradient of FusedBatchNorm{version}.",
    )
    return forward, backward


_IMAGE_FORMATS = "{'NHWC', 'NCHW'}"


_ALL_FORMATS = "{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'}"


FusedBatchNorm, FusedBatchNormGrad = _define_batch_norm("", "{float}", _IMAGE_FORMATS)


FusedBatchNormV2, FusedBatchNormGradV2 = _define_batch_norm("V2", "{half, bfloat16, float}", _IMAGE_FORMATS)


FusedBatchNormV3, FusedBatchNormGradV3 = _define_batch_norm("V3", "{half, bfloat16, float}", _ALL_FORMATS)


def _batch_norm_gradient(op, grad, backward, reserves):
    """The statistics are those of the batch in training, and constants otherwise."""
    training = op.get_attr("is_training")
    statistics = [op.outputs[3], op.outputs[4]] if training else [op.inputs[3], op.inputs[4]]
    attrs = {name: op.get_attr(name) for name in ("epsilon", "data_format", "is_training")}
    back = backward(grad, op.inputs[0], op.inputs[1], *statistics, *reserves, **attrs)
    return [back[0], back[1], back[2], None, None]


@gradient("FusedBatchNorm")
def _fused_batch_norm_grad(op, *grads):
    return _batch_norm_gradient(op, grads[0], FusedBatchNormGrad, [])


@gradient("FusedBatchNormV2")
def _fused_batch_norm_v2_grad(op, *grads):
    return _batch_norm_gradient(op, grads[0], FusedBatchNormGradV2, [])


@gradient("FusedBatchNormV3")
def _fused_batch_norm_v3_grad(op, *grads):
    return _batch_norm_gradient(op, grads[0], FusedBatchNormGradV3, [op.outputs[5]])


@gradient("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def _fused_batch_norm_grad_grad(op, grad_dx, grad_dscale, grad_doffset, *_):
    """The gradient of dx, dscale and doffset.

    Let r = 1 / sqrt(variance + epsilon), h = (x - mean) * r and P(v) = v - mean(v) - h * mean(v * h). Then
    dx = scale * r * P(dy), dscale = sum(dy * h), doffset = sum(dy). In training, h and r depend on x:
    dh = r * P(.), dr = -r^2 * h / n. Otherwise mean and variance are constants.
    """
    x = cast_ops.cast(op.inputs[1], dtypes.float32)
    dy = cast_ops.cast(op.inputs[0], dtypes.float32)
    rank = len(op.get_attr("data_format"))
    axis = _channel_axis(op) % rank
    axes = [i for i in range(rank) if i != axis]

    def wide(vector):
        return vector if axis == rank - 1 else array_ops.reshape(vector, [1, -1, *[1] * (rank - 2)])

    def mean(v):
        return reduce_ops.reduce_mean(v, axes, keepdims=True)

    a = cast_ops.cast(grad_dx, dtypes.float32)
    b, c, scale = wide(grad_dscale), wide(grad_doffset), wide(op.inputs[2])
    r = unary_ops.rsqrt(wide(op.inputs[4]) + op.get_attr("epsilon"))
    h = (x - wide(op.inputs[3])) * r

    def project(v):
        return v - mean(v) - h * mean(v * h)

    if op.get_attr("is_training"):
        projected = project(dy)
        back_dy = scale * r * project(a) + b * h + c
        v = b * dy - scale * r * (a * mean(dy * h) + dy * mean(a * h))
        back_x = r * project(v) - scale * r * r * h * mean(a * projected)
    else:
        projected = dy
        back_dy = scale * r * a + b * h + c
        back_x = b * dy * r
    back_scale = reduce_ops.reduce_sum(a * projected * r, axes)
    result = [cast_ops.cast(back_dy, op.inputs[0].dtype), cast_ops.cast(back_x, op.inputs[1].dtype), back_scale]
    return [*result, *[None] * (len(op.inputs) - 3)]


def fused_batch_norm(
    x,
    scale,
    offset,
    mean=None,
    variance=None,
    epsilon=0.001,
    data_format="NHWC",
    is_training=True,
    name=None,
    exponential_avg_factor=1.0,
):
    """Normalizes the batch in one operation, channel by channel.

    The result is (x - mean) / sqrt(variance + epsilon) * scale + offset. In training, mean and variance are those of
    the batch; otherwise they are the arguments.

    Args:
      x: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, float16, bfloat16 or float32.
      scale: A float32 `Tensor` of shape [channels].
      offset: A float32 `Tensor` of shape [channels].
      mean: A float32 `Tensor` of shape [channels]. In training it is only needed where `exponential_avg_factor` is not
        1.
      variance: A float32 `Tensor` of shape [channels], needed where `mean` is.
      epsilon: A small float added to the variance; values below 1.001e-5 are raised to it.
      data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
      is_training: Whether to use the statistics of the batch.
      name: Name of the operation (optional).
      exponential_avg_factor: The weight f of the batch in the returned statistics: (1 - f) * mean + f * batch mean,
        and the same for the variance.

    Returns:
      A tuple (y, batch_mean, batch_variance): y is a `Tensor` of the type and shape of `x`; the statistics are float32
      of shape [channels], the variance with n - 1 in the denominator in training.

    Raises:
      ValueError: `mean` or `variance` is missing where it is needed, or the shapes don't fit together.
      TypeError: The inputs have different types, or a type that is not listed.

    Example:

    >>> x = tf.reshape([1.0, 2.0, 3.0, 4.0], [1, 2, 2, 1])
    >>> y, mean, variance = tf.nn.fused_batch_norm(x, scale=[1.0], offset=[0.0], epsilon=1e-4)
    >>> print(np.round(sess.run(y)[0, :, :, 0], 3))
    [[-1.342 -0.447]
     [ 0.447  1.342]]
    >>> print(sess.run(mean), np.round(sess.run(variance), 3))
    [2.5] [1.667]
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` "
            "!= 1.0. "
            f"Received: `mean` {mean!r} and `variance` {variance!r}"
        )
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([], dtypes.float32) if mean is None else mean
    variance = constant([], dtypes.float32) if variance is None else variance
    y, batch_mean, batch_variance, *_ = FusedBatchNormV3(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=max(epsilon, 1.001e-5),  # cuDNN accepts no smaller values
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return y, batch_mean, batch_variance
