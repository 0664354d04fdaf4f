"""The op that makes summaries of images. Wrapper: `tf.summary.image` in `tfcore/summary`."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable

ImageSummary = define_op(
    "ImageSummary",
    inputs=["tag: string", "tensor: T"],
    outputs=["summary: string"],
    attrs=[
        "max_images: int >= 1 = 3",
        "T: {uint8, float, half, float64} = DT_FLOAT",
        "bad_color: tensor = uint8[255, 0, 0, 255]",
    ],
    shape=shapes.scalar,
    doc="A Summary with the first images of a batch, as PNG files.",
)
not_differentiable("ImageSummary")
