"""Ops on strings: joins, pieces, numbers, base 64."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.types import dtypes


def _join_shape(op):
    dims = ()
    for x in op.inputs:
        if x.dims is None:
            return [None]
        if x.dims != ():
            dims = x.dims if dims == () else shapes.merge(dims, x.dims)
    return [dims]


StringJoin = define_op(
    "StringJoin",
    inputs=["inputs: N * string"],
    outputs=["output: string"],
    attrs=["N: int >= 1", "separator: string = ''"],
    shape=_join_shape,
    doc="Joins strings element by element; a scalar is joined to every element.",
)


def _substr_shape(op):
    x, pos, length = (t.dims for t in op.inputs)
    return [shapes.broadcast_dims(x, shapes.merge(pos, length))]


Substr = define_op(
    "Substr",
    inputs=["input: string", "pos: T", "len: T"],
    outputs=["output: string"],
    attrs=["T: {int32, int64}", "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"],
    shape=_substr_shape,
    doc="Up to len bytes or characters of each string from pos on; a negative pos counts from the end.",
)
EncodeBase64 = define_op(
    "EncodeBase64",
    inputs=["input: string"],
    outputs=["output: string"],
    attrs=["pad: bool = false"],
    shape=shapes.unchanged,
    doc="Strings in base 64 with - and _, as in web addresses.",
)
DecodeBase64 = define_op(
    "DecodeBase64",
    inputs=["input: string"],
    outputs=["output: string"],
    shape=shapes.unchanged,
    doc="Decodes strings that EncodeBase64 made.",
)
StringToNumber = define_op(
    "StringToNumber",
    inputs=["string_tensor: string"],
    outputs=["output: out_type"],
    attrs=["out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT"],
    shape=shapes.unchanged,
    doc="The numbers that strings spell.",
)
not_differentiable("StringJoin", "Substr", "EncodeBase64", "DecodeBase64", "StringToNumber")


@described(
    StringJoin,
    example="""
>>> print(sess.run(tf.strings.join([["a", "b"], "c"], "-")))
[b'a-c' b'b-c']
""",
    shapes={
        "inputs": "of one shape, or scalars",
        "output": "of that shape",
    },
)
def string_join(inputs, separator="", name=None):
    """Joins strings element by element."""
    return StringJoin(inputs, separator=separator, name=name)


@described(
    Substr,
    example="""
>>> print(sess.run(tf.strings.substr(["hello", "world"], 1, 3)))
[b'ell' b'orl']
""",
)
def substr(input, pos, len, name=None, unit="BYTE"):
    """Up to `len` bytes of each string from byte `pos` on; a negative `pos` counts from the end.

    The shapes of the three arguments broadcast. If `unit` is "UTF8_CHAR", characters count instead of bytes.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `pos` lies outside of a string.
    """
    return Substr(input, pos, len, unit=unit, name=name)


@described(EncodeBase64)
def encode_base64(input, pad=False, name=None):
    """Encodes strings in base 64 for web addresses, padded with = if `pad` is true."""
    return EncodeBase64(input, pad=pad, name=name)


@described(DecodeBase64)
def decode_base64(input, name=None):
    """Decodes strings that `encode_base64` made, with or without padding.

    Raises:
      tf.errors.InvalidArgumentError: At run time, a string is not base 64.
    """
    return DecodeBase64(input, name=name)


def string_to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None):
    """The numbers that strings spell.

    Args:
      string_tensor: A `Tensor` of type string.
      out_type: Type of the result: float32, float64, int32, int64, uint32 or uint64.
      name: Name of the operation (optional).
      input: Newer name of `string_tensor`.

    Returns:
      A `Tensor` of type `out_type` and the shape of the strings.

    Raises:
      TypeError: `out_type` is another type.
      tf.errors.InvalidArgumentError: At run time, a string is not a number of that type.

    Example:

    >>> print(sess.run(tf.strings.to_number(["1.5", "2"])))
    [1.5 2. ]
    """
    return StringToNumber(input if string_tensor is None else string_tensor, out_type=out_type, name=name)
