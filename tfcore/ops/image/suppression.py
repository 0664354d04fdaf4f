"""Non-maximum suppression: the boxes of the best scores that do not overlap much."""

from tfcore.framework.definitions.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.definitions.shapes import merge_dim, with_rank
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor

# ---- Shapes


def _check(op):
    boxes, scores = with_rank(op.inputs[0].dims, 2), with_rank(op.inputs[1].dims, 1)
    for scalar in op.inputs[2:]:
        with_rank(scalar.dims, 0)
    merge_dim(boxes[0], scores[0])
    if op.type != "NonMaxSuppressionWithOverlaps" and boxes[1] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[1]}")


def _indices(op):
    _check(op)
    return [(None,)]


def _size(op):
    """How many indices there are: padded, or known in a run."""
    most = constant_value(op.inputs[2]) if op.attrs["pad_to_max_output_size"] else None
    return None if most is None or most < 0 else int(most)


def _indices_and_number(op):
    _check(op)
    return [(_size(op),), ()]


def _indices_scores_and_number(op):
    _check(op)
    return [(_size(op),), (_size(op),), ()]


def _constant(op, i):
    value = constant_value(op.inputs[i])
    return None if value is None else int(value)


def _combined(op):
    boxes, scores = with_rank(op.inputs[0].dims, 4), with_rank(op.inputs[1].dims, 3)
    for scalar in op.inputs[2:]:
        with_rank(scalar.dims, 0)
    batch = merge_dim(boxes[0], scores[0])
    merge_dim(boxes[1], scores[1])
    if boxes[3] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[3]}")
    if boxes[2] not in (None, 1, scores[2]) and scores[2] is not None:
        raise ValueError("third dimension of boxes must be either 1 or equal to the third dimension of scores")
    per_class, size, classes = _constant(op, 2), _constant(op, 3), scores[2]
    if size is not None and size < 0:
        raise ValueError(f"Dimension size, given by scalar input 3, must be non-negative but is {size}")
    if size == 0:
        raise ValueError("max_total_size should be > 0")
    if op.attrs["pad_per_class"] and size is not None:
        known = per_class is not None and classes is not None and per_class >= 0
        size = min(size, per_class * classes) if known else None
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]


# ---- Ops

_TYPE = "T: {half, float} = DT_FLOAT"
_TYPES = [_TYPE, "T_threshold: {half, float} = DT_FLOAT"]
_PAD = "pad_to_max_output_size: bool = false"
_BOXES = ["boxes: T", "scores: T", "max_output_size: int32"]
_THRESHOLDS = ["iou_threshold: T_threshold", "score_threshold: T_threshold"]
_CHOSEN = "selected_indices: int32"


def _define(name, inputs, attrs, shape=_indices, outputs=(_CHOSEN,)):
    return define_op(
        name,
        inputs=inputs,
        outputs=list(outputs),
        attrs=attrs,
        shape=shape,
        doc="Indices of the boxes of the best scores, without those that overlap a better one too much.",
    )


NonMaxSuppression = _define(
    "NonMaxSuppression",
    ["boxes: float", "scores: float", "max_output_size: int32"],
    ["iou_threshold: float = 0.5"],
)
NonMaxSuppressionV2 = _define("NonMaxSuppressionV2", [*_BOXES, _THRESHOLDS[0]], _TYPES)
NonMaxSuppressionV3 = _define("NonMaxSuppressionV3", [*_BOXES, *_THRESHOLDS], _TYPES)
NonMaxSuppressionV4 = _define(
    "NonMaxSuppressionV4",
    [*_BOXES, *_THRESHOLDS],
    [*_TYPES, _PAD],
    _indices_and_number,
    [_CHOSEN, "valid_outputs: int32"],
)
NonMaxSuppressionV5 = _define(
    "NonMaxSuppressionV5",
    [*_BOXES, "iou_threshold: T", "score_threshold: T", "soft_nms_sigma: T"],
    [_TYPE, _PAD],
    _indices_scores_and_number,
    [_CHOSEN, "selected_scores: T", "valid_outputs: int32"],
)
NonMaxSuppressionWithOverlaps = _define(
    "NonMaxSuppressionWithOverlaps",
    [
        "overlaps: float",
        "scores: float",
        "max_output_size: int32",
        "overlap_threshold: float",
        "score_threshold: float",
    ],
    [],
)
CombinedNonMaxSuppression = define_op(
    "CombinedNonMaxSuppression",
    inputs=[
        "boxes: float",
        "scores: float",
        "max_output_size_per_class: int32",
        "max_total_size: int32",
        "iou_threshold: float",
        "score_threshold: float",
    ],
    outputs=["nmsed_boxes: float", "nmsed_scores: float", "nmsed_classes: float", "valid_detections: int32"],
    attrs=["pad_per_class: bool = false", "clip_boxes: bool = true"],
    shape=_combined,
    doc="The boxes of the best scores of images, without those that overlap a better one of their class too much.",
)
not_differentiable("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionWithOverlaps")
undefined_gradient("NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5", "CombinedNonMaxSuppression")


