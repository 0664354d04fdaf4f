"""Sparse gradients of segments; records test the values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


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
