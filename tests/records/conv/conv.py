"""Records of convolutions."""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

# ---- Drawing


def _spatial(draw, case, padding):
    """One spatial dimension: (size, filter size, stride, dilation, explicit pads)."""
    big = 6 if case.smooth else 30
    taps = draw(st.integers(1, 3 if case.smooth else 5))
    stride = draw(st.sampled_from([1, 1, 1, 2, 3]))
    dilation = draw(st.sampled_from([1, 1, 1, 2]))
    pads = [draw(st.integers(0, 3)) for _ in range(2)] if padding == "EXPLICIT" else [0, 0]
    span = (taps - 1) * dilation + 1
    least = 1 if padding == "SAME" else max(1, span - sum(pads))
    return draw(st.integers(least, max(least, big))), taps, stride, dilation, pads


def _channels(draw, case):
    return draw(st.sampled_from([1, 2, 3] if case.smooth else [1, 2, 3, 5, 8, 16, 17, 33]))


def _sizes(draw, case):
    """Batch, height, width, channels, and the attributes; height and width as _spatial gives them."""
    padding = draw(st.sampled_from(["SAME", "SAME", "VALID", "EXPLICIT"]))
    h, w = _spatial(draw, case, padding), _spatial(draw, case, padding)
    n = draw(st.integers(1, 2)) if case.smooth else draw(st.integers(0, 3))
    data_format = draw(st.sampled_from(["NHWC", "NHWC", "NCHW"]))
    attrs = {
        "strides": _in_order([1, h[2], w[2], 1], data_format),
        "dilations": _in_order([1, h[3], w[3], 1], data_format),
        "padding": padding,
        "explicit_paddings": sum(_in_order([[0, 0], h[4], w[4], [0, 0]], data_format), [])
        if padding == "EXPLICIT"
        else [],
        "data_format": data_format,
    }
    return n, h, w, attrs


def _in_order(values, data_format):
    return values if data_format == "NHWC" else [values[0], values[3], values[1], values[2]]


