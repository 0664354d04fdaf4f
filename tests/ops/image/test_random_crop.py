"""RandomCrop: TensorFlow's places, and what it refuses."""

import numpy as np
import pytest

import tfcore as tf

IMAGE = np.arange(60.0).reshape(5, 4, 3)


def _crop(image, size, seed=1, seed2=2, runs=1):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.as_dtype(np.asarray(image).dtype))
        out = tf.raw_ops.RandomCrop(image=x, size=size, seed=seed, seed2=seed2)
        return [session.run(out, {x: image}) for _ in range(runs)]


# The first element of crops of TensorFlow 2.21 for the seeds s and s + 3.
@pytest.mark.parametrize("seed, first", [(0, 3), (1, 18), (2, 39), (3, 3), (4, 18), (5, 39)])
def test_places_are_tensorflows(seed, first):
    (crop,) = _crop(IMAGE, [2, 2], seed, seed + 3)
    rows, columns = divmod(first // 3, 4)
    np.testing.assert_array_equal(crop, IMAGE[rows : rows + 2, columns : columns + 2])


def test_a_side_that_is_not_cut_takes_no_random_word():
    np.testing.assert_array_equal(_crop(IMAGE, [2, 4])[0][:, 0, 0], [36, 48])
    np.testing.assert_array_equal(_crop(IMAGE, [5, 1])[0][0, :, 0], [9])
    large = np.arange(9000.0).reshape(100, 90, 1)
    np.testing.assert_array_equal(_crop(large, [2, 2], 7, 8)[0][..., 0], [[3801, 3802], [3891, 3892]])


def test_each_run_draws_another_place():
    large = np.arange(10000.0).reshape(100, 100, 1)
    assert len({crop[0, 0, 0] for crop in _crop(large, [1, 1], runs=5)}) > 1
    np.testing.assert_array_equal(_crop(IMAGE, [5, 4])[0], IMAGE)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "float32", "float64"])
def test_types(dtype):
    (crop,) = _crop(IMAGE.astype(dtype), [2, 2], 0, 3)
    assert crop.dtype == dtype and crop[0, 0, 0] == 3


@pytest.mark.parametrize("size", [[0, 4], [2, 0], [0, 0]])
def test_empty_crops(size):
    assert _crop(IMAGE, size)[0].shape == (*size, 3)


@pytest.mark.parametrize(
    "image, size, error, text",
    [
        (IMAGE, [6, 4], "FailedPrecondition", "height must be >= target_height: height = 5, target_height = 6"),
        (IMAGE, [9, 9], "FailedPrecondition", "width must be >= target_width: width = 4, target_width = 9"),
        (IMAGE, [-1, 4], "InvalidArgument", "target_height must not be negative, got -1"),
        (IMAGE[0], [2, 2], "InvalidArgument", r"input must be 3-dimensional\[4,3\]"),
    ],
)
def test_refusals(image, size, error, text):
    with pytest.raises(getattr(tf.errors, error + "Error"), match=text):
        _crop(image, size)


@pytest.mark.parametrize(
    "size, text",
    [
        ([2, 2, 2], "must have two elements"),
        ([[2, 2]], "must be 1-dimensional"),
        ([2, -(2**40)], "target_width must not be negative, got -1099511627776"),
    ],
)
def test_sizes_that_are_fed(size, text):
    where = tf.placeholder(tf.int64)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        session.run(tf.raw_ops.RandomCrop(image=IMAGE, size=where), {where: size})


def test_shapes():
    def shape(image, size):
        return tf.raw_ops.RandomCrop(image=tf.placeholder(tf.float32, image), size=size).shape.as_list()

    assert shape([5, 4, 3], [2, 3]) == [2, 3, 3] and shape(None, tf.placeholder(tf.int64)) == [None] * 3
    with pytest.raises(ValueError, match="Shape must be rank 3 but is rank 2"):
        shape([5, 4], [2, 3])
    with pytest.raises(ValueError, match="Dimension must be 2 but is 3"):
        shape([5, 4, 3], [2, 3, 3])
