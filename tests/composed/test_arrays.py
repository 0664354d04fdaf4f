"""Repeating elements, positions of flat indices."""

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
