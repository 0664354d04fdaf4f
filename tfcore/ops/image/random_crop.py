"""Random parts of images, in graphs of TensorFlow before 1.0; `tf.image.random_crop` is made of other ops."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.values.constant import constant_value_as_shape


def _cropped_shape(op):
    image, size = with_rank(op.inputs[0].dims, 3), with_rank(op.inputs[1].dims, 1)
    if size[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size[0]}")
    target = constant_value_as_shape(op.inputs[1])
    return [(*(target or (None, None)), image[2])]


RandomCrop = define_op(
    "RandomCrop",
    inputs=["image: T", "size: int64"],
    outputs=["output: T"],
    attrs=["T: {uint8, int8, int16, int32, int64, float, double}", "seed: int = 0", "seed2: int = 0"],
    shape=_cropped_shape,
    stateful=True,
    doc="A part of an image, of a given height and width, at a random place.",
)
not_differentiable("RandomCrop")
