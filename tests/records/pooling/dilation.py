"""Records of dilation: windows one by one, sums in the type of the op."""

import itertools

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _draw(draw, case):
    """Images, a filter, the shape of the output, attributes."""
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    sizes, strides, rates = ([draw(st.integers(1, 3)) for _ in range(2)] for _ in range(3))
    spans = [(size - 1) * rate + 1 for size, rate in zip(sizes, rates, strict=True)]
    space = [draw(st.integers(span, span + 4)) for span in spans]  # windows have pixels
    depth = draw(st.sampled_from([1, 2] if case.smooth else [1, 2, 3, 16, 17, 65]))
    n = draw(st.integers(1, 2)) if case.smooth else draw(st.integers(0, 2))
    images, window = draw(case.array((n, *space, depth))), draw(case.array((*sizes, depth)))
    if padding == "SAME":
        out = [-(-side // step) for side, step in zip(space, strides, strict=True)]
    else:
        out = [(side - span) // step + 1 for side, span, step in zip(space, spans, strides, strict=True)]
    attrs = {"strides": [1, *strides, 1], "rates": [1, *rates, 1], "padding": padding}
    return images, window, (n, *out, depth), attrs


def _inputs(draw, case):
    images, window, _, attrs = _draw(draw, case)
    return [images, window], attrs


def _grad_inputs(draw, case):
    images, window, out, attrs = _draw(draw, case)
    return [images, window, draw(case.array(out))], attrs


def _pads(side, size, step, rate, padding):
    span = (size - 1) * rate + 1
    return 0 if padding == "VALID" else max(0, (-(-side // step) - 1) * step + span - side) // 2


def _windows(images, window, strides, rates, padding):
    """For each place of the output: {pixel of the filter: pixel of the image}."""
    space = [
        (side, size, step, rate, _pads(side, size, step, rate, padding))
        for side, size, step, rate in zip(images.shape[1:3], window.shape[:2], strides[1:3], rates[1:3], strict=True)
    ]
    counts = [
        -(-side // step) if padding == "SAME" else (side - (size - 1) * rate - 1) // step + 1
        for side, size, step, rate, _ in space
    ]
    for place in itertools.product(*map(range, counts)):
        pixels = {}
        for at in itertools.product(*map(range, window.shape[:2])):
            pixel = tuple(p * s[2] - s[4] + k * s[3] for p, k, s in zip(place, at, space, strict=True))
            if all(0 <= x < s[0] for x, s in zip(pixel, space, strict=True)):
                pixels[at] = pixel
        yield place, pixels


def _chosen(images, window, strides, rates, padding, rounded):
    """(place, image, channel), the pixels of filter and image with the greatest sum, and the sum."""
    for place, pixels in _windows(images, window, strides, rates, padding):
        for n, c in itertools.product(range(len(images)), range(images.shape[3])):
            sums = {at: rounded(images[(n, *pixel, c)] + window[(*at, c)]) for at, pixel in pixels.items()}
            best = max(sums, key=sums.get)
            yield (n, *place, c), (n, *pixels[best], c), (*best, c), sums[best]


def _forward(images, window, strides, rates, padding):
    results = list(_chosen(images, window, strides, rates, padding, lambda x: x))
    shape = [1 + max((r[0][axis] for r in results), default=-1) for axis in range(4)]
    if not len(images):
        shape = [0, *_counts(images, window, strides, rates, padding), images.shape[3]]
    found = np.zeros(shape, images.dtype)
    for place, _, _, value in results:
        found[place] = value
    return found


def _counts(*args):
    *_, (last, _) = _windows(*args)
    return [k + 1 for k in last]


def _backward(of_filter, rounded):
    def reference(images, window, grad, strides, rates, padding):
        found = np.zeros_like(window if of_filter else images)
        for place, pixel, at, _ in _chosen(images, window, strides, rates, padding, rounded):
            found[at if of_filter else pixel] += grad[place]
        return found

    return reference


def _scale(of_filter, rounded):
    backward = _backward(of_filter, rounded)
    return lambda images, window, grad, **attrs: backward(images, window, np.abs(grad), **attrs)


_EXACT = ("double", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_ROUNDED = {"float": np.float32, "half": np.float16, "bfloat16": ml_dtypes.bfloat16}


def _records(op, of_filter):
    """Which sum is the greatest depends on how sums are rounded."""
    groups = [(_EXACT, lambda x: x), *(((name,), dtype) for name, dtype in _ROUNDED.items())]
    for names, rounded in groups:
        reference, scale = _backward(of_filter, rounded), _scale(of_filter, rounded)
        yield OpRecord(op, reference, _grad_inputs, types={"T": names}, scale=scale, ulps=8)


RECORDS = [
    OpRecord("Dilation2D", _forward, _inputs, gradient=1),
    *_records("Dilation2DBackpropInput", False),
    *_records("Dilation2DBackpropFilter", True),
]
