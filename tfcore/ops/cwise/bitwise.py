"""Operations on the bits of integers, element by element."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.op_wrappers import described, wrapper

_ATTRS = ["T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}"]


def _define(name, doc, commutative=False):
    return define_op(
        name,
        inputs=["x: T", "y: T"],
        outputs=["z: T"],
        attrs=_ATTRS,
        shape=shapes.broadcast,
        commutative=commutative,
        doc=doc,
    )


BitwiseAnd = _define("BitwiseAnd", "Bits that are set in both.", commutative=True)
BitwiseOr = _define("BitwiseOr", "Bits that are set in either.", commutative=True)
BitwiseXor = _define("BitwiseXor", "Bits that differ.", commutative=True)
LeftShift = _define("LeftShift", "x shifted by y bits, y clamped to the size of the type.")
RightShift = _define("RightShift", "x shifted by y bits, y clamped to the size of the type.")
Invert = define_op(
    "Invert", inputs=["x: T"], outputs=["y: T"], attrs=_ATTRS, shape=shapes.unchanged, doc="Flips all bits."
)
PopulationCount = define_op(
    "PopulationCount",
    inputs=["x: T"],
    outputs=["y: uint8"],
    attrs=_ATTRS,
    shape=shapes.unchanged,
    doc="Number of bits that are set.",
)

not_differentiable("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", "Invert", "PopulationCount")


# ---- The public functions.


@described(Invert)
def invert(x, name=None):
    """Flips all bits."""
    return Invert(x, name=name)


bitwise_and = wrapper(BitwiseAnd, "bitwise_and")
bitwise_or = wrapper(BitwiseOr, "bitwise_or")
bitwise_xor = wrapper(BitwiseXor, "bitwise_xor")
left_shift = wrapper(LeftShift, "left_shift")
right_shift = wrapper(RightShift, "right_shift")
