"""Records of glimpses, with zeros around the images. `tests/ops/image/test_glimpse.py` tests the noise."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

F = np.float32


def _inputs(draw, case):
    batch, *sides, depth = (draw(st.integers(0 if i == 0 else 1, 7)) for i in range(4))
    size = np.array([draw(st.integers(0, 9)) for _ in range(2)], np.int32)
    attrs = {"centered": draw(st.booleans()), "normalized": draw(st.booleans())}
    # Sixteenths: windows begin at exact places.
    most = 32 if attrs["normalized"] else 16 * 9
    offsets = np.array([draw(st.integers(-most, most)) / 16 for _ in range(2 * batch)], F).reshape(batch, 2)
    return [draw(case.array((batch, *sides, depth))), size, offsets], attrs | {"noise": b"zero", "uniform_noise": False}


def _start(at, side, window, version, centered, normalized):
    if normalized:
        at *= side
    if centered and (normalized or version == 1):
        at /= 2
    if centered:
        at += side / 2
    if version == 1 or (centered and normalized):
        at -= window / 2
    return int(at)  # towards zero


def _glimpse(version):
    def reference(x, size, offsets, centered, normalized, noise, uniform_noise):
        out = np.zeros((len(x), *size, x.shape[3]))
        for image, place, to in zip(x, offsets, out):
            top, left = (_start(p, n, w, version, centered, normalized) for p, n, w in zip(place, image.shape, size))
            for y in range(size[0]):
                for column in range(size[1]):
                    if 0 <= top + y < image.shape[0] and 0 <= left + column < image.shape[1]:
                        to[y, column] = image[top + y, left + column]
        return out

    return reference


RECORDS = [
    OpRecord("ExtractGlimpse", _glimpse(1), _inputs),
    OpRecord("ExtractGlimpseV2", _glimpse(2), _inputs),
]
