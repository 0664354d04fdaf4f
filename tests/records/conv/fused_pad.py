"""Records of convolutions of images that are mirrored at their borders, and resized before."""

import numpy as np
from hypothesis import strategies as st

from tests.records.conv.conv_3d import window
from tfcore.testing import Const, OpRecord


def _draw(draw, case, resized):
    mode, padding = draw(st.sampled_from(["REFLECT", "SYMMETRIC"])), draw(st.sampled_from(["SAME", "VALID"]))
    n, c, oc = draw(st.integers(1, 2)), *(draw(st.sampled_from([1, 3, 17])) for _ in range(2))
    sizes, final = ([draw(st.integers(1, 9)) for _ in range(2)] for _ in range(2))
    final = final if resized else sizes
    pads = [[draw(st.integers(0, max(0, min(3, d - (mode == "REFLECT"))))) for _ in range(2)] for d in final]
    taps, strides = ([draw(st.integers(1, 3)) for _ in range(2)] for _ in range(2))
    taps = [min(t, d + sum(p)) for t, d, p in zip(taps, final, pads, strict=True)]
    images, filters = draw(case.array((n, *sizes, c))), draw(case.array((*taps, c, oc)))
    attrs = {"mode": mode, "padding": padding, "strides": [1, *strides, 1]}
    return images, np.array(final, np.int32), Const(np.array([[0, 0], *pads, [0, 0]], np.int32)), filters, attrs


def _pad_inputs(draw, case):
    images, _, pads, filters, attrs = _draw(draw, case, False)
    return [images, pads, filters], attrs


def _resize_inputs(draw, case):
    images, size, pads, filters, attrs = _draw(draw, case, True)
    return [images, size, pads, filters], {**attrs, "resize_align_corners": draw(st.booleans())}


def pad_and_convolve(images, pads, filters, mode, padding, strides):
    images = np.pad(images, pads, mode=mode.lower())
    fits = [window(*d, 1, padding) for d in zip(images.shape[1:3], filters.shape[:2], strides[1:3], strict=True)]
    (rows, above), (columns, left) = fits
    reach = [(out - 1) * s + t for (out, _), s, t in zip(fits, strides[1:3], filters.shape[:2], strict=True)]
    canvas = np.zeros(
        (len(images), *(b + d + r for (_, b), d, r in zip(fits, images.shape[1:3], reach)), images.shape[3])
    )
    canvas[:, above : above + images.shape[1], left : left + images.shape[2]] = images
    result = np.zeros((len(images), rows, columns, filters.shape[3]))
    for i, k in np.ndindex(*filters.shape[:2]):
        part = canvas[
            :, i : i + (rows - 1) * strides[1] + 1 : strides[1], k : k + (columns - 1) * strides[2] + 1 : strides[2]
        ]
        result += part @ filters[i, k]
    return result


def _along(images, axis, size, align):
    """Resized along an axis, with positions in float32, as TensorFlow computes them."""
    n = images.shape[axis]
    scale = np.float32(n - 1) / np.float32(size - 1) if align and size > 1 else np.float32(n) / np.float32(size)
    at = np.arange(size, dtype=np.float32) * scale
    below = np.clip(np.floor(at).astype(int), 0, n - 1)
    above = np.clip(np.ceil(at).astype(int), 0, n - 1)
    part = (at - np.floor(at)).reshape([-1 if i == axis else 1 for i in range(4)]).astype(np.float64)
    low, high = images.take(below, axis), images.take(above, axis)
    return low + (high - low) * part


def resize_pad_and_convolve(images, size, pads, filters, resize_align_corners, **attrs):
    for axis, length in enumerate(size.tolist(), 1):
        images = _along(images, axis, length, resize_align_corners)
    return pad_and_convolve(images, pads, filters, **attrs)


RECORDS = [
    OpRecord("FusedPadConv2D", pad_and_convolve, _pad_inputs, domain=(-3, 3), scale="abs"),
    OpRecord("FusedResizeAndPadConv2D", resize_pad_and_convolve, _resize_inputs, domain=(-3, 3), scale="abs", ulps=16),
]
