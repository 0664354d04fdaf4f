"""Products of quantized numbers: of matrices, and of images with filters."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.types import dtypes
from tfcore.ops.conv.conv import window_size
from tfcore.ops.quantized.convert import scalar_ends


def _matmul_shape(op):
    a, b = (shapes.with_rank(t.dims, 2) for t in op.inputs[:2])
    scalar_ends(op, 2)
    rows, inner_a = reversed(a) if op.attrs["transpose_a"] else a
    inner_b, columns = reversed(b) if op.attrs["transpose_b"] else b
    shapes.merge_dim(inner_a, inner_b)
    return [(rows, columns), (), ()]


def _conv_shape(op):
    image, filter = (shapes.with_rank(t.dims, 4) for t in op.inputs[:2])
    scalar_ends(op, 2)
    strides, dilations = op.attrs["strides"], op.attrs["dilations"]
    for what, value in (("strides", strides), ("dilations", dilations)):
        if len(value) != 4:
            raise ValueError(
                f"QuantizedConv2D requires the {what} attribute to contain 4 values, but got: {len(value)}"
            )
    shapes.merge_dim(image[3], filter[2])
    sizes = [window_size(image[i], filter[i - 1], strides[i], dilations[i], op.attrs["padding"]) for i in (1, 2)]
    return [(image[0], *sizes, filter[3]), (), ()]


QuantizedMatMul = define_op(
    "QuantizedMatMul",
    inputs=["a: T1", "b: T2", "min_a: float", "max_a: float", "min_b: float", "max_b: float"],
    outputs=["out: Toutput", "min_out: float", "max_out: float"],
    attrs=[
        "T1: quantizedtype",
        "T2: quantizedtype",
        "Toutput: quantizedtype = DT_QINT32",
        "transpose_a: bool = false",
        "transpose_b: bool = false",
        "Tactivation: quantizedtype = DT_QUINT8",
    ],
    shape=_matmul_shape,
    doc="The product of two matrices of quantized numbers.",
)
QuantizedConv2D = define_op(
    "QuantizedConv2D",
    inputs=[
        *("input: Tinput", "filter: Tfilter"),
        *("min_input: float", "max_input: float", "min_filter: float", "max_filter: float"),
    ],
    outputs=["output: out_type", "min_output: float", "max_output: float"],
    attrs=[
        "Tinput: quantizedtype",
        "Tfilter: quantizedtype",
        "out_type: quantizedtype = DT_QINT32",
        "strides: list(int)",
        "padding: {'SAME', 'VALID'}",
        "dilations: list(int) = [1, 1, 1, 1]",
    ],
    shape=_conv_shape,
    doc="The convolution of quantized images with quantized filters.",
)
undefined_gradient("QuantizedMatMul", "QuantizedConv2D")


@described(QuantizedConv2D)
def quantized_conv2d(
    input,
    filter,
    min_input,
    max_input,
    min_filter,
    max_filter,
    strides,
    padding,
    out_type=dtypes.qint32,
    dilations=[1, 1, 1, 1],  # noqa: B006  TensorFlow's signature; it is not changed
    name=None,
):
    """The convolution of quantized images with quantized filters, in 32-bit integers.

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: At run time, the shapes don't fit together, or a range is too far from zero.
    """
    return QuantizedConv2D(
        input,
        filter,
        min_input,
        max_input,
        min_filter,
        max_filter,
        strides=strides,
        padding=padding,
        out_type=out_type,
        dilations=dilations,
        name=name,
    )
