"""Layers of quantized networks except matrix products and convolutions: biases, activations, pooling and others."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.ops.conv.conv import window_size
from tfcore.ops.quantized.convert import scalar_ends


def _bias_shape(op):
    dims = shapes.with_rank_at_least(op.inputs[0].dims, 2)
    bias = shapes.with_rank(op.inputs[1].dims, 1)
    scalar_ends(op, 2)
    if dims is not None:
        dims = (*dims[:-1], shapes.merge_dim(dims[-1], bias[0]))
    return [dims, (), ()]


def _activation_shape(op):
    scalar_ends(op, 1)
    return [op.inputs[0].dims, (), ()]


def _pool_shape(op):
    image = shapes.with_rank(op.inputs[0].dims, 4)
    scalar_ends(op, 1)
    ksize, strides = op.attrs["ksize"], op.attrs["strides"]
    for what, value in (("ksize", ksize), ("stride", strides)):
        if len(value) != 4:
            raise ValueError(f"{op.type} requires the {what} attribute to contain 4 values, but got: {len(value)}")
    sizes = [window_size(image[i], ksize[i], strides[i], 1, op.attrs["padding"]) for i in (1, 2, 3)]
    return [(image[0], *sizes), (), ()]


def _concat_shape(op):
    n = op.attrs["N"]
    parts = [t.dims for t in op.inputs[1 : 1 + n]]
    scalar_ends(op, 1 + n)
    axis = constant_value(op.inputs[0])
    known = [dims for dims in parts if dims is not None]
    if not known:
        return [None, (), ()]
    rank = len(known[0])
    if axis is None:
        return [(None,) * rank, (), ()]
    axis = int(axis)
    if not 0 <= axis < rank:
        raise ValueError(f"Expected concatenating dimensions in the range [0, {rank}), but got {axis}")
    merged, total = (None,) * rank, 0
    for dims in parts:
        dims = (None,) * rank if dims is None else shapes.with_rank(dims, rank)
        total = shapes.add(total, dims[axis])
        merged = shapes.merge(merged, (*dims[:axis], None, *dims[axis + 1 :]))
    return [(*merged[:axis], total, *merged[axis + 1 :]), (), ()]


def _batch_norm_shape(op):
    dims = shapes.with_rank(op.inputs[0].dims, 4)
    channels = dims[3]
    for i in range(3, 15, 3):
        channels = shapes.merge_dim(channels, shapes.with_rank(op.inputs[i].dims, 1)[0])
    for i in range(15):
        if i % 3:
            shapes.with_rank(op.inputs[i].dims, 0)
    return [(*dims[:3], channels), (), ()]


def _instance_norm_shape(op):
    scalar_ends(op, 1)
    return [shapes.with_rank(op.inputs[0].dims, 4), (), ()]


QuantizedBiasAdd = define_op(
    "QuantizedBiasAdd",
    inputs=[
        *("input: T1", "bias: T2"),
        *("min_input: float", "max_input: float", "min_bias: float", "max_bias: float"),
    ],
    outputs=["output: out_type", "min_out: float", "max_out: float"],
    attrs=["T1: quantizedtype", "T2: quantizedtype", "out_type: quantizedtype"],
    shape=_bias_shape,
    doc="Quantized numbers plus a vector along their last dimension.",
)


def _activation(name, doc, more=()):
    return define_op(
        name,
        inputs=["features: Tinput", *more, "min_features: float", "max_features: float"],
        outputs=["activations: out_type", "min_activations: float", "max_activations: float"],
        attrs=["Tinput: quantizedtype", "out_type: quantizedtype = DT_QUINT8"],
        shape=_activation_shape,
        doc=doc,
    )


QuantizedRelu = _activation("QuantizedRelu", "max(features, 0) of quantized numbers.")
QuantizedRelu6 = _activation("QuantizedRelu6", "min(max(features, 0), 6) of quantized numbers.")
QuantizedReluX = _activation(
    "QuantizedReluX", "min(max(features, 0), max_value) of quantized numbers.", ["max_value: float"]
)


def _pool(name, doc):
    return define_op(
        name,
        inputs=["input: T", "min_input: float", "max_input: float"],
        outputs=["output: T", "min_output: float", "max_output: float"],
        attrs=["T: quantizedtype", "ksize: list(int)", "strides: list(int)", "padding: {'SAME', 'VALID'}"],
        shape=_pool_shape,
        doc=doc,
    )


QuantizedMaxPool = _pool("QuantizedMaxPool", "Maxima over windows of quantized images.")
QuantizedAvgPool = _pool("QuantizedAvgPool", "Means over windows of quantized images.")
QuantizedConcat = define_op(
    "QuantizedConcat",
    inputs=["concat_dim: int32", "values: N * T", "input_mins: N * float", "input_maxes: N * float"],
    outputs=["output: T", "output_min: float", "output_max: float"],
    attrs=["N: int >= 2", "T: type"],
    shape=_concat_shape,
    doc="Joins quantized tensors along a dimension, in a range for all of them.",
)
QuantizedBatchNormWithGlobalNormalization = define_op(
    "QuantizedBatchNormWithGlobalNormalization",
    inputs=[
        *("t: Tinput", "t_min: float", "t_max: float", "m: Tinput", "m_min: float", "m_max: float"),
        *("v: Tinput", "v_min: float", "v_max: float", "beta: Tinput", "beta_min: float", "beta_max: float"),
        *("gamma: Tinput", "gamma_min: float", "gamma_max: float"),
    ],
    outputs=["result: out_type", "result_min: float", "result_max: float"],
    attrs=[
        *("Tinput: quantizedtype", "out_type: quantizedtype"),
        *("variance_epsilon: float", "scale_after_normalization: bool"),
    ],
    shape=_batch_norm_shape,
    doc="Normalizes quantized images by given means and variances of their channels.",
)
QuantizedInstanceNorm = define_op(
    "QuantizedInstanceNorm",
    inputs=["x: T", "x_min: float", "x_max: float"],
    outputs=["y: T", "y_min: float", "y_max: float"],
    attrs=[
        *("T: quantizedtype", "output_range_given: bool = false", "given_y_min: float = 0", "given_y_max: float = 0"),
        *("variance_epsilon: float = 1e-5", "min_separation: float = 1e-3"),
    ],
    shape=_instance_norm_shape,
    doc="Normalizes each channel of each quantized image to mean 0 and variance 1.",
)
undefined_gradient(
    *("QuantizedBiasAdd", "QuantizedRelu", "QuantizedRelu6", "QuantizedReluX", "QuantizedMaxPool", "QuantizedAvgPool"),
    *("QuantizedConcat", "QuantizedBatchNormWithGlobalNormalization", "QuantizedInstanceNorm"),
)


# ---- Public functions


@described(QuantizedConcat)
def quantized_concat(concat_dim, values, input_mins, input_maxes, name=None):
    """Joins quantized tensors along a dimension, in a range for all of them.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together.
    """
    return QuantizedConcat(concat_dim, values, input_mins, input_maxes, name=name)


@described(QuantizedReluX)
def quantized_relu_x(features, max_value, min_features, max_features, out_type=dtypes.quint8, name=None):
    """min(max(features, 0), max_value) of quantized numbers.

    Raises:
      ValueError: An end of the range is not a scalar.
    """
    return QuantizedReluX(features, max_value, min_features, max_features, out_type=out_type, name=name)


@described(QuantizedMaxPool)
def quantized_max_pool(input, min_input, max_input, ksize, strides, padding, name=None):
    """Maxima over windows of quantized images.

    Raises:
      ValueError: The images are not of rank 4, or `ksize` or `strides` does not have 4 elements.
      tf.errors.UnimplementedError: At run time, windows extend over images or channels.
    """
    return QuantizedMaxPool(input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name)


@described(QuantizedAvgPool)
def quantized_avg_pool(input, min_input, max_input, ksize, strides, padding, name=None):
    """Means over windows of quantized images, rounded to the nearest integer, halves to even.

    Raises:
      ValueError: The images are not of rank 4, or `ksize` or `strides` does not have 4 elements.
      tf.errors.UnimplementedError: At run time, windows extend over images or channels.
    """
    return QuantizedAvgPool(input, min_input, max_input, ksize=ksize, strides=strides, padding=padding, name=name)
