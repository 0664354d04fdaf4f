"""Repeating elements, positions of flat indices, patches of images."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


@given(st.data())
def test_repeat(data):
    x = np.arange(12).reshape(data.draw(st.sampled_from([(12,), (3, 4), (2, 3, 2)])))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    length = x.size if axis is None else x.shape[axis]
    times = data.draw(st.integers(0, 3) | st.lists(st.integers(0, 3), min_size=length, max_size=length))
    want = np.repeat(x, times, axis)
    np.testing.assert_array_equal(run(lambda: tf.repeat(x, times, axis)), want)
    unknown = run(lambda: tf.repeat(tf.placeholder_with_default(x, None), np.int64(times), axis))
    np.testing.assert_array_equal(unknown, want)


def test_repetitions():
    assert run(lambda: tf.repeat(["a", "b", "c"], [3, 0, 2])).tolist() == [b"a"] * 3 + [b"c"] * 2
    assert run(lambda: tf.repeat(3, 4)).tolist() == [3] * 4
    x = tf.constant([1.0, 2.0])
    with tf.Session() as sess:
        assert sess.run(tf.convert_to_tensor(tf.gradients(tf.repeat(x, [3, 1]), x)[0])).tolist() == [3, 1]
    with pytest.raises(ValueError, match="not compatible"):
        tf.repeat([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="rank"):
        tf.repeat([1, 2], [[1, 2]])


@given(st.data(), st.sampled_from([np.int32, np.int64]))
def test_unravel_index(data, kind):
    dims = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    indices = data.draw(st.lists(st.integers(0, int(np.prod(dims)) - 1), min_size=1, max_size=4))
    got = run(lambda: tf.unravel_index(kind(indices), kind(dims)))
    np.testing.assert_array_equal(got, np.unravel_index(indices, dims))
    assert got.dtype == kind
    np.testing.assert_array_equal(run(lambda: tf.unravel_index(kind(indices[0]), kind(dims))), got[:, 0])


@pytest.mark.parametrize("index", [9, -1])
def test_indices_out_of_bounds(index):
    with pytest.raises(tf.errors.InvalidArgumentError, match="index is out of bound as with dims"):
        run(lambda: tf.unravel_index([index], [3, 3]))


def patches(images, size, strides, rates, padding):
    """The patches, by loops."""
    spans = [(s - 1) * r + 1 for s, r in zip(size, rates)]
    lengths = images.shape[1:3]
    if padding == "SAME":
        counts = [-(-n // s) for n, s in zip(lengths, strides)]
        missing = [max((c - 1) * s + k - n, 0) for c, s, k, n in zip(counts, strides, spans, lengths)]
        images = np.pad(images, [(0, 0), *[(m // 2, m - m // 2) for m in missing], (0, 0)])
    else:
        counts = [max(-(-(n - k + 1) // s), 0) for n, s, k in zip(lengths, strides, spans)]
    out = np.zeros([len(images), *counts, size[0] * size[1] * images.shape[3]])
    for y in range(counts[0]):
        for x in range(counts[1]):
            top, left = y * strides[0], x * strides[1]
            window = images[:, top : top + spans[0] : rates[0], left : left + spans[1] : rates[1]]
            out[:, y, x] = window.reshape(len(images), -1)
    return out


@given(st.data(), st.sampled_from(["SAME", "VALID"]))
def test_extract_image_patches(data, padding):
    pair = st.tuples(st.integers(1, 3), st.integers(1, 3))
    size, strides, rates = data.draw(pair), data.draw(pair), data.draw(pair)
    shape = data.draw(st.tuples(st.integers(1, 2), st.integers(7, 9), st.integers(7, 9), st.integers(1, 2)))
    images = np.random.RandomState(0).randn(*shape)
    with tf.Graph().as_default(), tf.Session() as sess:
        around = [[1, *pair_, 1] for pair_ in (size, strides, rates)]
        known = tf.extract_image_patches(images, *around, padding)
        unknown = tf.extract_image_patches(tf.placeholder_with_default(images, [None] * 4), *around, padding)
        got, other = sess.run([known, unknown])
    want = patches(images, size, strides, rates, padding)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(other, want)
    assert known.shape == want.shape


def test_wrong_patches():
    images, one = np.ones([1, 4, 4, 1]), [1, 1, 1, 1]
    with pytest.raises(ValueError, match="Only support ksizes across space"):
        tf.extract_image_patches(images, [2, 2, 2, 1], one, one, "SAME")
    with pytest.raises(ValueError, match="4 values"):
        tf.extract_image_patches(images, [2, 2], one, one, "SAME")
    with pytest.raises(ValueError, match="padding must be"):
        tf.extract_image_patches(images, one, one, one, "OTHER")
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.extract_image_patches(images, one, one, one, "SAME", sizes=one)


def volume_patches(x, size, steps, padding):
    pads = [(0, 0)]
    for n, k, s in zip(x.shape[1:4], size, steps):
        missing = max(0, (-(-n // s) - 1) * s + k - n) if padding == "SAME" else 0
        pads.append((missing // 2, missing - missing // 2))
    x = np.pad(x, [*pads, (0, 0)])
    windows = np.lib.stride_tricks.sliding_window_view(x, size, (1, 2, 3))
    windows = windows[:, :: steps[0], :: steps[1], :: steps[2]]
    return np.moveaxis(windows, 4, -1).reshape(*windows.shape[:4], -1)


@given(st.data(), st.sampled_from(["SAME", "VALID"]))
def test_extract_volume_patches(data, padding):
    three = st.tuples(*[st.integers(1, 3)] * 3)
    size, steps = data.draw(three), data.draw(three)
    shape = data.draw(st.tuples(st.integers(1, 2), *[st.integers(3, 6)] * 3, st.integers(1, 2)))
    volumes = np.random.RandomState(0).randn(*shape)
    with tf.Graph().as_default(), tf.Session() as sess:
        around = [[1, *v, 1] for v in (size, steps)]
        known = tf.extract_volume_patches(volumes, *around, padding)
        unknown = tf.extract_volume_patches(tf.placeholder_with_default(volumes, [None] * 5), *around, padding)
        got, other = sess.run([known, unknown])
    want = volume_patches(volumes, size, steps, padding)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(other, want)
    assert known.shape == want.shape


def test_wrong_volume_patches():
    volumes, one = np.ones([1, 4, 4, 4, 1]), [1] * 5
    for ksizes, strides, padding, error, text in [
        ([2, 2, 2, 2, 1], one, "SAME", ValueError, "Only support ksizes across space"),
        (one, [1, 1, 1, 1, 2], "SAME", ValueError, "Only support strides across space"),
        ([1] * 4, one, "SAME", ValueError, "passed list of length 4 less than minimum 5"),
        (one, [1] * 6, "SAME", ValueError, "requires the strides attribute to contain 5 values, but got: 6"),
        (2, one, "SAME", TypeError, "Expected list for 'ksizes' argument"),
        (one, [1, 0, 1, 1, 1], "SAME", ValueError, "Stride must be > 0, but got 0"),
        (one, one, "OTHER", ValueError, "padding must be"),
    ]:
        with pytest.raises(error, match=text):
            tf.extract_volume_patches(volumes, ksizes, strides, padding)
    with pytest.raises(ValueError, match="Shape must be rank 5 but is rank 4"):
        tf.extract_volume_patches(volumes[0], one, one, "SAME")
    with pytest.raises(TypeError, match="has DataType complex64 not in list of allowed values"):
        tf.extract_volume_patches(volumes.astype(np.complex64), one, one, "SAME")
