"""Random windows and drawn boxes."""

import numpy as np
import pytest

import tfcore as tf

OBJECTS = [[[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 0.8]]]
SIZE = [300, 400, 3]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


# By TensorFlow 2.21: begin and size, by seed and seed2.
WINDOWS = {
    (1, 0): ([26, 144, 0], [225, 177, -1]),
    (7, 5): ([20, 54, 0], [186, 228, -1]),
    (0, 3): ([102, 102, 0], [179, 168, -1]),
}


def test_windows_are_tensorflows():
    for (seed, seed2), expected in WINDOWS.items():
        attrs = {"image_size": SIZE, "bounding_boxes": OBJECTS, "seed": seed, "seed2": seed2}
        for found in (
            tf.raw_ops.SampleDistortedBoundingBox(min_object_covered=0.4, **attrs),
            tf.raw_ops.SampleDistortedBoundingBoxV2(min_object_covered=0.4, **attrs),
        ):
            begin, size, box = run(found)
            assert (begin.tolist(), size.tolist()) == expected
            ends = (np.array(begin) + size)[:2]
            np.testing.assert_allclose(box[0, 0], np.divide([*begin[:2], *ends], [300, 400, 300, 400]), rtol=1e-6)
    stateless = tf.raw_ops.StatelessSampleDistortedBoundingBox(
        image_size=np.array(SIZE, np.int16), bounding_boxes=OBJECTS, min_object_covered=0.4, seed=[7, 5]
    )
    begin, size, _ = run(stateless)
    assert begin.dtype == np.int16 and (begin.tolist(), size.tolist()) == ([74, 99, 0], [130, 169, -1])


def test_windows_keep_their_limits():
    begin, size, box = tf.image.sample_distorted_bounding_box(
        SIZE, OBJECTS, seed=1, min_object_covered=0.5, aspect_ratio_range=[0.8, 1.2], area_range=[0.1, 0.5]
    )
    windows = set()
    with tf.Session() as session:
        for _ in range(100):
            (top, left, _), (height, width, _) = session.run([begin, size])
            assert 0 <= top and top + height <= 300 and 0 <= left and left + width <= 400
            assert 0.75 < width / height < 1.25 and 0.09 < height * width / 120000 < 0.51
            windows.add((top, left, height, width))
            parts = []
            for y1, x1, y2, x2 in OBJECTS[0]:
                rows = min(top + height, y2 * 300) - max(top, y1 * 300)
                columns = min(left + width, x2 * 400) - max(left, x1 * 400)
                parts.append(max(rows, 0) * max(columns, 0) / ((y2 - y1) * (x2 - x1) * 120000))
            assert max(parts) > 0.48
    assert len(windows) > 90
    image = tf.zeros(SIZE)
    assert run(tf.shape(tf.slice(image, begin, size)))[2] == 3
    assert box.shape == (1, 1, 4)


def test_impossible_windows_are_the_whole_image():
    found = tf.image.sample_distorted_bounding_box([10, 1000, 3], OBJECTS, seed=1, area_range=[0.9, 1.0])
    assert [x.tolist() for x in run(found)] == [[0, 0, 0], [10, 1000, -1], [[[0, 0, 1, 1]]]]


