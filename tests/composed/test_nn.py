"""Losses of batches, space to batch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def test_compute_average_loss():
    assert run(lambda: tf.nn.compute_average_loss([1.0, 2.0, 3.0])) == 2
    assert run(lambda: tf.nn.compute_average_loss([1.0, 2.0, 3.0], [1.0, 0.0, 2.0], 7)) == 1
    assert run(lambda: tf.nn.compute_average_loss(np.ones([2, 3], np.float32), [1, 3])) == 6
    assert run(lambda: tf.nn.compute_average_loss(tf.zeros([0]))) == 0
    assert run(lambda: tf.nn.scale_regularization_loss([1.0, 2.0])) == 3
    with pytest.raises(TypeError, match="global_batch_size must be an integer"):
        tf.nn.compute_average_loss([1.0], global_batch_size=2.0)
    with pytest.raises(ValueError, match="global_batch_size must be scalar"):
        tf.nn.compute_average_loss([1.0], global_batch_size=[2])


@given(st.data(), st.sampled_from(["SAME", "VALID"]), st.booleans())
def test_space_to_batch_is_dilation(data, padding, known):
    rates = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    rng = np.random.RandomState(0)
    images, window = rng.randn(2, 9, 8, 2), rng.randn(2, 3, 2, 4)

    def build():
        x = tf.constant(images) if known else tf.placeholder_with_default(images, [None, None, None, 2])
        calls = []

        def convolve(x, dimensions, how):
            calls.append((dimensions, how))
            return tf.nn.convolution(x, window, padding=how)

        y = tf.nn.with_space_to_batch(x, rates, padding, convolve, filter_shape=[2, 3])
        assert calls == [(2, padding if rates == (1, 1) else "VALID")]
        return y, tf.nn.convolution(x, window, padding=padding, dilation_rate=rates)

    got, want = run(build)
    np.testing.assert_allclose(got, want, atol=1e-10)


def test_space_to_batch_of_other_dimensions():
    images, window = np.random.RandomState(0).randn(2, 3, 9), np.random.RandomState(1).randn(3, 3, 4)

    def rows(x, dimensions, how):
        return tf.transpose(tf.nn.convolution(tf.transpose(x, [0, 2, 1]), window, padding=how), [0, 2, 1])

    got, want = run(
        lambda: (
            tf.nn.with_space_to_batch(tf.constant(images), [2], "VALID", rows, data_format="NCW"),
            tf.nn.convolution(images.transpose(0, 2, 1), window, "VALID", dilation_rate=[2]),
        )
    )
    np.testing.assert_allclose(got, want.transpose(0, 2, 1), atol=1e-10)


def test_wrong_arguments_for_space_to_batch():
    images = np.ones([1, 4, 4, 1])
    with pytest.raises(ValueError, match="`filter_shape` must be specified"):
        tf.nn.with_space_to_batch(images, [2, 2], "SAME", None)
    with pytest.raises(ValueError, match="`dilation_rate` must be positive"):
        tf.nn.with_space_to_batch(images, [2, 0], "SAME", None)
    with pytest.raises(ValueError, match="monotonically increasing"):
        tf.nn.with_space_to_batch(images, [2, 2], "VALID", None, spatial_dims=[1, 1])
    with pytest.raises(ValueError, match="Invalid padding method 'other'"):
        tf.nn.with_space_to_batch(images, [2, 2], "other", None)
