"""Boxes: random ones for distortion, drawing."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.definitions.shapes import with_rank
from tfcore.framework.graph.graph import name_scope

# ---- Ops

_TYPES = "T: {uint8, int8, int16, int32, int64}"
_SEEDS = ["seed: int = 0", "seed2: int = 0"]
_RANGES = ["aspect_ratio_range: list(float) = [0.75, 1.33]", "area_range: list(float) = [0.05, 1]"]
_LIMITS = ["max_attempts: int = 100", "use_image_if_no_bounding_boxes: bool = false"]
_OUTPUTS = ["begin: T", "size: T", "bboxes: float"]


def _sampled_shape(op):
    size = with_rank(op.inputs[0].dims, 1)
    if size[0] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {size[0]}")
    boxes = with_rank(op.inputs[1].dims, 3)
    if boxes[2] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[2]}")
    for scalar in op.inputs[2:3]:
        with_rank(scalar.dims, 0)
    return [(3,), (3,), (1, 1, 4)]


def _define_sampling(name, inputs, attrs, stateful=True):
    return define_op(
        name,
        inputs=["image_size: T", "bounding_boxes: float", *inputs],
        outputs=_OUTPUTS,
        attrs=[_TYPES, *attrs, *_RANGES, *_LIMITS],
        shape=_sampled_shape,
        stateful=stateful,
        doc="A random window of an image that has enough of one of its boxes.",
    )


SampleDistortedBoundingBox = _define_sampling(
    "SampleDistortedBoundingBox", [], [*_SEEDS, "min_object_covered: float = 0.1"]
)
SampleDistortedBoundingBoxV2 = _define_sampling("SampleDistortedBoundingBoxV2", ["min_object_covered: float"], _SEEDS)
StatelessSampleDistortedBoundingBox = _define_sampling(
    "StatelessSampleDistortedBoundingBox",
    ["min_object_covered: float", "seed: Tseed"],
    ["Tseed: {int32, int64}"],
    stateful=False,
)


def _drawn_shape(op):
    boxes = with_rank(op.inputs[1].dims, 3)
    if boxes[2] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[2]}")
    return [with_rank(op.inputs[0].dims, 4)]


DrawBoundingBoxes = define_op(
    "DrawBoundingBoxes",
    inputs=["images: T", "boxes: float"],
    outputs=["output: T"],
    attrs=["T: {float, half} = DT_FLOAT"],
    shape=_drawn_shape,
    doc="Images with boxes drawn in.",
)
DrawBoundingBoxesV2 = define_op(
    "DrawBoundingBoxesV2",
    inputs=["images: T", "boxes: float", "colors: float"],
    outputs=["output: T"],
    attrs=["T: {float, half} = DT_FLOAT"],
    shape=_drawn_shape,
    doc="Images with boxes drawn in, in the given colours.",
)
not_differentiable("SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2")
undefined_gradient("StatelessSampleDistortedBoundingBox", "DrawBoundingBoxes", "DrawBoundingBoxesV2")


# ---- Wrappers


def _given(**attrs):
    return {name: value for name, value in attrs.items() if value is not None}


def sample_distorted_bounding_box(
    image_size,
    bounding_boxes,
    seed=None,
    seed2=None,
    min_object_covered=0.1,
    aspect_ratio_range=None,
    area_range=None,
    max_attempts=None,
    use_image_if_no_bounding_boxes=None,
    name=None,
):
    """Draws a random window of an image that has enough of one of its boxes.

    Args:
      image_size: Height, width and channels of the image, a `Tensor` of an integer type.
      bounding_boxes: A float32 `Tensor` of shape [batch, boxes, 4]: y_min, x_min, y_max, x_max, in parts of the sides.
      seed: First seed, an int (optional).
      seed2: Second seed, an int (optional).
      min_object_covered: The part of a box that the window must have, a float32 scalar.
      aspect_ratio_range: Limits of width / height; [0.75, 1.33] by default.
      area_range: Limits of the window's part of the image; [0.05, 1] by default.
      max_attempts: How many windows are tried before the whole image is taken; 100 by default.
      use_image_if_no_bounding_boxes: Whether no boxes mean a box around the image; an error by default.
      name: Prefix of the names of the operations (optional).

    Returns:
      Three `Tensor`s: begin and size of the window, as `tf.slice` takes them, and the window as a box [1, 1, 4].

    Raises:
      ValueError: The static shapes don't fit together.
      tf.errors.InvalidArgumentError: When run: there are no boxes, or one is not within [0, 1].
    """
    attrs = _given(
        seed=seed,
        seed2=seed2,
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
    )
    with name_scope(name, "sample_distorted_bounding_box"):
        return SampleDistortedBoundingBoxV2(image_size, bounding_boxes, min_object_covered, name=name, **attrs)


def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """Draws boxes into images, one pixel wide.

    Args:
      images: A float32 or half `Tensor` of shape [batch, height, width, channels], with 1, 3 or 4 channels.
      boxes: A float32 `Tensor` of shape [batch, boxes, 4]: y_min, x_min, y_max, x_max, in parts of the sides.
      name: Name of the operation (optional).
      colors: A float32 `Tensor` of shape [colors, channels], taken in turn; ten standard colours by default.

    Returns:
      A `Tensor` of the type and shape of `images`.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    if colors is None:
        return DrawBoundingBoxes(images, boxes, name=name)
    return DrawBoundingBoxesV2(images, boxes, colors, name=name)
