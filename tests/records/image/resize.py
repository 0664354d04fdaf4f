"""Resizing of images. The positions and weights are float32, as in TensorFlow; what is summed is not."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import Const, OpRecord

F = np.float32

# ---- Drawing


def _attrs(draw, centers=True):
    kind = draw(st.sampled_from(["", "", "align_corners", "half_pixel_centers"] if centers else ["", "align_corners"]))
    names = ["align_corners", "half_pixel_centers"][: 1 + centers]
    return {name: name == kind for name in names}


def _draw(draw, case):
    """Dims of images, and another height and width."""
    most = 4 if case.smooth else 9
    sizes = [draw(st.integers(1, most)) for _ in range(4)]
    channels = draw(st.sampled_from([1, 2] if case.smooth else [1, 2, 3, 3, 4, 5, 17]))
    batch = draw(st.integers(1, 2)) if case.smooth else draw(st.integers(0, 2))
    return (batch, *sizes[:2], channels), sizes[2:]


def _images(draw, case, shape):
    return draw(case.array(shape) if case.T.kind in "iu" else case.array(shape, domain=(-100, 100)))


def _forward(centers=True):
    def inputs(draw, case):
        shape, size = _draw(draw, case)
        size = np.array(size, np.int32)
        return [_images(draw, case, shape), Const(size) if draw(st.booleans()) else size], _attrs(draw, centers)

    return inputs


def _backward(draw, case):
    shape, size = _draw(draw, case)
    grads = draw(case.array((shape[0], *size, shape[3]), dtype=np.float32, domain=(-100, 100)))
    return [grads, _images(draw, case, shape)], _attrs(draw)


def _nearest_backward(draw, case):
    shape, size = _draw(draw, case)
    return [_images(draw, case, (shape[0], *size, shape[3])), np.array(shape[1:3], np.int32)], _attrs(draw)


# ---- References: a matrix [out, in] for each axis


def _scale(size, out, align_corners):
    return F(size - 1) / F(out - 1) if align_corners and out > 1 else F(size) / F(out)


def _positions(size, out, align_corners, half_pixel_centers):
    scale, i = _scale(size, out, align_corners), np.arange(out, dtype=F)
    return (i + F(0.5)) * scale - F(0.5) if half_pixel_centers else i * scale


def _matrix(size, out, indices, weights):
    """indices, weights: [taps, out]"""
    matrix = np.zeros((out, size))
    for index, weight in zip(indices, weights, strict=True):
        np.add.at(matrix, (np.arange(out), np.clip(index, 0, size - 1).astype(int)), weight)
    return matrix


def _linear(size, out, **attrs):
    at = _positions(size, out, **attrs)
    part = at - np.floor(at)
    return _matrix(size, out, [np.floor(at), np.ceil(at)], [1 - part, part])


def _kernel(c, distance):
    """Keys's cubic kernel at distances that are multiples of 1 / 1024."""
    x = distance.astype(F).astype(float)
    near = ((c + 2) * x - (c + 3)) * x * x + 1
    return np.where(x <= 1, near, ((c * x - 5 * c) * x + 8 * c) * x - 4 * c).astype(F)


def _cubic(size, out, align_corners, half_pixel_centers):
    at = _positions(size, out, align_corners, half_pixel_centers)
    part = np.rint((at - np.floor(at)) * F(1024)) / 1024
    c = -0.5 if half_pixel_centers else -0.75
    indices = np.floor(at) + np.arange(-1, 3)[:, None]
    weights = np.stack([_kernel(c, d) for d in (1 + part, part, 1 - part, 2 - part)])
    if half_pixel_centers:
        weights = np.where((indices >= 0) & (indices < size), weights, 0)
        total = ((weights[0] + weights[1]) + weights[2]) + weights[3]
        weights = weights * (F(1) / np.where(np.abs(total) > 1e-30, total, F(1)))
    return _matrix(size, out, indices, weights)


