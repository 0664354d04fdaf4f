"""Fourier transforms of real values, cosine transforms and shifts, beside NumPy and SciPy."""

import numpy as np
import pytest
import scipy.fft
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


NAMES = {1: "rfft", 2: "rfft2d", 3: "rfft3d"}


@given(st.data(), st.sampled_from([1, 2, 3]), st.booleans())
def test_real_transforms(data, axes, known):
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=axes, max_size=axes + 1))
    lengths = data.draw(st.none() | st.lists(st.integers(1, 7), min_size=axes, max_size=axes))
    x = np.random.RandomState(0).randn(*sizes)
    along = range(-axes, 0)

    def build():
        signal = tf.constant(x) if known else tf.placeholder_with_default(x, [None] * x.ndim)
        asked = lengths if known or lengths is None else tf.placeholder_with_default(np.int32(lengths), [axes])
        y = getattr(tf.signal, NAMES[axes])(signal, asked)
        back = getattr(tf.signal, "i" + NAMES[axes])(y, lengths or sizes[-axes:])
        return y, back

    y, back = run(build)
    np.testing.assert_allclose(y, np.fft.rfftn(x, lengths, along), atol=1e-10)
    np.testing.assert_allclose(back, np.fft.irfftn(y, lengths or sizes[-axes:], along), atol=1e-10)


@given(st.integers(1, 5), st.none() | st.integers(1, 9), st.integers(0, 9))
def test_inverse_of_any_spectrum(size, length, seed):
    """The imaginary parts that a real signal can't have are ignored."""
    rng = np.random.RandomState(seed)
    x = rng.randn(2, size) + 1j * rng.randn(2, size)
    if length is None and size == 1:
        return
    got = run(lambda: tf.signal.irfft(tf.constant(x), None if length is None else [length]))
    np.testing.assert_allclose(got, np.fft.irfft(x, length), atol=1e-12)


@given(st.integers(2, 7), st.integers(0, 9))
def test_gradients_of_real_transforms(n, seed):
    rng = np.random.RandomState(seed)
    value, weights = rng.randn(n), rng.randn(n // 2 + 1)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(value)
        y = tf.reduce_sum(tf.real(tf.signal.rfft(x)) * weights)
        again = tf.reduce_sum(tf.signal.irfft(tf.signal.rfft(x) * weights, [n]) ** 2)
        slope, other = sess.run([tf.gradients(y, x)[0], tf.gradients(again, x)[0]])
    basis = np.eye(n)
    np.testing.assert_allclose(slope, np.fft.rfft(basis).real @ weights, atol=1e-10)
    linear = np.fft.irfft(np.fft.rfft(basis) * weights, n)
    np.testing.assert_allclose(other, 2 * linear @ (linear.T @ value), atol=1e-8)


@given(st.data(), st.integers(1, 4), st.sampled_from([None, "ortho"]))
def test_cosine_transforms(data, kind, norm):
    norm = None if kind == 1 else norm
    size = data.draw(st.integers(2, 9))
    n = data.draw(st.none() | st.integers(2, 9))
    x = np.random.RandomState(0).randn(2, size)
    got, back = run(
        lambda: (
            tf.signal.dct(x, kind, n, norm=norm),
            tf.signal.idct(tf.signal.dct(x, kind, norm=norm), kind, norm=norm),
        )
    )
    np.testing.assert_allclose(got, scipy.fft.dct(x, kind, n, norm=norm), atol=1e-10)
    factor = 1 if norm else 2 * (size - 1) if kind == 1 else 2 * size
    np.testing.assert_allclose(back, x * factor, atol=1e-9)


@pytest.mark.parametrize("axes", [None, 1, -2, [0, 1], [-1]], ids=str)
def test_shifts(axes):
    x = np.arange(35).reshape(5, 7)
    there, back = run(lambda: (tf.signal.fftshift(x, axes), tf.signal.ifftshift(x, axes)))
    np.testing.assert_array_equal(there, np.fft.fftshift(x, axes))
    np.testing.assert_array_equal(back, np.fft.ifftshift(x, axes))


def test_what_is_refused():
    x = np.ones([3, 4])
    for call, error, text in (
        (lambda: tf.signal.rfft(tf.constant([1, 2])), ValueError, "RFFT requires tf.float32 or tf.float64 inputs"),
        (
            lambda: tf.signal.irfft(tf.constant([1.0])),
            ValueError,
            "IRFFT requires tf.complex64 or tf.complex128 inputs",
        ),
        (lambda: tf.signal.rfft2d([1.0]), ValueError, "rank at least 2"),
        (lambda: tf.signal.dct(x, 5), ValueError, "Types I, II, III and IV"),
        (lambda: tf.signal.dct(x, axis=0), NotImplementedError, "axis must be -1. Got: 0"),
        (lambda: tf.signal.dct(x, norm="x"), ValueError, "Unknown normalization"),
        (lambda: tf.signal.dct(x, n=0), ValueError, "n should be a positive integer or None"),
        (lambda: tf.signal.dct(x, 1, norm="ortho"), ValueError, "not supported for the Type-I DCT"),
        (lambda: tf.signal.dct(x[:, :1], 1), ValueError, "dimension to be greater than one"),
    ):
        with pytest.raises(error, match=text):
            call()
    assert tf.spectral.rfft is tf.signal.rfft and tf.spectral.idct is tf.signal.idct
