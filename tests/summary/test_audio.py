"""Summaries of sounds: the files as the module wave reads them, tags, errors."""

import io
import wave

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def sounds(sess, summary, feeds=None):
    """[(tag, rate, array)] of a summary."""
    found = []
    for value in tf.Summary.FromString(sess.run(summary, feeds)).value:
        audio = value.audio
        with wave.open(io.BytesIO(audio.encoded_audio_string)) as file:
            assert file.getsampwidth() == 2 and audio.content_type == "audio/wav"
            assert (file.getnchannels(), file.getnframes()) == (audio.num_channels, audio.length_frames)
            assert file.getframerate() == max(round(audio.sample_rate), 1)
            data = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        found.append((value.tag, audio.sample_rate, data))
    return found


@pytest.mark.parametrize("channels", [1, 2, 5])
def test_samples(sess, channels):
    rng = np.random.default_rng(channels)
    x = rng.uniform(-1.2, 1.2, (2, 1000, channels)).astype(np.float32)
    found = sounds(sess, tf.summary.audio("x", x, 44100.0))
    assert [(tag, rate) for tag, rate, _ in found] == [("x/audio/0", 44100), ("x/audio/1", 44100)]
    for (_, _, data), wanted in zip(found, x):
        rounded = np.copysign(np.floor(np.abs(wanted) * 32768 + 0.5), wanted)  # halves away from 0
        assert np.array_equal(data, np.clip(rounded, -32768, 32767))


def test_limits_of_samples(sess):
    x = np.array([[0, 1, -1, 2, -2, np.nan, np.inf, -np.inf, 1.5 / 32768, -1.5 / 32768]], np.float32)
    ((_, _, data),) = sounds(sess, tf.summary.audio("x", x, 8000, max_outputs=1))
    assert data.reshape(-1).tolist() == [0, 32767, -32768, 32767, -32768, 0, 32767, -32768, 2, -2]


def test_the_header(sess):
    value = tf.Summary.FromString(sess.run(tf.summary.audio("x", np.zeros((1, 3, 2), np.float32), 8000))).value[0]
    assert value.audio.encoded_audio_string == (
        b"RIFF\x30\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0\x40\x1f\0\0\x00\x7d\0\0\x04\0\x10\0data\x0c\0\0\0" + bytes(12)
    )


def test_the_rate_as_an_attribute(sess):
    summary = tf.raw_ops.AudioSummary(tag="x", tensor=np.zeros((1, 3), np.float32), sample_rate=16000.0, max_outputs=1)
    ((tag, rate, data),) = sounds(sess, summary)
    assert (tag, rate, data.shape) == ("x/audio", 16000, (3, 1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate must be > 0"):
        sess.run(tf.raw_ops.AudioSummary(tag="x", tensor=np.zeros((1, 3), np.float32), sample_rate=-1.0))


def test_tags_and_rates(sess):
    x, rate = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    summary = tf.summary.audio("a", x, rate, max_outputs=2, family="f")
    assert [t for t, *_ in sounds(sess, summary, {x: np.zeros((3, 4)), rate: 0.3})] == [
        "f/f/a/audio/0",
        "f/f/a/audio/1",
    ]
    assert sounds(sess, summary, {x: np.zeros((0, 4)), rate: 1}) == []
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [summary]


def test_errors(sess):
    x, rate, tag = tf.placeholder(tf.float32), tf.placeholder(tf.float32), tf.placeholder(tf.string)
    summary = tf.raw_ops.AudioSummaryV2(tag=tag, tensor=x, sample_rate=rate)
    for shape, hertz, name, text in (
        ((4,), 1, "a", r"Tensor must be 3-D or 2-D, got: \[4\]"),
        ((1, 2, 3, 4), 1, "a", r"Tensor must be 3-D or 2-D, got: \[1,2,3,4\]"),
        ((1, 4), 0, "a", "sample_rate must be > 0"),
        ((1, 4), np.nan, "a", "sample_rate must be > 0"),
        ((1, 4), 2.0**32, "a", r"sample_rate must be in \(0, 2\^32\)"),
        ((1, 4), [1, 2], "a", "sample_rate must be a scalar"),
        ((1, 4), 1, ["a", "b"], "Tag must be a scalar"),
        ((1, 0), 1, "a", "num_frames must be positive"),
        ((1, 4, 0), 1, "a", r"num_channels must be in \(0, 2\^16\), got: 0"),
        ((1, 1, 65536), 1, "a", r"num_channels must be in \(0, 2\^16\), got: 65536"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(summary, {x: np.zeros(shape), rate: hertz, tag: name})