# ---- Wrappers


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), name=None):
    """Chooses the boxes of the best scores that do not overlap much.

    Args:
      boxes: A float32 or half `Tensor` of shape [boxes, 4]: two opposite corners y1, x1, y2, x2.
      scores: A `Tensor` of the same type and shape [boxes].
      max_output_size: How many boxes are chosen at most, an int32 scalar.
      iou_threshold: A box is left out if its intersection with a better one is a larger part of their union.
      score_threshold: Boxes with this score or less are left out.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type int32: the indices of the chosen boxes, the best first.

    Raises:
      ValueError: The static shapes don't fit together.

    Example:

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> print(sess.run(tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.7], max_output_size=3)))
    [1 2]
    """
    with name_scope(name, "non_max_suppression"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        return NonMaxSuppressionV3(boxes, scores, max_output_size, iou_threshold, score_threshold)


def non_max_suppression_padded(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    pad_to_max_output_size=False,
    name=None,
):
    """Chooses boxes as `tf.image.non_max_suppression` does; the result may have a size that is known before.

    Args:
      boxes: A float32 or half `Tensor` of shape [boxes, 4]: two opposite corners y1, x1, y2, x2.
      scores: A `Tensor` of the same type and shape [boxes].
      max_output_size: How many boxes are chosen at most, an int32 scalar.
      iou_threshold: A box is left out if its intersection with a better one is a larger part of their union.
      score_threshold: Boxes with this score or less are left out.
      pad_to_max_output_size: Whether zeros follow the chosen indices, up to `max_output_size`.
      name: Prefix of the names of the operations (optional).

    Returns:
      Two `Tensor`s of type int32: the indices of the chosen boxes, the best first, and how many they are.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(name, "non_max_suppression_padded"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        return NonMaxSuppressionV4(
            boxes,
            scores,
            max_output_size,
            iou_threshold,
            score_threshold,
            pad_to_max_output_size=pad_to_max_output_size,
        )


def combined_non_max_suppression(
    boxes,
    scores,
    max_output_size_per_class,
    max_total_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    pad_per_class=False,
    clip_boxes=True,
    name=None,
):
    """Chooses the best boxes of each image of a batch; boxes of different classes don't suppress each other.

    Args:
      boxes: A float32 `Tensor` of shape [batch, boxes, classes or 1, 4]: two opposite corners y1, x1, y2, x2. With 1
        the boxes are those of all classes.
      scores: A float32 `Tensor` of shape [batch, boxes, classes].
      max_output_size_per_class: How many boxes of a class are chosen at most, an int32 scalar.
      max_total_size: How many boxes of an image are chosen at most, an int32 scalar.
      iou_threshold: A box is left out if its intersection with a better one is a larger part of their union.
      score_threshold: Boxes with this score or less are left out.
      pad_per_class: Whether results have the size `max_output_size_per_class * classes`, if that is less than
        `max_total_size`.
      clip_boxes: Whether corners of the results are put into [0, 1].
      name: Prefix of the names of the operations (optional).

    Returns:
      Four `Tensor`s, padded with zeros: boxes [batch, size, 4], their scores and their classes [batch, size], both of
      type float32, and the number of boxes [batch], int32.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(name, "combined_non_max_suppression"):
        return CombinedNonMaxSuppression(
            boxes,
            scores,
            max_output_size_per_class,
            max_total_size,
            convert_to_tensor(iou_threshold, dtype=dtypes.float32, name="iou_threshold"),
            convert_to_tensor(score_threshold, dtype=dtypes.float32, name="score_threshold"),
            pad_per_class=pad_per_class,
            clip_boxes=clip_boxes,
        )


def non_max_suppression_with_scores(
    boxes,
    scores,
    max_output_size,
    iou_threshold=0.5,
    score_threshold=float("-inf"),
    soft_nms_sigma=0.0,
    name=None,
):
    """Chooses boxes as `tf.image.non_max_suppression` does, or by scores that overlaps lower (Soft-NMS).

    Args:
      boxes: A float32 or half `Tensor` of shape [boxes, 4]: two opposite corners y1, x1, y2, x2.
      scores: A `Tensor` of the same type and shape [boxes].
      max_output_size: How many boxes are chosen at most, an int32 scalar.
      iou_threshold: A box is left out if its intersection with a better one is a larger part of their union.
      score_threshold: Boxes with this score or less are left out.
      soft_nms_sigma: If it is not 0, overlaps lower scores by a Gaussian of this width; no box is left out.
      name: Prefix of the names of the operations (optional).

    Returns:
      Two `Tensor`s: the indices of the chosen boxes, the best first, and their scores.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(name, "non_max_suppression_with_scores"):
        numbers = [
            convert_to_tensor(value, name=text)
            for value, text in (
                (iou_threshold, "iou_threshold"),
                (score_threshold, "score_threshold"),
                (soft_nms_sigma, "soft_nms_sigma"),
            )
        ]
        indices, chosen, _ = NonMaxSuppressionV5(boxes, scores, max_output_size, *numbers)
        return indices, chosen


def non_max_suppression_overlaps(
    overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float("-inf"), name=None
):
    """Chooses boxes of which only the overlaps are known.

    Args:
      overlaps: A float32 `Tensor` of shape [boxes, boxes].
      scores: A float32 `Tensor` of shape [boxes].
      max_output_size: How many boxes are chosen at most, an int32 scalar.
      overlap_threshold: A box is left out if it overlaps a better one by more.
      score_threshold: Boxes with this score or less are left out.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of type int32: the indices of the chosen boxes, the best first.

    Raises:
      ValueError: The static shapes don't fit together.
    """
    with name_scope(name, "non_max_suppression_overlaps"):
        return NonMaxSuppressionWithOverlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold)
