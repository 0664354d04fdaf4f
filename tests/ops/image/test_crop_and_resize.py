"""crop_and_resize: gradients by differences, arguments, errors; the records test the values."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.image import crop_and_resize as records


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def smooth_image():
    y, x = np.mgrid[:9, :11].astype(float)
    return (np.stack([0.1 * y * x, x - 2 * y], -1)[None]).astype(np.float32)


def test_gradients_by_differences():
    image = tf.constant(smooth_image())
    boxes = tf.constant([[0.12, 0.13, 0.81, 0.72], [0.9, 0.22, 0.31, 0.63]])
    crops = tf.image.crop_and_resize(image, boxes, [0, 0], [3, 4])
    weights = tf.constant(np.random.default_rng(1).standard_normal((2, 3, 4, 2)), tf.float32)
    total = tf.reduce_sum(weights * crops)
    found, image_grad, value = run([*tf.gradients(total, [boxes, image]), total])
    np.testing.assert_allclose((image_grad * smooth_image()).sum(), value, rtol=1e-5)  # it is linear in the image
    for box in range(2):
        for k in range(4):
            step = np.zeros((2, 4), np.float32)
            step[box, k] = 2e-3
            ends = [
                tf.reduce_sum(weights * tf.image.crop_and_resize(image, boxes + s, [0, 0], [3, 4]))
                for s in (step, -step)
            ]
            more, less = run(ends)
            assert abs((more - less) / 4e-3 - found[box, k]) < 0.02 * np.abs(found).max()


def test_whole_images_and_flips():
    image = smooth_image()
    whole = run(tf.image.crop_and_resize(image, [[0, 0, 1, 1], [1, 1, 0, 0]], box_ind=[0, 0], crop_size=[9, 11]))
    np.testing.assert_allclose(whole[0], image[0], atol=1e-5)
    np.testing.assert_allclose(whole[1], image[0, ::-1, ::-1], atol=1e-5)
    outside = run(tf.image.crop_and_resize(image, [[2, 2, 3, 3]], [0], [2, 2], extrapolation_value=7))
    assert (outside == 7).all()


def test_infinities_stay_where_they_are():
    image = np.ones((1, 3, 3, 1), np.float32)
    image[0, 1, 1] = np.inf
    for method in ("nearest", "bilinear"):
        found = run(tf.image.crop_and_resize(image, [[0, 0, 1, 1]], [0], [3, 3], method))
        assert np.isinf(found[0, 1, 1, 0]) and (np.delete(found.ravel(), 4) == 1).all()


def test_names_of_arguments():
    image, boxes = smooth_image(), [[0.0, 0.0, 1.0, 1.0]]
    assert tf.image.crop_and_resize(image, boxes, box_indices=[0], crop_size=[4, 5]).shape == (1, 4, 5, 2)
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.image.crop_and_resize(image, boxes, [0], [4, 5], box_indices=[0])


def test_errors():
    image, boxes, image_of, size = (tf.placeholder(t) for t in (tf.float32, tf.float32, tf.int32, tf.int32))
    crops = tf.image.crop_and_resize(image, boxes, image_of, size)
    good = {image: np.zeros((1, 3, 3, 1)), boxes: np.zeros((1, 4)), image_of: [0], size: [2, 2]}
    assert run(crops, good).shape == (1, 2, 2, 1)
    for change, text in [
        ({image: np.zeros((3, 3, 1))}, r"input image must be 4-D\[3,3,1\]"),
        ({image: np.zeros((1, 0, 3, 1))}, "image dimensions must be positive"),
        ({boxes: np.zeros(4)}, r"boxes must be 2-D, got: \[4\]"),
        ({boxes: np.zeros((1, 3))}, "boxes must have 4 columns"),
        ({boxes: np.zeros((2, 4))}, "box_index has incompatible shape"),
        ({boxes: [[0, 0, np.inf, 0]]}, "not finite: box 0"),
        ({image_of: 0}, "box_indices must be rank 1"),
        ({size: [2]}, "crop_size must have two elements"),
        ({size: [2, 0]}, "crop dimensions must be positive"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(crops, {**good, **change})
    with pytest.raises(tf.errors.OutOfRangeError, match=r"box 0 has 1, batch_size is 1"):
        run(crops, {**good, image_of: [1]})
    with pytest.raises(ValueError, match="Dimension must be 4 but is 3"):
        tf.image.crop_and_resize(smooth_image(), np.zeros((1, 3)), [0], [2, 2])


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 20])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_few_pixels_of_wide_boxes(depth, method):
    """Not all columns of a box are needed; the last rows of the last image have nothing behind them."""
    random = np.random.default_rng(depth)
    images = random.integers(0, 256, (2, 40, 70, depth)).astype(np.uint8)
    boxes = np.array([[0, 0, 1, 1], [0.3, 0.1, 1, 0.9], [-0.2, -0.3, 1.2, 1.4], [1, 1, 0, 0.05]], np.float32)
    boxes = np.concatenate([boxes, random.uniform(0, 1, (20, 4)).astype(np.float32)])
    of = np.arange(len(boxes), dtype=np.int32) % 2
    for size in ([3, 2], [14, 5]):
        found = [
            run(tf.image.crop_and_resize(images.astype(dtype), boxes, of, size, method, extrapolation_value=7))
            for dtype in (np.uint8, np.int32, np.float32, np.float64)
        ]
        for other in found[1:]:
            np.testing.assert_allclose(found[0], other, rtol=2e-6, atol=1e-4)
        rows, columns = (_places(boxes, i, side, n) for i, side, n in ((0, 40, size[0]), (1, 70, size[1])))
        np.testing.assert_allclose(found[0], _cropped(images, of, rows, columns, method), rtol=1e-4, atol=0.05)


def _places(boxes, axis, side, steps):
    """[boxes, steps] positions in pixels"""
    begin, end = boxes[:, axis, None].astype(np.float32), boxes[:, axis + 2, None].astype(np.float32)
    scale = (end - begin) * np.float32(side - 1) / np.float32(steps - 1)
    return begin * np.float32(side - 1) + np.arange(steps, dtype=np.float32) * scale


def _cropped(images, of, rows, columns, method):
    out = np.full((len(of), rows.shape[1], columns.shape[1], images.shape[3]), 7.0)
    for b, i, j in np.ndindex(out.shape[:3]):
        y, x, image = float(rows[b, i]), float(columns[b, j]), images[of[b]].astype(float)
        if not (0 <= y <= image.shape[0] - 1 and 0 <= x <= image.shape[1] - 1):
            continue
        if method == "nearest":
            out[b, i, j] = image[int(y + 0.5), int(x + 0.5)]
            continue
        top, left, bottom, right = int(y), int(x), int(np.ceil(y)), int(np.ceil(x))
        above = image[top, left] + (image[top, right] - image[top, left]) * (x - left)
        below = image[bottom, left] + (image[bottom, right] - image[bottom, left]) * (x - left)
        out[b, i, j] = above + (below - above) * (y - top)
    return out


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize(("dtype", "bound"), [(np.float16, 2e-3), (np.float32, 3e-6), (np.float64, 1e-6)])
@pytest.mark.parametrize("depth", [1, 64, 100, 150])
def test_gradient_of_deep_images(depth, dtype, bound, method):
    """Threads have some of the channels."""
    rng = np.random.default_rng(2)
    boxes = rng.uniform(-0.1, 1.1, (7, 4)).astype(np.float32)
    image_of, shape = rng.integers(0, 2, 7), [2, 9, 8, depth]
    grads = rng.standard_normal((7, 6, 5, depth)).astype(np.float32)
    attrs = {"image_size": shape, "method": method, "T": dtype}
    found = run(tf.raw_ops.CropAndResizeGradImage(grads=grads, boxes=boxes, box_ind=image_of.astype(np.int32), **attrs))
    expected = records._image_grad(grads, boxes, image_of, **attrs)
    scale = records._image_grad_scale(grads, boxes, image_of, **attrs)
    assert found.dtype == dtype
    np.testing.assert_array_less(np.abs(found - expected), bound * scale + 1e-6)
