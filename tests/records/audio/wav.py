"""Records of WAV files, written by Python's module `wave`."""

import io
import wave

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def file_of(samples, rate):
    """int16 samples [samples, channels] as a WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((samples.shape[1], 2, rate, len(samples), "NONE", ""))
        file.writeframes(samples.astype("<i2").tobytes())
    return out.getvalue()


def _samples(draw):
    shape = draw(st.integers(0, 20)), draw(st.integers(1, 4))
    values = draw(st.lists(st.integers(-(1 << 15), (1 << 15) - 1), min_size=8, max_size=8))
    return np.resize(values, shape)


def _rate(draw):
    return draw(st.sampled_from([1, 8000, 44100, 1 << 24]))


def _files(draw, case):
    attrs = {f"desired_{what}": draw(st.sampled_from([-1, 0, 1, 3, 7])) for what in ("channels", "samples")}
    return [np.array(file_of(_samples(draw), _rate(draw)), object)], attrs


def _decode(contents, desired_channels, desired_samples):
    with wave.open(io.BytesIO(contents.item())) as file:
        rate, channels = file.getframerate(), file.getnchannels()
        found = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, channels) / 32768
    if desired_samples >= 0:
        found = np.pad(found[:desired_samples], ((0, max(0, desired_samples - len(found))), (0, 0)))
    if desired_channels >= 0:
        found = found[:, np.minimum(np.arange(desired_channels), channels - 1)]
    return [found, np.int32(rate)]


def _sounds(draw, case):
    # Multiples of half a step, which are exact: what lies between two steps is rounded away from 0.
    half_steps = 2 * _samples(draw) + draw(st.sampled_from([-1, 0, 1]))
    return [(half_steps * draw(st.sampled_from([1, 4])) / 65536).astype(np.float32), np.int32(_rate(draw))]


def _encode(audio, sample_rate):
    steps = np.copysign(np.floor(np.abs(audio * 32768) + 0.5), audio)
    return np.array(file_of(np.clip(steps, -32768, 32767), int(sample_rate)), object)


RECORDS = [OpRecord("DecodeWav", _decode, _files), OpRecord("EncodeWav", _encode, _sounds)]
