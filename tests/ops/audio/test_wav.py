"""WAV files: TensorFlow 2.21's values and errors, chunks, broken files."""

import io
import random
import struct
import wave

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing.drawing import EFFORT

SAMPLES = (0, 100, -32768, 32767)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def wav(
    channels=1,
    rate=8000,
    samples=SAMPLES,
    before=b"",
    format_size=16,
    code=1,
    bits=16,
    after=b"",
    data_size=None,
    frame_bytes=None,
    second_bytes=None,
    riff=b"RIFF",
    kind=b"WAVE",
):
    """A file whose header may be wrong."""
    data = struct.pack(f"<{len(samples)}h", *samples)
    frame_bytes = 2 * channels if frame_bytes is None else frame_bytes
    second_bytes = rate * frame_bytes % (1 << 32) if second_bytes is None else second_bytes
    head = b"fmt " + struct.pack("<IHHIIHH", format_size, code, channels, rate, second_bytes, frame_bytes, bits)
    head += b"\0" * (format_size - 16)
    data = b"data" + struct.pack("<I", len(data) if data_size is None else data_size) + data
    body = kind + before + head + data + after
    return riff + struct.pack("<I", len(body)) + body


def chunk(name, data, size=None):
    return name + struct.pack("<I", len(data) if size is None else size) + data


def test_known_bytes():
    values = [0, 0.5, 1, -1, -2, 2, 1 / 65536, 2.5 / 32768, -1.5 / 32768, np.nan, np.inf, -np.inf]
    data = run(tf.audio.encode_wav(np.array(values, np.float32)[:, None], 44100))
    head = b"RIFF\x3c\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\x18\0\0\0"
    steps = [0, 16384, 32767, -32768, -32768, 32767, 1, 3, -2, 0, 32767, -32768]
    assert data == head + struct.pack("<12h", *steps)


def test_what_is_written_is_read():
    steps = np.random.default_rng(1).integers(-32768, 32768, (100_000, 2))
    data = run(tf.audio.encode_wav((steps / 32768).astype(np.float32), 22050))
    with wave.open(io.BytesIO(data)) as file:
        assert file.getparams()[:4] == (2, 2, 22050, 100_000)
    found, rate = run(tf.audio.decode_wav(data))
    assert rate == 22050 and (found * 32768 == steps).all()


@pytest.mark.parametrize(
    "file",
    [
        wav(before=chunk(b"JUNK", b"abc")),  # without padding
        wav(before=chunk(b"bext", b"abcd") + chunk(b"iXML", b"")),
        wav(format_size=18),
        wav(after=chunk(b"LIST", b"abcd")),
        wav(after=chunk(b"LIST", b"abc", 30)),
        wav(after=chunk(b"LIST", b"", (1 << 31) - 1)),
    ],
)
def test_other_chunks(file):
    found, rate = run(tf.audio.decode_wav(file))
    assert rate == 8000 and (found[:, 0] * 32768 == SAMPLES).all()


