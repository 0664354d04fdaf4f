"""Complex numbers: gradients of their parts."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _numeric(session, loss, feeds, x, i, step=1e-5):
    values = []
    for sign in (1, -1):
        moved = feeds[x].copy()
        moved[i] += sign * step
        values.append(session.run(loss, {**feeds, x: moved}))
    return (values[0] - values[1]) / (2 * step)


def test_complex_gradients():
    """Losses through each part of complex numbers, by the real and imaginary parts they are made of."""
    rng = np.random.default_rng(3)
    re, im = tf.placeholder(tf.float64, [4]), tf.placeholder(tf.float64, [4])
    z = tf.complex(re, im)
    w = tf.constant(rng.normal(size=4) + 1j * rng.normal(size=4))
    losses = [
        tf.reduce_sum(tf.real(z * w) ** 2),
        tf.reduce_sum(tf.imag(z * w) ** 2),
        tf.reduce_sum(tf.abs(z * z * w)),
        tf.reduce_sum(tf.angle(z) ** 2),
        tf.reduce_sum(tf.real(tf.conj(z) * z * w) + tf.imag(tf.conj(z) * w)),
        tf.reduce_sum(tf.real(tf.exp(z) / w) + tf.imag(tf.sqrt(z) * tf.log(z))),
        tf.reduce_sum(tf.abs(tf.tanh(z) + tf.sigmoid(z))),
        tf.reduce_sum(tf.real(tf.pow(z, w)) + tf.imag(tf.reciprocal(z) + tf.rsqrt(z))),
    ]
    feeds = {re: rng.uniform(0.5, 1.5, 4), im: rng.uniform(0.2, 1, 4)}
    with tf.Session() as session:
        for loss in losses:
            for x, grad in zip((re, im), tf.gradients(loss, [re, im])):
                got = session.run(grad, feeds)
                expected = [_numeric(session, loss, feeds, x, i) for i in range(4)]
                np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-8)


def test_complex_broadcasts_in_gradients():
    re, im = tf.placeholder(tf.float32, [3, 1]), tf.placeholder(tf.float32, [2])
    grads = tf.gradients(tf.real(tf.complex(re, im)) + tf.imag(tf.complex(re, im)), [re, im])
    with tf.Session() as session:
        got = session.run(grads, {re: np.zeros((3, 1)), im: np.zeros(2)})
    assert got[0].tolist() == [[2], [2], [2]] and got[1].tolist() == [3, 3]


def test_parts_of_real_tensors():
    x = tf.constant([1.0, -2.0])
    assert tf.real(x) is x and tf.conj(x) is x
    with tf.Session() as session:
        assert session.run(tf.imag(x)).tolist() == [0, 0]
    with pytest.raises(TypeError, match="real and imag have incorrect types"):
        tf.complex(tf.constant(1.0), tf.constant(1.0, tf.float64))
