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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_lengths(dtype):
    """Even lengths are half-length transforms, if these have small prime factors; the others are whole ones."""
    kind = np.result_type(dtype, np.complex64).type
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.placeholder(tf.as_dtype(dtype)), tf.placeholder(tf.as_dtype(kind))
        n = tf.placeholder(tf.int32, [1])
        forward = tf.raw_ops.RFFT(input=x, fft_length=n, Tcomplex=tf.as_dtype(kind))
        backward = tf.raw_ops.IRFFT(input=y, fft_length=n, Treal=tf.as_dtype(dtype))
        for length in [1, 2, 3, 4, 6, 37, 64, 74, 96, 243, 1000, 1022, 4098, 2**13]:
            for lines in [1, 17, 40]:
                value = R.standard_normal((lines, length + 1)).astype(dtype)  # the last is cut
                spectrum = complex_values((lines, length // 2 + 2), kind)
                found = sess.run([forward, backward], {x: value, y: spectrum, n: [length]})
                assert_near(found[0], np.fft.rfft(value.astype(np.float64), length), kind)
                assert_near(found[1], np.fft.irfft(spectrum.astype(np.complex128), length), dtype)


@pytest.mark.parametrize("shape", [(2, 3, 20, 24), (1, 18, 5, 64), (2, 37, 4, 33)])
def test_real_dimensions(shape):
    """Dimensions before the last are cut, too."""
    value = R.standard_normal(shape)
    spectrum = complex_values((*shape[:-1], shape[-1] // 2 + 1), np.complex128)
    for lengths in (shape[1:], (shape[1] - 1, shape[2] - 2, shape[3] - 1)):
        with tf.Graph().as_default(), tf.Session() as sess:
            wide = {"Tcomplex": tf.complex128}
            found = sess.run(
                [
                    tf.raw_ops.RFFT3D(input=tf.constant(value), fft_length=lengths, **wide),
                    tf.raw_ops.RFFT2D(input=tf.constant(value), fft_length=lengths[1:], **wide),
                    tf.raw_ops.IRFFT3D(input=tf.constant(spectrum), fft_length=lengths, Treal=tf.float64),
                    tf.raw_ops.IRFFT2D(input=tf.constant(spectrum), fft_length=lengths[1:], Treal=tf.float64),
                ]
            )
        axes = (1, 2, 3)
        wanted = [f(v, lengths, axes) for f, v in ((np.fft.rfftn, value), (np.fft.irfftn, spectrum))]
        pairs = [f(v, lengths[1:], axes[1:]) for f, v in ((np.fft.rfftn, value), (np.fft.irfftn, spectrum))]
        for result, expected in zip(found, [wanted[0], pairs[0], wanted[1], pairs[1]], strict=True):
            np.testing.assert_allclose(result, expected, atol=1e-11)


def test_wrong_real_lengths():
    ops = tf.raw_ops
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y, n = tf.placeholder(tf.float32), tf.placeholder(tf.complex64), tf.placeholder(tf.int32)
        for op, value, lengths, words in (
            (ops.RFFT, np.ones((2, 4)), [6], "Input dimension 1 must have length of at least 6 but got: 4"),
            (ops.RFFT, np.ones((2, 4)), [6, 2], r"fft_length must have shape \[1\]"),
            (ops.RFFT, np.ones((2, 4)), [-1], r"fft_length\[0\] must >= 0, but got: -1"),
            (ops.RFFT2D, np.ones(3), [2, 2], "Input must have rank of at least 2 but got"),
            (ops.RFFT3D, np.ones((2, 2, 2)), [2, 3, 2], "Input dimension 1 must have length of at least 3 but got: 2"),
            (ops.IRFFT, np.ones((2, 3)), [6], "Input dimension 1 must have length of at least 4 but got: 3"),
        ):
            given = y if op is ops.IRFFT else x
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                sess.run(op(input=given, fft_length=n), {given: value, n: lengths})
        empty = sess.run(ops.RFFT(input=x, fft_length=n), {x: np.ones((2, 3)), n: [0]})
        assert empty.shape == (2, 0)
        assert sess.run(ops.IRFFT(input=y, fft_length=n), {y: np.ones((2, 0)), n: [0]}).shape == (2, 0)
        zeros = sess.run(ops.RFFT(input=x, fft_length=n), {x: np.ones((2, 0)), n: [4]})
        assert zeros.shape == (2, 3) and not zeros.any()
        with pytest.raises(ValueError, match="must >= 0"):
            ops.RFFT(input=x, fft_length=[-1])
