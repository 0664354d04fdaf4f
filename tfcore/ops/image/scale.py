"""Images scaled and moved, by filters."""

from tfcore.framework.definitions.op_def import define_op, gradient, undefined_gradient
from tfcore.framework.definitions.shapes import same_as_input, with_rank
from tfcore.framework.values.constant import constant_value

_FILTER = ["kernel_type: string = 'lanczos3'", "antialias: bool = true"]


def _shape(op):
    batch, _, _, channels = with_rank(op.inputs[0].dims, 4)
    if (found := with_rank(op.inputs[1].dims, 1)[0]) not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {found}")
    size = constant_value(op.inputs[1])
    sides = (None, None) if size is None else (None if s < 0 else int(s) for s in size)  # the kernel refuses those
    return [(batch, *sides, channels)]


ScaleAndTranslate = define_op(
    "ScaleAndTranslate",
    inputs=["images: T", "size: int32", "scale: float", "translation: float"],
    outputs=["resized_images: float"],
    attrs=["T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}", *_FILTER],
    shape=_shape,
    doc="Images of another size: scaled, then moved by pixels; what is outside of the image is 0.",
)
ScaleAndTranslateGrad = define_op(
    "ScaleAndTranslateGrad",
    inputs=["grads: T", "original_image: T", "scale: float", "translation: float"],
    outputs=["output: T"],
    attrs=["T: {float}", *_FILTER],
    shape=same_as_input(1),
    doc="Gradient of ScaleAndTranslate.",
)
undefined_gradient("ScaleAndTranslateGrad")


@gradient("ScaleAndTranslate")
def _grad(op, grad):
    attrs = {name: op.get_attr(name) for name in ("kernel_type", "antialias")}
    return [ScaleAndTranslateGrad(grad, op.inputs[0], op.inputs[2], op.inputs[3], **attrs), None, None, None]
