"""Numbers rounded to those that integers of some bits can stand for: quantized and back."""

from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import merge, merge_dim, with_rank, with_rank_at_least
from tfcore.framework.values.conversion import convert_to_tensor

_TYPE = "T: {bfloat16, half, float, double}"
_SIGNED, _BITS = "signed_input: bool = true", "num_bits: int = 8"
_GIVEN, _NARROW, _AXIS = "range_given: bool = false", "narrow_range: bool = false", "axis: int = -1"
_ROUNDING = "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'"


def _check_limits(op, first):
    """The dims of the limits: scalars, or with an axis vectors with a number for each slice."""
    axis, x = op.attrs["axis"], op.inputs[first - 1].dims
    limits = merge(with_rank(op.inputs[first].dims, 0 if axis == -1 else 1), op.inputs[first + 1].dims)
    if axis < -1:
        raise ValueError(f"axis should be at least -1, got {axis}")
    if axis == -1:
        return limits
    x = with_rank_at_least(x, axis + 1)
    return (merge_dim(limits[0], None if x is None else x[axis]),)


def _ranged_shape(op):
    _check_limits(op, 1)
    if len(op.inputs) == 4:
        with_rank(op.inputs[3].dims, 0)
    return [op.inputs[0].dims]


def _grad_shape(op):
    limits = _check_limits(op, 2)
    return [merge(op.inputs[0].dims, op.inputs[1].dims), limits, limits]


QuantizeAndDequantize = define_op(
    "QuantizeAndDequantize",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=[_SIGNED, _BITS, _GIVEN, "input_min: float = 0", "input_max: float = 0", _TYPE],
    shape=lambda op: [op.inputs[0].dims],
    doc="QuantizeAndDequantizeV2 in graphs of TensorFlow before 1.0, with the range as attributes.",
)
QuantizeAndDequantizeV2 = define_op(
    "QuantizeAndDequantizeV2",
    inputs=["input: T", "input_min: T", "input_max: T"],
    outputs=["output: T"],
    attrs=[_SIGNED, _BITS, _GIVEN, _TYPE, _ROUNDING, _NARROW, _AXIS],
    shape=_ranged_shape,
    doc="Rounds numbers to those that integers of `num_bits` bits can stand for.",
)
QuantizeAndDequantizeV3 = define_op(
    "QuantizeAndDequantizeV3",
    inputs=["input: T", "input_min: T", "input_max: T", "num_bits: int32"],
    outputs=["output: T"],
    attrs=[_SIGNED, "range_given: bool = true", _TYPE, _NARROW, _AXIS],
    shape=_ranged_shape,
    doc="QuantizeAndDequantizeV2 with a number of bits that is an input.",
)
QuantizeAndDequantizeV4 = define_op(
    "QuantizeAndDequantizeV4",
    inputs=["input: T", "input_min: T", "input_max: T"],
    outputs=["output: T"],
    attrs=[_SIGNED, _BITS, _GIVEN, _TYPE, _ROUNDING, _NARROW, _AXIS],
    shape=_ranged_shape,
    doc="QuantizeAndDequantizeV2 with a gradient that is 0 outside of the range.",
)
QuantizeAndDequantizeV4Grad = define_op(
    "QuantizeAndDequantizeV4Grad",
    inputs=["gradients: T", "input: T", "input_min: T", "input_max: T"],
    outputs=["input_backprop: T", "input_min_backprop: T", "input_max_backprop: T"],
    attrs=[_TYPE, _AXIS],
    shape=_grad_shape,
    doc="Gradient of QuantizeAndDequantizeV4.",
)
undefined_gradient("QuantizeAndDequantizeV4Grad")


@gradient("QuantizeAndDequantize", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3")
def _passed_on(op, grad):
    return [grad] + [None] * (len(op.inputs) - 1)


@gradient("QuantizeAndDequantizeV4")
def _passed_within_the_range(op, grad):
    return list(QuantizeAndDequantizeV4Grad(grad, *op.inputs, axis=op.get_attr("axis")))


def quantize_and_dequantize(
    input,
    input_min,
    input_max,
    signed_input=True,
    num_bits=8,
    range_given=False,
    round_mode="HALF_TO_EVEN",
    name=None,
    narrow_range=False,
    axis=None,
):
    """Rounds numbers to those that integers of some bits can stand for.

    The gradient is that of the identity.

    Args:
      input: A `Tensor` of type float32 or float64.
      input_min: The smallest number of the range, a scalar, or with `axis` a vector with a number for each slice.
      input_max: The largest number of the range, as `input_min`.
      signed_input: Whether the integers have signs.
      num_bits: The number of bits of the integers.
      range_given: Whether the range is given; otherwise it is that of `input`.
      round_mode: "HALF_TO_EVEN" or "HALF_UP": where halves go.
      name: Name of the operation (optional).
      narrow_range: Whether the lowest integer is not used, so that the others are symmetric.
      axis: The dimension of which each slice has a range of its own, counted from the end if it is negative; None:
        all have one.

    Returns:
      A `Tensor` of the type and shape of `input`.

    Raises:
      ValueError: `axis` is not valid, or the shapes of the range don't fit to it.
      tf.errors.InvalidArgumentError: When run: the number of bits, or the range, is not valid.

    Example:

    >>> x = tf.constant([-1.0, 0.2, 0.7, 3.0])
    >>> print(sess.run(tf.quantization.quantize_and_dequantize(x, -1.0, 0.75, num_bits=3, range_given=True)))
    [-1.     0.25   0.75   0.75]
    """
    input = convert_to_tensor(input, name="input")
    if axis is None:
        axis = -1  # all slices have one range
    elif axis < 0:
        rank = input.shape.ndims
        if rank is None:
            raise ValueError("input should have known rank to use negative axis.")
        axis += rank
        if axis < 0:
            raise ValueError(f"axis {axis - rank} is out of range for an input of rank {rank}")
    return QuantizeAndDequantizeV2(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=axis,
        name=name,
    )
