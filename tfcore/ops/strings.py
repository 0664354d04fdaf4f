"""Ops on strings: joins, pieces, numbers, base 64."""

from tfcore.framework import dtypes, shapes
from tfcore.framework.op_def import define_op, not_differentiable
from tfcore.framework.op_wrappers import described

__all__ = ["decode_base64", "encode_base64", "string_join", "string_to_number", "substr"]
__strings__ = {"join": "string_join", "substr": "substr", "to_number": "string_to_number"}


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
    doc="Up to len bytes of each string from its byte pos on; a negative pos counts from the end.",
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
    doc="The strings that EncodeBase64 was given.",
)
StringToNumber = define_op(
    "StringToNumber",
    inputs=["string_tensor: string"],
    outputs=["output: out_type"],
    attrs=["out_type: {float, double, int32, int64} = DT_FLOAT"],
    shape=shapes.unchanged,
    doc="The numbers that strings spell.",
)
not_differentiable("StringJoin", "Substr", "EncodeBase64", "DecodeBase64", "StringToNumber")


@described(StringJoin)
def string_join(inputs, separator="", name=None):
    """Joins a list of string tensors of one shape (or scalars) element by element."""
    return StringJoin(inputs, separator=separator, name=name)


@described(Substr)
def substr(input, pos, len, name=None, unit="BYTE"):
    """Up to `len` bytes of each string from byte `pos` on (from the end if negative); the three shapes broadcast.

    Raises:
      InvalidArgumentError: when it runs, if `pos` lies outside of a string. UnimplementedError: `unit` is not BYTE.
    """
    return Substr(input, pos, len, unit=unit, name=name)


@described(EncodeBase64)
def encode_base64(input, pad=False, name=None):
    """Strings in base 64 for web addresses, filled up with = if `pad`."""
    return EncodeBase64(input, pad=pad, name=name)


@described(DecodeBase64)
def decode_base64(input, name=None):
    """What encode_base64 was given.

    Raises:
      InvalidArgumentError: when it runs, if a string is not base 64.
    """
    return DecodeBase64(input, name=name)


def string_to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None):
    """The numbers that strings spell, as float32, float64, int32 or int64.

    Raises:
      InvalidArgumentError: when it runs, if a string is no number of that type.
    """
    return StringToNumber(input if string_tensor is None else string_tensor, out_type=out_type, name=name)
