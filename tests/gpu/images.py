"""Images and windows for the tests of convolutions and pools."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st


class Window(NamedTuple):
    size: tuple
    stride: tuple
    dilation: tuple
    before: tuple  # padding before and after each dimension
    after: tuple

    def extent(self, axis):
        return (self.size[axis] - 1) * self.dilation[axis] + 1

    def fields(self):
        names = ("size", "stride", "dilation", "pad")
        values = (self.size, self.stride, self.dilation, self.before)
        return {f"{name}_{axis}": v[i] for name, v in zip(names, values, strict=True) for i, axis in enumerate("hw")}

    def outputs(self, pixels):
        padded = [pixels[i] + self.before[i] + self.after[i] - self.extent(i) for i in range(2)]
        return tuple(p // s + 1 for p, s in zip(padded, self.stride, strict=True))


@st.composite
def windows(draw, dilations=True):
    """An image's height and width, and a window that fits, padded as for SAME, VALID, or any numbers."""
    pixels = tuple(draw(st.integers(1, 9)) for _ in range(2))
    stride = tuple(draw(st.integers(1, 3)) for _ in range(2))
    dilation = tuple(draw(st.integers(1, 2)) if dilations else 1 for _ in range(2))
    padding = draw(st.sampled_from(["SAME", "VALID", "EXPLICIT"] if dilations else ["SAME", "VALID"]))
    size, before, after = [], [], []
    for i in range(2):
        most = 4 if padding == "SAME" else (pixels[i] - 1) // dilation[i] + 1
        size.append(draw(st.integers(1, min(most, 4))))
        extra = 0
        if padding == "SAME":
            windows_ = -(-pixels[i] // stride[i])
            extra = max((windows_ - 1) * stride[i] + (size[i] - 1) * dilation[i] + 1 - pixels[i], 0)
        before.append(draw(st.integers(0, 3)) if padding == "EXPLICIT" else extra // 2)
        after.append(draw(st.integers(0, 3)) if padding == "EXPLICIT" else extra - extra // 2)
    return pixels, Window(tuple(size), stride, dilation, tuple(before), tuple(after))


def image_fields(shape, nchw):
    """The fields of a window_image for [n, h, w, c], lying in memory as NHWC or NCHW."""
    _, h, w, c = shape
    steps = (c * h * w, w, 1, h * w) if nchw else (h * w * c, w * c, c, 1)
    names = ("n_step", "h_step", "w_step", "c_step")
    return {"h": h, "w": w, "c": c} | dict(zip(names, steps, strict=True))


def laid_out(x, nchw):
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if nchw else x


def as_nhwc(x, nchw):
    return x.transpose(0, 2, 3, 1) if nchw else x


def taps(window, pixels):
    """For each tap: its place in the window, the windows that have it on a pixel, and those pixels."""
    out = window.outputs(pixels)
    for kh in range(window.size[0]):
        for kw in range(window.size[1]):
            h = np.arange(out[0]) * window.stride[0] - window.before[0] + kh * window.dilation[0]
            w = np.arange(out[1]) * window.stride[1] - window.before[1] + kw * window.dilation[1]
            oh, ow = np.nonzero((h >= 0) & (h < pixels[0]))[0], np.nonzero((w >= 0) & (w < pixels[1]))[0]
            yield (kh, kw), np.ix_(oh, ow), np.ix_(h[oh], w[ow])
