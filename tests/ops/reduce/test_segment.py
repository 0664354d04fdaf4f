"""Sparse gradients of segments; records test the values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels


@given(st.data(), st.sampled_from(["sum", "mean", "sqrt_n"]), st.booleans())
def test_a_sparse_gradient_has_the_rows_that_were_used(data, kind, counted):
    indices = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=6))
    ids = sorted(data.draw(st.lists(st.integers(0, 3), min_size=len(indices), max_size=len(indices))))
    function = getattr(tf, f"sparse_segment_{kind}")
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(np.arange(10.0).reshape(5, 2))
        number = 4 if counted else None

        def gradient(sparse):
            y = function(x, indices, ids, num_segments=number, sparse_gradient=sparse)
            return tf.gradients(y * tf.cumsum(tf.ones_like(y)), x)[0]

        slices, dense = sess.run([gradient(True), gradient(False)])
    assert isinstance(slices, tf.IndexedSlicesValue)
    assert sorted(slices.indices) == sorted(set(indices)) and slices.dense_shape.tolist() == [5, 2]
    found = np.zeros([5, 2])
    np.add.at(found, slices.indices, slices.values)
    np.testing.assert_allclose(found, dense)


def test_a_dense_gradient_is_the_default():
    x = tf.zeros([3, 2])
    assert isinstance(tf.gradients(tf.sparse_segment_sum(x, [0], [0]), x)[0], tf.Tensor)
    with pytest.raises(TypeError):
        tf.sparse_segment_sum(x, [0], [0], sparse_gradient="yes")


def test_wide_rows_are_summed_in_their_order_at_every_level():
    random = np.random.default_rng(1)
    for width in (1, 3, 16, 31, 64, 131, 1030):
        ids = random.integers(0, 9, 60)
        ids[ids == 4] = 5  # a segment without rows
        x = random.standard_normal((60, width)).astype(np.float32)
        lists = [x[ids == s] for s in range(9)]
        sums = np.stack([sum(rows, np.zeros(width, np.float32)) for rows in lists])  # one row after the other
        largest = np.stack([rows.max(0, initial=np.finfo(np.float32).min) for rows in lists])
        for level in cpu_levels():
            with cpu_level(level), tf.Graph().as_default(), tf.Session() as sess:
                values = sess.run([tf.unsorted_segment_sum(x, ids, 9), tf.unsorted_segment_max(x, ids, 9)])
            np.testing.assert_array_equal(values[0], sums)
            np.testing.assert_array_equal(values[1], largest)
