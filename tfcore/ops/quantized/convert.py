"""Conversions of quantized numbers: from and to floats, and to other ranges."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.types import dtypes

_MODE = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'"
_ENDS = ["input_min: float", "input_max: float"]
_NEW_ENDS = ["output_min: float", "output_max: float"]


def slice_dims(op, ends):
    """The dims of the ends of ranges in the inputs `ends`: of one range, or of one for each slice along `axis`."""
    dims, axis = op.inputs[0].dims, op.attrs["axis"]
    if axis < -1:
        raise ValueError(f"axis should be at least -1, got {axis}")
    if axis == -1:
        for i in ends:
            shapes.with_rank(op.inputs[i].dims, 0)
        return ()
    dims = shapes.with_rank_at_least(dims, axis + 1)
    size = None if dims is None else dims[axis]
    for i in ends:
        size = shapes.merge_dim(size, shapes.with_rank(op.inputs[i].dims, 1)[0])
    return (size,)


def _quantize_shape(op):
    ends = slice_dims(op, (1, 2))
    return [op.inputs[0].dims, ends, ends]


def _dequantize_shape(op):
    slice_dims(op, (1, 2))
    return [op.inputs[0].dims]


def scalar_ends(op, first):
    """Checks that the inputs from `first` on are scalars."""
    for end in op.inputs[first:]:
        shapes.with_rank(end.dims, 0)


def _requantize_shape(op):
    scalar_ends(op, 1)
    return [op.inputs[0].dims, (), ()]


def _range_shape(op):
    scalar_ends(op, 1)
    return [(), ()]


QuantizeV2 = define_op(
    "QuantizeV2",
    inputs=["input: float", "min_range: float", "max_range: float"],
    outputs=["output: T", *_NEW_ENDS],
    attrs=[
        "T: quantizedtype",
        _MODE,
        "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'",
        "narrow_range: bool = false",
        "axis: int = -1",
        "ensure_minimum_range: float = 0.01",
    ],
    shape=_quantize_shape,
    doc="Integers for the numbers of a range.",
)
Dequantize = define_op(
    "Dequantize",
    inputs=["input: T", "min_range: float", "max_range: float"],
    outputs=["output: dtype"],
    attrs=[
        "T: quantizedtype",
        _MODE,
        "narrow_range: bool = false",
        "axis: int = -1",
        "dtype: {bfloat16, float} = DT_FLOAT",
    ],
    shape=_dequantize_shape,
    doc="The numbers that quantized integers stand for.",
)
Requantize = define_op(
    "Requantize",
    inputs=["input: Tinput", *_ENDS, "requested_output_min: float", "requested_output_max: float"],
    outputs=["output: out_type", *_NEW_ENDS],
    attrs=["Tinput: quantizedtype", "out_type: quantizedtype"],
    shape=_requantize_shape,
    doc="Integers of another type and range for the same numbers.",
)
QuantizeDownAndShrinkRange = define_op(
    "QuantizeDownAndShrinkRange",
    inputs=["input: Tinput", *_ENDS],
    outputs=["output: out_type", *_NEW_ENDS],
    attrs=["Tinput: quantizedtype", "out_type: quantizedtype"],
    shape=_requantize_shape,
    doc="Requantize to the range that the numbers have.",
)
RequantizationRange = define_op(
    "RequantizationRange",
    inputs=["input: Tinput", *_ENDS],
    outputs=_NEW_ENDS,
    attrs=["Tinput: quantizedtype"],
    shape=_range_shape,
    doc="The range that quantized numbers have.",
)
undefined_gradient("QuantizeV2", "Dequantize", "Requantize", "QuantizeDownAndShrinkRange", "RequantizationRange")


# ---- Public functions


@described(
    QuantizeV2,
    example="""
>>> print(sess.run(tf.quantization.quantize([0.0, 0.5, 3.0], 0.0, 1.0, tf.quint8)).output)
[  0 128 255]
""",
)
def quantize(
    input,
    min_range,
    max_range,
    T,  # noqa: N803
    mode="MIN_COMBINED",
    round_mode="HALF_AWAY_FROM_ZERO",
    name=None,
    narrow_range=False,
    axis=None,
    ensure_minimum_range=0.01,
):
    """Rounds numbers to integers that stand for evenly spaced numbers of a range.

    Numbers outside of the range become its ends. The range is first extended so that it contains zero and is not too
    narrow; the outputs `output_min` and `output_max` are its ends. Modes: "MIN_COMBINED" maps the ends to the lowest
    and the highest integer of the type; "MIN_FIRST" does, too, and zero to an integer; "SCALED" multiplies by one
    factor, so that zero becomes 0.

    Args:
      T: The quantized type of the integers.
      narrow_range: With mode "SCALED", whether the lowest integer of the type is not used.
      axis: The dimension along which each slice has a range of its own; `min_range` and `max_range` are then vectors.
      ensure_minimum_range: The least width of the range, relative to the larger of its ends or 1.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `max_range` is below `min_range`, an end is missing, or `round_mode`
        is "HALF_TO_EVEN" in another mode than "SCALED".
    """
    return QuantizeV2(
        input,
        min_range,
        max_range,
        T=T,
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis,
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )


@described(QuantizeV2)
def quantize_v2(
    input,
    min_range,
    max_range,
    T,  # noqa: N803
    mode="MIN_COMBINED",
    name=None,
    round_mode="HALF_AWAY_FROM_ZERO",
    narrow_range=False,
    axis=None,
    ensure_minimum_range=0.01,
):
    """`tf.quantization.quantize` with another order of arguments; deprecated, as in TensorFlow.

    Args:
      T: The quantized type of the integers.

    Raises:
      tf.errors.InvalidArgumentError: As for `quantize`.
    """
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)


@described(
    Dequantize,
    example="""
>>> quantized = tf.quantization.quantize([0.0, 0.5, 3.0], 0.0, 1.0, tf.quint8)
>>> print(sess.run(tf.quantization.dequantize(*quantized)))
[0.        0.5019608 1.       ]
""",
)
def dequantize(
    input,
    min_range,
    max_range,
    mode="MIN_COMBINED",
    name=None,
    axis=None,
    narrow_range=False,
    dtype=dtypes.float32,
):
    """The numbers that quantized integers stand for: the inverse of `tf.quantization.quantize`.

    Args:
      mode: The mode in which they were quantized.
      axis: The dimension along which each slice has a range of its own.
      narrow_range: As for `quantize`.
      dtype: float32 or, in mode "MIN_COMBINED", bfloat16.

    Raises:
      tf.errors.InvalidArgumentError: At run time, the number of ranges does not fit, or bfloat16 is wanted in another
        mode.
    """
    return Dequantize(
        input,
        min_range,
        max_range,
        mode=mode,
        axis=-1 if axis is None else axis,
        narrow_range=narrow_range,
        dtype=dtype,
        name=name,
    )
