"""Projected images: positions and sums are float32, in TensorFlow's order."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

F = np.float32
STILL = np.array([1, 0, 0, 0, 1, 0, 0, 0], F)


def _inputs(draw, case):
    batch, height, width, depth, rows, columns = (draw(st.integers(1, 5)) for _ in range(6))
    shape = (batch, height, width, depth)
    images = draw(case.array(shape, dtype=case["dtype"], domain=(0, 100)))
    count = draw(st.sampled_from([1, batch]))
    kind = draw(st.sampled_from(["halves", "any"]))
    if kind == "halves":  # positions between two pixels
        moves = [[draw(st.integers(-20, 20)) / 2 for _ in range(8)] for _ in range(count)]
        transforms = STILL + np.array(moves, F) * np.array([0, 0, 1, 0, 0, 1, 0, 0], F)
    else:
        transforms = STILL + draw(case.array((count, 8), dtype=F, domain=(-2, 2)))
    attrs = {
        "interpolation": draw(st.sampled_from(["NEAREST", "BILINEAR"])),
        "fill_mode": draw(st.sampled_from(["REFLECT", "WRAP", "CONSTANT", "NEAREST"])),
    }
    return [images, transforms, np.array([rows, columns], np.int32)], attrs


def _inputs_with_value(draw, case):
    inputs, attrs = _inputs(draw, case)
    return [*inputs, F(draw(st.sampled_from([0.0, 7.5, 30.0])))], attrs


def _inside(mode, at, size):
    """The position in an image of `size` pixels that is shown for `at`."""
    at, last = F(at), F(size - 1)
    if mode == "CONSTANT" or 0 <= at <= last:
        return at
    if mode == "REFLECT":
        if size == 1:
            return F(0)
        period = F(2 * size)
        if at < 0:
            at = period * np.trunc(-at / period) + at
            at = at + period if at < -size else -at - F(1)
        else:
            at -= period * np.trunc(at / period)
            at = period - at - F(1) if at >= size else at
    elif mode == "WRAP":
        if size == 1:
            return F(0)
        at = at + F(size) * (np.trunc(-at / last) + F(1)) if at < 0 else at - F(size) * np.trunc(at / last)
    return min(max(at, F(0)), last)


def _pixel(image, fill, y, x):
    return image[int(y), int(x)] if 0 <= y < len(image) and 0 <= x < len(image[0]) else fill


def _shown(image, fill, x, y, interpolation):
    if interpolation == "NEAREST":
        return _pixel(
            image, fill, *(np.trunc(v) if abs(v - np.trunc(v)) < 0.5 else np.trunc(v) + np.sign(v) for v in (y, x))
        )
    top, left = np.floor(y), np.floor(x)
    bottom, right = top + F(1), left + F(1)
    above, below = (
        (right - x) * _pixel(image, fill, row, left).astype(F) + (x - left) * _pixel(image, fill, row, right).astype(F)
        for row in (top, bottom)
    )
    return (bottom - y) * above + (y - top) * below


def _project(images, transforms, output_shape, fill_value=0, *, interpolation, fill_mode):
    result = np.zeros((len(images), *output_shape, images.shape[3]), images.dtype)
    fill = np.full(images.shape[3], fill_value, F).astype(images.dtype)
    transforms = transforms.astype(F)
    for n, y, x in np.ndindex(result.shape[:3]):
        t = transforms[n % len(transforms)]
        k = t[6] * F(x) + t[7] * F(y) + F(1)
        if k == 0:
            result[n, y, x] = fill
            continue
        at = [
            _inside(fill_mode, (t[i] * F(x) + t[i + 1] * F(y) + t[i + 2]) / k, images.shape[2 - i // 3]) for i in (0, 3)
        ]
        result[n, y, x] = _shown(images[n], fill, *at, interpolation)
    return result


RECORDS = [
    OpRecord("ImageProjectiveTransformV2", _project, _inputs, ulps=1, gradient=0),
    OpRecord("ImageProjectiveTransformV3", _project, _inputs_with_value, ulps=1, gradient=0),
]
EXPLICIT_GRADIENTS = dict.fromkeys(
    ("ImageProjectiveTransformV2", "ImageProjectiveTransformV3"),
    "tests/ops/image/test_projective.py::test_gradients_go_through_the_inverse",
)
