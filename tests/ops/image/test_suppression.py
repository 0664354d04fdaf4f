"""Non-maximum suppression: soft scores, half, errors; the records test the rest."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.image import suppression as records

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


def test_padded():
    boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    with tf.Graph().as_default(), tf.Session() as session:
        found = tf.image.non_max_suppression_padded(boxes, [0.5, 0.9, 0.7], 4, pad_to_max_output_size=True)
        assert found[0].shape == [4] and [v.tolist() for v in session.run(found)] == [[1, 2, 0, 0], 2]
        indices, number = session.run(tf.image.non_max_suppression_padded(boxes, [0.5, 0.9, 0.7], 4))
        assert indices.tolist() == [1, 2] and number == 2


def test_combined_classes_share_boxes():
    boxes = np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]], np.float32)[None, :, None]
    scores = np.array([[0.5, 0.1], [0.9, 0.2], [0.0, 0.7]], np.float32)[None]
    with tf.Graph().as_default(), tf.Session() as session:
        found = tf.image.combined_non_max_suppression(boxes, scores, 2, 4, score_threshold=0.05)
        assert [v.shape.as_list() for v in found] == [[1, 4, 4], [1, 4], [1, 4], [1]]
        corners, best, classes, number = session.run(found)
        np.testing.assert_allclose(best, [[0.9, 0.7, 0.2, 0]])
        assert classes.tolist() == [[0, 1, 1, 0]] and number == [3]
        assert corners[0, :, 3].tolist() == [np.float32(0.9), 1, np.float32(0.9), 0]  # clipped


def test_combined_ties_and_sizes():
    """Of equal scores the first class is first, and in it the first box; sizes may be larger than what there is."""
    boxes = np.random.default_rng(1).uniform(0, 1, (2, 30, 1, 2)).astype(np.float32)
    boxes = np.concatenate([boxes, boxes + np.float32(1e-3)], 3)
    with tf.Graph().as_default(), tf.Session() as session:
        scores = np.full((2, 30, 3), 0.5, np.float32)
        _, best, classes, number = session.run(
            tf.image.combined_non_max_suppression(boxes, scores, (1 << 31) - 1, 100, pad_per_class=True)
        )
        assert best.shape == (2, 100) and number.tolist() == [90, 90] and (best[:, :90] == 0.5).all()
        assert (classes[:, :90] == np.repeat([0, 1, 2], 30)).all()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"boxes": (2, 9, 4)}, r"boxes must be 4-D\[2,9,4\]"),
        ({"boxes": (2, 9, 1, 3)}, "boxes must have 4 columns"),
        ({"boxes": (2, 9, 2, 4)}, "third dimension of boxes must be either 1 or num classes: 2 and 3"),
        ({"boxes": (1, 9, 1, 4)}, "boxes and scores must have same batch size: 1 and 2"),
        ({"boxes": (2, 8, 1, 4)}, "scores has incompatible shape"),
        ({"scores": (2, 9)}, r"scores must be 3-D\[2,9\]"),
        ({"per_class": 0}, "max_size_per_class must be positive, got 0"),
        ({"per_class": [1]}, r"max_size_per_class must be 0-D, got shape \[1\]"),
        ({"total": -2}, "max_total_size must be > 0, got -2"),
        ({"most": 2.0}, r"iou_threshold must be in \[0, 1\], got 2"),
        ({"most": float("nan")}, r"iou_threshold must be in \[0, 1\], got nan"),
        ({"least": [0.5]}, r"score_threshold must be 0-D, got shape \[1\]"),
    ],
)
def test_errors_of_combined(change, text):
    values = {
        "boxes": (2, 9, 1, 4),
        "scores": (2, 9, 3),
        "per_class": 2,
        "total": 4,
        "most": 0.5,
        "least": 0.0,
    } | change
    with tf.Graph().as_default(), tf.Session() as session:
        for name in ("boxes", "scores"):
            values[name] = np.ones(values[name], np.float32)
        inputs = [tf.placeholder_with_default(tf.constant(v), None) for v in values.values()]
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(tf.image.combined_non_max_suppression(*inputs))


@pytest.mark.parametrize("side", [0.02, 0.2])
def test_many_boxes(side):
    """Chosen boxes are compared in blocks; among them are some without an area."""
    rng = np.random.default_rng(5)
    corners = rng.uniform(0, 1, (500, 2))
    boxes = np.concatenate([corners, corners + rng.uniform(0, side, (500, 2))], 1).astype(np.float32)
    boxes[::7] = boxes[::7, [2, 3, 0, 1]]  # corners in the other order
    boxes[::11, 2] = boxes[::11, 0]
    scores = rng.permutation(500).astype(np.float32)
    expected = records._of_boxes(boxes, scores, 450, 0.3)
    assert 64 < len(expected) <= 450
    assert run(tf.image.non_max_suppression(boxes, scores, 450, 0.3)).tolist() == list(expected)
