"""Records of mel-frequency cepstral coefficients. Triangles are evaluated here as functions of the pitch."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _inputs(draw, case):
    shape = (draw(st.integers(0, 2)), draw(st.integers(0, 4)), draw(st.sampled_from([2, 5, 17, 64, 129])))
    triangles = draw(st.integers(1, 30))
    attrs = {
        "lower_frequency_limit": draw(st.sampled_from([0.0, 20.0, 300.0])),
        "upper_frequency_limit": draw(st.sampled_from([500.0, 3000.0, 4000.0])),
        "filterbank_channel_count": triangles,
        "dct_coefficient_count": draw(st.integers(1, triangles)),
    }
    rate = np.int32(draw(st.sampled_from([6000, 8000, 16000, 44100])))
    return [draw(case.array(shape, domain=(0.001, 100))), rate], attrs


def _mel(frequency):
    return 1127 * np.log1p(frequency / 700)


def _logarithms(x, rate, low, high, count):
    """[channels, rows, triangles], or None if the spectrogram ends below the highest frequency."""
    width = 0.5 * rate / (x.shape[2] - 1)
    if int(high / width) >= x.shape[2]:
        return None
    bins = np.arange(int(1.5 + low / width), int(high / width) + 1)
    corners = np.linspace(_mel(low), _mel(high), count + 2)
    rise = (_mel(bins * width)[:, None] - corners[:-1]) / np.diff(corners)  # [bins, triangles + 1]
    heights = np.clip(np.minimum(rise[:, :-1], 1 - rise[:, 1:]), 0, None)
    return np.log(np.maximum(np.sqrt(x[..., bins]) @ heights, 1e-12))


def _cosines(count, coefficients):
    angles = np.outer(np.arange(count) + 0.5, np.arange(coefficients)) * np.pi / count
    return np.sqrt(2 / count) * np.cos(angles)


def _mfcc(
    x,
    sample_rate,
    lower_frequency_limit,
    upper_frequency_limit,
    filterbank_channel_count,
    dct_coefficient_count,
    magnitude=lambda x: x,
):
    rate = float(sample_rate)
    found = _logarithms(x, rate, lower_frequency_limit, upper_frequency_limit, filterbank_channel_count)
    if found is None:
        return np.zeros((*x.shape[:2], dct_coefficient_count))
    return magnitude(found) @ magnitude(_cosines(filterbank_channel_count, dct_coefficient_count))


RECORDS = [OpRecord("Mfcc", _mfcc, _inputs, scale=lambda *x, **attrs: _mfcc(*x, magnitude=np.abs, **attrs))]
