"""Changes of single strings, and their lengths."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described

StringStrip = define_op(
    "StringStrip",
    inputs=["input: string"],
    outputs=["output: string"],
    shape=shapes.unchanged,
    doc="Strings without the white space at both ends.",
)
StringLower = define_op(
    "StringLower",
    inputs=["input: string"],
    outputs=["output: string"],
    attrs=["encoding: string = ''"],
    shape=shapes.unchanged,
    doc="Strings with ASCII capitals replaced by small letters.",
)
StringUpper = define_op(
    "StringUpper",
    inputs=["input: string"],
    outputs=["output: string"],
    attrs=["encoding: string = ''"],
    shape=shapes.unchanged,
    doc="Strings with small ASCII letters replaced by capitals.",
)
StringLength = define_op(
    "StringLength",
    inputs=["input: string"],
    outputs=["output: int32"],
    attrs=["unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"],
    shape=shapes.unchanged,
    doc="The number of bytes or characters in each string.",
)
undefined_gradient("StringStrip", "StringLower", "StringUpper", "StringLength")


@described(
    StringStrip,
    example="""
>>> print(sess.run(tf.strings.strip(["  a b", "c  "])))
[b'a b' b'c']
""",
)
def string_strip(input, name=None):
    """Strings without the white space (spaces, tabs, line ends) at both ends."""
    return StringStrip(input, name=name)


@described(
    StringLower,
    example="""
>>> print(sess.run(tf.strings.lower(["Hello", "W0RLD"])))
[b'hello' b'w0rld']
""",
)
def string_lower(input, encoding="", name=None):
    """Strings with the letters A to Z replaced by a to z; other bytes stay.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `encoding` is not known.
      tf.errors.UnimplementedError: At run time, `encoding` is "utf-8".
    """
    return StringLower(input, encoding=encoding, name=name)


@described(
    StringUpper,
    example="""
>>> print(sess.run(tf.strings.upper(["Hello", "w0rld"])))
[b'HELLO' b'W0RLD']
""",
)
def string_upper(input, encoding="", name=None):
    """Strings with the letters a to z replaced by A to Z; other bytes stay.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `encoding` is not known.
      tf.errors.UnimplementedError: At run time, `encoding` is "utf-8".
    """
    return StringUpper(input, encoding=encoding, name=name)


@described(
    StringLength,
    example="""
>>> print(sess.run(tf.strings.length(["Hello", "é"])), sess.run(tf.strings.length("é", unit="UTF8_CHAR")))
[5 2] 1
""",
)
def string_length(input, name=None, unit="BYTE"):
    """The number of bytes in each string, or of characters if `unit` is "UTF8_CHAR"."""
    return StringLength(input, unit=unit, name=name)
