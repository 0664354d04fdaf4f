"""Maxima and means over windows of volumes."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tests.records.conv.conv_3d import in_order, last, window
from tfcore.testing import Const, OpRecord

# ---- Drawing


def _draw(draw, case):
    """Shapes of input and output, and the attributes."""
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    ksize = [draw(st.integers(1, 3)) for _ in range(3)]
    strides = [draw(st.sampled_from([1, 2, 3, k])) for k in ksize]
    sizes = [draw(st.integers(1 if padding == "SAME" else k, max(k, 3 if case.smooth else 8))) for k in ksize]
    channels = draw(st.sampled_from([1, 2] if case.smooth else [1, 3, 8, 16, 17, 33]))
    n = draw(st.integers(1, 2)) if case.smooth else draw(st.integers(0, 2))
    out = [window(size, k, s, 1, padding)[0] for size, k, s in zip(sizes, ksize, strides)]
    data_format = draw(st.sampled_from(["NDHWC", "NDHWC", "NCDHW"]))
    attrs = {
        "ksize": in_order([1, *ksize, 1], data_format),
        "strides": in_order([1, *strides, 1], data_format),
        "padding": padding,
        "data_format": data_format,
    }
    shapes = [tuple(in_order([n, *dims, channels], data_format)) for dims in (sizes, out)]
    return *shapes, attrs


def _array(draw, case, shape):
    return draw(case.array(shape, domain=(-100, 100)))


def _forward_inputs(draw, case):
    volume, _, attrs = _draw(draw, case)
    return [_array(draw, case, volume)], attrs


def _apart(draw, case, shape):
    """Whole numbers, so that values are equal or far apart; all different where there are gradients."""
    if case.smooth:
        return draw(case.array(shape, domain=(-100, 100)))
    return np.round(draw(case.array(shape, domain=(-4, 4))).astype(np.float64)).astype(case.T)


def _grad_inputs(draw, case):
    volume, out, attrs = _draw(draw, case)
    x = _apart(draw, case, volume)
    return [x, max_pool3d(x, **attrs), _array(draw, case, out)], attrs


def _grad_grad_inputs(draw, case):
    volume, _, attrs = _draw(draw, case)
    x = _array(draw, case, volume)
    return [x, max_pool3d(x, **attrs), _array(draw, case, volume)], attrs


def _avg_grad_inputs(draw, case):
    volume, out, attrs = _draw(draw, case)
    sizes = np.array(volume, np.int32)
    return [Const(sizes) if draw(st.booleans()) else sizes, _array(draw, case, out)], attrs


# ---- References, window by window


def _back(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format == "NCDHW" else x


def _windows(sizes, ksize, strides, padding, data_format):
    """Output sizes, and (output position, slices of the input) of each window."""
    axes = slice(2, 5) if data_format == "NCDHW" else slice(1, 4)
    spans = []
    for size, k, s in zip(sizes, ksize[axes], strides[axes]):
        out, pad = window(size, k, s, 1, padding)
        spans.append([(o, slice(max(0, o * s - pad), min(size, o * s - pad + k))) for o in range(out)])
    return [len(s) for s in spans], [tuple(zip(*place)) for place in itertools.product(*spans)]


def _everywhere(place):
    return (slice(None), *place)


def _pool(x, reduced, data_format, **attrs):
    x = last(x, data_format)
    out, windows = _windows(x.shape[1:4], data_format=data_format, **attrs)
    result = np.zeros((len(x), *out, x.shape[4]), x.dtype)
    for at, inside in windows:
        result[_everywhere(at)] = reduced(x[_everywhere(inside)].reshape(len(x), -1, x.shape[4])) if x.size else 0
    return _back(result, data_format)


def max_pool3d(x, **attrs):
    return _pool(x, lambda values: values.max(axis=1), **attrs)


def avg_pool3d(x, **attrs):
    return _pool(x, lambda values: values.mean(axis=1), **attrs)


def _max_pool3d_grad(x, y, grad, data_format, **attrs):
    x, y, grad = (last(v, data_format) for v in (x, y, grad))
    result = np.zeros(x.shape, grad.dtype)
    for at, inside in _windows(x.shape[1:4], data_format=data_format, **attrs)[1]:
        y_at, grad_at = (v[_everywhere(at)][:, None, None, None] for v in (y, grad))
        result[_everywhere(inside)] += np.where(x[_everywhere(inside)] == y_at, grad_at, 0)
    return _back(result, data_format)


def _max_pool3d_grad_scale(x, y, grad, **attrs):
    return _max_pool3d_grad(x, y, np.abs(grad), **attrs)


def _max_pool3d_grad_grad(x, y, grad, data_format, **attrs):
    x, grad = last(x, data_format), last(grad, data_format)
    out, windows = _windows(x.shape[1:4], data_format=data_format, **attrs)
    result = np.zeros((len(x), *out, x.shape[4]), grad.dtype)
    for at, inside in windows if x.size else ():
        values, grads = (v[_everywhere(inside)].reshape(len(v), -1, v.shape[4]) for v in (x, grad))
        result[_everywhere(at)] = np.take_along_axis(grads, values.argmax(axis=1)[:, None], axis=1)[:, 0]
    return _back(result, data_format)


def _avg_pool3d_grad(sizes, grad, data_format, **attrs):
    grad = last(grad, data_format)
    n, *space, c = sizes if data_format == "NDHWC" else (sizes[0], *sizes[2:], sizes[1])
    result = np.zeros((n, *space, c), grad.dtype)
    for at, inside in _windows(space, data_format=data_format, **attrs)[1]:
        count = np.prod([s.stop - s.start for s in inside])
        result[_everywhere(inside)] += grad[_everywhere(at)][:, None, None, None] / count
    return _back(result, data_format)


RECORDS = [
    OpRecord("MaxPool3D", max_pool3d, _forward_inputs, ulps=0),
    OpRecord("MaxPool3DGrad", _max_pool3d_grad, _grad_inputs, scale=_max_pool3d_grad_scale, differentiable=[2]),
    OpRecord("MaxPool3DGradGrad", _max_pool3d_grad_grad, _grad_grad_inputs, ulps=0, differentiable=[2]),
    OpRecord("AvgPool3D", avg_pool3d, _forward_inputs, scale="abs"),
    OpRecord("AvgPool3DGrad", _avg_pool3d_grad, _avg_grad_inputs, scale="abs"),
]