def _window(attrs, size, taps, axis):
    """(output size, padding before, stride, dilation) of height (axis 1) or width (2)."""
    at = axis if attrs["data_format"] == "NHWC" else axis + 1
    stride, dilation = attrs["strides"][at], attrs["dilations"][at]
    span = (taps - 1) * dilation + 1
    if attrs["padding"] == "SAME":
        out = -(-size // stride)
        return out, max(0, (out - 1) * stride + span - size) // 2, stride, dilation
    pads = attrs["explicit_paddings"][2 * at : 2 * at + 2] or [0, 0]
    return (size + sum(pads) - span) // stride + 1, pads[0], stride, dilation


def _output_shape(attrs, n, h, w, channels):
    dims = [n, _window(attrs, h[0], h[1], 1)[0], _window(attrs, w[0], w[1], 2)[0], channels]
    return tuple(_in_order(dims, attrs["data_format"]))


def _draw_all(draw, case, depthwise=False):
    """Shapes of input, filter and output, and the attributes."""
    n, h, w, attrs = _sizes(draw, case)
    c = _channels(draw, case)
    oc = draw(st.integers(1, 3)) if depthwise else _channels(draw, case)
    image = tuple(_in_order([n, h[0], w[0], c], attrs["data_format"]))
    return image, (h[1], w[1], c, oc), _output_shape(attrs, n, h, w, c * oc if depthwise else oc), attrs


def _array(draw, case, shape):
    """Any integers, so that sums wrap; floats of moderate size."""
    return draw(case.array(shape, domain=(-3, 3)) if case.T.kind != "i" else case.array(shape))


def forward_inputs(draw, case, depthwise=False):
    image, filters, _, attrs = _draw_all(draw, case, depthwise)
    return [_array(draw, case, image), _array(draw, case, filters)], attrs


def backprop_input_inputs(draw, case, depthwise=False):
    image, filters, out, attrs = _draw_all(draw, case, depthwise)
    return [np.array(image, np.int32), _array(draw, case, filters), _array(draw, case, out)], attrs


def backprop_filter_inputs(draw, case, depthwise=False):
    image, filters, out, attrs = _draw_all(draw, case, depthwise)
    return [_array(draw, case, image), np.array(filters, np.int32), _array(draw, case, out)], attrs


# ---- References: each tap is a shifted, strided view of the padded input.


def _nhwc(x, attrs):
    return x if attrs["data_format"] == "NHWC" else x.transpose(0, 2, 3, 1)


def _back(x, attrs):
    return x if attrs["data_format"] == "NHWC" else x.transpose(0, 3, 1, 2)


def _taps(shape, taps_h, taps_w, attrs):
    """Shape of the padded image, where the image is in it, and (i, j, slices) of each tap."""
    oh, ph, sh, dh = _window(attrs, shape[1], taps_h, 1)
    ow, pw, sw, dw = _window(attrs, shape[2], taps_w, 2)
    padded = (
        shape[0],
        ph + shape[1] + (oh - 1) * sh + taps_h * dh,
        pw + shape[2] + (ow - 1) * sw + taps_w * dw,
        shape[3],
    )
    inside = (slice(None), slice(ph, ph + shape[1]), slice(pw, pw + shape[2]))
    views = [
        (
            i,
            j,
            (
                slice(None),
                slice(i * dh, i * dh + (oh - 1) * sh + 1, sh),
                slice(j * dw, j * dw + (ow - 1) * sw + 1, sw),
            ),
        )
        for i in range(taps_h)
        for j in range(taps_w)
    ]
    return padded, inside, views, (shape[0], oh, ow)


def conv2d(x, f, **attrs):
    x = _nhwc(x, attrs)
    padded, inside, views, out = _taps(x.shape, f.shape[0], f.shape[1], attrs)
    image, result = np.zeros(padded, x.dtype), np.zeros((*out, f.shape[3]), x.dtype)
    image[inside] = x
    for i, j, view in views:
        result += image[view] @ f[i, j]
    return _back(result, attrs)


def conv2d_backprop_input(sizes, f, g, **attrs):
    g = _nhwc(g, attrs)
    n, h, w, c = sizes if attrs["data_format"] == "NHWC" else (sizes[0], sizes[2], sizes[3], sizes[1])
    padded, inside, views, _ = _taps((n, h, w, c), f.shape[0], f.shape[1], attrs)
    image = np.zeros(padded, g.dtype)
    for i, j, view in views:
        image[view] += g @ f[i, j].T
    return _back(image[inside], attrs)


def conv2d_backprop_filter(x, sizes, g, **attrs):
    x, g = _nhwc(x, attrs), _nhwc(g, attrs)
    padded, inside, views, _ = _taps(x.shape, sizes[0], sizes[1], attrs)
    image, result = np.zeros(padded, x.dtype), np.zeros(tuple(sizes), x.dtype)
    image[inside] = x
    for i, j, view in views:
        result[i, j] = np.tensordot(image[view], g, ([0, 1, 2], [0, 1, 2]))
    return result


# ---- The fused form


_ACTIVATIONS = {
    None: lambda x, alpha: x,
    b"Relu": lambda x, alpha: np.maximum(x, 0),
    b"Relu6": lambda x, alpha: np.clip(x, 0, 6),
    b"Elu": lambda x, alpha: np.where(x < 0, np.expm1(np.minimum(x, 0)), x),
    b"LeakyRelu": lambda x, alpha: np.where(x < 0, x * np.float32(alpha), x),
}


def _fused_inputs(draw, case):
    image, filters, _, attrs = _draw_all(draw, case)
    activation = draw(st.sampled_from(list(_ACTIVATIONS)))
    attrs["fused_ops"] = [b"BiasAdd", activation] if activation else [b"BiasAdd"]
    attrs["leakyrelu_alpha"] = draw(st.sampled_from([0.2, 0.01]))
    return [_array(draw, case, image), _array(draw, case, filters), [_array(draw, case, filters[3:])]], attrs


def _fused(x, f, args, fused_ops, leakyrelu_alpha, **attrs):
    shape = (-1, 1, 1) if attrs["data_format"] == "NCHW" else (-1,)
    activation = _ACTIVATIONS[fused_ops[1] if len(fused_ops) > 1 else None]
    return activation(conv2d(x, f, **attrs) + args[0].reshape(shape), leakyrelu_alpha)


def _fused_scale(x, f, args, fused_ops, leakyrelu_alpha, **attrs):
    return _fused(np.abs(x), np.abs(f), [np.abs(args[0])], fused_ops[:1], leakyrelu_alpha, **attrs)


RECORDS = [
    OpRecord("Conv2D", conv2d, forward_inputs, scale="abs"),
    OpRecord("Conv2DBackpropInput", conv2d_backprop_input, backprop_input_inputs, scale="abs"),
    OpRecord("Conv2DBackpropFilter", conv2d_backprop_filter, backprop_filter_inputs, scale="abs", ulps=8),
    OpRecord("_FusedConv2D", _fused, _fused_inputs, scale=_fused_scale, gradient=0),
]
EXPLICIT_GRADIENTS = {"_FusedConv2D": "tests/ops/conv/test_conv.py::test_fused_conv_has_no_gradient"}
