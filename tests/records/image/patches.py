"""Records of patches: windows of the padded array, cut out one by one."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord


def _inputs(space, rates):
    def inputs(draw, case):
        sides = [draw(st.integers(1, 3 if case.smooth else 6)) for _ in range(space)]
        attrs = {"padding": draw(st.sampled_from([b"SAME", b"VALID"]))}
        for name in ["ksizes", "strides", "rates"][: 2 + rates]:
            most = [draw(st.integers(1, 3)) for _ in range(space)]
            attrs[name] = [1, *most, 1]
        if attrs["padding"] == b"VALID":
            spans = [
                (size - 1) * rate + 1 for size, rate in zip(attrs["ksizes"][1:-1], attrs.get("rates", [1] * 5)[1:-1])
            ]
            sides = [max(side, span) for side, span in zip(sides, spans)]
        shape = (draw(st.integers(1 if case.smooth else 0, 2)), *sides, draw(st.integers(1, 3)))
        return [draw(case.array(shape))], attrs

    return inputs


def patches(x, ksizes, strides, padding, rates=None):
    space = range(x.ndim - 2)
    sizes, steps = ksizes[1:-1], strides[1:-1]
    gaps = [1 for _ in space] if rates is None else rates[1:-1]
    spans = [(size - 1) * gap + 1 for size, gap in zip(sizes, gaps)]
    if padding == b"SAME":
        missing = [(-(-side // step) - 1) * step + span - side for side, step, span in zip(x.shape[1:], steps, spans)]
        before = [int(m / 2) for m in missing] if rates is None else [max(0, m) // 2 for m in missing]
        after = [m - b for m, b in zip(missing, before)]
        x = np.pad(x, [(0, 0), *((max(0, b), max(0, a)) for b, a in zip(before, after)), (0, 0)])
        x = x[(slice(None), *(slice(max(0, -b), None) for b in before))]  # of volumes
    counts = [(side - span) // step + 1 for side, span, step in zip(x.shape[1:], spans, steps)]
    found = np.empty((len(x), *counts, int(np.prod(sizes)) * x.shape[-1]), x.dtype)
    for place in itertools.product(*map(range, counts)):
        window = tuple(slice(p * step, p * step + span, gap) for p, step, span, gap in zip(place, steps, spans, gaps))
        found[(slice(None), *place)] = x[(slice(None), *window)].reshape(len(x), found.shape[-1])
    return found


RECORDS = [
    OpRecord("ExtractImagePatches", patches, _inputs(2, rates=True)),
    OpRecord("ExtractVolumePatches", patches, _inputs(3, rates=False)),
]
