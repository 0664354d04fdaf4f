"""Pooling of volumes: maxima and means over windows of planes, rows and columns."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constant_ops
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.framework.definitions.shapes import merge, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.constant import constant_value_as_shape
from tfcore.ops.conv.conv import expand_window, window_size
from tfcore.ops.conv.conv_3d import volume_axes

# ---- Shapes


def _pool_shape(op):
    volume, attrs = with_rank(op.inputs[0].dims, 5), op.attrs
    for name, what in (("strides", "ops require the stride"), ("ksize", "requires the ksize")):
        if len(attrs[name]) != 5:
            raise ValueError(f"Pool3D {what} attribute to contain 5 values, but got: {len(attrs[name])}")
    dims = list(volume)
    for axis in volume_axes(attrs["data_format"])[:3]:
        dims[axis] = window_size(volume[axis], attrs["ksize"][axis], attrs["strides"][axis], 1, attrs["padding"])
    return [tuple(dims)]


def _like_input(op):
    return [with_rank(op.inputs[0].dims, 5)]


def _grad_grad_shape(op):
    merge(_like_input(op)[0], op.inputs[2].dims)
    return [merge(_pool_shape(op)[0], op.inputs[1].dims)]


def _avg_grad_shape(op):
    return [with_rank(constant_value_as_shape(op.inputs[0]), 5)]


# ---- Ops

_WINDOW = [
    "ksize: list(int) >= 5",
    "strides: list(int) >= 5",
    "padding: {'SAME', 'VALID'}",
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
]
_MAX_TYPES = "{half, bfloat16, float}"
_AVG_TYPES = "{half, bfloat16, float, double}"

MaxPool3D = define_op(
    "MaxPool3D",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=[*_WINDOW, f"T: {_MAX_TYPES}"],
    shape=_pool_shape,
    doc="Maximum of each window. NaN is skipped.",
)
MaxPool3DGrad = define_op(
    "MaxPool3DGrad",
    inputs=["orig_input: TInput", "orig_output: TInput", "grad: T"],
    outputs=["output: T"],
    attrs=[*_WINDOW, f"T: {_MAX_TYPES} = DT_FLOAT", f"TInput: {_MAX_TYPES} = DT_FLOAT"],
    shape=_like_input,
    doc="Gradient of MaxPool3D: all values of a window within 1e-5 of its maximum get its gradient.",
)
MaxPool3DGradGrad = define_op(
    "MaxPool3DGradGrad",
    inputs=["orig_input: T", "orig_output: T", "grad: T"],
    outputs=["output: T"],
    attrs=[*_WINDOW, "T: realnumbertype"],
    shape=_grad_grad_shape,
    doc="Gradient of MaxPool3DGrad: `grad` at the first maximum of each window.",
)
AvgPool3D = define_op(
    "AvgPool3D",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=[*_WINDOW, f"T: {_AVG_TYPES}"],
    shape=_pool_shape,
    doc="Mean of each window; padding does not count.",
)
AvgPool3DGrad = define_op(
    "AvgPool3DGrad",
    inputs=["orig_input_shape: int32", "grad: T"],
    outputs=["output: T"],
    attrs=[*_WINDOW, f"T: {_AVG_TYPES}"],
    shape=_avg_grad_shape,
    doc="Gradient of AvgPool3D.",
)


# ---- Gradients


def _same_attrs(op):
    return {name: op.get_attr(name) for name in ("ksize", "strides", "padding", "data_format")}


@gradient("MaxPool3D")
def _max_pool3d_grad(op, grad):
    return [MaxPool3DGrad(op.inputs[0], op.outputs[0], grad, **_same_attrs(op))]


@gradient("MaxPool3DGrad")
def _max_pool3d_grad_grad(op, grad):
    return [
        constant_ops.zeros_like(op.inputs[0]),
        constant_ops.zeros_like(op.inputs[1]),
        MaxPool3DGradGrad(op.inputs[0], op.inputs[1], grad, **_same_attrs(op)),
    ]


@gradient("MaxPool3DGradGrad")
def _max_pool3d_grad_grad_grad(op, grad):
    return [
        constant_ops.zeros_like(op.inputs[0]),
        constant_ops.zeros_like(op.inputs[1]),
        MaxPool3DGrad(op.inputs[0], op.inputs[1], grad, **_same_attrs(op)),
    ]


@gradient("AvgPool3D")
def _avg_pool3d_grad(op, grad):
    return [AvgPool3DGrad(array_ops.shape(op.inputs[0]), grad, **_same_attrs(op))]


@gradient("AvgPool3DGrad")
def _avg_pool3d_grad_grad(op, grad):
    return [None, AvgPool3D(grad, **_same_attrs(op))]


# ---- Wrappers


def _pool(op, input, ksize, strides, padding, data_format, name):
    data_format = data_format or "NDHWC"
    channel_axis = 1 if data_format.startswith("NC") else 4
    return op(
        input,
        ksize=expand_window(ksize, 3, channel_axis, "ksize"),
        strides=expand_window(strides, 3, channel_axis, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Computes the maximum of each window of a batch of volumes.

    Args:
      input: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, float16, bfloat16 or
        float32.
      ksize: An int or a list of 1, 3 or 5 ints: the size of the window.
      strides: An int or a list of 1, 3 or 5 ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" (channels last) or "NCDHW" (channels first).
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and layout of `input`, with the number of windows as depth, height and width.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.

    Example:

    >>> volume = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> print(sess.run(tf.nn.max_pool3d(volume, ksize=2, strides=2, padding="VALID")).ravel())
    [7.]
    """
    with name_scope(name, "MaxPool3D", [input]) as name:
        return _pool(MaxPool3D, input, ksize, strides, padding, data_format, name)


def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Computes the mean of each window of a batch of volumes.

    Padding does not count: at a border the mean is that of the values inside the volume.

    Args:
      input: A `Tensor` of shape [batch, depth, height, width, channels], or as `data_format` says, float16, bfloat16,
        float32 or float64.
      ksize: An int or a list of 1, 3 or 5 ints: the size of the window.
      strides: An int or a list of 1, 3 or 5 ints: the stride of the window.
      padding: "SAME" or "VALID".
      data_format: "NDHWC" (channels last) or "NCDHW" (channels first).
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and layout of `input`, with the number of windows as depth, height and width.

    Raises:
      ValueError: The static shape, the window, the strides, the padding or the layout is not valid.
      TypeError: The input has a type that is not listed.

    Example:

    >>> volume = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
    >>> print(sess.run(tf.nn.avg_pool3d(volume, ksize=2, strides=2, padding="VALID")).ravel())
    [3.5]
    """
    with name_scope(name, "AvgPool3D", [input]) as name:
        return _pool(AvgPool3D, input, ksize, strides, padding, data_format, name)
