"""Records of convolutions of volumes."""

import itertools

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import OpRecord

# ---- Drawing


def _spatial(draw, case, padding):
    """One spatial dimension: (size, filter size, stride, dilation)."""
    taps = draw(st.integers(1, 2 if case.smooth else 4))
    stride, dilation = draw(st.sampled_from([1, 1, 1, 2, 3])), draw(st.sampled_from([1, 1, 1, 2]))
    least = 1 if padding == "SAME" else (taps - 1) * dilation + 1
    return draw(st.integers(least, max(least, 3 if case.smooth else 12))), taps, stride, dilation


def in_order(values, data_format):
    """Values for batch, spatial dimensions and channels, in the order of data_format."""
    first, *space, last = values
    return [first, last, *space] if data_format == "NCDHW" else list(values)


def last(x, data_format):
    return np.moveaxis(x, 1, -1) if data_format == "NCDHW" else x


def _back(x, data_format):
    return np.moveaxis(x, -1, 1) if data_format == "NCDHW" else x


def _draw(draw, case, layouts=("NDHWC", "NDHWC", "NCDHW")):
    """Shapes of input, filter and output, and the attributes."""
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    data_format = draw(st.sampled_from(layouts))
    sizes, taps, strides, dilations = zip(*[_spatial(draw, case, padding) for _ in range(3)])
    n = draw(st.integers(1, 2)) if case.smooth else draw(st.integers(0, 2))
    c, oc = (draw(st.sampled_from([1, 2] if case.smooth else [1, 3, 5, 8, 17, 33])) for _ in range(2))
    attrs = {
        "strides": in_order([1, *strides, 1], data_format),
        "dilations": in_order([1, *dilations, 1], data_format),
        "padding": padding,
        "data_format": data_format,
    }
    out = [window(size, t, s, d, padding)[0] for size, t, s, d in zip(sizes, taps, strides, dilations)]
    shapes = in_order([n, *sizes, c], data_format), [*taps, c, oc], in_order([n, *out, oc], data_format)
    return *shapes, attrs


def _array(draw, case, shape):
    return draw(case.array(tuple(shape), domain=(-3, 3)))


def _forward_inputs(draw, case):
    volume, filters, _, attrs = _draw(draw, case)
    return [_array(draw, case, volume), _array(draw, case, filters)], attrs


def _backprop_input_inputs(draw, case):
    volume, filters, out, attrs = _draw(draw, case)
    sizes = np.array(volume, draw(st.sampled_from([np.int32, np.int64])))
    return [sizes, _array(draw, case, filters), _array(draw, case, out)], attrs


def _backprop_filter_inputs(draw, case):
    volume, filters, out, attrs = _draw(draw, case)
    return [_array(draw, case, volume), np.array(filters, np.int32), _array(draw, case, out)], attrs


def _old_inputs(draw, case):
    """Those of the first version of the gradients: without layouts, with examples instead of sizes."""
    *shapes, attrs = _draw(draw, case, ["NDHWC"])
    del attrs["data_format"]
    return [_array(draw, case, shape) for shape in shapes], attrs


# ---- References: each tap is a shifted, strided view of the padded input.


def window(size, taps, stride, dilation, padding):
    """(output size, padding before)"""
    span = (taps - 1) * dilation + 1
    if padding == "VALID":
        return (size - span) // stride + 1, 0
    out = -(-size // stride)
    return out, max(0, (out - 1) * stride + span - size) // 2


def _views(sizes, taps, strides, padding, data_format, dilations):
    """The shape of the padded volume, where the volume is in it, and (tap, slices) of each tap."""
    spatial = [slice(2, 5) if data_format == "NCDHW" else slice(1, 4)] * 2
    strides, dilations = strides[spatial[0]], dilations[spatial[1]]
    fits = [window(*d, padding) for d in zip(sizes, taps, strides, dilations)]
    padded = [
        before + size + (out - 1) * s + t * d
        for (out, before), size, t, s, d in zip(fits, sizes, taps, strides, dilations)
    ]
    inside = tuple(slice(before, before + size) for (_, before), size in zip(fits, sizes))
    steps = [
        [(i, slice(i * d, i * d + (out - 1) * s + 1, s)) for i in range(t)]
        for t, s, d, (out, _) in zip(taps, strides, dilations, fits)
    ]
    views = [tuple(zip(*step)) for step in itertools.product(*steps)]
    return padded, inside, views, [out for out, _ in fits]


def conv3d(x, f, data_format, **attrs):
    x = last(x, data_format)
    padded, inside, views, out = _views(x.shape[1:4], f.shape[:3], data_format=data_format, **attrs)
    volume = np.zeros((x.shape[0], *padded, x.shape[4]), x.dtype)
    volume[(slice(None), *inside)] = x
    result = np.zeros((x.shape[0], *out, f.shape[4]), x.dtype)
    for tap, view in views:
        result += volume[(slice(None), *view)] @ f[tap]
    return _back(result, data_format)


def conv3d_backprop_input(sizes, f, g, data_format, **attrs):
    g = last(g, data_format)
    n, *space, c = sizes if data_format == "NDHWC" else (sizes[0], *sizes[2:], sizes[1])
    padded, inside, views, _ = _views(space, f.shape[:3], data_format=data_format, **attrs)
    volume = np.zeros((n, *padded, c), g.dtype)
    for tap, view in views:
        volume[(slice(None), *view)] += g @ f[tap].T
    return _back(volume[(slice(None), *inside)], data_format)


def conv3d_backprop_filter(x, sizes, g, data_format, **attrs):
    x, g = last(x, data_format), last(g, data_format)
    padded, inside, views, _ = _views(x.shape[1:4], sizes[:3], data_format=data_format, **attrs)
    volume, result = np.zeros((x.shape[0], *padded, x.shape[4]), x.dtype), np.zeros(tuple(sizes), x.dtype)
    volume[(slice(None), *inside)] = x
    for tap, view in views:
        result[tap] = np.tensordot(volume[(slice(None), *view)], g, ([0, 1, 2, 3], [0, 1, 2, 3]))
    return result


RECORDS = [
    OpRecord("Conv3D", conv3d, _forward_inputs, scale="abs"),
    OpRecord("Conv3DBackpropInputV2", conv3d_backprop_input, _backprop_input_inputs, scale="abs"),
    OpRecord("Conv3DBackpropFilterV2", conv3d_backprop_filter, _backprop_filter_inputs, scale="abs", ulps=8),
    OpRecord(
        "Conv3DBackpropInput",
        lambda x, f, g, **attrs: conv3d_backprop_input(x.shape, f, g, "NDHWC", **attrs),
        _old_inputs,
        scale="abs",
    ),
    OpRecord(
        "Conv3DBackpropFilter",
        lambda x, f, g, **attrs: conv3d_backprop_filter(x, f.shape, g, "NDHWC", **attrs),
        _old_inputs,
        scale="abs",
        ulps=8,
    ),
]
