"""Resizes: what TensorFlow 2.21 computes, shapes, errors; `tests/records/image/resize.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf

ROW = np.array([10, 20, 40, 80], np.float32).reshape(1, 1, 4, 1)
# By TensorFlow 2.21: ROW with 7 pixels, by op and the attribute that is set.
TENSORFLOW = {
    ("ResizeBilinear", None): [10, 15.714286, 22.857143, 34.285717, 51.428574, 74.285721, 80],
    ("ResizeBilinear", "align_corners"): [10, 15, 20, 30, 40, 60, 80],
    ("ResizeBilinear", "half_pixel_centers"): [10, 13.571429, 19.285715, 30, 42.857151, 65.714294, 80],
    ("ResizeBicubic", None): [10, 13.701406, 22.677858, 30.77808, 52.758842, 75.43222, 84.197571],
    ("ResizeBicubic", "align_corners"): [10, 13.125, 20, 27.1875, 40, 61.875, 80],
    ("ResizeBicubic", "half_pixel_centers"): [9.2078362, 12.259157, 18.93499, 28.125, 42.419773, 68.66993, 83.168655],
    ("ResizeArea", None): [10, 12.500001, 20, 30, 40, 70.000031, 79.999954],
    ("ResizeNearestNeighbor", None): [10, 10, 20, 20, 40, 40, 80],
    ("ResizeNearestNeighbor", "align_corners"): [10, 20, 20, 40, 40, 80, 80],
    ("ResizeNearestNeighbor", "half_pixel_centers"): [10, 10, 20, 40, 40, 80, 80],
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


@pytest.mark.parametrize("op, attr", TENSORFLOW)
def test_as_tensorflow(op, attr):
    found = run(getattr(tf.raw_ops, op)(images=ROW, size=[1, 7], **({attr: True} if attr else {})))
    np.testing.assert_allclose(found[0, 0, :, 0], TENSORFLOW[op, attr], rtol=1e-6)


def test_static_shapes():
    image = tf.placeholder(tf.uint8, [2, None, None, 3])
    assert tf.image.resize_bilinear(image, [4, 5]).shape.as_list() == [2, 4, 5, 3]
    assert tf.image.resize_area(image, tf.placeholder(tf.int32, [2])).shape.as_list() == [2, None, None, 3]
    assert tf.image.resize_nearest_neighbor(image, [4, 5]).dtype == tf.uint8


def test_wrong_shapes_are_refused_when_the_graph_is_built():
    with pytest.raises(ValueError, match="Shape must be rank 4 but is rank 3"):
        tf.image.resize_bicubic(np.zeros((2, 2, 3)), [4, 5])
    with pytest.raises(ValueError, match="Dimension must be 2 but is 3"):
        tf.image.resize_bicubic(np.zeros((1, 2, 2, 3)), [4, 5, 6])


@pytest.mark.parametrize("op", ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeArea"])
def test_wrong_values_are_refused_in_a_run(op):
    image, size = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    result = getattr(tf.raw_ops, op)(images=image, size=size)
    for dims, sizes, text in [
        ((1, 2, 2), [3, 3], r"input must be 4-dimensional\[1,2,2\]"),
        ((1, 2, 2, 0), [3, 3], "image must have at least one channel"),
        ((1, 0, 2, 1), [3, 3], "input image must be of non-zero size"),
        ((1, 2, 2, 1), [3, 0], "output dimensions must be positive"),
        ((1, 2, 2, 1), [3, -1], "output dimensions must be positive"),
        ((1, 2, 2, 1), [3], r"shape_t must have two elements\[1\]"),
        ((1, 2, 2, 1), 3, r"shape_t must be 1-dimensional\[\]"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(result, {image: np.zeros(dims), size: sizes})


def test_gradients_check_the_shapes():
    grads, image = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    result = tf.raw_ops.ResizeBilinearGrad(grads=grads, original_image=image)
    for g, x, text in [
        ((1, 2, 2), (1, 2, 2, 1), "input_grad must be 4-dimensional"),
        ((1, 2, 0, 1), (1, 2, 2, 1), "resized dimensions must be positive"),
        ((1, 2, 2, 1), (1, 0, 2, 1), "original dimensions must be positive"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(result, {grads: np.zeros(g), image: np.zeros(x)})


def test_two_kinds_of_positions_exclude_each_other():
    with pytest.raises(tf.errors.InvalidArgumentError, match="If half_pixel_centers is True"):
        run(tf.raw_ops.ResizeBilinear(images=ROW, size=[1, 7], align_corners=True, half_pixel_centers=True))


def test_large_images_have_the_values_of_their_parts():
    """Rows are mixed before or after they are resized, on several threads: the order does not show."""
    rng = np.random.default_rng(1)
    image = rng.integers(0, 255, (2, 90, 70, 3), np.uint8, endpoint=True)
    for size in ([30, 200], [200, 30], [131, 140]):
        one, all_of_them = tf.image.resize_bicubic(image[1:], size), tf.image.resize_bicubic(image, size)
        first, second = run([one, all_of_them])
        assert (first[0] == second[1]).all()
        gray = run([tf.image.resize_bilinear(image[..., k : k + 1], size) for k in range(3)])
        color = run(tf.image.resize_bilinear(image, size))
        np.testing.assert_allclose(np.concatenate(gray, 3), color, atol=1e-4)
