"""Strings from and to Unicode code points."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.shapes import less_one, multiply, with_rank

_BAD = ["errors: {'strict', 'replace', 'ignore'} = 'replace'", "replacement_char: int = 65533"]
_CONTROL = "replace_control_characters: bool = false"
_TO = "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}"
_SPLITS = "Tsplits: {int32, int64} = DT_INT64"


def _decode_shape(op):
    count = None if op.inputs[0].dims is None else 1
    for d in op.inputs[0].dims or ():
        count = multiply(count, d)
    return [(None if count is None else count + 1,), *[(None,)] * (len(op.outputs) - 1)]


def _encode_shape(op):
    with_rank(op.inputs[0].dims, 1)
    (splits,) = with_rank(op.inputs[1].dims, 1)
    return [(less_one(splits),)]


_DECODED = ["row_splits: Tsplits", "char_values: int32"]

UnicodeDecode = define_op(
    "UnicodeDecode",
    inputs=["input: string"],
    outputs=_DECODED,
    attrs=["input_encoding: string", *_BAD, _CONTROL, _SPLITS],
    shape=_decode_shape,
    doc="The code points of strings, as a ragged tensor.",
)
UnicodeDecodeWithOffsets = define_op(
    "UnicodeDecodeWithOffsets",
    inputs=["input: string"],
    outputs=[*_DECODED, "char_to_byte_starts: int64"],
    attrs=["input_encoding: string", *_BAD, _CONTROL, _SPLITS],
    shape=_decode_shape,
    doc="The code points of strings, as a ragged tensor, and the byte at which each begins.",
)
UnicodeEncode = define_op(
    "UnicodeEncode",
    inputs=["input_values: int32", "input_splits: Tsplits"],
    outputs=["output: string"],
    attrs=["errors: {'ignore', 'replace', 'strict'} = 'replace'", _TO, _BAD[1], _SPLITS],
    shape=_encode_shape,
    doc="Strings of code points, which are the rows of a ragged tensor.",
)
UnicodeTranscode = define_op(
    "UnicodeTranscode",
    inputs=["input: string"],
    outputs=["output: string"],
    attrs=["input_encoding: string", _TO, *_BAD, _CONTROL],
    shape=shapes.unchanged,
    doc="Strings in another encoding. The encodings are UTF-8, UTF-16, UTF-32, US-ASCII and ISO-8859-1.",
)
UnicodeScript = define_op(
    "UnicodeScript",
    inputs=["input: int32"],
    outputs=["output: int32"],
    shape=shapes.unchanged,
    doc="The number of each code point's script; -1 for what is no code point.",
)
undefined_gradient("UnicodeDecode", "UnicodeDecodeWithOffsets", "UnicodeEncode", "UnicodeTranscode", "UnicodeScript")


def unicode_transcode(
    input,  # noqa: A002  named as in TensorFlow
    input_encoding,
    output_encoding,
    errors="replace",
    replacement_char=65533,
    replace_control_characters=False,
    name=None,
):
    """Strings in another encoding of Unicode.

    Args:
      input: A `Tensor` of type string.
      input_encoding: Its encoding, a str: "UTF-8", "UTF-16-BE", "UTF-32-LE", "US-ASCII", "ISO-8859-1" or similar.
      output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
      errors: What to do with bytes that stand for no code point: "replace", "ignore" or "strict", which fails.
      replacement_char: The code point that replaces them.
      replace_control_characters: Whether the first 32 code points count as errors.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type string and the shape of `input`.

    Raises:
      ValueError: There is no such output encoding or way to handle errors.
      tf.errors.InvalidArgumentError: The input encoding is not known, or at run time, a string is not valid.

    Example:

    >>> print(sess.run(tf.strings.unicode_transcode(["a"], "UTF-8", "UTF-16-BE")))
    [b'\\x00a']
    """
    return UnicodeTranscode(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


def unicode_script(input, name=None):  # noqa: A002  named as in TensorFlow
    """The scripts of code points: 25 is Latin, 14 Greek, 8 Cyrillic, 17 Han, 0 what several scripts have in common.

    Args:
      input: A `Tensor` of type int32.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type int32 and the shape of `input`: numbers of the Unicode library ICU, or -1.

    Raises:
      TypeError: `input` is not of type int32.

    Example:

    >>> print(sess.run(tf.strings.unicode_script([97, 945, 49])))
    [25 14  0]
    """
    return UnicodeScript(input, name=name)