def test_no_boxes():
    none = np.zeros((1, 0, 4), np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No bounding boxes provided as input"):
        run(tf.image.sample_distorted_bounding_box(SIZE, none))
    begin, size, _ = tf.image.sample_distorted_bounding_box(SIZE, none, use_image_if_no_bounding_boxes=True)
    assert (run(size)[:2] > 0).all()


@pytest.mark.parametrize(
    "options, text",
    [
        ({"aspect_ratio_range": [1.0]}, "Aspect ratio range field must specify 2 dimensions"),
        ({"aspect_ratio_range": [0.0, 1.0]}, "Aspect ratio range must be non-negative"),
        ({"area_range": [0.5, 1.5]}, "Area range must be less then or equal to 1.0"),
        ({"max_attempts": 0}, "Max attempts must be non-negative: 0"),
        ({"min_object_covered": -0.5}, "Min object covered must be non-negative: -0.5"),
    ],
)
def test_wrong_limits(options, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.image.sample_distorted_bounding_box(SIZE, OBJECTS, **options))


def test_wrong_inputs():
    size, boxes = tf.placeholder(tf.int64), tf.placeholder(tf.float32)
    found = tf.image.sample_distorted_bounding_box(size, boxes)
    for given, objects, text in [
        ([3, 3], OBJECTS, r"image_size must contain 3 elements\[2\]"),
        ([-1, 3, 3], OBJECTS, "image height cannot be >= int32 max, got -1"),
        ([3, 2**31, 3], OBJECTS, "image width cannot be >= int32 max"),
        (SIZE, OBJECTS[0], "input boxes must be 3-dimensional"),
        (SIZE, [[[0, 0, 1]]], "bounding boxes must have shape"),
        (SIZE, [[[0, 0, 1, 2]]], r"All bounding box coordinates must be in \[0.0, 1.0\]: 2 of box 0"),
        (SIZE, [[[0, 0, 1, np.nan]]], "All bounding box coordinates"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(found, {size: given, boxes: objects})


# ---- Drawing


def drawn(images, boxes, colors):
    """By rows and columns."""
    result = images.copy()
    height, width = images.shape[1:3]
    for i, of_image in enumerate(boxes):
        for k, box in enumerate(of_image):
            top, left, bottom, right = (
                np.trunc(np.float32(b) * np.float32(n - 1)) for b, n in zip(box, [height, width] * 2)
            )
            rows, columns = np.arange(height), np.arange(width)
            within_rows, within_columns = (rows >= top) & (rows <= bottom), (columns >= left) & (columns <= right)
            edge = np.outer(within_rows, (columns == left) | (columns == right))
            edge |= np.outer((rows == top) | (rows == bottom), within_columns)
            if top <= bottom and left <= right:
                result[i][edge] = colors[k % len(colors)][: images.shape[3]]
    return result


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_drawing(channels, dtype):
    rng = np.random.default_rng(channels)
    images = rng.random((2, 11, 13, channels)).astype(dtype)
    boxes = rng.uniform(-0.4, 1.4, (2, 12, 4)).astype(np.float32)
    boxes[:, :6] = np.sort(boxes[:, :6].reshape(2, 6, 2, 2), 2).reshape(2, 6, 4)
    colors = rng.random((3, 4)).astype(dtype)
    images_tensor = tf.constant(images)
    found, other = run(
        [
            tf.image.draw_bounding_boxes(images_tensor, boxes, colors=colors.astype(np.float32)),
            tf.image.draw_bounding_boxes(images_tensor, boxes),
        ]
    )
    np.testing.assert_array_equal(found, drawn(images, boxes, colors))
    standard = [[1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1]]
    standard += [[0.5, 0.5, 0, 1], [0.5, 0, 0, 1], [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1]]
    np.testing.assert_array_equal(other, drawn(images, boxes, [[1]] if channels == 1 else standard))


def test_drawing_checks_shapes():
    images, boxes, colors = (tf.placeholder(tf.float32) for _ in range(3))
    result = tf.image.draw_bounding_boxes(images, boxes, colors=colors)
    good = {images: np.zeros((1, 3, 3, 3)), boxes: np.zeros((1, 1, 4)), colors: np.ones((1, 3))}
    assert run(result, good)[0, 0, 0].tolist() == [1, 1, 1]
    assert run(result, {**good, boxes: [[[np.nan, 0, np.inf, 1e30]]]}).shape == (1, 3, 3, 3)
    for change, text in [
        ({images: np.zeros((3, 3, 3))}, "The rank of the images should be 4"),
        ({boxes: np.zeros((1, 4))}, "The rank of the boxes tensor should be 3"),
        ({boxes: np.zeros((2, 1, 4))}, "The batch sizes should be the same, got 1 and 2"),
        ({images: np.zeros((1, 3, 3, 2))}, "Channel depth should be either 1"),
        ({boxes: np.zeros((1, 1, 3))}, "must be 4. Received: 3"),
        ({colors: np.zeros(3)}, "colors must be a 2-D matrix"),
        ({colors: np.zeros((1, 2))}, "colors must have equal or more channels"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(result, {**good, **change})
