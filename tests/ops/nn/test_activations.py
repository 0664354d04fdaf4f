"""Activations with parameters; records test the others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


@given(st.floats(-3, 3, width=32), st.floats(-2, 2, width=32))
def test_swish(x, beta):
    with tf.Graph().as_default(), tf.Session() as sess:
        tensor, scale = tf.constant(x, tf.float64), tf.constant(beta, tf.float64)
        y = tf.nn.swish(tensor, scale)
        value, slope, by_beta = sess.run([y, *tf.gradients(y, [tensor, scale])])
        assert sess.run(tf.nn.silu(tensor, beta=beta)) == pytest.approx(value)
        assert sess.run(tf.nn.swish(tensor)) == pytest.approx(x / (1 + np.exp(-x)))
    s = 1 / (1 + np.exp(-np.float64(beta) * x))
    assert value == pytest.approx(x * s)
    assert slope == pytest.approx(s + beta * x * s * (1 - s)) and by_beta == pytest.approx(x * x * s * (1 - s))


def test_integers_are_refused():
    with pytest.raises(TypeError, match="int32"):
        tf.nn.swish(tf.constant([1, 2]))