SHORT = "Data too short when trying to read string"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (b"", f"{SHORT}: 4 bytes at offset 0 of a file of 0 bytes"),
        (wav(riff=b"RIFX"), "Header mismatch: Expected RIFF but found RIFX"),
        (wav(kind=b"\0\n\xff "), r"Header mismatch: Expected WAVE but found \\x00\\x0a\\xff "),
        (wav(before=chunk(b"LIST", b"abcd")), "Unexpected field LIST"),
        (wav(before=chunk(b"JUNK", b"abcd", 400)), f"{SHORT}: 400 bytes at offset 20 of a file of 64 bytes"),
        (wav(before=chunk(b"JUNK", b"abcd", (1 << 31) - 1)), f"{SHORT}: 2147483647 bytes"),
        (wav(before=chunk(b"JUNK", b"abcd", (1 << 32) - 20)), f"{SHORT}: 4294967276 bytes"),
        (wav(before=chunk(b"JUNK", b"abcd", (1 << 32) - 1)), f"{SHORT}: 4294967295 bytes"),
        (wav(format_size=40), "Bad format chunk size for WAV: Expected 16 or 18, but got 40"),
        (wav(code=3), r"Bad audio format for WAV: Expected 1 \(PCM\), but got 3"),
        (wav(channels=0), "Bad number of channels for WAV: Expected at least 1, but got 0"),
        (wav(bits=24), "Can only read 16-bit WAV files, but received 24"),
        (wav(frame_bytes=3), "Bad bytes per sample in WAV header: Expected 2 but got 3"),
        (wav(channels=40000, frame_bytes=80000 % (1 << 16)), "Expected 80000 but got 14464"),
        (wav(second_bytes=3), r"Expected 16000 but got 3 \(sample_rate=8000, bytes_per_sample=2\)"),
        (wav(rate=(1 << 31) + 5), "Bad bytes per second in WAV header: Expected 4294967306 but got 10"),
        (wav()[:36], "No data chunk found in WAV"),
        (wav(after=chunk(b"data", b"ab")), "More than one data chunk found in WAV"),
        (wav(data_size=10), f"{SHORT}: 10 bytes at offset 44 of a file of 52 bytes"),
        (wav(data_size=7), f"{SHORT}: 4 bytes at offset 50"),  # the next chunk begins behind whole samples
        (wav(data_size=(1 << 31) - 1), f"{SHORT}: 2147483646 bytes"),
        (wav(data_size=1 << 31), "WAV data chunk 'data' is too large: 2147483648 bytes, but the limit is 2147483647"),
        (wav(after=chunk(b"LIST", b"", (1 << 32) - 8)), "WAV data chunk 'LIST' is too large: 4294967288 bytes"),
    ],
)
def test_broken_files(file, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(tf.audio.decode_wav(file))


def test_truncated_files():
    whole = wav(before=chunk(b"JUNK", b"abcd"), after=chunk(b"LIST", b""))
    contents = tf.placeholder(tf.string, [])
    sound = tf.audio.decode_wav(contents)
    with tf.Session() as session:
        for size in range(len(whole)):
            if size == len(whole) - 8:
                assert session.run(sound, {contents: whole[:size]}).audio.shape == (4, 1)
                continue
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"{SHORT}|No data chunk"):
                session.run(sound, {contents: whole[:size]})


def test_damaged_files():
    """None of them crashes, or takes long; what is read has the size that its header says."""
    draw = random.Random(7)
    whole = wav(channels=2, samples=range(40), before=chunk(b"JUNK", b"abcd"), after=chunk(b"LIST", b"ab"))
    contents = tf.placeholder(tf.string, [])
    sound, decoded = tf.audio.decode_wav(contents), 0
    with tf.Session() as session:
        for _ in range(max(500, int(2000 * EFFORT))):
            data = bytearray(whole)
            for _ in range(draw.randint(1, 3)):
                data[draw.randrange(len(data))] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])
            try:
                found = session.run(
                    sound, {contents: bytes(data[: draw.choice([len(data), draw.randrange(len(data))])])}
                )
            except tf.errors.InvalidArgumentError:
                continue
            decoded += 1
            assert found.audio.size <= len(data) // 2 and (np.abs(found.audio) <= 1).all()
    assert decoded > 20


def test_arguments():
    anything = tf.placeholder_with_default
    for audio, rate, text in (
        ([[0.0]], 0, r"sample_rate must be in \(0, 2\^32\), got: 0"),
        ([[0.0]], -5, r"sample_rate must be in \(0, 2\^32\), got: -5"),
        ([0.0], 3, r"audio must be 2-dimensional\[1\]"),
        ([[0.0]], [3], r"Input sample_rate should be a scalar tensor, got \[1\] instead"),
        (np.zeros((2, 0), np.float32), 3, r"num_channels must be in \(0, 2\^16\), got: 0"),
        (np.zeros((1, 65536), np.float32), 3, r"num_channels must be in \(0, 2\^16\), got: 65536"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(tf.audio.encode_wav(anything(tf.constant(audio), None), anything(tf.constant(rate), None)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"contents must be scalar, got shape \[1\]"):
        run(tf.audio.decode_wav(anything(tf.constant([wav()]), None)))
    with pytest.raises(ValueError, match="channels must be non-negative, got -2"):
        tf.audio.decode_wav(wav(), desired_channels=-2)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="desired_samples has value 4294967296 out of range for an"
    ):
        run(tf.audio.decode_wav(wav(), desired_samples=1 << 32))
