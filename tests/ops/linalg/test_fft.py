"""Fourier transforms of lengths that records do not draw: all radices, large primes, many lines."""

import numpy as np
import pytest

import tfcore as tf

R = np.random.default_rng(1)
LENGTHS = [*range(1, 34), 37, 64, 100, 169, 243, 400, 625, 1000, 1021, 1024, 3 * 5 * 7 * 11, 31**2, 4099, 2**14]
LINES = [1, 3, 16, 40]  # a task has up to 16


def complex_values(shape, dtype):
    return (R.standard_normal(shape) + 1j * R.standard_normal(shape)).astype(dtype)


def assert_near(found, wanted, dtype):
    """As good as the best libraries: the error grows with the logarithm of the length."""
    assert found.dtype == dtype and found.shape == wanted.shape
    size = np.sqrt((np.abs(wanted) ** 2).mean())
    assert np.abs(found - wanted).max() <= 60 * np.finfo(dtype).eps * size


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_lengths(dtype):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.as_dtype(dtype))
        both = tf.fft(x), tf.ifft(x)
        for n in LENGTHS:
            for lines in LINES if n < 2000 else [2]:
                value = complex_values((lines, n), dtype)
                forward, backward = sess.run(both, {x: value})
                wide = value.astype(np.complex128)
                assert_near(forward, np.fft.fft(wide), dtype)
                assert_near(backward, np.fft.ifft(wide), dtype)


@pytest.mark.parametrize("shape", [(3, 20, 24), (1, 128, 33), (40, 37, 16)])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_dimensions(shape, dtype):
    value = complex_values(shape, dtype)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(value)
        results = sess.run([tf.fft2d(x), tf.ifft2d(x), tf.fft3d(x), tf.ifft3d(x)])
    wide = value.astype(np.complex128)
    wanted = [np.fft.fft2(wide), np.fft.ifft2(wide), np.fft.fftn(wide), np.fft.ifftn(wide)]
    for found, expected in zip(results, wanted, strict=True):
        assert_near(found, expected, dtype)


def test_a_wave_has_one_frequency():
    """Roots are exact at quarters of a turn, so that a wave with four steps leaves nothing elsewhere."""
    with tf.Graph().as_default(), tf.Session() as sess:
        spectrum = sess.run(tf.fft(np.complex64([1, 1j, -1, -1j] * 4)))
    assert spectrum.tolist() == [0] * 4 + [16] + [0] * 11
