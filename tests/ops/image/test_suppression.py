"""Non-maximum suppression: soft scores, half, errors; the records test the rest."""

import numpy as np
import pytest

import tfcore as tf

BOXES = np.array([[0, 0, 1, 1], [0, 0, 1, 0.8], [0, 0, 0.5, 1], [2, 2, 3, 3]], np.float32)
SCORES = np.array([0.9, 0.8, 0.7, 0.6], np.float32)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def test_soft_scores():
    """The overlaps with the first box are 0.8, 0.5 and 0, of the second and third 4/9."""
    indices, scores = run(tf.image.non_max_suppression_with_scores(BOXES, SCORES, 4, soft_nms_sigma=0.5))
    lowered = {i: SCORES[i] * np.exp(-(x**2)) for i, x in ((0, 0), (3, 0), (2, 0.5), (1, 0.8))}
    lowered[1] *= np.exp(-((4 / 9) ** 2))
    assert indices.tolist() == [0, 3, 2, 1]
    np.testing.assert_allclose(scores, [lowered[i] for i in indices], rtol=1e-6)
    indices, _ = run(tf.image.non_max_suppression_with_scores(BOXES, SCORES, 4, 0.5, 0.4, 0.5))
    assert indices.tolist() == [0, 3, 2]


def test_half():
    boxes, scores = tf.constant(BOXES, tf.float16), tf.constant(SCORES, tf.float16)
    assert run(tf.image.non_max_suppression(boxes, scores, 9, 0.6)).tolist() == [0, 2, 3]
    found = tf.raw_ops.NonMaxSuppressionV4(
        boxes=boxes,
        scores=scores,
        max_output_size=6,
        iou_threshold=0.6,
        score_threshold=0.0,
        pad_to_max_output_size=True,
    )
    assert found[0].shape == (6,)
    indices, number = run(found)
    assert indices.tolist() == [0, 2, 3, 0, 0, 0] and number == 3
    half = [tf.constant(x, tf.float16) for x in (0.6, 0.0, 0.0)]
    v2 = tf.raw_ops.NonMaxSuppressionV2(boxes=boxes, scores=scores, max_output_size=2, iou_threshold=half[0])
    v5 = tf.raw_ops.NonMaxSuppressionV5(
        boxes=boxes,
        scores=scores,
        max_output_size=4,
        iou_threshold=half[0],
        score_threshold=half[1],
        soft_nms_sigma=half[2],
    )
    first, (_, best, _) = run([v2, v5])
    assert first.tolist() == [0, 2] and best.tolist() == SCORES[[0, 2, 3]].astype(np.float16).tolist()


def test_only_overlaps_are_known():
    overlaps = [[1, 0.9, 0], [0.9, 1, 0.4], [0, 0.4, 1]]
    assert run(tf.image.non_max_suppression_overlaps(overlaps, [0.3, 0.4, 0.2], 3)).tolist() == [1, 2]


def test_errors():
    boxes, scores, size, most = (tf.placeholder(t) for t in (tf.float32, tf.float32, tf.int32, tf.float32))
    chosen = tf.image.non_max_suppression(boxes, scores, size, most)
    good = {boxes: BOXES, scores: SCORES, size: 3, most: 0.5}
    assert run(chosen, good).tolist() == [0, 3] or run(chosen, good).tolist() == [0, 2, 3]
    for change, text in [
        ({boxes: BOXES[0]}, r"boxes must be 2-D\[4\]"),
        ({boxes: BOXES[:, :3]}, "boxes must have 4 columns"),
        ({scores: SCORES[:3]}, "scores has incompatible shape"),
        ({scores: SCORES[None]}, "scores must be 1-D"),
        ({size: -1}, "output size must be non-negative, got -1"),
        ({size: [3]}, "max_output_size must be 0-D"),
        ({most: 1.5}, r"iou_threshold must be in \[0, 1\], got 1.5"),
        ({most: [0.5]}, "iou_threshold must be 0-D"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(chosen, {**good, **change})
    overlaps = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="overlaps must be square"):
        run(tf.image.non_max_suppression_overlaps(overlaps, scores, 3), {overlaps: BOXES[:3], scores: SCORES[:3]})
    with pytest.raises(ValueError, match="Dimension must be 4 but is 3"):
        tf.image.non_max_suppression(BOXES[:, :3], SCORES, 3)
