"""Records of spectrograms against NumPy's Fourier transforms."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _inputs(draw, case):
    sounds = draw(case.array((draw(st.integers(0, 150)), draw(st.integers(0, 3))), domain=(-1, 1)))
    window = draw(st.one_of(st.integers(2, 9), st.sampled_from([16, 31, 32, 64, 100])))
    return [sounds], {
        "window_size": window,
        "stride": draw(st.integers(1, 40)),
        "magnitude_squared": draw(st.booleans()),
    }


def _windows(sounds, size, stride):
    """[channels, rows, size]"""
    starts = range(0, len(sounds) - size + 1, stride)
    rows = [sounds[i : i + size] for i in starts]
    return np.moveaxis(np.array(rows).reshape(len(rows), size, sounds.shape[1]), 2, 0)


def _spectrogram(sounds, window_size, stride, magnitude_squared):
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    size = 1 << (window_size - 1).bit_length()
    found = np.abs(np.fft.rfft(_windows(sounds, window_size, stride) * hann, size))
    return found**2 if magnitude_squared else found


def _scale(sounds, window_size, stride, magnitude_squared):
    """Sums of double precision: what cancels leaves rounding far below that of the output."""
    sums = 1e-6 * np.abs(_windows(sounds, window_size, stride)).sum(2, keepdims=True)
    return np.broadcast_to(sums**2 if magnitude_squared else sums, (*sums.shape[:2], _width(window_size)))


def _width(window):
    return 1 + (1 << (window - 1).bit_length()) // 2


RECORDS = [OpRecord("AudioSpectrogram", _spectrogram, _inputs, scale=_scale)]
