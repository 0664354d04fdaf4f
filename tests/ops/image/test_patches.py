"""Patches: wrappers, errors, gradients of unknown shapes; `tests/records/image/patches.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.image.patches import patches

ONE, ONES = [1] * 4, [1] * 5


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def test_wrappers():
    x = np.random.default_rng(1).normal(size=(2, 7, 8, 3))
    attrs = {"strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1], "padding": "SAME"}
    found = [
        tf.extract_image_patches(x, [1, 2, 3, 1], **attrs),
        tf.image.extract_image_patches(x, sizes=[1, 2, 3, 1], **attrs),
        tf.image.extract_patches(x, [1, 2, 3, 1], **attrs),
    ]
    want = patches(x, [1, 2, 3, 1], **attrs | {"padding": b"SAME"})
    assert all((y == want).all() for y in run(found)) and {y.op.type for y in found} == {"ExtractImagePatches"}
    volumes = tf.extract_volume_patches(x[None], [1, 2, 2, 2, 1], ONES, "VALID")
    assert volumes.shape == (1, 1, 6, 7, 24) and volumes.op.type == "ExtractVolumePatches"


def test_gradients_of_unknown_shapes():
    x = np.random.default_rng(1).normal(size=(2, 5, 6, 2))
    images = tf.placeholder(tf.float64)
    seen = tf.extract_image_patches(images, [1, 2, 2, 1], [1, 3, 1, 1], ONE, "VALID")
    (found,) = tf.gradients(tf.reduce_sum(seen), images)
    # Windows begin in rows 0 and 3: all rows but row 2 are seen, inner columns twice.
    rows, columns = np.array([1, 1, 0, 1, 1]), np.array([1, 2, 2, 2, 2, 1])
    want = np.broadcast_to(np.outer(rows, columns)[None, :, :, None], x.shape)
    assert (run(found, {images: x}) == want).all()
    empty = run(found, {images: x[:0]})
    assert empty.shape == (0, 5, 6, 2)


@pytest.mark.parametrize(
    ("ksizes", "strides", "rates", "padding", "text"),
    [
        ([2, 2], ONE, ONE, "SAME", "less than minimum 4"),
        ([1] * 5, ONE, ONE, "SAME", "requires the ksizes attribute to contain 4 values, but got: 5"),
        ([1, -1, 1, 1], ONE, ONE, "SAME", "Negative dimension size caused by overflow"),
        ([1, 9, 1, 1], ONE, ONE, "VALID", "Negative dimension size caused by subtracting 9 from 4"),
        ([1, 1 << 31, 1, 1], ONE, ONE, "SAME", "Attr ksizes has value 2147483648 out of range for an int32"),
        (ONE, [1, 0, 1, 1], ONE, "SAME", "Stride must be > 0, but got 0"),
        (ONE, ONE, ONE, "OTHER", "not in the list of allowed values"),
    ],
)
def test_wrong_attributes(ksizes, strides, rates, padding, text):
    with pytest.raises(ValueError, match=text):
        tf.extract_image_patches(np.ones([1, 4, 4, 1]), ksizes, strides, rates, padding)


def test_errors_of_runs():
    images = np.ones([1, 4, 4, 1])
    for ksizes, strides, rates, error, text in (
        ([2, 2, 2, 1], ONE, ONE, tf.errors.UnimplementedError, "Only support ksizes across space"),
        (ONE, [1, 1, 1, 2], ONE, tf.errors.UnimplementedError, "Only support strides across space"),
        ([1, 0, 1, 1], ONE, ONE, tf.errors.OutOfRangeError, "ksizes is out of range: 0"),
        (ONE, ONE, [1, 1, 0, 1], tf.errors.OutOfRangeError, "rates is out of range: 0"),
    ):
        with pytest.raises(error, match=text):
            run(tf.extract_image_patches(images, ksizes, strides, rates, "SAME"))
    unknown = tf.placeholder_with_default(images, None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Computed output size would be negative: -4 .*: 4, .*: 9"):
        run(tf.extract_image_patches(unknown, [1, 9, 1, 1], ONE, ONE, "VALID"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="input must be 5-dimensional"):
        run(tf.extract_volume_patches(unknown, ONES, ONES, "SAME"))
    # Windows that reach far beyond the image see zeros there.
    far = tf.extract_image_patches(images, [1, 2, 2, 1], ONE, [1, (1 << 31) - 1, (1 << 31) - 1, 1], "SAME")
    assert not run(far).any()


def test_both_names_of_sizes():
    with pytest.raises(ValueError, match="Cannot specify both 'sizes' and 'ksizes'"):
        tf.extract_image_patches(np.ones([1, 4, 4, 1]), ONE, ONE, ONE, "SAME", sizes=ONE)