def _covered(size, out, align_corners):
    scale = _scale(size, out, align_corners)
    if not scale:  # one pixel, whose corners are aligned with several ones
        return np.ones((out, 1))
    matrix = np.zeros((out, size))
    for i in range(out):
        begin, end = F(i) * scale, F(i + 1) * scale
        for at in range(int(np.floor(begin)), int(np.ceil(end))):
            if at < begin:
                part = scale if F(at + 1) > end else F(at + 1) - begin
            else:
                part = end - F(at) if F(at + 1) > end else F(1)
            matrix[i, min(at, size - 1)] += float(part) / float(scale)
    return matrix


def _apply(axis, x, size, absolute=False, **attrs):
    y, x_axis = (axis(n, int(m), **attrs) for n, m in zip(x.shape[1:3], size, strict=True))
    if absolute:  # differences between pixels are rounded, whatever their weights
        y, x_axis, x = y != 0, x_axis != 0, np.abs(x.astype(float))
    return np.einsum("yi,xj,bijc->byxc", y, x_axis, x.astype(float)).astype(F if x.dtype.kind in "iu" else float)


def _forward_of(axis):
    return lambda x, size, **attrs: _apply(axis, x, size, **attrs)


def _forward_scale(axis):
    return lambda x, size, **attrs: _apply(axis, x, size, absolute=True, **attrs)


def _backward_of(axis, absolute=False):
    def reference(grads, original, **attrs):
        y, x = (axis(n, m, **attrs) for n, m in zip(original.shape[1:3], grads.shape[1:3], strict=True))
        if absolute:
            y, x, grads = abs(y), abs(x), np.abs(grads)
        return np.einsum("yi,xj,byxc->bijc", y, x, grads)

    return reference


def _nearest_index(size, out, align_corners, half_pixel_centers):
    at = (np.arange(out, dtype=F) + F(0.5 * half_pixel_centers)) * _scale(size, out, align_corners)
    at = np.floor(at.astype(float) + 0.5) if align_corners else np.floor(at)
    return np.clip(at, 0, size - 1).astype(int)


def _nearest(x, size, **attrs):
    y, x_index = (_nearest_index(n, int(m), **attrs) for n, m in zip(x.shape[1:3], size, strict=True))
    return x[:, y][:, :, x_index]


def _nearest_grad(grads, size, **attrs):
    height, width = (int(s) for s in size)
    y = _nearest_index(height, grads.shape[1], **attrs)
    x = _nearest_index(width, grads.shape[2], **attrs)
    result = np.zeros((grads.shape[0], height, width, grads.shape[3]), grads.dtype)
    np.add.at(result, (slice(None), y[:, None], x[None, :]), grads)
    return result


def _nearest_grad_scale(grads, size, **attrs):
    return _nearest_grad(np.abs(grads) if grads.dtype.kind == "f" else grads, size, **attrs)


def _record(op, axis, centers=True, **options):
    return OpRecord(op, _forward_of(axis), _forward(centers), scale=_forward_scale(axis), ulps=16, **options)


def _record_grad(op, axis):
    return OpRecord(op, _backward_of(axis), _backward, scale=_backward_of(axis, True), ulps=16)


# What is computed of double is float: differences of it are too coarse for a numeric gradient.
BUT_DOUBLE = {"T": ["int8", "uint8", "int16", "uint16", "int32", "int64", "half", "bfloat16", "float"]}
DOUBLE = {"T": "double"}

RECORDS = [
    _record("ResizeBilinear", _linear, types=BUT_DOUBLE, gradient=1),
    _record("ResizeBilinear", _linear, types=DOUBLE, gradient=0),
    _record("ResizeBicubic", _cubic, types=BUT_DOUBLE, gradient=1),
    _record("ResizeBicubic", _cubic, types=DOUBLE, gradient=0),
    _record("ResizeArea", _covered, centers=False),
    OpRecord("ResizeNearestNeighbor", _nearest, _forward(), ulps=0, gradient=1),
    _record_grad("ResizeBilinearGrad", _linear),
    _record_grad("ResizeBicubicGrad", _cubic),
    OpRecord("ResizeNearestNeighborGrad", _nearest_grad, _nearest_backward, scale=_nearest_grad_scale),
]
