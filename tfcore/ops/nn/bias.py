"""Adding a bias to each channel."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor

_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"


def _channel_axis(op, dims):
    return 1 if op.attrs.get("data_format") == b"NCHW" else len(dims) - 1


def _bias_add_shape(op):
    dims, bias = op.inputs[0].dims, shapes.with_rank(op.inputs[1].dims, 1)
    if dims is None:
        return [None]
    shapes.with_rank_at_least(dims, 2)
    axis = _channel_axis(op, dims)
    return [(*dims[:axis], shapes.merge_dim(dims[axis], bias[0]), *dims[axis + 1 :])]


def _bias_add_grad_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [(None,)]
    shapes.with_rank_at_least(dims, 2)
    return [(dims[_channel_axis(op, dims)],)]


BiasAdd = define_op(
    "BiasAdd",
    inputs=["value: T", "bias: T"],
    outputs=["output: T"],
    attrs=["T: numbertype", _FORMAT],
    shape=_bias_add_shape,
    doc="""value + bias, where bias has one element for each channel (last dimension; NCHW: the second).""",
)


BiasAddV1 = define_op(
    "BiasAddV1",
    inputs=["value: T", "bias: T"],
    outputs=["output: T"],
    attrs=["T: numbertype"],
    shape=_bias_add_shape,
    doc="""value + bias along the last dimension.""",
)


BiasAddGrad = define_op(
    "BiasAddGrad",
    inputs=["out_backprop: T"],
    outputs=["output: T"],
    attrs=["T: numbertype", _FORMAT],
    shape=_bias_add_grad_shape,
    doc="""Sum of out_backprop over all dimensions except the channels.""",
)


@gradient("BiasAdd")
def _bias_add_grad(op, grad):
    return grad, BiasAddGrad(grad, data_format=op.get_attr("data_format"))


@gradient("BiasAddV1")
def _bias_add_v1_grad(op, grad):
    return grad, BiasAddGrad(grad)


@gradient("BiasAddGrad")
def _bias_add_grad_grad(op, grad):
    zeros = get_op_def("ZerosLike")(op.inputs[0])
    return BiasAdd(zeros, grad, data_format=op.get_attr("data_format"))


def bias_add(value, bias, data_format=None, name=None):
    """Adds a vector to each position along the channels.

    Args:
      value: A `Tensor` of a numeric type, [batch, ..., channels] or [batch, channels, ...].
      bias: A `Tensor` of the type of `value` and shape [channels].
      data_format: "N...C" (default), where the channels are the last dimension, or "NC...", where they are the second.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of the type and shape of `value`.

    Raises:
      ValueError: `data_format` has another form, the types differ, or the static shapes don't fit.

    Example:

    >>> print(sess.run(tf.nn.bias_add([[1, 2], [3, 4]], [10, 20])))
    [[11 22]
     [13 24]]
    """
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        if data_format is not None:
            if data_format.startswith("NC"):
                data_format = "NCHW"
            elif data_format.startswith("N") and data_format.endswith("C"):
                data_format = "NHWC"
            else:
                raise ValueError("data_format must be of the form `N...C` or `NC...`")
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
        return BiasAdd(value, bias, data_format=data_format or "NHWC", name=scope)
