"""Fourier transforms over any dimensions, beside NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def complex_values(*shape):
    rng = np.random.default_rng(len(shape))
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


@st.composite
def arguments(draw):
    """A shape, some of its dimensions in any order, and their lengths."""
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    axes = draw(st.permutations(range(len(shape))))[: draw(st.integers(1, len(shape)))]
    axes = [a - len(shape) * draw(st.booleans()) for a in axes]
    lengths = draw(st.lists(st.integers(1, 5), min_size=len(axes), max_size=len(axes)))
    return shape, axes, lengths, draw(st.sampled_from([None, "backward", "forward", "ortho"]))


@given(arguments(), st.booleans(), st.booleans())
def test_complex(drawn, inverse, known):
    shape, axes, lengths, norm = drawn
    x = complex_values(*shape)
    name = "ifft" if inverse else "fft"

    def build():
        signal = tf.constant(x) if known else tf.placeholder_with_default(x, [None] * x.ndim)
        asked = lengths if known else tf.placeholder_with_default(np.int32(lengths), [len(lengths)])
        scaled = getattr(tf.signal, name + "nd")(signal, asked, axes, norm)
        return scaled, getattr(tf, name + "nd")(signal, lengths, axes)

    scaled, plain = run(build)
    reference = getattr(np.fft, name + "n")
    np.testing.assert_allclose(scaled, reference(x, lengths, axes, norm), atol=1e-10)
    np.testing.assert_allclose(plain, reference(x, lengths, axes), atol=1e-10)


@given(arguments())
def test_real(drawn):
    shape, axes, lengths, norm = drawn
    x, spectrum = complex_values(*shape).real, complex_values(*shape)

    def build():
        signal, waves = tf.constant(x), tf.constant(spectrum)
        forward, back = tf.signal.rfftnd(signal, lengths, axes, norm), tf.signal.irfftnd(waves, lengths, axes, norm)
        plain = tf.rfftnd(signal, lengths, axes, tf.complex128), tf.irfftnd(waves, lengths, axes, tf.float64)
        return forward, back, *plain

    forward, back, plain, plain_back = run(build)
    np.testing.assert_allclose(forward, np.fft.rfftn(x, lengths, axes, norm), atol=1e-10)
    np.testing.assert_allclose(back, np.fft.irfftn(spectrum, lengths, axes, norm), atol=1e-10)
    np.testing.assert_allclose(plain, np.fft.rfftn(x, lengths, axes), atol=1e-10)
    np.testing.assert_allclose(plain_back, np.fft.irfftn(spectrum, lengths, axes), atol=1e-10)


@given(arguments())
def test_defaults(drawn):
    shape, axes, lengths, _ = drawn
    x = complex_values(*shape)
    few = lengths[: len(shape)]
    cases = [
        (tf.signal.fftnd, (x,), np.fft.fftn(x)),
        (tf.signal.fftnd, (x, None, axes), np.fft.fftn(x, axes=axes)),
        (tf.signal.fftnd, (x, few), np.fft.fftn(x, few, range(-len(few), 0))),
        (tf.signal.ifftnd, (x,), np.fft.ifftn(x)),
        (tf.signal.rfftnd, (x.real, None, axes), np.fft.rfftn(x.real, axes=axes)),
    ]
    if x.shape[axes[-1]] > 1:
        cases.append((tf.signal.irfftnd, (x, None, axes), np.fft.irfftn(x, axes=axes)))
    for function, (values, *rest), expected in cases:
        with tf.Graph().as_default(), tf.Session() as sess:
            np.testing.assert_allclose(sess.run(function(tf.constant(values), *rest)), expected, atol=1e-10)


def test_types():
    x = complex_values(2, 3).astype(np.complex64)
    with tf.Graph().as_default():
        assert tf.signal.fftnd(x).dtype == tf.complex64
        assert tf.rfftnd(x.real, [2, 3], [0, 1], tf.complex128).dtype == tf.complex128
        assert tf.irfftnd(x, [2, 3], [0, 1], tf.float64).dtype == tf.float64
        assert tf.rfftnd(x.real, [2, 3], [0, 1]).shape.as_list() == [2, 2]


def test_gradient():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(complex_values(3, 2, 4).real)
        y = tf.abs(tf.signal.rfftnd(x, [3, 5], axes=[0, 2]))
        assert tf.test.compute_gradient_error(x, [3, 2, 4], y, y.shape.as_list()) < 1e-3


X = np.ones((2, 3), np.complex64)


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda: tf.signal.fftnd(X, axes=[2]), "must be different dimensions of 2"),
        (lambda: tf.signal.fftnd(X, axes=[0, -2]), "must be different dimensions of 2"),
        (lambda: tf.signal.fftnd(X, axes=tf.placeholder(tf.int32, [1])), "known when the graph is built"),
        (lambda: tf.signal.fftnd(X, [2, 2], axes=[0]), "must have as many elements"),
        (lambda: tf.signal.fftnd(X, [2, 2, 2]), "at most one positive length for each dimension"),
        (lambda: tf.signal.fftnd(X, [0]), "at most one positive length"),
        (lambda: tf.signal.fftnd(X, norm="x"), "Unknown normalization"),
        (lambda: tf.signal.fftnd(tf.placeholder(tf.complex64)), "rank must be known"),
        (lambda: tf.signal.fftnd(tf.constant(X.real)), "FFT requires"),
        (lambda: tf.signal.rfftnd(tf.constant(X)), "RFFT requires tf.float32 or tf.float64 inputs"),
        (lambda: tf.signal.irfftnd(tf.constant(X.real)), "IRFFT requires tf.complex64 or tf.complex128 inputs"),
    ],
)
def test_refused(build, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        build()
