"""Colours of images."""

import colorsys

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _pixels(draw, case, min_rank=1):
    shape = draw(case.shapes(min_rank=min_rank - 1, max_rank=3)) + (3,)
    return draw(case.array(shape, domain=(0, 1)))


def _colors(draw, case):
    return [_pixels(draw, case)], {}


def _distinct_channels(draw, case):
    """Hue has kinks where two channels are equal."""
    pixels = [draw(st.permutations([0.2, 0.5, 0.8])) for _ in range(draw(st.integers(1, 4)))]
    noise = draw(case.array((len(pixels), 3), domain=(-0.05, 0.05)))
    return [(np.array(pixels) + noise).astype(case.T)], {}


def _adjusted(low, high, channels=(3,)):
    def inputs(draw, case):
        size = [draw(st.integers(0, 7)) for _ in range(draw(st.integers(2, 4)))]
        images = draw(case.array((*size, draw(st.sampled_from(channels))), domain=(0, 1)))
        return [images, np.float32(draw(st.floats(low, high, width=32)))], {}

    return inputs


def _by_pixel(function):
    def reference(images, *amount):
        result = [function(*pixel, *amount) for pixel in images.reshape(-1, 3)]
        return np.array(result, images.dtype).reshape(images.shape)

    return reference


def _adjust_hue(r, g, b, delta):
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb((h + float(delta)) % 1, s, v)


def _adjust_saturation(r, g, b, scale):
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb(h, min(1, max(0, s * float(scale))), v)


def _adjust_contrast(images, factor):
    mean = images.mean((-3, -2), keepdims=True) if images.size else 0
    return (images - mean) * factor + mean


def _one(images, *amount):
    return np.ones(images.shape)


def _factor(images, factor):
    return np.full(images.shape, 1 + abs(float(factor)))


def _limited_inputs(draw, case):
    size = [draw(st.integers(0, 7)) for _ in range(draw(st.integers(2, 4)))]
    images = draw(case.array((*size, draw(st.sampled_from((1, 3, 5)))), domain=(0, 100)))
    amounts = [np.float32(draw(st.floats(low, high, width=32))) for low, high in ((-3, 3), (-300, 50), (50, 300))]
    return [images, *amounts], {}


def _adjust_limited(images, factor, low, high):
    return np.clip(_adjust_contrast(images.astype(np.float64), factor), low, high)


def _limited_scale(images, factor, low, high):
    return np.full(images.shape, 100 * _factor(images, factor))


RECORDS = [
    OpRecord(
        "RGBToHSV",
        _by_pixel(colorsys.rgb_to_hsv),
        _colors,
        scale=_one,
        gradient=1,
        gradient_inputs=_distinct_channels,
    ),
    OpRecord("HSVToRGB", _by_pixel(colorsys.hsv_to_rgb), _colors, scale=_one, ulps=8),
    OpRecord("AdjustHue", _by_pixel(_adjust_hue), _adjusted(-1, 1), scale=_one, ulps=32),
    OpRecord("AdjustSaturation", _by_pixel(_adjust_saturation), _adjusted(0, 4), scale=_one, ulps=32),
    OpRecord("AdjustContrast", _adjust_limited, _limited_inputs, scale=_limited_scale, ulps=8),
    OpRecord("AdjustContrastv2", _adjust_contrast, _adjusted(-3, 3, (1, 3, 3, 5)), scale=_factor, ulps=8),
]
