"""DecodeCompressed: expands compressed strings."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described

DecodeCompressed = define_op(
    "DecodeCompressed",
    inputs=["bytes: string"],
    outputs=["output: string"],
    attrs=["compression_type: string = ''"],
    shape=shapes.unchanged,
    doc="Expands strings that were compressed.",
)
undefined_gradient("DecodeCompressed")


@described(
    DecodeCompressed,
    example="""
>>> import zlib
>>> print(sess.run(tf.io.decode_compressed(zlib.compress(b"text"), "ZLIB")))
b'text'
""",
)
def decode_compressed(bytes, compression_type="", name=None):
    """Expands strings that were compressed: `compression_type` is "ZLIB", "GZIP", or "" if they were not.

    Raises:
      tf.errors.DataLossError: At run time, a string is not in that format, or it is damaged or cut.
    """
    return DecodeCompressed(bytes, compression_type=compression_type, name=name)
