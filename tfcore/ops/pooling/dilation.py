"""Morphology of images: dilation and erosion."""

import tfcore.ops.array.move as array_move
from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import merge, merge_dim, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.conv.conv import integers, one_of, window_size


def _output_dims(op):
    images, window = with_rank(op.inputs[0].dims, 4), with_rank(op.inputs[1].dims, 3)
    for name in ("strides", "rates"):
        values = op.attrs[name]
        if len(values) != 4:
            raise ValueError(f"{op.type} requires the {name} attribute to contain 4 values, but got: {len(values)}")
        if values[0] != 1 or values[3] != 1:
            raise ValueError(f"{name} are only supported across spatial dimensions, but got: {list(values)}")
    space = zip(images[1:3], window[:2], op.attrs["strides"][1:3], op.attrs["rates"][1:3], strict=True)
    sizes = [window_size(*values, op.attrs["padding"]) for values in space]
    return (images[0], *sizes, merge_dim(images[3], window[2]))


def _shape(op):
    return [_output_dims(op)]


def _grad_shape(rank, index):
    def shape(op):
        merge(_output_dims(op), with_rank(op.inputs[2].dims, 4))
        return [with_rank(op.inputs[index].dims, rank)]

    return shape


_TYPES = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
_ATTRS = [
    f"T: {{{_TYPES}}}",
    "strides: list(int) >= 4",
    "rates: list(int) >= 4",
    "padding: {'SAME', 'VALID'}",
]
Dilation2D = define_op(
    "Dilation2D",
    inputs=["input: T", "filter: T"],
    outputs=["output: T"],
    attrs=_ATTRS,
    shape=_shape,
    doc="The greatest sum of a pixel and the filter in each window.",
)
Dilation2DBackpropInput = define_op(
    "Dilation2DBackpropInput",
    inputs=["input: T", "filter: T", "out_backprop: T"],
    outputs=["in_backprop: T"],
    attrs=_ATTRS,
    shape=_grad_shape(4, 0),
    doc="Gradient of Dilation2D with respect to the images.",
)
Dilation2DBackpropFilter = define_op(
    "Dilation2DBackpropFilter",
    inputs=["input: T", "filter: T", "out_backprop: T"],
    outputs=["filter_backprop: T"],
    attrs=_ATTRS,
    shape=_grad_shape(3, 1),
    doc="Gradient of Dilation2D with respect to the filter.",
)
undefined_gradient("Dilation2DBackpropInput", "Dilation2DBackpropFilter")


@gradient("Dilation2D")
def _dilation_grad(op, grad):
    attrs = {name: op.get_attr(name) for name in ("strides", "rates", "padding")}
    return [grad_op(*op.inputs, grad, **attrs) for grad_op in (Dilation2DBackpropInput, Dilation2DBackpropFilter)]


def dilation2d(
    input,  # noqa: A002  named as in TensorFlow
    filter=None,  # noqa: A002
    strides=None,
    rates=None,
    padding=None,
    name=None,
    filters=None,
    dilations=None,
):
    """Grayscale dilation: the greatest sum of a pixel and the filter in each window.

    Args:
      input: A `Tensor` of a real type and shape [batch, rows, columns, depth].
      filter: A `Tensor` of the type of `input` and shape [rows, columns, depth].
      strides: The distance between windows, a list [1, rows, columns, 1].
      rates: The distance between the pixels of a window, a list [1, rows, columns, 1].
      padding: "VALID" or "SAME".
      name: Prefix of the names of the operations (optional).
      filters: Newer name of `filter`.
      dilations: Newer name of `rates`.

    Returns:
      A `Tensor` of the type of `input` and shape [batch, rows, columns, depth].

    Raises:
      ValueError: An argument is not valid, or the shapes don't fit together.

    Example:

    >>> x = tf.constant([1.0, 5.0, 2.0, 0.0], shape=[1, 1, 4, 1])
    >>> y = tf.nn.dilation2d(x, tf.zeros([1, 2, 1]), [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
    >>> print(sess.run(tf.reshape(y, [-1])))
    [5. 5. 2.]
    """
    filter = one_of("filter", filter, "filters", filters)  # noqa: A001
    rates = one_of("rates", rates, "dilations", dilations)
    strides, rates = integers(strides, "strides"), integers(rates, "rates")
    return Dilation2D(input, filter, strides=strides, rates=rates, padding=padding, name=name)


def erosion2d(value, kernel, strides, rates, padding, name=None):
    """Grayscale erosion: the least difference of a pixel and the kernel in each window.

    Args:
      value: A `Tensor` of a real type and shape [batch, rows, columns, depth].
      kernel: A `Tensor` of the type of `value` and shape [rows, columns, depth].
      strides: The distance between windows, a list [1, rows, columns, 1].
      rates: The distance between the pixels of a window, a list [1, rows, columns, 1].
      padding: "VALID" or "SAME".
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type of `value` and shape [batch, rows, columns, depth].

    Raises:
      ValueError: An argument is not valid, or the shapes don't fit together.
    """
    with name_scope(name, "erosion2d", [value, kernel]):
        value, kernel = convert_to_tensor(value), convert_to_tensor(kernel)
        return -dilation2d(-value, array_move.reverse_v2(kernel, [0, 1]), strides, rates, padding)
