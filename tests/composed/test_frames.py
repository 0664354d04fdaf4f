"""Windows, frames, short-time spectra and features of speech, beside SciPy and loops."""

import numpy as np
import pytest
import scipy.fft
import scipy.signal
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


@given(st.integers(1, 20), st.booleans(), st.booleans())
def test_cosine_windows(n, periodic, known):
    for name, theirs in (("hann_window", "hann"), ("hamming_window", "hamming")):
        length = n if known else None

        def build(name=name, length=length):
            size = length if known else tf.placeholder_with_default(n, [])
            return getattr(tf.signal, name)(size, periodic, tf.float64)

        # TensorFlow's windows of an odd length are symmetric, also the periodic ones
        want = scipy.signal.get_window(theirs, n, fftbins=periodic and n % 2 == 0)
        np.testing.assert_allclose(run(build), want, atol=1e-12)


@given(st.integers(2, 20), st.floats(0, 20))
def test_other_windows(n, beta):
    kaiser = run(lambda: tf.signal.kaiser_window(n, beta, tf.float64))
    np.testing.assert_allclose(kaiser, np.kaiser(n, beta), atol=1e-10)
    even = n // 2 * 2
    derived, vorbis = run(
        lambda: (
            tf.signal.kaiser_bessel_derived_window(even, beta, tf.float64),
            tf.signal.vorbis_window(even, tf.float64),
        )
    )
    np.testing.assert_allclose(derived, scipy.signal.windows.kaiser_bessel_derived(even, beta), atol=1e-10)
    for window in (derived, vorbis):  # the condition of Princen and Bradley
        half = even // 2
        np.testing.assert_allclose(window[:half] ** 2 + window[half:] ** 2, np.ones(half), atol=1e-10)


@given(st.data(), st.booleans(), st.booleans())
def test_frames(data, pad_end, known):
    samples, length, step = (data.draw(st.integers(1, top)) for top in (15, 6, 6))
    axis = data.draw(st.sampled_from([0, 1, -1]))
    x = np.random.RandomState(0).randn(*((samples, 2) if axis == 0 else (2, samples)))

    def build():
        signal = tf.constant(x) if known else tf.placeholder_with_default(x, [None, None])
        size = length if known else tf.placeholder_with_default(length, [])
        return tf.signal.frame(signal, size, step, pad_end, 7.0, axis)

    got = run(build)
    rows = np.moveaxis(x, axis, -1)
    count = -(-samples // step) if pad_end else max(0, 1 + (samples - length) // step)
    filled = np.pad(rows, [(0, 0), (0, length + step * count)], constant_values=7.0)
    want = np.zeros([2, count, length])
    for i in range(count):
        want[:, i] = filled[:, i * step : i * step + length]
    np.testing.assert_array_equal(got, want if axis else np.moveaxis(want, 0, -1))


def test_frames_of_unknown_ranks():
    x = np.arange(24.0).reshape(2, 4, 3)

    def frames(axis, known):
        signal = tf.constant(x) if known else tf.placeholder_with_default(x, None)
        place = tf.placeholder_with_default(axis, []) if axis != 1 else axis
        return tf.signal.frame(signal, 2, 3, pad_end=True, axis=place)

    def summed(known):
        return tf.signal.overlap_and_add(tf.constant(x) if known else tf.placeholder_with_default(x, None), 2)

    for axis in (0, 1, -1):
        want = run(lambda axis=axis: tf.signal.frame(x, 2, 3, pad_end=True, axis=axis))
        np.testing.assert_array_equal(run(lambda axis=axis: frames(axis, known=False)), want)
        np.testing.assert_array_equal(run(lambda axis=axis: frames(axis, known=True)), want)
    np.testing.assert_array_equal(run(lambda: summed(known=False)), run(lambda: summed(known=True)))


@given(st.data())
def test_overlap_and_add(data):
    count, length, step = (data.draw(st.integers(1, 5)) for _ in range(3))
    x = np.random.RandomState(0).randn(2, 3, count, length)
    want = np.zeros([2, 3, (count - 1) * step + length])
    for i in range(count):
        want[..., i * step : i * step + length] += x[..., i, :]
    np.testing.assert_allclose(run(lambda: tf.signal.overlap_and_add(x, step)), want, atol=1e-12)
    unknown = run(lambda: tf.signal.overlap_and_add(tf.placeholder_with_default(x, [None] * 4), step))
    np.testing.assert_allclose(unknown, want, atol=1e-12)


@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 9))
def test_short_time_spectra(quarter, parts, seed):
    length, step = 4 * quarter, (quarter, 2 * quarter, 4 * quarter)[parts - 1]
    x = np.random.RandomState(seed).randn(2, length + 5 * step)

    def build():
        spectra = tf.signal.stft(x, length, step, window_fn=tf.signal.hamming_window)
        inverse = tf.signal.inverse_stft_window_fn(step, tf.signal.hamming_window)
        return spectra, tf.signal.inverse_stft(spectra, length, step, window_fn=inverse)

    spectra, back = run(build)
    window = scipy.signal.get_window("hamming", length)
    size = 1 << (length - 1).bit_length()
    want = [np.fft.rfft(x[:, i * step : i * step + length] * window, size) for i in range(6)]
    np.testing.assert_allclose(spectra, np.stack(want, 1), atol=1e-10)
    inner = slice(length, -length) if step < length else slice(None)
    np.testing.assert_allclose(back[:, inner], x[:, inner], atol=1e-8)


