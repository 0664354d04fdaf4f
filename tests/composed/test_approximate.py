"""tf.approx_top_k and its two special cases, beside a stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


@given(st.data(), st.booleans(), st.sampled_from([np.float32, np.float16]))
def test_values_and_indices(data, greatest, dtype):
    shape = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    k = data.draw(st.integers(0, shape[axis]))
    x = np.random.default_rng(k).integers(-3, 3, shape).astype(dtype)
    order = np.argsort(-x if greatest else x, axis=axis, kind="stable").take(range(k), axis=axis)
    with tf.Graph().as_default(), tf.Session() as sess:
        results = [
            tf.approx_top_k(x, k, axis, is_max_k=greatest),
            (tf.nn.approx_max_k if greatest else tf.nn.approx_min_k)(x, k, axis, aggregate_to_topk=False),
        ]
        assert results[0].values.shape == order.shape
        for values, indices in sess.run(results):
            assert indices.dtype == np.int32
            np.testing.assert_array_equal(indices, order)
            np.testing.assert_array_equal(values, np.take_along_axis(x, order, axis))


def test_gradient():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([[3.0, 1, 2], [9, 7, 8]])
        grad = tf.gradients(tf.math.approx_min_k(x, 1, 0)[0] * [[1.0, 2, 3]], x)[0]
        np.testing.assert_array_equal(sess.run(grad), [[1, 2, 3], [0, 0, 0]])


X = np.ones((2, 3), np.float32)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: tf.approx_top_k(X, 4), ValueError, "input must have last dimension >= k = 4 but was 3"),
        (lambda: tf.approx_top_k(X, -1), ValueError, "Attr 'k' of 'ApproxTopK' Op passed -1 less than minimum 0."),
        (lambda: tf.approx_top_k(X, 1, 2), ValueError, "Invalid reduction dimension: 2. Must be within the range"),
        (lambda: tf.approx_top_k(X, 1, recall_target=2), ValueError, "Invalid recall target: 2. Valid value range in"),
        (lambda: tf.approx_top_k(X[0, 0], 1), ValueError, "Shape must be at least rank 1 but is rank 0"),
        (lambda: tf.approx_top_k(X.astype(np.float64), 1), TypeError, "has DataType float64 not in list of allowed"),
        (lambda: tf.approx_top_k(X, 1.5), TypeError, "float"),
        (lambda: tf.approx_top_k(tf.placeholder(tf.float32), 1), ValueError, "rank of `input` must be known"),
    ],
)
def test_refused(call, error, text):
    with tf.Graph().as_default(), pytest.raises(error, match=text):
        call()
