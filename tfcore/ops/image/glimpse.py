"""Glimpses: windows of images at given places."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.values.constant import constant_value


def _shape(op):
    batch, _, _, depth = with_rank(op.inputs[0].dims, 4)
    size, offsets = with_rank(op.inputs[1].dims, 1), with_rank(op.inputs[2].dims, 2)
    for found in (size[0], offsets[1]):
        if found not in (None, 2):
            raise ValueError(f"Dimension must be 2 but is {found}")
    if op.attrs["uniform_noise"] and op.attrs["noise"] not in (b"", b"uniform"):
        raise ValueError("The uniform_noise should not be True when noise is not uniform")
    sides = constant_value(op.inputs[1])
    sides = (None, None) if sides is None else (None if s < 0 else int(s) for s in sides)  # the kernel refuses those
    return [(merge_dim(batch, offsets[0]), *sides, depth)]


def _define(name, doc):
    return define_op(
        name,
        inputs=["input: float", "size: int32", "offsets: float"],
        outputs=["glimpse: float"],
        attrs=[
            "centered: bool = true",
            "normalized: bool = true",
            "uniform_noise: bool = true",
            "noise: string = 'uniform'",
        ],
        shape=_shape,
        doc=doc,
    )


ExtractGlimpse = _define("ExtractGlimpse", "A window of each image, around a place.")
ExtractGlimpseV2 = _define(
    "ExtractGlimpseV2", "A window of each image: places that are not normalized and centered are those of its corner."
)
not_differentiable("ExtractGlimpse")
undefined_gradient("ExtractGlimpseV2")


@described(ExtractGlimpse)
def extract_glimpse(
    input,  # noqa: A002  named as in TensorFlow
    size,
    offsets,
    centered=True,
    normalized=True,
    uniform_noise=True,
    name=None,
):
    """Cuts a window out of each image. Outside of the image it has noise, of values like the image's.

    Normalized places are parts of height and width, otherwise they are pixels. Centered ones count from the middle of
    the image, to both sides, in halves of its height and width. As in TensorFlow, noise is uniform in any case.
    """
    return ExtractGlimpse(
        input, size, offsets, centered=centered, normalized=normalized, uniform_noise=uniform_noise, name=name
    )
