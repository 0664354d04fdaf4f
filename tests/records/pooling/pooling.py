"""Maxima and means over windows."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import Const, OpRecord

# ---- Drawing


def _in_order(values, data_format):
    return values if data_format == "NHWC" else [values[0], values[3], values[1], values[2]]


def _draw(draw, case, layouts=("NHWC", "NHWC", "NCHW")):
    """Shapes of input and output, and the attributes."""
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    most = 5 if case.smooth else 12
    ksize = [draw(st.integers(1, 4)) for _ in range(2)]
    strides = [draw(st.sampled_from([1, 2, 3, k])) for k in ksize]
    sizes = [draw(st.integers(1 if padding == "SAME" else k, max(k, most))) for k in ksize]
    channels = draw(st.sampled_from([1, 2, 3] if case.smooth else [1, 3, 5, 16, 17, 32, 40, 64]))
    n = draw(st.integers(1, 2)) if case.smooth else draw(st.integers(0, 3))
    if padding == "SAME":
        out = [-(-s // t) for s, t in zip(sizes, strides, strict=True)]
    else:
        out = [(s - k) // t + 1 for s, k, t in zip(sizes, ksize, strides, strict=True)]
    data_format = draw(st.sampled_from(layouts))
    attrs = {
        "ksize": _in_order([1, *ksize, 1], data_format),
        "strides": _in_order([1, *strides, 1], data_format),
        "padding": padding,
        "data_format": data_format,
    }
    shapes = [tuple(_in_order([n, *dims, channels], data_format)) for dims in (sizes, out)]
    return *shapes, attrs


def _array(draw, case, shape):
    """Floats of moderate size: gradients are added up."""
    return draw(case.array(shape) if case.T.kind in "iu" else case.array(shape, domain=(-100, 100)))


def _forward_inputs(draw, case):
    image, _, attrs = _draw(draw, case)
    return [_array(draw, case, image)], attrs


def _grad_inputs(draw, case):
    image, out, attrs = _draw(draw, case)
    x = _array(draw, case, image)
    return [x, max_pool(x, **attrs), _array(draw, case, out)], attrs


def _grad_grad_inputs(draw, case):
    image, _, attrs = _draw(draw, case)
    x = _array(draw, case, image)
    return [x, max_pool(x, **attrs), _array(draw, case, image)], attrs


def _runtime_window(inputs):
    """The same with ksize and strides as inputs of the op."""

    def draw_inputs(draw, case):
        values, attrs = inputs(draw, case)
        window = [np.array(attrs.pop(name), np.int32) for name in ("ksize", "strides")]
        return [*values, *window], attrs

    return draw_inputs


def _runtime(reference):
    return lambda *inputs, **attrs: reference(*inputs[:-2], ksize=inputs[-2], strides=inputs[-1], **attrs)


def _indexed_inputs(draw, case):
    image, _, attrs = _draw(draw, case, ["NHWC"])
    del attrs["data_format"]
    attrs["include_batch_in_index"] = draw(st.booleans())
    return [_array(draw, case, image)], attrs


def _indexed_grad_inputs(of_input):
    def draw_inputs(draw, case):
        (x,), attrs = _indexed_inputs(draw, case)
        maxima, positions = max_pool_with_argmax(x, Targmax=case["Targmax"], **attrs)
        grad = _array(draw, case, x.shape if of_input else maxima.shape)
        return [x, grad, positions], attrs

    return draw_inputs


# ---- References


def _nhwc(x, data_format):
    return x if data_format == "NHWC" else x.transpose(0, 2, 3, 1)


def _back(x, data_format):
    return x if data_format == "NHWC" else x.transpose(0, 3, 1, 2)


def _windows(shape, ksize, strides, padding, data_format):
    """Output size, and for each output pixel (row, column, slices of the input's height and width)."""
    axes = (1, 2) if data_format == "NHWC" else (2, 3)
    spans = []
    for size, axis in zip(shape[1:3], axes, strict=True):
        k, s = int(ksize[axis]), int(strides[axis])
        out = -(-size // s) if padding == "SAME" else (size - k) // s + 1
        pad = max(0, (out - 1) * s + k - size) // 2 if padding == "SAME" else 0
        spans.append([slice(max(0, o * s - pad), min(size, o * s - pad + k)) for o in range(out)])
    pixels = [(r, q, h, w) for r, h in enumerate(spans[0]) for q, w in enumerate(spans[1])]
    return (len(spans[0]), len(spans[1])), pixels


def _positions(x, pixels, out):
    """Index of the first maximum of each window in the flattened height, width, channels."""
    n, height, width, channels = x.shape
    index = np.arange(height * width * channels).reshape(height, width, channels)
    result = np.zeros((n, *out, channels), np.int64)
    for r, q, h, w in pixels:
        pixel_count = (h.stop - h.start) * (w.stop - w.start)
        first = x[:, h, w].reshape(n, pixel_count, channels).argmax(axis=1)
        result[:, r, q] = np.take_along_axis(index[h, w].reshape(-1, channels), first, axis=0)
    return result


def _take(values, positions):
    result = [v.ravel()[p] for v, p in zip(values, positions, strict=True)]
    return np.array(result, values.dtype).reshape(positions.shape)


def _put(grad, positions, shape):
    result = np.zeros(shape, grad.dtype)
    for i in range(shape[0]):
        np.add.at(result[i].reshape(-1), positions[i].ravel(), grad[i].ravel())
    return result


def max_pool(x, ksize, strides, padding, data_format="NHWC"):
    x = _nhwc(x, data_format)
    out, pixels = _windows(x.shape, ksize, strides, padding, data_format)
    return _back(_take(x, _positions(x, pixels, out)), data_format)


def _max_pool_grad(x, y, grad, ksize, strides, padding, data_format):
    x, grad = _nhwc(x, data_format), _nhwc(grad, data_format)
    out, pixels = _windows(x.shape, ksize, strides, padding, data_format)
    return _back(_put(grad, _positions(x, pixels, out), x.shape), data_format)


def _max_pool_grad_grad(x, y, grad, ksize, strides, padding, data_format):
    x, grad = _nhwc(x, data_format), _nhwc(grad, data_format)
    out, pixels = _windows(x.shape, ksize, strides, padding, data_format)
    return _back(_take(grad, _positions(x, pixels, out)), data_format)


def _max_pool_grad_scale(x, y, grad, *window, **attrs):
    reference = _runtime(_max_pool_grad) if window else _max_pool_grad
    return reference(x, y, np.abs(grad) if grad.dtype.kind == "f" else grad, *window, **attrs)


def _max_pool_grad_relu(x, y, grad, **attrs):
    return np.where(x > 0, _max_pool_grad(x, y, grad, **attrs), 0)


def max_pool_with_argmax(x, ksize, strides, padding, include_batch_in_index, Targmax):  # noqa: N803
    out, pixels = _windows(x.shape, ksize, strides, padding, "NHWC")
    positions = _positions(x, pixels, out)
    batch = np.arange(len(x)).reshape(-1, 1, 1, 1) * x[:1].size * include_batch_in_index
    return [_take(x, positions), (positions + batch).astype(Targmax)]


def _local(positions, x, include_batch_in_index):
    return positions.astype(np.int64) % max(1, x[:1].size) if include_batch_in_index else positions


def _max_pool_grad_with_argmax(x, grad, positions, include_batch_in_index, **attrs):
    return _put(grad, _local(positions, x, include_batch_in_index), x.shape)


def _max_pool_grad_with_argmax_scale(x, grad, positions, **attrs):
    return _max_pool_grad_with_argmax(x, np.abs(grad) if grad.dtype.kind == "f" else grad, positions, **attrs)


def _max_pool_grad_grad_with_argmax(x, grad, positions, include_batch_in_index, **attrs):
    return _take(grad, _local(positions, x, include_batch_in_index).astype(np.int64))


def _avg_pool(x, ksize, strides, padding, data_format):
    x = _nhwc(x, data_format)
    out, pixels = _windows(x.shape, ksize, strides, padding, data_format)
    result = np.zeros((len(x), *out, x.shape[3]), x.dtype)
    for r, q, h, w in pixels:
        result[:, r, q] = x[:, h, w].mean(axis=(1, 2))
    return _back(result, data_format)


def _avg_pool_grad(sizes, grad, ksize, strides, padding, data_format):
    grad = _nhwc(grad, data_format)
    shape = tuple(sizes) if data_format == "NHWC" else (sizes[0], sizes[2], sizes[3], sizes[1])
    _, pixels = _windows(shape, ksize, strides, padding, data_format)
    result = np.zeros(shape, grad.dtype)
    for r, q, h, w in pixels:
        count = (h.stop - h.start) * (w.stop - w.start)
        result[:, h, w] += grad[:, r : r + 1, q : q + 1] / count
    return _back(result, data_format)


def _avg_grad_inputs(draw, case):
    image, out, attrs = _draw(draw, case)
    sizes = np.array(image, np.int32)
    return [Const(sizes) if draw(st.booleans()) else sizes, _array(draw, case, out)], attrs


RECORDS = [
    OpRecord("MaxPool", max_pool, _forward_inputs, ulps=0),
    OpRecord("MaxPoolV2", _runtime(max_pool), _runtime_window(_forward_inputs), ulps=0),
    OpRecord("MaxPoolGrad", _max_pool_grad, _grad_inputs, scale=_max_pool_grad_scale, differentiable=[2]),
    OpRecord("_MaxPoolGradRelu", _max_pool_grad_relu, _grad_inputs, scale=_max_pool_grad_scale, gradient=0),
    OpRecord(
        "MaxPoolGradV2",
        _runtime(_max_pool_grad),
        _runtime_window(_grad_inputs),
        scale=_max_pool_grad_scale,
        differentiable=[2],
    ),
    OpRecord("MaxPoolGradGrad", _max_pool_grad_grad, _grad_grad_inputs, ulps=0, differentiable=[2]),
    OpRecord(
        "MaxPoolGradGradV2",
        _runtime(_max_pool_grad_grad),
        _runtime_window(_grad_grad_inputs),
        ulps=0,
        differentiable=[2],
    ),
    OpRecord("MaxPoolWithArgmax", max_pool_with_argmax, _indexed_inputs, ulps=0),
    OpRecord(
        "MaxPoolGradWithArgmax",
        _max_pool_grad_with_argmax,
        _indexed_grad_inputs(False),
        scale=_max_pool_grad_with_argmax_scale,
        differentiable=[1],
    ),
    OpRecord(
        "MaxPoolGradGradWithArgmax",
        _max_pool_grad_grad_with_argmax,
        _indexed_grad_inputs(True),
        ulps=0,
        differentiable=[1],
    ),
    OpRecord("AvgPool", _avg_pool, _forward_inputs, scale="abs"),
    OpRecord("AvgPoolGrad", _avg_pool_grad, _avg_grad_inputs, scale="abs"),
]
EXPLICIT_GRADIENTS = {"_MaxPoolGradRelu": "tests/ops/pooling/test_pooling.py::test_fused_gradient_has_no_gradient"}
