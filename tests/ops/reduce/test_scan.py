"""Gradients of cumulative products where elements are zero."""

import pytest

import tfcore as tf


@pytest.mark.parametrize(
    "options, expected",
    [({}, [10, 6, 6, 0, 0]), ({"exclusive": True}, [10, 6, 6, 0, 0]), ({"reverse": True}, [0, 0, 0, 0, 1])],
)
def test_the_gradient_of_a_zero_is_zero(options, expected):
    """As in TensorFlow, where the gradient is divided by the element: NaN would spoil all weights."""
    x = tf.constant([2.0, 3.0, 2.0, 0.0, -5.0])
    (gradient,) = tf.gradients(tf.cumprod(x, **options), x)
    with tf.Session() as sess:
        assert sess.run(gradient).tolist() == expected
