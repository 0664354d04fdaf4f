"""Spectrograms and cepstral coefficients: TensorFlow 2.21's values, errors, large inputs."""

import numpy as np
import pytest

import tfcore as tf

# TensorFlow 2.21's.
KNOWN_SPECTROGRAM = [
    0.000745817378628999,
    0.02153167501091957,
    0.14967729151248932,
    0.5101083517074585,
    0.7907339930534363,
    0.44639745354652405,
    0.04021744802594185,
    0.2156476527452469,
    0.42838141322135925,
]
KNOWN_CEPSTRUM = [
    [-2.099303960800171, -1.5094633102416992, -0.32677939534187317],
    [-2.4675512313842773, -1.9711647033691406, 0.08828310668468475],
]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def test_a_tone():
    """A tone of 1000 Hz is in the bin of that frequency, in every window."""
    tone = np.sin(2 * np.pi * 1000 * np.arange(16000) / 16000).astype(np.float32)[:, None]
    found = run(tf.raw_ops.AudioSpectrogram(input=tone, window_size=512, stride=160))
    assert found.shape == (1, 97, 257) and (found.argmax(2) == 32).all()
    assert found.max(2) == pytest.approx(128, rel=1e-5)  # half the sum of the window, which is half its size


def test_threads_make_no_difference():
    sounds = np.random.default_rng(1).uniform(-1, 1, (20_000, 2)).astype(np.float32)
    spectrogram = tf.raw_ops.AudioSpectrogram(input=sounds, window_size=400, stride=37, magnitude_squared=True)
    cepstrum = tf.raw_ops.Mfcc(spectrogram=spectrogram, sample_rate=16000)
    found = []
    for threads in (1, 4):
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as session:
            found.append(session.run([spectrogram, cepstrum]))
    assert all((a == b).all() for a, b in zip(*found))


def test_known_values():
    sounds = (np.arange(40, dtype=np.float32) * 7 % 11 / 11 - 0.5).reshape(20, 2)
    spectrogram = tf.raw_ops.AudioSpectrogram(input=sounds, window_size=10, stride=8, magnitude_squared=True)
    cepstrum = tf.raw_ops.Mfcc(
        spectrogram=spectrogram,
        sample_rate=8000,
        lower_frequency_limit=100.0,
        filterbank_channel_count=5,
        dct_coefficient_count=3,
    )
    first, second = run([spectrogram, cepstrum])
    np.testing.assert_allclose(first[0, 0], KNOWN_SPECTROGRAM, rtol=1e-5)
    np.testing.assert_allclose(second[:, 1], KNOWN_CEPSTRUM, rtol=1e-5)


def test_shapes():
    def shape_of(dims, **attrs):
        return tf.raw_ops.AudioSpectrogram(input=tf.placeholder(tf.float32, dims), **attrs).shape.as_list()

    assert shape_of([100, 2], window_size=16, stride=10) == [2, 9, 9]
    assert shape_of([None, 3], window_size=17, stride=10) == [3, None, 17]
    assert shape_of([7, None], window_size=16, stride=10) == [None, 0, 9]
    assert run(tf.raw_ops.AudioSpectrogram(input=np.zeros((7, 2), np.float32), window_size=8, stride=1)).shape == (
        2,
        0,
        5,
    )
    long = tf.raw_ops.AudioSpectrogram(input=np.zeros((7, 2), np.float32), window_size=(1 << 31) - 1, stride=1)
    assert run(long).shape == (2, 0, (1 << 30) + 1)


def test_errors_of_spectrograms():
    sounds = tf.placeholder_with_default(np.zeros(5, np.float32), None)
    for attrs, text in (
        ({"window_size": 1, "stride": 1}, "window size must be > 1, got 1"),
        ({"window_size": 2, "stride": 0}, "stride must be strictly positive, got 0"),
    ):
        with pytest.raises(ValueError, match=text):
            tf.raw_ops.AudioSpectrogram(input=sounds, **attrs)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"input must be 2-dimensional\[5\]"):
        run(tf.raw_ops.AudioSpectrogram(input=sounds, window_size=2, stride=1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="stride has value 4294967296 out of range for an int32"):
        run(tf.raw_ops.AudioSpectrogram(input=np.zeros((5, 1), np.float32), window_size=2, stride=1 << 32))


@pytest.mark.parametrize(
    ("dims", "rate", "attrs", "text"),
    [
        ((3, 9), 8000, {}, r"spectrogram must be 3-dimensional\[3,9\]"),
        ((1, 3, 9), [8000], {}, r"Input sample_rate should be a scalar tensor, got \[1\] instead"),
        ((1, 3, 9), 0, {}, "channel count 9, sample rate 0 and filterbank_channel_count 40: the sample rate"),
        ((1, 3, 1), 8000, {}, "Mfcc initialization failed for channel count 1, .*: the channel count"),
        ((1, 3, 9), 8000, {"upper_frequency_limit": 10.0}, "upper_frequency_limit must be greater"),
        ((1, 3, 9), 8000, {"lower_frequency_limit": -1.0}, "lower_frequency_limit must not be negative"),
        ((1, 3, 9), 8000, {"lower_frequency_limit": float("nan")}, "lower_frequency_limit must not be negative"),
        ((1, 3, 9), 8000, {"filterbank_channel_count": 0}, "filterbank_channel_count must be positive"),
        ((1, 3, 9), 8000, {"dct_coefficient_count": 0}, "dct_coefficient_count must be positive"),
        ((1, 3, 9), 8000, {"dct_coefficient_count": 41}, "must not be greater than filterbank_channel_count"),
    ],
)
def test_errors_of_mfcc(dims, rate, attrs, text):
    spectrogram = tf.placeholder_with_default(np.ones(dims, np.float32), None)
    rate = tf.placeholder_with_default(tf.constant(rate), None)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.raw_ops.Mfcc(spectrogram=spectrogram, sample_rate=rate, **attrs))


@pytest.mark.parametrize("limit", [5000.0, 1e30, float("inf"), float("nan")])
def test_frequencies_above_the_spectrogram(limit):
    """Zeros, as in TensorFlow."""
    found = run(
        tf.raw_ops.Mfcc(spectrogram=np.ones((1, 2, 9), np.float32), sample_rate=8000, upper_frequency_limit=limit)
    )
    assert found.shape == (1, 2, 13) and not found.any()


def test_silence_and_nan():
    found = run(tf.raw_ops.Mfcc(spectrogram=np.zeros((1, 1, 129), np.float32), sample_rate=8000))
    assert found[0, 0, 0] == pytest.approx(np.log(1e-12) * np.sqrt(2 * 40), rel=1e-6)
    found = run(tf.raw_ops.Mfcc(spectrogram=np.full((1, 1, 129), np.nan, np.float32), sample_rate=8000))
    assert np.isnan(found).all()