def test_spectra_without_a_window():
    x = np.random.RandomState(0).randn(21).astype(np.float32)
    spectra, back = run(
        lambda: (
            tf.signal.stft(x, 6, 3, fft_length=9, window_fn=None, pad_end=True),
            tf.signal.inverse_stft(tf.signal.stft(x, 6, 6, 5, None), 6, 6, 5, None),
        )
    )
    assert spectra.shape == (7, 5) and spectra.dtype == np.complex64 and back.shape == (18,)
    np.testing.assert_allclose(back.reshape(3, 6)[:, :5], x[:18].reshape(3, 6)[:, :5], atol=1e-5)
    assert not back.reshape(3, 6)[:, 5].any()


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("window", [None, "vorbis_window", "kaiser_bessel_derived_window"])
def test_modified_cosine_transforms_are_inverted(window, norm):
    function = None if window is None else lambda n, dtype: getattr(tf.signal, window)(n, dtype=dtype)
    x = np.random.RandomState(0).randn(2, 40)
    spectra, back = run(
        lambda: (
            tf.signal.mdct(x, 8, function, norm=norm),
            tf.signal.inverse_mdct(tf.signal.mdct(x, 8, function, norm=norm), function, norm=norm),
        )
    )
    assert spectra.shape == (2, 9, 4)
    np.testing.assert_allclose(back[:, 4:-4], x[:, 4:-4], atol=1e-10)


def test_mel_scale():
    weights = run(lambda: tf.signal.linear_to_mel_weight_matrix(10, 33, 16000, 80.0, 7600.0, tf.float64))
    assert weights.shape == (33, 10) and not weights[0].any() and (weights >= 0).all() and (weights <= 1).all()
    mel = 1127 * np.log(1 + np.linspace(0, 8000, 33) / 700)
    edges = np.linspace(*(1127 * np.log(1 + np.array([80.0, 7600.0]) / 700)), 12)
    for band in range(10):
        np.testing.assert_allclose(weights[1:, band], np.interp(mel[1:], edges[band : band + 3], [0, 1, 0]), atol=1e-12)
    spectra = np.random.RandomState(0).randn(3, 10)
    got = run(lambda: tf.signal.mfccs_from_log_mel_spectrograms(spectra))
    np.testing.assert_allclose(got, scipy.fft.dct(spectra) / np.sqrt(20), atol=1e-12)


def test_what_is_refused():
    s = tf.signal
    x = np.ones([3, 21])
    for call, text in (
        (lambda: s.hann_window(3, dtype=tf.int32), "dtype must be a floating point type"),
        (lambda: s.hann_window([3]), "rank 0|must have rank 0"),
        (lambda: s.overlap_and_add(x, 1.5), "frame_step must be an integer"),
        (lambda: s.overlap_and_add(x[0], 1), "rank at least 2"),
        (lambda: s.frame(x, [1], 1), "rank 0|must have rank 0"),
        (lambda: s.mdct(x, 6), "must be a multiple of 4"),
        (lambda: s.linear_to_mel_weight_matrix(0), "num_mel_bins must be positive"),
        (lambda: s.linear_to_mel_weight_matrix(upper_edge_hertz=9000.0), "Nyquist"),
        (lambda: s.linear_to_mel_weight_matrix(lower_edge_hertz=-1.0), "must be non-negative"),
        (lambda: s.linear_to_mel_weight_matrix(lower_edge_hertz=4000.0), "lower_edge_hertz 4000.0 >= upper_edge"),
        (lambda: s.linear_to_mel_weight_matrix(sample_rate=-1), "sample_rate must be positive"),
        (lambda: s.linear_to_mel_weight_matrix(dtype=tf.int32), "dtype must be a floating point type"),
        (lambda: s.mfccs_from_log_mel_spectrograms(x[:, :0]), "num_mel_bins must be positive"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_static_shapes_of_added_frames():
    frames = tf.placeholder(tf.float32, [None, 3, 4])
    assert tf.signal.overlap_and_add(frames, 2).shape.as_list() == [None, 8]
    assert tf.signal.inverse_stft(tf.zeros([2, 3, 5], tf.complex64), 8, 4).shape == [2, 16]
    assert tf.signal.overlap_and_add(tf.placeholder(tf.float32), 2).shape.ndims is None
