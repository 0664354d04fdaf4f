"""Records of images scaled and moved. Positions and sines are float32, as in TensorFlow; sums are not."""

import numpy as np
from hypothesis import strategies as st

from tfcore.compat import as_str
from tfcore.testing import OpRecord

F = np.float32
_ULPS = 512  # weights near a zero of a filter are differences of larger numbers, and sums have both signs


def _lanczos(radius):
    def weight(x):
        x = np.maximum(x, 1e-3).astype(F)
        # Where a sine is 0 it is that of the rounded pi: if there are no other weights, these count.
        ripples = np.sin(F(np.pi) * x) * np.sin(F(np.pi) * x / F(radius))
        return np.where(x > radius, 0, np.where(x <= F(1e-3), 1, radius * ripples / (F(np.pi) ** 2 * x * x)))

    return radius, weight


def _keys(x):
    near, far = ((1.5 * x - 2.5) * x) * x + 1, ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


def _mitchell(x):
    near = ((7 / 6 * x - 2) * x) * x + 8 / 9
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, far, near))


FILTERS = {
    "lanczos1": _lanczos(1),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": (1.5, lambda x: np.where(x >= 1.5, 0, np.exp(-2 * x * x))),
    "box": (1, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
    "triangle": (1, lambda x: np.maximum(1 - x, 0)),
    "keyscubic": (2, _keys),
    "mitchellcubic": (2, _mitchell),
}


def matrix(size, out, scale, translation, kernel_type, antialias):
    """[out, size] of weights"""
    radius, weight = FILTERS[as_str(kernel_type)]
    step = F(1 / float(scale))
    begin = -step * F(translation)
    width = max(step, F(1)) if antialias else F(1)
    found = np.zeros((out, size))
    for i in range(out):
        at = (F(i) + F(0.5)) * step + begin
        if not 0 <= at <= size:
            continue
        first, last = np.ceil(at - F(radius) * width - F(0.5)), np.floor(at + F(radius) * width - F(0.5))
        pixels = np.arange(np.clip(first, 0, size - 1), np.clip(last, 0, size - 1) + 1)
        distances = np.abs((pixels.astype(F) + F(0.5) - at) * (F(1) / width)).astype(float)
        weights = weight(distances)
        if abs(weights.sum()) > 1e-30:
            found[i, pixels.astype(int)] = weights / weights.sum()
    return found


def _draw(draw, case):
    """Dims of images, another height and width, scale, translation, attributes."""
    most = 4 if case.smooth else 9
    sides = [draw(st.integers(1, most)) for _ in range(4)]
    batch, channels = draw(st.integers(1 if case.smooth else 0, 2)), draw(st.sampled_from([1, 2, 3, 5]))
    # Eighths and powers of two: distances are exact, and where a filter ends is not a question of rounding.
    scale = np.array([draw(st.sampled_from([0.25, 0.5, 1, 2, 4])) for _ in range(2)], F)
    moved = np.array([draw(st.integers(-16, 16)) / 8 for _ in range(2)], F)
    attrs = {"kernel_type": draw(st.sampled_from(sorted(FILTERS))), "antialias": draw(st.booleans())}
    return (batch, *sides[:2], channels), sides[2:], scale, moved, attrs


def _forward(draw, case):
    dims, size, scale, moved, attrs = _draw(draw, case)
    images = draw(case.array(dims) if case.T.kind in "iu" else case.array(dims, domain=(-100, 100)))
    return [images, np.array(size, np.int32), scale, moved], attrs


def _backward(draw, case):
    dims, size, scale, moved, attrs = _draw(draw, case)
    grads = draw(case.array((dims[0], *size, dims[3]), domain=(-100, 100)))
    return [grads, draw(case.array(dims, domain=(-100, 100))), scale, moved], attrs


def _both(x_sides, size, scale, moved, attrs, magnitude):
    weights = [matrix(side, out, s, m, **attrs) for side, out, s, m in zip(x_sides, size, scale, moved, strict=True)]
    if magnitude is np.abs:  # near a zero of the filter a weight is off by the rounding of larger numbers
        return [np.abs(w) + (w != 0) / 64 for w in weights]
    return weights


def _scaled(x, size, scale, moved, magnitude=lambda x: x, **attrs):
    rows, columns = _both(x.shape[1:3], size, scale, moved, attrs, magnitude)
    return np.einsum("yh,bhwc,xw->byxc", rows, magnitude(x.astype(float)), columns)


def _spread(grads, image, scale, moved, magnitude=lambda x: x, **attrs):
    rows, columns = _both(image.shape[1:3], grads.shape[1:3], scale, moved, attrs, magnitude)
    return np.einsum("yh,byxc,xw->bhwc", rows, magnitude(grads), columns)


def _record(types, gradient):
    return OpRecord(
        "ScaleAndTranslate",
        _scaled,
        _forward,
        ulps=_ULPS,
        scale=lambda *x, **attrs: _scaled(*x, magnitude=np.abs, **attrs),
        differentiable=[0],
        gradient=gradient,
        types={"T": types},
    )


_OTHERS = ("half", "bfloat16", "double", "int8", "int16", "int32", "int64", "uint8", "uint16")
RECORDS = [
    _record(("float",), 1),
    _record(_OTHERS, 0),  # the gradient is float only
    OpRecord(
        "ScaleAndTranslateGrad",
        _spread,
        _backward,
        ulps=_ULPS,
        scale=lambda *x, **attrs: _spread(*x, magnitude=np.abs, **attrs),
    ),
]
