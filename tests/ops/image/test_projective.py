"""Projected images: gradients, positions that are not finite, errors; the records test the values."""

import numpy as np
import pytest

import tfcore as tf

STILL = [1, 0, 0, 0, 1, 0, 0, 0]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def projected(images, transforms, size, fill_value=0.0, interpolation="NEAREST", fill_mode="CONSTANT"):
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=images,
        transforms=transforms,
        output_shape=size,
        fill_value=fill_value,
        interpolation=interpolation,
        fill_mode=fill_mode,
    )


@pytest.mark.parametrize("version", ["V2", "V3"])
def test_gradients_go_through_the_inverse(version):
    images = tf.placeholder(tf.float32, [2, 4, 5, 3])
    transforms = np.array([[1, 0, 2, 0, 1, -1, 0, 0], [2, 0, 0, 0, 2, 0, 0, 0]], np.float32)
    if version == "V2":
        result = tf.raw_ops.ImageProjectiveTransformV2(
            images=images, transforms=transforms, output_shape=[3, 4], interpolation="NEAREST"
        )
    else:
        result = projected(images, transforms, [3, 4], 9.0)
    weights = np.random.default_rng(1).standard_normal((2, 3, 4, 3)).astype(np.float32)
    (found,) = tf.gradients(result, images, weights)
    assert found.shape == (2, 4, 5, 3)
    found = run(found, {images: np.zeros((2, 4, 5, 3))})
    expected = np.zeros((2, 4, 5, 3), np.float32)
    expected[0, :2, 2:] = weights[0, 1:, :3]  # a move: where each pixel came from
    for y in range(4):
        for x in range(5):  # the inverse of a reduction is an enlargement: halves round away from 0
            expected[1, y, x] = weights[1, (y + 1) // 2, (x + 1) // 2]
    np.testing.assert_array_equal(found, expected)


def test_the_number_of_threads_does_not_matter():
    rng = np.random.default_rng(2)
    images = rng.standard_normal((3, 40, 50, 3)).astype(np.float32)
    result = projected(images, rng.standard_normal((3, 8)).astype(np.float32), [60, 70], 1.0, "BILINEAR", "WRAP")
    values = []
    for threads in (1, 4):
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as session:
            values.append(session.run(result))
    np.testing.assert_array_equal(*values)


@pytest.mark.parametrize("fill_mode", ["REFLECT", "WRAP", "CONSTANT", "NEAREST"])
def test_positions_that_are_not_finite_stay_in_memory(fill_mode):
    image = np.arange(1, 6, dtype=np.float32).reshape(1, 1, 5, 1)
    for number in (np.nan, np.inf, -np.inf, 1e30, -1e30, 3e38):
        for type_ in (np.float32, np.uint8, np.int64):
            for interpolation in ("NEAREST", "BILINEAR"):
                transform = [[number, 0, 0, 0, 1, 0, 0, 0]]
                found = run(projected(image.astype(type_), transform, [1, 3], 9.0, interpolation, fill_mode))
                if interpolation == "NEAREST":
                    assert set(found.ravel()) <= {1, 5, 9}
    no_pixels = run(projected(np.zeros((1, 0, 3, 1), np.float32), [STILL], [1, 2], 4.0, "BILINEAR", fill_mode))
    assert (no_pixels == 4).all() and no_pixels.shape == (1, 1, 2, 1)


def test_fill_values_are_cast():
    at_infinity = [[1, 0, 0, 0, 1, 0, -1, 0]]  # but for the first pixel
    for type_, value, expected in ((np.uint8, -3.5, 253), (np.uint8, 300.7, 44), (np.int32, 3e10, -(2**31))):
        found = run(projected(np.ones((1, 1, 2, 1), type_), at_infinity, [1, 2], value))
        assert found.ravel().tolist() == [1, expected]


def test_shapes():
    images = tf.placeholder(tf.uint8, [None, 4, 5, 3])
    assert projected(images, tf.zeros([7, 8]), [2, 3]).shape.as_list() == [7, 2, 3, 3]
    assert projected(images, tf.zeros([1, 8]), tf.placeholder(tf.int32)).shape.as_list() == [None, None, None, 3]
    with pytest.raises(ValueError, match="must be equal, but are 9 and 8"):
        projected(images, tf.zeros([1, 9]), [2, 3])
    with pytest.raises(TypeError, match="bool"):
        projected(tf.zeros([1, 2, 2, 1], tf.bool), [STILL], [2, 3])


def test_errors():
    images, transforms, size, value = (tf.placeholder(t) for t in (tf.float32, tf.float32, tf.int32, tf.float32))
    result = projected(images, transforms, size, value)
    good = {images: np.zeros((2, 3, 3, 1)), transforms: [STILL], size: [2, 2], value: 0}
    assert run(result, good).shape == (2, 2, 2, 1)
    for change, text in [
        ({images: np.zeros((3, 3, 1))}, r"Input images must have rank 4, got \[3,3,1\]"),
        ({transforms: [STILL] * 3}, r"num_images x 8 or 1 x 8, got \[3,8\] for images of shape \[2,3,3,1\]"),
        ({transforms: STILL}, r"num_images x 8 or 1 x 8, got \[8\]"),
        ({transforms: np.zeros((1, 7))}, r"num_images x 8 or 1 x 8, got \[1,7\]"),
        ({size: [[2, 2]]}, r"output shape must be 1-dimensional\[1,2\]"),
        ({size: [2]}, r"output shape must have two elements\[1\]"),
        ({size: [0, 2]}, "output dimensions must be positive, got 0 and 2"),
        ({size: [2, -1]}, "output dimensions must be positive, got 2 and -1"),
        ({value: [0.0]}, r"fill_value must be a scalar\[1\]"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(result, {**good, **change})
    for attrs, text in [
        ({"interpolation": "CUBIC"}, "interpolation CUBIC"),
        ({"fill_mode": "MIRROR"}, "fill_mode MIR"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"Invalid {text}"):
            run(projected(np.zeros((1, 2, 2, 1), np.float32), [STILL], [2, 2], **attrs))
