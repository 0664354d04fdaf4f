"""Numbers as text, and the bytes of strings as numbers."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor

AsString = define_op(
    "AsString",
    inputs=["input: T"],
    outputs=["output: string"],
    attrs=[
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, "
        "complex128, bool, variant, string}",
        "precision: int = -1",
        "scientific: bool = false",
        "shortest: bool = false",
        "width: int = -1",
        "fill: string = ''",
    ],
    shape=shapes.unchanged,
    doc="Numbers as text, in printf's formats.",
)


def _decode_shape(op):
    dims = op.inputs[0].dims
    return [None if dims is None else (*dims, None)]


DecodeRaw = define_op(
    "DecodeRaw",
    inputs=["bytes: string"],
    outputs=["output: out_type"],
    attrs=[
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, "
        "bfloat16}",
        "little_endian: bool = true",
    ],
    shape=_decode_shape,
    doc="The bytes of strings as numbers.",
)


def _padded_shape(op):
    dims = op.inputs[0].dims
    shapes.with_rank(op.inputs[1].dims, 0)
    length, item = constant_value(op.inputs[1]), op.attrs["out_type"].size
    if length is not None and length < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {length}")
    if length is not None and length % item:
        raise ValueError(f"Dimension size must be evenly divisible by {item} but is {length}")
    return [None if dims is None else (*dims, None if length is None else int(length) // item)]


DecodePaddedRaw = define_op(
    "DecodePaddedRaw",
    inputs=["input_bytes: string", "fixed_length: int32"],
    outputs=["output: out_type"],
    attrs=[
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}",
        "little_endian: bool = true",
    ],
    shape=_padded_shape,
    doc="The bytes of strings as numbers; strings are padded with zeros or cut to fixed_length bytes.",
)
not_differentiable("AsString", "DecodeRaw", "DecodePaddedRaw")


@described(
    AsString,
    example="""
>>> print(sess.run(tf.as_string([3, -2])), sess.run(tf.as_string([3.14159], precision=2)))
[b'3' b'-2'] [b'3.14']
""",
)
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Numbers as text, in printf's formats; truth values as "true" and "false".

    `precision` is the number of digits after the point. `scientific` and `shortest` choose the formats %e and %g
    instead of %f. Texts have at least `width` characters; `fill` is a flag of printf: "0", "-", "+", " " or "#".

    Raises:
      TypeError: The type is not supported.
      tf.errors.InvalidArgumentError: At run time, an option does not fit the type, or options contradict each other.
    """
    return AsString(
        input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name
    )


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    """The bytes of strings as numbers.

    Args:
      input_bytes: A `Tensor` of type string, whose strings have the same length.
      out_type: Type of the result: float16, bfloat16, float32, float64, uint8, uint16, int8, int16, int32, int64,
        complex64, complex128 or bool.
      little_endian: Whether the least significant byte of a number comes first.
      name: Name of the operation (optional).
      bytes: Old name of `input_bytes`.

    Returns:
      A `Tensor` of type `out_type`, with one dimension more than the strings, for the numbers in a string.

    Raises:
      ValueError: The strings are given under both names, or `out_type` is missing.
      TypeError: `out_type` is another type.
      tf.errors.InvalidArgumentError: At run time, the lengths differ or are not a multiple of the type's size.

    Example:

    >>> print(sess.run(tf.decode_raw(["abcd"], tf.int16)))
    [[25185 25699]]
    """
    input_bytes = array_ops.alias(input_bytes, bytes, "input_bytes", "bytes")
    if out_type is None:
        raise ValueError("decode_raw_v1() missing 1 positional argument: 'out_type'")
    return DecodeRaw(
        convert_to_tensor(input_bytes, dtypes.string), out_type=out_type, little_endian=little_endian, name=name
    )
